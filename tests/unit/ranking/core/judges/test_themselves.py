import pytest

from annotation.judge_measures import JudgeMeasure
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.judges.themselves import agreement_with_themselves
from ranking.core.scores import NotEstimable
from ranking.judge_monitoring import measure_judges

ROWS = [
    # ann: the pair of segment 1 three times, a, a and a tie: 1 of 3 pairs agree.
    BlockRow("ann", 1, ["a", "b"], [1, 2]),
    BlockRow("ann", 1, ["b", "a"], [2, 1]),
    BlockRow("ann", 1, ["a", "b"], [1, 1]),
    # Once, so that a quarter of her comparisons are ties.
    BlockRow("ann", 2, ["a", "b"], [1, 2]),
    # bob: always ties.
    BlockRow("bob", 1, ["a", "b"], [2, 2]),
    BlockRow("bob", 1, ["a", "b"], [3, 3]),
    # cat: never twice.
    BlockRow("cat", 1, ["a", "b"], [2, 3]),
]
BLOCKS = blocks_from_rows(ROWS, "ab")


def test_chance_is_that_of_the_judges_own_labels() -> None:
    ann, bob, cat = agreement_with_themselves(BLOCKS)
    assert (ann.judge, ann.comparable, ann.agreeing) == ("ann", 3, 1)
    # t = 1/4: 1/16 + 2 (3/8)² = 11/32.
    assert (ann.comparisons, ann.ties, ann.p_chance) == (4, 1, 11 / 32)
    assert ann.kappa == pytest.approx((1 / 3 - 11 / 32) / (21 / 32))
    assert ann.kappa is not None
    assert ann.low is not None
    assert ann.high is not None
    assert ann.low < ann.kappa < ann.high
    assert (bob.p_agree, bob.p_chance, bob.kappa) == (1, 1, None)
    assert bob.reason is NotEstimable.CHANCE_IS_CERTAIN
    assert (cat.comparable, cat.p_agree, cat.kappa) == (0, None, None)
    assert cat.reason is NotEstimable.NO_COMPARISON


def test_it_is_what_judges_are_measured_by() -> None:
    measured = measure_judges(BLOCKS, p_chance="own")
    ann = agreement_with_themselves(BLOCKS)[0]
    result = measured["ann"][JudgeMeasure.INTRA]
    assert (result.value, result.low, result.high) == (ann.kappa, ann.low, ann.high)
    assert JudgeMeasure.INTRA not in measured["bob"]

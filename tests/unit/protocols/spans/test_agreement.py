"""Agreement of judges on scores."""

import numpy as np
import pytest

from protocols.spans.statistics.agreement import JudgePairScores, score_agreement
from ranking.core.diagnosis.correlation import Coefficient, correlation_clustered
from tests.unit.protocols.spans.drawn import judgment, output


def test_two_judges_side_by_side() -> None:
    scores = {"ann": [10, 40, 60, 90], "bob": [20, 40, 90, 70]}
    screens = [
        judgment(output("A", score), judge=judge, segment=str(number))
        for judge, given_scores in scores.items()
        for number, score in enumerate(given_scores)
    ]
    found = score_agreement(
        [*screens, judgment(output("A", 0), judge="eve", segment="9")],
    )
    (pair,) = found.pairs
    assert (pair.one, pair.other, pair.shared) == ("ann", "bob", 4)
    assert pair.pearson == pytest.approx(
        np.corrcoef(scores["ann"], scores["bob"])[0, 1],
    )
    assert pair.spearman == pytest.approx(0.8)
    assert pair.kendall == pytest.approx(2 / 3)
    assert (pair.difference, pair.distance) == (-5, 15)
    assert (pair.low, pair.high) == (None, None)
    assert (pair.spearman_low, pair.kendall_high) == (None, None)
    both = np.array([scores["ann"] + scores["bob"], scores["bob"] + scores["ann"]])
    assert found.pearson == pytest.approx(np.corrcoef(both)[0, 1])
    # Too few segments to say how sure that is.
    assert (found.low, found.high) == (None, None)


def test_the_interval_of_two_judges_takes_outputs_of_a_segment_for_alike() -> None:
    """A second system with the same scores adds no certainty."""
    random = np.random.default_rng(3)
    scores = {"ann": random.integers(0, 101, 20), "bob": random.integers(0, 101, 20)}

    def pair(*systems: str) -> JudgePairScores:
        screens = [
            judgment(
                *(output(name, score) for name in systems),
                judge=judge,
                segment=str(number),
            )
            for judge, given_scores in scores.items()
            for number, score in enumerate(given_scores.tolist())
        ]
        return score_agreement(screens).pairs[0]

    one, two = pair("A"), pair("A", "B")
    by_hand = correlation_clustered(scores["ann"], scores["bob"], (np.arange(20),))
    assert (one.low, one.high) == pytest.approx((by_hand.low, by_hand.high))
    assert one.low is not None
    assert two.shared == 40
    assert (two.low, two.high) == pytest.approx((one.low, one.high))
    for coefficient, ends, twice in (
        (
            Coefficient.SPEARMAN,
            (one.spearman_low, one.spearman_high),
            (two.spearman_low, two.spearman_high),
        ),
        (
            Coefficient.KENDALL,
            (one.kendall_low, one.kendall_high),
            (two.kendall_low, two.kendall_high),
        ),
    ):
        by_hand = correlation_clustered(
            scores["ann"],
            scores["bob"],
            (np.arange(20),),
            coefficient=coefficient,
        )
        assert ends == pytest.approx((by_hand.low, by_hand.high))
        assert ends[0] is not None
        assert twice == pytest.approx(ends)


def test_a_severe_judge_lowers_raw_agreement_and_not_the_standardised() -> None:
    screens = [
        judgment(output("A", 30 + 5 * number - shift), judge=judge, segment=str(number))
        for judge, shift in (("ann", 0), ("bob", 30))
        for number in range(12)
    ]
    found = score_agreement(screens)
    assert found.pairs[0].pearson == pytest.approx(1)
    assert found.standardised == pytest.approx(1)
    assert found.pearson is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.pearson < 0.3
    assert found.pearson < found.high


def test_no_shared_output_is_no_agreement() -> None:
    found = score_agreement(
        [judgment(output("A", 1)), judgment(output("B", 1), judge="bob")],
    )
    assert (found.pairs, found.shared, found.pearson) == ((), 0, None)

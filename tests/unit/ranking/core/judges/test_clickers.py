from itertools import permutations, product
from math import exp, log

import numpy as np
import pytest

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.judges.clicking import (
    JUDGES_ALLOWED_FOR,
    ClickingEvidence,
    reference_ignored,
    typed_in_order,
)
from tests.clickers import REFERENCE, SYSTEMS, clicking, reading, suspected
from tests.some_now import some_now

JUDGES = 400
REF = (REFERENCE,)


def test_hand_worked_evidence_of_a_reference_ignored() -> None:
    rows = [
        BlockRow("ann", 1, ["a", REF], [1, 2]),  # the reference lost: margin -1
        BlockRow("ann", 2, ["a", REF, "b"], [2, 1, 2]),  # won: margins 2, -1, -1
        BlockRow("ann", 3, ["a", REF], [3, 3]),  # says nothing
        BlockRow("ann", 4, ["a", REF], [3, None]),
        BlockRow("bob", 4, ["a", "b"], [1, 2]),
    ]
    ann, bob = reference_ignored(blocks_from_rows(rows, SYSTEMS), REFERENCE, odds=4)
    # A half in the exponent of 4 is a factor of 2 for each unit of the margin.
    expected = (1 / 2 * 2 + 1 / 2 / 2) / (1 / 2) * ((1 / 3 * 4 + 2 / 3 / 2) / 4)
    assert ann.blocks == 2
    assert exp(ann.log_e) == pytest.approx(expected)
    assert (bob.blocks, bob.log_e) == (0, 0.0)


def test_evidence_against_who_reads_at_the_odds_is_worth_nothing_on_average() -> None:
    # Over all labels of the reference in two blocks, as likely as the odds say, the mean is 1.
    odds, blocks = 1.75, ([1, 2, 2, 4, 5], [1, 1, 3])
    total, mean = 0.0, 0.0
    for first, second in product(*(range(len(labels)) for labels in blocks)):
        rows, weight = [], 1.0
        for number, (labels, chosen) in enumerate(zip(blocks, (first, second), strict=True)):
            shown = [labels[chosen], *labels[:chosen], *labels[chosen + 1 :]]
            rows.append(BlockRow("ann", number, [REF, *SYSTEMS[: len(shown) - 1]], shown))
            margin = sum((shown[0] < each) - (shown[0] > each) for each in shown[1:])
            weight *= odds ** (margin / 2)
        (ann,) = reference_ignored(blocks_from_rows(rows, SYSTEMS), REFERENCE, odds=odds)
        total += weight
        mean += weight * exp(ann.log_e)
    assert mean / total == pytest.approx(1)


def test_evidence_of_typing_is_worth_nothing_on_average_over_all_shuffles() -> None:
    values = []
    for shuffled in product(permutations([1, 2, 2, 3]), permutations([1, 2, 3])):
        rows = [
            BlockRow("ann", number, SYSTEMS[: len(labels)], labels)
            for number, labels in enumerate(shuffled)
        ]
        (ann,) = typed_in_order(blocks_from_rows(rows, SYSTEMS))
        values.append(exp(ann.log_e))
    assert ann.blocks == 2
    assert np.mean(values) == pytest.approx(1)


def test_what_follows_the_order_half_of_the_time_by_chance_says_nothing() -> None:
    rows = [
        BlockRow("ann", 1, SYSTEMS[:3], [1, 1, 2]),  # 4 of 6 shuffles are lines
        BlockRow("ann", 2, SYSTEMS[:4], [3, 3, 3, 3]),
        BlockRow("ann", 3, SYSTEMS[:2], [1, 2]),
    ]
    (ann,) = typed_in_order(blocks_from_rows(rows, SYSTEMS))
    assert (ann.blocks, ann.log_e) == (0, 0.0)


def test_a_probability_allows_for_all_judges() -> None:
    evidence = ClickingEvidence(blocks=9, log_e=log(10_000))
    assert evidence.p_value() == pytest.approx(JUDGES_ALLOWED_FOR / 10_000)
    assert evidence.p_value(200) == pytest.approx(0.02)
    assert ClickingEvidence(blocks=9, log_e=-3.0).p_value() == 1.0


@pytest.mark.parametrize(
    ("kind", "within", "at_least"),
    some_now(
        [
            ("each label at random", 60, 0.88),
            ("1 to 5 in random order", 60, 0.92),
            ("1-2-3-4-5 as shown", 6, 1.0),
            ("5-4-3-2-1 as shown", 6, 1.0),
            ("one of two labels at random", 60, 0.75),
            ("one label for all", 20, 1.0),
        ],
        most=2,
    ),
)
def test_clickers_are_caught_by_the_suggested_rules(
    kind: str, within: int, at_least: float
) -> None:
    assert _caught(kind, within) >= at_least


def _caught(kind: str, within: int) -> float:
    """Share of clickers who break a suggested rule at some look."""
    blocks = clicking(kind, judges=JUDGES, blocks=within, seed=5)
    caught = np.zeros(JUDGES, dtype=np.bool_)
    for day in range(2, within + 1, 2 if within < 30 else 6):
        caught |= suspected(blocks.take(slice(0, JUDGES * day)), judges=45)
    return float(caught.mean())


@pytest.mark.thorough
def test_judges_who_read_are_hardly_ever_suspected_at_any_look() -> None:
    # At the odds of the standard: 50 judges are allowed for, so 0.04 / 50 each and no more.
    judges = 1500
    blocks = reading(preferred=0.748, judges=judges, blocks=60, seed=6)
    ever = np.zeros(judges, dtype=np.bool_)
    for day in range(5, 61, 5):
        ever |= suspected(blocks.take(slice(0, judges * day)), judges=45)
    # 1,500 times 0.04 / 50 are 1.2; three standard deviations more are 4.5.
    assert ever.sum() <= 4

from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from ranking.core.agreement.intervals import NoInterval
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.parts import (
    PartAgreement,
    PartsMeasure,
    agreement_by_document,
    agreement_by_length,
    agreement_by_reference,
    agreement_by_segment,
    agreement_by_systems,
)
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.scores import NotEstimable

ROWS = [
    BlockRow("ann", 1, ["a", "b", ("_ref",)], [2, 2, 1]),
    BlockRow("bob", 1, ["a", "b", ("_ref",)], [2, 3, 1]),
    BlockRow("ann", 2, ["a", "b"], [1, 2]),
    BlockRow("bob", 2, ["a", "b"], [1, 2]),
    BlockRow("ann", 3, ["a", "b"], [1, 2]),
    BlockRow("bob", 3, ["a", "b"], [2, 1]),
]
BLOCKS = blocks_from_rows(ROWS, ["a", "b", "_ref"])


def test_agreement_without_the_reference_is_that_of_the_rest() -> None:
    found = agreement_by_reference(BLOCKS, "_ref", resamples=5)
    assert (found.included.inter.agreeing, found.included.inter.comparable) == (3, 5)
    assert (found.excluded.inter.agreeing, found.excluded.inter.comparable) == (1, 3)
    assert found.excluded_same_chance is not None
    assert found.excluded_same_chance.inter.p_chance == found.included.inter.p_chance
    assert found.excluded_same_chance.inter.agreeing == 1
    uniform = agreement_by_reference(BLOCKS, "_ref", chance=Chance.UNIFORM, resamples=5)
    assert uniform.excluded_same_chance is None
    with pytest.raises(ValueError, match="nobody"):
        agreement_by_reference(BLOCKS, "nobody")


def test_neighbouring_lengths_are_taken_together() -> None:
    tokens = np.array([0, 4, 5, 9])
    four, five, nine = agreement_by_length(BLOCKS, tokens, resamples=5)
    assert [(row.shortest, row.longest, row.segments) for row in (four, five, nine)] == [
        (4, 5, 2), (5, 6, 1), (9, 10, 1),
    ]  # fmt: skip
    assert (four.agreement.inter.agreeing, four.agreement.inter.comparable) == (3, 4)
    assert (five.agreement.inter.agreeing, five.agreement.inter.comparable) == (1, 1)
    assert (nine.agreement.inter.agreeing, nine.agreement.inter.comparable) == (0, 1)
    (everything,) = agreement_by_length(BLOCKS, np.array([0, 4, 4, 4]), resamples=5)
    assert everything.agreement == measure_agreement(
        BLOCKS,
        chance=Chance.UNIFORM,
        resamples=5,
    )


def test_segments_of_unknown_length_are_left_out_and_missing_ones_refused() -> None:
    (row,) = agreement_by_length(BLOCKS, np.array([0, -1, 5, -1]), width=1, resamples=5)
    assert (row.shortest, row.longest, row.segments) == (5, 5, 1)
    with pytest.raises(ValueError, match="segment 3 has no entry"):
        agreement_by_length(BLOCKS, np.array([0, 4, 5]))
    with pytest.raises(ValueError, match="width"):
        agreement_by_length(BLOCKS, np.array([0, 4, 5, 9]), width=0)


# --- Parts ----------------------------------------------------------------------------------------


def several(count: int = 240) -> Blocks:
    rng = np.random.default_rng(4)
    rows = []
    for _ in range(count):
        # Sometimes two systems have one text.
        shown: list[str | tuple[str, ...]] = ["d", "c", "b", "a"]
        if rng.random() < 0.3:
            shown = ["a", "b", ("c", "d")]
        rows.append(
            BlockRow(
                f"j{rng.integers(6)}",
                int(rng.integers(1, 30)),
                shown,
                rng.integers(1, 4, len(shown)).tolist(),
            ),
        )
    blocks = blocks_from_rows(rows, "abcd")
    return replace(blocks, document=(blocks.segment // 10).astype(np.int32))


def pairs_by_hand(blocks: Blocks, system: str) -> tuple[int, int]:
    """Return compared and agreeing pairs of different judges on items that contain a system."""
    said: defaultdict[tuple[int, frozenset[str], frozenset[str]], list[tuple[int, int]]]
    said = defaultdict(list)
    for row in range(len(blocks)):
        shown: defaultdict[int, list[str]] = defaultdict(list)
        label: dict[int, int] = {}
        for index, name in enumerate(blocks.systems):
            if blocks.labels[row, index]:
                shown[int(blocks.candidates[row, index])].append(name)
                label[int(blocks.candidates[row, index])] = int(
                    blocks.labels[row, index],
                )
        for one, other in combinations(sorted(shown, key=lambda at: shown[at]), 2):
            outcome = int(np.sign(label[one] - label[other]))
            item = (
                int(blocks.segment[row]),
                frozenset(shown[one]),
                frozenset(shown[other]),
            )
            said[item].append((int(blocks.judge[row]), outcome))
    compared = agreeing = 0
    for (_segment, one_set, other_set), outcomes in said.items():
        if system not in one_set | other_set:
            continue
        for (judge, outcome), (other_judge, other_outcome) in combinations(outcomes, 2):
            if judge != other_judge:
                compared += 1
                agreeing += outcome == other_outcome
    return compared, agreeing


BLOCKS_OF_PARTS = several()
CHANCE = 0.4
MEASURE = PartsMeasure(p_chance=CHANCE)


def counts_of(part: PartAgreement) -> tuple[int, int]:
    return part.agreement.comparable, part.agreement.agreeing


def test_agreement_by_system_is_that_of_the_comparisons_that_contain_it() -> None:
    found = agreement_by_systems(BLOCKS_OF_PARTS, 1, MEASURE)
    assert [part.part for part in found] == [("a",), ("b",), ("c",), ("d",)]
    for part in found:
        expected = pairs_by_hand(BLOCKS_OF_PARTS, str(part.part[0]))
        assert counts_of(part) == expected
        kappa = (expected[1] / expected[0] - CHANCE) / (1 - CHANCE)
        assert part.agreement.kappa == pytest.approx(kappa)
        assert part.agreement.low is not None
        assert part.agreement.high is not None
        assert part.agreement.low < kappa < part.agreement.high


def test_pairs_of_systems_of_distinct_texts_are_told_apart() -> None:
    rows = [
        BlockRow("ann", 1, ["a", "b", "c"], [1, 2, 3]),
        BlockRow("bob", 1, ["c", "b", "a"], [1, 2, 3]),
        BlockRow("ann", 2, [("a", "b"), "c"], [1, 2]),
        BlockRow("bob", 2, [("a", "b"), "c"], [1, 2]),
        BlockRow("bob", 3, ["a", "b"], [1, None]),
    ]
    found = agreement_by_systems(blocks_from_rows(rows, "abc"), 2, MEASURE)
    counts = {part.part: counts_of(part) for part in found}
    # One text of a and b is no comparison of them, and one of either with c.
    assert counts == {("a", "b"): (1, 0), ("a", "c"): (2, 1), ("b", "c"): (2, 1)}


def test_documents_and_segments_add_up_to_the_whole() -> None:
    whole = measure_agreement(BLOCKS_OF_PARTS, chance=Chance.SCOTT).inter
    assert whole.p_chance is not None
    measure = PartsMeasure(p_chance=whole.p_chance)
    segments = agreement_by_segment(BLOCKS_OF_PARTS, measure, most=1000, fewest=1)
    documents = agreement_by_document(BLOCKS_OF_PARTS, measure)
    assert [part.part for part in documents] == [(0,), (1,), (2,)]
    for parts in (segments, documents):
        assert sum(part.agreement.comparable for part in parts) == whole.comparable
        weighted = sum(
            part.agreement.comparable * part.agreement.kappa
            for part in parts
            if part.agreement.kappa is not None
        )
        assert weighted / whole.comparable == pytest.approx(whole.kappa)
    kappas = [part.agreement.kappa for part in segments]
    assert kappas == sorted(kappas, key=lambda kappa: kappa or 0)
    few = agreement_by_segment(BLOCKS_OF_PARTS, measure, most=3, fewest=100)
    assert (
        few == tuple(part for part in segments if part.agreement.comparable >= 100)[:3]
    )


def test_intervals_are_those_of_the_same_chance() -> None:
    """A fixed P(E) of the core's own gives the same interval, not in other units."""
    part = PartsMeasure(p_chance=0.36).of(["all"], BLOCKS_OF_PARTS).agreement
    own = measure_agreement(BLOCKS_OF_PARTS, chance=Chance.RANDOM_CLICKER).inter
    assert part.kappa == pytest.approx(own.kappa)
    assert part.low == pytest.approx(own.low)
    assert part.high == pytest.approx(own.high)


def test_parts_without_an_estimate_say_why() -> None:
    rows = [
        BlockRow("ann", 1, ["a", "b"], [1, 2]),
        BlockRow("bob", 2, ["a", "c"], [1, 2]),
    ]
    found = agreement_by_systems(blocks_from_rows(rows, "abc"), 2, MEASURE)
    assert {part.agreement.reason for part in found} == {NotEstimable.NO_COMPARISON}
    (lonely,) = agreement_by_segment(
        blocks_from_rows([BlockRow(name, 1, "ab", [1, 2]) for name in "xy"], "ab"),
        MEASURE,
        fewest=1,
    )
    assert (lonely.agreement.kappa, lonely.agreement.no_interval) == (
        1,
        NoInterval.TOO_FEW_JUDGES,
    )
    with pytest.raises(ValueError, match="documents"):
        agreement_by_document(BLOCKS, MEASURE)
    with pytest.raises(ValueError, match="p_chance"):
        PartsMeasure(p_chance=1)

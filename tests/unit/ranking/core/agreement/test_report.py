from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.agreement import units as agreement_counts
from ranking.core.agreement.intervals import Agreement
from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.counting.resampling import poisson_weights
from ranking.core.judged.blocks import BlockRow, blocks_from_rows

Rows = st.SearchStrategy[list[BlockRow]]
Item = tuple[int, frozenset[frozenset[str]]]
Vote = tuple[str, Item, frozenset[str] | None]


def votes(
    rows: list[BlockRow],
    excluded: frozenset[str] = frozenset(),
) -> Iterator[Vote]:
    """List judge, item and preferred output (None for a tie) of each comparison."""
    for row in rows:
        judged = [
            (frozenset(shown) - excluded, label)
            for shown, label in zip(row.candidates, row.labels, strict=True)
            if label is not None and frozenset(shown) - excluded
        ]
        for (one, first), (other, second) in combinations(judged, 2):
            winner = None if first == second else one if first < second else other
            yield row.judge, (row.segment, frozenset([one, other])), winner


def naive_counts(found: list[Vote]) -> tuple[Counter[str], Counter[str]]:
    comparable: Counter[str] = Counter()
    agreeing: Counter[str] = Counter()
    for (judge, item, winner), (judge2, item2, winner2) in combinations(found, 2):
        if item == item2 and judge != judge2:
            for who in (judge, judge2, ""):
                comparable[who] += 1
                agreeing[who] += winner == winner2
    return comparable, agreeing


def test_a_hand_worked_agreement() -> None:
    rows = [
        BlockRow("ann", 1, ["a", "b", "c"], [1, 2, 2]),
        BlockRow(
            "bob",
            1,
            ["c", "b", "a"],
            [2, 3, 1],
        ),  # agrees on ab and ac, not on bc
        BlockRow("ann", 1, ["b", "a"], [1, 2]),  # not compared with ann's own
        BlockRow("cat", 2, ["a", "b"], [1, 1]),
    ]
    blocks = blocks_from_rows(rows, "abc")
    # Ties: one of ann's four comparisons, none of bob's three, and cat's only one.
    conger = (12 * 3 / 4 / 2 + 4 * 1 / 4 + 3 * 0) / (12 + 4 + 3)
    assert inter_judge_agreement(blocks).p_chance == pytest.approx(conger)
    report = inter_judge_agreement(blocks, chance=Chance.SCOTT)
    # ab: ann twice, bob once; ac, bc: one each.
    assert (report.inter.comparable, report.inter.agreeing) == (4, 2)
    assert (report.comparisons, report.ties) == (8, 2)
    p_chance = 0.25**2 + 2 * 0.375**2
    assert report.p_chance == pytest.approx(p_chance)
    assert report.inter.kappa == pytest.approx((0.5 - p_chance) / (1 - p_chance))
    ann, bob, cat = report.judges
    assert (ann.agreement.comparable, ann.agreement.agreeing) == (4, 2)
    assert (bob.agreement.comparable, bob.agreement.agreeing) == (4, 2)
    assert (ann.blocks, ann.comparisons, ann.ties) == (2, 4, 1)
    assert cat.agreement == Agreement(
        0,
        0,
        None,
        None,
        None,
        None,
        reason="no_comparison",  # type: ignore[arg-type]
    )


def test_uniform_chance_is_one_third() -> None:
    rows = [BlockRow(judge, 1, ["a", "b"], [1, 2]) for judge in ("ann", "bob")]
    report = inter_judge_agreement(blocks_from_rows(rows, "ab"), chance=Chance.UNIFORM)
    assert report.p_chance == pytest.approx(1 / 3)
    assert report.inter.kappa == pytest.approx(1)


def test_collapsed_outputs_are_one_comparison_and_other_collapses_another_item() -> (
    None
):
    together = BlockRow("ann", 1, [("a", "b"), ("c",)], [1, 2])
    same = BlockRow("bob", 1, [("c",), ("b", "a")], [2, 1])
    other = BlockRow("cat", 1, [("a",), ("c",)], [1, 2])
    report = inter_judge_agreement(blocks_from_rows([together, same, other], "abc"))
    assert report.comparisons == 3
    assert (report.inter.comparable, report.inter.agreeing) == (1, 1)


def test_without_the_reference_a_candidate_is_the_set_of_the_others() -> None:
    rows = [
        BlockRow("ann", 1, [("a", "_ref"), ("c",)], [1, 2]),
        BlockRow("bob", 1, [("a",), ("c",), ("_ref",)], [1, 2, 1]),
    ]
    blocks = blocks_from_rows(rows, ["a", "c", "_ref"])
    assert inter_judge_agreement(blocks).inter.comparable == 0
    assert inter_judge_agreement(blocks.without(["_ref"])).inter.comparable == 1


def test_nothing_but_ties_leaves_nothing_to_agree_on_beyond_chance() -> None:
    rows = [BlockRow(judge, 1, ["a", "b"], [2, 2]) for judge in ("ann", "bob")]
    report = inter_judge_agreement(blocks_from_rows(rows, "ab"))
    assert report.inter.p_agree == 1
    assert (report.inter.kappa, report.inter.reason) == (None, "chance_is_certain")


def test_a_judge_who_shares_one_segment_has_an_interval_that_says_nothing() -> None:
    # Without that segment, in e⁻¹ = 37 % of the resamples, κ may be anything.
    rows = [BlockRow(judge, 1, ["a", "b"], [1, 2]) for judge in ("ann", "bob")]
    agreement = inter_judge_agreement(
        blocks_from_rows(rows, "ab"),
        resample="segments",
    ).inter
    assert agreement.kappa == 1
    assert agreement.low == pytest.approx(-1)  # P(A) = 0 with P(E) = 1/2
    assert agreement.high == 1


@given(data=st.data(), exclude=st.booleans())
def test_counts_equal_those_of_all_pairs_of_comparisons(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    exclude: bool,
) -> None:
    rows = data.draw(rows_strategy)
    blocks = blocks_from_rows(rows, systems)
    excluded = frozenset(["_ref"]) if exclude else frozenset()
    found = list(votes(rows, excluded))
    comparable, agreeing = naive_counts(found)
    report = inter_judge_agreement(blocks.without(excluded), resamples=3)
    assert report.comparisons == len(found)
    assert report.ties == sum(winner is None for _, _, winner in found)
    assert (report.inter.comparable, report.inter.agreeing) == (
        comparable[""],
        agreeing[""],
    )
    for row in report.judges:
        counts = (row.agreement.comparable, row.agreement.agreeing)
        assert counts == (comparable[row.judge], agreeing[row.judge])
        assert row.comparisons == sum(judge == row.judge for judge, _, _ in found)
        assert row.blocks == sum(block.judge == row.judge for block in rows)


@given(data=st.data())
def test_intervals_are_those_of_literally_repeated_segments(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    resamples, segments = 8, [1, 2, 3]
    weights = poisson_weights(
        np.array(segments, np.uint64),
        seed=4,
        resamples=resamples,
    )
    report = inter_judge_agreement(
        blocks_from_rows(rows, systems),
        resample="segments",
        resamples=resamples,
        confidence=0.5,
        seed=4,
    )
    if report.inter.kappa is None:
        return
    assert report.p_chance is not None
    lows, highs = [], []
    for resample in range(resamples):
        # Copies of a segment are segments of their own: give them numbers of their own.
        copies = [
            BlockRow(row.judge, row.segment + 10 * copy, row.candidates, row.labels)
            for row in rows
            for copy in range(int(weights[row.segment - 1, resample]))
        ]
        kappa = inter_judge_agreement(
            blocks_from_rows(copies, systems),
            resamples=1,
        ).inter.kappa
        lows.append(
            kappa if kappa is not None else -report.p_chance / (1 - report.p_chance),
        )
        highs.append(kappa if kappa is not None else 1)
    assert report.inter.low == pytest.approx(sorted(lows)[2])
    assert report.inter.high == pytest.approx(sorted(highs)[-3])


@given(data=st.data())
def test_the_segments_counted_at_a_time_change_no_bit(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    whole = inter_judge_agreement(blocks, resample="segments", resamples=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement_counts, "_BLOCKS_AT_A_TIME", 1)
        assert inter_judge_agreement(blocks, resample="segments", resamples=5) == whole


def test_many_systems_and_many_blocks_keep_items_apart() -> None:
    # More systems than fit one machine word of set bits.
    names = [f"s{i:03d}" for i in range(100)]
    rng = np.random.default_rng(3)
    rows = [
        BlockRow(
            judge=f"j{rng.integers(5)}",
            segment=int(rng.integers(1, 4)),
            candidates=[
                (names[i],)
                for i in rng.choice([0, 1, 63, 64, 65, 99], 4, replace=False)
            ],
            labels=rng.integers(1, 4, 4).tolist(),
        )
        for _ in range(60)
    ]
    comparable, agreeing = naive_counts(list(votes(rows)))
    inter = inter_judge_agreement(blocks_from_rows(rows, names), resamples=1).inter
    assert comparable[""] > 100
    assert (inter.comparable, inter.agreeing) == (comparable[""], agreeing[""])

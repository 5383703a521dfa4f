"""Comparisons one by one, with their covariates."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting.counts import (
    Layout,
    comparisons_of,
    count,
    shown_position,
    tally,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.shares import expected_wins

Rows = st.SearchStrategy[list[BlockRow]]
Drawn = Callable[[int], Blocks]


def test_counts_wins_and_ties_of_each_pair() -> None:
    rows = [
        BlockRow("j", 1, ["a", "b", "c"], [1, 2, 2]),
        BlockRow("j", 2, ["c", "b", "a"], [1, None, 3]),
    ]
    tallies = tally(blocks_from_rows(rows, "abc"))
    assert tallies.wins.tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert tallies.ties.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert (tallies.comparisons, tallies.tied) == (4, 1)


def test_counts_that_are_unpacked_are_those_of_the_tallies(drawn_blocks: Drawn) -> None:
    shards = [drawn_blocks(60).take(np.arange(60) % 2 == rest) for rest in range(2)]
    layout = Layout(len(shards[0].systems), ties=True)
    cells = np.stack([count(shard, layout) for shard in shards])
    together, alone = layout.unpack(cells), layout.unpack(cells[0])
    assert together.ties is not None
    for at, shard in enumerate(shards):
        tallies = tally(shard)
        np.testing.assert_array_equal(together.wins[at], tallies.wins)
        np.testing.assert_array_equal(together.ties[at], tallies.ties)
    np.testing.assert_array_equal(alone.ties, together.ties[0])


def test_systems_of_one_candidate_are_not_compared_with_each_other() -> None:
    tallies = tally(
        blocks_from_rows([BlockRow("j", 1, [("a", "b"), ("c",)], [1, 2])], "abc"),
    )
    assert tallies.wins.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert not tallies.ties.any()


@given(data=st.data())
def test_equals_a_plain_count_over_pairs_of_candidates(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    names = sorted(systems)
    wins = {(a, b): 0 for a in names for b in names}
    ties = dict(wins)
    for row in rows:
        judged = zip(row.candidates, row.labels, strict=True)
        labelled = [(shown, label) for shown, label in judged if label is not None]
        for (one, first), (other, second) in combinations(labelled, 2):
            for a in one:
                for b in other:
                    wins[a, b] += first < second
                    wins[b, a] += second < first
                    ties[a, b] += first == second
                    ties[b, a] += first == second
    tallies = tally(blocks_from_rows(rows, names))
    assert tallies.wins.tolist() == [[wins[a, b] for b in names] for a in names]
    assert tallies.ties.tolist() == [[ties[a, b] for b in names] for a in names]


@given(data=st.data())
def test_a_tie_changes_no_win_and_no_score(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    tie = BlockRow("j9", 9, [("anna",), ("bert",)], [3, 3])
    before, after = (
        tally(blocks_from_rows(some, systems)) for some in (rows, [*rows, tie])
    )
    assert after.tied == before.tied + 1
    np.testing.assert_array_equal(before.wins, after.wins)
    np.testing.assert_array_equal(
        expected_wins(before.wins).values,
        expected_wins(after.wins).values,
    )


@given(data=st.data(), cut=st.integers(0, 12))
def test_tallies_of_shards_add_up(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    cut: int,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    whole = tally(blocks)
    head, tail = tally(blocks.take(slice(cut))), tally(blocks.take(slice(cut, None)))
    np.testing.assert_array_equal(whole.wins, head.wins + tail.wins)
    np.testing.assert_array_equal(whole.ties, head.ties + tail.ties)


@given(data=st.data())
def test_leaving_a_system_out_leaves_the_counts_of_the_others(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    keep = [i for i, name in enumerate(blocks.systems) if name != "_ref"]
    with_it, without_it = tally(blocks), tally(blocks.without(["_ref"]))
    np.testing.assert_array_equal(with_it.wins[np.ix_(keep, keep)], without_it.wins)
    np.testing.assert_array_equal(with_it.ties[np.ix_(keep, keep)], without_it.ties)


# Of the three outputs of j's block, two are ranked alike; c and d are one output of k's.
BLOCKS = blocks_from_rows(
    [BlockRow("j", 1, [("c",), ("a",), ("b",)], [2, 1, 2]), BlockRow("k", 2, [("b",), ("c", "d"), ("a",)], [3, 1, None])], "abcd",
)  # fmt: skip


def test_comparisons_stand_in_the_order_of_the_blocks() -> None:
    found = comparisons_of(BLOCKS)
    rows = zip(
        found.block,
        found.judge,
        found.first,
        found.second,
        found.outcome,
        strict=True,
    )
    assert [tuple(int(cell) for cell in row) for row in rows] == [
        (0, 0, 0, 1, 1),
        (0, 0, 0, 2, 1),
        (0, 0, 1, 2, 0),
        (1, 1, 1, 2, -1),
        (1, 1, 1, 3, -1),
    ]
    assert found.covariates.shape == (5, 0)


def test_covariates_are_differences_between_the_two_outputs() -> None:
    found = comparisons_of(BLOCKS, shown_position(BLOCKS))
    assert found.covariates.tolist() == [[-0.5], [0.5], [1.0], [-0.5], [-0.5]]


def test_no_block_has_no_comparison() -> None:
    found = comparisons_of(BLOCKS.take(np.array([], dtype=np.int64)), np.zeros((0, 4)))
    assert (len(found.first), found.covariates.shape) == (0, (0, 1))

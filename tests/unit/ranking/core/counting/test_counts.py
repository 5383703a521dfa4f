"""Counts of blocks, of weighted blocks and of units."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting.counts import (
    Layout,
    count,
    counts_of_units,
    counts_per_block,
    effective_number,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from tests.properties import examples

Rows = st.SearchStrategy[list[BlockRow]]
Drawn = Callable[[int], Blocks]
LAYOUTS = [
    Layout(6, ties=ties, outright=outright)
    for ties in (False, True)
    for outright in (False, True)
]


@given(data=st.data())
@examples(40)
def test_counts_are_sums_of_the_cells_of_blocks(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    weights, unit = np.arange(len(blocks)) % 3, blocks.segment.astype(np.int64) % 4
    for layout in LAYOUTS:
        cells = layout.of_blocks(blocks).toarray().astype(np.int64)
        assert cells.max(initial=0) <= 1
        np.testing.assert_array_equal(count(blocks, layout), cells.sum(axis=1))
        np.testing.assert_array_equal(
            count(blocks.take(np.repeat(np.arange(len(blocks)), weights)), layout),
            cells @ weights,
        )
        np.testing.assert_array_equal(
            counts_of_units(blocks, layout, unit, 4),
            [count(blocks.take(unit == one), layout) for one in range(4)],
        )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cells_of_a_block_are_those_of_the_definition(
    drawn_blocks: Drawn,
    layout: Layout,
) -> None:
    blocks = drawn_blocks(60)
    found = layout.unpack(layout.of_blocks(blocks).toarray().T.astype(np.int64))
    for row, (labels, candidates) in enumerate(
        zip(blocks.labels, blocks.candidates, strict=True),
    ):
        for a in range(6):
            compared = [
                b
                for b in range(6)
                if labels[a] and labels[b] and candidates[a] != candidates[b]
            ]
            assert np.flatnonzero(found.wins[row, a]).tolist() == [
                b for b in compared if labels[a] < labels[b]
            ]
            if found.ties is not None:
                assert np.flatnonzero(found.ties[row, a]).tolist() == [
                    b for b in compared if labels[a] == labels[b]
                ]
            if (
                found.appearances is not None
                and found.best is not None
                and found.alone is not None
            ):
                assert found.appearances[row, a] == bool(compared)
                best = bool(compared) and all(labels[a] <= labels[b] for b in compared)
                assert found.best[row, a] == best
                assert found.alone[row, a] == (
                    best and all(labels[a] < labels[b] for b in compared)
                )


def test_units_of_equal_size_count_fully_and_others_less() -> None:
    assert effective_number(np.array([3, 3, 3])) == pytest.approx(3)
    assert effective_number(np.array([4, 1, 1])) == pytest.approx(2)
    assert effective_number(np.array([0, 0])) == 0


@pytest.mark.parametrize("ties", [True, False])
def test_comparisons_are_those_of_the_layout(
    drawn_blocks: Callable[[int], Blocks],
    ties: bool,
) -> None:
    blocks, layout = drawn_blocks(120), Layout(6, ties=ties)
    listed: npt.NDArray[np.int64] = np.asarray(layout.of_blocks(blocks).sum(axis=0))
    np.testing.assert_array_equal(counts_per_block(blocks, layout), listed)
    assert listed.any()


def test_systems_that_share_a_candidate_are_not_compared_with_each_other() -> None:
    rows = [
        BlockRow("j", 1, [["a", "b"], ["c"]], [1, 1]),
        BlockRow("j", 2, [["a"], ["b"], ["c"]], [1, 2, None]),
    ]
    blocks = blocks_from_rows(rows, "abc")
    assert counts_per_block(blocks, Layout(3, ties=True)).tolist() == [2, 1]
    assert counts_per_block(blocks, Layout(3)).tolist() == [0, 1]

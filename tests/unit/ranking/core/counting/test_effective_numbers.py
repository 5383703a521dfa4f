from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from ranking.core.counting.counts import (
    Layout,
    counts_per_block,
    effective_number,
    effective_number_of_units,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows


def test_units_of_equal_size_count_fully_and_others_less() -> None:
    assert effective_number(np.array([3, 3, 3])) == pytest.approx(3)
    assert effective_number(np.array([4, 1, 1])) == pytest.approx(2)
    assert effective_number(np.array([0, 0])) == 0


def test_a_unit_is_as_large_as_its_blocks_together() -> None:
    unit, sizes = np.array([7, 2, 7, 9]), np.array([1.0, 4.0, 3.0, 0.0])
    assert effective_number_of_units(unit, sizes) == pytest.approx(2)


@pytest.mark.parametrize("ties", [True, False])
def test_comparisons_are_those_of_the_layout(
    drawn_blocks: Callable[[int], Blocks], ties: bool
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

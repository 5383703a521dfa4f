import numpy as np
import pytest

from ranking.core.counting.counts import Layout
from ranking.core.counting.effective_numbers import (
    counts_per_block,
    effective_number,
    effective_number_of_units,
)
from ranking.core.judged.blocks import BlockRow, blocks_from_rows


def test_units_of_equal_size_count_fully_and_others_less() -> None:
    assert effective_number(np.array([3, 3, 3])) == pytest.approx(3)
    assert effective_number(np.array([4, 1, 1])) == pytest.approx(2)
    assert effective_number(np.array([0, 0])) == 0


def test_a_unit_is_as_large_as_its_blocks_together() -> None:
    unit, sizes = np.array([7, 2, 7, 9]), np.array([1.0, 4.0, 3.0, 0.0])
    assert effective_number_of_units(unit, sizes) == pytest.approx(2)


def test_systems_that_share_a_candidate_are_not_compared_with_each_other() -> None:
    rows = [
        BlockRow("j", 1, [["a", "b"], ["c"]], [1, 1]),
        BlockRow("j", 2, [["a"], ["b"], ["c"]], [1, 2, None]),
    ]
    blocks = blocks_from_rows(rows, "abc")
    assert counts_per_block(blocks, Layout(3, ties=True)).tolist() == [2, 1]
    assert counts_per_block(blocks, Layout(3)).tolist() == [0, 1]

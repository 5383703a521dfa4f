"""Comparisons one by one, with their covariates."""

import numpy as np
import pytest

from ranking.core.counting.tallies import comparisons_of, shown_position
from ranking.core.judged.blocks import BlockRow, blocks_from_rows

# Of the three outputs of j's block, two are ranked alike; c and d are one output of k's.
BLOCKS = blocks_from_rows(
    [BlockRow("j", 1, [("c",), ("a",), ("b",)], [2, 1, 2]), BlockRow("k", 2, [("b",), ("c", "d"), ("a",)], [3, 1, None])], "abcd"
)  # fmt: skip


def test_comparisons_stand_in_the_order_of_the_blocks() -> None:
    found = comparisons_of(BLOCKS)
    rows = zip(found.block, found.judge, found.first, found.second, found.outcome, strict=True)
    assert [tuple(int(cell) for cell in row) for row in rows] == [
        (0, 0, 0, 1, 1),
        (0, 0, 0, 2, 1),
        (0, 0, 1, 2, 0),
        (1, 1, 1, 2, -1),
        (1, 1, 1, 3, -1),
    ]
    assert found.covariates.shape == (5, 0)


def test_covariates_are_differences_between_the_two_outputs() -> None:
    found = comparisons_of(BLOCKS, {"position": shown_position(BLOCKS)})
    assert found.covariates.tolist() == [[-0.5], [0.5], [1.0], [-0.5], [-0.5]]


def test_no_block_has_no_comparison() -> None:
    found = comparisons_of(BLOCKS.take(np.array([], dtype=np.int64)), {"one": np.zeros((0, 4))})
    assert (len(found.first), found.covariates.shape) == (0, (0, 1))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (np.zeros((2, 3)), r"one: expected shape \(2, 4\), got \(2, 3\)"),
        (np.full((2, 4), np.nan), "one: expected a finite number"),
    ],
)
def test_covariates_without_a_number_for_each_output_are_refused(
    values: np.ndarray[tuple[int, int], np.dtype[np.float64]], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        comparisons_of(BLOCKS, {"one": values})

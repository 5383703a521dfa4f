"""Sums by group and by cell, and distinct pairs of numbers."""

import numpy as np
import pytest

from ranking.core.grouping import (
    column_sums_by_group,
    distinct_pairs,
    sums_by_cell,
    sums_by_group,
)


def test_rows_of_a_group_are_added_and_groups_without_rows_are_0() -> None:
    rows = np.array([[1, 2], [10, 20], [100, 200]])
    sums = sums_by_group(rows, np.array([2, 0, 2]), 4)
    assert sums.tolist() == [[10, 20], [0, 0], [101, 202], [0, 0]]


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_sums_keep_the_other_dimensions(shape: tuple[int, ...]) -> None:
    rows = np.ones((5, *shape))
    assert sums_by_group(rows, np.zeros(5, dtype=np.int64), 2).shape == (2, *shape)
    assert sums_by_group(rows[:0], np.zeros(0, dtype=np.int64), 2).shape == (2, *shape)


def test_floats_are_added_in_the_order_of_the_rows() -> None:
    random = np.random.default_rng(1)
    rows = random.standard_normal((1000, 3)) * 10.0 ** random.integers(-9, 9, (1000, 1))
    group = random.integers(0, 4, 1000)
    expected = np.zeros((4, 3))
    for row, number in zip(rows, group.tolist(), strict=True):
        expected[number] += row
    np.testing.assert_array_equal(sums_by_group(rows, group, 4), expected)
    np.testing.assert_array_equal(
        column_sums_by_group(rows.T, group, 4),
        expected.T,
    )


def test_masks_are_counted() -> None:
    mask = np.array([True, True, False])
    assert sums_by_group(mask, np.array([1, 1, 0]), 2).tolist() == [0, 2]


def test_distinct_pairs_are_sorted_and_found_again() -> None:
    first = np.array([3, 0, 3, 0], dtype=np.int32)
    second = np.array([1, 9, 1, 2], dtype=np.int32)
    pairs = distinct_pairs(first, second)
    assert pairs.first.tolist() == [0, 0, 3]
    assert pairs.second.tolist() == [2, 9, 1]
    assert pairs.inverse.tolist() == [2, 1, 2, 0]


def test_distinct_pairs_of_large_32_bit_numbers_do_not_overflow() -> None:
    most = np.array([2**31 - 1], dtype=np.int32)
    pairs = distinct_pairs(most, most)
    assert (pairs.first.tolist(), pairs.second.tolist()) == ([2**31 - 1], [2**31 - 1])


def test_no_pairs_are_distinct() -> None:
    empty = np.empty(0, dtype=np.int64)
    assert [len(column) for column in distinct_pairs(empty, empty)] == [0, 0, 0]


def test_a_cell_without_values_has_no_mean() -> None:
    cells = sums_by_cell(
        row=np.array([0, 0, 1]),
        column=np.array([1, 1, 0]),
        values=np.array([2.0, 4.0, 7.0]),
        shape=(2, 2),
    )
    assert cells.counts.tolist() == [[0, 2], [1, 0]]
    np.testing.assert_array_equal(cells.means, [[np.nan, 3.0], [7.0, np.nan]])

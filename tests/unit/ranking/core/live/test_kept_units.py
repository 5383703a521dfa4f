"""Counts of units and their second moments, whatever came when and however many at a time."""

import gc
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from ranking.core.live.moments import MOST_APART, UNITS_AT_A_TIME, KeptUnits

KEYS = [("bob", 2), ("ann", 3), ("cyd", 1), ("ann", 1), ("bob", 10)]


def kept(keys: list[tuple[str, int]]) -> KeptUnits:
    """Return units of which each has counts of its own, put in one by one."""
    found = KeptUnits(3)
    for key in keys:
        found.change([key], np.array([[len(key[0]), key[1], 0]]))
    return found


def test_arrays_are_the_same_whatever_came_first() -> None:
    judges = ("ann", "bob", "cyd")
    one, other = kept(KEYS).arrays(judges), kept(KEYS[::-1]).arrays(judges)
    assert one["keys"].tolist() == [[0, 1], [0, 3], [1, 2], [1, 10], [2, 1]]
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name])


@pytest.mark.parametrize("units", [1, UNITS_AT_A_TIME + 3])
def test_counts_of_other_judgments_are_added_unit_by_unit(units: int) -> None:
    keys = [("ann", number) for number in range(1, units + 1)]
    found = kept(keys[: units // 2])
    found.merge(kept(keys))
    expected = np.array([[3, key[1], 0] for key in keys])
    expected[: units // 2] *= 2
    np.testing.assert_array_equal(found.dense(keys), expected)
    np.testing.assert_array_equal(found.matrix, expected.T @ expected)


def test_a_unit_whose_counts_are_taken_away_is_gone() -> None:
    found = kept(KEYS)
    found.change(KEYS[1:], -found.dense(KEYS[1:]))
    assert found.keys() == KEYS[:1]
    np.testing.assert_array_equal(found.matrix, kept(KEYS[:1]).matrix)


def test_units_read_from_arrays_change_as_others_do() -> None:
    judges = ("ann", "bob", "cyd")
    changed, gone, new = ("ann", 3), ("cyd", 1), ("cyd", 9)
    found = {}
    for name, units in [
        ("kept", kept(KEYS)),
        ("read", KeptUnits.from_arrays(kept(KEYS).arrays(judges), judges, with_judges=True)),
    ]:
        # Twice, because what changed once is kept in another way.
        for _time in range(2):
            units.change([changed, new], np.array([[1, 0, 70_000], [0, 2, 0]]))
        units.change([gone], -units.dense([gone]))
        assert sorted(units.keys()) == sorted({*KEYS, new} - {gone})
        np.testing.assert_array_equal(units.dense([changed, gone]), [[5, 3, 140_000], [0, 0, 0]])
        found[name] = units.arrays(judges)
    for name, array in found["kept"].items():
        np.testing.assert_array_equal(found["read"][name], array)


def test_many_changed_units_are_those_that_were_counted_at_once() -> None:
    keys = [("ann", number) for number in range(1, 2 * MOST_APART + 100)]
    units, expected = KeptUnits(3), np.zeros((len(keys), 3), dtype=np.int64)
    # Each unit twice; the second time some from the arrays of all and some from arrays of their own.
    for factor in (1, 300):
        for start in range(0, len(keys), 700):
            some = slice(start, start + 700)
            added = np.array([[factor, 0, number % 5] for _name, number in keys[some]])
            units.change(keys[some], added)
            expected[some] += added
    gone = keys[::1000]
    units.change(gone, -units.dense(gone))
    expected[::1000] = 0
    np.testing.assert_array_equal(units.dense(keys), expected)
    np.testing.assert_array_equal(units.matrix, expected.T @ expected)
    assert sorted(units.keys()) == sorted(set(keys) - set(gone))
    left = units.arrays(("ann",))
    again = KeptUnits.from_arrays(left, ("ann",), with_judges=True)
    np.testing.assert_array_equal(again.dense(keys), expected)


@pytest.mark.thorough
def test_units_that_changed_one_by_one_take_hardly_more_memory_than_units_from_arrays() -> None:
    numbers = range(1, 10 * MOST_APART)
    random = np.random.default_rng(3)

    def changed() -> KeptUnits:
        units = KeptUnits(40)
        for number in numbers:
            units.change([("ann", number)], random.integers(0, 2, (1, 40)))
        return units

    arrays = changed().arrays(("ann",))
    one_by_one = bytes_of(changed)
    at_once = bytes_of(lambda: KeptUnits.from_arrays(arrays, ("ann",), with_judges=True))
    # Those that are apart are a tenth, of five times the memory.
    assert one_by_one < 1.6 * at_once


def bytes_of(make: Callable[[], KeptUnits]) -> int:
    """Return the memory that units hold."""
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        held, _peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made.keys()
    return held

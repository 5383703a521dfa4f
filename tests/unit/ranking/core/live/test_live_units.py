"""Counts of units and their second moments, whatever came when and however many at a time."""

import numpy as np

from ranking.core.live.moments import LiveUnits

KEYS = [("bob", 2), ("ann", 3), ("cyd", 1), ("ann", 1), ("bob", 10)]


def kept(keys: list[tuple[str, int]]) -> LiveUnits:
    """Return units of which each has counts of its own, put in one by one."""
    found = LiveUnits(3)
    for key in keys:
        found.change([key], np.array([[len(key[0]), key[1], 0]]))
    return found


def test_arrays_are_the_same_whatever_came_first() -> None:
    judges = ("ann", "bob", "cyd")
    one, other = kept(KEYS).arrays(judges), kept(KEYS[::-1]).arrays(judges)
    assert one["keys"].tolist() == [[0, 1], [0, 3], [1, 2], [1, 10], [2, 1]]
    np.testing.assert_equal(one, other)


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
        (
            "read",
            LiveUnits.from_arrays(kept(KEYS).arrays(judges), judges, with_judges=True),
        ),
    ]:
        for _time in range(2):
            units.change([changed, new], np.array([[1, 0, 70_000], [0, 2, 0]]))
        units.change([gone], -units.dense([gone]))
        assert sorted(units.keys()) == sorted({*KEYS, new} - {gone})
        np.testing.assert_array_equal(
            units.dense([changed, gone]),
            [[5, 3, 140_000], [0, 0, 0]],
        )
        found[name] = units.arrays(judges)
    np.testing.assert_equal(found["read"], found["kept"])

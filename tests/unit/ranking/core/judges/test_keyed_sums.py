from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.judges.keyed_sums import KeyedSums

BITS = (3, 4)
Rows = list[tuple[int, int, int]]

rows = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 15), st.integers(-2, 2)), max_size=12)


def sums(given_rows: Rows) -> KeyedSums:
    table = np.array(given_rows, dtype=np.int64).reshape(-1, 3)
    judge, key, value = table.T
    return KeyedSums.of(BITS, [judge, key], np.stack([value, 10 * value], axis=1))


def listed(found: KeyedSums) -> dict[tuple[int, int], list[int]]:
    keys = zip(*(column.tolist() for column in found.columns()), strict=True)
    return dict(zip(keys, found.values.tolist(), strict=True))


def counted(*parts: Rows) -> dict[tuple[int, int], list[int]]:
    found: Counter[tuple[int, int]] = Counter()
    for part in parts:
        for judge, key, value in part:
            found[judge, key] += value
    return {key: [value, 10 * value] for key, value in found.items() if value}


@given(rows, rows)
def test_sums_add_and_subtract_by_key_and_hold_no_zeros(one: Rows, other: Rows) -> None:
    negative = [(judge, key, -value) for judge, key, value in other]
    assert listed(sums(one)) == counted(one)
    assert listed(sums(one) + sums(other)) == counted(one, other)
    assert listed(sums(one) - sums(other)) == counted(one, negative)
    assert sums(one) + sums(other) == sums([*other, *one])
    assert sums(one) + sums(other) - sums(one) == sums(other)
    assert (sums(one) == sums(other)) is (counted(one) == counted(other))
    assert sums(one).code.tolist() == sorted(sums(one).code.tolist())
    assert sums(one).judge.tolist() == [judge for judge, _key in listed(sums(one))]


@given(rows, st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_judges_get_other_numbers_or_are_left_out(
    one: Rows, numbers: list[int], out: set[int]
) -> None:
    index = np.array([-1 if judge in out else numbers[judge] for judge in range(8)], dtype=np.int64)
    moved = [(numbers[judge], key, value) for judge, key, value in one if judge not in out]
    assert sums(one).renumbered(index) == sums(moved)
    shifted = np.array([judge - len(out) for judge in range(8)], dtype=np.int64)
    kept = [(judge - len(out), key, value) for judge, key, value in one if judge >= len(out)]
    assert sums(one).renumbered(shifted) == sums(kept)


def test_a_number_too_large_for_its_column_is_refused() -> None:
    with pytest.raises(ValueError, match="numbers from 0 to 15"):
        sums([(0, 16, 1)])
    with pytest.raises(ValueError, match="numbers from 0 to 7"):
        sums([(-1, 0, 1)])
    with pytest.raises(ValueError, match="at most 62 bits"):
        KeyedSums.empty((20, 43), 1)


def test_sums_of_other_keys_are_others() -> None:
    assert KeyedSums.empty((3, 4), 2) != KeyedSums.empty((4, 3), 2)
    assert KeyedSums.empty((3, 4), 2) != 0

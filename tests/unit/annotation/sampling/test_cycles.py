"""Cycles of blocks planned together: how far apart pairs are on the way, and at their ends."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.cycles import known_design, plan_cycle
from tests.properties import examples

Int64Array = npt.NDArray[np.int64]
keys = st.integers(0, 2**63)
#: (systems, size) for which pairs come three apart on the way: see docs/sampling.md.
DENSE = {(8, 5), (10, 5), *((n, 6) for n in range(10, 16))}


def cycle(met: Int64Array, size: int, key: int) -> list[int]:
    """Add a cycle to the counts; how far apart pairs are after each of its blocks."""
    spreads = []
    for block in plan_cycle(met.tobytes(), len(met), size, key):
        assert len(set(block)) == size
        for a, b in combinations(block, 2):
            met[a, b] += 1
            met[b, a] += 1
        spreads.append(int(np.ptp(met[np.triu_indices(len(met), 1)])))
    return spreads


@examples(20)
@given(st.integers(3, 5), st.data(), keys)
def test_pairs_are_at_most_one_apart_at_the_end_of_each_cycle_and_two_on_the_way(
    size: int,
    data: st.DataObject,
    key: int,
) -> None:
    n = data.draw(st.integers(size + 1, 24))
    met = np.zeros((n, n), dtype=np.int64)
    for number in range(4):
        spreads = cycle(met, size, key + number)
        assert spreads[-1] <= 1
        assert max(spreads) <= (3 if (n, size) in DENSE else 2)
        # A few of the laps in which each pair meets once more.
        assert known_design(n, size) or len(spreads) <= 2 + 3 * n * (n - 1) / (
            size * (size - 1)
        )


@examples(6)
@given(st.sampled_from([7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24]), keys)
def test_blocks_of_six_are_at_most_one_apart_at_the_end_of_each_cycle(
    n: int,
    key: int,
) -> None:
    met = np.zeros((n, n), dtype=np.int64)
    for number in range(3):
        spreads = cycle(met, 6, key + number)
        assert spreads[-1] <= 1
        assert max(spreads) <= (3 if (n, 6) in DENSE else 2)


@examples(20)
@given(st.sampled_from([7, 9, 13, 15, 19, 21]), keys)
def test_pair_counts_differ_by_at_most_one_if_each_pair_can_meet_once(
    n: int,
    key: int,
) -> None:
    met = np.zeros((n, n), dtype=np.int64)
    assert (
        max(spread for number in range(2) for spread in cycle(met, 3, key + number))
        <= 1
    )


@pytest.mark.parametrize(("n", "size"), [(12, 3), (15, 4), (16, 5), (20, 5)])
def test_uneven_counts_come_back_within_one(n: int, size: int) -> None:
    rng = np.random.default_rng(n)
    uneven = np.triu(rng.integers(0, 3, (n, n)), 1)
    met = uneven + uneven.T
    spreads = [cycle(met, size, number)[-1] for number in range(12)]
    assert spreads[-1] <= 1


def test_a_cycle_is_the_same_for_one_key_and_another_for_another() -> None:
    even = np.zeros((15, 15), dtype=np.int64).tobytes()
    first = plan_cycle(even, 15, 5, 1)
    plan_cycle.cache_clear()
    assert plan_cycle(even, 15, 5, 1) == first
    assert plan_cycle(even, 15, 5, 2) != first
    # A known design has its systems shuffled: two test sets do not show the same blocks.
    steiner = np.zeros((7, 7), dtype=np.int64).tobytes()
    assert len({plan_cycle(steiner, 7, 3, key) for key in range(10)}) == 10

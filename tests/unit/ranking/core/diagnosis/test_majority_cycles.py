"""Cycles of majorities: against all triples, and against the number Kendall and Babington Smith give."""

from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting.tallies import Tallies
from ranking.core.diagnosis.direct_pairs import Cycle, DirectPairs, majority_cycles


def direct(wins: list[list[int]], p: list[list[float]] | None = None) -> DirectPairs:
    n = len(wins)
    counted = np.array(wins, dtype=np.int64).reshape(n, n)
    values = np.ones((n, n)) if p is None else np.array(p)
    names = tuple("abcdefgh"[:n])
    return DirectPairs(Tallies(names, counted, np.zeros_like(counted)), values, values)


def test_the_weakest_pair_counts() -> None:
    p = [[1, 0.01, 0.2], [0.01, 1, 0.03], [0.2, 0.03, 1]]
    found = majority_cycles(direct([[0, 5, 1], [2, 0, 4], [3, 1, 0]], p))
    assert found == (Cycle(("a", "b", "c"), 0.2),)


def test_an_order_has_none() -> None:
    assert majority_cycles(direct([[0, 5, 5], [2, 0, 5], [3, 1, 0]])) == ()
    # Even pairs are no majorities.
    assert majority_cycles(direct([[0, 5, 2], [1, 0, 5], [2, 1, 0]])) == ()


@given(st.integers(3, 7), st.randoms(use_true_random=False))
def test_of_decided_pairs_as_many_as_by_the_formula(n: int, random: object) -> None:
    wins = np.zeros((n, n), dtype=np.int64)
    for a, b in combinations(range(n), 2):
        one, other = (a, b) if random.random() < 0.5 else (b, a)  # type: ignore[attr-defined]
        wins[one, other] = 1
    found = majority_cycles(direct(wins.tolist()))
    beaten = wins.sum(axis=1)
    assert len(found) == n * (n - 1) * (n - 2) // 6 - int((beaten * (beaten - 1) // 2).sum())
    names = "abcdefgh"
    brute = {
        names[a] + names[b] + names[c]
        for a, b, c in permutations(range(n), 3)
        if a < min(b, c) and wins[a, b] and wins[b, c] and wins[c, a]
    }
    assert {"".join(cycle.systems) for cycle in found} == brute

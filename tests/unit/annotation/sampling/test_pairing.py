"""The choosing kernels: what each design promises about who meets whom, and where they stand."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.choosing import (
    choose_active,
    choose_balanced,
    choose_uniform,
    order_balanced,
)
from annotation.sampling.priorities import active_priorities
from tests.properties import examples

Int64Array = npt.NDArray[np.int64]
keys = st.integers(0, 2**64 - 1)


def meet(counts: Int64Array, chosen: tuple[int, ...]) -> None:
    for i, j in combinations(chosen, 2):
        counts[i, j] += 1
        counts[j, i] += 1


def spread(counts: Int64Array) -> int:
    pairs = counts[np.triu_indices(len(counts), 1)]
    return int(pairs.max() - pairs.min())


def some_counts(n: int, seed: int, most: int = 40) -> Int64Array:
    counts = np.triu(np.random.default_rng(seed).integers(0, most, (n, n)), 1)
    return counts + counts.T


@given(st.integers(2, 12), st.data(), keys)
def test_every_design_chooses_different_eligible_systems_and_repeats_itself(
    n: int,
    data: st.DataObject,
    key: int,
) -> None:
    eligible = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n))
    size = data.draw(st.integers(0, 6))
    counts = some_counts(n, key % 1000)
    weights = counts / 40

    def choices() -> list[tuple[int, ...]]:
        return [
            choose_uniform(eligible, size, key),
            choose_balanced(counts, eligible, size, key),
            choose_active(weights, eligible, size, key),
        ]

    for chosen in choices():
        assert len(chosen) == len(set(chosen)) == min(size, len(eligible))
        assert set(chosen) <= set(eligible)
    assert choices() == choices()


@given(st.integers(0, 26), st.integers(0, 6), keys)
def test_uniform_is_the_same_compiled_and_interpreted(
    n: int,
    size: int,
    key: int,
) -> None:
    from annotation.sampling.kernels import choose_uniform as kernel

    eligible = np.arange(n)[::-1].copy()
    chosen = np.empty(min(n, size), dtype=np.int64)
    kernel(eligible, len(chosen), key, chosen)
    assert tuple(chosen.tolist()) == choose_uniform(eligible.tolist(), size, key)


@examples(30)
@given(st.integers(2, 26), st.integers(2, 6), keys)
def test_balanced_pair_counts_stay_within_a_few_and_within_one_where_it_can_be_promised(
    n: int,
    size: int,
    key: int,
) -> None:
    counts = np.zeros((n, n), dtype=np.int64)
    rng = np.random.default_rng(key)
    for _ in range(300):
        meet(counts, choose_balanced(counts, range(n), size, int(rng.integers(2**63))))
        # Seen in 3,600 runs: 4 at most in blocks of up to five, 6 in blocks of six.
        few = 4 if size <= 5 else 6
        assert spread(counts) <= (1 if size == 2 or size >= n else few)


def test_balanced_keeps_to_what_a_segment_has_and_still_evens_out() -> None:
    rng = np.random.default_rng(3)
    counts = np.zeros((12, 12), dtype=np.int64)
    for _ in range(2000):
        eligible = rng.permutation(12)[:8].tolist()
        meet(counts, choose_balanced(counts, eligible, 4, int(rng.integers(2**63))))
    assert spread(counts) <= 8  # Uniform draws of as many pairs differ by about 60.


def test_a_balanced_choice_cannot_be_bettered_by_one_exchange() -> None:
    for seed in range(100):
        counts = some_counts(9, seed, most=6)
        least = counts[np.triu_indices(9, 1)].min()

        def cost(
            block: tuple[int, ...],
            excess: Int64Array = (counts - least) ** 2,
        ) -> int:
            return sum(int(excess[i, j]) for i, j in combinations(block, 2))

        chosen = choose_balanced(counts, range(9), 4, seed)
        for out in chosen:
            for other in set(range(9)) - set(chosen):
                exchanged = tuple(
                    other if system == out else system for system in chosen
                )
                assert cost(exchanged) >= cost(chosen)


def test_active_prefers_close_and_uncertain_pairs() -> None:
    ability = np.array([2.0, 1.0, 0.95, -1.0, -2.0])
    rate = 1 / (1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis]))
    met = np.full((5, 5), 200.0)
    priority = active_priorities(rate * met, np.zeros((5, 5)), met.astype(np.int64))
    assert np.array_equal(priority, priority.T)
    assert priority[1, 2] == priority.max() == 1
    assert priority[0, 4] < 0.1

    less = met.copy()
    less[3, :] = less[:, 3] = less[4, :] = less[:, 4] = 10.0
    even = np.full((5, 5), 0.5)
    uncertain = active_priorities(even * less, np.zeros((5, 5)), less.astype(np.int64))
    assert uncertain[3, 4] == 1
    assert uncertain[0, 1] < 0.5


def test_active_design_finishes_cheapest_pairs_and_drops_separated_ones() -> None:
    def priority(wins: int, losses: int) -> float:
        """Of the first pair among four systems of which the other two met forty times, evenly."""
        counts = np.zeros((4, 4), dtype=np.int64)
        counts[0, 1], counts[1, 0], counts[2, 3], counts[3, 2] = wins, losses, 20, 20
        found = active_priorities(counts, np.zeros((4, 4)), counts + counts.T)
        return float(found[0, 1] / found[2, 3])

    undecided, nearly, told_apart = (
        priority(200, 200),
        priority(215, 185),
        priority(270, 130),
    )
    assert nearly > undecided
    assert nearly > 10 * told_apart


def test_pooled_hits_lower_a_priority_like_judged_ones() -> None:
    wins = np.full((4, 4), 20.0)
    judged = np.full((4, 4), 40, dtype=np.int64)
    waiting = judged.copy()
    waiting[0, 1] = waiting[1, 0] = 400
    before = active_priorities(wins, np.zeros((4, 4)), judged)
    after = active_priorities(wins, np.zeros((4, 4)), waiting)
    assert before[0, 1] == before[2, 3] == 1
    assert after[0, 1] < after[2, 3] == 1


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_relabelling_systems_permutes_priorities(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins, ties = rng.integers(0, 50, (n, n)), some_counts(n, seed, most=9)
    planned = wins + wins.T + ties
    order = rng.permutation(n)
    square = np.ix_(order, order)
    np.testing.assert_allclose(
        active_priorities(wins[square], ties[square], planned[square]),
        active_priorities(wins, ties, planned)[square],
        atol=1e-6,
    )


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_priorities_are_finite_however_lopsided_the_wins(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = np.triu(rng.integers(0, 10**6, (n, n)), 1)
    priority = active_priorities(wins, np.zeros((n, n)), wins + wins.T)
    assert np.isfinite(priority).all()
    assert priority.min() >= 0
    assert priority.max() == 1


def test_active_design_follows_priority_and_shows_every_system() -> None:
    weights = np.full((10, 10), 0.02)
    weights[:3, :3] = 1.0
    counts = np.zeros((10, 10), dtype=np.int64)
    for key in range(3000):
        meet(
            counts,
            choose_active(weights, range(10), 2, key * 0x9E3779B97F4A7C15 % 2**64),
        )
    pairs = counts[np.triu_indices(10, 1)]
    assert pairs.min() > 0
    # Three pairs of weight 1 and 42 of weight 0.02.
    share = counts[:3, :3].sum() / counts.sum()
    assert share == pytest.approx(3 / (3 + 42 * 0.02), abs=0.04)


@examples(30)
@given(st.integers(2, 20), st.integers(2, 6), keys)
def test_every_system_stands_equally_often_in_every_position(
    n: int,
    size: int,
    key: int,
) -> None:
    rng = np.random.default_rng(key)
    positions = np.zeros((n, 26), dtype=np.int64)
    for _ in range(200):
        chosen = choose_uniform(range(n), size, int(rng.integers(2**63)))
        shown = order_balanced(chosen, positions, int(rng.integers(2**63)))
        assert sorted(shown) == sorted(chosen)
        positions[list(shown), range(len(shown))] += 1
    used = positions[:, : min(n, size)]
    assert (used.max(axis=1) - used.min(axis=1)).max() <= 3


def test_the_order_of_equals_is_up_to_chance() -> None:
    first = np.zeros(4)
    nothing = np.zeros((4, 26), dtype=np.int64)
    rng = np.random.default_rng(5)
    for _ in range(4000):
        first[order_balanced([0, 1, 2, 3], nothing, int(rng.integers(2**63)))[0]] += 1
    assert np.abs(first - 1000).max() < 4 * np.sqrt(4000 * 3 / 16)


@given(st.integers(2, 12), keys)
def test_pairs_are_chosen_as_by_the_kernel(n: int, key: int) -> None:
    from annotation.sampling.kernels import choose_balanced as kernel

    counts, chosen = some_counts(n, key % 1000, most=3), np.empty(2, dtype=np.int64)
    kernel(counts, np.arange(n), 2, key, chosen)
    assert choose_balanced(counts, range(n), 2, key) == tuple(chosen)

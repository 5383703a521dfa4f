"""The forecast of pairs and clusters: its intervals hold, and it knows what was judged."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.core.simulation.budget_curve import budget_curve
from ranking.core.simulation.expected_curve import expected_significant_pairs
from ranking.core.simulation.measures import clusters_at, sign_test_ranges, significant_pairs
from ranking.core.simulation.model import Model, simulate_wins


@settings(max_examples=30, deadline=None)
@given(
    systems=st.integers(2, 9),
    per_block=st.integers(2, 6),
    judged=st.integers(0, 60),
    seed=st.integers(0, 1000),
)
def test_numbers_stay_within_what_there_is_and_the_interval_holds_what_is_expected(
    systems: int, per_block: int, judged: int, seed: int
) -> None:
    wins = np.random.default_rng(seed).integers(0, judged + 1, (systems, systems))
    np.fill_diagonal(wins, 0)
    curve = budget_curve(
        np.linspace(0, 5000, 6), systems=systems, per_block=per_block, wins=wins, experiments=40
    )
    pairs = systems * (systems - 1) / 2
    for value, low, high, least, most in (
        (curve.pairs, curve.pairs_low, curve.pairs_high, 0, pairs),
        (curve.clusters, curve.clusters_low, curve.clusters_high, 1, systems),
    ):
        assert np.all((least <= low) & (low <= high) & (high <= most))
        assert np.all((low - 1e-9 <= value) & (value <= high + 1e-9) | (low == high) | (value > 0))


def test_without_more_judgments_it_says_what_is_so_now() -> None:
    found = simulate_wins(Model(systems=6, noise=6), blocks=[300], seed=1, experiment=0)
    curve = budget_curve([0, 3000], systems=6, per_block=5, wins=found.wins[0])
    now = round(15 * float(significant_pairs(found.wins[0])))
    clusters = int(clusters_at(sign_test_ranges(found.wins)).max())
    assert curve.pairs.tolist() == curve.pairs_low.tolist() == [now, now]
    assert curve.clusters_high.tolist() == [clusters, clusters]


def test_before_the_first_judgment_it_is_the_expected_curve() -> None:
    """A second implementation: the expectation in closed form, averaged over the noises."""
    comparisons = np.array([2_000, 10_000, 40_000])
    curve = budget_curve(
        comparisons / 0.83, systems=8, per_block=5, experiments=2000, share_with_equals=0
    )
    noises = np.exp(np.linspace(np.log(4), np.log(12), 9))
    expected = np.mean(
        [
            expected_significant_pairs(Model(systems=8, noise=noise), comparisons)
            for noise in noises
        ],
        axis=0,
    )
    assert curve.pairs / 28 == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("start", [0, 300])
def test_intervals_hold_what_comes(start: int) -> None:
    """95 % are promised; 80 simulated campaigns of which fewer than 88 % are held would be a miss."""
    random = np.random.default_rng(3)
    held = []
    for experiment in range(80):
        noise = float(np.exp(random.uniform(np.log(4), np.log(12))))
        blocks = [each for each in (start, 1500) if each]
        found = simulate_wins(
            Model(systems=7, noise=noise), blocks=blocks, seed=11, experiment=experiment
        )
        curve = budget_curve(
            [15_000 if start else 15_000 / 0.83],
            systems=7,
            per_block=5,
            wins=found.wins[0] if start else None,
        )
        pairs = round(21 * float(significant_pairs(found.wins[-1])))
        clusters = int(clusters_at(sign_test_ranges(found.wins[-1:])).max())
        held.append(
            (
                curve.pairs_low[0] <= pairs <= curve.pairs_high[0],
                curve.clusters_low[0] <= clusters <= curve.clusters_high[0],
            )
        )
    assert np.all(np.mean(held, axis=0) >= 0.88)


def test_it_is_the_same_again_and_refuses_nonsense() -> None:
    first, again = (budget_curve([100, 900], systems=5, per_block=3) for _ in range(2))
    assert first.pairs.tolist() == again.pairs.tolist()
    with pytest.raises(ValueError, match="at least 2"):
        budget_curve([1], systems=1, per_block=5)
    with pytest.raises(ValueError, match="ascending"):
        budget_curve([2, 1], systems=3, per_block=5)

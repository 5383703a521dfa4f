"""Groups of equally good systems: the sum over partitions, by hand and by listing them.

The forecast of pairs and clusters: its intervals hold, and it knows what was judged.
"""

from itertools import combinations
from math import comb, factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from annotation.sampling.priorities import active_priorities_of_many
from ranking.core.ranges import clusters as clusters_of
from ranking.core.simulation.budget_curve import (
    ActiveDraw,
    GroupsPosterior,
    budget_curve,
)
from ranking.core.simulation.measures import sign_test_ranges, significant_pairs
from ranking.core.simulation.model import Model, simulate_wins
from ranking.reports.design_study.study import ComparedDesign, SimulatedCampaign
from tests.properties import examples
from tests.some_now import some_now
from tests.unit.ranking.core.simulation.koehn import expected_significant_pairs


def listed(
    estimate: list[float],
    variance: list[float],
    spread: float,
) -> dict[int, float]:
    """The posterior of the number of groups, from every partition of the ordered systems into runs."""
    n = len(estimate)
    order = np.argsort(estimate)
    at, error = np.array(estimate)[order], np.array(variance)[order]
    found = {}
    for groups in range(1, n + 1):
        total = 0.0
        for cuts in combinations(range(1, n), groups - 1):
            group = np.searchsorted(cuts, np.arange(n), side="right")
            same = (group[:, np.newaxis] == group) * spread**2
            density = multivariate_normal(np.zeros(n), same + np.diag(error)).pdf(at)
            sizes = prod(factorial(int(size)) for size in np.bincount(group))
            total += float(density) * sizes
        prior = 0.5 / n + (0.5 if groups == n else 0)
        found[groups] = (
            prior * factorial(groups) / comb(n - 1, groups - 1) / factorial(n) * total
        )
    return {groups: weight / sum(found.values()) for groups, weight in found.items()}


@pytest.mark.parametrize(
    "estimate",
    [[0.0, 0.1, 1.0, 1.1], [0.5, -0.5, 0.45, -0.4, 0.0], [0.2, 0.2, 0.2]],
)
def test_the_chances_of_each_number_of_groups_are_those_of_all_partitions(
    estimate: list[float],
) -> None:
    variance = [0.01 + 0.01 * number for number in range(len(estimate))]
    posterior = GroupsPosterior(
        np.array(estimate),
        np.array(variance),
        np.array([0.7]),
        share_with_equals=0.5,
    )
    drawn = posterior.draw(4000, np.random.default_rng(2))
    counted = [len(np.unique(row)) for row in drawn]
    for groups, chance in listed(estimate, variance, 0.7).items():
        assert np.mean([count == groups for count in counted]) == pytest.approx(
            chance,
            abs=0.03,
        )


def test_surely_different_systems_stay_different_and_keep_their_places() -> None:
    estimate = np.array([2.0, -2.0, 0.0])
    posterior = GroupsPosterior(
        estimate,
        np.full(3, 1e-4),
        np.array([0.5, 1.0]),
        share_with_equals=0.5,
    )
    drawn = posterior.draw(200, np.random.default_rng(1))
    assert np.allclose(drawn, estimate, atol=0.1)


@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_so_many_groups_as_are_asked_for_are_drawn(groups: int, share: float) -> None:
    posterior = GroupsPosterior(
        np.array([0.3, -0.2, 0.0, 0.1]),
        np.full(4, 0.04),
        np.array([0.1, 0.5]),
        share_with_equals=share,
    )
    assert posterior.is_possible(groups, odds=100)
    drawn = posterior.draw(50, np.random.default_rng(1), groups=groups)
    assert {len(set(row)) for row in drawn.tolist()} == {groups}


def test_number_of_groups_excluded_by_estimates_is_impossible() -> None:
    apart = GroupsPosterior(
        np.array([-2.0, 0.0, 2.0]),
        np.full(3, 0.01),
        np.array([1.0]),
        share_with_equals=0.5,
    )
    assert [apart.is_possible(groups, odds=100) for groups in (1, 2, 3)] == [
        False,
        False,
        True,
    ]
    near = GroupsPosterior(
        np.array([-0.1, 0.0, 0.1]),
        np.full(3, 0.04),
        np.array([1.0]),
        share_with_equals=0.5,
    )
    assert [near.is_possible(groups, odds=100) for groups in (1, 2, 3)] == [
        True,
        True,
        True,
    ]


def test_all_different_are_drawn_as_far_apart_as_the_estimates_allow() -> None:
    spreads = np.array([0.2, 0.5, 1.0, 5.0])
    posterior = GroupsPosterior(
        np.linspace(-0.8, 0.8, 8),
        np.full(8, 0.5),
        spreads,
        share_with_equals=0.5,
    )
    narrow, wide = (
        posterior.draw(4000, np.random.default_rng(2), groups=8, odds=odds)
        .std(axis=1)
        .mean()
        for odds in (1.0, 20.0)
    )
    assert wide > 1.2 * narrow


@examples(30)
@given(
    systems=st.integers(2, 9),
    per_block=st.integers(2, 6),
    judged=st.integers(0, 60),
    seed=st.integers(0, 1000),
)
def test_numbers_stay_within_what_there_is_and_the_interval_holds_what_is_expected(
    systems: int,
    per_block: int,
    judged: int,
    seed: int,
) -> None:
    wins = np.random.default_rng(seed).integers(0, judged + 1, (systems, systems))
    np.fill_diagonal(wins, 0)
    curve = budget_curve(
        np.linspace(0, 5000, 6),
        systems=systems,
        per_block=per_block,
        wins=wins,
        experiments=40,
    )
    pairs = systems * (systems - 1) / 2
    for value, low, high, least, most in (
        (curve.pairs, curve.pairs_low, curve.pairs_high, 0, pairs),
        (curve.clusters, curve.clusters_low, curve.clusters_high, 1, systems),
    ):
        assert np.all((least <= low) & (low <= high) & (high <= most))
        assert np.all(
            (low - 1e-9 <= value) & (value <= high + 1e-9)
            | (low == high)
            | (value > 0),
        )


def test_without_more_judgments_it_says_what_is_so_now() -> None:
    found = simulate_wins(Model(systems=6, noise=6), blocks=[300], seed=1, experiment=0)
    curve = budget_curve([0, 3000], systems=6, per_block=5, wins=found.wins[0])
    now = round(15 * float(significant_pairs(found.wins[0])))
    clusters = int(clusters_of(sign_test_ranges(found.wins)).max())
    assert curve.pairs.tolist() == curve.pairs_low.tolist() == [now, now]
    assert curve.clusters_high.tolist() == [clusters, clusters]


def test_before_the_first_judgment_it_is_the_expected_curve() -> None:
    """A second implementation: the expectation in closed form, averaged over the noises."""
    comparisons = np.array([2_000, 10_000, 40_000])
    curve = budget_curve(
        comparisons / 0.83,
        systems=8,
        per_block=5,
        experiments=2000,
        share_with_equals=0,
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


@pytest.mark.parametrize("start", [0, pytest.param(300, marks=pytest.mark.thorough)])
def test_intervals_hold_what_comes(start: int) -> None:
    """95 % are promised; 80 simulated campaigns of which fewer than 88 % are held would be a miss."""
    random = np.random.default_rng(3)
    held = []
    for experiment in range(80):
        noise = float(np.exp(random.uniform(np.log(4), np.log(12))))
        blocks = [each for each in (start, 1500) if each]
        found = simulate_wins(
            Model(systems=7, noise=noise),
            blocks=blocks,
            seed=11,
            experiment=experiment,
        )
        curve = budget_curve(
            [15_000 if start else 15_000 / 0.83],
            systems=7,
            per_block=5,
            wins=found.wins[0] if start else None,
        )
        pairs = round(21 * float(significant_pairs(found.wins[-1])))
        clusters = int(clusters_of(sign_test_ranges(found.wins[-1:])).max())
        held.append(
            (
                curve.pairs_low[0] <= pairs <= curve.pairs_high[0],
                curve.clusters_low[0] <= clusters <= curve.clusters_high[0],
            ),
        )
    assert np.all(np.mean(held, axis=0) >= 0.88)


@pytest.mark.parametrize(
    ("groups", "start"),
    some_now([(1, 0), (1, 200), (2, 200), (1, 1000)]),
)
def test_intervals_hold_where_systems_are_equally_good(groups: int, start: int) -> None:
    """They are one case of many, at whose end an interval of all cases together left them out: 0.73 of 60 held."""
    held = []
    for experiment in range(60):
        noise = float(
            np.exp(np.random.default_rng(experiment).uniform(np.log(4), np.log(12))),
        )
        found = simulate_wins(
            Model(systems=12, noise=noise, groups=groups),
            blocks=[each for each in (start, 2000) if each],
            seed=13,
            experiment=experiment,
        )
        curve = budget_curve(
            [20_000 if start else 20_000 / 0.83],
            systems=12,
            per_block=5,
            wins=found.wins[0] if start else None,
        )
        pairs = round(66 * float(significant_pairs(found.wins[-1])))
        held.append(curve.pairs_low[0] <= pairs <= curve.pairs_high[0])
    assert np.mean(held) >= 0.9


def test_excluded_possibilities_do_not_widen_an_interval() -> None:
    """Ten thousand comparisons of systems far apart: they are not equal, and nothing near that is to come."""
    found = simulate_wins(
        Model(systems=6, noise=4),
        blocks=[1000],
        seed=1,
        experiment=0,
    )
    now = round(15 * float(significant_pairs(found.wins[0])))
    curve = budget_curve([12_000], systems=6, per_block=5, wins=found.wins[0])
    assert now >= 12
    assert curve.pairs_low[0] >= now - 2


ACTIVE = ActiveDraw(active_priorities_of_many, floor=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("start", [0, pytest.param(200, marks=pytest.mark.thorough)])
def test_intervals_of_an_active_design_cover_the_outcome(start: int) -> None:
    """Blocks are chosen by the draw of campaigns; as if balanced, a third of these intervals miss."""
    held, errors = [], []
    for experiment in range(25):
        campaign = SimulatedCampaign(
            Model(systems=12, noise=6),
            ComparedDesign.ACTIVE,
            seed=9,
            experiment=experiment,
        )
        wins = None
        for until in [start, 2000] if start else [2000]:
            while campaign.blocks < until:
                campaign.simulate_until(
                    min(until, campaign.blocks + 10 + campaign.blocks // 10),
                )
            wins = campaign.wins.copy() if until < 2000 else wins
        pairs = round(66 * float(significant_pairs(campaign.wins)))
        curve, even = (
            budget_curve(
                [20_000 if start else 20_000 / 0.83],
                systems=12,
                per_block=5,
                wins=wins,
                active=active,
            )
            for active in (ACTIVE, None)
        )
        held.append(curve.pairs_low[0] <= pairs <= curve.pairs_high[0])
        errors.append((curve.pairs[0] - pairs, even.pairs[0] - pairs))
    assert np.mean(held) >= 0.88
    active_error, even_error = np.abs(np.mean(errors, axis=0))
    if start:
        assert active_error < even_error


def test_an_active_design_gives_all_comparisons_away() -> None:
    """Nothing more to judge changes nothing, and two systems meet always: there is nothing to choose."""
    found = simulate_wins(Model(systems=2, noise=6), blocks=[50], seed=1, experiment=0)
    counts = np.linspace(0, 3000, 7)
    given = {"systems": 2, "per_block": 5, "wins": found.wins[0]}
    active, even = (
        budget_curve(counts, **given, active=draw) for draw in (ACTIVE, None)
    )
    assert active.pairs[0] == even.pairs[0]
    assert active.pairs[-1] == pytest.approx(even.pairs[-1], abs=0.15)


def test_budget_curve_is_reproducible_and_refuses_invalid_sizes() -> None:
    first, again = (budget_curve([100, 900], systems=5, per_block=3) for _ in range(2))
    assert first.pairs.tolist() == again.pairs.tolist()
    with pytest.raises(ValueError, match="at least 2"):
        budget_curve([1], systems=1, per_block=5)
    with pytest.raises(ValueError, match="ascending"):
        budget_curve([2, 1], systems=3, per_block=5)

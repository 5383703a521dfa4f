"""Groups of equally good systems: the sum over partitions, by hand and by listing them."""

from itertools import combinations
from math import comb, factorial, prod

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from ranking.core.simulation.budget_curve import GroupsPosterior


def listed(estimate: list[float], variance: list[float], spread: float) -> dict[int, float]:
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
        found[groups] = prior * factorial(groups) / comb(n - 1, groups - 1) / factorial(n) * total
    return {groups: weight / sum(found.values()) for groups, weight in found.items()}


@pytest.mark.parametrize(
    "estimate", [[0.0, 0.1, 1.0, 1.1], [0.5, -0.5, 0.45, -0.4, 0.0], [0.2, 0.2, 0.2]]
)
def test_the_chances_of_each_number_of_groups_are_those_of_all_partitions(
    estimate: list[float],
) -> None:
    variance = [0.01 + 0.01 * number for number in range(len(estimate))]
    posterior = GroupsPosterior(
        np.array(estimate), np.array(variance), np.array([0.7]), share_with_equals=0.5
    )
    drawn = posterior.draw(4000, np.random.default_rng(2))
    counted = [len(np.unique(row)) for row in drawn]
    for groups, chance in listed(estimate, variance, 0.7).items():
        assert np.mean([count == groups for count in counted]) == pytest.approx(chance, abs=0.03)


def test_surely_different_systems_stay_different_and_keep_their_places() -> None:
    estimate = np.array([2.0, -2.0, 0.0])
    posterior = GroupsPosterior(
        estimate, np.full(3, 1e-4), np.array([0.5, 1.0]), share_with_equals=0.5
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


def test_what_the_estimates_rule_out_is_not_possible() -> None:
    apart = GroupsPosterior(
        np.array([-2.0, 0.0, 2.0]), np.full(3, 0.01), np.array([1.0]), share_with_equals=0.5
    )
    assert [apart.is_possible(groups, odds=100) for groups in (1, 2, 3)] == [False, False, True]
    near = GroupsPosterior(
        np.array([-0.1, 0.0, 0.1]), np.full(3, 0.04), np.array([1.0]), share_with_equals=0.5
    )
    assert [near.is_possible(groups, odds=100) for groups in (1, 2, 3)] == [True, True, True]


def test_all_different_are_drawn_as_far_apart_as_the_estimates_allow() -> None:
    spreads = np.array([0.2, 0.5, 1.0, 5.0])
    posterior = GroupsPosterior(
        np.linspace(-0.8, 0.8, 8), np.full(8, 0.5), spreads, share_with_equals=0.5
    )
    narrow, wide = (
        posterior.draw(4000, np.random.default_rng(2), groups=8, odds=odds).std(axis=1).mean()
        for odds in (1.0, 20.0)
    )
    assert wide > 1.2 * narrow

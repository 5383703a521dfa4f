"""Relative ability against direct optimisation, direct integration and simulation."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, stats

from ranking.core.counting.counts import Counts, tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.hopkins_may import (
    NOISE,
    effective_draws,
    hopkins_may,
    outcome_chances,
    posterior_modes,
    scores,
    split_rhat,
)
from ranking.core.methods.method import Fit
from ranking.core.scores import NotEstimable

ABILITIES = np.array([0.6, 0.2, 0.0, -0.1, -0.7])
NAMES = "abcde"


def judged(comparisons: int, *, radius: float = 0.4, seed: int = 1) -> Blocks:
    """Draw comparisons from the model, one a block."""
    rng = np.random.default_rng(seed)
    rows = []
    for segment in range(1, comparisons + 1):
        i, j = rng.choice(len(ABILITIES), 2, replace=False)
        seen = ABILITIES[i] - ABILITIES[j] + rng.normal(0, NOISE)
        labels = [2, 2] if abs(seen) < radius else [1, 2] if seen > 0 else [2, 1]
        rows.append(BlockRow("j", segment, [(NAMES[i],), (NAMES[j],)], labels))
    return blocks_from_rows(rows, NAMES)


def minus_log_posterior(
    theta: npt.NDArray[np.float64],
    wins: npt.NDArray[np.int64],
    ties: npt.NDArray[np.int64],
) -> float:
    mu, radius = theta[:-1], theta[-1]
    total = 0.5 * float(mu @ mu)
    for i in range(len(mu)):
        for j in range(len(mu)):
            delta, r = (mu[i] - mu[j]) / NOISE, radius / NOISE
            total -= wins[i, j] * stats.norm.logcdf(delta - r)
            if j < i and ties[i, j]:
                chance = stats.norm.cdf(r - delta) - stats.norm.cdf(-r - delta)
                total -= ties[i, j] * math.log(chance)
    return total


@pytest.mark.parametrize("radius", [None, 0.5])
def test_the_collapsed_estimate_is_the_mode(radius: float | None) -> None:
    tallies = tally(judged(300))
    found = posterior_modes(tallies.wins[np.newaxis], tallies.ties[np.newaxis], radius)
    start = np.append(np.zeros(5), radius or 0.3)
    bounds = [(-5.0, 5.0)] * 5 + [(radius or 0.01, radius or 5.0)]
    direct = optimize.minimize(
        minus_log_posterior,
        start,
        args=(tallies.wins, tallies.ties),
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    assert found.converged.all()
    assert found.mu[0] == pytest.approx(direct.x[:5], abs=1e-5)
    assert found.radius[0] == pytest.approx(direct.x[5], abs=1e-5)


def test_the_information_is_the_curvature() -> None:
    tallies = tally(judged(300))
    found = posterior_modes(tallies.wins[np.newaxis], tallies.ties[np.newaxis], None)
    mode = np.append(found.mu[0], found.radius[0])

    def gradient(theta: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return optimize.approx_fprime(
            theta,
            minus_log_posterior,
            1e-5,
            tallies.wins,
            tallies.ties,
        )

    numeric = np.array(
        [gradient(mode + 1e-3 * e) - gradient(mode - 1e-3 * e) for e in np.eye(6)],
    )
    assert found.information[0] == pytest.approx(numeric / 2e-3, rel=2e-2, abs=0.05)


def mu_and_sigma(fit: Fit) -> npt.NDArray[np.float64]:
    return np.stack([fit.scores.values, [*fit.extra["posterior_sd"].values()]])


def test_abilities_and_radius_are_recovered() -> None:
    blocks = judged(20_000)
    ability = hopkins_may(blocks)
    mu, sigma_of = mu_and_sigma(ability)
    truth = ABILITIES - ABILITIES.mean()
    assert np.abs((mu - truth) / sigma_of).max() < 3.5
    radius, sigma = ability.extra["radius"], ability.extra["radius_sigma"]
    assert isinstance(radius, float)
    assert isinstance(sigma, float)
    assert abs(radius - 0.4) < 3.5 * sigma
    assert mu.sum() == pytest.approx(0, abs=1e-9)


def test_draws_agree_with_the_mode_where_data_are_many() -> None:
    blocks = judged(2000)
    mode, drawn = hopkins_may(blocks), hopkins_may(blocks, inference="gibbs")
    assert drawn.extra["problem"] is None
    (mu, sigma_of), (drawn_mu, drawn_sigma) = mu_and_sigma(mode), mu_and_sigma(drawn)
    # 400 effective draws know a mean to 0.05 σ, and σ itself to 4 %.
    assert np.abs((drawn_mu - mu) / sigma_of).max() < 0.2
    assert drawn_sigma == pytest.approx(sigma_of, rel=0.15)
    radius, sigma = mode.extra["radius"], mode.extra["radius_sigma"]
    assert isinstance(sigma, float)
    assert drawn.extra["radius"] == pytest.approx(radius, abs=0.2 * sigma)


def test_draws_are_exact_where_data_are_few() -> None:
    outcomes = [(1, 2)] * 4 + [(2, 1)] + [(1, 1)]
    rows = [
        BlockRow("j", k, [("a",), ("b",)], labels) for k, labels in enumerate(outcomes)
    ]
    drawn = hopkins_may(blocks_from_rows(rows, "ab"), inference="gibbs", radius=0.5)
    [mu, _other], [sigma, _] = mu_and_sigma(drawn)
    # Half the difference of two abilities is N(0, 1/2) beforehand; integrate over it directly.
    half = np.linspace(-4, 4, 4001)
    z, r = 2 * half / NOISE, 0.5 / NOISE
    weight = stats.norm.pdf(half, scale=math.sqrt(0.5))
    weight *= stats.norm.cdf(z - r) ** 4 * stats.norm.cdf(-z - r)
    weight *= stats.norm.cdf(r - z) - stats.norm.cdf(-r - z)
    mean = (half * weight).sum() / weight.sum()
    deviation = math.sqrt(((half - mean) ** 2 * weight).sum() / weight.sum())
    effective = drawn.extra["effective_draws"]
    assert isinstance(effective, float)
    assert abs(mu - mean) < 4 * deviation / math.sqrt(effective)
    assert sigma == pytest.approx(deviation, rel=0.12)


def test_unconverged_fit_raises_without_an_iterate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = judged(200)
    monkeypatch.setattr("ranking.core.methods.hopkins_may._MOST_SWEEPS", 8)
    drawn = hopkins_may(blocks, inference="gibbs")
    assert drawn.extra["problem"] == NotEstimable.NOT_CONVERGED
    assert np.isnan(drawn.scores.values).all()
    assert not drawn.scores.estimable.any()
    assert set(drawn.reasons.values()) == {NotEstimable.NOT_CONVERGED}
    assert drawn.extra["sweeps"] == 8
    monkeypatch.setattr("ranking.core.methods.hopkins_may._MAX_STEPS", 1)
    assert hopkins_may(blocks).extra["problem"] == NotEstimable.NOT_CONVERGED


def test_a_chain_is_a_function_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ranking.core.methods.hopkins_may.RHAT_LIMIT", 9.0)
    monkeypatch.setattr("ranking.core.methods.hopkins_may.MIN_EFFECTIVE_DRAWS", 0)
    drawn = [
        hopkins_may(judged(100), inference="gibbs", seed=seed).scores.values
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_without_ties_the_radius_is_0_and_with_nothing_else_infinite() -> None:
    rows = [BlockRow("j", k, [("a",), ("b",)], [1, 2 + k]) for k in (1, 2)]
    won = hopkins_may(blocks_from_rows(rows, "ab"))
    assert won.extra["radius"] == 0
    assert won.extra["radius_fitted"] is False
    assert (
        0 < won.scores.values[0] < 2
    )  # won every time, and still finite: the prior holds it
    rows = [BlockRow("j", 1, [("a",), ("b",)], [1, 1])]
    tied = blocks_from_rows(rows, "ab")
    assert hopkins_may(tied).extra["problem"] == NotEstimable.ONLY_TIES
    assert not hopkins_may(tied).scores.estimable.any()
    assert hopkins_may(tied, radius=0.5).scores.values == pytest.approx(
        [0, 0],
        abs=1e-9,
    )
    with pytest.raises(ValueError, match="radius of 0"):
        hopkins_may(tied, radius=0)


def test_system_without_comparisons_is_not_estimable() -> None:
    rows = [
        BlockRow("j", 1, [("b",), ("c",)], [1, 2]),
        BlockRow("j", 1, [("d",), ("e",)], [1, 2]),
        BlockRow("j", 1, [("a",), ("b",)], [None, 2]),
    ]
    found = hopkins_may(blocks_from_rows(rows, NAMES))
    assert found.scores.estimable.tolist() == [False, True, True, True, True]
    assert np.isnan(found.scores.values[0])
    assert found.extra["groups"] == 2
    nothing = hopkins_may(blocks_from_rows([], NAMES))
    assert nothing.extra["problem"] == NotEstimable.NO_COMPARISON


@pytest.mark.parametrize("inference", ["collapsed", "gibbs"])
def test_relabelling_systems_permutes_abilities(inference: str) -> None:
    blocks = judged(300)
    turned = replace(
        blocks,
        systems=("v", "w", "x", "y", "z"),
        labels=np.ascontiguousarray(blocks.labels[:, ::-1]),
        candidates=np.ascontiguousarray(blocks.candidates[:, ::-1]),
    )
    expected = hopkins_may(blocks, inference=inference).scores.values  # type: ignore[arg-type]
    found = hopkins_may(turned, inference=inference).scores.values[::-1]  # type: ignore[arg-type]
    assert found == pytest.approx(expected, abs=1e-9)


def test_scores_of_counts_are_those_of_each_resample() -> None:
    blocks = judged(300)
    rng = np.random.default_rng(2)
    weights = rng.poisson(1, (3, len(blocks))).astype(np.int16)
    resamples = [
        blocks.take(np.repeat(np.arange(len(blocks)), each)) for each in weights
    ]
    singles = [hopkins_may(each).scores.values for each in resamples]
    tallied = [tally(each) for each in resamples]
    wins, ties = (
        np.stack([getattr(each, c) for each in tallied]) for c in ("wins", "ties")
    )
    assert scores(Counts(wins, ties)).values == pytest.approx(
        np.stack(singles),
        abs=1e-9,
    )
    ties[1], wins[1] = ties[1] + wins[1] + wins[1].T, 0
    assert scores(Counts(wins, ties)).estimable.any(axis=1).tolist() == [
        True,
        False,
        True,
    ]


def test_the_mode_is_found_from_one_comparison_to_a_hundred_million() -> None:
    rng = np.random.default_rng(3)
    for size in 10 ** np.arange(9):
        wins = rng.poisson(size * rng.random((50, 8, 8)) ** 3)
        ties = np.triu(rng.poisson(0.2 * size, (50, 8, 8)), 1)
        wins[:, range(8), range(8)] = 0
        ties = ties + ties.swapaxes(1, 2)
        found = posterior_modes(wins, ties, None)
        assert found.converged.all(), size


def test_chances_add_up_and_even_systems_tie_by_the_radius() -> None:
    chances = outcome_chances(np.array([0.0, 0.0, 1.0]), 0.5 * NOISE)
    assert chances.sum(axis=0) == pytest.approx(np.ones((3, 3)))
    assert chances[1, 0, 1] == pytest.approx(2 * stats.norm.cdf(0.5) - 1)
    assert chances[0, 2, 0] == pytest.approx(chances[2, 0, 2])


def test_chains_that_disagree_are_told_apart_from_those_that_mix() -> None:
    rng = np.random.default_rng(4)
    good = rng.normal(size=(4, 500, 2))
    assert split_rhat(good).max() < 1.02
    assert effective_draws(good) == pytest.approx([2000, 2000], rel=0.2)
    apart = good.copy()
    apart[0, :, 1] += 1
    assert split_rhat(apart)[0] < 1.02
    assert split_rhat(apart)[1] > 1.1
    assert effective_draws(apart)[1] < 100
    stuck = np.zeros((2, 10, 2))
    stuck[1, :, 1] = 1
    assert split_rhat(stuck)[0] == pytest.approx(1, abs=0.2)
    assert split_rhat(stuck)[1] == math.inf


def test_effective_draws_of_an_autoregressive_chain() -> None:
    rng = np.random.default_rng(5)
    chain = np.zeros((4, 4000, 1))
    noise = rng.normal(size=chain.shape)
    for k in range(1, chain.shape[1]):
        chain[:, k] = 0.5 * chain[:, k - 1] + noise[:, k]
    # The sum of 0.5^|k| over all lags is 3.
    assert effective_draws(chain)[0] == pytest.approx(16_000 / 3, rel=0.15)


def test_a_dominated_system_never_outranks_its_dominator() -> None:
    rng = np.random.default_rng(7)
    for _ in range(100):
        n = 6
        wins = rng.integers(0, 5, (n, n))
        np.fill_diagonal(wins, 0)
        ties = np.triu(rng.integers(0, 4, (n, n)), 1)
        ties = ties + ties.T
        # System 0 fares against each third one like system 1, but for some losses made good.
        wins[0, 2:], wins[2:, 0], ties[0, 2:] = wins[1, 2:], wins[2:, 1], ties[1, 2:]
        tied, won = rng.integers(0, wins[2:, 0] + 1), rng.integers(0, ties[0, 2:] + 1)
        wins[2:, 0] -= tied
        ties[0, 2:] += tied - won
        wins[0, 2:] += won
        ties[2:, 0] = ties[0, 2:]
        wins[0, 1] = max(wins[0, 1], wins[1, 0])
        found = scores(Counts(wins[np.newaxis], ties[np.newaxis])).values[0]
        assert found[0] >= found[1] - 1e-9

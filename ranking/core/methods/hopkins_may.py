"""The relative-ability model with a decision radius (Hopkins & May 2013).

System i has an ability μᵢ ~ N(0, σ₀²). A judge who compares outputs of i and j perceives two
qualities, each normally distributed around the ability with variance σₐ² (between outputs) + σ_obs²
(between observations), and reports a tie if they differ by less than the radius d. With s² = 2 (σₐ²
+ σ_obs²),

    P(i wins) = Φ((μᵢ − μⱼ − d) / s),   P(j wins) = Φ((μⱼ − μᵢ − d) / s),   else a tie:

which is an ordered probit in the differences. The qualities can be integrated out, so that the
counts of wins and ties are sufficient ("collapsed"), or drawn together with the abilities by an
exact Gibbs sampler ("gibbs"). Both have the same posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.counts import Layout, Tallies
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import (
    Ability,
    Extra,
    canonical_order,
    comparisons_per_pair,
    count_comparison_groups,
    is_compared,
    no_ability,
    weighted_tally,
)
from ranking.core.scores import NotEstimable, Scores

_MAX_STEPS = 100


@dataclass(frozen=True)
class HopkinsMayModel:
    """Constants of the model; the defaults are those of WMT 2013–14.

    Attributes
    ----------
    radius : float or None
        The decision radius d; None to fit it, with a flat prior. WMT used 0.5.
    prior : float
        σ₀, standard deviation of the abilities.
    system : float
        σₐ, standard deviation of the quality of a system's outputs.
    observation : float
        σ_obs, standard deviation of the quality that a judge perceives around that of the output.

    Raises
    ------
    ValueError
        If a standard deviation is not positive and finite, or the radius is negative or not finite.
    """

    radius: float | None = None
    prior: float = 1.0
    system: float = 0.5
    observation: float = 1.0

    def __post_init__(self) -> None:
        for name in ("prior", "system", "observation"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name}: expected a positive number")
        if self.radius is not None and not 0 <= self.radius < math.inf:
            raise ValueError("radius: expected a number, 0 or more, or None to fit it")

    @property
    def noise(self) -> float:
        """Standard deviation s of the difference of two perceived qualities."""
        return math.sqrt(2 * (self.system**2 + self.observation**2))


@dataclass(frozen=True, eq=False)
class Modes:
    """Posterior modes of R samples over n systems.

    Attributes
    ----------
    mu : float64, shape (R, n)
    radius : float64, shape (R,)
    information : float64, shape (R, n + 1, n + 1)
        Negative Hessian of the log posterior at the mode; the radius is last.
    fitted : bool, shape (R,)
        Whether the radius was fitted; false if it was given, without ties (it is 0), and with only
        ties (it would be infinite).
    converged : bool, shape (R,)
    """

    mu: FloatArray
    radius: FloatArray
    information: FloatArray
    fitted: BoolArray
    converged: BoolArray


def posterior_modes(
    wins: Int64Array, ties: Int64Array, model: HopkinsMayModel, *, most_steps: int = _MAX_STEPS
) -> Modes:
    """Return the most probable abilities for R samples of counts, with qualities integrated out.

    The posterior is log-concave in abilities and radius, so damped Newton steps find its only mode;
    `converged` is false if they need more than `most_steps`.

    Parameters
    ----------
    wins, ties : int64, shape (R, n, n)
        Counts as in `Tallies`.

    Raises
    ------
    ValueError
        If there are ties and the radius is 0, which makes them impossible.
    """
    from ranking.core.methods import hopkins_may_kernels as kernels

    runs, n = wins.shape[:2]
    decided, tied = wins.sum(axis=(1, 2)), ties.sum(axis=(1, 2)) // 2
    if model.radius == 0 and tied.any():
        raise ValueError("radius: there are ties, which a radius of 0 makes impossible")
    if model.radius is None:
        fitted = (tied > 0) & (decided > 0)
        rate = np.where(fitted, tied / np.maximum(tied + decided, 1), 0.0)
        radius = model.noise * special.ndtri((1 + rate) / 2)
        # With only ties, any radius will do as a start, because the caller must not use the result.
        radius[(tied > 0) & (decided == 0)] = model.noise
    else:
        fitted, radius = np.zeros(runs, dtype=np.bool_), np.full(runs, model.radius)
    result = Modes(
        mu=np.zeros((runs, n)),
        radius=np.ascontiguousarray(radius, dtype=np.float64),
        information=np.zeros((runs, n + 1, n + 1)),
        fitted=fitted,
        converged=np.zeros(runs, dtype=np.bool_),
    )
    kernels.posterior_modes(
        np.ascontiguousarray(wins, dtype=np.int64),
        np.ascontiguousarray(ties, dtype=np.int64),
        fitted,
        model.noise,
        model.prior,
        most_steps,
        result.mu,
        result.radius,
        result.information,
        result.converged,
    )
    return result


def outcome_chances(mu: FloatArray, radius: float, noise: float) -> FloatArray:
    """Return probabilities of a win, tie and loss of each system against each other, shape (3, n,
    n).
    """
    delta = (mu[:, np.newaxis] - mu[np.newaxis, :]) / noise
    win = special.ndtr(delta - radius / noise)
    loss = special.ndtr(-delta - radius / noise)
    return np.stack([win, 1 - win - loss, loss])


def split_rhat(draws: FloatArray) -> FloatArray:
    """Return the potential scale reduction R̂ of each quantity, near 1 when all chains agree.

    Each chain is split into halves, so that a drifting chain disagrees with itself.

    Parameters
    ----------
    draws : float64, shape (C, S, m)
        S ≥ 4 draws of m quantities in each of C chains.

    Returns
    -------
    float64, shape (m,)
        1 for a quantity that is constant.
    """
    halves = _halves(draws)
    length = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    ratio = np.divide(between, within, out=np.zeros_like(within), where=within > 0)
    # Constant chains with different values have no variance within chains.
    ratio[(within == 0) & (between > 0)] = np.inf
    return np.asarray(np.sqrt((length - 1) / length + ratio))


def effective_draws(draws: FloatArray) -> FloatArray:
    """Return the number of independent draws that would determine the means as precisely.

    Parameters
    ----------
    draws : float64, shape (C, S, m)
        As in `split_rhat`.

    Returns
    -------
    float64, shape (m,)
        Between 0 and C·S; C·S for a constant quantity.
    """
    halves = _halves(draws)
    chains, length, quantities = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    # Autocovariances for all lags at once, by a padded Fourier transform.
    spectrum = np.abs(np.fft.rfft(centred, 2 * length, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, 2 * length, axis=1)[:, :length].mean(axis=0) / length
    within = covariance[0] * length / (length - 1)
    pooled = covariance[0] + halves.mean(axis=1).var(axis=0, ddof=1)
    result = np.full(quantities, float(chains * length))
    for m in np.flatnonzero(pooled > 0).tolist():
        rho = 1 - (within[m] - covariance[:, m]) / pooled[m]
        rho[0] = 1.0
        # Geyer: sums of neighbouring lags are positive and decrease; beyond that, there is only
        # noise.
        sums = rho[: length // 2 * 2].reshape(-1, 2).sum(axis=1)
        negative = np.flatnonzero(sums <= 0)
        sums = np.minimum.accumulate(sums[: negative[0] if len(negative) else None])
        result[m] = chains * length / max(2 * sums.sum() - 1, 1.0)
    return result


def _halves(draws: FloatArray) -> FloatArray:
    chains, length, quantities = draws.shape
    half = length // 2
    if half < 2:
        raise ValueError("draws: expected at least four of each chain")
    return draws[:, : 2 * half].reshape(chains * 2, half, quantities)


#: Chains have converged when R̂ of every ability and of the radius is at most this (Vehtari et al.
#: 2021) …
RHAT_LIMIT = 1.01
#: … and their draws are worth this many independent ones, which give a mean within 0.05 σ.
MIN_EFFECTIVE_DRAWS = 400
_FIRST_SWEEPS = 500
#: Chains start this many standard deviations apart, wider than the posterior.
_APART = 3.0


@dataclass(frozen=True, eq=False)
class PosteriorDraws:
    """Draws of all chains, one chain after the other.

    Attributes
    ----------
    mu : float64, shape (R, n)
        Abilities, centred on 0 in each draw.
    radius : float64, shape (R,)
    converged : bool
    extra : mapping
        "inference", "radius", "radius_sigma", "radius_fitted", "rhat" (the largest),
        "effective_draws" (the smallest), "sweeps" (per chain), "chains".
    """

    mu: FloatArray
    radius: FloatArray
    converged: bool
    extra: Extra


@dataclass(frozen=True, eq=False)
class _Chain:
    """State of one chain, and of its stream of random numbers.

    Attributes
    ----------
    mu : float64, shape (n,)
    radius : float64, shape (1,)
    start, used : uint64
        The stream, and the number of its numbers already drawn.
    """

    mu: FloatArray
    radius: FloatArray
    start: np.uint64
    used: np.uint64


def _first_state(found: Modes, seed: int, number: int) -> _Chain:
    """Return the initial state of a chain, which depends only on the seed and its number."""
    from ranking.core.methods.normal_kernels import stream

    n = found.mu.shape[1]
    covariance = np.linalg.inv(found.information[0])
    apart = np.random.default_rng([seed, number]).standard_normal(n + 1) * _APART
    radius = found.radius[:1].copy()
    if found.fitted[0]:
        sigma = float(np.sqrt(covariance[n, n]))
        radius[0] = max(radius[0] + apart[n] * sigma, radius[0] / 2)
    return _Chain(
        mu=found.mu[0] + apart[:n] * np.sqrt(np.diagonal(covariance)[:n]),
        radius=radius,
        start=np.uint64(stream(np.uint64(seed), np.uint64(number))),
        used=np.uint64(0),
    )


def _radius_step(found: Modes) -> float:
    """Return the step of the walk over the radius; 0 if the radius is given."""
    n = found.mu.shape[1]
    # 2.4 conditional standard deviations is the optimal step of a one-dimensional Metropolis walk
    # (Gelman, Roberts & Gilks 1996).
    return 2.4 / float(np.sqrt(found.information[0, n, n])) if found.fitted[0] else 0.0


def _swept(
    wins: Int64Array,
    ties: Int64Array,
    noise: float,
    factor: FloatArray,
    radius_step: float,
    sweeps: int,
    chain: _Chain,
) -> tuple[_Chain, FloatArray]:
    """Return a chain after some sweeps, with the centred abilities and radius of each, shape
    (sweeps, n + 1).
    """
    from ranking.core.methods.hopkins_may_kernels import gibbs

    mu, radius = np.empty((sweeps, len(wins))), np.empty(sweeps)
    # The sampler moves the state in place.
    at, radius_at = chain.mu.copy(), chain.radius.copy()
    used = gibbs(
        wins, ties, noise, factor, radius_step, chain.start, chain.used, at, radius_at, mu, radius
    )
    after = _Chain(mu=at, radius=radius_at, start=chain.start, used=np.uint64(used))
    return after, np.column_stack([mu - mu.mean(axis=1, keepdims=True), radius])


def posterior_draws(
    wins: Int64Array,
    ties: Int64Array,
    model: HopkinsMayModel,
    found: Modes,
    *,
    seed: int = 0,
    chains: int = 4,
    most_sweeps: int = 20_000,
) -> PosteriorDraws:
    """Draw abilities and radius until the chains converge, and return the draws.

    Chains start at different points around the mode and sweep 500 times. Their length is doubled
    until they converge (R̂ ≤ 1.01 and draws worth 400 independent ones for all quantities). The
    first half of each chain is discarded.

    A sweep of the Gibbs sampler draws the radius given the abilities, the latent difference of each comparison given both (a
    normal distribution truncated by the outcome), and all abilities together given the differences. Hopkins & May draw the two
    qualities of each comparison and then the abilities one by one; this has the same posterior without the slow drift of the mean
    ability, which no comparison determines. Convergence is measured by split R̂ and the effective sample size (Gelman et al. 2013,
    §11.4).

    Parameters
    ----------
    wins, ties : int64, shape (n, n)
        Counts as in `Tallies`; all systems compared.
    model : HopkinsMayModel
    found : Modes of one sample
        Mode around which chains start.
    seed : int
        0 ≤ seed < 2**64; a chain depends only on the seed and its number.
    chains : int
        At least 2, because convergence cannot be checked with a single chain.
    most_sweeps : int
        Maximum number of sweeps per chain. Each takes about 10 ns per comparison.

    Returns
    -------
    PosteriorDraws

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 0 <= seed < 1 << 64:
        raise ValueError("seed: expected 0 ≤ seed < 2**64")
    if chains < 2 or most_sweeps < 8:
        raise ValueError("expected at least 2 chains, and 8 sweeps")
    n = len(wins)
    counts = comparisons_per_pair(wins, ties)
    precision = np.diag(counts.sum(axis=1) + (model.noise / model.prior) ** 2) - counts
    factor = np.ascontiguousarray(np.linalg.cholesky(precision))
    states = [_first_state(found, seed, number) for number in range(chains)]
    given = (wins, ties, model.noise, factor, _radius_step(found))
    drawn = np.empty((chains, 0, n + 1))
    stretch = min(_FIRST_SWEEPS, most_sweeps)
    while True:
        swept = [_swept(*given, stretch, state) for state in states]
        states = [state for state, _draws in swept]
        drawn = np.concatenate([drawn, np.stack([draws for _state, draws in swept])], axis=1)
        kept = drawn[:, drawn.shape[1] // 2 :]
        rhat, effective = float(split_rhat(kept).max()), float(effective_draws(kept).min())
        converged = rhat <= RHAT_LIMIT and effective >= MIN_EFFECTIVE_DRAWS
        stretch = min(drawn.shape[1], most_sweeps - drawn.shape[1])
        if converged or stretch <= 0:
            break
    radius = kept[:, :, n].ravel()
    return PosteriorDraws(
        mu=kept[:, :, :n].reshape(-1, n),
        radius=radius,
        converged=converged,
        extra={
            "inference": "gibbs",
            "radius": float(radius.mean()),
            "radius_sigma": float(radius.std()) if found.fitted[0] else None,
            "radius_fitted": bool(found.fitted[0]),
            "rhat": rhat,
            "effective_draws": effective,
            "sweeps": drawn.shape[1],
            "chains": chains,
        },
    )


def hopkins_may(
    blocks: Blocks,
    *,
    inference: Literal["collapsed", "gibbs"] = "collapsed",
    model: HopkinsMayModel | None = None,
    weights: npt.NDArray[np.integer] | None = None,
    seed: int = 0,
    chains: int = 4,
    most_sweeps: int = 20_000,
) -> Ability:
    """Estimate relative abilities from wins, losses and ties.

    Ties are used, through the decision radius. Collapsed outputs are expanded to every system they
    stand for; a pair inside one candidate is not a comparison. The reference counts as a system
    unless it was removed with `Blocks.without`. As in the paper, comparisons are treated as
    independent; resample blocks for uncertainty that accounts for their dependence.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    inference : {"collapsed", "gibbs"}
        The mode with Laplace's normal approximation around it, or draws from the exact posterior.
    model : HopkinsMayModel, optional
        Constants; by default WMT's, with the radius fitted.
    weights : integer, shape (B,), optional
        Weight of each block, for a bootstrap.
    seed : int
        Seed of the draws, 0 ≤ seed < 2**64. The collapsed estimate is deterministic.
    chains, most_sweeps
        Options of the draws, see `ranking.core.methods.hopkins_may.posterior_draws`.

    Returns
    -------
    Ability
        `mu`, centred on 0 over the compared systems, and `sigma` of the centred abilities; `draws`
        for "gibbs". `problem` is NOT_CONVERGED if the fit did not converge; there are no abilities
        then. `extra`: "inference", "radius", "radius_sigma", "radius_fitted", and for "gibbs" also
        "rhat", "effective_draws", "sweeps", "chains".

    Raises
    ------
    ValueError
        If an argument is out of range, or ties contradict a radius of 0.

    References
    ----------
    M. Hopkins, J. May (2013), Models of Translation Competitions, ACL.
    """
    model = model or HopkinsMayModel()
    tallies = weighted_tally(blocks, weights)
    if not tallies.comparisons:
        return no_ability(tallies, NotEstimable.NO_COMPARISON)
    if model.radius is None and not tallies.wins.any():
        return no_ability(tallies, NotEstimable.ONLY_TIES)
    order = canonical_order(tallies.wins, tallies.ties)
    kept = order[is_compared(tallies.wins, tallies.ties)[order]]
    wins, ties = tallies.wins[np.ix_(kept, kept)], tallies.ties[np.ix_(kept, kept)]
    found = posterior_modes(wins[np.newaxis], ties[np.newaxis], model)
    if not found.converged[0]:
        return no_ability(tallies, NotEstimable.NOT_CONVERGED, {"inference": "collapsed"})
    if inference == "collapsed":
        return _laplace(tallies, found, kept)
    drawn = posterior_draws(
        wins,
        ties,
        model,
        found,
        seed=seed,
        chains=chains,
        most_sweeps=most_sweeps,
    )
    if not drawn.converged:
        return no_ability(tallies, NotEstimable.NOT_CONVERGED, drawn.extra)
    return _ability(
        tallies, kept, drawn.mu.mean(axis=0), drawn.mu.std(axis=0), drawn.extra, drawn.mu
    )


def score_counts(
    wins: Int64Array, ties: Int64Array, *, model: HopkinsMayModel | None = None
) -> Scores:
    """Score R resamples by their collapsed estimates.

    Parameters
    ----------
    wins, ties : int64, shape (R, n, n)
        Counts as in `Tallies`, of each resample.
    model : HopkinsMayModel, optional

    Returns
    -------
    Scores
        Shape (R, n), centred in each resample. Systems without comparisons cannot be estimated, nor
        can any system in a resample with only ties or without convergence.
    """
    model = model or HopkinsMayModel()
    found = posterior_modes(wins, ties, model)
    known = wins.any(axis=(1, 2)) if model.radius is None else np.ones(len(wins), dtype=np.bool_)
    estimable = is_compared(wins, ties) & (found.converged & known)[:, np.newaxis]
    count = np.maximum(np.count_nonzero(estimable, axis=1, keepdims=True), 1)
    centre = np.where(estimable, found.mu, 0).sum(axis=1, keepdims=True) / count
    values = np.where(estimable, found.mu - centre, np.nan)
    return Scores(values=values, estimable=estimable)


def _laplace(tallies: Tallies, found: Modes, kept: Int64Array) -> Ability:
    covariance = np.linalg.inv(found.information[0])
    m = len(kept)
    centring = np.eye(m) - 1 / m
    sigma = np.sqrt(np.diagonal(centring @ covariance[:m, :m] @ centring))
    fitted = bool(found.fitted[0])
    extra: Extra = {
        "inference": "collapsed",
        "radius": float(found.radius[0]),
        "radius_sigma": math.sqrt(covariance[m, m]) if fitted else None,
        "radius_fitted": fitted,
    }
    return _ability(tallies, kept, found.mu[0] - found.mu[0].mean(), sigma, extra)


def _ability(
    tallies: Tallies,
    kept: Int64Array,
    mu: FloatArray,
    sigma: FloatArray,
    extra: Extra,
    draws: FloatArray | None = None,
) -> Ability:
    """Return an `Ability` of all systems, with estimates for the kept ones."""
    n = len(tallies.systems)
    every = np.full((3, n), np.nan)
    every[0, kept], every[1, kept], every[2, kept] = mu, sigma, 1.0
    all_draws = np.full((0 if draws is None else len(draws), n), np.nan)
    if draws is not None:
        all_draws[:, kept] = draws
    return Ability(
        systems=tallies.systems,
        mu=every[0],
        sigma=every[1],
        estimable=every[2] == 1.0,
        draws=all_draws,
        groups=count_comparison_groups(tallies),
        extra=extra,
    )


def gradient(wins: Int64Array, ties: Int64Array, *, model: HopkinsMayModel) -> FloatArray:
    """Return the influence of each further comparison on the centred abilities.

    This is the derivative of the posterior mode with respect to the counts, by the implicit
    function theorem: the inverse of the curvature at the mode, including that of the prior and of a
    fitted radius, times the derivatives of the log-likelihood of one comparison.

    Parameters
    ----------
    wins, ties : int64, shape (n, n)
        Counts as in `Tallies`.
    model : HopkinsMayModel

    Returns
    -------
    float64, shape (n, m)
        Derivatives of n abilities by the m cells of ``Layout(n, ties=True)``. 0 for unused cells,
        for comparisons with systems not compared so far, and for ties if the radius is 0. All are 0
        without a mode, which is the case without convergence or with only ties.
    """
    from scipy import stats  # a fifth of Django's start-up time

    n = len(wins)
    cells = np.zeros((n, Layout(n, ties=True).size))
    found = posterior_modes(wins[np.newaxis], ties[np.newaxis], model)
    if not found.converged[0] or (model.radius is None and not wins.any()):
        return cells
    known = is_compared(wins, ties)
    both = np.outer(known, known) & ~np.eye(n, dtype=np.bool_)
    # A radius that is not fitted has only its own curvature, and no influence.
    response = np.linalg.inv(found.information[0])[:n, :]
    response = (response - response[known].mean(axis=0)) * known[:, np.newaxis]
    by_difference = response[:, :n, np.newaxis] - response[:, np.newaxis, :n]
    by_radius = response[:, n, np.newaxis, np.newaxis]
    delta = (found.mu[0][:, np.newaxis] - found.mu[0]) / model.noise
    radius = float(found.radius[0]) / model.noise
    hazard = np.exp(stats.norm.logpdf(delta - radius) - special.log_ndtr(delta - radius))
    won = (by_difference - by_radius) * hazard / model.noise
    cells[:, : n * n] = (won * both).reshape(n, n * n)
    if radius > 0:
        above, below = stats.norm.pdf(radius - delta), stats.norm.pdf(-radius - delta)
        chance = special.ndtr(radius - delta) - special.ndtr(-radius - delta)
        drew = by_difference * (below - above) + by_radius * (above + below)
        drew = np.divide(drew, chance * model.noise, out=np.zeros_like(drew), where=chance > 0)
        cells[:, n * n :] = (drew * np.triu(both)).reshape(n, n * n)
    return cells

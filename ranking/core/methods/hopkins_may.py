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

import math
from dataclasses import dataclass
from typing import Any, Literal, Required, TypedDict

import numpy as np
from scipy import special

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int64Array,
    as_column,
    off_diagonal,
    pairwise_differences,
    per_sample,
)
from ranking.core.counting.counts import Counts, Layout, tally
from ranking.core.counting.resampling import generator_states, random_bits
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import (
    Fit,
    canonical_order,
    comparisons_per_pair,
    fit_of_abilities,
    is_compared,
)
from ranking.core.methods.newton import maximise
from ranking.core.scores import NotEstimable, Scores
from ranking.core.words import word_check

Inference = Literal["collapsed", "gibbs"]

#: σ₀, the standard deviation of the abilities, as in WMT 2013–14.
PRIOR = 1.0
#: s, the standard deviation of the difference of two perceived qualities, with WMT's σₐ = 0.5 and
#: σ_obs = 1.
NOISE = math.sqrt(2 * (0.5**2 + 1.0**2))
#: The axes of the pairs of systems, after that of the samples.
_PAIRS = (1, 2)
_MAX_STEPS = 100
_ROOT_2_PI = math.sqrt(2 * math.pi)
_TINY = 1e-300
_BELOW_ONE = 1.0 - 2.0**-53


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


def posterior_modes(wins: Int64Array, ties: Int64Array, radius: float | None) -> Modes:
    """Return the most probable abilities for R samples of counts, with qualities integrated out.

    The posterior is log-concave in abilities and radius, so damped Newton steps find its only mode;
    `converged` is false if they need too many.

    Parameters
    ----------
    wins, ties : int64, shape (R, n, n)
        Counts as in `Tallies`.
    radius : float or None
        The decision radius d; None to fit it, with a flat prior. WMT used 0.5.

    Raises
    ------
    ValueError
        If the radius is negative or not finite, or if it is 0 and there are ties, which a radius of
        0 makes impossible.
    """
    if radius is not None and not 0 <= radius < math.inf:
        raise ValueError("radius: expected a number, 0 or more, or None to fit it")
    runs, n = wins.shape[:2]
    decided = wins.sum(axis=_PAIRS)
    tied = ties.sum(axis=_PAIRS) // 2
    if radius == 0 and tied.any():
        raise ValueError("radius: there are ties, which a radius of 0 makes impossible")
    fitted = (tied > 0) & (decided > 0) & (radius is None)
    start = np.zeros((runs, n + 1))
    if radius is None:
        start[:, n] = _starting_radius(decided, tied)
    else:
        start[:, n] = radius

    def log_posterior(point: FloatArray) -> FloatArray:
        squares = np.sum(point[:, :n] ** 2, axis=1)
        log_likelihood = _log_likelihood(wins, ties, point)
        penalty = squares / (2 * PRIOR**2)
        density: FloatArray = log_likelihood - penalty
        density[fitted & (point[:, n] <= 0)] = -np.inf
        return density

    def derivatives(point: FloatArray) -> tuple[FloatArray, FloatArray]:
        return _derivatives(wins, ties, point, fitted)

    mode, converged = maximise(log_posterior, derivatives, start, most_steps=_MAX_STEPS)
    _slope, information = derivatives(mode)
    return Modes(
        mu=mode[:, :n],
        radius=mode[:, n],
        information=information,
        fitted=fitted,
        converged=converged,
    )


def _starting_radius(decided: Int64Array, tied: Int64Array) -> FloatArray:
    """Return the radius with which equal systems would tie as often as in each sample, shape (R,)."""
    comparisons = np.maximum(tied + decided, 1)
    tie_rate = np.where(decided > 0, tied / comparisons, 0.0)
    radius: FloatArray = NOISE * special.ndtri((1 + tie_rate) / 2)
    # With only ties, any radius will do as a start, because the caller must not use the result.
    only_ties = (tied > 0) & (decided == 0)
    radius[only_ties] = NOISE
    return radius


def _differences(point: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the differences of abilities, and the radius, in units of the noise."""
    delta = pairwise_differences(point[:, :-1])
    radius = per_sample(point[:, -1])
    return delta / NOISE, radius / NOISE


def _tie_chance(delta: FloatArray, radius: FloatArray) -> FloatArray:
    # In the lower tail, where the distribution function is most precise.
    size = np.abs(delta)
    below_upper_end = special.ndtr(radius - size)
    below_lower_end = special.ndtr(-radius - size)
    return np.maximum(below_upper_end - below_lower_end, _TINY)


def _log_likelihood(
    wins: Int64Array,
    ties: Int64Array,
    point: FloatArray,
) -> FloatArray:
    """Return the log-likelihood of counts at abilities and radius, shape (R,)."""
    delta, radius = _differences(point)
    log_win = special.log_ndtr(delta - radius)
    log_tie = np.log(_tie_chance(delta, radius))
    # Each tie is held twice, once for each system.
    tie_terms = np.where(ties > 0, ties * log_tie, 0.0) / 2
    pair_terms = wins * log_win + tie_terms
    return np.asarray(pair_terms.sum(axis=_PAIRS))


@dataclass(frozen=True, eq=False)
class _Slopes:
    """Derivatives of the log probabilities of outcomes, in units of the noise.

    Attributes
    ----------
    win : float64, shape (R, n, n)
        That of a win by the difference; its negative by the radius.
    win_curvature : float64, shape (R, n, n)
        Negative second derivative of a win.
    tie_by_difference, tie_by_radius : float64, shape (R, n, n)
        Those of a tie.
    above, below : float64, shape (R, n, n)
        At both ends of a tie, the density over the probability of a tie, times the end.
    """

    win: FloatArray
    win_curvature: FloatArray
    tie_by_difference: FloatArray
    tie_by_radius: FloatArray
    above: FloatArray
    below: FloatArray


def _slopes(point: FloatArray) -> _Slopes:
    delta, radius = _differences(point)
    z = delta - radius
    above = radius - delta
    below = -radius - delta
    log_density = -0.5 * z * z
    hazard = np.exp(log_density - special.log_ndtr(z)) / _ROOT_2_PI
    chance = _tie_chance(delta, radius)
    # Without a radius, or beyond the range of floats, nothing is known of ties.
    chance = np.where(chance > _TINY, chance, np.inf) * _ROOT_2_PI
    density_above = np.exp(-0.5 * above * above) / chance
    density_below = np.exp(-0.5 * below * below) / chance
    return _Slopes(
        win=hazard,
        win_curvature=hazard + delta - radius,
        tie_by_difference=density_below - density_above,
        tie_by_radius=density_above + density_below,
        above=density_above * above,
        below=density_below * below,
    )


def _derivatives(
    wins: Int64Array,
    ties: Int64Array,
    point: FloatArray,
    fitted: BoolArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient of the log posterior and its negative Hessian; the radius is last."""
    slopes = _slopes(point)
    of_win = wins * slopes.win / NOISE
    # Each tie is held twice, once for each system.
    half_ties = ties / 2
    gradient = _gradient(of_win, half_ties, point, slopes)
    gradient[:, -1] *= fitted
    information = _information(of_win, half_ties, slopes, fitted)
    return gradient, information


def _gradient(
    of_win: FloatArray,
    half_ties: FloatArray,
    point: FloatArray,
    slopes: _Slopes,
) -> FloatArray:
    """Return the gradient from the derivatives of wins by the difference, and half the ties."""
    by_difference = of_win + half_ties * slopes.tie_by_difference / NOISE
    by_radius = half_ties * slopes.tie_by_radius / NOISE - of_win
    abilities = point[:, :-1]
    gradient = np.empty_like(point)
    gradient[:, :-1] = _column_balance(by_difference) - abilities / PRIOR**2
    gradient[:, -1] = by_radius.sum(axis=_PAIRS)
    return gradient


def _information(
    of_win: FloatArray,
    half_ties: FloatArray,
    slopes: _Slopes,
    fitted: BoolArray,
) -> FloatArray:
    """Return the negative Hessian; a radius that is not fitted has an information of 1."""
    samples, n, _n = of_win.shape
    by_difference = slopes.tie_by_difference
    by_radius = slopes.tie_by_radius
    below = slopes.below
    above = slopes.above
    # Second derivatives by the difference, by the difference and the radius, and by the radius.
    scale = half_ties / NOISE**2
    of_wins = of_win * slopes.win_curvature / NOISE
    curvature = of_wins + scale * (by_difference**2 - below + above)
    mixed = scale * (by_difference * by_radius - below - above) - of_wins
    radius_curvature = of_wins + scale * (by_radius**2 - below + above)
    information = np.zeros((samples, n + 1, n + 1))
    information[:, :n, :n] = -curvature - curvature.swapaxes(1, 2)
    diagonal = np.arange(n)
    own_curvature = curvature.sum(axis=1) + curvature.sum(axis=2)
    information[:, diagonal, diagonal] = own_curvature + 1 / PRIOR**2
    with_radius = _column_balance(mixed) * as_column(fitted)
    information[:, :n, n] = with_radius
    information[:, n, :n] = with_radius
    of_radius = radius_curvature.sum(axis=_PAIRS)
    information[:, n, n] = np.where(fitted, of_radius, 1.0)
    return information


def _column_balance(of_pairs: FloatArray) -> FloatArray:
    """Return each system's sum over pairs in which it is first, minus those in which it is second."""
    return np.asarray(of_pairs.sum(axis=2) - of_pairs.sum(axis=1))


def outcome_chances(mu: FloatArray, radius: float) -> FloatArray:
    """Return probabilities of a win, tie and loss of each system against each other, shape (3, n,
    n).
    """
    delta = pairwise_differences(mu) / NOISE
    ends = radius / NOISE
    win = special.ndtr(delta - ends)
    loss = special.ndtr(-delta - ends)
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
    means = halves.mean(axis=1)
    between = means.var(axis=0, ddof=1)
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
    means = halves.mean(axis=1)
    centred = halves - halves.mean(axis=1, keepdims=True)
    # Autocovariances for all lags at once, by a padded Fourier transform.
    padded = 2 * length
    spectrum = np.abs(np.fft.rfft(centred, padded, axis=1)) ** 2
    lagged = np.fft.irfft(spectrum, padded, axis=1)[:, :length]
    covariance = lagged.mean(axis=0) / length
    within = covariance[0] * length / (length - 1)
    between = means.var(axis=0, ddof=1)
    pooled = covariance[0] + between
    drawn = chains * length
    effective = np.full(quantities, float(drawn))
    for m in np.flatnonzero(pooled > 0).tolist():
        half_variogram = within[m] - covariance[:, m]
        rho = 1 - half_variogram / pooled[m]
        rho[0] = 1.0
        autocorrelation_time = 2 * _positive_sum(rho) - 1
        effective[m] = drawn / max(autocorrelation_time, 1.0)
    return effective


def _positive_sum(correlations: FloatArray) -> float:
    """Return the sum of autocorrelations by lag, up to the lag from which there is only noise.

    Sums of neighbouring lags are positive and decrease (Geyer 1992).
    """
    count = len(correlations) // 2
    pairs = correlations[: 2 * count].reshape(count, 2)
    sums = pairs.sum(axis=1)
    not_positive = np.flatnonzero(sums <= 0)
    if len(not_positive):
        sums = sums[: not_positive[0]]
    return float(np.minimum.accumulate(sums).sum())


def _halves(draws: FloatArray) -> FloatArray:
    chains, length, quantities = draws.shape
    half = length // 2
    return draws[:, : 2 * half].reshape(chains * 2, half, quantities)


#: Chains have converged when R̂ of every ability and of the radius is at most this (Vehtari et al.
#: 2021) …
RHAT_LIMIT = 1.01
#: … and their draws are worth this many independent ones, which give a mean within 0.05 σ.
MIN_EFFECTIVE_DRAWS = 400
_CHAINS = 4
_FIRST_SWEEPS = 500
_MOST_SWEEPS = 20_000
#: Chains start this many standard deviations apart, wider than the posterior.
_APART = 3.0


class _Sampler:
    """C chains of a Gibbs sampler over n compared systems.

    A sweep draws the radius given the abilities, the latent difference of each comparison given
    both (a normal distribution truncated by the outcome), and all abilities together given the
    differences. Hopkins & May draw the two qualities of each comparison and then the abilities one
    by one; this has the same posterior without the slow drift of the mean ability, which no
    comparison determines.

    Parameters
    ----------
    wins, ties : int64, shape (n, n)
        Counts as in `Tallies`; all systems compared.
    found : Modes of one sample
        Mode around which chains start.
    seed : int
        0 ≤ seed < 2**64; a chain depends only on the seed and its number.
    """

    def __init__(
        self,
        wins: Int64Array,
        ties: Int64Array,
        mode: Modes,
        seed: int,
    ) -> None:
        self._wins = wins[np.newaxis]
        self._ties = ties[np.newaxis]
        # Groups of equal comparisons: the first system, the second, and the ends of the difference.
        kinds = np.stack([wins, np.tril(ties)], axis=2)
        self._first, self._second, tied = np.nonzero(kinds)
        self._tied = tied.astype(np.bool_)
        self._counts = kinds[kinds > 0]
        self._total = int(self._counts.sum())
        self._begins = np.cumsum(self._counts) - self._counts
        self._group = np.repeat(np.arange(len(tied)), self._counts)
        # Each group's difference is the ability of its first system minus that of its second.
        self._contrasts = np.zeros((len(tied), len(wins)))
        groups = np.arange(len(tied))
        self._contrasts[groups, self._first] = 1
        self._contrasts[groups, self._second] = -1
        # Precision of the abilities given the differences, in units of the noise.
        counts = comparisons_per_pair(wins, ties)
        own_precision = counts.sum(axis=1) + (NOISE / PRIOR) ** 2
        precision = np.diag(own_precision) - counts
        self._covariance = np.linalg.inv(precision)
        self._root = np.linalg.inv(np.linalg.cholesky(precision))
        # 2.4 conditional standard deviations is the optimal step of a one-dimensional Metropolis
        # walk (Gelman, Roberts & Gilks 1996); 0 if the radius is given.
        if mode.fitted[0]:
            self._step = 2.4 / math.sqrt(mode.information[0, -1, -1])
        else:
            self._step = 0.0
        numbers = np.arange(_CHAINS, dtype=np.uint64)
        self._start = generator_states(numbers, seed=seed)
        self._used = 0
        self._state = self._starts(mode, seed)

    def _starts(self, mode: Modes, seed: int) -> FloatArray:
        """Return abilities and radius at which the chains start, shape (C, n + 1)."""
        radius = mode.radius[0]
        centre = np.append(mode.mu[0], radius)
        covariance = np.linalg.inv(mode.information[0])
        deviations = np.sqrt(np.diagonal(covariance))
        starts = np.empty((_CHAINS, len(centre)))
        for chain in range(_CHAINS):
            random = np.random.default_rng([seed, chain])
            apart = _APART * random.standard_normal(len(centre))
            starts[chain] = centre + apart * deviations
        if self._step:
            starts[:, -1] = np.maximum(starts[:, -1], radius / 2)
        else:
            starts[:, -1] = radius
        return starts

    def drawn(self, sweeps: int) -> FloatArray:
        """Return abilities, centred on 0, and radius after each further sweep, shape (C, S, n + 1)."""
        draws = np.empty((_CHAINS, sweeps, self._state.shape[1]))
        for sweep in range(sweeps):
            if self._step:
                self._walk()
            self._draw_abilities()
            draws[:, sweep] = self._state
        abilities = draws[:, :, :-1]
        abilities -= abilities.mean(axis=2, keepdims=True)
        return draws

    def _uniform(self, count: int) -> FloatArray:
        """Return the next random numbers of each chain, above 0 and below 1, shape (C, count)."""
        index = np.arange(self._used, self._used + count, dtype=np.uint64)
        self._used += count
        bits = random_bits(self._start, index) >> np.uint64(12)
        # 52 bits and a half: with one bit more, the largest number would round to 1.
        return np.asarray((bits + 0.5) * 2.0**-52)

    def _walk(self) -> None:
        """Take a Metropolis step of the radius."""
        uniform = self._uniform(2)
        step = self._step * special.ndtri(uniform[:, 0])
        log_threshold = np.log(uniform[:, 1])
        proposed = self._state.copy()
        proposed[:, -1] += step
        possible = proposed[:, -1] > 0
        proposed[~possible] = self._state[~possible]
        proposed_likelihood = _log_likelihood(self._wins, self._ties, proposed)
        likelihood = _log_likelihood(self._wins, self._ties, self._state)
        log_ratio = proposed_likelihood - likelihood
        is_accepted = possible & (log_threshold < log_ratio)
        self._state[is_accepted] = proposed[is_accepted]

    def _draw_abilities(self) -> None:
        """Draw the latent differences, and then all abilities together given their sums."""
        mu = self._state[:, :-1]
        difference = mu[:, self._first] - mu[:, self._second]
        delta = difference / NOISE
        latent_sums = self._counts * delta + self._drawn_residuals(delta)
        mean = latent_sums @ self._contrasts @ self._covariance
        normal = special.ndtri(self._uniform(mu.shape[1]))
        self._state[:, :-1] = NOISE * (mean + normal @ self._root)

    def _drawn_residuals(self, delta: FloatArray) -> FloatArray:
        """Draw how far each latent difference is from its mean, within its ends, and return the
        sums by group.
        """
        radius = self._state[:, -1:] / NOISE
        lower_end = np.where(self._tied, -radius, radius) - delta
        upper_end = np.where(self._tied, radius - delta, np.inf)
        # In the lower tail, where the distribution function is most precise.
        is_upper = lower_end > 0
        low = np.where(is_upper, -upper_end, lower_end)
        high = np.where(is_upper, -lower_end, upper_end)
        base = special.ndtr(low)
        chance = special.ndtr(high) - base
        uniform = self._uniform(self._total)
        share = base[:, self._group] + chance[:, self._group] * uniform
        residuals = special.ndtri(np.minimum(share, _BELOW_ONE))
        sums = np.add.reduceat(residuals, self._begins, axis=1)
        sums = np.where(chance < _TINY, self._counts * high, sums)
        return np.where(is_upper, -sums, sums)


class HopkinsMayDiagnostics(TypedDict, total=False):
    """Further results of a fit, as plain JSON; those of chains are given for Gibbs sampling only."""

    inference: Required[Inference]
    radius: float
    radius_sigma: float | None
    radius_fitted: bool
    rhat: float
    effective_draws: float
    sweeps: int
    chains: int


def _draw_until_converged(
    sampler: _Sampler,
    *,
    fitted: bool,
) -> tuple[FloatArray, HopkinsMayDiagnostics, bool]:
    """Return the draws of all chains, one after the other, shape (R, n + 1), a description of them,
    and whether they converged.

    The length of the chains is doubled until they converge (R̂ ≤ 1.01 and draws worth 400
    independent ones for all quantities; Gelman et al. 2013, §11.4). The first half of each chain is
    discarded.
    """
    drawn = sampler.drawn(min(_FIRST_SWEEPS, _MOST_SWEEPS))
    while True:
        length = drawn.shape[1]
        second_half = drawn[:, length // 2 :]
        rhat = float(split_rhat(second_half).max())
        effective = float(effective_draws(second_half).min())
        converged = rhat <= RHAT_LIMIT and effective >= MIN_EFFECTIVE_DRAWS
        stretch = min(length, _MOST_SWEEPS - length)
        if converged or stretch <= 0:
            break
        drawn = np.concatenate([drawn, sampler.drawn(stretch)], axis=1)
    draws = second_half.reshape(-1, second_half.shape[2])
    radius = draws[:, -1]
    radius_sigma = None
    if fitted:
        radius_sigma = float(radius.std())
    extra: HopkinsMayDiagnostics = {
        "inference": "gibbs",
        "radius": float(radius.mean()),
        "radius_sigma": radius_sigma,
        "radius_fitted": fitted,
        "rhat": rhat,
        "effective_draws": effective,
        "sweeps": length,
        "chains": _CHAINS,
    }
    return draws, extra, converged


def hopkins_may(
    blocks: Blocks,
    *,
    seed: int = 0,
    inference: Inference = "collapsed",
    radius: float | None = None,
) -> Fit:
    """Fit relative abilities to wins, losses and ties.

    Ties are used, through the decision radius. Collapsed outputs are expanded to every system they
    stand for; a pair inside one candidate is not a comparison. The reference counts as a system
    unless it was removed with `Blocks.without`. As in the paper, comparisons are treated as
    independent; resample blocks for uncertainty that accounts for their dependence.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    seed : int
        Seed of the draws, 0 ≤ seed < 2**64. The collapsed estimate is deterministic.
    inference : {"collapsed", "gibbs"}
        The mode with Laplace's normal approximation around it, or draws from the exact posterior.
    radius : float, optional
        The decision radius, see `posterior_modes`.

    Returns
    -------
    Fit
        Abilities centred on 0 over the compared systems, see `fit_of_abilities`. `extra`:
        "inference", "radius", "radius_sigma", "radius_fitted", and for "gibbs" also "rhat" (the
        largest), "effective_draws" (the smallest), "sweeps" (of each chain), "chains".

    Raises
    ------
    ValueError
        If an argument is out of range, or ties contradict a radius of 0.

    References
    ----------
    M. Hopkins, J. May (2013), Models of Translation Competitions, ACL.
    """
    word_check("inference", inference, Inference)
    tallies = tally(blocks)
    mu = np.full(len(tallies.systems), np.nan)
    sigma = np.full(len(tallies.systems), np.nan)
    if not tallies.comparisons:
        return fit_of_abilities(tallies, mu, sigma, problem=NotEstimable.NO_COMPARISON)
    if radius is None and not tallies.wins.any():
        return fit_of_abilities(tallies, mu, sigma, problem=NotEstimable.ONLY_TIES)
    order = canonical_order(tallies.wins, tallies.ties)
    compared = is_compared(tallies.wins, tallies.ties)
    indices = order[compared[order]]
    pairs = np.ix_(indices, indices)
    wins = tallies.wins[pairs]
    ties = tallies.ties[pairs]
    modes = posterior_modes(wins[np.newaxis], ties[np.newaxis], radius)
    converged = bool(modes.converged[0])
    extra: HopkinsMayDiagnostics = {"inference": "collapsed"}
    if converged and inference == "collapsed":
        mu[indices], sigma[indices], extra = _laplace(modes)
    elif converged:
        sampler = _Sampler(wins, ties, modes, seed)
        draws, extra, converged = _draw_until_converged(
            sampler,
            fitted=bool(modes.fitted[0]),
        )
        if converged:
            abilities = draws[:, :-1]
            mu[indices] = abilities.mean(axis=0)
            sigma[indices] = abilities.std(axis=0)
    problem = None
    if not converged:
        problem = NotEstimable.NOT_CONVERGED
    return fit_of_abilities(tallies, mu, sigma, extra, problem=problem)


def _laplace(modes: Modes) -> tuple[FloatArray, FloatArray, HopkinsMayDiagnostics]:
    """Return centred abilities, their standard deviations, and a description, from Laplace's
    approximation around the mode of one sample.
    """
    abilities = modes.mu[0]
    n = len(abilities)
    covariance = np.linalg.inv(modes.information[0])
    centring = np.eye(n) - 1 / n
    centred = centring @ covariance[:n, :n] @ centring
    sigma = np.sqrt(np.diagonal(centred))
    fitted = bool(modes.fitted[0])
    radius_sigma = None
    if fitted:
        radius_sigma = math.sqrt(covariance[n, n])
    extra: HopkinsMayDiagnostics = {
        "inference": "collapsed",
        "radius": float(modes.radius[0]),
        "radius_sigma": radius_sigma,
        "radius_fitted": fitted,
    }
    return abilities - abilities.mean(), sigma, extra


def scores(counts: Counts, *, radius: float | None = None, **_: Any) -> Scores:
    """Score R resamples by their collapsed estimates, which are close to those of Gibbs sampling.

    Returns
    -------
    Scores
        Shape (R, n), centred in each resample. Systems without comparisons cannot be estimated, nor
        can any system in a resample with only ties or without convergence.
    """
    wins = counts.wins
    ties = counts.tied
    modes = posterior_modes(wins, ties, radius)
    has_mode = modes.converged
    if radius is None:
        has_mode = has_mode & wins.any(axis=(1, 2))
    estimable = is_compared(wins, ties) & as_column(has_mode)
    count = np.count_nonzero(estimable, axis=1, keepdims=True)
    total = np.where(estimable, modes.mu, 0).sum(axis=1, keepdims=True)
    centred = modes.mu - total / np.maximum(count, 1)
    values = np.where(estimable, centred, np.nan)
    return Scores(values=values, estimable=estimable)


def influence(counts: Counts, *, radius: float | None = None, **_: Any) -> FloatArray:
    """Return the influence of each further comparison on the centred abilities.

    This is the derivative of the posterior mode with respect to the counts, by the implicit
    function theorem: the inverse of the curvature at the mode, including that of the prior and of a
    fitted radius, times the derivatives of the log-likelihood of one comparison.

    Parameters
    ----------
    counts : Counts of shape (n, n)

    Returns
    -------
    float64, shape (n, m)
        Derivatives of n abilities by the m cells of ``Layout(n, ties=True)``. 0 for unused cells,
        for comparisons with systems not compared so far, and for ties if the radius is 0. All are 0
        without a mode, which is the case without convergence or with only ties.
    """
    wins = counts.wins
    ties = counts.tied
    n = len(wins)
    cells = np.zeros((n, Layout(n, ties=True).size))
    modes = posterior_modes(wins[np.newaxis], ties[np.newaxis], radius)
    if not modes.converged[0] or (radius is None and not wins.any()):
        return cells
    compared = is_compared(wins, ties)
    both = np.outer(compared, compared) & off_diagonal(n)
    # A radius that is not fitted has only its own curvature, and no influence.
    covariance = np.linalg.inv(modes.information[0])
    response = covariance[:n, :]
    response = response - response[compared].mean(axis=0)
    response = response * as_column(compared)
    to_difference = pairwise_differences(response[:, :n]) / NOISE
    to_radius = per_sample(response[:, n]) / NOISE
    point = np.column_stack([modes.mu, modes.radius])
    slopes = _slopes(point)
    pairs = n * n
    won = (to_difference - to_radius) * slopes.win
    won *= both
    cells[:, :pairs] = won.reshape(n, pairs)
    if modes.radius[0] > 0:
        through_difference = to_difference * slopes.tie_by_difference
        through_radius = to_radius * slopes.tie_by_radius
        drew = through_difference + through_radius
        drew *= np.triu(both)
        cells[:, pairs:] = drew.reshape(n, pairs)
    return cells

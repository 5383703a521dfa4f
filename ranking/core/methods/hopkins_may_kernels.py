"""Compiled fits of the relative-ability model. Import it inside functions: it imports numba.

Functions called from Python have explicit signatures, so that the first import compiles and caches
them.
"""

from __future__ import annotations

import math

import numpy as np

from optional_packages import numba as nb
from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.methods.normal_kernels import (
    between,
    cdf,
    hazard,
    log_cdf,
    pdf,
    quantile,
    uniform,
)

_TINY = 1e-300
_BELOW_ONE = 1.0 - 2.0**-53
#: The mode is found when half the squared Newton step, in standard deviations, is below this. The
#: last step is still taken, and Newton's method squares the distance.
_FOUND = 1e-12
#: Relative rounding error of a log-likelihood: close to the mode, a step may appear to decrease it
#: by this much.
_SLACK = 1e-12


@nb.njit(cache=True, nogil=True)
def tie_chance(delta: float, radius: float) -> float:
    """Return the probability of a tie; arguments are in units of the noise of a difference."""
    return between(-radius - abs(delta), radius - abs(delta))


@nb.njit(cache=True, nogil=True)
def log_likelihood(
    wins: Int64Array, ties: Int64Array, mu: FloatArray, radius: float, noise: float
) -> float:
    """Return the log-likelihood of counts, with the qualities integrated out."""
    n = len(mu)
    r = radius / noise
    total = 0.0
    for i in range(n):
        for j in range(i):
            delta = (mu[i] - mu[j]) / noise
            if wins[i, j] > 0:
                total += wins[i, j] * log_cdf(delta - r)
            if wins[j, i] > 0:
                total += wins[j, i] * log_cdf(-delta - r)
            if ties[i, j] > 0:
                total += ties[i, j] * math.log(max(tie_chance(delta, r), _TINY))
    return total


@nb.njit(cache=True, nogil=True)
def _add(g: FloatArray, h: FloatArray, i: int, j: int, terms: tuple[float, ...]) -> None:
    """Add derivatives by Δ and by the radius to those by μᵢ, μⱼ and the radius (last)."""
    d, r, dd, dr, rr = terms
    n = len(g) - 1
    g[i] += d
    g[j] -= d
    g[n] += r
    h[i, i] -= dd
    h[j, j] -= dd
    h[i, j] += dd
    h[j, i] += dd
    h[i, n] -= dr
    h[n, i] -= dr
    h[j, n] += dr
    h[n, j] += dr
    h[n, n] -= rr


@nb.njit(cache=True, nogil=True)
def derivatives(
    wins: Int64Array,
    ties: Int64Array,
    mu: FloatArray,
    radius: float,
    noise: float,
    prior: float,
    g: FloatArray,
    h: FloatArray,
) -> None:
    """Fill in the gradient of the log posterior and its negative Hessian; the radius is last."""
    n = len(mu)
    r, s1, s2 = radius / noise, 1.0 / noise, 1.0 / noise**2
    g[:] = 0.0
    h[:, :] = 0.0
    for i in range(n):
        g[i] -= mu[i] / prior**2
        h[i, i] += 1.0 / prior**2
        for j in range(n):
            if i == j:
                continue
            delta = (mu[i] - mu[j]) / noise
            if wins[i, j] > 0:
                z = delta - r
                m, v = wins[i, j], hazard(z)
                w = m * v * (v + z) * s2
                _add(g, h, i, j, (m * v * s1, -m * v * s1, -w, w, -w))
            if j < i and ties[i, j] > 0:
                a, b, m = r - delta, -r - delta, ties[i, j]
                p = max(between(b, a), _TINY)
                at_a, at_b = pdf(a) / p, pdf(b) / p
                d, e = at_b - at_a, at_a + at_b
                second, mixed = b * at_b - a * at_a, a * at_a + b * at_b
                _add(
                    g,
                    h,
                    i,
                    j,
                    (
                        m * d * s1,
                        m * e * s1,
                        m * (second - d * d) * s2,
                        m * (mixed - d * e) * s2,
                        m * (second - e * e) * s2,
                    ),
                )


@nb.njit(cache=True, nogil=True)
def _solve(h: FloatArray, g: FloatArray, factor: FloatArray, x: FloatArray) -> None:
    """Solve h x = g for a positive definite h by its Cholesky factor; `factor` is scratch."""
    n = len(g)
    for i in range(n):
        for j in range(i + 1):
            rest = h[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            factor[i, j] = math.sqrt(rest) if i == j else rest / factor[j, j]
    for i in range(n):
        x[i] = g[i]
        for k in range(i):
            x[i] -= factor[i, k] * x[k]
        x[i] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= factor[k, i] * x[k]
        x[i] /= factor[i, i]


@nb.njit(
    "void(int64[:, :, ::1], int64[:, :, ::1], boolean[::1], float64, float64, int64, "
    "float64[:, ::1], float64[::1], float64[:, :, ::1], boolean[::1])",
    cache=True,
    nogil=True,
)
def posterior_modes(
    wins: Int64Array,
    ties: Int64Array,
    fit_radius: BoolArray,
    noise: float,
    prior: float,
    most: int,
    mu: FloatArray,
    radius: FloatArray,
    information: FloatArray,
    converged: BoolArray,
) -> None:
    """Find the mode of each of R samples by damped Newton steps; the posterior is log-concave.

    `mu` (R, n) and `radius` (R,) contain the start and are overwritten with the mode. `information`
    (R, n + 1, n + 1) is filled with the negative Hessian at the mode; its last row and column are
    for the radius.
    """
    runs, n = mu.shape
    g, h = np.empty(n + 1), np.empty((n + 1, n + 1))
    step, factor = np.empty(n + 1), np.empty((n + 1, n + 1))
    for run in range(runs):
        won, tied = wins[run], ties[run]
        value = log_likelihood(won, tied, mu[run], radius[run], noise)
        value -= 0.5 * np.sum(mu[run] ** 2) / prior**2
        converged[run] = False
        for _ in range(most):
            derivatives(won, tied, mu[run], radius[run], noise, prior, g, h)
            if not fit_radius[run]:
                g[n] = 0.0
                h[n, :] = 0.0
                h[:, n] = 0.0
                h[n, n] = 1.0
            _solve(h, g, factor, step)
            found = np.sum(step * g) < 2.0 * _FOUND
            share = 1.0
            for _ in range(60):
                new_mu = mu[run] + share * step[:n]
                new_radius = radius[run] + share * step[n]
                if new_radius > 0.0 or not fit_radius[run]:
                    new_value = log_likelihood(won, tied, new_mu, new_radius, noise)
                    new_value -= 0.5 * np.sum(new_mu**2) / prior**2
                    if found or new_value >= value - _SLACK * abs(value):
                        mu[run], radius[run], value = new_mu, new_radius, new_value
                        break
                share *= 0.5
            if found:
                converged[run] = True
                break
        information[run] = h


@nb.njit(cache=True, nogil=True)
def _latent_sum(
    count: int, delta: float, low: float, high: float, start: np.uint64, at: np.uint64
) -> float:
    """Return a sum of draws from N(delta, 1), each within (low, high); one or both are finite."""
    a, b = low - delta, high - delta
    sign = 1.0
    if a > 0.0:
        # Draw in the lower tail, where the distribution function is most precise.
        a, b, sign = -b, -a, -1.0
    base = cdf(a)
    p = cdf(b) - base
    if p < _TINY:
        return count * (delta + sign * b)
    total = 0.0
    for k in range(count):
        total += quantile(min(base + p * uniform(start, at + np.uint64(k)), _BELOW_ONE))
    return count * delta + sign * total


@nb.njit(cache=True, nogil=True)
def _latent_sums(
    wins: Int64Array,
    ties: Int64Array,
    mu: FloatArray,
    noise: float,
    r: float,
    start: np.uint64,
    used: np.uint64,
    sums: FloatArray,
) -> np.uint64:
    """Add up each system's latent differences; return the number of random numbers used so far."""
    sums[:] = 0.0
    for i in range(len(mu)):
        for j in range(len(mu)):
            delta = (mu[i] - mu[j]) / noise
            part = 0.0
            if i != j and wins[i, j] > 0:
                part += _latent_sum(wins[i, j], delta, r, math.inf, start, used)
                used += np.uint64(wins[i, j])
            if j < i and ties[i, j] > 0:
                part += _latent_sum(ties[i, j], delta, -r, r, start, used)
                used += np.uint64(ties[i, j])
            sums[i] += part
            sums[j] -= part
    return used


@nb.njit(cache=True, nogil=True)
def _draw_together(factor: FloatArray, sums: FloatArray, normal: FloatArray) -> None:
    """Turn standard normal numbers into a draw from N(Q⁻¹ sums, Q⁻¹), with Q = factor factorᵀ.

    Two triangular systems are solved for mean and noise together: factorᵀ x = factor⁻¹ sums +
    normal.
    """
    n = len(sums)
    for i in range(n):
        for k in range(i):
            sums[i] -= factor[i, k] * sums[k]
        sums[i] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        x = sums[i] + normal[i]
        for k in range(i + 1, n):
            x -= factor[k, i] * normal[k]
        normal[i] = x / factor[i, i]


@nb.njit(
    "uint64(int64[:, ::1], int64[:, ::1], float64, float64[:, ::1], float64, uint64, uint64, "
    "float64[::1], float64[::1], float64[:, ::1], float64[::1])",
    cache=True,
    nogil=True,
)
def gibbs(
    wins: Int64Array,
    ties: Int64Array,
    noise: float,
    factor: FloatArray,
    radius_step: float,
    start: np.uint64,
    used: np.uint64,
    mu: FloatArray,
    radius: FloatArray,
    kept_mu: FloatArray,
    kept_radius: FloatArray,
) -> np.uint64:
    """Sweep once for each row of `kept_mu`; return the number of random numbers used so far.

    A sweep draws the radius given the abilities (Metropolis, latent differences integrated out;
    not if `radius_step` is 0), the latent difference of every comparison given both, and all
    abilities together given the differences. `factor` is the lower Cholesky factor of the
    abilities' precision given the differences, in units of `noise`.
    """
    n = len(mu)
    sums, normal = np.empty(n), np.empty(n)
    one = np.uint64(1)
    for sweep in range(len(kept_mu)):
        if radius_step > 0.0:
            proposed = radius[0] + radius_step * quantile(uniform(start, used))
            used += one
            if proposed > 0.0:
                gain = log_likelihood(wins, ties, mu, proposed, noise)
                gain -= log_likelihood(wins, ties, mu, radius[0], noise)
                if math.log(uniform(start, used)) < gain:
                    radius[0] = proposed
            used += one
        used = _latent_sums(wins, ties, mu, noise, radius[0] / noise, start, used, sums)
        for i in range(n):
            normal[i] = quantile(uniform(start, used))
            used += one
        _draw_together(factor, sums, normal)
        for i in range(n):
            mu[i] = noise * normal[i]
            kept_mu[sweep, i] = mu[i]
        kept_radius[sweep] = radius[0]
    return used

"""Compiled TrueSkill updates. Import the module inside functions: it imports numba.

Functions called from Python have explicit signatures, so that the first import compiles and caches
them.
"""

from __future__ import annotations

import math

import numpy as np

from optional_packages import numba as nb
from ranking.core.arrays import BoolArray, FloatArray, Int32Array, Int64Array, UInt64Array
from ranking.core.methods.normal_kernels import between, hazard, mix, pdf, stream, uniform

#: Columns of `Blocks` are read-only.
_KEYS = nb.types.Array(nb.uint64, 1, "C", readonly=True)


@nb.njit(cache=True, nogil=True)
def win_terms(x: float) -> tuple[float, float]:
    """Return v and w for a win, with x = (difference − margin) / c."""
    v = hazard(x)
    return v, v * (v + x)


@nb.njit(cache=True, nogil=True)
def draw_terms(t: float, margin: float) -> tuple[float, float]:
    """Return v and w for a draw between two systems with a difference of t, in units of c."""
    size = abs(t)
    a, b = margin - size, -margin - size
    p = between(b, a)
    if p <= 1e-300:
        # For a very unlikely draw, the performance difference is close to the nearer margin.
        v, w = a, 1.0
    else:
        at_a, at_b = pdf(a), pdf(b)
        v = (at_b - at_a) / p
        w = v * v + (a * at_a - b * at_b) / p
    return (-v if t < 0.0 else v), w


@nb.njit(cache=True, nogil=True)
def update(
    mu: FloatArray, var: FloatArray, i: int, j: int, tie: bool, beta2: float, margin: float
) -> None:
    """Update both systems after i beat j or tied with it."""
    c2 = 2.0 * beta2 + var[i] + var[j]
    c = math.sqrt(c2)
    t = (mu[i] - mu[j]) / c
    v, w = draw_terms(t, margin / c) if tie else win_terms(t - margin / c)
    mu[i] += var[i] / c * v
    mu[j] -= var[j] / c * v
    var[i] *= 1.0 - var[i] / c2 * w
    var[j] *= 1.0 - var[j] / c2 * w


@nb.njit(
    "void(float64[::1], float64[::1], int32[::1], int32[::1], boolean[::1], "
    "float64, float64, float64)",
    cache=True,
    nogil=True,
)
def one_pass(
    mu: FloatArray,
    var: FloatArray,
    first: Int32Array,
    second: Int32Array,
    tie: BoolArray,
    beta: float,
    margin: float,
    tau: float,
) -> None:
    """Update `mu` and `var` with comparisons in order: `first` beat or tied with `second`."""
    beta2, tau2 = beta * beta, tau * tau
    for k in range(len(first)):
        i, j = first[k], second[k]
        var[i] += tau2
        var[j] += tau2
        update(mu, var, i, j, tie[k], beta2, margin)


@nb.njit(cache=True, nogil=True)
def _opponent(
    system: int,
    total: Int64Array,
    e: FloatArray,
    inverse: FloatArray,
    chance: FloatArray,
    u: float,
) -> int:
    """Return an opponent drawn with probability ∝ exp(−|Δμ|) among those compared with the system.

    `e` holds exp(μ) and `inverse` exp(−μ), whose product is exp(−|Δμ|), so that exp is not called
    for every opponent of every match. `chance` is scratch.
    """
    n = len(e)
    mass = 0.0
    own, own_inverse = e[system], inverse[system]
    for k in range(n):
        chance[k] = min(own * inverse[k], e[k] * own_inverse) if total[system, k] > 0 else 0.0
        mass += chance[k]
    left = u * mass
    chosen = -1
    for k in range(n):
        if chance[k] > 0.0:
            chosen = k
            left -= chance[k]
            if left < 0.0:
                break
    return chosen


@nb.njit(
    "void(int64[:, :, ::1], int64[:, :, ::1], uint64, int64, float64, float64, float64, "
    "float64[:, ::1], float64[:, ::1])",
    cache=True,
    nogil=True,
)
def matched_runs(
    wins: Int64Array,
    ties: Int64Array,
    seed: np.uint64,
    first_run: int,
    sigma: float,
    beta_share: float,
    margin_in_beta: float,
    mu: FloatArray,
    var: FloatArray,
) -> None:
    """Fill in each row of `mu` and `var`, shape (R, n), with one run of WMT's procedure.

    `wins` and `ties` have shape (R, n, n), or (1, n, n) for the same comparisons in each run.
    """
    runs, n = mu.shape
    e, inverse, chance = np.empty(n), np.empty(n), np.empty(n)
    total = np.empty((n, n), dtype=np.int64)
    for run in range(runs):
        m, v = mu[run], var[run]
        sample = run if len(wins) > 1 else 0
        won, tied = wins[sample], ties[sample]
        matches = 0
        for i in range(n):
            e[i], inverse[i], m[i], v[i] = 1.0, 1.0, 0.0, -1.0
            for j in range(n):
                total[i, j] = 0 if i == j else won[i, j] + won[j, i] + tied[i, j]
                if total[i, j] > 0:
                    # Systems without any comparison keep a negative variance, so they are never
                    # chosen.
                    v[i] = sigma * sigma
                    matches += total[i, j]
        matches //= 2
        beta = sigma * matches * beta_share
        beta2, margin = beta * beta, margin_in_beta * beta
        start = stream(seed, np.uint64(first_run + run))
        for match in range(matches):
            i = int(np.argmax(v))
            j = _opponent(i, total, e, inverse, chance, uniform(start, np.uint64(2 * match)))
            # Draw one of the two systems' stored comparisons; only its outcome matters.
            drawn = uniform(start, np.uint64(2 * match + 1)) * total[i, j]
            if drawn < won[i, j]:
                update(m, v, i, j, False, beta2, margin)
            elif drawn < won[i, j] + won[j, i]:
                update(m, v, j, i, False, beta2, margin)
            else:
                update(m, v, i, j, True, beta2, margin)
            e[i], e[j] = math.exp(m[i]), math.exp(m[j])
            inverse[i], inverse[j] = 1.0 / e[i], 1.0 / e[j]


@nb.njit(
    nb.uint64[::1](_KEYS, nb.uint64, nb.int64),
    cache=True,
    nogil=True,
)
def shuffled(key: UInt64Array, seed: np.uint64, run: int) -> UInt64Array:
    """Return numbers for sorting units, each depending only on (seed, run, key of the unit)."""
    start = stream(seed, np.uint64(run))
    result = np.empty(len(key), dtype=np.uint64)
    for k in range(len(key)):
        result[k] = mix(key[k] ^ start)
    return result

"""Compiled TrueSkill updates. Import the module inside functions: it imports numba.

Functions called from Python have explicit signatures, so that the first import compiles and caches
them, next to this file or, if that folder is read-only, in ``NUMBA_CACHE_DIR`` or the user's cache
folder.
"""

import math
from typing import NamedTuple

import numpy as np

from optional_packages import numba as nb
from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    Int64Array,
    UInt64Array,
)

_SQRT_HALF = math.sqrt(0.5)
_INV_SQRT_2PI = 1 / math.sqrt(2 * math.pi)
#: Below this, Φ is computed by its asymptotic series: the error is below 1e-15, and `erfc` is still
#: far from underflow (at −37).
_FAR = -30.0

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30 = np.uint64(30)
_S27 = np.uint64(27)
_S31 = np.uint64(31)
_S12 = np.uint64(12)
# 52 bits and a half: with one bit more, the largest number would round to 1.
_UNIT = 2.0**-52


@nb.njit(cache=True, nogil=True)
def pdf(x: float) -> float:
    """Return the density of the standard normal distribution."""
    return _INV_SQRT_2PI * math.exp(-0.5 * x * x)


@nb.njit(cache=True, nogil=True)
def cdf(x: float) -> float:
    """Return the distribution function Φ of the standard normal distribution."""
    return 0.5 * math.erfc(-x * _SQRT_HALF)


@nb.njit(cache=True, nogil=True)
def hazard(x: float) -> float:
    """Return the derivative of log Φ, pdf(x) / cdf(x), for any x."""
    if x > _FAR:
        return pdf(x) / cdf(x)
    # 1 − 1/x² + 3/x⁴ − 15/x⁶ (Abramowitz & Stegun 26.2.12).
    inverse = 1.0 / (x * x)
    series = 1.0 - inverse * (1.0 - inverse * (3.0 - 15.0 * inverse))
    return -x / series


@nb.njit(cache=True, nogil=True)
def between(low: float, high: float) -> float:
    """Return Φ(high) − Φ(low) for low ≤ high, without cancellation in the upper tail."""
    if low > 0.0:
        return cdf(-low) - cdf(-high)
    return cdf(high) - cdf(low)


@nb.njit(cache=True, nogil=True)
def mix(state: np.uint64) -> np.uint64:
    """Return 64 bits scrambled by the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    z = state
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@nb.njit(cache=True, nogil=True)
def uniform(start: np.uint64, index: np.uint64) -> float:
    """Return random number `index` of a stream, above 0 and below 1."""
    state = start + (index + np.uint64(1)) * _GAMMA
    bits = mix(state) >> _S12
    return (float(bits) + 0.5) * _UNIT


@nb.njit(cache=True, nogil=True)
def win_terms(x: float) -> tuple[float, float]:
    """Return v and w for a win, with x = (difference − margin) / c."""
    v = hazard(x)
    return v, v * (v + x)


@nb.njit(cache=True, nogil=True)
def draw_terms(t: float, margin: float) -> tuple[float, float]:
    """Return v and w for a draw between two systems with a difference of t, in units of c."""
    size = abs(t)
    a = margin - size
    b = -margin - size
    p = between(b, a)
    if p <= 1e-300:
        # For a very unlikely draw, the performance difference is close to the nearer margin.
        v = a
        w = 1.0
    else:
        at_a = pdf(a)
        at_b = pdf(b)
        v = (at_b - at_a) / p
        w = v * v + (a * at_a - b * at_b) / p
    if t < 0.0:
        v = -v
    return v, w


class Noise(NamedTuple):
    """Standard deviation of the noise on each side of a game, β, and the margin of a draw, ε."""

    beta: float
    margin: float


@nb.njit(cache=True, nogil=True)
def update(
    mu: FloatArray,
    var: FloatArray,
    i: int,
    j: int,
    tie: bool,
    noise: Noise,
) -> None:
    """Update both systems after i beat j or tied with it."""
    beta2 = noise.beta * noise.beta
    c2 = 2.0 * beta2 + var[i] + var[j]
    c = math.sqrt(c2)
    t = (mu[i] - mu[j]) / c
    margin = noise.margin / c
    if tie:
        v, w = draw_terms(t, margin)
    else:
        v, w = win_terms(t - margin)
    mu[i] += var[i] / c * v
    mu[j] -= var[j] / c * v
    var[i] *= 1.0 - var[i] / c2 * w
    var[j] *= 1.0 - var[j] / c2 * w


_NOISE = nb.types.NamedUniTuple(nb.float64, 2, Noise)  # type: ignore[no-untyped-call]
_FLOATS = nb.float64[::1]
_SYSTEMS = nb.int32[::1]


@nb.njit(
    nb.void(_FLOATS, _FLOATS, _SYSTEMS, _SYSTEMS, nb.boolean[::1], _NOISE),
    cache=True,
    nogil=True,
)
def one_pass(
    mu: FloatArray,
    var: FloatArray,
    first: Int32Array,
    second: Int32Array,
    tie: BoolArray,
    noise: Noise,
) -> None:
    """Update `mu` and `var` with comparisons in order: `first` beat or tied with `second`."""
    for k in range(len(first)):
        update(mu, var, first[k], second[k], tie[k], noise)


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
    own = e[system]
    own_inverse = inverse[system]
    for k in range(n):
        if total[system, k] > 0:
            chance[k] = min(own * inverse[k], e[k] * own_inverse)
        else:
            chance[k] = 0.0
        mass += chance[k]
    remaining = u * mass
    chosen = -1
    for k in range(n):
        if chance[k] > 0.0:
            chosen = k
            remaining -= chance[k]
            if remaining < 0.0:
                break
    return chosen


_COUNTS = nb.int64[:, ::1]


@nb.njit(
    nb.void(_COUNTS, _COUNTS, nb.uint64[::1], nb.float64, _NOISE, nb.float64[:, ::1]),
    cache=True,
    nogil=True,
)
def matched_runs(
    wins: Int64Array,
    total: Int64Array,
    starts: UInt64Array,
    sigma: float,
    noise: Noise,
    mu: FloatArray,
) -> None:
    """Fill in each row of `mu`, shape (R, n), with one run of WMT's procedure.

    `wins` and `total`, the comparisons of each pair, have shape (n, n); `starts` are the initial
    states of the runs' random numbers.
    """
    n = len(wins)
    v = np.empty(n)
    e = np.empty(n)
    inverse = np.empty(n)
    chance = np.empty(n)
    matches = total.sum() // 2
    for run in range(len(mu)):
        m = mu[run]
        start = starts[run]
        m[:] = 0.0
        e[:] = 1.0
        inverse[:] = 1.0
        # Systems without any comparison keep a negative variance, so they are never chosen.
        v[:] = -1.0
        for i in range(n):
            if total[i].any():
                v[i] = sigma * sigma
        for match in range(matches):
            i = int(np.argmax(v))
            drawn = uniform(start, np.uint64(2 * match))
            j = _opponent(i, total, e, inverse, chance, drawn)
            # Draw one of the two systems' stored comparisons; only its outcome matters.
            drawn = uniform(start, np.uint64(2 * match + 1)) * total[i, j]
            won = wins[i, j]
            if drawn < won:
                update(m, v, i, j, False, noise)
            elif drawn < won + wins[j, i]:
                update(m, v, j, i, False, noise)
            else:
                update(m, v, i, j, True, noise)
            for system in (i, j):
                e[system] = math.exp(m[system])
                inverse[system] = 1.0 / e[system]

"""Compiled functions of the normal distribution, and random numbers, for the ability methods.

Import this module inside the function that needs it, because it imports numba. The kernels are
compiled on first use and cached on disk, next to this file or, if that folder is read-only, in
``NUMBA_CACHE_DIR`` or the user's cache folder.

All functions take and return single numbers; the loops are in the kernels of each method.
"""

from __future__ import annotations

import math

import numpy as np

from optional_packages import numba as nb

_SQRT_HALF = math.sqrt(0.5)
_INV_SQRT_2PI = 1 / math.sqrt(2 * math.pi)
#: Below this, Φ is computed by its asymptotic series: the error is below 1e-15, and `erfc` is still
#: far from underflow (at −37).
_FAR = -30.0

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S12 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(12)
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
    inverse = 1.0 / (x * x)
    return -x / (1.0 - inverse * (1.0 - inverse * (3.0 - 15.0 * inverse)))


@nb.njit(cache=True, nogil=True)
def log_cdf(x: float) -> float:
    """Return the logarithm of Φ, for any x."""
    if x > _FAR:
        return math.log(cdf(x))
    return -0.5 * x * x + math.log(_INV_SQRT_2PI / hazard(x))


@nb.njit(cache=True, nogil=True)
def between(low: float, high: float) -> float:
    """Return Φ(high) − Φ(low) for low ≤ high, without cancellation in the upper tail."""
    if low > 0.0:
        return cdf(-low) - cdf(-high)
    return cdf(high) - cdf(low)


@nb.njit(cache=True, nogil=True)
def quantile(p: float) -> float:
    """Return the inverse of Φ for 0 < p < 1, to about 1e-16 (Wichura 1988, AS 241, PPND16)."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        # fmt: off
        num = (((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r
                    + 6.7265770927008700853e4) * r + 4.5921953931549871457e4) * r
                  + 1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r
                + 1.3314166789178437745e2) * r + 3.3871328727963666080e0)
        den = (((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r
                    + 3.9307895800092710610e4) * r + 2.1213794301586595867e4) * r
                  + 5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r
                + 4.2313330701600911252e1) * r + 1.0)
        # fmt: on
        return q * num / den
    r = math.sqrt(-math.log(p if q < 0.0 else 1.0 - p))
    if r <= 5.0:
        r -= 1.6
        # fmt: off
        num = (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r
                    + 2.41780725177450611770e-1) * r + 1.27045825245236838258e0) * r
                  + 3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r
                + 4.63033784615654529590e0) * r + 1.42343711074968357734e0)
        den = (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r
                    + 1.51986665636164571966e-2) * r + 1.48103976427480074590e-1) * r
                  + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r
                + 2.05319162663775882187e0) * r + 1.0)
        # fmt: on
    else:
        r -= 5.0
        # fmt: off
        num = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r
                    + 1.24266094738807843860e-3) * r + 2.65321895265761230930e-2) * r
                  + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r
                + 5.46378491116411436990e0) * r + 6.65790464350110377720e0)
        den = (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r
                    + 1.84631831751005468180e-5) * r + 7.86869131145613259100e-4) * r
                  + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r
                + 5.99832206555887937690e-1) * r + 1.0)
        # fmt: on
    return -num / den if q < 0.0 else num / den


@nb.njit(cache=True, nogil=True)
def mix(state: np.uint64) -> np.uint64:
    """Return 64 bits scrambled by the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    z = state
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@nb.njit("uint64(uint64, uint64)", cache=True, nogil=True)
def stream(seed: np.uint64, run: np.uint64) -> np.uint64:
    """Return the start of a run's random numbers, which depends only on (seed, run)."""
    return mix(run ^ mix(seed + _GAMMA))


@nb.njit(cache=True, nogil=True)
def uniform(start: np.uint64, index: np.uint64) -> float:
    """Return random number `index` of a stream, above 0 and below 1."""
    bits = mix(start + (index + np.uint64(1)) * _GAMMA) >> _S12
    return (float(bits) + 0.5) * _UNIT

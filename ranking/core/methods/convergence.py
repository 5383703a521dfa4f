"""Convergence of Markov chains: split R̂ and effective sample size (Gelman et al. 2013, §11.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


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
    # Constant chains at different values have no variance within.
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
        Between 0 and C·S; C·S for a quantity that is constant.
    """
    halves = _halves(draws)
    chains, length, quantities = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    # Autocovariances of all lags at once, by a Fourier transform with padding.
    spectrum = np.abs(np.fft.rfft(centred, 2 * length, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, 2 * length, axis=1)[:, :length].mean(axis=0) / length
    within = covariance[0] * length / (length - 1)
    pooled = covariance[0] + halves.mean(axis=1).var(axis=0, ddof=1)
    result = np.full(quantities, float(chains * length))
    for m in np.flatnonzero(pooled > 0).tolist():
        rho = 1 - (within[m] - covariance[:, m]) / pooled[m]
        rho[0] = 1.0
        # Geyer: sums of neighbouring lags are positive and decrease; noise begins where they do
        # not.
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

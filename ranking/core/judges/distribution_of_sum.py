"""The distribution of a sum of many independent trials of a few kinds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: A sum of trials with ranges r exceeds its mean by √(Σ r² / 2) times this with a probability below
#: 1e-18 (Hoeffding 1963).
_HOEFFDING = float(np.sqrt(np.log(2e18)))

#: Frequencies at which the logarithm of the transform is below this have no share in the result.
_NEGLIGIBLE = float(np.log(1e-20))

#: Up to this share of the frequencies, it is faster to compute each than to compute all together.
_FEW = 0.1


def tail_of_sum(values: Int64Array, shares: FloatArray, trials: Int64Array, at_least: int) -> float:
    """Return the probability that independent trials sum to so much or more.

    The distribution of the sum is a product of discrete Fourier transforms. Only likely sums are
    told apart: all others together have a probability below 1e-18. With many trials the transform
    is negligible at most frequencies, and only the others are computed for all kinds of trials.

    Parameters
    ----------
    values : int64, shape (K, V)
        The V possible outcomes of each kind of trial.
    shares : float64, shape (K, V)
        Their probabilities; 0 for outcomes that are not possible.
    trials : int64, shape (K,)
        Number of trials of each kind.
    at_least : int

    Returns
    -------
    float
        With an absolute error below 1e-9 for a hundred thousand trials.

    References
    ----------
    W. Hoeffding (1963), Probability Inequalities for Sums of Bounded Random Variables, JASA 58.
    """
    possible = shares > 0
    smallest = np.min(values, axis=1, where=possible, initial=np.iinfo(np.int64).max)
    largest = np.max(values, axis=1, where=possible, initial=np.iinfo(np.int64).min)
    mean = float(trials @ (values * shares).sum(axis=1))
    reach = _HOEFFDING * float(np.sqrt(trials @ (largest - smallest) ** 2 / 2))
    low = max(int(trials @ smallest), int(np.floor(mean - reach)))
    high = min(int(trials @ largest), int(np.ceil(mean + reach)))
    if not low < at_least <= high:
        return float(at_least <= low)
    size = 1 << (high - low).bit_length()
    transform = np.zeros(size // 2 + 1, dtype=np.complex128)
    frequencies, product = _product(values, shares, trials, size)
    transform[frequencies] = product
    # The transform is periodic: the sum s stands at s modulo its size.
    distribution = np.fft.irfft(transform, size)
    return float(np.sum(distribution[np.arange(at_least, high + 1) % size]))


def _product(
    values: Int64Array, shares: FloatArray, trials: Int64Array, size: int
) -> tuple[Int64Array, npt.NDArray[np.complex128]]:
    """Return the frequencies that matter, and the transform of the sum there."""
    kept = np.arange(size // 2 + 1)
    product = np.ones(len(kept), dtype=np.complex128)
    logarithm = np.zeros(len(kept))
    for kind in np.argsort(-trials, kind="stable").tolist():
        times = int(trials[kind])
        of_trial = _transform(values[kind], shares[kind], kept, size)
        logarithm = logarithm + times * np.log(np.maximum(np.abs(of_trial), np.finfo(float).tiny))
        alive = np.flatnonzero(logarithm > _NEGLIGIBLE)
        kept, logarithm = kept[alive], logarithm[alive]
        product = product[alive] * of_trial[alive] ** times
    return kept, product


def _transform(
    values: Int64Array, shares: FloatArray, frequencies: Int64Array, size: int
) -> npt.NDArray[np.complex128]:
    """Return the transform of a trial's distribution at some frequencies."""
    if len(frequencies) > _FEW * size:
        distribution = np.zeros(size)
        np.add.at(distribution, values % size, shares)
        return np.fft.rfft(distribution)[frequencies]
    angles = (frequencies[:, np.newaxis] * values) * (-2 * np.pi / size)
    return np.asarray(np.exp(1j * angles) @ shares)

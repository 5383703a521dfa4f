"""Test whether a campaign's systems are spread as in the model of its budget."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.methods.expected_wins import expected_wins

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Directions in which points spread by less than this share of the largest spread are left out.
_NEGLIGIBLE = 1e-6


def sorted_expected_wins(wins: Int64Array) -> Float64Array:
    """Return the Expected Wins of all systems, best first.

    Parameters
    ----------
    wins : int64, shape (..., n, n)

    Returns
    -------
    float64, shape (..., n)
        A system without a decided comparison counts as one that wins half of them.
    """
    scores = expected_wins(wins)
    values: Float64Array = np.sort(np.where(scores.estimable, scores.values, 0.5), axis=-1)
    return values[..., ::-1]


def spread_p_value(spread: Float64Array, simulated: Float64Array) -> float:
    """Return the p-value of the test that a campaign's systems are spread as in simulated ones.

    The campaign and the E simulated ones are E + 1 points in n dimensions. The statistic is the
    squared Mahalanobis distance from their common mean, by their common covariance. If the campaign
    comes from the model of the simulated ones, all ranks of its distance are equally likely, so the
    test has its level for any distribution of the points.

    Parameters
    ----------
    spread : float64, shape (n,)
        Expected Wins of the campaign, best first.
    simulated : float64, shape (E, n)
        Expected Wins of simulated campaigns with as many judgments.

    Returns
    -------
    float
        Share of the E + 1 distances that are at least the campaign's; at least 1 / (E + 1).
    """
    points = np.vstack([spread, simulated])
    centred = points - points.mean(axis=0)
    inverse = np.linalg.pinv(centred.T @ centred / len(points), rcond=_NEGLIGIBLE, hermitian=True)
    distance = np.einsum("ei,ij,ej->e", centred, inverse, centred)
    # Distances have rounding errors, which must not separate equal points.
    return float(np.mean(distance >= distance[0] * (1 - 1e-9)))

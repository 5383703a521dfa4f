"""Whether a campaign's systems are spread as in the model that its budget is planned with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.methods.expected_wins import expected_wins

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Directions in which points spread less than this share of the most are left out.
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
    """Test whether a campaign's spread of systems could be one of the simulated ones.

    The campaign and the E simulated ones are E + 1 points in n dimensions. The statistic is the
    squared Mahalanobis distance from their common mean, by their common covariance. If the campaign
    comes from the model of the simulated ones, its distance has each rank among them with equal
    probability, so the test holds its level whatever the distribution of the points is.

    Parameters
    ----------
    spread : float64, shape (n,)
        Expected Wins of the campaign, best first.
    simulated : float64, shape (E, n)
        Of campaigns of the model, as long as this one.

    Returns
    -------
    float
        Share of the E + 1 distances that are at least the campaign's; 1 / (E + 1) at the least.
    """
    points = np.vstack([spread, simulated])
    centred = points - points.mean(axis=0)
    inverse = np.linalg.pinv(centred.T @ centred / len(points), rcond=_NEGLIGIBLE, hermitian=True)
    distance = np.einsum("ei,ij,ej->e", centred, inverse, centred)
    # Distances are sums of rounded products; equal points must not differ by that.
    return float(np.mean(distance >= distance[0] * (1 - 1e-9)))

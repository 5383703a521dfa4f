"""How far counts move the abilities of the relative-ability model."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from ranking.core.counting.counts import Layout
from ranking.core.methods.ability import is_compared
from ranking.core.methods.hopkins_may.model import HopkinsMayModel, posterior_modes

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


def gradient(wins: Int64Array, ties: Int64Array, *, model: HopkinsMayModel) -> FloatArray:
    """Return how far each further comparison moves the centred abilities.

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
        without a mode: if it did not converge, or if there are only ties.
    """
    n = len(wins)
    cells = np.zeros((n, Layout(n, ties=True).size))
    found = posterior_modes(wins[np.newaxis], ties[np.newaxis], model)
    if not found.converged[0] or (model.radius is None and not wins.any()):
        return cells
    known = is_compared(wins, ties)
    both = np.outer(known, known) & ~np.eye(n, dtype=np.bool_)
    # A radius that is not fitted has no other curvature than its own, and moves nothing.
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

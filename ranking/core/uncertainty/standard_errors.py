"""Standard errors of scores: the clustered sandwich estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout, count
from ranking.core.counting.moments import ClusterUnit, moments_of_blocks, unit_counts, units_of
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty.two_way import two_way_covariance

FloatArray = npt.NDArray[np.float64]


def standard_errors(
    blocks: Blocks, layout: Layout, influence: FloatArray, clusters: Level
) -> FloatArray:
    """Estimate the standard deviation of scores over campaigns like this one.

    A score changes by about ψ(b) = Σ influence · (counts of block b) if block b is drawn again.
    Blocks of a cluster are drawn together, so their ψ are summed before they are squared:

        V = Σ over clusters c of (Σ over blocks b in c of ψ(b))²

    For a maximum of likelihood this is the sandwich with clusters, information⁻¹ · (Σ scores
    scoresᵀ) · information⁻¹, and is valid even if the model is not (White 1982). The ψ are
    deviations from an estimate based on the same data, so V is multiplied by G / (G − 1) for the
    effective number G of clusters (`ranking.core.counting.moments.Moments.effective`). "pairs"
    takes each comparison for a separate cluster, without this factor; "two_way" is
    `ranking.core.uncertainty.two_way`.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    layout : Layout
        The m cells that the scores are computed from.
    influence : float64, shape (n, m)
        Change of each score with one more in each cell.
    clusters : "pairs", "blocks", "segments", "judges" or "two_way"

    Returns
    -------
    float64, shape (n,)
        0 with only one cluster, which does not show how clusters differ.

    Raises
    ------
    ValueError
        If `clusters` is none of these.

    References
    ----------
    H. White (1982), Maximum Likelihood Estimation of Misspecified Models, Econometrica 50.
    """
    if clusters not in LEVELS:
        raise ValueError(f"clusters: {clusters!r} is none of {', '.join(LEVELS)}")
    if clusters == "pairs":
        variance = influence**2 @ count(blocks, layout)
    elif clusters == "two_way":
        moments = moments_of_blocks(blocks, layout)
        variance = np.diagonal(two_way_covariance(moments, influence[:, layout.used]).matrix)
    else:
        variance = _one_way(blocks, layout, influence[:, layout.used], clusters)
    return np.asarray(np.sqrt(np.maximum(variance, 0)))


def errors_by_system(
    systems: tuple[str, ...], clusters: Level, errors: FloatArray
) -> dict[str, Any]:
    """Return standard errors as plain JSON.

    Parameters
    ----------
    systems : tuple of str, length n
    clusters : Level
        Units taken for independent.
    errors : float64, shape (n,)

    Returns
    -------
    dict
        "clusters", and "values" by system. Systems whose score no comparison moves are left out,
        such as one at infinite distance from all others.
    """
    values = {systems[i]: float(errors[i]) for i in np.flatnonzero(errors > 0).tolist()}
    return {"clusters": clusters, "values": values}


def _one_way(
    blocks: Blocks, layout: Layout, influence: FloatArray, unit: ClusterUnit
) -> FloatArray:
    """Return variances with one kind of unit independent, without computing k² second moments."""
    # Sums of floats depend on their order, results must not: blocks are sorted by key.
    blocks = blocks.take(np.argsort(blocks.key, kind="stable"))
    number = np.unique(units_of(blocks, unit), return_inverse=True)[1]
    counts = unit_counts(blocks, layout, number)
    size = np.asarray(counts.T @ np.ones(counts.shape[0]))
    effective = size.sum() ** 2 / max(1.0, float((size**2).sum()))
    if effective <= 1:
        return np.zeros(len(influence))
    moves = np.asarray(counts.T @ influence.T)
    return np.asarray((moves**2).sum(axis=0) * (effective / (effective - 1)))

"""Standard errors of scores over a chosen kind of units.

Standard errors of scores: the clustered sandwich estimator.

Covariances of scores that are not a function of counts, from the influence of each block.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import (
    Layout,
    count,
    counts_per_block,
    effective_number_from,
    effective_number_of_units,
)
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    MIN_UNITS,
    ClusterUnit,
    Moments,
    moments_of_blocks,
    second_moments,
    two_way_units,
    units_of,
)
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty.two_way import (
    ClusteredCovariance,
    ScoreCovariance,
    combined_covariance,
    two_way_covariance,
)


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
    moments: Moments | Int64Array | None = None
    if clusters == "two_way":
        moments = moments_of_blocks(blocks, layout)
    elif clusters != "pairs":
        moments = second_moments(blocks, layout, units_of(blocks, clusters))
    return standard_errors_of_counts(count(blocks, layout), layout, influence, moments)


def standard_errors_of_counts(
    cells: Int64Array,
    layout: Layout,
    influence: FloatArray,
    moments: Moments | Int64Array | None,
) -> FloatArray:
    """Estimate what `standard_errors` does, from counts alone.

    Parameters
    ----------
    cells : int64, shape (m,)
        Counts of all blocks.
    layout : Layout
        Of `cells`.
    influence : float64, shape (n, m)
    moments : Moments, int64 of shape (k, k), or None
        Second moments of the counts of the clusters, for the k used cells; None for pairs.

    Returns
    -------
    float64, shape (n,)
    """
    if moments is None:
        variance = influence**2 @ cells
    elif isinstance(moments, Moments):
        variance = np.diagonal(two_way_covariance(moments, influence[:, layout.used]).matrix)
    else:
        variance = _one_way(int(cells.sum()), moments, influence[:, layout.used])
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


def _one_way(total: int, moments: Int64Array, influence: FloatArray) -> FloatArray:
    """Return variances with one kind of unit independent; `total` is the sum of all counts."""
    effective = effective_number_from(total, int(moments.sum()))
    if effective <= 1:
        return np.zeros(len(influence))
    # Formulas add floats in the order of memory: it must be the same wherever counts are from.
    products = np.ascontiguousarray(moments).astype(np.float64)
    variance = np.einsum("ik,ik->i", influence @ products, influence)
    return np.asarray(variance * (effective / (effective - 1)))


def covariance_of_block_influence(blocks: Blocks, influence: FloatArray) -> ScoreCovariance:
    """Estimate the covariance of scores over segments and judges.

    This is `ranking.core.uncertainty.two_way.two_way_covariance` for scores that are not a function
    of counts.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    influence : float64, shape (B, n)
        Influence of each block on each score.

    Returns
    -------
    ScoreCovariance
    """
    blocks, influence = _in_order(blocks, influence)
    of_blocks, segments, judges = (
        _clustered(blocks, influence, two_way_units(blocks, unit)) for unit in CLUSTER_UNITS
    )
    if blocks.document is None or segments.effective >= MIN_UNITS:
        return combined_covariance(of_blocks, segments, judges)
    of_blocks, segments = (
        _clustered(blocks, influence, units_of(blocks, unit)) for unit in ("blocks", "segments")
    )
    return combined_covariance(of_blocks, segments, judges, few_documents=True)


def standard_errors_of_block_influence(
    blocks: Blocks, influence: FloatArray, clusters: Level
) -> FloatArray:
    """Estimate the standard deviation of scores over campaigns like this one.

    Parameters
    ----------
    blocks : Blocks
    influence : float64, shape (B, n)
    clusters : "pairs", "blocks", "segments", "judges" or "two_way"
        Units taken for independent. "pairs" means "blocks", because influences are of blocks.

    Returns
    -------
    float64, shape (n,)
    """
    if clusters == "two_way":
        matrix = covariance_of_block_influence(blocks, influence).matrix
    else:
        unit: ClusterUnit = "blocks" if clusters == "pairs" else clusters
        blocks, influence = _in_order(blocks, influence)
        matrix = _clustered(blocks, influence, units_of(blocks, unit)).matrix
    return np.asarray(np.sqrt(np.maximum(0, np.diag(matrix))))


def _in_order(blocks: Blocks, influence: FloatArray) -> tuple[Blocks, FloatArray]:
    """Return blocks sorted by key: sums of floats depend on the order, results must not."""
    order = np.argsort(blocks.key, kind="stable")
    return blocks.take(order), influence[order]


def _clustered(blocks: Blocks, influence: FloatArray, unit: Int64Array) -> ClusteredCovariance:
    number = np.unique(unit, return_inverse=True)[1]
    units = int(number.max(initial=-1)) + 1
    summed = np.zeros((units, influence.shape[1]))
    np.add.at(summed, number, influence)
    comparisons = counts_per_block(blocks, Layout(len(blocks.systems), ties=True))
    effective = effective_number_of_units(number, comparisons)
    if effective <= 1:
        return ClusteredCovariance(np.zeros((influence.shape[1],) * 2), effective)
    return ClusteredCovariance(summed.T @ summed * (effective / (effective - 1)), effective)

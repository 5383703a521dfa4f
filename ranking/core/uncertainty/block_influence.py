"""Covariances of scores that are not a function of counts, from the influence of each block."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.effective_numbers import counts_per_block, effective_number_of_units
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    MIN_UNITS,
    ClusterUnit,
    two_way_units,
    units_of,
)
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty.two_way import (
    ClusteredCovariance,
    ScoreCovariance,
    combined_covariance,
)

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


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

"""Estimate covariances of scores that are no function of counts, from the influence of each block."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.counting.moments import CLUSTER_UNITS, ClusterUnit, units_of
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty.two_way import (
    ClusteredCovariance,
    ScoreCovariance,
    combined_covariance,
)

FloatArray = npt.NDArray[np.float64]


def covariance_of_block_influence(blocks: Blocks, influence: FloatArray) -> ScoreCovariance:
    """Estimate the covariance of scores over segments and judges.

    As `ranking.core.uncertainty.two_way.two_way_covariance`, for scores that are no function of counts.

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
    of_blocks, segments, judges = (_clustered(blocks, influence, unit) for unit in CLUSTER_UNITS)
    return combined_covariance(of_blocks, segments, judges)


def standard_errors_of_block_influence(
    blocks: Blocks, influence: FloatArray, clusters: Level
) -> FloatArray:
    """Estimate the standard deviation of scores over campaigns like this one.

    Parameters
    ----------
    blocks : Blocks
    influence : float64, shape (B, n)
    clusters : "pairs", "blocks", "segments", "judges" or "two_way"
        Units of the variance. Influences are of blocks: "pairs" is taken for "blocks".

    Returns
    -------
    float64, shape (n,)
    """
    if clusters == "two_way":
        matrix = covariance_of_block_influence(blocks, influence).matrix
    else:
        matrix = _clustered(blocks, influence, "blocks" if clusters == "pairs" else clusters).matrix
    return np.asarray(np.sqrt(np.maximum(0, np.diag(matrix))))


def _clustered(blocks: Blocks, influence: FloatArray, unit: ClusterUnit) -> ClusteredCovariance:
    # Sums of floats depend on their order, results must not: blocks go in the order of their keys.
    order = np.argsort(blocks.key, kind="stable")
    number = np.unique(units_of(blocks.take(order), unit), return_inverse=True)[1]
    units = int(number.max(initial=-1)) + 1
    summed = np.zeros((units, influence.shape[1]))
    np.add.at(summed, number, influence[order])
    size = np.zeros(units)
    labelled = np.count_nonzero(blocks.labels[order] > 0, axis=1)
    np.add.at(size, number, labelled * (labelled - 1) / 2)
    squares = float((size**2).sum())
    effective = float(size.sum()) ** 2 / squares if squares else 0.0
    if effective <= 1:
        return ClusteredCovariance(np.zeros((influence.shape[1],) * 2), effective)
    return ClusteredCovariance(summed.T @ summed * (effective / (effective - 1)), effective)

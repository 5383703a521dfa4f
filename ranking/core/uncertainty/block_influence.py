"""Covariance of scores that are no function of counts, from how far each block moves them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.counting.moments import FEWEST_UNITS, UNITS, Unit, two_way_units, units_of
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty.two_way import (
    ClusteredCovariance,
    ScoreCovariance,
    combined_covariance,
)

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


def covariance_of_moves(blocks: Blocks, moves: FloatArray) -> ScoreCovariance:
    """Estimate the covariance of scores over segments and judges.

    As `ranking.core.uncertainty.two_way.two_way_covariance`, for scores that are no function of counts.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    moves : float64, shape (B, n)
        How far each block moves each score.

    Returns
    -------
    ScoreCovariance
    """
    blocks, moves = _in_order(blocks, moves)
    of_blocks, segments, judges = (
        _clustered(blocks, moves, two_way_units(blocks, unit)) for unit in UNITS
    )
    if blocks.document is None or segments.effective >= FEWEST_UNITS:
        return combined_covariance(of_blocks, segments, judges)
    of_blocks, segments = (
        _clustered(blocks, moves, units_of(blocks, unit)) for unit in ("blocks", "segments")
    )
    return combined_covariance(of_blocks, segments, judges, few_documents=True)


def standard_errors_of_moves(blocks: Blocks, moves: FloatArray, clusters: Level) -> FloatArray:
    """Estimate the standard deviation of scores over campaigns like this one.

    Parameters
    ----------
    blocks : Blocks
    moves : float64, shape (B, n)
    clusters : "pairs", "blocks", "segments", "judges" or "two_way"
        What is drawn anew as a whole. Moves are of blocks: "pairs" is taken for "blocks".

    Returns
    -------
    float64, shape (n,)
    """
    if clusters == "two_way":
        matrix = covariance_of_moves(blocks, moves).matrix
    else:
        unit: Unit = "blocks" if clusters == "pairs" else clusters
        blocks, moves = _in_order(blocks, moves)
        matrix = _clustered(blocks, moves, units_of(blocks, unit)).matrix
    return np.asarray(np.sqrt(np.maximum(0, np.diag(matrix))))


def _in_order(blocks: Blocks, moves: FloatArray) -> tuple[Blocks, FloatArray]:
    """Put blocks in the order of their keys: sums of floats depend on it, results must not."""
    order = np.argsort(blocks.key, kind="stable")
    return blocks.take(order), moves[order]


def _clustered(blocks: Blocks, moves: FloatArray, unit: Int64Array) -> ClusteredCovariance:
    number = np.unique(unit, return_inverse=True)[1]
    units = int(number.max(initial=-1)) + 1
    summed = np.zeros((units, moves.shape[1]))
    np.add.at(summed, number, moves)
    size = np.zeros(units)
    labelled = np.count_nonzero(blocks.labels > 0, axis=1)
    np.add.at(size, number, labelled * (labelled - 1) / 2)
    squares = float((size**2).sum())
    effective = float(size.sum()) ** 2 / squares if squares else 0.0
    if effective <= 1:
        return ClusteredCovariance(np.zeros((moves.shape[1],) * 2), effective)
    return ClusteredCovariance(summed.T @ summed * (effective / (effective - 1)), effective)

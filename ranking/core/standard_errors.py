"""Standard errors of estimates from counts: the sandwich, clustered by what is drawn together."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ranking.core.blocks import Blocks
from ranking.core.counts import Layout, count
from ranking.core.tallies import chunks

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

Clusters = Literal["pairs", "blocks", "segments", "judges", "two_way"]
CLUSTERS: tuple[Clusters, ...] = get_args(Clusters)

_BLOCKS_AT_A_TIME = 1024


def standard_errors(
    blocks: Blocks, layout: Layout, gradient: FloatArray, clusters: Clusters
) -> FloatArray:
    """Estimate the standard deviation of estimates over campaigns like this one.

    An estimate from counts moves by about ψ(b) = Σ gradient · (what block b adds) when block b is
    drawn again. What is drawn together moves it together, so the ψ of the blocks of a cluster are
    added up before they are squared:

        V = Σ over clusters c of (Σ over blocks b in c of ψ(b))²

    For a maximum of likelihood this is the sandwich (information⁻¹ · scores scoresᵀ ·
    information⁻¹) with clusters. "pairs" takes each comparison for a cluster of its own. "two_way"
    allows for segments and for judges at once: V_segments + V_judges − V_both, where the clusters
    of V_both are the blocks that share segment and judge. (Where judges or segments are few that
    can come out at 0 or less; then the larger one of V_segments and V_judges is taken.)

    With G clusters V is multiplied by G / (G − 1), except for pairs: the ψ are deviations from an
    estimate that rests on them.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    layout : Layout
        m cells.
    gradient : float64, shape (k, m)
        Derivatives of k estimates by the counts, for instance of n abilities.
    clusters : "pairs", "blocks", "segments", "judges" or "two_way"

    Returns
    -------
    float64, shape (k,)
        NaN if there is but one cluster: one draw does not say how draws differ.

    Raises
    ------
    ValueError
        If there are no clusters of that name.

    References
    ----------
    H. White (1982), Maximum Likelihood Estimation of Misspecified Models, Econometrica 50.
    A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), Robust Inference with Multiway Clustering,
    Journal of Business & Economic Statistics 29.
    """
    if clusters not in CLUSTERS:
        raise ValueError(f"clusters: {clusters!r} is none of {', '.join(CLUSTERS)}")
    if clusters == "pairs":
        return np.sqrt(gradient**2 @ count(blocks, layout))
    # Sums of floats depend on their order, results must not: blocks go in the order of their keys.
    blocks = blocks.take(np.argsort(blocks.key, kind="stable"))
    moves = _moves(blocks, layout, gradient)
    if clusters == "blocks":
        return np.sqrt(_variance(moves, np.arange(len(blocks))))
    _, segment = np.unique(blocks.segment, return_inverse=True)
    _, judge = np.unique(blocks.judge, return_inverse=True)
    if clusters == "segments":
        return np.sqrt(_variance(moves, segment))
    if clusters == "judges":
        return np.sqrt(_variance(moves, judge))
    of_segments, of_judges = _variance(moves, segment), _variance(moves, judge)
    both = of_segments + of_judges - _variance(moves, segment * (judge.max(initial=0) + 1) + judge)
    return np.sqrt(np.where(both > 0, both, np.maximum(of_segments, of_judges)))


def _moves(blocks: Blocks, layout: Layout, gradient: FloatArray) -> FloatArray:
    """Return how far each block moves each estimate, shape (B, k)."""
    parts = [
        layout.of_blocks(blocks.take(rows)).astype(np.float64).T @ gradient.T
        for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME)
    ]
    return np.concatenate([np.zeros((0, len(gradient))), *parts])


def _variance(moves: FloatArray, cluster: IntArray) -> FloatArray:
    """Add up moves by cluster, and their squares over clusters, shape (k,)."""
    _, number = np.unique(cluster, return_inverse=True)
    count_of = int(number.max(initial=-1)) + 1
    if count_of < 2:
        return np.full(moves.shape[1], np.nan)
    sums = np.zeros((count_of, moves.shape[1]))
    np.add.at(sums, number, moves)
    variance: FloatArray = (sums**2).sum(axis=0) * (count_of / (count_of - 1))
    return variance

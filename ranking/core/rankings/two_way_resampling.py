"""Resampling of segments and judges for methods whose scores have no influence values.

Resampling segments and judges both, with the product of their weights, gives the variance
V_segments + V_judges + V_blocks: too much. If each unit is drawn only with probability a, it is
a (V_segments + V_judges) + a² V_blocks; a is chosen so that for the scores of Expected Wins, which
every campaign has, its trace is that of `ranking.core.uncertainty.two_way.two_way_covariance`.
"""

from __future__ import annotations

import math

import numpy as np

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import ClusterUnit, moments_of_blocks
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.expected_wins import expected_wins_influence
from ranking.core.uncertainty.two_way import RangeLimit, two_way_covariance

#: A t distribution of fewer degrees of freedom has no variance worth the name.
_MIN_DEGREES_OF_FREEDOM = 4.0


def resampling_at(
    level: Level, blocks: Blocks, *, seed: int
) -> tuple[Resampling, tuple[RangeLimit, ...]]:
    """Choose how to resample at a level: for segments and judges both, see `two_way_resampling`."""
    if level == "two_way":
        return two_way_resampling(blocks, seed=seed)
    return Resampling(level, seed), ()


def two_way_resampling(blocks: Blocks, *, seed: int) -> tuple[Resampling, tuple[RangeLimit, ...]]:
    """Choose how to resample segments and judges.

    Parameters
    ----------
    blocks : Blocks
        The judgments that are to be resampled.
    seed : int
        0 ≤ seed < 2**64.

    Returns
    -------
    Resampling
        Of level "two_way"; of "segments", "judges" or "blocks" where there are too few judges or
        segments for more. With documents in place of segments where there are enough of them.
    tuple of RangeLimit
        What it does not account for.
    """
    layout = Layout(len(blocks.systems))
    moments = moments_of_blocks(blocks, layout)
    wins = layout.unpack(moments.cells).wins
    influence = expected_wins_influence(wins).reshape(layout.systems, layout.size)[:, layout.used]
    covariance = two_way_covariance(moments, influence)
    by_documents = blocks.document is not None and not moments.few_documents
    if RangeLimit.FEW_JUDGES in covariance.limits:
        few_both = RangeLimit.FEW_SEGMENTS in covariance.limits
        level: Level = "blocks" if few_both else "segments"
        return Resampling(level, seed, documents=by_documents), covariance.limits
    if RangeLimit.FEW_SEGMENTS in covariance.limits:
        return Resampling("judges", seed), covariance.limits

    def drawn(unit: ClusterUnit) -> float:
        squares = getattr(moments, unit).astype(np.float64)
        return float(np.trace(influence @ squares @ influence.T))

    # Draws of few degrees of freedom spread more than normal ones; resampling has to, too.
    degrees_of_freedom = min(max(_MIN_DEGREES_OF_FREEDOM, covariance.rank_degrees_of_freedom), 1e9)
    wanted = float(np.trace(covariance.matrix)) * degrees_of_freedom / (degrees_of_freedom - 2)
    share = _share(drawn("segments") + drawn("judges"), drawn("blocks"), wanted)
    return Resampling("two_way", seed, share, by_documents), covariance.limits


def _share(of_units: float, of_blocks: float, wanted: float) -> float:
    """Solve a · of_units + a² · of_blocks = wanted, for a between 0 and 1."""
    if of_blocks <= 0:
        return 1.0
    root = math.sqrt(of_units**2 + 4 * of_blocks * wanted)
    return min(1.0, (root - of_units) / (2 * of_blocks))

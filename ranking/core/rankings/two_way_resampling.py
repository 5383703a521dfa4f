"""Resampling of segments and judges, for methods without influence values.

Resampling both segments and judges, with the product of their weights, gives the variance
V_segments + V_judges + V_blocks, which is too large. If each unit is drawn with probability a, the
variance is a (V_segments + V_judges) + a² V_blocks. a is chosen such that, for Expected Wins, which
all campaigns have, the trace of this variance is that of
`ranking.core.uncertainty.two_way.two_way_covariance`.
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

#: With fewer degrees of freedom, a t distribution has no useful variance.
_MIN_DEGREES_OF_FREEDOM = 4.0


def resampling_at(
    level: Level, blocks: Blocks, *, seed: int
) -> tuple[Resampling, tuple[RangeLimit, ...]]:
    """Return the resampling of a level; for segments and judges, see `two_way_resampling`."""
    if level == "two_way":
        return two_way_resampling(blocks, seed=seed)
    return Resampling(level, seed), ()


def two_way_resampling(blocks: Blocks, *, seed: int) -> tuple[Resampling, tuple[RangeLimit, ...]]:
    """Return the resampling of segments and judges.

    Parameters
    ----------
    blocks : Blocks
        The judgments to resample.
    seed : int
        0 ≤ seed < 2**64.

    Returns
    -------
    Resampling
        At the level "two_way"; at "segments", "judges" or "blocks" if there are too few judges or
        segments. With documents instead of segments if there are enough documents.
    tuple of RangeLimit
        Units that it does not account for.
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

    # Draws with few degrees of freedom have a larger variance than normal ones; so must resamples.
    degrees_of_freedom = min(max(_MIN_DEGREES_OF_FREEDOM, covariance.rank_degrees_of_freedom), 1e9)
    wanted = float(np.trace(covariance.matrix)) * degrees_of_freedom / (degrees_of_freedom - 2)
    share = _share(drawn("segments") + drawn("judges"), drawn("blocks"), wanted)
    return Resampling("two_way", seed, share, by_documents), covariance.limits


def _share(of_units: float, of_blocks: float, wanted: float) -> float:
    """Return the a between 0 and 1 that solves a · of_units + a² · of_blocks = wanted."""
    if of_blocks <= 0:
        return 1.0
    root = math.sqrt(of_units**2 + 4 * of_blocks * wanted)
    return min(1.0, (root - of_units) / (2 * of_blocks))

"""Estimate of the time that Lopez orders of resamples take, from the first few."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ranking.core.counting.counts import Layout
from ranking.core.counting.resampling import Level
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.linear_ordering.lopez import TIME_LIMIT, lopez_order
from ranking.core.methods.linear_ordering.solver import MAX_INTERPRETED
from ranking.core.rankings.two_way_resampling import resampling_at

#: Number of resamples to order within the time: one may take ten times as long as another.
_MOST_TRIED = 32
_SECONDS_TO_TRY = 1.0


def seconds_of_resamples(
    blocks: Blocks,
    *,
    resample: Level,
    resamples: int,
    seed: int = 0,
    time_limit: float = TIME_LIMIT,
) -> float:
    """Return about how long one thread takes to order the resamples of a ranking.

    This orders the first resamples of the ranking for about a second and multiplies their mean
    time. The orders are dropped.

    Parameters
    ----------
    blocks : Blocks
        Of n systems.
    resample : Level
        Units to resample.
    resamples : int
        At least 1.
    seed : int
        0 ≤ seed < 2**64.
    time_limit : float
        As for `ranking.core.methods.linear_ordering.lopez.lopez_order`.

    Returns
    -------
    float
        Seconds; 0 for up to 18 systems, which take milliseconds per resample for any judgments.
        Often wrong by a factor of two, because few resamples take most of the time.
    """
    ranked = _with_decided_comparisons(blocks)
    layout = Layout(len(ranked.systems))
    if layout.systems <= MAX_INTERPRETED:
        return 0.0
    resampling = resampling_at(resample, ranked, seed=seed)[0]
    cells = resampling.counts(ranked, layout, range(min(resamples, _MOST_TRIED)))
    tables = layout.unpack(cells).wins
    # Do not measure the first one: it may load or even compile code, once for all resamples.
    lopez_order(tables[0], time_limit=min(_SECONDS_TO_TRY, time_limit))
    tried, spent, begun = 0, 0.0, perf_counter()
    while tried < len(tables) and spent < _SECONDS_TO_TRY:
        lopez_order(tables[tried], time_limit=time_limit)
        tried += 1
        spent = perf_counter() - begun
    return resamples * spent / tried


def _with_decided_comparisons(blocks: Blocks) -> Blocks:
    """Return the blocks without systems that Lopez cannot order, as a ranking does."""
    wins = tally(blocks).wins
    undecided = np.flatnonzero((wins + wins.T).sum(axis=0) == 0)
    return blocks.without([blocks.systems[index] for index in undecided.tolist()])

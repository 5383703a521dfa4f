"""What a ranking lacks before it has rank ranges and tests of pairs.

Percentiles of few draws promise more than they keep: after one block, a bootstrap draws this one block again and
again. How many blocks are enough was found by simulation (`tests/benchmarks/thin_coverage.py`,
docs/statistics/coverage.md): with fewer, more than 6 of 100 true ranks are outside their ranges. It grows with the
number of systems, because their scores are closer together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ranking.core.anytime.ranges import MIN_JUDGES, MIN_SEGMENTS, AnytimeRanges, Refusal
from ranking.core.counting.tallies import Tallies
from ranking.core.rankings.effective_units import EffectiveUnits
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.scores import Shortage

#: Blocks that every system needs: for any kind of ranges, and for percentiles per ranked system.
FEWEST_BLOCKS, FEWEST_BLOCKS_PER_SYSTEM = 8, 2.0
#: The same for percentiles of resampled comparisons, which are not independent in truth.
FEWEST_BLOCKS_OF_PAIRS = 6.0
#: Judges needed for ranges over judges alone.
FEWEST_JUDGES = 10
#: Effective numbers of about equal shares are slightly below the number of units.
_ABOUT = 0.5


def blocks_needed(systems: int, options: RangeOptions) -> int:
    """Return how many blocks each of n ranked systems needs for these ranges."""
    if options.kind != "percentile":
        return FEWEST_BLOCKS
    each = FEWEST_BLOCKS_OF_PAIRS if options.resample == "pairs" else FEWEST_BLOCKS_PER_SYSTEM
    return max(FEWEST_BLOCKS, math.ceil(each * systems))


def shortages_of(
    tallies: Tallies,
    options: RangeOptions,
    *,
    blocks: int,
    effective: EffectiveUnits,
    limits: tuple[str, ...] = (),
    refused: Mapping[str, Shortage],
) -> dict[str, Shortage]:
    """Return what each ranked system lacks before its range and the tests of its pairs are estimable.

    Parameters
    ----------
    tallies : Tallies of n ranked systems
    options : RangeOptions
    blocks : int
        Judged blocks.
    effective : EffectiveUnits
    limits : tuple of str
        Units that the ranges do not account for.
    refused : mapping
        What systems lack whose anytime ranges are refused.

    Returns
    -------
    dict
        By system; systems that lack nothing are left out.
    """
    if options.kind == "anytime":
        return dict(refused)
    few = _too_few_units(len(tallies.systems), options, effective, limits)
    if few is not None:
        return dict.fromkeys(tallies.systems, few)
    needed = blocks_needed(len(tallies.systems), options)
    shown = blocks_of_systems(tallies, blocks)
    return {
        system: Shortage("blocks", found, needed)
        for system, found in zip(tallies.systems, shown, strict=True)
        if found < needed - _ABOUT
    }


def blocks_of_systems(tallies: Tallies, blocks: int) -> list[float]:
    """Return the number of blocks that the comparisons of each system are worth.

    A block of s systems has s (s − 1) / 2 comparisons, s − 1 of each system.
    """
    counts = (tallies.wins + tallies.wins.T + tallies.ties).sum(axis=1)
    if not blocks or not counts.any():
        return [0.0] * len(counts)
    shown = (1 + math.sqrt(1 + 4 * float(counts.sum()) / blocks)) / 2
    worth: list[float] = np.round(counts / max(1.0, shown - 1), 6).tolist()
    return worth


def _too_few_units(
    systems: int, options: RangeOptions, effective: EffectiveUnits, limits: tuple[str, ...]
) -> Shortage | None:
    """Return which unit that ranges take for independent there is too little of, if any."""
    if options.independent == "segments":
        needed = blocks_needed(systems, options)
        if effective.segments < needed - _ABOUT:
            return Shortage("segments", effective.segments, needed)
    over_judges = options.independent == "judges" or "few_segments" in limits
    if over_judges and "few_judges" not in limits and effective.judges < FEWEST_JUDGES - _ABOUT:
        return Shortage("judges", effective.judges, FEWEST_JUDGES)
    return None


def shortages_of_refusals(found: AnytimeRanges, *, documents: bool) -> dict[str, Shortage]:
    """Return what each system lacks that anytime ranges refuse; its segments are documents if these are known."""
    shortages = {}
    for index, system in enumerate(found.systems):
        reasons = found.refusals.get(system, ())
        if Refusal.FEW_JUDGES in reasons:
            judges = float(found.judges[index])
            shortages[system] = Shortage("judges", judges, math.ceil(MIN_JUDGES))
        elif Refusal.FEW_SEGMENTS in reasons:
            unit = "documents" if documents else "segments"
            segments = float(found.segments[index])
            shortages[system] = Shortage(unit, segments, math.ceil(MIN_SEGMENTS))
    return shortages

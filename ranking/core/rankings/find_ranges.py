"""Rank ranges of a chosen kind, from counts or from blocks.

Resampling of segments and judges, for methods without influence values.

Resampling both segments and judges, with the product of their weights, gives the variance
V_segments + V_judges + V_blocks, which is too large. If each unit is drawn with probability a, the
variance is a (V_segments + V_judges) + a² V_blocks. a is chosen such that, for Expected Wins, which
all campaigns have, the trace of this variance is that of
`ranking.core.uncertainty.two_way.two_way_covariance`.

Rank ranges of a chosen kind from counted judgments.

Rank ranges of a chosen kind for blocks, for methods that need more than counts too.

Estimate of the time that Lopez orders of resamples take, from the first few.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from ranking.core.anytime import anytime_ranges_of_moments, number_of_pairs
from ranking.core.arrays import Int64Array
from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import ClusterUnit, moments_of_blocks
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.lopez import MAX_INTERPRETED, TIME_LIMIT, lopez_order
from ranking.core.methods.method import RESAMPLES_AT_A_TIME, CountsMethod, Method
from ranking.core.methods.registry import counts_method_named, method_named
from ranking.core.methods.shares import expected_wins_influence
from ranking.core.ranges.sign_tests import PairTests
from ranking.core.rankings.counted_judgments import CountedJudgments, count_judgments
from ranking.core.rankings.range_kinds import (
    Progress,
    RangeOptions,
    RangesFound,
    ranges_by_sign_test,
    ranges_of_spread,
    score_resamples,
    shortages_of_refusals,
    spread_around,
    spread_of_resamples,
)
from ranking.core.scores import Scores
from ranking.core.sharding.shards import Engine, on_any_engine
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


def find_ranges_of_counts(
    counted: CountedJudgments,
    method: CountsMethod,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    scores: Scores,
    all_systems: int | None = None,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RangesFound:
    """Return rank ranges of the systems, and tests of their pairs.

    Parameters
    ----------
    counted : CountedJudgments
        Over n systems that the method can score, with what `RangeOptions.keeps` says.
    all_systems : int, optional
        Number of systems with those that the method cannot score; n if not given. Anytime ranges need it.
    method, parameters, options, scores, seed, engine, progress
        As for `ranking.core.rankings.find_ranges.find_ranges`.

    Returns
    -------
    RangesFound

    Raises
    ------
    ValueError
        If the method cannot be resampled at this level, or has no anytime ranges.
    """
    if options.kind == "sign_test":
        return ranges_by_sign_test(counted.tallies.wins, options)
    if options.kind == "anytime":
        return _anytime(
            counted,
            method,
            options,
            all_systems=len(counted.systems) if all_systems is None else all_systems,
        )
    layout = method.layout(len(counted.systems))
    if options.resample == "two_way":
        covariance = method.covariance(counted.chosen_moments(method), layout, **parameters)
        wins = counted.tallies.wins
        spread = spread_around(scores, wins, covariance, options, seed=seed, progress=progress)
    else:
        cells = _resampled_cells(counted, method, options, seed=seed)
        resampled = score_resamples(
            partial(_scores_of_counts, method.name, cells, layout, parameters),
            resamples=options.resamples,
            engine=engine,
            progress_parts=method.progress_parts,
            progress=progress,
            at_a_time=RESAMPLES_AT_A_TIME if method.iterates else 1,
        )
        spread = spread_of_resamples(scores, resampled)
    return ranges_of_spread(spread, options, seed=seed)


def only_expected_wins(method: Method) -> None:
    """Raise ValueError for other methods than the one that anytime ranges are of."""
    if method.name != "expected_wins":
        raise ValueError(f"ranges: anytime ranges need the method expected_wins, not {method.name}")


def _anytime(
    counted: CountedJudgments, method: CountsMethod, options: RangeOptions, *, all_systems: int
) -> RangesFound:
    only_expected_wins(method)
    # Segments never replace documents here: with few documents, nothing is told apart.
    moments = counted.chosen_moments(method, fewest_documents=0)
    found = anytime_ranges_of_moments(
        moments, counted.systems, confidence=options.confidence, all_systems=all_systems
    )
    ahead = found.scores.values[:, np.newaxis] > found.scores.values
    p = np.where(ahead, np.minimum(1.0, np.exp(-found.log_evidence)), 1.0)
    adjusted = np.minimum(1.0, p * number_of_pairs(all_systems))
    return RangesFound(
        ranges=found.ranges,
        tests=PairTests(p_value=p, adjusted_p=adjusted),
        limits=tuple(str(reason) for reason in found.refused),
        shortages=shortages_of_refusals(found, documents=counted.documents > 1),
        extra={
            "refusals": {
                name: [str(reason) for reason in reasons]
                for name, reasons in sorted(found.refusals.items())
            }
        },
    )


def _resampled_cells(
    counted: CountedJudgments, method: CountsMethod, options: RangeOptions, *, seed: int
) -> Int64Array:
    """Return the counts of all resamples of the level asked for.

    Raises
    ------
    ValueError
        The method cannot be resampled at this level, or its resamples were not counted.
    """
    if options.resample == "pairs":
        layout = method.layout(len(counted.systems))
        if layout.outright:
            raise ValueError(f"{method.name} scores blocks: it cannot be resampled by pairs")
        ids = range(options.resamples)
        return Resampling("pairs", seed).pair_counts(counted.tallies, layout, ids)
    if counted.resampled is None:
        raise ValueError(f"resample: no resamples of {options.resample} were counted")
    return counted.resampled


@on_any_engine(threads=True)
def _scores_of_counts(
    method: str,
    cells: Int64Array,
    layout: Layout,
    parameters: Mapping[str, Any],
    ids: range,
) -> Scores:
    of_counts = counts_method_named(method)
    return of_counts.score_counted(cells[ids.start : ids.stop], layout, **parameters)


def find_ranges(
    blocks: Blocks,
    method: Method,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    scores: Scores,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RangesFound:
    """Return rank ranges of the systems, and tests of their pairs.

    Parameters
    ----------
    blocks : Blocks
        Blocks over n systems that the method can score.
    method : Method
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
    scores : Scores of shape (n,)
        The method's scores for these blocks.
    seed : int
        0 ≤ seed < 2**64.
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.
    progress : callable, optional
        Called with (resamples scored, all resamples).

    Returns
    -------
    RangesFound

    Raises
    ------
    ValueError
        If the method cannot be resampled at this level, or has no anytime ranges.
    """
    if options.is_live(method):
        counted = count_judgments(
            blocks,
            method,
            keeps=options.keeps,
            resamples=options.resamples,
            seed=seed,
            engine=engine,
        )
        return find_ranges_of_counts(
            counted,
            method,
            parameters,
            options,
            scores=scores,
            seed=seed,
            engine=engine,
            progress=progress,
        )
    if options.kind == "sign_test":
        return ranges_by_sign_test(tally(blocks).wins, options)
    if options.kind == "anytime":
        only_expected_wins(method)
    if options.is_closed_form(method):
        covariance = method.score_covariance(blocks, **parameters)
        wins = tally(blocks).wins
        spread = spread_around(scores, wins, covariance, options, seed=seed, progress=progress)
    else:
        resampling, limits = resampling_at(options.resample, blocks, seed=seed)
        resampled = score_resamples(
            partial(_resampled_scores, blocks, method.name, parameters, resampling),
            resamples=options.resamples,
            engine=engine,
            progress_parts=method.progress_parts,
            progress=progress,
        )
        spread = spread_of_resamples(scores, resampled, tuple(str(limit) for limit in limits))
    return ranges_of_spread(spread, options, seed=seed)


@on_any_engine(threads=True)
def _resampled_scores(
    blocks: Blocks,
    method: str,
    parameters: Mapping[str, Any],
    resampling: Resampling,
    ids: range,
) -> Scores:
    return method_named(method).score_resamples(blocks, resampling, ids, **parameters)


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
        As for `ranking.core.methods.lopez.lopez_order`.

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

"""The ranking of a test set: scores, ranks, rank ranges and clusters in one frozen result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csgraph

from ranking.core.counting.resampling import Level, Resampling
from ranking.core.counting.tallies import Tallies, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.content_key import CONTENT_KEY_VERSION
from ranking.core.methods.method import CountsMethod, Fit, Method
from ranking.core.methods.registry import method_named
from ranking.core.ranges.clusters import RankRanges, clusters
from ranking.core.ranges.pairs import compared_pairs
from ranking.core.ranges.sign_tests import Correction, Sides
from ranking.core.rankings.counted_judgments import CountedJudgments, count_judgments
from ranking.core.rankings.find_ranges import find_ranges
from ranking.core.rankings.range_kinds import RangeKind, RangeOptions, RangesFound
from ranking.core.rankings.ranges_of_counts import find_ranges_of_counts
from ranking.core.rankings.ranking import RankedSystem, Ranking, UnrankedSystem
from ranking.core.scores import NotEstimable, Scores, ordinal_ranks
from ranking.core.sharding.shards import Engine
from ranking.core.uncertainty.standard_errors import errors_by_system


def rank(
    blocks: Blocks,
    method: str = "expected_wins",
    *,
    resample: Level = "two_way",
    ranges: RangeKind = "percentile",
    correction: Correction | None = None,
    sides: Sides | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Rank systems by a method, with rank ranges and clusters.

    Leave out the reference first, with `Blocks.without`, unless it is to be ranked.

    By default, ranges account for segments and judges; if the blocks name documents, for documents
    instead of segments. Without documents, segments of one document count as independent. For
    methods with influence values, ranks are drawn around the scores
    (`ranking.core.uncertainty.two_way`); for the others, segments and judges are resampled
    (`ranking.core.rankings.two_way_resampling`). At the other levels, ranges are those of a
    bootstrap.

    If necessary, a rank range is widened to hold the system's rank: with few judgments, percentiles
    of resampled ranks can miss it, and a table must not contradict itself.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    method : str
        A name in `ranking.core.methods.registry.METHODS`.
    resample : "pairs", "blocks", "segments", "judges" or "two_way"
        Units taken for independent, see `ranking.core.counting.resampling`.
    ranges : "percentile", "sign_test", "confidence_set" or "anytime"
        Kind of the ranges. It, `correction` and `sides` are as in
        `ranking.core.rankings.range_kinds.RangeOptions`.
    correction : Correction, optional
    sides : 1 or 2, optional
    resamples : int
        Number of resamples, or of draws.
    confidence : float
        Confidence of the rank ranges, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64. The same blocks in any order, and the same arguments, give the same
        ranking bit for bit.
    parameters : mapping, optional
        Parameters of the method that differ from its defaults.
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.
    progress : callable, optional
        Called with (resamples scored, all resamples), from this thread.

    Returns
    -------
    Ranking
        Systems that the method cannot score are listed separately, with the reason.

    Raises
    ------
    ValueError
        If an argument is out of range, arguments contradict each other, or the method is unknown,
        has no such parameter, or cannot be resampled at this level.
    """
    chosen = method_named(method)
    settings = chosen.complete(parameters)
    # Check arguments before the work begins.
    options = RangeOptions(
        kind=ranges,
        resample=resample,
        resamples=resamples,
        confidence=confidence,
        correction=correction,
        sides=sides,
    )
    Resampling(seed=seed)
    if options.is_live(chosen):
        counted = count_judgments(
            blocks,
            chosen,
            keeps=options.keeps,
            resamples=resamples,
            seed=seed,
            engine=engine,
        )
        ranking = rank_counted(
            counted, chosen, settings, options, seed=seed, engine=engine, progress=progress
        )
        return _with_errors(ranking, blocks, chosen, settings, options)
    fit = chosen.fit(blocks, seed=seed, **settings)
    # Systems without a score have none in a resample either: leave them out, so that they do not
    # widen the ranges of the others.
    tallies, kept = tally(blocks), np.flatnonzero(fit.scores.estimable)
    ranked = blocks.without([row.system for row in _unranked(tallies, fit)])
    found = find_ranges(
        ranked,
        chosen,
        settings,
        options,
        scores=fit.scores.take(kept),
        seed=seed,
        engine=engine,
        progress=progress,
    )
    ranking = _ranking(
        _Fitted(chosen, settings, tallies, fit),
        options,
        found,
        ranked=tally(ranked),
        numbers=(len(blocks), len(np.unique(blocks.judge))),
        seed=seed,
    )
    return _with_errors(ranking, blocks, chosen, settings, options)


def rank_counted(
    counted: CountedJudgments,
    method: CountsMethod,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    seed: int,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Rank systems from counted judgments, as `rank` does.

    Parameters
    ----------
    counted : CountedJudgments
        With what `RangeOptions.keeps` says.
    method : CountsMethod
        One for which `RangeOptions.is_live` holds.
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
    seed, engine, progress
        As for `rank`.

    Returns
    -------
    Ranking
        Without standard errors where they are of single units: they are computed from blocks.
    """
    fit = method.fit_counted(counted.cells_for(method), counted.systems, **parameters)
    # As in `rank`, leave out systems without a score.
    kept = np.flatnonzero(fit.scores.estimable)
    ranked = counted.of_systems(kept, method)
    found = find_ranges_of_counts(
        ranked,
        method,
        parameters,
        options,
        scores=fit.scores.take(kept),
        all_systems=len(counted.systems),
        seed=seed,
        engine=engine,
        progress=progress,
    )
    return _ranking(
        _Fitted(method, parameters, counted.tallies, fit),
        options,
        found,
        ranked=ranked.tallies,
        numbers=(counted.blocks, counted.judges),
        seed=seed,
    )


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A method with its parameters, the wins and ties of all systems, and its fit to them."""

    method: Method
    parameters: Mapping[str, Any]
    tallies: Tallies
    fit: Fit


def _ranking(
    fitted: _Fitted,
    options: RangeOptions,
    found: RangesFound,
    *,
    ranked: Tallies,
    numbers: tuple[int, int],
    seed: int,
) -> Ranking:
    """Return the ranking; `numbers` are those of blocks and judges."""
    fit, tallies, level = fitted.fit, fitted.tallies, options.independent
    kept = np.flatnonzero(fit.scores.estimable)
    errors = found.errors
    return Ranking(
        method=fitted.method.name,
        parameters=fitted.parameters,
        resample=level,
        ranges=options.kind,
        correction=options.chosen_correction,
        sides=options.chosen_sides,
        limits=found.limits,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=seed,
        content_key_version=CONTENT_KEY_VERSION,
        systems=_ranked(tallies, fit.scores, found.ranges),
        pairs=compared_pairs(ranked, fit.scores.take(kept), found.tests, level=options.level),
        not_estimable=_unranked(tallies, fit),
        groups=_groups(tallies, fit.scores, uses_ties=fitted.method.uses_ties),
        blocks=numbers[0],
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        judges=numbers[1],
        extra={
            **fit.extra,
            **found.extra,
            **(
                {}
                if errors is None
                else {"standard_errors": errors_by_system(ranked.systems, level, errors)}
            ),
        },
    )


def _with_errors(
    ranking: Ranking,
    blocks: Blocks,
    method: Method,
    parameters: Mapping[str, Any],
    options: RangeOptions,
) -> Ranking:
    """Return the ranking with standard errors, if the method has them."""
    if "standard_errors" in ranking.extra:
        return ranking
    ranked = blocks.without([row.system for row in ranking.not_estimable])
    errors = method.standard_errors(ranked, options.independent, **parameters)
    if errors is None:
        return ranking
    return replace(ranking, extra={**ranking.extra, "standard_errors": errors})


def _unranked(tallies: Tallies, fit: Fit) -> tuple[UnrankedSystem, ...]:
    tied = tallies.ties.sum(axis=1)
    return tuple(
        UnrankedSystem(
            system=tallies.systems[index],
            reason=fit.reasons.get(
                index, NotEstimable.ONLY_TIES if tied[index] else NotEstimable.NO_COMPARISON
            ),
            ties=int(tied[index]),
        )
        for index in np.flatnonzero(~fit.scores.estimable).tolist()
    )


def _ranked(tallies: Tallies, scores: Scores, ranges: RankRanges) -> tuple[RankedSystem, ...]:
    kept = np.flatnonzero(scores.estimable)
    ranks = ordinal_ranks(scores)[kept]
    widened = RankRanges(low=np.minimum(ranges.low, ranks), high=np.maximum(ranges.high, ranks))
    cluster = clusters(widened)
    won, lost = tallies.wins.sum(axis=1), tallies.wins.sum(axis=0)
    tied = tallies.ties.sum(axis=1)
    return tuple(
        RankedSystem(
            system=tallies.systems[index],
            score=float(scores.values[index]),
            rank=int(ranks[i]),
            rank_low=int(widened.low[i]),
            rank_high=int(widened.high[i]),
            cluster=int(cluster[i]),
            wins=int(won[index]),
            losses=int(lost[index]),
            ties=int(tied[index]),
        )
        for i, index in sorted(enumerate(kept.tolist()), key=lambda pair: int(ranks[pair[0]]))
    )


def _groups(tallies: Tallies, scores: Scores, *, uses_ties: bool) -> tuple[tuple[str, ...], ...]:
    kept = np.flatnonzero(scores.estimable)
    if not len(kept):
        return ()
    linked = tallies.wins + tallies.ties if uses_ties else tallies.wins
    count, member = csgraph.connected_components(linked[np.ix_(kept, kept)] > 0, directed=False)
    names = [tallies.systems[index] for index in kept.tolist()]
    return tuple(
        tuple(names[i] for i in np.flatnonzero(member == group).tolist()) for group in range(count)
    )

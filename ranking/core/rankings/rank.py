"""The ranking of a test set: scores, ranks, rank ranges and clusters in one frozen result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csgraph

from ranking.core.counting.resampling import Level, Resampling
from ranking.core.counting.tallies import Tallies, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.content_key import CONTENT_KEY_VERSION
from ranking.core.methods.method import Fit
from ranking.core.methods.registry import method_named
from ranking.core.ranges.clusters import RankRanges, clusters
from ranking.core.ranges.pairs import ComparedPair, compared_pairs
from ranking.core.ranges.sign_tests import Correction, Sides
from ranking.core.rankings.range_kinds import RangeKind, RangeOptions, find_ranges
from ranking.core.scores import NotEstimable, Scores, ordinal_ranks
from ranking.core.uncertainty.standard_errors import errors_by_system


@dataclass(frozen=True)
class RankedSystem:
    """One row of a ranking.

    Attributes
    ----------
    system : str
    score : float
        Higher is better; in [0, 1] if the method's scores are shares.
    rank : int
        1, 2, 3 … best first; see `ranking.core.scores.ordinal_ranks` for ties.
    rank_low, rank_high : int
        The rank range, both ends included.
    cluster : int
        1 for the best.
    wins, losses, ties : int
        Comparisons of the system with all others.
    """

    system: str
    score: float
    rank: int
    rank_low: int
    rank_high: int
    cluster: int
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class UnrankedSystem:
    """A system that cannot be ranked, and the reason."""

    system: str
    reason: NotEstimable
    ties: int


@dataclass(frozen=True)
class Ranking:
    """The ranking of the systems of one test set.

    Attributes
    ----------
    method : str
        A name in `ranking.core.methods.registry.METHODS`.
    parameters : mapping
        All parameters of the method, defaults included.
    resample : str
        Units that the rank ranges take for independent: "pairs", "blocks", "segments", "judges", or
        "two_way" (segments and judges). Show it wherever a range is shown.
    ranges : str
        Kind of the rank ranges: "percentile", "sign_test", "confidence_set" or "anytime", see
        `ranking.core.rankings.range_kinds.RangeOptions`.
    correction : Correction
        Correction for the number of pairs, in `pairs` and in ranges made from tests.
    sides : 1 or 2
        Sides of the tests of pairs.
    limits : tuple of str
        Units that the ranges do not account for, because there are too few of them: codes of
        `RangeLimit`, or of `Refusal` for anytime ranges. Show them wherever a range is shown.
    resamples : int
    confidence : float
    seed : int
    content_key_version : int
        Version of the content keys that determine the resamples.
    systems : tuple of RankedSystem
        Best first.
    pairs : tuple of ComparedPair
        All pairs of ranked systems, in the order of their ranks.
    not_estimable : tuple of UnrankedSystem
        By name. They have no rank, and do not count in the ranks of the others.
    groups : tuple of tuples of str
        The ranked systems in groups connected by comparisons that the method counts. With several
        groups, no comparisons connect systems of different groups, not even indirectly: their
        common ranking is then arbitrary, and pages that show it must say so.
    blocks : int
        Number of judged blocks.
    comparisons, ties : int
        Pairwise comparisons after expansion of collapsed outputs, and tied ones.
    judges : int
        Number of judges of at least one of the blocks.
    extra : mapping
        Further results of the method, as plain JSON. "standard_errors", if the method has them, are
        for the level `resample`, see `Method.standard_errors`.
    """

    method: str
    parameters: Mapping[str, Any]
    resample: str
    ranges: RangeKind
    correction: Correction
    sides: Sides
    limits: tuple[str, ...]
    resamples: int
    confidence: float
    seed: int
    content_key_version: int
    systems: tuple[RankedSystem, ...]
    pairs: tuple[ComparedPair, ...]
    not_estimable: tuple[UnrankedSystem, ...]
    groups: tuple[tuple[str, ...], ...]
    blocks: int
    comparisons: int
    ties: int
    judges: int
    extra: Mapping[str, Any] = field(default_factory=dict)


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
    jobs: int = 1,
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
    jobs : int
        Number of threads. Does not affect the result.
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
    if jobs < 1:
        raise ValueError("jobs: expected at least one")
    tallies = tally(blocks)
    fit = chosen.fit(blocks, seed=seed, **settings)
    unranked = _unranked(tallies, fit)
    # Systems without a score have none in a resample either: leave them out, so that they do not
    # widen the ranges of the others.
    ranked = blocks.without([row.system for row in unranked])
    kept = np.flatnonzero(fit.scores.estimable)
    found = find_ranges(
        ranked,
        chosen,
        settings,
        options,
        scores=fit.scores.take(kept),
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    pairs = compared_pairs(tally(ranked), fit.scores.take(kept), found.tests, level=options.level)
    if found.errors is None:
        errors = chosen.standard_errors(ranked, options.independent, **settings)
    else:
        errors = errors_by_system(ranked.systems, options.independent, found.errors)
    return Ranking(
        method=method,
        parameters=settings,
        resample=options.independent,
        ranges=ranges,
        correction=options.chosen_correction,
        sides=options.chosen_sides,
        limits=found.limits,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        content_key_version=CONTENT_KEY_VERSION,
        systems=_ranked(tallies, fit.scores, found.ranges),
        pairs=pairs,
        not_estimable=unranked,
        groups=_groups(tallies, fit.scores, uses_ties=chosen.uses_ties),
        blocks=len(blocks),
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        judges=len(np.unique(blocks.judge)),
        extra={
            **fit.extra,
            **found.extra,
            **({} if errors is None else {"standard_errors": errors}),
        },
    )


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

"""Ranking of a test set as a frozen result: scores, ranks, rank ranges and clusters, from blocks or
counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Unpack, cast

import numpy as np

from ranking.core.arrays import Int64Array
from ranking.core.counting.counts import Tallies, compared_groups, tally
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import CONTENT_KEY_VERSION, Blocks, blocks_required
from ranking.core.methods.method import Fit, Method
from ranking.core.methods.registry import counts_method_named, method_named
from ranking.core.ranges import (
    ComparedPair,
    Correction,
    PairTests,
    RankRanges,
    Sides,
    clusters,
    compared_pairs,
    corrected_pairs,
)
from ranking.core.rankings.counted_judgments import (
    CountedJudgments,
    count_judgments,
    effective_units,
    effective_units_of_sizes,
)
from ranking.core.rankings.range_kinds import (
    RangeKind,
    RangeOptions,
    RangeParts,
    RangesFound,
    find_ranges,
    shortages_of,
)
from ranking.core.rankings.records import RankedRow, RecordedShortage, UnrankedRow
from ranking.core.scores import (
    NotEstimable,
    Scores,
    Shortage,
    ordinal_ranks,
    shared_ranks,
)
from ranking.core.sharding import Engine


@dataclass(frozen=True)
class RankedSystem:
    """One row of a ranking.

    Attributes
    ----------
    system : str
    score : float or None
        Higher is better; in [0, 1] if the method's scores are shares. None if all comparisons of
        the group are ties, which the method drops.
    rank : int
        1, 2, 3 … best first, within the group; systems with equal scores share the best of their
        ranks.
    rank_low, rank_high : int
        The rank range, both ends included.
    cluster : int
        1 for the best.
    wins, losses, ties : int
        Comparisons of the system with all others.
    last_rank : int
        The last of the ranks shared with systems of equal score; `rank` if the system shares none.
    group : int
        Number of its group in `Ranking.groups`, 1 for the first.
    """

    system: str
    score: float | None
    rank: int
    rank_low: int
    rank_high: int
    cluster: int
    wins: int
    losses: int
    ties: int
    last_rank: int
    group: int = 1


def only_estimable(row: RankedRow) -> RankedRow:
    """Return a row of `Ranking.rows` without a range and cluster that cannot be estimated yet."""
    if row.get("shortage") is None:
        return {**row, "shortage": None}
    return {**row, "rank_low": None, "rank_high": None, "cluster": None}


@dataclass(frozen=True)
class UnrankedSystem:
    """A system that cannot be ranked, and the reason."""

    system: str
    reason: NotEstimable
    ties: int


@dataclass(frozen=True, repr=False)
class Ranking:
    """The ranking of the systems of one test set.

    Attributes
    ----------
    method : str
        A name in `ranking.core.methods.registry.METHODS`.
    parameters : mapping
        All parameters of the method, including defaults.
    resample : str
        Units that the rank ranges treat as independent: "pairs", "blocks", "segments", "judges", or
        "two_way" (segments and judges). Show it wherever a range is shown.
    ranges : str
        Kind of the rank ranges: "percentile", "sign_test", "confidence_set" or "anytime", see
        `ranking.core.rankings.range_kinds.RangeOptions`.
    correction : Correction
        Correction for the number of pairs, in `pairs` and in ranges made from tests.
    sides : 1 or 2
        Sides of the tests of pairs.
    limits : tuple of str
        Units that the ranges ignore because there are too few: codes of `RangeLimit`, or of
        `Refusal` for anytime ranges. Show them wherever a range is shown.
    resamples : int
    confidence : float
    seed : int
    content_key_version : int
        Version of the content keys that determine the resamples.
    systems : tuple of RankedSystem
        Group by group, best first.
    pairs : tuple of ComparedPair
        All pairs of ranked systems of the same group, in the order of their ranks.
    not_estimable : tuple of UnrankedSystem
        Sorted by name. They have no rank, and do not count in the ranks of the others.
    groups : tuple of tuples of str
        The ranked systems in groups connected by comparisons, including ties; largest group first.
        No comparisons connect systems of different groups, not even indirectly: each group is
        ranked separately, and has its own table wherever the ranking is shown.
    blocks : int
        Number of judged blocks.
    comparisons, ties : int
        Pairwise comparisons after expansion of collapsed outputs, and tied ones.
    judges : int
        Number of judges with at least one block.
    shortages : mapping from a system's name to a Shortage
        Shortages of ranked systems whose range, cluster and tests of pairs cannot be estimated yet.
        Their range is 1 … n, and the p-values of their pairs are 1: show the shortage instead.
    extra : mapping
        Further results of the method, as plain JSON. "standard_errors", if the method has them, are
        for the level `resample`: "clusters", and "values" by system, without those that no comparison
        influences or that have a shortage.
    """

    method: str
    parameters: Mapping[str, Any]
    resample: Level
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
    shortages: Mapping[str, Shortage] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return a plain table of the systems, for notebooks."""
        lines = [
            f"{self.method}: {self.blocks} blocks, {self.comparisons} comparisons, {self.judges} judges"
        ]
        width = max((len(row.system) for row in self.systems), default=0)
        group = 0
        for row in self.systems:
            if row.group != group:
                if len(self.groups) == 1:
                    title = "system"
                else:
                    title = f"group {row.group}"
                lines.append(f"rank  range    score  {title:{width}}  won:lost:tied")
            group = row.group
            lines.append(self._line(row, width))
        lines += [
            f"not ranked: {row.system} ({row.reason})" for row in self.not_estimable
        ]
        if self.limits:
            lines.append(f"limits of the ranges: {', '.join(self.limits)}")
        return "\n".join(lines)

    def _line(self, row: RankedSystem, width: int) -> str:
        rank_range = f"{row.rank_low}–{row.rank_high}"
        if row.system in self.shortages:
            rank_range = "–"
        elif row.rank_low == row.rank_high:
            rank_range = str(row.rank_low)
        if row.score is None:
            score = "–"
        else:
            score = f"{row.score:.3f}"
        counts = f"{row.wins}:{row.losses}:{row.ties}"
        return (
            f"{row.rank:4}  {rank_range:5}  {score:>7}  {row.system:{width}}  {counts}"
        )

    @property
    def options(self) -> RangeOptions:
        """The options of the ranges and of the tests of pairs."""
        return RangeOptions(
            ranges=self.ranges,
            resample=self.resample,
            correction=self.correction,
            sides=self.sides,
            confidence=self.confidence,
            resamples=self.resamples,
        )

    @property
    def corrected_pairs(self) -> tuple[ComparedPair, ...]:
        """The pairs with corrected p-values, by which they are told apart: by Holm without a `correction`."""
        return corrected_pairs(self.pairs, self.correction, level=self.options.level)

    def rows(self) -> list[RankedRow]:
        """Return the ranked systems as plain JSON, with the `shortage` of systems that have one."""
        return [self._row(row) for row in self.systems]

    def unranked_rows(self) -> list[UnrankedRow]:
        """Return the systems without a rank as plain JSON."""
        return [cast("UnrankedRow", asdict(row)) for row in self.not_estimable]

    def _row(self, system: RankedSystem) -> RankedRow:
        row = cast("RankedRow", asdict(system))
        shortage = self.shortages.get(system.system)
        if shortage is not None:
            row["shortage"] = cast("RecordedShortage", asdict(shortage))
        return row


def rank(
    blocks: Blocks,
    method: str = "expected_wins",
    *,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[RangeParts],
) -> Ranking:
    """Rank systems by a method, with rank ranges and clusters.

    Remove the reference first, with `Blocks.without`, unless it is to be ranked.

    By default, ranges account for segments (or documents, if the blocks name them) and judges.
    Without documents, segments of one document are treated as independent. For methods with
    influence values, ranks are drawn around the scores (`ranking.core.uncertainty`); for the
    others, segments and judges are resampled (`ranking.core.rankings.range_kinds`). At the other
    levels, ranges are those of a bootstrap.

    If necessary, a rank range is widened to include the system's rank: with few judgments,
    percentiles of resampled ranks can miss it, and a table must not contradict itself.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    method : str
        A name in `ranking.core.methods.registry.METHODS`.
    seed : int
        0 ≤ seed < 2**64. The same blocks in any order, with the same arguments, give bit-identical
        rankings.
    parameters : mapping, optional
        Parameters of the method that differ from its defaults.
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.
    progress : callable, optional
        Called with (resamples scored, all resamples), from this thread.
    **options
        `ranges`, `resample`, `correction`, `sides`, `confidence` and `resamples` of
        `ranking.core.rankings.range_kinds.RangeOptions.completed`.

    Returns
    -------
    Ranking
        Systems that the method cannot score are listed separately, with the reason. Groups of
        systems not connected by comparisons are ranked separately, see `Ranking.groups`.

    Raises
    ------
    ValueError
        If an argument is out of range, arguments contradict each other, or the method is unknown,
        has no such parameter, or cannot be resampled at this level.
    """
    chosen = method_named(method)
    settings = chosen.complete(parameters)
    # Check arguments before doing any work.
    chosen_ranges = RangeOptions.completed(**options)
    Resampling(seed=seed)
    blocks_required("rank", blocks)
    judged: Blocks | CountedJudgments = blocks
    if chosen_ranges.is_live(chosen):
        judged = count_judgments(
            blocks,
            chosen,
            keeps=chosen_ranges.keeps,
            resamples=chosen_ranges.resamples,
            seed=seed,
            engine=engine,
        )
    return rank_judged(
        judged=judged,
        method=chosen,
        parameters=settings,
        options=chosen_ranges,
        seed=seed,
        engine=engine,
        progress=progress,
    )


def rank_judged(
    judged: Blocks | CountedJudgments,
    method: Method,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    seed: int,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
    all_systems: int | None = None,
) -> Ranking:
    """Rank systems from blocks or counted judgments, as `rank` does.

    Parameters
    ----------
    judged : Blocks or CountedJudgments
        Counts, including those of `RangeOptions.keeps`, for methods for which
        `RangeOptions.is_live` is true; blocks for the others. If documents are known, counts of
        shards must not be used for ranges that account for them.
    method : Method
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
    seed, engine, progress
        As for `rank`.
    all_systems : int, optional
        Number of systems, including those of other groups; those of `judged` if not given.

    Returns
    -------
    Ranking
        Without standard errors over a single kind of unit if its moments were not counted.
    """
    every = all_systems or len(judged.systems)
    how: dict[str, Any] = {"seed": seed, "engine": engine, "progress": progress}
    if isinstance(judged, Blocks):
        tallies = tally(judged)
        numbers = (len(judged), len(np.unique(judged.judge)))
    else:
        tallies = judged.tallies
        numbers = (judged.blocks, judged.judges)
    groups = compared_groups(tallies)
    if len(groups) > 1:
        parts = (
            judged.of_systems(group)
            if isinstance(judged, Blocks)
            else judged.of_group(group, method)
            for group in groups
        )
        ranked_apart = []
        for part in parts:
            ranked_apart.append(
                rank_judged(
                    judged=part,
                    method=method,
                    parameters=parameters,
                    options=options,
                    all_systems=every,
                    **how,
                )
            )
        return _side_by_side(tallies, ranked_apart, numbers=numbers)
    ranked: Blocks | CountedJudgments
    # Systems without a score have none in resamples either: leave them out, so that they do not
    # widen the ranges of the others.
    if isinstance(judged, Blocks):
        fit = method.fit(judged, seed=seed, **parameters)
        kept = np.flatnonzero(fit.scores.estimable)
        ranked = judged.of_systems(kept)
        effective = effective_units(judged, method)
    else:
        counts_method = counts_method_named(method.name)
        fit = counts_method.fit_counted(
            judged.cells_for(method), judged.systems, **parameters
        )
        kept = np.flatnonzero(fit.scores.estimable)
        ranked = judged.of_systems(kept, method)
        effective = effective_units_of_sizes(judged.sizes)
    ranges = find_ranges(
        judged=ranked,
        method=method,
        parameters=parameters,
        options=options,
        scores=fit.scores.take(kept),
        all_systems=every,
        **how,
    )
    ranked_tallies = tallies.of_systems(kept)
    tied = _all_tied(tallies, fit)
    if tied is not None:
        # The method drops all comparisons, but they show that the systems are equal.
        fit = tied
        ranges = _any_rank(tied, ranges)
        ranked_tallies = tallies.of_systems(tallies.compared)
    kept = np.flatnonzero(fit.scores.estimable)
    shortages = shortages_of(
        ranked_tallies,
        options,
        blocks=numbers[0],
        effective=effective,
        limits=ranges.limits,
        refused=ranges.shortages,
    )
    ranges = without_estimates(
        ranges, [name in shortages for name in ranked_tallies.systems]
    )
    extra = {**fit.extra, **ranges.extra}
    if ranges.errors is not None:
        # Systems whose scores are not influenced by any comparison have none, such as one at
        # infinite distance from all others.
        errors = zip(ranked_tallies.systems, ranges.errors.tolist(), strict=True)
        values = {}
        for name, error in errors:
            if error > 0:
                values[name] = error
        extra["standard_errors"] = {"clusters": options.resample, "values": values}
    return Ranking(
        method=method.name,
        parameters=parameters,
        resample=options.resample,
        ranges=options.ranges,
        correction=options.correction,
        sides=options.sides,
        limits=ranges.limits,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=seed,
        content_key_version=CONTENT_KEY_VERSION,
        systems=_ranked(tallies, fit.scores, ranges.ranges, has_scores=tied is None),
        pairs=compared_pairs(
            tallies=ranked_tallies,
            scores=fit.scores.take(kept),
            tests=ranges.tests,
            correction=options.correction,
            level=options.level,
        ),
        not_estimable=_unranked(tallies, fit),
        groups=(_names(tallies, kept),) if len(kept) else (),
        blocks=numbers[0],
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        judges=numbers[1],
        shortages=shortages,
        extra=extra,
    )


def without_estimates(ranges: RangesFound, thin: list[bool]) -> RangesFound:
    """Return ranges and tests that claim nothing about the systems that lack judgments.

    Such a system may have any rank, so every other system may be one rank better or worse for each
    of them.
    """
    unknown = np.array(thin, dtype=np.bool_)
    count = int(np.count_nonzero(unknown))
    if not count or len(ranges.ranges.low) != len(unknown):
        return ranges
    low = np.where(unknown, 1, np.maximum(1, ranges.ranges.low - count))
    high = np.where(
        unknown, len(thin), np.minimum(len(thin), ranges.ranges.high + count)
    )
    of_pair = unknown[:, np.newaxis] | unknown
    tests = PairTests(
        p_value=np.where(of_pair, 1.0, ranges.tests.p_value),
        adjusted_p=np.where(of_pair, 1.0, ranges.tests.adjusted_p),
    )
    if ranges.errors is None:
        errors = None
    else:
        errors = np.where(unknown, np.nan, ranges.errors)
    return replace(ranges, ranges=RankRanges(low, high), tests=tests, errors=errors)


def _unranked(tallies: Tallies, fit: Fit) -> tuple[UnrankedSystem, ...]:
    tied = tallies.ties.sum(axis=1)
    return tuple(
        UnrankedSystem(
            system=tallies.systems[index],
            reason=fit.reasons.get(
                index,
                NotEstimable.ONLY_TIES if tied[index] else NotEstimable.NO_COMPARISON,
            ),
            ties=int(tied[index]),
        )
        for index in np.flatnonzero(~fit.scores.estimable).tolist()
    )


def _ranked(
    tallies: Tallies, scores: Scores, ranges: RankRanges, *, has_scores: bool
) -> tuple[RankedSystem, ...]:
    kept = np.flatnonzero(scores.estimable)
    first, last = (ranks[kept] for ranks in shared_ranks(scores))
    order = ordinal_ranks(scores)[kept]
    widened = RankRanges(
        low=np.minimum(ranges.low, first), high=np.maximum(ranges.high, last)
    )
    cluster = clusters(widened)
    won = tallies.wins.sum(axis=1)
    lost = tallies.wins.sum(axis=0)
    tied = tallies.ties.sum(axis=1)
    return tuple(
        RankedSystem(
            system=tallies.systems[index],
            score=float(scores.values[index]) if has_scores else None,
            rank=int(first[i]),
            rank_low=int(widened.low[i]),
            rank_high=int(widened.high[i]),
            cluster=int(cluster[i]),
            wins=int(won[index]),
            losses=int(lost[index]),
            ties=int(tied[index]),
            last_rank=int(last[i]),
        )
        for i, index in sorted(
            enumerate(kept.tolist()), key=lambda pair: int(order[pair[0]])
        )
    )


def _all_tied(tallies: Tallies, fit: Fit) -> Fit | None:
    """Return a fit with equal scores if all comparisons are ties and the method drops ties."""
    if tallies.wins.any() or not tallies.ties.any() or fit.scores.estimable.any():
        return None
    if set(fit.reasons.values()).difference((NotEstimable.ONLY_TIES,)):
        return None
    compared = np.asarray(tallies.ties.any(axis=1), dtype=np.bool_)
    values = np.where(compared, 0.0, np.nan)
    return Fit(Scores(values=values, estimable=compared), fit.extra)


def _any_rank(fit: Fit, ranges: RangesFound) -> RangesFound:
    n = int(np.count_nonzero(fit.scores.estimable))
    return RangesFound(
        errors=None if ranges.errors is None else np.zeros(n),
        ranges=RankRanges(
            low=np.ones(n, dtype=np.int64), high=np.full(n, n, dtype=np.int64)
        ),
        tests=PairTests(p_value=np.ones((n, n)), adjusted_p=np.ones((n, n))),
    )


def _names(tallies: Tallies, systems: Int64Array) -> tuple[str, ...]:
    return tuple(tallies.systems[index] for index in systems.tolist())


def _side_by_side(
    tallies: Tallies, rankings: Sequence[Ranking], *, numbers: tuple[int, int]
) -> Ranking:
    """Return the rankings of unconnected groups combined into one result.

    `numbers` are the total numbers of blocks and judges. The method's further results are merged by
    system; other values are taken from the first ranking.
    """
    ranked = []
    for each in rankings:
        if each.groups:
            ranked.append(each)
    systems = tuple(
        replace(row, group=number)
        for number, each in enumerate(ranked, 1)
        for row in each.systems
    )
    never = set(tallies.systems).difference(_names(tallies, tallies.compared))
    unranked = [row for each in rankings for row in each.not_estimable]
    unranked += [
        UnrankedSystem(name, NotEstimable.NO_COMPARISON, ties=0) for name in never
    ]
    extra: dict[str, Any] = {}
    for ranking in rankings:
        for name, value in ranking.extra.items():
            if name in extra:
                extra[name] = _both(extra[name], value)
            else:
                extra[name] = value
    return replace(
        rankings[0],
        systems=systems,
        pairs=tuple(pair for each in ranked for pair in each.pairs),
        not_estimable=tuple(
            sorted(unranked, key=lambda row: tallies.systems.index(row.system))
        ),
        groups=tuple(group for each in ranked for group in each.groups),
        limits=tuple(
            dict.fromkeys(limit for each in rankings for limit in each.limits)
        ),
        blocks=numbers[0],
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        judges=numbers[1],
        shortages={
            system: shortage
            for each in ranked
            for system, shortage in each.shortages.items()
        },
        extra=extra,
    )


def _both(one: Any, other: Any) -> Any:
    """Merge the further results of two groups: add counts, and join mappings and lists."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {
            **one,
            **{
                key: _both(one[key], other[key]) if key in one else other[key]
                for key in other
            },
        }
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return [*one, *other]
    if isinstance(one, bool) and isinstance(other, bool):
        return one and other
    if isinstance(one, int) and isinstance(other, int) and not isinstance(one, bool):
        return one + other
    return one


def rank_at_any_time(
    counted: CountedJudgments, *, confidence: float = 0.95
) -> Ranking | None:
    """Rank by Expected Wins with anytime ranges, which hold simultaneously at all looks.

    The result is bit-identical to `rank` with ``ranges="anytime"`` for the same judgments: wins are
    the first cells of every method, so their moments are the first rows and columns of its moments.

    Parameters
    ----------
    counted : CountedJudgments
        Judgments counted for any method.
    confidence : float

    Returns
    -------
    Ranking or None
        None if no moments of segments and judges were counted.
    """
    if counted.moments is None:
        return None
    method = counts_method_named("expected_wins")
    cells = len(method.layout(len(counted.systems)).used)
    moments = counted.moments.of_cells(np.arange(cells))
    options = RangeOptions.completed(ranges="anytime", confidence=confidence)
    return rank_judged(
        judged=replace(counted, moments=moments),
        method=method,
        parameters={},
        options=options,
        seed=0,
    )

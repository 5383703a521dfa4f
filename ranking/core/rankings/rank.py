"""Ranking of a test set as a frozen result: scores, ranks, rank ranges and clusters, from blocks or
counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self, Unpack, cast

import numpy as np

from ranking.core.arrays import Int64Array, as_column
from ranking.core.counting.counts import Tallies, compared_groups, tally
from ranking.core.counting.moments import MIN_UNITS
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
    EffectiveUnits,
    count_judgments,
    effective_units,
    effective_units_of_sizes,
)
from ranking.core.rankings.range_kinds import (
    MethodParameters,
    RangeFinder,
    RangeKind,
    RangeOptions,
    RangeParts,
    RangesWithTests,
    shortages_of,
)
from ranking.core.rankings.records import RankedRow, RecordedShortage, UnrankedRow
from ranking.core.scores import NotEstimable, Scores, Shortage, best_first, shared_ranks
from ranking.core.sharding import Engine, Running
from ranking.core.uncertainty import limits_of_units

#: Further results of a method by name, as plain JSON.
MethodResults = Mapping[str, Any]


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
    parameters: MethodParameters
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
    extra: MethodResults = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return a plain table of the systems, for notebooks."""
        lines = [
            f"{self.method}: {self.blocks} blocks, {self.comparisons} comparisons, {self.judges} judges",
        ]
        width = max((len(row.system) for row in self.systems), default=0)
        group = 0
        for row in self.systems:
            if row.group != group:
                title = f"group {row.group}"
                if len(self.groups) == 1:
                    title = "system"
                lines.append(f"rank  range    score  {title:{width}}  won:lost:tied")
            group = row.group
            lines.append(self._line(row, width))
        for unranked in self.not_estimable:
            lines.append(f"not ranked: {unranked.system} ({unranked.reason})")
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
    parameters: MethodParameters | None = None,
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
    parameters: MethodParameters,
    options: RangeOptions,
    *,
    seed: int,
    all_systems: int | None = None,
    **running: Unpack[Running],
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
    seed : int
        As for `rank`.
    all_systems : int, optional
        Number of systems, including those of other groups; those of `judged` if not given.
    **running : see `ranking.core.sharding.Running`

    Returns
    -------
    Ranking
        Without standard errors over a single kind of unit if its moments were not counted.
    """
    every = all_systems or len(judged.systems)
    totals = _Totals.of(judged)
    groups = compared_groups(totals.tallies)
    if len(groups) > 1:
        rankings = []
        for group in groups:
            part: Blocks | CountedJudgments
            if isinstance(judged, Blocks):
                part = judged.of_systems(group)
            else:
                part = judged.of_group(group, method)
            ranking = rank_judged(
                judged=part,
                method=method,
                parameters=parameters,
                options=options,
                seed=seed,
                all_systems=every,
                **running,
            )
            rankings.append(ranking)
        return _side_by_side(rankings, totals)
    scored = _score_systems(judged, method, parameters, seed)
    fit = scored.fit
    finder = RangeFinder(
        judged=scored.ranked,
        method=method,
        parameters=parameters,
        options=options,
        scores=fit.scores.take(scored.indices),
        seed=seed,
    )
    ranges = finder.find(all_systems=every, **running)
    tallies = totals.tallies
    ranked_tallies = tallies.of_systems(scored.indices)
    effective = scored.effective
    tied = _all_tied(tallies, fit)
    if tied is not None:
        # The method drops all comparisons, but they show that the systems are equal.
        fit = tied
        effective = totals.units
        ranges = _any_rank(tied, ranges, _limits_of(effective, options))
        ranked_tallies = tallies.of_systems(tallies.compared)
    indices = np.flatnonzero(fit.scores.estimable)
    shortages = shortages_of(
        ranked_tallies,
        options,
        blocks=totals.blocks,
        effective=effective,
        limits=ranges.limits,
        refused=ranges.shortages,
    )
    lacks_judgments = [name in shortages for name in ranked_tallies.systems]
    ranges = without_estimates(ranges, lacks_judgments)
    groups_ranked: tuple[tuple[str, ...], ...] = ()
    if len(indices):
        groups_ranked = (_names(tallies, indices),)
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
        systems=_ranked_systems(
            tallies,
            fit.scores,
            ranges.ranges,
            has_scores=tied is None,
        ),
        pairs=compared_pairs(
            tallies=ranked_tallies,
            scores=fit.scores.take(indices),
            tests=ranges.tests,
            correction=options.correction,
            level=options.level,
        ),
        not_estimable=_unranked_systems(tallies, fit),
        groups=groups_ranked,
        blocks=totals.blocks,
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        judges=totals.judges,
        shortages=shortages,
        extra=_results(fit, ranges, ranked_tallies.systems, options),
    )


@dataclass(frozen=True, eq=False)
class _Totals:
    """Wins and ties, the numbers of blocks and judges, and the units as if all were of one size."""

    tallies: Tallies
    blocks: int
    judges: int
    units: EffectiveUnits

    @classmethod
    def of(cls, judged: Blocks | CountedJudgments) -> Self:
        """Return the totals of blocks or of counted judgments."""
        if isinstance(judged, Blocks):
            tallies = tally(judged)
            blocks = len(judged)
            judges = len(np.unique(judged.judge))
            segments = len(np.unique(judged.segment))
            documents = 0
            if judged.document is not None:
                documents = len(np.unique(judged.document))
        else:
            tallies = judged.tallies
            blocks = judged.blocks
            judges = judged.judges
            segments = judged.segments
            documents = judged.documents
        several_documents = documents if documents > 1 else None
        units = EffectiveUnits(segments, judges, several_documents)
        return cls(tallies, blocks, judges, units)


@dataclass(frozen=True, eq=False)
class _Scored:
    """Scores of systems.

    Attributes
    ----------
    fit : Fit
    indices : int64
        Indices of the systems with a score.
    ranked : Blocks or CountedJudgments
        The judgments of these systems. Systems without a score have none in resamples either: they
        are left out, so that they do not widen the ranges of the others.
    effective : EffectiveUnits
    """

    fit: Fit
    indices: Int64Array
    ranked: Blocks | CountedJudgments
    effective: EffectiveUnits


def _score_systems(
    judged: Blocks | CountedJudgments,
    method: Method,
    parameters: MethodParameters,
    seed: int,
) -> _Scored:
    if isinstance(judged, Blocks):
        fit = method.fit(judged, seed=seed, **parameters)
        indices = np.flatnonzero(fit.scores.estimable)
        return _Scored(
            fit=fit,
            indices=indices,
            ranked=judged.of_systems(indices),
            effective=effective_units(judged, method),
        )
    cells = judged.cells_for(method)
    counts_method = counts_method_named(method.name)
    fit = counts_method.fit_counted(cells, judged.systems, **parameters)
    indices = np.flatnonzero(fit.scores.estimable)
    return _Scored(
        fit=fit,
        indices=indices,
        ranked=judged.of_systems(indices, method),
        effective=effective_units_of_sizes(judged.sizes),
    )


def _results(
    fit: Fit,
    ranges: RangesWithTests,
    systems: Sequence[str],
    options: RangeOptions,
) -> MethodResults:
    """Return the method's further results, with reasons to refuse ranges and standard errors."""
    results = dict(fit.extra)
    if ranges.refusals is not None:
        results["refusals"] = ranges.refusals
    if ranges.errors is not None:
        # Systems whose scores are not influenced by any comparison have none, such as one at
        # infinite distance from all others.
        values = {}
        for name, error in zip(systems, ranges.errors.tolist(), strict=True):
            if error > 0:
                values[name] = error
        results["standard_errors"] = {"clusters": options.resample, "values": values}
    return results


def without_estimates(
    ranges: RangesWithTests,
    lacks_judgments: Sequence[bool],
) -> RangesWithTests:
    """Return ranges and tests that claim nothing about the systems that lack judgments.

    Such a system may have any rank, so every other system may be one rank better or worse for each
    of them.
    """
    is_unknown = np.array(lacks_judgments, dtype=np.bool_)
    systems = len(is_unknown)
    count = int(np.count_nonzero(is_unknown))
    if not count or len(ranges.ranges.low) != systems:
        return ranges
    low = np.maximum(1, ranges.ranges.low - count)
    high = np.minimum(systems, ranges.ranges.high + count)
    widened = RankRanges(
        low=np.where(is_unknown, 1, low),
        high=np.where(is_unknown, systems, high),
    )
    is_unknown_pair = as_column(is_unknown) | is_unknown
    tests = PairTests(
        p_value=np.where(is_unknown_pair, 1.0, ranges.tests.p_value),
        adjusted_p=np.where(is_unknown_pair, 1.0, ranges.tests.adjusted_p),
    )
    errors = ranges.errors
    if errors is not None:
        errors = np.where(is_unknown, np.nan, errors)
    return replace(ranges, ranges=widened, tests=tests, errors=errors)


def _unranked_systems(tallies: Tallies, fit: Fit) -> tuple[UnrankedSystem, ...]:
    ties = tallies.ties.sum(axis=1).tolist()
    unranked = []
    for index in np.flatnonzero(~fit.scores.estimable).tolist():
        reason = NotEstimable.NO_COMPARISON
        if ties[index]:
            reason = NotEstimable.ONLY_TIES
        unranked.append(
            UnrankedSystem(
                system=tallies.systems[index],
                reason=fit.reasons.get(index, reason),
                ties=ties[index],
            ),
        )
    return tuple(unranked)


def _ranked_systems(
    tallies: Tallies,
    scores: Scores,
    ranges: RankRanges,
    *,
    has_scores: bool,
) -> tuple[RankedSystem, ...]:
    indices = np.flatnonzero(scores.estimable)
    estimable_scores = scores.take(indices)
    first, last = shared_ranks(estimable_scores)
    widened = ranges.including(first, last)
    cluster = clusters(widened)
    won = tallies.wins.sum(axis=1)
    lost = tallies.wins.sum(axis=0)
    tied = tallies.ties.sum(axis=1)
    ranked = []
    for row in best_first(estimable_scores).tolist():
        index = indices[row]
        score = None
        if has_scores:
            score = float(scores.values[index])
        ranked.append(
            RankedSystem(
                system=tallies.systems[index],
                score=score,
                rank=int(first[row]),
                rank_low=int(widened.low[row]),
                rank_high=int(widened.high[row]),
                cluster=int(cluster[row]),
                wins=int(won[index]),
                losses=int(lost[index]),
                ties=int(tied[index]),
                last_rank=int(last[row]),
            ),
        )
    return tuple(ranked)


def _all_tied(tallies: Tallies, fit: Fit) -> Fit | None:
    """Return a fit with equal scores if all comparisons are ties and the method drops ties."""
    if tallies.wins.any() or not tallies.ties.any() or fit.scores.estimable.any():
        return None
    if any(reason != NotEstimable.ONLY_TIES for reason in fit.reasons.values()):
        return None
    compared = np.asarray(tallies.ties.any(axis=1), dtype=np.bool_)
    values = np.where(compared, 0.0, np.nan)
    return Fit(Scores(values=values, estimable=compared), fit.extra)


def _limits_of(units: EffectiveUnits, options: RangeOptions) -> tuple[str, ...]:
    """Return the units that ranges of tied systems do not account for, as those of other rankings."""
    if options.resample != "two_way" or options.ranges in ("sign_test", "anytime"):
        return ()
    documents = units.documents
    if documents is not None and documents >= MIN_UNITS:
        limits = limits_of_units(documents, units.judges, few_documents=False)
    else:
        limits = limits_of_units(
            units.segments,
            units.judges,
            few_documents=documents is not None,
        )
    return tuple(str(limit) for limit in limits)


def _any_rank(
    fit: Fit,
    ranges: RangesWithTests,
    limits: tuple[str, ...],
) -> RangesWithTests:
    """Return ranges and tests that claim nothing."""
    n = int(np.count_nonzero(fit.scores.estimable))
    errors = None
    if ranges.errors is not None:
        errors = np.zeros(n)
    return RangesWithTests(
        errors=errors,
        ranges=RankRanges(
            low=np.ones(n, dtype=np.int64),
            high=np.full(n, n, dtype=np.int64),
        ),
        tests=PairTests(p_value=np.ones((n, n)), adjusted_p=np.ones((n, n))),
        limits=limits,
    )


def _names(tallies: Tallies, systems: Int64Array) -> tuple[str, ...]:
    return tuple(tallies.systems[index] for index in systems.tolist())


def _side_by_side(rankings: Sequence[Ranking], totals: _Totals) -> Ranking:
    """Return the rankings of unconnected groups combined into one result.

    The method's further results are merged by system; other values are taken from the first ranking.
    """
    tallies = totals.tallies
    systems: list[RankedSystem] = []
    pairs: list[ComparedPair] = []
    groups: list[tuple[str, ...]] = []
    limits: list[str] = []
    unranked: list[UnrankedSystem] = []
    shortages: dict[str, Shortage] = {}
    results: MethodResults = {}
    for ranking in rankings:
        unranked.extend(ranking.not_estimable)
        results = _merge_results(results, ranking.extra)
        if not ranking.groups:
            continue
        groups.extend(ranking.groups)
        pairs.extend(ranking.pairs)
        shortages.update(ranking.shortages)
        has_ranges = any(row.system not in ranking.shortages for row in ranking.systems)
        if has_ranges:
            limits.extend(ranking.limits)
        for row in ranking.systems:
            systems.append(replace(row, group=len(groups)))
    compared = _names(tallies, tallies.compared)
    for name in tallies.systems:
        if name not in compared:
            unranked.append(UnrankedSystem(name, NotEstimable.NO_COMPARISON, ties=0))
    unranked_by_name = {row.system: row for row in unranked}
    in_order = [name for name in tallies.systems if name in unranked_by_name]
    return replace(
        rankings[0],
        systems=tuple(systems),
        pairs=tuple(pairs),
        not_estimable=tuple(unranked_by_name[name] for name in in_order),
        groups=tuple(groups),
        limits=tuple(dict.fromkeys(limits)),
        blocks=totals.blocks,
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        judges=totals.judges,
        shortages=shortages,
        extra=results,
    )


def _merge_results(one: MethodResults, other: MethodResults) -> MethodResults:
    """Merge the further results of two groups by name."""
    merged = dict(one)
    for name, value in other.items():
        if name in merged:
            merged[name] = _both(merged[name], value)
        else:
            merged[name] = value
    return merged


def _both(one: Any, other: Any) -> Any:
    """Merge the further results of two groups: add counts, and join mappings and lists."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return _merge_results(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return [*one, *other]
    if isinstance(one, bool) and isinstance(other, bool):
        return one and other
    if isinstance(one, int) and isinstance(other, int) and not isinstance(one, bool):
        return one + other
    return one


def rank_at_any_time(
    counted: CountedJudgments,
    *,
    confidence: float = 0.95,
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

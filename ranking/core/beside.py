"""Comparison of the tasks of one test set: scores, orders, and pairs decided per hour.

Each task is resampled by segments and by judges: a ranking task by wins, a task with outputs scored
one by one by the mean scores of segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TypedDict

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int64Array,
    UInt64Array,
    as_column,
    share,
)
from ranking.core.counting.counts import tally
from ranking.core.counting.resampling import (
    Resampling,
    bootstrap_sums,
    bootstrap_wins,
    poisson_weights,
    segment_keys,
    unit_keys,
)
from ranking.core.estimates import (
    UNITS,
    CorrelationsOfScores,
    DrawnScores,
    Estimate,
    Unit,
    correlations,
    estimate,
    kendall_tau,
)
from ranking.core.grouping import distinct_pairs, sums_by_cell, sums_by_group
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import counts_method_named
from ranking.core.ranges import Correction, better, clusters, rank_confidence_sets
from ranking.core.rankings.mean_scores import orders_by_methods
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.scores import TIE_DECIMALS, Scores, ordinal_ranks

_SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, eq=False)
class ActiveTime:
    """Judges' active time by segment, including revisions.

    Attributes
    ----------
    seconds : float64, shape (T,)
        At least 0; NaN where it was not measured.
    segment : int64, shape (T,)
        Number of the segment, as in `Blocks.segment`.
    judge : tuple of str, length T
        Pseudonym of the judge.
    """

    seconds: FloatArray
    segment: Int64Array
    judge: tuple[str, ...]

    @cached_property
    def hours(self) -> float | None:
        """Total hours; None if any time was not measured or all are 0."""
        total = float(self.seconds.sum()) / _SECONDS_PER_HOUR
        return total if total > 0 else None  # false for NaN


NO_TIME = ActiveTime(np.zeros(0), np.zeros(0, dtype=np.int64), ())


@dataclass(frozen=True, eq=False)
class TimedTask:
    """Judgments of one task, with times.

    Attributes
    ----------
    name : str
        Name that callers use for it.
    blocks : Blocks
        B judged blocks, at least one. Equal segment numbers and pseudonyms in several tasks mean
        the same segments and judges.
    time : ActiveTime
        Active time spent on these blocks.
    """

    name: str
    blocks: Blocks
    time: ActiveTime

    @property
    def fewest_units(self) -> int:
        """Number of segments or of judges, whichever is smaller."""
        segments = np.unique(self.blocks.segment)
        return min(len(segments), len(self._judge_keys))

    def hours_resampled(self, unit: Unit, *, seed: int, resamples: int) -> FloatArray:
        """Return the hours in resamples of units, shape (R,).

        Parameters
        ----------
        unit : "segments", "judges" or "cells"
        seed, resamples : int
            As for `ranking.core.counting.resampling.poisson_weights`.
        """
        keys = self._keys(unit, self.time.segment, self.time.judge)
        seconds = sparse.csc_array(self.time.seconds[np.newaxis])
        drawn = bootstrap_sums(seconds, keys, seed=seed, resamples=resamples)
        return np.asarray(drawn[0] / _SECONDS_PER_HOUR)

    @cached_property
    def _judge_keys(self) -> Mapping[str, np.uint64]:
        numbers, rows = np.unique(self.blocks.judge, return_index=True)
        names = [self.blocks.judges[number] for number in numbers.tolist()]
        keys = unit_keys(self.blocks, "judges")[rows]
        return dict(zip(names, keys, strict=True))

    def _keys(
        self,
        unit: Unit,
        segment: npt.NDArray[np.integer],
        judges: Sequence[str],
    ) -> UInt64Array:
        if unit == "segments":
            return segment_keys(segment)
        judge_keys = np.array(
            [self._judge_keys[name] for name in judges],
            dtype=np.uint64,
        )
        # Keys are hashes, so those of a pair may be combined.
        if unit == "judges":
            return judge_keys
        return judge_keys ^ segment_keys(segment)


@dataclass(frozen=True, eq=False)
class JudgedTask(TimedTask):
    """A task whose blocks show outputs side by side: systems are compared within blocks."""

    @cached_property
    def compared(self) -> Blocks:
        """The blocks restricted to systems that were compared with at least one other."""
        return self.blocks.of_systems(tally(self.blocks).compared)

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that were compared with at least one other."""
        return self.compared.systems

    def wins(self) -> Int64Array:
        """Return the number of comparisons that each system won against each other one, shape (n,
        n).
        """
        return tally(self.compared).wins

    def wins_resampled(self, unit: Unit, *, seed: int, resamples: int) -> Int64Array:
        """Return the wins in resamples of units, shape (R, n, n)."""
        return bootstrap_wins(self.keyed(unit), resamples=resamples, seed=seed)

    def keyed(self, unit: Unit) -> Blocks:
        """Return the compared blocks with the keys of their units, so that `bootstrap_wins`
        resamples units.
        """
        blocks = self.blocks
        judges = [blocks.judges[index] for index in blocks.judge.tolist()]
        keys = self._keys(unit, blocks.segment, judges)
        return replace(self.compared, key=keys)


_RESAMPLES_AT_A_TIME = 64


@dataclass(frozen=True, eq=False)
class OutputScores:
    """N scores of outputs of n systems, higher is better.

    Attributes
    ----------
    systems : tuple of str, length n
        Each has a score.
    system : int64, shape (N,)
        Index into `systems`.
    segment : int64, shape (N,)
        Number of the segment, as in `Blocks.segment`.
    judge : tuple of str, length N
        Pseudonym of the judge.
    score : float64, shape (N,)
    """

    systems: tuple[str, ...]
    system: Int64Array
    segment: Int64Array
    judge: tuple[str, ...]
    score: FloatArray

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[tuple[int, str, str, float]],
    ) -> OutputScores | None:
        """Return the scores of rows (segment, judge, system, score) in any order; None if there are no rows."""
        ordered = sorted(rows)
        if not ordered:
            return None
        segments, judges, names, scores = zip(*ordered, strict=True)
        systems = tuple(sorted(set(names)))
        index = {name: number for number, name in enumerate(systems)}
        return cls(
            systems=systems,
            system=np.array([index[name] for name in names], dtype=np.int64),
            segment=np.array(segments, dtype=np.int64),
            judge=judges,
            score=np.array(scores, dtype=np.float64),
        )

    def by_judge(self, systems: Sequence[str]) -> ScoresByJudge:
        """Return the mean scores of each judge's outputs of a segment, by these systems, which include all with scores."""
        names, judge = np.unique(self.judge, return_inverse=True)
        segment_of_row, judge_of_row, row = distinct_pairs(self.segment, judge)
        column_of_system = np.array([systems.index(name) for name in self.systems])
        scores = sums_by_cell(
            row,
            column_of_system[self.system],
            self.score,
            shape=(len(segment_of_row), len(systems)),
        )
        return ScoresByJudge(
            judges=tuple(names.tolist()),
            segment=segment_of_row,
            judge=judge_of_row,
            values=scores.means,
        )


@dataclass(frozen=True, eq=False)
class ScoresByJudge:
    """Mean scores of n systems, with a row for each of R judged segments of a judge.

    Attributes
    ----------
    judges : tuple of str
        Pseudonyms in alphabetical order.
    segment : int64, shape (R,)
        Ascending.
    judge : int64, shape (R,)
        Index into `judges`.
    values : float64, shape (R, n)
        NaN where missing.
    """

    judges: tuple[str, ...]
    segment: Int64Array
    judge: Int64Array
    values: FloatArray

    def without_judge(self, name: str) -> ScoresByJudge:
        """Return the rows of the other judges."""
        rows = np.array([self.judges[judge] != name for judge in self.judge.tolist()])
        mask = rows.astype(np.bool_)
        return replace(
            self,
            segment=self.segment[mask],
            judge=self.judge[mask],
            values=self.values[mask],
        )


@dataclass(frozen=True, eq=False)
class ScoredTask(TimedTask):
    """A task whose blocks show one output.

    A system's score is the mean over its segments, whose scores are averaged first. The system with
    the higher mean on a segment wins that segment.
    """

    scores: OutputScores

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems with a score."""
        return self.scores.systems

    def means(self) -> FloatArray:
        """Return the mean of each system, shape (n,)."""
        means: FloatArray = self._means(self._equal_weights)[0]
        return means

    def means_resampled(self, unit: Unit, *, seed: int, resamples: int) -> FloatArray:
        """Return the means in resamples of units, shape (R, n); NaN for systems without a score."""
        return np.concatenate(
            [self._means(weights) for weights in self._weights(unit, seed, resamples)],
        )

    def segment_means(self) -> FloatArray:
        """Return the mean score of each segment and system, shape (S, n); NaN without scores."""
        return self._cell_means(as_column(self.scores.score))[:, :, 0]

    def wins(self) -> Int64Array:
        """Return the number of segments that each system won against each other one, shape (n,
        n).
        """
        wins: Int64Array = self._wins(self._equal_weights)[0]
        return wins

    def wins_resampled(self, unit: Unit, *, seed: int, resamples: int) -> Int64Array:
        """Return the wins in resamples of units, shape (R, n, n).

        The weight of a segment for a pair of systems is the average weight of their scores on it;
        sums are rounded.
        """
        return np.concatenate(
            [self._wins(weights) for weights in self._weights(unit, seed, resamples)],
        )

    @property
    def _equal_weights(self) -> FloatArray:
        """Weights of the scores in the data themselves, shape (N, 1)."""
        return np.ones((len(self.scores.score), 1))

    @cached_property
    def _row(self) -> Int64Array:
        """Index of each score's segment among the S scored ones, shape (N,)."""
        _numbers, row = np.unique(self.scores.segment, return_inverse=True)
        return row

    def _cell_means(self, values: FloatArray) -> FloatArray:
        """Return means of values by segment and system, from shape (N, R) to (S, n, R); NaN without
        values.
        """
        n = len(self.systems)
        segments = int(self._row.max(initial=-1)) + 1
        cell = self._row * n + self.scores.system
        total = sums_by_group(values, cell, segments * n)
        count = np.bincount(cell, minlength=segments * n)
        means = share(total, as_column(count))
        return means.reshape(segments, n, -1)

    def _weights(self, unit: Unit, seed: int, resamples: int) -> list[FloatArray]:
        keys = self._keys(unit, self.scores.segment, self.scores.judge)
        return [
            poisson_weights(
                keys,
                seed=seed,
                resamples=min(_RESAMPLES_AT_A_TIME, resamples - first),
                first_resample=first,
            ).astype(np.float64)
            for first in range(0, resamples, _RESAMPLES_AT_A_TIME)
        ]

    def _means(self, weights: FloatArray) -> FloatArray:
        weighted = self._cell_means(weights * as_column(self.scores.score))
        total = np.nansum(weighted, axis=0)
        counted = np.nansum(self._cell_means(weights), axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((total / counted).T)

    def _wins(self, weights: FloatArray) -> Int64Array:
        n = len(self.systems)
        mean = self.segment_means()
        weight = self._cell_means(weights)
        wins = np.zeros((weights.shape[1], n, n), dtype=np.int64)
        for one in range(n):
            for other in range(n):
                ahead = np.round(mean[:, one] - mean[:, other], TIE_DECIMALS)
                won = ahead > 0  # False for NaN.
                both = (weight[won, one] + weight[won, other]) / 2
                wins[:, one, other] = np.rint(both.sum(axis=0))
        return wins


#: A task of either kind.
Task = JudgedTask | ScoredTask


def drawn_scores(
    task: Task,
    method: CountsMethod,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> DrawnScores:
    """Score the systems of a task and its resamples: by the method, or by means if outputs are
    scored one by one.

    Parameters
    ----------
    task : JudgedTask or ScoredTask
    method : CountsMethod
    resamples, seed : int
        As for `ranking.core.counting.resampling.bootstrap_wins`.

    Raises
    ------
    NotConvergedError
        If the method's estimate does not converge.
    """
    resampled: dict[Unit, Scores] = {}
    if isinstance(task, ScoredTask):
        for unit in UNITS:
            means = task.means_resampled(unit, seed=seed, resamples=resamples)
            resampled[unit] = _scores_of(means)
        scores = _scores_of(task.means())
        return DrawnScores(task.systems, scores, resampled, task.fewest_units)
    # The keys are already those of the units.
    resampling = Resampling("blocks", seed=seed)
    ids = range(resamples)
    for unit in UNITS:
        resampled[unit] = method.score_resamples(task.keyed(unit), resampling, ids)
    scores = method.score(task.compared)
    return DrawnScores(task.systems, scores, resampled, task.fewest_units)


def _scores_of(values: FloatArray) -> Scores:
    return Scores(values=values, estimable=~np.isnan(values))


@dataclass(frozen=True, eq=False)
class DecidedPairs:
    """Decided pairs of n systems.

    Attributes
    ----------
    systems : tuple of str, length n
        Systems that are compared with any other.
    wins : int64, shape (n, n)
        Number of comparisons that the first won against the second.
    better : bool, shape (n, n)
        Whether the first is significantly better than the second.
    pairs : int
        Number of all pairs of these systems.
    per_hour : Estimate or None
        Decided pairs per hour of active time; None without that time, or without a pair.
    """

    systems: tuple[str, ...]
    wins: Int64Array
    better: BoolArray
    pairs: int
    per_hour: Estimate | None

    @property
    def decided(self) -> int:
        """Number of decided pairs."""
        return int(np.count_nonzero(self.better))

    def won_and_lost(self, system: str, other: str) -> tuple[int, int]:
        """Return the numbers of comparisons that a system won and lost against another one."""
        one = self.systems.index(system)
        two = self.systems.index(other)
        return int(self.wins[one, two]), int(self.wins[two, one])


def decided_pairs(
    task: Task,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> DecidedPairs:
    """Find the decided pairs of systems, and estimate their number per hour.

    A pair is decided if the two-sided exact sign test of its own comparisons, without ties, has p ≤
    1 − `confidence` after Holm's correction for all pairs of the task. The test assumes independent
    comparisons. If outputs are scored one by one, each segment is a comparison.

    Parameters
    ----------
    task : TimedTask
    resamples : int
        Number of resamples of each unit, for the interval of `per_hour`.
    confidence : float
        Confidence of the tests and of the interval, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64.

    Returns
    -------
    DecidedPairs
        The interval of `per_hour` is linearised: it uses the resampled values of decided − rate ·
        hours.
    """
    wins = task.wins()
    is_better = _better(wins, confidence)
    n = len(task.systems)
    hours = task.time.hours
    per_hour = None
    if hours is not None and n > 1:
        decided = int(np.count_nonzero(is_better))
        rate = decided / hours
        resampled = {}
        for unit in UNITS:
            drawn = task.wins_resampled(unit, seed=seed, resamples=resamples)
            count = np.count_nonzero(_better(drawn, confidence), axis=(-2, -1))
            spent = task.hours_resampled(unit, seed=seed, resamples=resamples)
            residual = count - rate * spent
            resampled[unit] = rate + residual / hours
        per_hour = estimate(
            rate,
            resampled,
            fewest_units=task.fewest_units,
            confidence=confidence,
            least=0.0,
        )
    return DecidedPairs(task.systems, wins, is_better, n * (n - 1) // 2, per_hour)


def _better(wins: Int64Array, confidence: float) -> BoolArray:
    level = round(1 - confidence, 12)
    return better(wins, level=level, sides=2, correction=Correction.HOLM)


#: Resamples without a score of a system are left out; if they exceed this share, its spread is
#: unknown.
_MOST_LACKING = 0.05
_LEAST_WHOLE = 50
#: The better and the worse system.
BetterAndWorse = tuple[str, str]


class SystemByMean(TypedDict):
    """A system in an order by mean scores, as in `RankedSystem`; its range is a confidence set."""

    system: str
    score: float
    rank: int
    rank_low: int
    rank_high: int
    cluster: int


@dataclass(frozen=True, eq=False)
class TaskOrder:
    """Results of a single task.

    Attributes
    ----------
    task : JudgedTask or ScoredTask
    ranking : Ranking or None
        With percentile ranges over segments and judges, the default of live rankings; None if no
        systems are compared, or if outputs are scored one by one.
    means : sequence of SystemByMean
        If outputs are scored one by one, the systems by mean score, best first. Otherwise, or with
        a single system, empty.
    decided : DecidedPairs
    """

    task: Task
    ranking: Ranking | None
    means: Sequence[SystemByMean]
    decided: DecidedPairs


@dataclass(frozen=True, eq=False)
class PairOfTasks:
    """Two tasks side by side.

    Attributes
    ----------
    first, second : str
        Names of the tasks.
    correlations : CorrelationsOfScores
    agreeing : tuple of (str, str)
        The better and the worse system of each pair that both tasks decide in the same way.
    contradicting : tuple of (str, str)
        The better and the worse system, by the first task, of each pair that the second task
        decides the other way.
    """

    first: str
    second: str
    correlations: CorrelationsOfScores
    agreeing: tuple[BetterAndWorse, ...]
    contradicting: tuple[BetterAndWorse, ...]


@dataclass(frozen=True, eq=False)
class TasksBeside:
    """Tasks in the order given, and all pairs of them."""

    orders: tuple[TaskOrder, ...]
    pairs: tuple[PairOfTasks, ...]


def tasks_beside(
    tasks: Sequence[Task],
    method: str = "expected_wins",
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> TasksBeside:
    """Compare tasks on the same systems.

    Parameters
    ----------
    tasks : sequence of JudgedTask or ScoredTask
        Tasks with different names.
    method : str
        Method for the tasks whose blocks compare outputs; it must score counts.
    resamples : int
        Number of resamples of each unit.
    confidence : float
        Confidence of rank ranges, tests and intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64.
    progress : callable, optional
        Called with (tasks done, all tasks).

    Returns
    -------
    TasksBeside

    Raises
    ------
    ValueError
        If the method does not score counts.
    NotConvergedError
        If the method's estimate does not converge.
    """
    scored = counts_method_named(method)
    drawing = {"resamples": resamples, "seed": seed}
    orders = []
    drawn = []
    for number, task in enumerate(tasks, 1):
        drawn.append(drawn_scores(task, scored, **drawing))
        ranking = None
        if isinstance(task, JudgedTask) and len(task.systems) > 1:
            ranking = rank(
                task.blocks,
                method,
                confidence=confidence,
                resamples=resamples,
                seed=seed,
            )
        means: list[SystemByMean] = []
        if isinstance(task, ScoredTask):
            means = _systems_by_mean(drawn[-1], confidence, seed)
        decided = decided_pairs(task, confidence=confidence, **drawing)
        orders.append(TaskOrder(task, ranking, means, decided))
        if progress is not None:
            progress(number, len(tasks))
    pairs = []
    for one, other in combinations(range(len(orders)), 2):
        score_correlations = correlations(
            drawn[one],
            drawn[other],
            confidence=confidence,
        )
        pairs.append(_compare_orders(orders[one], orders[other], score_correlations))
    return TasksBeside(tuple(orders), tuple(pairs))


def _systems_by_mean(
    drawn: DrawnScores,
    confidence: float,
    seed: int,
) -> list[SystemByMean]:
    """Return the order by means, with confidence sets of ranks over segments and judges.

    The covariance is that over segments plus that over judges. It counts their overlap twice, so
    sets are not too small. A system without a score in some resample may have any rank, as may all
    systems with a single segment or judge.
    """
    if len(drawn.systems) < 2:
        return []
    estimable, covariance = _covariance_over_units(drawn)
    values = drawn.scores.values
    ranges = rank_confidence_sets(
        np.where(estimable, values, np.nan),
        covariance,
        confidence=confidence,
        degrees_of_freedom=max(drawn.fewest_units - 1, 1),
        seed=seed,
    )
    ranks = ordinal_ranks(drawn.scores)
    widened = ranges.including(ranks, ranks)
    cluster = clusters(widened)
    rows = []
    for index in np.argsort(ranks).tolist():
        row = SystemByMean(
            system=drawn.systems[index],
            score=float(values[index]),
            rank=int(ranks[index]),
            rank_low=int(widened.low[index]),
            rank_high=int(widened.high[index]),
            cluster=int(cluster[index]),
        )
        rows.append(row)
    return rows


def _covariance_over_units(drawn: DrawnScores) -> tuple[BoolArray, FloatArray]:
    """Return the systems whose spread is known, shape (n,), and the covariance of their scores over
    segments plus that over judges, shape (n, n).
    """
    n = len(drawn.systems)
    covariance = np.zeros((n, n))
    parts = [drawn.resampled["segments"].values, drawn.resampled["judges"].values]
    estimable = np.full(n, drawn.fewest_units > 1)
    for part in parts:
        estimable &= np.isnan(part).mean(axis=0) <= _MOST_LACKING
    if not estimable.any():
        return estimable, covariance
    pairs = np.ix_(estimable, estimable)
    for part in parts:
        scores = part[:, estimable]
        whole = scores[~np.isnan(scores).any(axis=1)]
        if len(whole) < _LEAST_WHOLE:
            estimable[:] = False
            break
        covariance[pairs] += np.cov(whole.T)
    return estimable, covariance


def _compare_orders(
    one: TaskOrder,
    other: TaskOrder,
    correlations: CorrelationsOfScores,
) -> PairOfTasks:
    by_one = _better_pairs(one.decided)
    by_other = _better_pairs(other.decided)
    return PairOfTasks(
        first=one.task.name,
        second=other.task.name,
        correlations=correlations,
        agreeing=tuple(pair for pair in by_one if pair in by_other),
        contradicting=tuple(pair for pair in by_one if pair[::-1] in by_other),
    )


def _better_pairs(decided: DecidedPairs) -> list[BetterAndWorse]:
    return [
        (decided.systems[better], decided.systems[worse])
        for better, worse in np.argwhere(decided.better).tolist()
    ]


@dataclass(frozen=True)
class OrderBeside:
    """An order of systems, best first (ties by name), and Kendall's τ_b with each order by its
    name; NaN if undefined.

    Systems that a method cannot score are left out.
    """

    systems: tuple[str, ...]
    tau: Mapping[str, float]


def orders_beside(
    name: str,
    order: Sequence[str],
    others: Mapping[str, Sequence[str]],
    *,
    blocks: Blocks,
    methods: Sequence[str],
) -> dict[str, OrderBeside]:
    """Compare other orders of systems with a given one.

    Parameters
    ----------
    name : str
        Name of the given order.
    order : sequence of str
        All systems, best first.
    others : mapping of str to sequence of str
        Further orders by name, each of some or all of these systems, best first.
    blocks : Blocks
        The judgments that the methods score.
    methods : sequence of str

    Returns
    -------
    dict of str to OrderBeside
        Orders by name: the given one, those of the methods, the others.

    Raises
    ------
    ValueError
        If an order has an unknown or duplicate system, or the name of another order.
    """
    scores: dict[str, Mapping[str, float]] = {name: _scores_from_order(order)}
    for by_method in orders_by_methods(blocks, methods):
        scores[by_method.method] = by_method.scores
    for other, systems in others.items():
        if other in scores:
            raise ValueError(f"duplicate order {other!r}")
        for system in systems:
            if system not in order:
                raise ValueError(f"order {other!r}: there is no system {system!r}")
        if len(set(systems)) < len(systems):
            raise ValueError(f"order {other!r}: a system occurs twice")
        scores[other] = _scores_from_order(systems)
    orders = {}
    for one, own in scores.items():
        best_first = sorted(sorted(own), key=own.__getitem__, reverse=True)
        tau = {other: kendall_tau(own, scores[other]) for other in scores}
        orders[one] = OrderBeside(tuple(best_first), tau)
    return orders


def _scores_from_order(order: Sequence[str]) -> dict[str, float]:
    return {system: float(position) for position, system in enumerate(reversed(order))}

"""Several tasks on the same systems beside each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np

from ranking.core.beside.correlations import (
    CorrelationsOfScores,
    DrawnScores,
    correlations,
    drawn_scores,
)
from ranking.core.beside.decided import DecidedPairs, decided_pairs
from ranking.core.beside.judged_task import JudgedTask
from ranking.core.beside.scored_task import ScoredTask
from ranking.core.methods.registry import counts_method_named
from ranking.core.ranges.clusters import RankRanges, clusters
from ranking.core.ranges.confidence_sets import rank_confidence_sets
from ranking.core.rankings.rank import rank
from ranking.core.rankings.ranking import Ranking
from ranking.core.scores import ordinal_ranks

#: Resamples without a score of a system are left out; of more than this share, nothing is known of its spread.
_MOST_LACKING = 0.05
_LEAST_WHOLE = 50
#: A better system and a worse one.
BetterAndWorse = tuple[str, str]


@dataclass(frozen=True)
class PlacedSystem:
    """A system in the order of a task.

    Attributes
    ----------
    system : str
    score : float or None
        Higher is better; by the method, or the mean where outputs are scored one by one. None where all comparisons
        are ties.
    rank, rank_low, rank_high, cluster : int
        1 for the best. The range is of percentiles, or a confidence set where outputs are scored one by one.
    """

    system: str
    score: float | None
    rank: int
    rank_low: int
    rank_high: int
    cluster: int


@dataclass(frozen=True, eq=False)
class TaskOrder:
    """A task by itself.

    Attributes
    ----------
    task : JudgedTask or ScoredTask
    order : tuple of PlacedSystem
        Best first; empty where nothing compares two systems.
    ranking : Ranking or None
        That the order is of, with percentile ranges over segments and judges, as live rankings have by default; None where
        there is no order, or outputs are scored one by one.
    decided : DecidedPairs
    """

    task: JudgedTask | ScoredTask
    order: tuple[PlacedSystem, ...]
    ranking: Ranking | None
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
        The better and the worse system of each pair that both decide alike.
    contradicting : tuple of (str, str)
        Of each pair that both decide, but the other way round: the better one by the first task, and the worse one.
    """

    first: str
    second: str
    correlations: CorrelationsOfScores
    agreeing: tuple[BetterAndWorse, ...]
    contradicting: tuple[BetterAndWorse, ...]


@dataclass(frozen=True, eq=False)
class TasksBeside:
    """Tasks in the order in which they were given, and every two of them."""

    orders: tuple[TaskOrder, ...]
    pairs: tuple[PairOfTasks, ...]


def tasks_beside(
    tasks: Sequence[JudgedTask | ScoredTask],
    method: str = "expected_wins",
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> TasksBeside:
    """Set tasks on the same systems beside each other.

    Parameters
    ----------
    tasks : sequence of JudgedTask or ScoredTask
        Of different names.
    method : str
        By which all are ranked whose blocks compare outputs: a method that scores counts.
    resamples : int
        Of each unit.
    confidence : float
        Between 0 and 1: of rank ranges, tests and intervals.
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
        If two tasks have the same name, or the method does not score counts.
    NotConvergedError
        If the method's estimate does not converge.
    """
    if len({task.name for task in tasks}) < len(tasks):
        raise ValueError("tasks: a name occurs twice")
    scored = counts_method_named(method)
    drawing = {"resamples": resamples, "seed": seed}
    orders, drawn = [], []
    for number, task in enumerate(tasks, 1):
        drawn.append(drawn_scores(task, scored, **drawing))
        ranking = None
        if isinstance(task, JudgedTask) and len(task.systems) > 1:
            ranking = rank(
                task.blocks, method, confidence=confidence, resamples=resamples, seed=seed
            )
        orders.append(
            TaskOrder(
                task=task,
                order=_by_means(drawn[-1], confidence, seed)
                if isinstance(task, ScoredTask)
                else _by_ranking(ranking),
                ranking=ranking,
                decided=decided_pairs(task, confidence=confidence, **drawing),
            )
        )
        if progress is not None:
            progress(number, len(tasks))
    pairs = [
        _pair(one, other, correlations(*of, confidence=confidence))
        for (one, other), of in zip(combinations(orders, 2), combinations(drawn, 2), strict=True)
    ]
    return TasksBeside(tuple(orders), tuple(pairs))


def _by_ranking(ranking: Ranking | None) -> tuple[PlacedSystem, ...]:
    names = [part.name for part in fields(PlacedSystem)]
    rows = () if ranking is None else ranking.systems
    return tuple(PlacedSystem(**{name: getattr(row, name) for name in names}) for row in rows)


def _by_means(drawn: DrawnScores, confidence: float, seed: int) -> tuple[PlacedSystem, ...]:
    """Return the order by means, with confidence sets of ranks over segments and judges.

    The covariance is that over segments + that over judges: what both share is in it twice, so that sets are no smaller
    than they should be. A system that some resample lacks may have any rank, as all may with one segment or judge.
    """
    n = len(drawn.systems)
    if n < 2:
        return ()
    covariance = np.zeros((n, n))
    parts = [drawn.resampled["segments"].values, drawn.resampled["judges"].values]
    lacking = [np.isnan(each).mean(axis=0) > _MOST_LACKING for each in parts]
    known = ~np.logical_or(*lacking) & (drawn.fewest_units > 1)
    if known.any():
        for each in parts:
            whole = each[:, known][~np.isnan(each[:, known]).any(axis=1)]
            if len(whole) < _LEAST_WHOLE:
                known[:] = False
                break
            covariance[np.ix_(known, known)] += np.cov(whole.T)
    values = drawn.scores.values
    ranges = rank_confidence_sets(
        np.where(known, values, np.nan),
        covariance,
        confidence=confidence,
        degrees_of_freedom=max(drawn.fewest_units - 1, 1),
        seed=seed,
    )
    ranks = ordinal_ranks(drawn.scores)
    low, high = np.minimum(ranges.low, ranks), np.maximum(ranges.high, ranks)
    cluster = clusters(RankRanges(low=low, high=high))
    return tuple(
        PlacedSystem(
            system=drawn.systems[index],
            score=float(values[index]),
            rank=int(ranks[index]),
            rank_low=int(low[index]),
            rank_high=int(high[index]),
            cluster=int(cluster[index]),
        )
        for index in np.argsort(ranks).tolist()
    )


def _pair(one: TaskOrder, other: TaskOrder, found: CorrelationsOfScores) -> PairOfTasks:
    by_one, by_other = _better(one.decided), _better(other.decided)
    return PairOfTasks(
        first=one.task.name,
        second=other.task.name,
        correlations=found,
        agreeing=tuple(pair for pair in by_one if pair in by_other),
        contradicting=tuple(pair for pair in by_one if pair[::-1] in by_other),
    )


def _better(found: DecidedPairs) -> list[BetterAndWorse]:
    return [
        (found.systems[better], found.systems[worse])
        for better, worse in np.argwhere(found.better).tolist()
    ]

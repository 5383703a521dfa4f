"""Meta-evaluation: metrics beside what people say, with the ceiling and the floor, each other, and by groups of segments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, get_args

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.beside import OutputScores, ScoredTask
from ranking.core.judged.blocks import Blocks
from ranking.core.metrics.agreement import FOLDS, Metric, MetricAgreement, agreement_of_metrics
from ranking.core.metrics.comparison import ComparedMetrics, Figure, metrics_compared
from ranking.core.metrics.limits import ceiling, floor
from ranking.core.metrics.people import (
    NothingComparedError,
    People,
    people_of_blocks,
    people_of_ratings,
    people_of_scores,
)

FIGURES: tuple[Figure, ...] = get_args(Figure)
Progress = Callable[[int, int], None]


class Side(Protocol):
    """What people said, of which some systems and segments may be chosen."""

    def people(
        self, *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        """Return what they said of these systems and segments; of all if not given. Raises NothingComparedError if it compares none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedSide:
    """Judged blocks; parameters are those of `people_of_blocks`."""

    blocks: Blocks
    method: str = "expected_wins"
    resamples: int = 1000
    seed: int = 0

    def people(
        self, *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        """Return what was ranked."""
        blocks = self.blocks
        if systems is not None:
            blocks = blocks.without(set(blocks.systems) - set(systems))
        if segments is not None:
            blocks = blocks.take(np.isin(blocks.segment, segments))
        if not len(blocks):
            raise NothingComparedError("nothing was judged")
        return people_of_blocks(blocks, self.method, resamples=self.resamples, seed=self.seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedSide:
    """Scores of outputs by judges; parameters are those of `people_of_ratings`."""

    task: ScoredTask
    resamples: int = 1000
    seed: int = 0

    @property
    def ratings(self) -> OutputScores:
        """The scores, whose judges are known."""
        return self.task.scores

    def people(
        self, *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        """Return what was scored."""
        scores = self.task.scores
        rows = np.ones(len(scores.score), dtype=np.bool_)
        if systems is not None:
            rows &= np.isin(np.array(scores.systems)[scores.system], systems)
        if segments is not None:
            rows &= np.isin(scores.segment, segments)
        chosen = OutputScores.of_rows(
            (segment, judge, scores.systems[system], score)
            for segment, judge, system, score in zip(
                scores.segment[rows].tolist(),
                np.array(scores.judge)[rows].tolist(),
                scores.system[rows].tolist(),
                scores.score[rows].tolist(),
                strict=True,
            )
        )
        if chosen is None or len(chosen.systems) < 2:
            raise NothingComparedError("fewer than two systems have a score")
        task = replace(self.task, scores=chosen)
        return people_of_ratings(task, resamples=self.resamples, seed=self.seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredColumn:
    """Scores of outputs by a metric or by people.

    Attributes
    ----------
    name : str
    systems : tuple of str, length n
    segments : int64, shape (S,)
        Numbers of the segments, ascending.
    values : float64, shape (S, n)
        Higher is better; NaN where there is none.
    of_systems : float64, shape (n,)
        Scores of whole systems; NaN for the mean over segments.
    is_human : bool
    """

    name: str
    systems: tuple[str, ...]
    segments: Int64Array
    values: FloatArray
    of_systems: FloatArray
    is_human: bool = False

    @property
    def scored(self) -> frozenset[str]:
        """Systems with any score."""
        known = ~np.isnan(self.of_systems) | ~np.isnan(self.values).all(axis=0)
        return frozenset(self.systems[index] for index in np.flatnonzero(known).tolist())

    def metric(self, systems: Sequence[str]) -> Metric:
        """Return the scores of some systems, all of which it has."""
        columns = [self.systems.index(name) for name in systems]
        return Metric(
            name=self.name,
            segments=self.segments,
            values=self.values[:, columns],
            of_systems=self.of_systems[columns],
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredSide:
    """Human scores without judges; parameters are those of `people_of_scores`."""

    scores: ScoredColumn
    resamples: int = 1000
    seed: int = 0

    def people(
        self, *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        """Return what was scored; scores of whole systems are means over the segments where these are chosen."""
        given = self.scores
        names = [name for name in given.systems if systems is None or name in systems]
        metric = given.metric(names)
        numbers = given.segments if segments is None else np.intersect1d(given.segments, segments)
        return people_of_scores(
            metric.of(numbers),
            names,
            numbers,
            of_systems=metric.of_systems if segments is None else None,
            resamples=self.resamples,
            seed=self.seed,
        )


@dataclass(frozen=True, eq=False)
class FoundMetric:
    """The agreement of a metric with people, on the systems that both know."""

    column: ScoredColumn
    systems: tuple[str, ...]
    agreement: MetricAgreement


@dataclass(frozen=True, eq=False)
class FoundGroup:
    """Agreements on the segments of a group; metrics and people without enough there are left out."""

    name: str
    segments: int
    agreements: Mapping[str, MetricAgreement]


@dataclass(frozen=True, eq=False, kw_only=True)
class MetaEvaluation:
    """Metrics beside people.

    Attributes
    ----------
    people : People
    metrics : tuple of FoundMetric
        In the order given.
    left_out : tuple of str
        Names of metrics that score fewer than two of the systems that people compare.
    ceiling : MetricAgreement or None
    floor : MetricAgreement or None
        None without metrics.
    compared : mapping of figure to ComparedMetrics
        Of the metrics in `compared_names`, that score all systems; empty for fewer than two.
    compared_names : tuple of str
    groups : tuple of FoundGroup
    """

    people: People
    metrics: tuple[FoundMetric, ...]
    left_out: tuple[str, ...]
    ceiling: MetricAgreement | None
    floor: MetricAgreement | None
    compared: Mapping[Figure, ComparedMetrics]
    compared_names: tuple[str, ...]
    groups: tuple[FoundGroup, ...] = field(default=())


def meta_evaluation(
    side: Side,
    columns: Sequence[ScoredColumn],
    *,
    confidence: float = 0.95,
    flips: int = 1000,
    groups: Mapping[str, Int64Array] | None = None,
    progress: Progress | None = None,
) -> MetaEvaluation:
    """Set metrics beside people.

    Parameters
    ----------
    side : Side
    columns : sequence of ScoredColumn
        The metrics, of different names.
    confidence : float
        Of intervals and tests, between 0 and 1.
    flips : int
        Of sign flips, and of swaps of metrics.
    groups : mapping of str to int64
        Numbers of the segments of each group, such as those of a domain.
    progress : callable, optional
        Called with (steps done, all steps).

    Raises
    ------
    NothingComparedError
        If people compare no two systems.
    """
    people = side.people()
    of_groups = dict(groups or {})
    steps = 4 + len(of_groups)

    def done(step: int) -> None:
        if progress is not None:
            progress(step, steps)

    found, left_out = _found(side, people, columns, confidence=confidence, flips=flips)
    done(1)
    whole = [each for each in found if len(each.systems) == len(people.systems)]
    compared: dict[Figure, ComparedMetrics] = {}
    scored = [each for each in whole if each.agreement.threshold is not None]
    if len(scored) > 1:
        metrics = [each.column.metric(people.systems) for each in scored]
        thresholds = [each.agreement.threshold or 0.0 for each in scored]
        compared = {
            figure: metrics_compared(
                people, metrics, thresholds, figure, confidence=confidence, flips=flips
            )
            for figure in FIGURES
        }
    done(2)
    lowest = floor(people, confidence=confidence) if columns else None
    done(3)
    ratings = side.ratings if isinstance(side, RatedSide) else None
    highest = ceiling(people, ratings=ratings, confidence=confidence)
    by_group = []
    for step, (name, segments) in enumerate(of_groups.items(), 4):
        by_group.append(_group(side, name, segments, columns, confidence, flips))
        done(step)
    done(steps)
    return MetaEvaluation(
        people=people,
        metrics=tuple(found),
        left_out=tuple(left_out),
        ceiling=highest,
        floor=lowest,
        compared=compared,
        compared_names=tuple(each.column.name for each in scored) if compared else (),
        groups=tuple(each for each in by_group if each is not None),
    )


def _found(
    side: Side,
    people: People,
    columns: Sequence[ScoredColumn],
    *,
    confidence: float,
    flips: int,
    segments: Int64Array | None = None,
) -> tuple[list[FoundMetric], list[str]]:
    """Return agreements in the order of the metrics; those that score the same systems are compared together."""
    by_systems: dict[tuple[str, ...], list[ScoredColumn]] = {}
    left_out = []
    for column in columns:
        scored = column.scored
        systems = tuple(name for name in people.systems if name in scored)
        if len(systems) < 2:
            left_out.append(column.name)
        else:
            by_systems.setdefault(systems, []).append(column)
    found: dict[str, FoundMetric] = {}
    for systems, members in by_systems.items():
        some = (
            people if systems == people.systems else side.people(systems=systems, segments=segments)
        )
        metrics = [column.metric(some.systems) for column in members]
        agreements = agreement_of_metrics(
            some, metrics, confidence=confidence, flips=flips, folds=FOLDS
        )
        for column, agreement in zip(members, agreements, strict=True):
            found[column.name] = FoundMetric(column, some.systems, agreement)
    return [found[column.name] for column in columns if column.name in found], left_out


def _group(
    side: Side,
    name: str,
    segments: Int64Array,
    columns: Sequence[ScoredColumn],
    confidence: float,
    flips: int,
) -> FoundGroup | None:
    try:
        people = side.people(segments=segments)
    except NothingComparedError:
        return None
    within = []
    for column in columns:
        rows = np.isin(column.segments, segments)
        within.append(
            ScoredColumn(
                name=column.name,
                systems=column.systems,
                segments=column.segments[rows],
                values=column.values[rows],
                of_systems=np.full(len(column.systems), np.nan),
            )
        )
    found, _left_out = _found(
        side, people, within, confidence=confidence, flips=flips, segments=segments
    )
    return FoundGroup(
        name, len(people.segments), {each.column.name: each.agreement for each in found}
    )

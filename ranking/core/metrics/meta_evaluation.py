"""Meta-evaluation of metrics: agreement with people, ceiling and floor, tests between metrics, and groups of segments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, get_args

import numpy as np

from ranking.core.arrays import Int64Array
from ranking.core.beside import OutputScores, ScoredTask
from ranking.core.judged.blocks import Blocks
from ranking.core.metrics.agreement import Metric, MetricAgreement, agreement_of_metrics
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
    """The judgments of people, restricted to some systems and segments on request."""

    def __call__(
        self, *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        """Return the judgments of these systems and segments (default: all). Raises NothingComparedError if none compares two."""


def ranked_side(blocks: Blocks, method: str, *, resamples: int = 1000, seed: int = 0) -> Side:
    """Return the side of judged blocks; parameters are those of `people_of_blocks`."""

    def people(
        *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        some = blocks
        if systems is not None:
            some = some.without(set(some.systems) - set(systems))
        if segments is not None:
            some = some.take(np.isin(some.segment, segments))
        if not len(some):
            raise NothingComparedError("nothing was judged")
        return people_of_blocks(some, method, resamples=resamples, seed=seed)

    return people


def rated_side(task: ScoredTask, *, resamples: int = 1000, seed: int = 0) -> Side:
    """Return the side of judges' scores; parameters are those of `people_of_ratings`."""

    def people(
        *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        given = task.scores
        names = [given.systems[index] for index in given.system.tolist()]
        rows = zip(given.segment.tolist(), given.judge, names, given.score.tolist(), strict=True)
        within = None if segments is None else set(segments.tolist())
        scores = OutputScores.of_rows(
            row
            for row in rows
            if (systems is None or row[2] in systems) and (within is None or row[0] in within)
        )
        if scores is None or len(scores.systems) < 2:
            raise NothingComparedError("fewer than two systems have a score")
        return people_of_ratings(replace(task, scores=scores), resamples=resamples, seed=seed)

    return people


def scored_side(scores: Metric, *, resamples: int = 1000, seed: int = 0) -> Side:
    """Return the side of human scores without judges; parameters are those of `people_of_scores`.

    Scores of whole systems are means over the segments if some segments are requested.
    """

    def people(
        *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        names = [name for name in scores.systems if systems is None or name in systems]
        some = scores.take(names)
        numbers = some.segments if segments is None else np.intersect1d(some.segments, segments)
        return people_of_scores(
            some.of(numbers),
            names,
            numbers,
            of_systems=some.of_systems if segments is None else None,
            resamples=resamples,
            seed=seed,
        )

    return people


@dataclass(frozen=True, eq=False)
class FoundGroup:
    """Agreements on a group of segments; metrics with too few scores there are missing."""

    name: str
    segments: int
    agreements: Mapping[str, MetricAgreement]


@dataclass(frozen=True, eq=False, kw_only=True)
class MetaEvaluation:
    """Metrics compared with people.

    Attributes
    ----------
    people : People
    metrics : tuple of MetricAgreement
        In the order given.
    left_out : tuple of str
        Names of metrics that score fewer than two of the systems that people compare.
    ceiling, floor : MetricAgreement or None
        The floor is None without metrics.
    compared : mapping of figure to ComparedMetrics
        Of the metrics in `compared_names`, which score all systems; empty for fewer than two.
    compared_names : tuple of str
    groups : tuple of FoundGroup
    """

    people: People
    metrics: tuple[MetricAgreement, ...]
    left_out: tuple[str, ...]
    ceiling: MetricAgreement | None
    floor: MetricAgreement | None
    compared: Mapping[Figure, ComparedMetrics]
    compared_names: tuple[str, ...]
    groups: tuple[FoundGroup, ...] = ()


def meta_evaluation(
    side: Side,
    metrics: Sequence[Metric],
    *,
    ratings: OutputScores | None = None,
    confidence: float = 0.95,
    flips: int = 1000,
    groups: Mapping[str, Int64Array] | None = None,
    progress: Progress | None = None,
) -> MetaEvaluation:
    """Compare metrics with people.

    Parameters
    ----------
    side : Side
    metrics : sequence of Metric
        With different names.
    ratings : OutputScores, optional
        Scores by judge, for the ceiling, if `side` is from scores.
    confidence : float
        Of intervals and tests, between 0 and 1.
    flips : int
        Number of sign flips, and of swaps of metrics.
    groups : mapping of str to int64
        Numbers of the segments of each group, such as those of a domain.
    progress : callable, optional
        Called with (steps done, all steps).

    Raises
    ------
    NothingComparedError
        If people compare no two systems.
    """
    people = side()
    of_groups = dict(groups or {})
    steps = 4 + len(of_groups)

    def done(step: int) -> None:
        if progress is not None:
            progress(step, steps)

    found, left_out = _found(side, people, metrics, confidence=confidence, flips=flips)
    done(1)
    scored = [
        each
        for each in found
        if each.threshold is not None and each.metric.systems == people.systems
    ]
    compared: dict[Figure, ComparedMetrics] = {}
    if len(scored) > 1:
        some = [each.metric for each in scored]
        thresholds = [each.threshold or 0.0 for each in scored]
        for figure in FIGURES:
            compared[figure] = metrics_compared(
                people, some, thresholds, figure, confidence=confidence, flips=flips
            )
    done(2)
    lowest = floor(people, confidence=confidence) if metrics else None
    done(3)
    highest = ceiling(people, ratings=ratings, confidence=confidence)
    by_group = []
    for step, (name, segments) in enumerate(of_groups.items(), 4):
        by_group.append(_group(side, name, segments, metrics, confidence, flips))
        done(step)
    done(steps)
    return MetaEvaluation(
        people=people,
        metrics=tuple(found),
        left_out=tuple(left_out),
        ceiling=highest,
        floor=lowest,
        compared=compared,
        compared_names=tuple(each.metric.name for each in scored) if compared else (),
        groups=tuple(each for each in by_group if each is not None),
    )


def _found(
    side: Side,
    people: People,
    metrics: Sequence[Metric],
    *,
    confidence: float,
    flips: int,
    segments: Int64Array | None = None,
) -> tuple[list[MetricAgreement], list[str]]:
    """Return agreements in the order of the metrics; those that score the same systems are compared together."""
    by_systems: dict[tuple[str, ...], list[Metric]] = {}
    left_out = []
    for metric in metrics:
        systems = tuple(name for name in people.systems if name in metric.scored)
        if len(systems) < 2:
            left_out.append(metric.name)
        else:
            by_systems.setdefault(systems, []).append(metric)
    found: dict[str, MetricAgreement] = {}
    for systems, members in by_systems.items():
        some = people
        if systems != people.systems:
            some = side(systems=systems, segments=segments)
        given = [metric.take(some.systems) for metric in members]
        for each in agreement_of_metrics(some, given, confidence=confidence, flips=flips):
            found[each.metric.name] = each
    return [found[metric.name] for metric in metrics if metric.name in found], left_out


def _group(
    side: Side,
    name: str,
    segments: Int64Array,
    metrics: Sequence[Metric],
    confidence: float,
    flips: int,
) -> FoundGroup | None:
    try:
        people = side(segments=segments)
    except NothingComparedError:
        return None
    within = [metric.within(segments) for metric in metrics]
    found, _left_out = _found(
        side, people, within, confidence=confidence, flips=flips, segments=segments
    )
    return FoundGroup(name, len(people.segments), {each.metric.name: each for each in found})

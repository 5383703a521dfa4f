"""The metrics of a test set, and the texts that metrics are computed from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from campaign.formats.metric_scores import MetricScores
from campaign.formats.segment_identity import SegmentName
from campaign.models import Output, Reference, Segment, SystemKind, TestSet
from ranking.core.metrics.texts import known_sums, metric_values
from ranking.models import Metric
from ranking.reports.inputs import GivenMetric


def metrics_of(*, test_set_id: int) -> QuerySet[Metric]:
    """Return the metrics of a test set without their numbers, human scores last."""
    found = Metric.objects.filter(test_set=test_set_id).select_related("created_by")
    return found.defer("packed").order_by("is_human", "name", "signature")


def metric_digests(*, test_set_id: int) -> tuple[str, ...]:
    """Return the digests of the metrics of a test set, in the order of `metrics_of`. One query."""
    return tuple(metrics_of(test_set_id=test_set_id).values_list("digest", flat=True))


def metrics_given(*, test_set_id: int, digests: Sequence[str]) -> tuple[GivenMetric, ...]:
    """Return metrics by their digests, in that order. One query.

    Raises
    ------
    ValueError
        If one has been deleted since; the message is shown to organisers.
    """
    rows = Metric.objects.filter(test_set=test_set_id, digest__in=digests)
    found = {metric.digest: metric_given(metric) for metric in rows}
    if found.keys() != set(digests):
        raise ValueError(
            _("A metric of this analysis has been deleted. Compute the analysis again.")
        )
    return tuple(found[digest] for digest in digests)


def metric_given(metric: Metric) -> GivenMetric:
    """Return a metric with its numbers, as analyses take it."""
    numbers = metric.numbers
    n = len(metric.systems)
    of_systems = np.full(n, np.nan)
    if metric.statistics:
        values = metric_values(metric.name, numbers, of_segments=True).T
        of_systems = metric_values(metric.name, known_sums(numbers))
    else:
        values = numbers
        if metric.of_systems:
            of_systems = np.array(metric.of_systems, dtype=np.float64)
    scores = MetricScores(
        name=metric.name,
        systems=tuple(metric.systems),
        segments=tuple(
            SegmentName(str(number), is_number=True) for number in range(1, len(values) + 1)
        ),
        values=values,
        of_systems=of_systems,
        signature=metric.signature,
        higher_is_better=metric.higher_is_better,
        uses_reference=metric.uses_reference,
    )
    return GivenMetric(
        scores=scores,
        statistics=numbers if metric.statistics else None,
        missing=metric.missing,
        is_human=metric.is_human,
    )


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """The texts of a test set that metrics compare; segment number s is at index s − 1.

    Attributes
    ----------
    outputs : dict of str to list of str or None
        Those of systems; references and damaged references are none.
    references : list of list of str
    """

    outputs: dict[str, list[str | None]]
    references: list[list[str]]


def compared_texts(*, test_set: TestSet) -> ComparedTexts:
    """Return the outputs and references of a test set. Four queries."""
    segments = Segment.objects.filter(test_set=test_set).order_by("-number")
    last = segments.values_list("number", flat=True).first() or 0
    names = test_set.systems.filter(kind=SystemKind.SYSTEM).order_by("name")
    outputs: dict[str, list[str | None]] = {
        name: [None] * last for name in names.values_list("name", flat=True)
    }
    rows = Output.objects.filter(
        system__test_set=test_set, system__kind=SystemKind.SYSTEM, text__isnull=False
    ).order_by()
    for system, number, text in rows.values_list("system__name", "segment__number", "text"):
        outputs[system][number - 1] = text
    references: list[list[str]] = [[] for _number in range(last)]
    there = Reference.objects.filter(segment__test_set=test_set).order_by("segment", "number")
    for number, text in there.values_list("segment__number", "text"):
        references[number - 1].append(text)
    known = {name: texts for name, texts in outputs.items() if any(texts)}
    return ComparedTexts(known, references)


def evalset_word(name: str) -> str:
    """Return a name as in EvalSet files: without spaces, and without characters not allowed in file names."""
    return re.sub(r"[\s/\\]+", "_", name)

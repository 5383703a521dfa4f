"""What was last measured of the judges of test sets."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Count, F, FloatField, Q
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from annotation.judge_measures import JudgeMeasure
from campaign.models import Judge, Task
from ranking.judge_monitoring import MeasureResult, MeasuresByJudge
from ranking.models import JudgeMeasures

#: By value: to look one up costs a tenth of calling the enumeration.
_MEASURES: Final = {measure.value: measure for measure in JudgeMeasure}


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """The measures of a test set's judges, as they were computed, by the judgments 1…watermark."""

    campaign_id: int
    task_id: int
    watermark: int
    measures: MeasuresByJudge = field(default_factory=dict)


def measures_by_judge(
    *, task_id: int, judges: Collection[int] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the stored measures of the judges of a test set, or of these, by pseudonym. One query."""
    rows = JudgeMeasures.objects.filter(task=task_id)
    if judges is not None:
        rows = rows.filter(judge__in=judges)
    return dict(rows.values_list("judge__pseudonym", "measures"))


def measures_of(*, judge: Judge, task: Task) -> dict[str, Any]:
    """Return the latest measures of a judge in a test set."""
    rows = JudgeMeasures.objects.filter(task=task, judge=judge)
    return rows.values_list("measures", flat=True).first() or {}


def lacks_measure(*, task_id: int, measure: JudgeMeasure) -> bool:
    """Return whether judges of a test set are measured, and none of them by this measure. One query."""
    rows = JudgeMeasures.objects.filter(task=task_id)
    found = rows.exclude(measures={}).aggregate(
        judges=Count("pk"), so_measured=Count("pk", filter=Q(measures__has_key=measure))
    )
    return bool(found["judges"]) and not found["so_measured"]


def measured_tasks(*, campaigns: Collection[int], task_id: int | None = None) -> list[MeasuredTask]:
    """Return the test sets of campaigns in which judges were measured, or one of them. One query."""
    rows = JudgeMeasures.objects.filter(task__test_set__campaign__in=campaigns).order_by("task")
    if task_id is not None:
        rows = rows.filter(task=task_id)
    found: dict[int, MeasuredTask] = {}
    columns = ("task__test_set__campaign", "task", "watermark", "judge__pseudonym", "measures")
    for campaign, of, watermark, name, measures in rows.annotate(
        watermark=F("task__quality_report__watermark")
    ).values_list(*columns):
        measured = found.setdefault(of, MeasuredTask(campaign, of, watermark))
        measured.measures[name] = _results(measures)
    return list(found.values())


def results_by_judge(
    *, task_id: int, judges: Collection[int], measures: Collection[str]
) -> MeasuresByJudge:
    """Return these measures of these judges in a test set, by pseudonym. One query, which reads no other measure."""
    asked = sorted(set(measures))
    rows = JudgeMeasures.objects.filter(task=task_id, judge__in=judges).values_list(
        "judge__pseudonym", *(KeyTransform(measure, "measures") for measure in asked)
    )
    return {
        name: _results({measure: row for measure, row in zip(asked, found, strict=True) if row})
        for name, *found in rows
    }


def _results(measures: dict[str, Any]) -> dict[str, MeasureResult]:
    return {_MEASURES[measure]: MeasureResult(**row) for measure, row in measures.items()}


def values_by_measure(*, task_id: int) -> dict[str, list[float]]:
    """Return the values of each measure over the judges of a test set, in no order. One query."""
    values = (
        Cast(KeyTextTransform("value", KeyTransform(measure, "measures")), FloatField())
        for measure in JudgeMeasure.values
    )
    columns = zip(*JudgeMeasures.objects.filter(task=task_id).values_list(*values), strict=True)
    return {
        measure: [value for value in column if value is not None]
        for measure, column in zip(JudgeMeasure.values, columns, strict=False)
    }

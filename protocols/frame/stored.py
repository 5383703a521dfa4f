"""Select the stored answers of a task that count."""

from collections.abc import Collection
from typing import Any

from annotation.models import Judgment
from annotation.models.judgment import JudgmentQuerySet
from campaign.models import Task
from ranking.analyses.kind import ChosenJudgments


def judgments_counted(
    *,
    task: Task,
    watermark: int,
    without: Collection[str],
    documents: Collection[str] | None = None,
) -> JudgmentQuerySet:
    """Return the current judgments 1…`watermark` of the documents (None: all), without controls or
    the judges `without`.
    """
    current = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    return judgments_of(current, without=without, documents=documents)


def judgments_of(
    judgments: JudgmentQuerySet, *, without: Collection[str], documents: Collection[str] | None
) -> JudgmentQuerySet:
    """Return the judgments of the documents (None: all), except those by the judges `without`."""
    judgments = judgments.exclude(judge__pseudonym__in=list(without))
    if documents is None:
        return judgments
    return judgments.filter(block__segment__document__name__in=list(documents))


def systems_counted(chosen: ChosenJudgments) -> set[str]:
    """Return the participating systems, including the reference if it participates."""
    reference = [chosen.reference] if chosen.with_reference and chosen.reference else []
    return {*chosen.systems, *reference}


def counted_of(chosen: ChosenJudgments) -> dict[str, Any]:
    """Return the selection as arguments for reading stored answers."""
    return {
        "without": chosen.without,
        "documents": chosen.documents,
        "systems": systems_counted(chosen),
    }


def system_names(task: Task, systems: Collection[str] | None = None) -> dict[int, str]:
    """Return the names of the systems (None: all) by ID. One query."""
    return {
        pk: name
        for pk, name in task.test_set.systems.values_list("id", "name")
        if systems is None or name in systems
    }

"""Stored answers of a task: selecting those that count, and writing them as lines of a file."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from annotation.answer_files import FileWritten
from annotation.export.five_way import comments_lost
from annotation.models import Judgment
from annotation.models.judgment import JudgmentQuerySet
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import judgments_number
from campaign.formats.errors import Loss
from campaign.models import Task
from campaign.texts.canonical_json import json_line
from ranking.analyses.kind import ChosenJudgments

Stored_co = TypeVar("Stored_co", covariant=True)
Stored = TypeVar("Stored")


class ReadStored(Protocol[Stored_co]):
    """Function that reads the answers 1…`watermark` of a task that count, without some judges."""

    def __call__(
        self, *, task: Task, watermark: int, without: Collection[str]
    ) -> Iterable[Stored_co]: ...


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


def answers_written(
    *,
    task: Task,
    watermark: int | None = None,
    read: ReadStored[Stored],
    line: Callable[[Stored], dict[str, Any]],
    lost: Callable[[Sequence[Stored]], list[Loss]] = lambda _answers: [],
) -> FileWritten:
    """Return the current answers of a task as JSON Lines: `docs/formats-judgments.md`.

    Currently excluded judges are left out. Unnumbered judgments are numbered first, unless a
    watermark is given. `lost` lists the data, other than comments, that the lines cannot represent.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    answers = list(read(task=task, watermark=until, without=excluded))
    return FileWritten(
        lines=[json_line(line(each)) for each in answers],
        losses=[*lost(answers), *comments_lost(task=task, watermark=until)],
        watermark=until,
    )

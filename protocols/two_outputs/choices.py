"""What the judges of a task of two outputs chose: for the report, and as JSON Lines, which `compare_choices` reads."""

from collections.abc import Collection, Iterator
from typing import Any

from annotation.answer_files import FileWritten
from annotation.export.losses import comments_lost
from annotation.export.shown import systems_shown
from annotation.models import Judgment
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.models import Task
from campaign.texts.json_lines import json_line
from protocols.two_outputs.arranged import ChoicesRead, Said, choices_arranged
from protocols.two_outputs.models import Verdict
from ranking.analyses.judgments import ChosenJudgments


def choices_read(
    *,
    task: Task,
    watermark: int,
    judgments: ChosenJudgments,
    systems: tuple[str, str] | None = None,
) -> ChoicesRead:
    """Read the answers 1…`watermark` of a task of two outputs that were chosen; those about two systems if they are named.

    Controls are left out, as of rankings. Where a text is of several systems, it counts for each of those named.
    As many queries, whatever the number of answers.
    """
    reference = [judgments.reference] if judgments.with_reference and judgments.reference else []
    said = _said(
        task,
        watermark,
        without=judgments.without,
        documents=judgments.documents,
        systems={*judgments.systems, *reference},
    )
    return choices_arranged(
        (each for each, _duration_ms in said),
        systems=systems,
        four_answers=bool(task.rules.get("four_answers")),
    )


def choice_lines(*, task: Task, watermark: int | None = None) -> FileWritten:
    """Return the current answers of a task as JSON Lines: `docs/formats.md`.

    Judges who are excluded now are left out. Judgments without a number get one first, unless a watermark is given.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    return FileWritten(
        lines=[_line(*each) for each in _said(task, until, without=excluded)],
        losses=comments_lost(task=task, watermark=until),
        watermark=until,
    )


def _line(said: Said, duration_ms: int | None) -> str:
    line: dict[str, Any] = {
        "segment": said.segment,
        "first": list(said.first),
        "second": list(said.second),
        "judge": said.judge,
        "answer": said.verdict.value,
    }
    if duration_ms is not None:
        line["duration_ms"] = duration_ms
    return json_line(line)


def _said(
    task: Task,
    until: int,
    *,
    without: Collection[str],
    documents: Collection[str] | None = None,
    systems: Collection[str] | None = None,
) -> Iterator[tuple[Said, int | None]]:
    """Yield the answers that count with their time, not by these judges, of these documents and systems; None for all."""
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=until)
    judgments = judgments.exclude(judge__pseudonym__in=without)
    if documents is not None:
        judgments = judgments.filter(block__segment__document__name__in=documents)
    found = list(
        judgments.order_by("pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym", "duration_ms"),
            "two_outputs_answer__verdict",
        )
    )
    names = {
        pk: name
        for pk, name in task.test_set.systems.values_list("id", "name")
        if systems is None or name in systems
    }
    shown = systems_shown(block for block, *_others in found)
    for block, segment, judge, duration_ms, verdict in found:
        first, second = (
            tuple(sorted(names[id_] for id_ in ids if id_ in names)) for ids in shown[block]
        )
        if first and second:
            yield Said(segment, first, second, judge, Verdict(verdict)), duration_ms

"""Other tasks of a test set: their judgments that count, and the work and time in all of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.db.models import Count, F, Q, Sum
from django.utils.translation import gettext as _

from annotation.models import JudgeTally, Judgment
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Protocol, Task
from campaign.texts.joining import comma_list
from ranking.core.beside import ActiveTime, JudgedTask, ScoredTask
from ranking.reports.analyses.kind import (
    JUDGMENT_OPTIONS,
    WITHOUT,
    ChosenJudgments,
    TaskBeside,
)
from ranking.reports.inputs import Input, TaskRead
from ranking.selectors.analyses import output_scores, scores_outputs
from ranking.selectors.chosen_judgments import judgments_chosen, stored_input

_MILLISECONDS = 1000


def other_tasks(*, task: Task) -> list[Task]:
    """Return the other tasks of a test set whose judgments compare or score outputs, oldest first. One query."""
    others = Task.objects.filter(test_set=task.test_set_id).exclude(pk=task.pk)
    found = others.select_related("test_set").order_by("pk")
    return [
        each
        for each in found
        if answer_kind_of(each).compares_outputs or scores_outputs(each.protocol)
    ]


def tasks_beside(
    *, task: Task, options: Mapping[str, Any], watermarks: Mapping[int, int]
) -> tuple[TaskBeside, ...]:
    """Return the current judgments of the other tasks that complete options select.

    `watermarks` has the tasks' watermarks by primary key. Excluded judges need not have judged all tasks.

    Raises
    ------
    OptionError
        As for `judgments_chosen`.
    """
    return tuple(
        TaskBeside(
            protocol=other_task.protocol,
            watermark=watermarks[other_task.pk],
            judgments=_chosen(other_task, options, watermarks[other_task.pk])
            if watermarks[other_task.pk]
            else None,
        )
        for other_task in other_tasks(task=task)
        if other_task.pk in watermarks
    )


def _chosen(task: Task, options: Mapping[str, Any], watermark: int) -> ChosenJudgments:
    known = JudgeTally.objects.filter(
        task=task, judge__pseudonym__in=options[WITHOUT.name]
    )
    of_judgments = {option.name: options[option.name] for option in JUDGMENT_OPTIONS}
    without = tuple(sorted(known.values_list("judge__pseudonym", flat=True)))
    return judgments_chosen(
        task=task, options={**of_judgments, WITHOUT.name: without}, watermark=watermark
    )


def tasks_read(
    *, task: Task, watermark: int, chosen: ChosenJudgments, given: Input
) -> tuple[TaskRead, ...]:
    """Return a task with given judgments, and the other tasks recorded with it. Call it in a transaction.

    Raises
    ------
    ValueError
        If one of them was deleted since; the message is for organisers.
    """
    beside = chosen.beside or ()
    others = {other_task.protocol: other_task for other_task in other_tasks(task=task)}
    deleted = [
        each.protocol
        for each in beside
        if each.judgments and each.protocol not in others
    ]
    if deleted:
        raise ValueError(
            _("A task of this analysis has been deleted: %(task)s.")
            % {"task": comma_list(str(Protocol(each).label) for each in deleted)}
        )
    return (
        _read(task, watermark, chosen, given),
        *(_other(others.get(each.protocol), each) for each in beside),
    )


def _other(task: Task | None, beside: TaskBeside) -> TaskRead:
    nothing = TaskRead(
        protocol=beside.protocol, watermark=beside.watermark, judged=None
    )
    if task is None or beside.judgments is None:
        return nothing
    languages = (task.test_set.source_language, task.test_set.target_language)
    of: dict[str, Any] = {
        "task": task,
        "watermark": beside.watermark,
        "chosen": beside.judgments,
    }
    try:
        given = stored_input(**of, languages=languages)
    except ValueError:  # no judgments count
        return nothing
    return _read(**of, given=given)


def _read(
    task: Task, watermark: int, chosen: ChosenJudgments, given: Input
) -> TaskRead:
    """Read a task from its comparisons or, if no answer compares outputs, from the scores of its answers."""
    time, untimed = _active_time(task, watermark, chosen)
    judged: JudgedTask | ScoredTask = JudgedTask(task.protocol, given.blocks, time)
    if not judged.systems or not answer_kind_of(task).compares_outputs:
        scores = output_scores(task=task, watermark=watermark, chosen=chosen)
        if scores is not None:
            judged = ScoredTask(task.protocol, given.blocks, time, scores)
    return TaskRead(
        protocol=task.protocol,
        watermark=watermark,
        judged=judged,
        untimed=untimed,
        excluded_judges=chosen.without,
    )


def _active_time(
    task: Task, watermark: int, chosen: ChosenJudgments
) -> tuple[ActiveTime, int]:
    """Return the time of each judge for each segment, and the number of judgments of unknown time. One query."""
    judgments = Judgment.objects.of(task.pk).counted().until(watermark)
    judgments = judgments.exclude(judge__pseudonym__in=chosen.without)
    if chosen.documents is not None:
        judgments = judgments.filter(
            block__segment__document__name__in=chosen.documents
        )
    rows = sorted(
        judgments.order_by()
        .values(segment=F("block__segment__number"), name=F("judge__pseudonym"))
        .annotate(
            milliseconds=Sum("active_ms"),
            untimed=Count("pk", filter=Q(active_ms__isnull=True)),
        )
        .values_list("segment", "name", "milliseconds", "untimed")
    )
    seconds = []
    for *_key, milliseconds, untimed in rows:
        if untimed:
            seconds.append(np.nan)
        else:
            seconds.append(milliseconds / _MILLISECONDS)
    time = ActiveTime(
        seconds=np.array(seconds, dtype=np.float64),
        segment=np.array([segment for segment, *_others in rows], dtype=np.int64),
        judge=tuple(name for _segment, name, *_others in rows),
    )
    return time, sum(untimed for *_others, untimed in rows)

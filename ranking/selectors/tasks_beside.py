"""Other tasks of a test set: their judgments that count, and the work and time in all of them."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import Count, F, Q, Sum
from django.utils.translation import gettext as _

from annotation.models import JudgeTally, Judgment
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Task
from campaign.texts.joining import comma_list
from campaign.texts.studies import study_name
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
    comparable = []
    for other in others.select_related("test_set").order_by("pk"):
        if answer_kind_of(other).compares_outputs or scores_outputs(other.protocol):
            comparable.append(other)
    return comparable


def tasks_beside(
    *,
    task: Task,
    options: Mapping[str, Any],
    watermarks: Mapping[int, int],
) -> tuple[TaskBeside, ...]:
    """Return the current judgments of the other tasks that complete options select.

    `watermarks` has the tasks' watermarks by primary key. Excluded judges need not have judged all tasks.

    Raises
    ------
    OptionError
        As for `judgments_chosen`.
    """
    beside = []
    for other in other_tasks(task=task):
        if other.pk not in watermarks:
            continue
        watermark = watermarks[other.pk]
        judgments = _chosen(other, options, watermark) if watermark else None
        task_beside = TaskBeside(
            protocol=other.protocol,
            watermark=watermark,
            judgments=judgments,
        )
        beside.append(task_beside)
    return tuple(beside)


def _chosen(task: Task, options: Mapping[str, Any], watermark: int) -> ChosenJudgments:
    tallies = JudgeTally.objects.filter(
        task=task,
        judge__pseudonym__in=options[WITHOUT.name],
    )
    of_judgments = {option.name: options[option.name] for option in JUDGMENT_OPTIONS}
    without = tuple(sorted(tallies.values_list("judge__pseudonym", flat=True)))
    return judgments_chosen(
        task=task,
        options={**of_judgments, WITHOUT.name: without},
        watermark=watermark,
    )


def tasks_read(
    *,
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
    judged_input: Input,
) -> tuple[TaskRead, ...]:
    """Return a task with given judgments, and the other tasks recorded with it. Call it in a transaction.

    Raises
    ------
    ValueError
        If one of them was deleted since; the message is for organisers.
    """
    beside = chosen.beside or ()
    task_of_protocol = {other.protocol: other for other in other_tasks(task=task)}
    deleted = []
    for other in beside:
        if other.judgments and other.protocol not in task_of_protocol:
            deleted.append(study_name(other.protocol))
    if deleted:
        raise ValueError(
            _("A task of this analysis has been deleted: %(task)s.")
            % {"task": comma_list(deleted)},
        )
    tasks = [_read(task, watermark, chosen, judged_input)]
    for other in beside:
        tasks.append(_other(task_of_protocol.get(other.protocol), other))
    return tuple(tasks)


def _other(task: Task | None, beside: TaskBeside) -> TaskRead:
    nothing = TaskRead(
        protocol=beside.protocol,
        watermark=beside.watermark,
        judged=None,
        rules={} if task is None else task.rules,
    )
    if task is None or beside.judgments is None:
        return nothing
    test_set = task.test_set
    try:
        judged_input = stored_input(
            task=task,
            watermark=beside.watermark,
            chosen=beside.judgments,
            languages=(test_set.source_language, test_set.target_language),
        )
    except ValueError:  # no judgments count
        return nothing
    return _read(task, beside.watermark, beside.judgments, judged_input)


def _read(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
    judged_input: Input,
) -> TaskRead:
    """Read a task from its comparisons or, if no answer compares outputs, from the scores of its answers."""
    time, untimed = _active_time(task, watermark, chosen)
    judged: JudgedTask | ScoredTask = JudgedTask(
        task.protocol,
        judged_input.blocks,
        time,
    )
    if not judged.systems or not answer_kind_of(task).compares_outputs:
        scores = output_scores(task=task, watermark=watermark, chosen=chosen)
        if scores is not None:
            judged = ScoredTask(task.protocol, judged_input.blocks, time, scores)
    return TaskRead(
        protocol=task.protocol,
        watermark=watermark,
        judged=judged,
        rules=task.rules,
        untimed=untimed,
        excluded_judges=chosen.without,
    )


def _active_time(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> tuple[ActiveTime, int]:
    """Return the time of each judge for each segment, and the number of judgments of unknown time. One query."""
    judgments = Judgment.objects.of(task.pk).counted().until(watermark)
    judgments = judgments.exclude(judge__pseudonym__in=chosen.without)
    if chosen.documents is not None:
        judgments = judgments.filter(
            block__segment__document__name__in=chosen.documents,
        )
    by_judge = judgments.order_by().values(
        segment=F("block__segment__number"),
        name=F("judge__pseudonym"),
    )
    rows = by_judge.annotate(
        milliseconds=Sum("active_ms"),
        untimed=Count("pk", filter=Q(active_ms__isnull=True)),
    )
    segments = []
    judges = []
    seconds = []
    untimed = 0
    for row in sorted(rows, key=itemgetter("segment", "name")):
        segments.append(row["segment"])
        judges.append(row["name"])
        if row["untimed"]:
            seconds.append(np.nan)
        else:
            seconds.append(row["milliseconds"] / _MILLISECONDS)
        untimed += row["untimed"]
    time = ActiveTime(
        seconds=np.array(seconds, dtype=np.float64),
        segment=np.array(segments, dtype=np.int64),
        judge=tuple(judges),
    )
    return time, untimed

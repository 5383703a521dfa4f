"""How much active time the blocks of a task took, beside those of another task on the same test set."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, Q, Sum

from annotation.models import Judgment
from annotation.selectors import excluded_judges
from annotation.selectors.outputs_shown import candidate_count
from annotation.services import judgments_number
from campaign.models import Task
from protocols.top.statistics.times import Times
from ranking.analyses.judgments import ChosenJudgments

_MILLISECONDS = 1000


@dataclass(frozen=True)
class TimesRead:
    """The times of two tasks, up to a watermark of each.

    Attributes
    ----------
    tasks : tuple of two Task
    watermarks : tuple of two int
    judges : tuple of str
        Pseudonyms.
    first, second : Times
    """

    tasks: tuple[Task, Task]
    watermarks: tuple[int, int]
    judges: tuple[str, ...]
    first: Times
    second: Times


def times_read(
    *,
    task: Task,
    beside: Task,
    watermarks: tuple[int, int] | None = None,
    judgments: ChosenJudgments | None = None,
) -> TimesRead:
    """Read the active time of each block that a judge judged in one of two tasks.

    That of all judgments of a block is added: a change takes time, too. Blocks of which any judgment has no time, or
    all have none but 0, are left out, as are controls and judges who are excluded now; with `judgments`, those judges
    and documents that were not chosen instead. Judgments without a number get one first, unless watermarks are given.
    Raises ValueError for tasks on different test sets.
    """
    if task.test_set_id != beside.test_set_id:
        raise ValueError("both tasks are on one test set")
    until = watermarks or (judgments_number(task_id=task.pk), judgments_number(task_id=beside.pk))
    rows = [
        _rows(each, number, judgments) for each, number in zip((task, beside), until, strict=True)
    ]
    judges = sorted({judge for each in rows for judge, *_others in each})
    places = {judge: n for n, judge in enumerate(judges)}
    first, second = (_times(each, places) for each in rows)
    return TimesRead(
        tasks=(task, beside), watermarks=until, judges=tuple(judges), first=first, second=second
    )


def _rows(
    task: Task, until: int, chosen: ChosenJudgments | None
) -> list[tuple[str, int, int, int]]:
    """Return judge, segment, candidates and milliseconds of each block that a judge judged."""
    judgments = Judgment.objects.of(task.pk).counted().until(until)
    without: Sequence[str]
    if chosen is None:
        without = excluded_judges(campaign_id=task.test_set.campaign_id)
    else:
        without = chosen.without
        if chosen.documents is not None:
            judgments = judgments.filter(block__segment__document__name__in=chosen.documents)
    return list(
        judgments.exclude(judge__pseudonym__in=without)
        .values("judge", "block")
        .annotate(
            milliseconds=Sum("active_ms"),
            untimed=Count("pk", filter=Q(active_ms__isnull=True)),
            shown=candidate_count("block__"),
            name=F("judge__pseudonym"),
        )
        .filter(untimed=0, milliseconds__gt=0)
        .order_by("judge", "block")
        .values_list("name", "block__segment", "shown", "milliseconds")
    )


def _times(rows: list[tuple[str, int, int, int]], places: dict[str, int]) -> Times:
    columns = [(places[name], *others) for name, *others in rows]
    judge, segment, shown, milliseconds = np.array(columns, dtype=np.int64).reshape(-1, 4).T
    return Times(milliseconds / _MILLISECONDS, judge, segment, shown)

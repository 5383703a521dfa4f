"""All judgments of a task as rows of values, the superseded ones and controls among them."""

import json
from collections.abc import Iterator
from typing import Any, Final

from django.db import transaction
from django.db.models import Func, TextField
from django.db.models.functions import Cast

from annotation.models import Judgment
from annotation.protocols import answers_read
from campaign.database.planner import table_scans_off
from campaign.models import Task
from ranking.selectors.exported_columns import ExportedTask, exported_task

_AT_ONCE: Final = 1 << 12


class TimeText(Func):
    """A time in UTC as text, as `datetime.isoformat` writes it, with Z."""

    template = (
        "replace(to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
        " '.000000Z', 'Z')"
    )
    output_field = TextField()


def as_text(name: str) -> Cast:
    """Return a field as text: spares an object for each UUID."""
    return Cast(name, TextField())


def json_text(value: Any) -> str:
    """Return a value as JSON; times and the like become texts, as in answers of REST."""
    return json.dumps(value, ensure_ascii=False, default=str)


def recorded_rows(
    *, task: Task, after: int, until: int, watermark: int
) -> Iterator[tuple[Any, ...]]:
    """Yield the judgments with the numbers `after` + 1 … `until`; some queries for each few thousand.

    A row holds client id, number, pseudonym, number of the segment, document, candidates, labels and answer (JSON as text), both
    times in ms, comment, when it was submitted, the client id it supersedes, whether none up to `watermark` supersedes it,
    control, and the slug of the campaign that was rehearsed.
    """
    exported = exported_task(task=task, watermark=watermark)
    for start in range(after, until, _AT_ONCE):
        yield from _page(exported, start, min(start + _AT_ONCE, until))


def _page(exported: ExportedTask, start: int, stop: int) -> Iterator[tuple[Any, ...]]:
    part, current = exported.recorded(start, stop)
    told = _told(exported.task, start, stop)
    answers = answers_read(exported.task.protocol, [row[0] for row in told])
    names = [json_text([exported.systems[place] for place in each]) for each in exported.candidates]
    columns = (part.number, part.judge, part.segment, part.candidate, current)
    rows = zip(told, *(column.tolist() for column in columns), strict=True)
    for one, number, judge, place, candidates, is_current in rows:
        pk, client_id, labels, comment, submitted_at, supersedes, control, rehearsed, *times = one
        segment = exported.segments[place]
        shown = ", ".join([names[each] for each in candidates if each >= 0])
        yield (
            *(client_id, number, exported.judges[judge], segment.number, segment.document),
            *(f"[{shown}]", json_text(labels), json_text(answers.get(pk)), *times),
            *(comment, submitted_at, supersedes, is_current, control, rehearsed),
        )


def _told(task: Task, start: int, stop: int) -> list[tuple[Any, ...]]:
    judgments = Judgment.objects.of(task.pk).until(stop).filter(numbered__number__gt=start)
    rows = judgments.order_by("numbered__number").values_list(
        *("pk", as_text("client_id"), "labels", "comment", TimeText("submitted_at")),
        *(as_text("supersedes__client_id"), "block__control"),
        *("judge__campaign__rehearsal_of__slug", "duration_ms", "active_ms"),
    )
    # By indexes: planned for a whole table, each page would read all of it.
    with transaction.atomic(), table_scans_off():
        return list(rows)

"""A second implementation of the kinds that are exported row by row: by the ORM, a row at a time."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from annotation.api.hits import DesignSerializer
from annotation.export.shown import systems_shown
from annotation.models import Assignment, Design, Judgment, Skip
from annotation.protocols import answer_of
from campaign.export.activity import event_data
from campaign.export.csv_lines import csv_line
from campaign.models import ActivityEvent, Judge, Segment, Task
from campaign.selectors.activity import users_named
from campaign.selectors.rehearsals import rehearsed_slug
from ranking.export.judgments.rows import ROWS


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat().replace("+00:00", "Z")


def _judgments(task: Task) -> Iterator[dict[str, Any]]:
    names = dict(task.test_set.systems.values_list("pk", "name"))
    for each in Judgment.objects.of(task.pk).order_by("numbered__number"):
        block = each.block
        yield {
            "id": str(each.client_id),
            "number": each.numbered.number,
            "judge": each.judge.pseudonym,
            "segment": block.segment.number,
            "document": block.segment.document.name,
            "candidates": [
                [names[id_] for id_ in ids] for ids in systems_shown([block.pk])[block.pk]
            ],
            "labels": each.labels,
            "answer": answer_of(each),
            "duration_ms": each.duration_ms,
            "active_ms": each.active_ms,
            "comment": each.comment,
            "submitted_at": _time(each.submitted_at),
            "supersedes": each.supersedes and str(each.supersedes.client_id),
            "current": not Judgment.objects.filter(supersedes=each).exists(),
            "control": block.control,
            "rehearsal_of": rehearsed_slug(task_id=task.pk),
        }


def _skips(task: Task) -> Iterator[dict[str, Any]]:
    for each in Skip.objects.filter(task=task).order_by("pk"):
        yield {
            "number": each.pk,
            "id": str(each.client_id),
            "judge": each.judge.pseudonym,
            "segment": each.block.segment.number,
            "document": each.block.segment.document.name,
            "control": each.block.control,
            "reason": each.reason,
            "comment": each.comment,
            "duration_ms": each.duration_ms,
            "active_ms": each.active_ms,
            "created_at": _time(each.created_at),
            "judged_later": each.judge.judgments.filter(block=each.block).exists(),
        }


def _assignments(task: Task) -> Iterator[dict[str, Any]]:
    for each in Assignment.objects.filter(hit__task=task).order_by("pk"):
        yield {
            "number": each.pk,
            "id": str(each.public_id),
            "hit": each.hit.number,
            "judge": each.judge.pseudonym,
            "ordinal": each.ordinal,
            "lent_at": _time(each.lease.lower),
            "lease_ends_at": _time(each.lease.upper),
            "completed_at": _time(each.completed_at),
            "released_at": _time(each.released_at),
        }


def _texts(task: Task) -> Iterator[dict[str, Any]]:
    for each in Segment.objects.filter(test_set=task.test_set_id).order_by("number"):
        outputs = each.outputs.filter(text__isnull=False).order_by("system_id")
        yield {
            "document": each.document.name,
            "segment": each.position,
            "source": each.source_text,
            "references": [output.text for output in outputs if output.system.kind == "reference"],
            "outputs": {
                output.system.name: output.text
                for output in outputs
                if output.system.kind == "system"
            },
        }


def _designs(task: Task) -> Iterator[dict[str, Any]]:
    for each in Design.objects.filter(task=task).order_by("pk"):
        yield {"id": each.pk, "design": dict(DesignSerializer(each).data)}


def _activity(task: Task) -> Iterator[dict[str, Any]]:
    campaign = task.test_set.campaign
    for each in ActivityEvent.objects.filter(campaign=campaign).order_by("pk"):
        names = users_named(campaign=campaign, ids=[each.user_id or 0])
        yield {"id": each.pk, "event": event_data(each, names)}


def _judges(task: Task) -> Iterator[dict[str, Any]]:
    for each in Judge.objects.filter(campaign=task.test_set.campaign).order_by("pk"):
        yield {
            "number": each.pk,
            "judge": each.pseudonym,
            "origin": each.origin,
            "languages": each.languages,
        }


def _named_judges(task: Task) -> Iterator[dict[str, Any]]:
    for row in _judges(task):
        judge = Judge.objects.select_related("user").get(pk=row["number"])
        yield {**row, "name": judge.user and judge.user.name, "address": judge.address}


_ROWS: Final[Mapping[str, Callable[[Task], Iterator[dict[str, Any]]]]] = {
    "judgments": _judgments,
    "skips": _skips,
    "assignments": _assignments,
    "texts": _texts,
    "designs": _designs,
    "activity": _activity,
    "judges": _judges,
    "named-judges": _named_judges,
}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def jsonl_by_rows(task: Task, kind: str) -> str:
    """Return the JSON Lines of a kind."""
    return "".join(f"{_json(row)}\n" for row in _ROWS[kind](task))


def csv_by_rows(task: Task, kind: str) -> str:
    """Return the CSV of a kind."""
    columns = ROWS[kind].columns
    lines = (
        csv_line(_json(cell) if columns[name] is object else cell for name, cell in row.items())
        for row in _ROWS[kind](task)
    )
    return "".join([csv_line(columns), *lines])

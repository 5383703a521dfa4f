"""All judgments of a task as columns, the superseded ones and controls among them."""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.db import transaction
from django.db.models import F

from annotation.models import Judgment
from annotation.models.block import BlockControl
from annotation.models.pool import IsAnyOf
from annotation.protocols import answers_read
from campaign.database.copied_rows import Rows, rows_copied
from campaign.database.transactions import table_scans_off
from campaign.models import Task
from campaign.selectors.rehearsals import rehearsed_slug
from ranking.export.judgments.lines import Pieces, by_candidate, texts_of
from ranking.export.judgments.rows import ROWS, Kind, Utc
from ranking.selectors.exported_columns import ExportedTask, exported_task
from ranking.selectors.exported_rows import Ids, ids_asked, places_of

_AT_ONCE: Final = 1 << 13
_CONTROLS: Final = list(BlockControl.values)
_READ: Final[dict[str, Kind]] = {
    "pk": int,
    "judge": int,
    "block": int,
    "client_id": str,
    "labels": str,
    "duration_ms": int,
    "active_ms": int,
    "comment": str,
    "submitted_at": datetime,
    "supersedes": int,
}


def recorded_judgments(*, task: Task, after: int, until: int, watermark: int) -> Iterator[Rows]:
    """Yield the judgments with the numbers `after` + 1 … `until` with the columns of `ROWS`; some queries for each few thousand.

    Current are those that none up to `watermark` supersedes.
    """
    reader = _Reader(exported_task(task=task, watermark=watermark))
    for start in range(after, until, _AT_ONCE):
        yield reader.read(start, min(start + _AT_ONCE, until))


class _Reader:
    """Reads judgments, and puts each candidate and each row of labels into JSON once."""

    def __init__(self, exported: ExportedTask) -> None:
        self._exported = exported
        self._first, self._others = Pieces(), Pieces()
        self._rehearsed = rehearsed_slug(task_id=exported.task.pk)
        self._numbers = np.array([each.number for each in exported.segments], dtype=np.int64)
        self._documents = texts_of(each.document for each in exported.segments)
        self._judges = texts_of(exported.judges)

    def read(self, start: int, stop: int) -> Rows:
        exported, rows = self._exported, self._exported.rows
        # By indexes: planned for a whole table, each page would read all of it.
        with transaction.atomic(), table_scans_off():
            ids, number = rows.numbers(start, stop)
            judgments = _judgments(ids)
            blocks = rows.blocks(_ids(judgments["block"]))
            supersedes = _client_ids(judgments["supersedes"])
            answers = answers_read(exported.task.protocol, ids.tolist())
        segment = exported.segment_places(blocks["segment_id"])
        columns = {
            "id": judgments["client_id"],
            "number": number.tolist(),
            "judge": self._judges[exported.judge_places(_ids(judgments["judge"]))].tolist(),
            "segment": self._numbers[segment].tolist(),
            "document": self._documents[segment].tolist(),
            "candidates": self._shown(exported.candidates_shown(blocks)),
            "labels": [_labels(array) for array in judgments["labels"]],
            "answer": _answers(answers, ids),
            "supersedes": supersedes,
            "current": exported.are_current(ids).tolist(),
            "control": [_CONTROLS[place] for place in blocks["checks"].tolist()],
            "rehearsal_of": [self._rehearsed] * len(ids),
        }
        return {
            name: columns[name] if name in columns else judgments[name]
            for name in ROWS["judgments"].columns
        }

    def _shown(self, candidate: npt.NDArray[np.int32]) -> list[str]:
        known = self._exported.candidates
        first = self._first.of(known, self._names)
        others = self._others.of(known, lambda each: f", {self._names(each)}")
        pieces = [
            by_candidate(others if place else first, candidate[:, place], "")
            for place in range(candidate.shape[1])
        ]
        return [f"[{''.join(row)}]" for row in np.stack(pieces, axis=1).tolist()]

    def _names(self, candidate: tuple[int, ...]) -> str:
        names = [self._exported.systems[place] for place in candidate]
        return json.dumps(names, ensure_ascii=False)


def _judgments(ids: Ids) -> Rows:
    """Return the judgments with these ids, in their order."""
    asked = ids_asked(ids)
    if "ids" in asked:
        judgments = Judgment.objects.filter(IsAnyOf(F("pk"), asked["ids"]))
    else:
        judgments = Judgment.objects.filter(pk__gte=asked["first"], pk__lte=asked["last"])
    columns = (name if name != "submitted_at" else Utc(name) for name in _READ)
    read: Rows = {name: [] for name in _READ}
    for rows in rows_copied(judgments.order_by().values_list(*columns), _READ):
        for name, values in rows.items():
            read[name] += values
    places = places_of(ids, _ids(read["pk"])).tolist()
    return {name: [values[place] for place in places] for name, values in read.items()}


def _ids(values: list[int]) -> Ids:
    return np.array(values, dtype=np.int64)


def _client_ids(judgment_ids: list[int | None]) -> list[str | None]:
    """Return the client ids of judgments; None where there is no id."""
    known = {pk for pk in judgment_ids if pk is not None}
    found = Judgment.objects.filter(pk__in=known).values_list("pk", "client_id") if known else ()
    ids: dict[int | None, str] = {pk: str(client_id) for pk, client_id in found}
    return [ids.get(id_) for id_ in judgment_ids]


@lru_cache(maxsize=10_000)
def _labels(array: str) -> str:
    """Return an array of PostgreSQL, as text, as a list in JSON."""
    return f"[{array[1:-1].replace(',', ', ').replace('NULL', 'null')}]"


def _answers(answers: dict[int, Any], ids: Ids) -> list[str]:
    """Return what protocols of their own ask for, in JSON; times and the like become texts, as in answers of REST."""
    return [json.dumps(answers.get(id_), ensure_ascii=False, default=str) for id_ in ids.tolist()]

"""All judgments of a task as columns of Arrow, the superseded ones and controls among them."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from django.db import transaction
from django.db.models import F

from annotation.models import Judgment
from annotation.models.block import BlockControl
from annotation.models.pool import IsAnyOf
from annotation.protocols import answers_read
from campaign.database.copied_rows import rows_copied
from campaign.database.planner import table_scans_off
from campaign.models import Task
from campaign.selectors.rehearsals import rehearsed_slug
from ranking.export.judgments.lines import Pieces, by_candidate, taken
from ranking.export.judgments.rows import ROWS, Kind, Utc
from ranking.selectors.exported_columns import ExportedTask, exported_task
from ranking.selectors.exported_rows import Ids, ids_asked, places_of

_AT_ONCE: Final = 1 << 13
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


def recorded_judgments(
    *, task: Task, after: int, until: int, watermark: int
) -> Iterator[pa.RecordBatch]:
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
        self._numbers = pa.array([each.number for each in exported.segments], type=pa.int64())
        self._documents = pa.array([each.document for each in exported.segments], type=pa.string())
        self._judges = pa.array(exported.judges, type=pa.string())

    def read(self, start: int, stop: int) -> pa.RecordBatch:
        exported, rows = self._exported, self._exported.rows
        # By indexes: planned for a whole table, each page would read all of it.
        with transaction.atomic(), table_scans_off():
            ids, number = rows.numbers(start, stop)
            judgments = _judgments(ids)
            blocks = rows.blocks(judgments["block"].to_numpy())
            supersedes = _client_ids(judgments["supersedes"])
            answers = answers_read(exported.task.protocol, ids.tolist())
        segment = exported.segment_places(blocks["segment_id"])
        columns = {
            "id": judgments["client_id"],
            "number": pa.array(number),
            "judge": taken(self._judges, exported.judge_places(judgments["judge"].to_numpy())),
            "segment": taken(self._numbers, segment),
            "document": taken(self._documents, segment),
            "candidates": self._shown(exported.candidates_shown(blocks)),
            "labels": _labels(judgments["labels"]),
            "answer": _answers(answers, ids),
            "supersedes": supersedes,
            "current": pa.array(exported.are_current(ids)),
            "control": _of(list(BlockControl), blocks["checks"]),
            "rehearsal_of": _of([self._rehearsed], np.zeros(len(ids), dtype=np.int32)),
        }
        names = list(ROWS["judgments"].columns)
        return pa.RecordBatch.from_arrays(
            [columns[name] if name in columns else judgments[name] for name in names], names=names
        )

    def _shown(self, candidate: npt.NDArray[np.int32]) -> Any:
        known = self._exported.candidates
        first = self._first.of(known, self._names)
        others = self._others.of(known, lambda each: f", {self._names(each)}")
        pieces = [
            by_candidate(others if place else first, candidate[:, place], "")
            for place in range(candidate.shape[1])
        ]
        return pc.binary_join_element_wise("[", *pieces, "]", "")

    def _names(self, candidate: tuple[int, ...]) -> str:
        names = [self._exported.systems[place] for place in candidate]
        return json.dumps(names, ensure_ascii=False)


def _judgments(ids: Ids) -> pa.RecordBatch:
    """Return the judgments with these ids, in their order."""
    asked = ids_asked(ids)
    if "ids" in asked:
        judgments = Judgment.objects.filter(IsAnyOf(F("pk"), asked["ids"]))
    else:
        judgments = Judgment.objects.filter(pk__gte=asked["first"], pk__lte=asked["last"])
    columns = (name if name != "submitted_at" else Utc(name) for name in _READ)
    read = pa.Table.from_batches(
        list(rows_copied(judgments.order_by().values_list(*columns), _READ))
    )
    places = places_of(ids, read["pk"].to_numpy())
    return read.take(pa.array(places)).combine_chunks().to_batches()[0]


def _client_ids(judgment_ids: Any) -> Any:
    """Return the client ids of judgments; NULL where there is no id."""
    known = judgment_ids.drop_null().unique().to_pylist()
    found = Judgment.objects.filter(pk__in=known).values_list("pk", "client_id")
    ids = {pk: str(client_id) for pk, client_id in found} if known else {}
    place = pc.index_in(judgment_ids, pa.array(ids, type=pa.int64()))
    return pa.array(ids.values(), type=pa.string()).take(place)


def _labels(arrays: Any) -> Any:
    """Return arrays of PostgreSQL, as text, as lists in JSON."""
    found = arrays.dictionary_encode()
    lists = found.dictionary
    for this, that in (("{", "["), ("}", "]"), (",", ", "), ("NULL", "null")):
        lists = pc.replace_substring(lists, this, that)
    return pa.DictionaryArray.from_arrays(found.indices, lists)


def _answers(answers: dict[int, Any], ids: Ids) -> Any:
    """Return what protocols of their own ask for, in JSON; times and the like become texts, as in answers of REST."""
    if not answers:
        return _of(["null"], np.zeros(len(ids), dtype=np.int32))
    written = [
        json.dumps(answers.get(id_), ensure_ascii=False, default=str) for id_ in ids.tolist()
    ]
    return pa.array(written, type=pa.string())


def _of(texts: Sequence[str | None], places: npt.NDArray[Any]) -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.array(places.astype(np.int32)), pa.array(texts, type=pa.string())
    )

"""The judgments of a task in the order of their numbers, some thousands at a time, as columns of numbers.

What files of them are written from: memory holds one part, whatever their number.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.fields import ArrayField
from django.db import transaction
from django.db.models import (
    BigIntegerField,
    Case,
    F,
    Func,
    IntegerField,
    Q,
    QuerySet,
    SmallIntegerField,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.models import BlockControl, Judgment
from annotation.selectors import excluded_judges
from campaign.database.columns import Columns, ColumnsQuery, columns_copied
from campaign.database.planner import table_scans_off
from campaign.models import Judge, Output, Segment, Task

#: Rows read at once.
ROWS_AT_ONCE: Final = 1 << 15
#: Places that are read at first; more where blocks have more.
_PLACES: Final = 5

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JudgedPart:
    """N judgments in the order of their numbers, with places for S candidates.

    Attributes
    ----------
    number : int64, shape (N,)
    judge : int32, shape (N,)
        Places in `ExportedTask.judges`.
    segment : int32, shape (N,)
        Places in `ExportedTask.segments`.
    candidate : int32, shape (N, S)
        Places in `ExportedTask.candidates`, in shown order; then -1.
    label : int8, shape (N, S)
        1 … 5, 0 where blank.
    duration_ms : int64, shape (N,)
        On the clock; -1 where unknown.
    """

    number: Int64Array
    judge: Int32Array
    segment: Int32Array
    candidate: Int32Array
    label: npt.NDArray[np.int8]
    duration_ms: Int64Array

    def __len__(self) -> int:
        return len(self.number)

    def slices(self, rows: int) -> "Iterator[JudgedPart]":
        """Yield so many of its rows at a time."""
        for start in range(0, len(self), rows):
            some = slice(start, start + rows)
            yield JudgedPart(
                number=self.number[some],
                judge=self.judge[some],
                segment=self.segment[some],
                candidate=self.candidate[some],
                label=self.label[some],
                duration_ms=self.duration_ms[some],
            )


@dataclass(frozen=True, slots=True)
class ExportedSegment:
    """What files say of a segment: its number in the test set, its document, and its place there."""

    number: int
    document: str
    position: int


@dataclass(eq=False)
class ExportedTask:
    """What the numbers of all parts stand for; candidates are added as they are met.

    Attributes
    ----------
    task : Task
    watermark : int
        The judgments that count are those no judgment up to this number supersedes.
    systems : list of str
        In the order of their ids.
    """

    task: Task
    watermark: int
    systems: list[str]
    segments: list[ExportedSegment]
    judges: list[str]
    candidates: list[tuple[int, ...]]
    _segment_ids: Int64Array
    _judge_ids: Int64Array
    _output_ids: Int64Array
    _output_systems: Int32Array
    _left_out: Int64Array
    _superseded: Int64Array
    _sets: dict[tuple[int, ...], int] = field(default_factory=dict)
    _widths: tuple[int, int] = (_PLACES, _PLACES)

    def parts(self, *, after: int, until: int) -> Iterator[JudgedPart]:
        """Yield the judgments that count with the numbers `after` + 1 … `until`.

        Controls are left out, and judges who are excluded. A part may be empty.
        """
        for start in range(after, until, ROWS_AT_ONCE):
            yield self._part(start, min(start + ROWS_AT_ONCE, until))

    def _part(self, start: int, stop: int) -> JudgedPart:
        read = self._read(start, stop)
        keep = (
            read["counts"]
            & ~np.isin(read["judge_id"], self._left_out)
            & ~np.isin(read["id"], self._superseded)
        )
        of = {name: column[keep] for name, column in read.items()}
        candidate = self._candidates(of["shown"], of["sizes"])
        width = min(candidate.shape[1], of["filled"].shape[1])
        return JudgedPart(
            number=of["number"].astype(np.int64),
            judge=np.searchsorted(self._judge_ids, of["judge_id"]).astype(np.int32),
            segment=np.searchsorted(self._segment_ids, of["segment"]).astype(np.int32),
            candidate=np.ascontiguousarray(candidate[:, :width]),
            label=of["filled"][:, :width].astype(np.int8),
            duration_ms=of["milliseconds"].astype(np.int64),
        )

    def _read(self, start: int, stop: int) -> Columns:
        while True:
            outputs, labels = self._widths
            # By indexes: planned for a whole table, each part would read all of it.
            with transaction.atomic(), table_scans_off():
                found = _query(outputs, labels).read(task_id=self.task.pk, start=start, stop=stop)
            widest = (
                int(found["outputs_shown"].max(initial=1)),
                int(found["labels_given"].max(initial=1)),
            )
            if widest[0] <= outputs and widest[1] <= labels:
                return found
            self._widths = max(outputs, widest[0]), max(labels, widest[1])

    def _candidates(self, shown: Int64Array, sizes: npt.NDArray[np.int16]) -> Int32Array:
        place = np.searchsorted(self._output_ids, shown)
        is_there = shown > 0
        system = np.where(is_there, self._output_systems[np.where(is_there, place, 0)], -1)
        candidate = system.astype(np.int32)
        for row in np.flatnonzero(sizes[:, 0] > 0).tolist():
            systems, at = system[row].tolist(), 0
            numbers = []
            for size in sizes[row].tolist():
                if size:
                    numbers.append(self._numbered(tuple(systems[at : at + size])))
                    at += size
            candidate[row] = numbers + [-1] * (candidate.shape[1] - len(numbers))
        return candidate

    def _numbered(self, systems: tuple[int, ...]) -> int:
        if len(systems) == 1:
            return systems[0]
        number = self._sets.setdefault(systems, len(self.candidates))
        if number == len(self.candidates):
            self.candidates.append(systems)
        return number


def exported_task(*, task: Task, watermark: int) -> ExportedTask:
    """Read what the judgments of a task up to a number are written with: systems, segments, judges. Six queries."""
    systems = list(task.test_set.systems.order_by("id").values_list("id", "name"))
    segments = list(
        Segment.objects.filter(test_set_id=task.test_set_id)
        .order_by("pk")
        .values_list("pk", "number", "document__name", "position")
    )
    judges = list(
        Judge.objects.filter(campaign_id=task.test_set.campaign_id)
        .order_by("pk")
        .values_list("pk", "pseudonym")
    )
    excluded = set(excluded_judges(campaign_id=task.test_set.campaign_id))
    outputs = columns_copied(
        Output.objects.filter(segment__test_set_id=task.test_set_id).order_by("pk"),
        [("id", "i8"), ("system_id", "i8")],
    )
    ids = np.array([id_ for id_, _name in systems], dtype=np.int64)
    return ExportedTask(
        task=task,
        watermark=watermark,
        systems=[name for _id, name in systems],
        segments=[
            ExportedSegment(number, document, position)
            for _id, number, document, position in segments
        ],
        judges=[name for _id, name in judges],
        candidates=[(place,) for place in range(len(systems))],
        _segment_ids=np.array([row[0] for row in segments], dtype=np.int64),
        _judge_ids=np.array([id_ for id_, _name in judges], dtype=np.int64),
        _output_ids=outputs["id"],
        _output_systems=np.searchsorted(ids, outputs["system_id"]).astype(np.int32),
        _left_out=np.array([id_ for id_, name in judges if name in excluded], dtype=np.int64),
        _superseded=_superseded(task, watermark),
    )


def _superseded(task: Task, watermark: int) -> Int64Array:
    later = Judgment.objects.of(task.pk).until(watermark).filter(supersedes__isnull=False)
    found = columns_copied(later.order_by().values("supersedes_id"), [("supersedes_id", "i8")])
    return np.sort(found["supersedes_id"])


class _Widened(Func):
    """An array without NULL, with zeros at its end, cut to so many elements."""

    template = "(%(expressions)s || array_fill(0::%(element)s, ARRAY[%(width)s]))[1:%(width)s]"


class _Filled(Func):
    """The same of an array that may hold NULL, for which zeros stand, or be NULL, for which they stand, too.

    Most arrays are as they should be, or NULL, and then nothing is computed of them.
    """

    template = (
        "CASE WHEN %(expressions)s IS NULL THEN array_fill(0::%(element)s, ARRAY[%(width)s])"
        " WHEN cardinality(%(expressions)s) = %(width)s AND array_position(%(expressions)s, NULL) IS NULL"
        " THEN %(expressions)s ELSE (array_replace(%(expressions)s, NULL, 0::%(element)s)"
        " || array_fill(0::%(element)s, ARRAY[%(width)s]))[1:%(width)s] END"
    )


def _array(kind: type[Func], expression: str, element: str, width: int) -> Func:
    of: Any = BigIntegerField() if element == "bigint" else SmallIntegerField()
    return kind(expression, element=element, width=width, output_field=ArrayField(of))


class _Length(Func):
    function = "cardinality"
    output_field = IntegerField()


@cache
def _query(outputs: int, labels: int) -> ColumnsQuery:
    def judgments(task_id: Any, start: Any, stop: Any) -> "QuerySet[Judgment]":
        rows = Judgment.objects.of(task_id).until(stop).filter(numbered__number__gt=start)
        return rows.order_by("numbered__number").annotate(
            number=F("numbered__number"),
            segment=F("block__segment_id"),
            counts=Case(
                When(Q(block__control=BlockControl.NONE), then=Value(True)), default=Value(False)
            ),
            milliseconds=Coalesce("duration_ms", -1),
            outputs_shown=_Length("block__outputs"),
            labels_given=_Length("labels"),
            shown=_array(_Widened, "block__outputs", "bigint", outputs),
            sizes=_array(_Filled, "block__stands_for", "smallint", labels),
            filled=_array(_Filled, "labels", "smallint", labels),
        )

    return ColumnsQuery(
        judgments,
        {"task_id": BigIntegerField(), "start": IntegerField(), "stop": IntegerField()},
        [
            *(("id", "i8"), ("number", "i4"), ("judge_id", "i8"), ("segment", "i8")),
            *(("counts", "?"), ("milliseconds", "i4"), ("outputs_shown", "i4")),
            *(("labels_given", "i4"), ("shown", "i8", (outputs,)), ("sizes", "i2", (labels,))),
            ("filled", "i2", (labels,)),
        ],
    )

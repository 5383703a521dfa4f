"""The judgments of a task in the order of their numbers, some thousands at a time, as columns of numbers.

What files of them are written from: memory holds one part, whatever their number.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from annotation.models import Judgment
from annotation.selectors import excluded_judges
from campaign.database.columns import Columns, columns_copied
from campaign.models import Judge, Output, Segment, Task
from ranking.selectors.exported_rows import JudgedRowsReader, Numbered

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
    _segment_places: Numbered
    _judge_places: Numbered
    _systems_of_outputs: Numbered
    _left_out: Int64Array
    _superseded: Int64Array
    _sets: dict[tuple[int, ...], int] = field(default_factory=dict)

    @cached_property
    def rows(self) -> JudgedRowsReader:
        return JudgedRowsReader(task_id=self.task.pk, places=_PLACES)

    def parts(self, *, after: int, until: int) -> Iterator[JudgedPart]:
        """Yield the judgments that count with the numbers `after` + 1 … `until`.

        Controls are left out, and judges who are excluded. A part may be empty.
        """
        for start in range(after, until, ROWS_AT_ONCE):
            yield self._part(start, min(start + ROWS_AT_ONCE, until))

    def _part(self, start: int, stop: int) -> JudgedPart:
        read = self.rows.read(start, stop)
        keep = (
            (read["checks"] == 0)
            & ~np.isin(read["judge_id"], self._left_out)
            & self.are_current(read["id"])
        )
        of = {name: column[keep] for name, column in read.items()}
        candidate = self.candidates_shown(of)
        width = min(candidate.shape[1], of["filled"].shape[1])
        return JudgedPart(
            number=of["number"],
            judge=self.judge_places(of["judge_id"]),
            segment=self.segment_places(of["segment_id"]),
            candidate=np.ascontiguousarray(candidate[:, :width]),
            label=of["filled"][:, :width].astype(np.int8),
            duration_ms=of["milliseconds"].astype(np.int64),
        )

    def are_current(self, judgment_ids: Int64Array) -> npt.NDArray[np.bool_]:
        """Return of each judgment whether none up to the watermark supersedes it."""
        if not len(self._superseded):
            return np.ones(len(judgment_ids), dtype=np.bool_)
        place = np.searchsorted(self._superseded, judgment_ids)
        is_current: npt.NDArray[np.bool_] = (
            self._superseded.take(place, mode="clip") != judgment_ids
        )
        return is_current

    def judge_places(self, ids: Int64Array) -> Int32Array:
        """Return the places of judges in `judges`."""
        return self._judge_places.of(ids)

    def segment_places(self, ids: Int64Array) -> Int32Array:
        """Return the places of segments in `segments`."""
        return self._segment_places.of(ids)

    def candidates_shown(self, blocks: Columns) -> Int32Array:
        """Return what blocks show, as `JudgedPart.candidate` does."""
        shown, sizes = blocks["shown"], blocks["sizes"]
        candidate: Int32Array = np.where(shown > 0, self._systems_of_outputs.of(shown), -1)
        rows = np.flatnonzero(sizes[:, 0] > 0)
        if len(rows):
            candidate[rows] = self._with_sets(candidate[rows], sizes[rows])
        return candidate

    def _with_sets(self, system: Int32Array, sizes: npt.NDArray[np.int16]) -> Int32Array:
        """Return the candidates of blocks some of which stand for several of these systems."""
        ends = sizes.cumsum(axis=1)
        starts = ends - sizes
        first = np.take_along_axis(system, np.minimum(starts, system.shape[1] - 1), axis=1)
        candidate: Int32Array = np.where(sizes > 0, first, -1)
        several = np.nonzero(sizes > 1)
        within = np.stack([several[0], starts[several], ends[several]], axis=1).tolist()
        systems = system.tolist()
        candidate[several] = [
            self._numbered(tuple(systems[row][start:end])) for row, start, end in within
        ]
        return candidate

    def _numbered(self, systems: tuple[int, ...]) -> int:
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
        Output.objects.filter(segment__test_set_id=task.test_set_id).order_by(),
        [("id", "i8"), ("system_id", "i8")],
    )
    in_order = np.argsort(outputs["id"])
    system = np.searchsorted([id_ for id_, _name in systems], outputs["system_id"][in_order])
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
        _segment_places=_places([row[0] for row in segments]),
        _judge_places=_places([id_ for id_, _name in judges]),
        _systems_of_outputs=Numbered(outputs["id"][in_order], system.astype(np.int32)),
        _left_out=np.array([id_ for id_, name in judges if name in excluded], dtype=np.int64),
        _superseded=_superseded(task, watermark),
    )


def _places(ids: list[int]) -> Numbered:
    return Numbered(np.array(ids, dtype=np.int64), np.arange(len(ids), dtype=np.int32))


def _superseded(task: Task, watermark: int) -> Int64Array:
    later = Judgment.objects.of(task.pk).until(watermark).filter(supersedes__isnull=False)
    found = columns_copied(later.order_by().values("supersedes_id"), [("supersedes_id", "i8")])
    return np.sort(found["supersedes_id"])

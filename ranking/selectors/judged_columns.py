"""The judgments of a test set as columns of numbers, read by COPY and joined in memory, and the queries that read them.

Django compiles each query once per process, for a whole test set and for some of its segments. Parameters may
have these names:

    task_id, control, segments, start, stop
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    Expression,
    F,
    Field,
    Func,
    IntegerField,
    Q,
    QuerySet,
    SmallIntegerField,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Extract, Floor

from annotation.models import Block, BlockControl, Judgment
from annotation.models.hit import IsAnyOf
from annotation.models.judgment import JudgmentQuerySet
from campaign.database.columns import Columns, ColumnsQuery
from campaign.models import Judge, Output, Segment, System, Task
from ranking.core.judged.blocks import (
    Blocks,
    Candidate,
    CandidateSets,
    CodedJudgments,
    blocks_of_codes,
)

_Fields = dict[str, "Field[Any, Any]"]

_TASK: _Fields = {"task_id": BigIntegerField()}
_CONTROL: _Fields = {"control": CharField()}
_SEGMENTS: _Fields = {"segments": ArrayField(BigIntegerField())}
_START: _Fields = {"start": IntegerField()}
_STOP: _Fields = {"stop": IntegerField()}


class _Length(Func):
    """The number of elements of an array."""

    function = "cardinality"
    output_field = IntegerField()


def _half_of_all(condition: Q) -> Case:
    """Return the condition as an expression that PostgreSQL estimates to hold for every other row.

    By default, PostgreSQL expects one in two hundred arrays to have a given length. Most arrays have it, so the planner
    would join a million rows one by one.
    """
    return Case(When(condition, then=Value(True)), default=Value(False))


@cache
def labels_query(length: int) -> ColumnsQuery:
    """Return the query of all judgments with `length` labels, including superseded ones.

    `day` is the UTC day of submission, counted from 1 January 1970.
    """
    return ColumnsQuery(
        lambda task_id, stop: _with_labels(
            Judgment.objects.of(task_id).until(stop), length
        ).annotate(
            replaces=Coalesce("supersedes_id", 0),
            milliseconds=Coalesce("active_ms", "duration_ms", -1),
            day=_DAY,
        ),
        _TASK | _STOP,
        [
            *(*_labels(length), ("id", "i8"), ("replaces", "i8")),
            *(("milliseconds", "i4"), ("day", "i4")),
        ],
    )


_DAY = Cast(Floor(Extract("submitted_at", "epoch", tzinfo=UTC) / 86_400), IntegerField())


@cache
def labels_of_segments_query(length: int) -> ColumnsQuery:
    """Return the query of segments' judgments with `length` labels, with the number of the judgment replacing each,
    or 0.
    """
    return ColumnsQuery(
        lambda task_id, control, segments, stop: _with_labels(
            Judgment.objects.of(task_id)
            .until(stop)
            .filter(_is_of("block__segment", segments=segments), block__control=control),
            length,
        ).annotate(
            number=F("numbered__number"),
            # Numbers begin at 1. A judgment without a number does not replace another one yet.
            replaced=Coalesce("superseded_by__numbered__number", 0),
        ),
        _TASK | _CONTROL | _SEGMENTS | _STOP,
        [*_labels(length), ("number", "i4"), ("replaced", "i4")],
    )


def _labels(length: int) -> list[Any]:
    return [("block_id", "i8"), ("judge_id", "i8"), ("filled", "i2", (length,))]


def _with_labels(judged: JudgmentQuerySet, length: int) -> JudgmentQuerySet:
    """Filter judgments to those with `length` labels, and fill blank ones."""
    widened = judged.annotate(
        length=_Length("labels"),
        filled=Func(
            "labels",
            Value(None),
            Cast(Value(0), SmallIntegerField()),
            function="array_replace",
            output_field=ArrayField(SmallIntegerField()),
        ),
    )
    return widened.filter(_half_of_all(Q(length=length)))


@cache
def shapes_query(*, is_of_segments: bool) -> ColumnsQuery:
    """Return the query of block shapes: numbers of outputs, and of candidates if some represent several, else -1."""
    return ColumnsQuery(
        lambda **of: (
            _measured(**of)
            .filter(Q(length__gt=0))
            .annotate(stand=Coalesce("sizes", -1))
            .values("length", "stand")
            .order_by()
            .distinct()
        ),
        _CONTROL | (_SEGMENTS if is_of_segments else _TASK),
        [("length", "i4"), ("stand", "i4")],
    )


@cache
def blocks_query(length: int, stand: int, *, is_of_segments: bool) -> ColumnsQuery:
    """Return the query of blocks of one shape of `shapes_query`."""

    def blocks(**of: Expression) -> "QuerySet[Block]":
        is_of_shape = _half_of_all(Q(length=length)), Q(stands_for__isnull=stand < 0)
        has_sizes = [] if stand < 0 else [_half_of_all(Q(sizes=stand))]
        found = _measured(**of).filter(*is_of_shape, *has_sizes).order_by()
        return found.annotate(
            number=F("segment__number"), document=F("segment__document__position")
        )

    columns: list[Any] = [("id", "i8"), ("number", "i4"), ("document", "i4")]
    columns.append(("outputs", "i8", (length,)))
    if stand >= 0:
        columns.append(("stands_for", "i2", (stand,)))
    return ColumnsQuery(blocks, _CONTROL | (_SEGMENTS if is_of_segments else _TASK), columns)


def _measured(*, control: Expression, **of: Expression) -> "QuerySet[Block]":
    """Return the blocks with this control, of a test set or of segments, annotated with the lengths of their arrays."""
    found = Block.objects.filter(_is_of("segment", **of), control=control)
    return found.annotate(length=_Length("outputs"), sizes=_Length("stands_for"))


@cache
def outputs_query(*, is_of_segments: bool) -> ColumnsQuery:
    """Return the query of outputs with their systems, in the order of their ids."""
    return ColumnsQuery(
        lambda **of: Output.objects.filter(_is_of("segment", **of)).order_by("pk"),
        _SEGMENTS if is_of_segments else _TASK,
        [("id", "i8"), ("system_id", "i8")],
    )


def _is_of(path: str, *, segments: Expression | None = None, task_id: Any = None) -> Q:
    """Return the condition that the segment at this path is among the given ones, or in the test set."""
    if segments is not None:
        return Q(IsAnyOf(F(path), segments))
    of_task = Task.objects.filter(pk=task_id).values("test_set_id")
    return Q(**{f"{path}__test_set_id": Subquery(of_task[:1])})


@cache
def new_judgments_query() -> ColumnsQuery:
    """Return the query of the judgments after a number, see `new_judgments`."""
    timed = Q(supersedes__isnull=True, block__control=BlockControl.NONE)

    def judgments(task_id: Expression, start: Expression, stop: Expression) -> "QuerySet[Judgment]":
        rows = Judgment.objects.of(task_id).until(stop).filter(numbered__number__gt=start)
        return rows.annotate(
            segment=F("block__segment_id"),
            counts=_half_of_all(Q(block__control=BlockControl.NONE)),
            checks=_half_of_all(Q(block__control=BlockControl.ATTENTION)),
            milliseconds=Case(
                When(timed, then=Coalesce("active_ms", "duration_ms", -1)), default=Value(-1)
            ),
        )

    return ColumnsQuery(
        judgments,
        _TASK | _START | _STOP,
        [
            *(("segment", "i8"), ("judge_id", "i8"), ("counts", "?"), ("checks", "?")),
            ("milliseconds", "i4"),
        ],
    )


Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class _Shown:
    """Content of blocks, in the order of their ids; candidates as in `CodedJudgments`.

    `lengths` are the occurring numbers of candidates, `documents` the document of each segment.
    """

    block: Int64Array
    segment: Int32Array
    candidate: Int32Array
    candidates: list[Candidate]
    lengths: list[int]
    documents: dict[int, int]


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Labels of judges, 0 if blank or without a candidate, and more columns."""

    block: Int64Array
    judge: Int64Array
    label: npt.NDArray[np.int8]
    more: Columns

    def take(self, rows: BoolArray) -> "_Labelled":
        more = {name: column[rows] for name, column in self.more.items()}
        return _Labelled(self.block[rows], self.judge[rows], self.label[rows], more)


def judged_columns(
    *, task_id: int, watermark: int, control: str = BlockControl.NONE
) -> CodedJudgments:
    """Read the current judgments among numbers 1…`watermark`, of blocks with this `control`.

    Rows are ordered by block id, then by judge id. Blocks and judgments are read separately, with a
    query for each occurring number of outputs or labels, because all rows of a COPY have the same width.
    """
    shown = _shown(task_id, control)
    return _coded(_current(_judged(task_id, watermark, shown.lengths)), shown)[0]


def judging_times(*, task_id: int, watermark: int) -> dict[str, FloatArray]:
    """Return the seconds of each judge's first judgments that count, active if measured."""
    shown = _shown(task_id, BlockControl.NONE)
    read = _judged(task_id, watermark, shown.lengths)
    milliseconds = read.more["milliseconds"]
    first = np.flatnonzero((read.more["replaces"] == 0) & (milliseconds >= 0))
    timed = first[_found(shown, read.block[first])[1]]
    return seconds_by_judge(read.judge[timed], milliseconds[timed])


@dataclass(frozen=True, eq=False)
class SegmentColumns:
    """The judgments of some segments that are current at one or both of two watermarks.

    `is_before` and `is_after` tell for each judgment whether it is current at the first and at the second one.
    `documents` has the position of each segment's document, by the segment's number.
    """

    coded: CodedJudgments
    is_before: BoolArray
    is_after: BoolArray
    documents: dict[int, int]


def columns_of_segments(
    *, task_id: int, segments: Collection[int], start: int, stop: int, control: str
) -> SegmentColumns:
    """Read the judgments of segments, given by primary key, that are current at either of two watermarks.

    Only blocks with this `control` are read. Rows are as in `judged_columns`; only judgments
    and blocks of these segments are read.
    """
    shown = _shown(task_id, control, segments)
    of = {"task_id": task_id, "control": control, "segments": list(segments), "stop": stop}
    queries = map(labels_of_segments_query, shown.lengths)
    labelled = _labelled(
        [query.read(**of) for query in queries], {"number": np.int32, "replaced": np.int32}
    )
    coded, rows = _coded(labelled, shown)
    number, replaced = labelled.more["number"][rows], labelled.more["replaced"][rows]
    is_before, is_after = (
        (number <= watermark) & ((replaced == 0) | (replaced > watermark))
        for watermark in (start, stop)
    )
    return SegmentColumns(coded, is_before, is_after, shown.documents)


def new_judgments(*, task_id: int, start: int, stop: int) -> Columns:
    """Read the judgments with the numbers `start` + 1 … `stop`, including superseded ones.

    Returns the columns ``segment`` and ``judge_id``, primary keys; ``counts`` and ``checks``, whether
    their block is not a control block, or is an attention check; ``milliseconds`` of first judgments that
    count, active if measured, and -1 if unknown.
    """
    return new_judgments_query().read(task_id=task_id, start=start, stop=stop)


def seconds_by_judge(judges: Int64Array, milliseconds: Int32Array) -> dict[str, FloatArray]:
    """Return times by the pseudonym of their judge; judges are given by primary key. One query."""
    names = _judge_names(judges)
    order = np.argsort(judges, kind="stable")
    found, starts = np.unique(judges[order], return_index=True)
    times = np.split(milliseconds[order] / 1000, starts[1:])
    return {names[one]: own for one, own in zip(found.tolist(), times, strict=False)}


def _judged(task_id: int, watermark: int, lengths: list[int]) -> _Labelled:
    """Read all judgments with these numbers of labels, including superseded ones, in one pass over two tables.

    Columns are `id`, the judgment that each one `replaces` or 0, `milliseconds` or -1, and the `day` of submission.
    """
    parts = [labels_query(length).read(task_id=task_id, stop=watermark) for length in lengths]
    kinds: dict[str, type[np.generic]] = {"id": np.int64, "replaces": np.int64}
    return _labelled(parts, kinds | {"milliseconds": np.int32, "day": np.int32})


def _current(judged: _Labelled) -> _Labelled:
    replaces = judged.more["replaces"]
    return judged.take(~np.isin(judged.more["id"], replaces[replaces > 0]))


def _found(shown: _Shown, block: Int64Array) -> tuple[Int64Array, BoolArray]:
    """Return the index of each block among those shown, and whether it is one of them."""
    place = np.searchsorted(shown.block, block)
    return place, np.append(shown.block, -1)[place] == block


def _labelled(parts: list[Columns], more: Mapping[str, type[np.generic]]) -> _Labelled:
    """Combine the labels of judgments, read in parts of equal width, with their other columns."""
    widest = max((part["filled"].shape[1] for part in parts), default=0)
    return _Labelled(
        block=_joined((part["block_id"] for part in parts), np.int64),
        judge=_joined((part["judge_id"] for part in parts), np.int64),
        label=_joined((_widened(part["filled"], widest, 0) for part in parts), np.int8, widest),
        more={name: _joined((part[name] for part in parts), kind) for name, kind in more.items()},
    )


def _coded(labelled: _Labelled, shown: _Shown) -> tuple[CodedJudgments, Int64Array]:
    """Return the judgments of these blocks, in the order of blocks and judges, and their rows among all."""
    names = _judge_names(labelled.judge)
    judges, judge = list(names.values()), _numbers(labelled.judge, list(names))
    of_block, is_shown = _found(shown, labelled.block)
    # Leave out judgments of other blocks, such as attention checks.
    rows = np.flatnonzero(is_shown)
    # A judge has one current judgment per block.
    rows = rows[np.argsort(of_block[rows] * len(judges) + judge[rows], kind="stable")]
    of_block = of_block[rows]
    coded = CodedJudgments(
        judge=judge[rows],
        judges=judges,
        segment=shown.segment[of_block],
        candidate=shown.candidate[of_block],
        candidates=shown.candidates,
        label=_widened(labelled.label[rows], shown.candidate.shape[1], 0),
    )
    return coded, rows


def _shown(task_id: int, control: str, segments: Collection[int] | None = None) -> _Shown:
    """Read the content of all blocks of a task, or of those of some segments.

    A judgment with a number was committed, with its block, before a reader could see the number.
    """
    is_of_segments = segments is not None
    of = {"task_id": task_id, "control": control, "segments": list(segments or ())}
    shapes = shapes_query(is_of_segments=is_of_segments).read(**of)
    parts = [
        blocks_query(length, stand, is_of_segments=is_of_segments).read(**of)
        for length, stand in zip(shapes["length"].tolist(), shapes["stand"].tolist(), strict=True)
    ]
    # Read after the blocks: an import may write blocks with new outputs of new systems meanwhile.
    outputs = outputs_query(is_of_segments=is_of_segments).read(**of)
    named = System.objects.filter(test_set__tasks=task_id).order_by("name")
    systems: dict[int, str] = dict(named.values_list("pk", "name"))
    of_output = _numbers(outputs["system_id"], list(systems))
    sets = CandidateSets(list(systems.values()))
    candidates = []
    for part in parts:
        system = of_output[np.searchsorted(outputs["id"], part["outputs"])]
        size = part.get("stands_for")
        candidates.append(system if size is None else sets.numbered(system, size))
    widest = max((part.shape[1] for part in candidates), default=0)
    candidate = _joined((_widened(part, widest, -1) for part in candidates), np.int32, widest)
    block = _joined((part["id"] for part in parts), np.int64)
    segment = _joined((part["number"] for part in parts), np.int32)
    document = _joined((part["document"] for part in parts), np.int32)
    numbers, first = np.unique(segment, return_index=True)
    order = np.argsort(block, kind="stable")
    return _Shown(
        block=block[order],
        segment=segment[order],
        candidate=candidate[order],
        candidates=sets.candidates,
        lengths=sorted({part.shape[1] for part in candidates}),
        documents=dict(zip(numbers.tolist(), document[first].tolist(), strict=True)),
    )


def _judge_names(judge: Int64Array) -> dict[int, str]:
    """Return the pseudonyms of these judges, in the order of their ids."""
    judges = Judge.objects.filter(pk__in=np.unique(judge).tolist()).order_by("pk")
    return dict(judges.values_list("pk", "pseudonym"))


def _numbers(ids: Int64Array, listed: list[int]) -> Int32Array:
    """Return the index of each id in the list, which must contain all of them."""
    known = np.array(listed, dtype=np.int64)
    order = np.argsort(known).astype(np.int32)
    return order[np.searchsorted(known, ids, sorter=order)]


def _joined(parts: Iterable[AnyArray], dtype: type[np.generic], *width: int) -> AnyArray:
    return np.concatenate([np.empty((0, *width), dtype=dtype), *parts]).astype(dtype, copy=False)


def _widened(column: AnyArray, width: int, fill: int) -> AnyArray:
    missing = max(0, width - column.shape[1])
    return np.pad(column, ((0, 0), (0, missing)), constant_values=fill)[:, :width]


def judged_blocks(*, task_id: int, watermark: int) -> Blocks:
    """Read the judgments that count among numbers 1…`watermark`.

    A judgment counts unless another one up to the watermark supersedes it, or its block is a control block.
    Numbers have no gap and judgments never change, so the same watermark gives the same blocks at
    any later time.

    The number of queries is constant, and no model objects are created: see `judged_columns`.
    """
    return _blocks(judged_columns(task_id=task_id, watermark=watermark))


def judged_blocks_timed(*, task_id: int, watermark: int) -> tuple[Blocks, Int32Array, Int32Array]:
    """Read all judgments that count, and the milliseconds and the day of each.

    Milliseconds are active ones if measured, and -1 if unknown or if the judgment replaces another.
    Days are UTC days of submission, counted from 1 January 1970.
    """
    shown = _shown(task_id, BlockControl.NONE)
    read = _current(_judged(task_id, watermark, shown.lengths))
    coded, rows = _coded(read, shown)
    milliseconds = np.where(read.more["replaces"] == 0, read.more["milliseconds"], -1)
    return _blocks(coded), milliseconds[rows].astype(np.int32), read.more["day"][rows]


def attention_blocks(*, task_id: int, watermark: int) -> Blocks:
    """Read the judged attention checks among numbers 1…`watermark`, as `judged_blocks` does."""
    coded = judged_columns(task_id=task_id, watermark=watermark, control=BlockControl.ATTENTION)
    return _blocks(coded)


def documents_of_segments(*, task_id: int, segments: Collection[int]) -> dict[int, int]:
    """Return the document of each segment given by number, as its primary key. One query."""
    rows = Segment.objects.filter(test_set__tasks=task_id, number__in=set(segments))
    return dict(rows.order_by().values_list("number", "document_id"))


def _blocks(coded: CodedJudgments) -> Blocks:
    # Each system of the test set is a separate candidate, even if it was never shown.
    return blocks_of_codes(coded, {name for names in coded.candidates for name in names})

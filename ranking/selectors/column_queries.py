"""The queries that judgments, blocks and outputs are read by as columns; Django compiles each once a process.

Each exists for all of a test set, and for some of its segments alone. A value may be of any of these names:

    task_id, control, segments, start, stop
"""

from datetime import UTC
from functools import cache
from typing import Any

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
from campaign.database.columns import ColumnsQuery
from campaign.models import Output, Task

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
    """Return the condition as an expression that PostgreSQL expects of every other row.

    It expects an array to be of a given length in one row of two hundred. Most are, and then it joins
    a million rows one by one.
    """
    return Case(When(condition, then=Value(True)), default=Value(False))


@cache
def labels_query(length: int) -> ColumnsQuery:
    """Return the query of all judgments with `length` labels, including superseded ones.

    `day` is the UTC day of submission, counted from 1 January 1970.
    """
    return ColumnsQuery(
        lambda task_id, stop: _labelled(Judgment.objects.of(task_id).until(stop), length).annotate(
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
        lambda task_id, control, segments, stop: _labelled(
            Judgment.objects.of(task_id)
            .until(stop)
            .filter(_is_of("block__segment", segments=segments), block__control=control),
            length,
        ).annotate(
            number=F("numbered__number"),
            # Numbers begin at 1. A later judgment without a number replaces nothing yet.
            replaced=Coalesce("superseded_by__numbered__number", 0),
        ),
        _TASK | _CONTROL | _SEGMENTS | _STOP,
        [*_labels(length), ("number", "i4"), ("replaced", "i4")],
    )


def _labels(length: int) -> list[Any]:
    return [("block_id", "i8"), ("judge_id", "i8"), ("filled", "i2", (length,))]


def _labelled(judged: JudgmentQuerySet, length: int) -> JudgmentQuerySet:
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
    """Return the query of block shapes: outputs, and candidates if these represent several, else -1."""
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
    """Return the query of blocks of one shape, as `shapes_query` has them."""

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
    """Return the blocks with a control, of a test set or of segments, with their lengths."""
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
    """Return the condition that the segment at this path is one of some, or one of a test set."""
    if segments is not None:
        return Q(IsAnyOf(F(path), segments))
    of_task = Task.objects.filter(pk=task_id).values("test_set_id")
    return Q(**{f"{path}__test_set_id": Subquery(of_task[:1])})


@cache
def new_judgments_query() -> ColumnsQuery:
    """Return the query of the judgments with later numbers than one, see `new_judgments`."""
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

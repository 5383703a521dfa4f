"""Judgments of a test set as columns of numbers, read by COPY and joined in memory, and their changes by segment."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BigIntegerField,
    Case,
    F,
    Func,
    IntegerField,
    Max,
    Q,
    SmallIntegerField,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Extract, Floor

from annotation.models import Block, BlockControl, Judgment
from annotation.models.hit import IsAnyOf
from annotation.models.judgment import JudgmentQuerySet
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.database.columns import Columns, columns_copied
from campaign.models import Judge, Output, Segment, System, Task
from ranking.core.judged.blocks import (
    Blocks,
    Candidate,
    CandidateSets,
    CodedJudgments,
    blocks_from_rows,
    blocks_of_codes,
    blocks_of_parts,
)
from ranking.core.live.state import ChangedJudgments

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_MILLISECONDS = Coalesce("active_ms", "duration_ms", -1)
_DAY = Cast(
    Floor(Extract("submitted_at", "epoch", tzinfo=UTC) / 86_400),
    IntegerField(),
)
_LABELS: "ArrayField[Any, Any]" = ArrayField(SmallIntegerField())
_IDS: "ArrayField[Any, Any]" = ArrayField(BigIntegerField())
#: Approximate number of judgments counted at a time, to limit memory.
_AT_A_TIME = 250_000


class _Padded(Func):
    """An array extended with zeros to a width, because all rows of a COPY have the same width."""

    template = (
        "(%(expressions)s || array_fill(0::%(kind)s, ARRAY[%(width)s]))[1:%(width)s]"
    )


@dataclass(frozen=True, eq=False)
class _BlockContents:
    """Content of blocks, in the order of their ids; candidates as in `CodedJudgments`, documents by their positions.

    `has_ranks` tells whether answers imply an order of several outputs.
    """

    block: Int64Array
    segment: Int32Array
    document: Int32Array
    candidate: Int32Array
    candidates: list[Candidate]
    best_worst: bool
    has_ranks: bool


def judged_columns(
    *,
    task: Task,
    watermark: int,
    control: str = BlockControl.NONE,
) -> CodedJudgments:
    """Read the current judgments among numbers 1…`watermark`, of blocks with this `control`.

    Rows are ordered by block id, then by judge id. Blocks and judgments are read separately.
    """
    judgments = Judgment.objects.of(task.pk).current(watermark=watermark)
    return _coded_judgments(judgments, _block_contents(task, control))[0]


def judged_blocks(*, task: Task, watermark: int) -> Blocks:
    """Read the judgments that count among numbers 1…`watermark`.

    A judgment counts unless another one up to the watermark supersedes it, or its block is a control block.
    Numbers have no gap and judgments never change, so the same watermark gives the same blocks at
    any later time.

    The number of queries is constant, and no model objects are created: see `judged_columns`.
    """
    return _blocks(judged_columns(task=task, watermark=watermark))


def judged_blocks_timed(
    *,
    task: Task,
    watermark: int,
    without_blocks: Collection[int] = (),
) -> tuple[Blocks, Int32Array, Int32Array]:
    """Read all judgments that count, except of some blocks by key, and the milliseconds and the day of each.

    Milliseconds are active ones if measured, and -1 if unknown or if the judgment replaces another.
    Days are UTC days of submission, counted from 1 January 1970.
    """
    first = When(supersedes__isnull=True, then=_MILLISECONDS)
    judgments = Judgment.objects.of(task.pk).current(watermark=watermark)
    if without_blocks:
        judgments = judgments.exclude(block__in=without_blocks)
    coded, more = _coded_judgments(
        judgments.annotate(milliseconds=Case(first, default=-1), day=_DAY),
        _block_contents(task, BlockControl.NONE),
        ("milliseconds", "day"),
    )
    return _blocks(coded), more["milliseconds"], more["day"]


def attention_blocks(*, task: Task, watermark: int) -> Blocks:
    """Read the judged attention checks among numbers 1…`watermark`, as `judged_blocks` does."""
    coded = judged_columns(
        task=task,
        watermark=watermark,
        control=BlockControl.ATTENTION,
    )
    return _blocks(coded)


def _blocks(coded: CodedJudgments) -> Blocks:
    # Each system of the test set is a separate candidate, even if it was never shown.
    systems: set[str] = set()
    systems.update(*coded.candidates)
    return blocks_of_codes(coded, systems)


@dataclass(frozen=True, slots=True)
class _Span:
    """A test set between two watermarks, and the names of all its systems."""

    task: Task
    start: int
    stop: int
    systems: Sequence[str]


def judging_times(*, task_id: int, watermark: int) -> dict[str, FloatArray]:
    """Return the seconds of each judge's first judgments that count, active if measured."""
    counted = Judgment.objects.of(task_id).until(watermark).counted()
    first = counted.filter(supersedes=None).annotate(milliseconds=_MILLISECONDS)
    timed = first.filter(milliseconds__gte=0)
    columns = columns_copied(timed, [("judge_id", "i8"), ("milliseconds", "i4")])
    return _seconds(columns["judge_id"], columns["milliseconds"])


def documents_of_segments(*, task_id: int, segments: Collection[int]) -> dict[int, int]:
    """Return the document of each segment given by number, as its primary key. One query."""
    rows = Segment.objects.filter(test_set__tasks=task_id, number__in=set(segments))
    return dict(rows.order_by().values_list("number", "document_id"))


def changed_judgments(
    *,
    task: Task,
    start: int,
    stop: int,
    systems: Sequence[str],
) -> Iterator[ChangedJudgments]:
    """Yield the changes between two watermarks, in batches of segments.

    With `start` = 0, these are all judgments. Documents are numbered by their positions, which do not
    change. The time is proportional to the number of judgments of the segments judged in between, not to
    that of all judgments.

    Parameters
    ----------
    task : Task
    start, stop : int
    systems : sequence of str
        All systems of the test set.
    """
    span = _Span(task, start, stop, systems)
    new = _new_judgments(span)
    counted = np.unique(new["segment"][new["counts"]]).tolist()
    checked = np.unique(new["segment"][new["checks"]]).tolist()
    is_timed = new["milliseconds"] >= 0
    seconds = _seconds(new["judge_id"][is_timed], new["milliseconds"][is_timed])
    del new
    # As many segments as have about `_AT_A_TIME` judgments.
    batch_size = _AT_A_TIME * max(1, len(counted)) // max(1, stop)
    batch_size = max(1, batch_size)
    for begin in range(0, max(1, len(counted), len(checked)), batch_size):
        batch = slice(begin, begin + batch_size)
        before, after = _blocks_before_and_after(
            span,
            counted[batch],
            BlockControl.NONE,
        )
        checks_before, checks_after = _blocks_before_and_after(
            span,
            checked[batch],
            BlockControl.ATTENTION,
        )
        yield ChangedJudgments(
            before,
            after,
            checks_before,
            checks_after,
            seconds=seconds if begin == 0 else {},
        )


def _new_judgments(span: _Span) -> Columns:
    """Read segment, judge and time of the judgments of a span, and which count or are attention checks."""
    first = When(
        supersedes__isnull=True,
        block__control=BlockControl.NONE,
        then=_MILLISECONDS,
    )
    judgments = Judgment.objects.of(span.task.pk).until(span.stop)
    new = judgments.filter(numbered__number__gt=span.start).annotate(
        segment=F("block__segment_id"),
        counts=_holds(block__control=BlockControl.NONE),
        checks=_holds(block__control=BlockControl.ATTENTION),
        milliseconds=Case(first, default=-1),
    )
    columns = [
        ("segment", "i8"),
        ("judge_id", "i8"),
        ("counts", "?"),
        ("checks", "?"),
        ("milliseconds", "i4"),
    ]
    return columns_copied(new, columns)


def _holds(**condition: str) -> Case:
    return Case(When(**condition, then=Value(True)), default=Value(False))


def _blocks_before_and_after(
    span: _Span,
    segments: Collection[int],
    control: str,
) -> tuple[Blocks, Blocks]:
    """Read the judgments of segments, given by primary key, that are current at each of two watermarks."""
    if not segments:
        no_documents = np.empty(0, dtype=np.int32)
        nothing = replace(blocks_from_rows((), span.systems), document=no_documents)
        return nothing, nothing
    judgments = Judgment.objects.of(span.task.pk).until(span.stop)
    of_segments = judgments.filter(
        _segment_condition("block__segment", span.task.pk, segments),
        block__control=control,
    )
    coded, more = _coded_judgments(
        of_segments.annotate(
            number=F("numbered__number"),
            # Numbers begin at 1. A judgment without a number does not replace another one yet.
            replaced=Coalesce("superseded_by__numbered__number", 0),
        ),
        _block_contents(span.task, control, segments),
        ("number", "replaced"),
    )
    is_current = []
    for watermark in (span.start, span.stop):
        is_written = more["number"] <= watermark
        is_replaced = (more["replaced"] > 0) & (more["replaced"] <= watermark)
        is_current.append(is_written & ~is_replaced)
    before, after = blocks_of_parts(
        coded,
        is_current,
        span.systems,
        document=more["document"],
    )
    return before, after


def _seconds(judge_ids: Int64Array, milliseconds: Int32Array) -> dict[str, FloatArray]:
    """Return times by the pseudonym of their judge. One query."""
    names = _judge_names(judge_ids)
    order = np.argsort(judge_ids, kind="stable")
    judges, starts = np.unique(judge_ids[order], return_index=True)
    times = np.split(milliseconds[order] / 1000, starts[1:])
    own_times = zip(judges.tolist(), times, strict=False)
    return {names[judge]: own for judge, own in own_times}


def _coded_judgments(
    judgments: JudgmentQuerySet,
    contents: _BlockContents,
    columns: Sequence[str] = (),
) -> tuple[CodedJudgments, Columns]:
    """Read those of these judgments that are of these blocks, in the order of blocks and judges.

    The annotations named in `columns`, whole numbers, and the `document` of each judgment are returned, too.
    """
    width = contents.candidate.shape[1]
    nothing = Cast(Value(0), SmallIntegerField())
    ranks = Func("labels", Value(None), nothing, function="array_replace")
    labels = _Padded(ranks, width=width, kind="smallint", output_field=_LABELS)
    # Answers without ranks have no labels.
    labelled = judgments.exclude(labels=[]).annotate(filled=labels)
    integers = [(name, "i4") for name in columns]
    keys = [("block_id", "i8"), ("judge_id", "i8"), ("filled", "i2", (width,))]
    read = columns_copied(labelled, [*keys, *integers])
    block_ids = read["block_id"]
    names = _judge_names(read["judge_id"])
    judge = _numbers(read["judge_id"], list(names))
    block = np.searchsorted(contents.block, block_ids)
    # Leave out judgments of other blocks, such as attention checks.
    rows = np.flatnonzero(np.append(contents.block, -1)[block] == block_ids)
    # A judge has one current judgment per block.
    keys_of_rows = block[rows] * len(names) + judge[rows]
    rows = rows[np.argsort(keys_of_rows, kind="stable")]
    block = block[rows]
    label = read["filled"][rows].astype(np.int8)
    if not contents.has_ranks:
        # Several outputs are not tied, but in no order.
        has_several = (contents.candidate[block] >= 0).sum(axis=1) > 1
        label[has_several] = 0
    coded = CodedJudgments(
        judge=judge[rows],
        judges=list(names.values()),
        segment=contents.segment[block],
        candidate=contents.candidate[block],
        candidates=contents.candidates,
        label=label,
        best_worst=contents.best_worst,
    )
    more = {name: read[name][rows] for name in columns}
    more["document"] = contents.document[block]
    return coded, more


def _block_contents(
    task: Task,
    control: str,
    segments: Collection[int] | None = None,
) -> _BlockContents:
    """Read the content of all blocks of a test set, or of those of some segments.

    A judgment with a number was committed, with its block, before a reader could see the number.
    """
    blocks = Block.objects.filter(
        _segment_condition("segment", task.pk, segments),
        control=control,
    )
    blocks = blocks.exclude(outputs=[]).order_by()
    width = blocks.aggregate(most=Max("outputs__len"))["most"] or 1
    sizes = Coalesce("stands_for", Value([], output_field=_LABELS))
    read = columns_copied(
        blocks.annotate(
            number=F("segment__number"),
            document=F("segment__document__position"),
            output_ids=_Padded(
                "outputs",
                width=width,
                kind="bigint",
                output_field=_IDS,
            ),
            sizes=_Padded(sizes, width=width, kind="smallint", output_field=_LABELS),
        ),
        [
            ("id", "i8"),
            ("number", "i4"),
            ("document", "i4"),
            ("output_ids", "i8", (width,)),
            ("sizes", "i2", (width,)),
        ],
    )
    # Read after the blocks: an import may write blocks with new outputs of new systems meanwhile.
    outputs = columns_copied(
        Output.objects.filter(
            _segment_condition("segment", task.pk, segments),
        ).order_by("pk"),
        [("id", "i8"), ("system_id", "i8")],
    )
    named = System.objects.filter(test_set__tasks=task).order_by("name")
    systems: dict[int, str] = dict(named.values_list("pk", "name"))
    order = np.argsort(read["id"], kind="stable")
    output_ids = read["output_ids"][order]
    size = read["sizes"][order]
    # The last output stands for none, to which positions without a candidate point.
    no_system = np.int32(-1)
    system_of_output = _numbers(outputs["system_id"], list(systems))
    system_of_output = np.append(system_of_output, no_system)
    index = np.where(output_ids > 0, np.searchsorted(outputs["id"], output_ids), -1)
    one_column_after = ((0, 0), (0, 1))
    system = np.pad(system_of_output[index], one_column_after, constant_values=-1)
    size = np.where(size.any(axis=1, keepdims=True), size, output_ids > 0)
    sets = CandidateSets(list(systems.values()))
    kind = answer_kind_of(task)
    return _BlockContents(
        block=read["id"][order],
        segment=read["number"][order],
        document=read["document"][order],
        candidate=sets.numbered(system, size),
        candidates=sets.candidates,
        best_worst=kind.best_worst,
        has_ranks=kind.orders_outputs,
    )


def _segment_condition(path: str, task_id: int, segments: Collection[int] | None) -> Q:
    """Return the condition that the segment at this path is among the given ones, or in the test set."""
    if segments is None:
        return Q(**{f"{path}__test_set__tasks": task_id})
    return Q(IsAnyOf(F(path), Value(list(segments), output_field=_IDS)))


def _judge_names(judge: Int64Array) -> dict[int, str]:
    """Return the pseudonyms of these judges, in the order of their ids."""
    judges = Judge.objects.filter(pk__in=np.unique(judge).tolist()).order_by("pk")
    return dict(judges.values_list("pk", "pseudonym"))


def _numbers(ids: Int64Array, listed: list[int]) -> Int32Array:
    """Return the index of each id in the list, which must contain all of them."""
    keys = np.array(listed, dtype=np.int64)
    order = np.argsort(keys).astype(np.int32)
    return order[np.searchsorted(keys, ids, sorter=order)]

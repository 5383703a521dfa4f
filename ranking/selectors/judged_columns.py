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
    Floor(Extract("submitted_at", "epoch", tzinfo=UTC) / 86_400), IntegerField()
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
class _Shown:
    """Content of blocks, in the order of their ids; candidates as in `CodedJudgments`, documents by their positions."""

    block: Int64Array
    segment: Int32Array
    document: Int32Array
    candidate: Int32Array
    candidates: list[Candidate]
    best_worst: bool


def judged_columns(
    *, task_id: int, watermark: int, control: str = BlockControl.NONE
) -> CodedJudgments:
    """Read the current judgments among numbers 1…`watermark`, of blocks with this `control`.

    Rows are ordered by block id, then by judge id. Blocks and judgments are read separately.
    """
    judgments = Judgment.objects.of(task_id).current(watermark=watermark)
    return _coded(judgments, _shown(task_id, control))[0]


def judged_blocks(*, task_id: int, watermark: int) -> Blocks:
    """Read the judgments that count among numbers 1…`watermark`.

    A judgment counts unless another one up to the watermark supersedes it, or its block is a control block.
    Numbers have no gap and judgments never change, so the same watermark gives the same blocks at
    any later time.

    The number of queries is constant, and no model objects are created: see `judged_columns`.
    """
    return _blocks(judged_columns(task_id=task_id, watermark=watermark))


def judged_blocks_timed(
    *, task_id: int, watermark: int, without_blocks: Collection[int] = ()
) -> tuple[Blocks, Int32Array, Int32Array]:
    """Read all judgments that count, except of some blocks by key, and the milliseconds and the day of each.

    Milliseconds are active ones if measured, and -1 if unknown or if the judgment replaces another.
    Days are UTC days of submission, counted from 1 January 1970.
    """
    first = When(supersedes__isnull=True, then=_MILLISECONDS)
    judgments = Judgment.objects.of(task_id).current(watermark=watermark)
    if without_blocks:
        judgments = judgments.exclude(block__in=without_blocks)
    coded, more = _coded(
        judgments.annotate(milliseconds=Case(first, default=-1), day=_DAY),
        _shown(task_id, BlockControl.NONE),
        ("milliseconds", "day"),
    )
    return _blocks(coded), more["milliseconds"], more["day"]


def attention_blocks(*, task_id: int, watermark: int) -> Blocks:
    """Read the judged attention checks among numbers 1…`watermark`, as `judged_blocks` does."""
    coded = judged_columns(
        task_id=task_id, watermark=watermark, control=BlockControl.ATTENTION
    )
    return _blocks(coded)


def _blocks(coded: CodedJudgments) -> Blocks:
    # Each system of the test set is a separate candidate, even if it was never shown.
    return blocks_of_codes(
        coded, {name for names in coded.candidates for name in names}
    )


def judging_times(*, task_id: int, watermark: int) -> dict[str, FloatArray]:
    """Return the seconds of each judge's first judgments that count, active if measured."""
    first = (
        Judgment.objects.of(task_id).until(watermark).counted().filter(supersedes=None)
    )
    timed = first.annotate(milliseconds=_MILLISECONDS).filter(milliseconds__gte=0)
    return _seconds(columns_copied(timed, [("judge_id", "i8"), ("milliseconds", "i4")]))


def documents_of_segments(*, task_id: int, segments: Collection[int]) -> dict[int, int]:
    """Return the document of each segment given by number, as its primary key. One query."""
    rows = Segment.objects.filter(test_set__tasks=task_id, number__in=set(segments))
    return dict(rows.order_by().values_list("number", "document_id"))


def changed_judgments(
    *, task_id: int, start: int, stop: int, systems: Sequence[str]
) -> Iterator[ChangedJudgments]:
    """Yield the changes between two watermarks, in batches of segments.

    With `start` = 0, these are all judgments. Documents are numbered by their positions, which do not
    change. The time is proportional to the number of judgments of the segments judged in between, not to
    that of all judgments.

    Parameters
    ----------
    task_id, start, stop : int
    systems : sequence of str
        All systems of the test set.
    """
    rows = Judgment.objects.of(task_id).until(stop).filter(numbered__number__gt=start)
    first = When(
        supersedes__isnull=True, block__control=BlockControl.NONE, then=_MILLISECONDS
    )
    new = columns_copied(
        rows.annotate(
            segment=F("block__segment_id"),
            counts=_holds(block__control=BlockControl.NONE),
            checks=_holds(block__control=BlockControl.ATTENTION),
            milliseconds=Case(first, default=-1),
        ),
        [
            ("segment", "i8"),
            ("judge_id", "i8"),
            ("counts", "?"),
            ("checks", "?"),
            ("milliseconds", "i4"),
        ],
    )
    counted = np.unique(new["segment"][new["counts"]]).tolist()
    checked = np.unique(new["segment"][new["checks"]]).tolist()
    timed = new["milliseconds"] >= 0
    seconds = _seconds({name: column[timed] for name, column in new.items()})
    del new
    at_a_time = max(1, _AT_A_TIME * max(1, len(counted)) // max(1, stop))
    for piece in range(0, max(1, len(counted), len(checked)), at_a_time):
        some = slice(piece, piece + at_a_time)
        span = task_id, start, stop
        before, after = _before_and_after(
            counted[some], *span, BlockControl.NONE, systems
        )
        checks = _before_and_after(
            checked[some], *span, BlockControl.ATTENTION, systems
        )
        yield ChangedJudgments(
            before, after, *checks, seconds=seconds if piece == 0 else {}
        )


def _holds(**condition: str) -> Case:
    return Case(When(**condition, then=Value(True)), default=Value(False))


def _before_and_after(
    segments: Collection[int],
    task_id: int,
    start: int,
    stop: int,
    control: str,
    systems: Sequence[str],
) -> tuple[Blocks, Blocks]:
    """Read the judgments of segments, given by primary key, that are current at each of two watermarks."""
    if not segments:
        nothing = replace(
            blocks_from_rows((), systems), document=np.empty(0, dtype=np.int32)
        )
        return nothing, nothing
    judgments = Judgment.objects.of(task_id).until(stop)
    coded, more = _coded(
        judgments.filter(
            _within("block__segment", task_id, segments), block__control=control
        ).annotate(
            number=F("numbered__number"),
            # Numbers begin at 1. A judgment without a number does not replace another one yet.
            replaced=Coalesce("superseded_by__numbered__number", 0),
        ),
        _shown(task_id, control, segments),
        ("number", "replaced"),
    )
    number = more["number"]
    replaced = more["replaced"]
    before, after = blocks_of_parts(
        coded,
        [(number <= at) & ((replaced == 0) | (replaced > at)) for at in (start, stop)],
        systems,
        document=more["document"],
    )
    return before, after


def _seconds(timed: Columns) -> dict[str, FloatArray]:
    """Return times by the pseudonym of their judge. One query."""
    judges = timed["judge_id"]
    names = _judge_names(timed["judge_id"])
    order = np.argsort(judges, kind="stable")
    found, starts = np.unique(judges[order], return_index=True)
    times = np.split(timed["milliseconds"][order] / 1000, starts[1:])
    return {names[one]: own for one, own in zip(found.tolist(), times, strict=False)}


def _coded(
    judgments: JudgmentQuerySet, shown: _Shown, columns: Sequence[str] = ()
) -> tuple[CodedJudgments, Columns]:
    """Read those of these judgments that are of the blocks shown, in the order of blocks and judges.

    The annotations named in `columns`, whole numbers, and the `document` of each judgment are returned, too.
    """
    width = shown.candidate.shape[1]
    nothing = Cast(Value(0), SmallIntegerField())
    ranks = Func("labels", Value(None), nothing, function="array_replace")
    labels = _Padded(ranks, width=width, kind="smallint", output_field=_LABELS)
    read = columns_copied(
        # Answers without ranks have no labels.
        judgments.exclude(labels=[]).annotate(filled=labels),
        [
            ("block_id", "i8"),
            ("judge_id", "i8"),
            ("filled", "i2", (width,)),
            *((name, "i4") for name in columns),
        ],
    )
    names = _judge_names(read["judge_id"])
    judges = list(names.values())
    judge = _numbers(read["judge_id"], list(names))
    block = np.searchsorted(shown.block, read["block_id"])
    # Leave out judgments of other blocks, such as attention checks.
    rows = np.flatnonzero(np.append(shown.block, -1)[block] == read["block_id"])
    # A judge has one current judgment per block.
    rows = rows[np.argsort(block[rows] * len(judges) + judge[rows], kind="stable")]
    block = block[rows]
    coded = CodedJudgments(
        judge=judge[rows],
        judges=judges,
        segment=shown.segment[block],
        candidate=shown.candidate[block],
        candidates=shown.candidates,
        label=read["filled"][rows].astype(np.int8),
        best_worst=shown.best_worst,
    )
    more = {name: read[name][rows] for name in columns}
    return coded, {**more, "document": shown.document[block]}


def _shown(
    task_id: int, control: str, segments: Collection[int] | None = None
) -> _Shown:
    """Read the content of all blocks of a test set, or of those of some segments.

    A judgment with a number was committed, with its block, before a reader could see the number.
    """
    blocks = Block.objects.filter(
        _within("segment", task_id, segments), control=control
    )
    blocks = blocks.exclude(outputs=[]).order_by()
    width = blocks.aggregate(most=Max("outputs__len"))["most"] or 1
    sizes = Coalesce("stands_for", Value([], output_field=_LABELS))
    read = columns_copied(
        blocks.annotate(
            number=F("segment__number"),
            document=F("segment__document__position"),
            shown=_Padded("outputs", width=width, kind="bigint", output_field=_IDS),
            sizes=_Padded(sizes, width=width, kind="smallint", output_field=_LABELS),
        ),
        [
            ("id", "i8"),
            ("number", "i4"),
            ("document", "i4"),
            ("shown", "i8", (width,)),
            ("sizes", "i2", (width,)),
        ],
    )
    # Read after the blocks: an import may write blocks with new outputs of new systems meanwhile.
    outputs = columns_copied(
        Output.objects.filter(_within("segment", task_id, segments)).order_by("pk"),
        [("id", "i8"), ("system_id", "i8")],
    )
    named = System.objects.filter(test_set__tasks=task_id).order_by("name")
    systems: dict[int, str] = dict(named.values_list("pk", "name"))
    order = np.argsort(read["id"], kind="stable")
    shown = read["shown"][order]
    size = read["sizes"][order]
    # The last output stands for none, to which places without a candidate point.
    of_output = np.append(_numbers(outputs["system_id"], list(systems)), np.int32(-1))
    place = np.where(shown > 0, np.searchsorted(outputs["id"], shown), -1)
    system = np.pad(of_output[place], ((0, 0), (0, 1)), constant_values=-1)
    size = np.where(size.any(axis=1, keepdims=True), size, shown > 0)
    sets = CandidateSets(list(systems.values()))
    return _Shown(
        block=read["id"][order],
        segment=read["number"][order],
        document=read["document"][order],
        candidate=sets.numbered(system, size),
        candidates=sets.candidates,
        best_worst=answer_kind_of(Task.objects.get(pk=task_id)).best_worst,
    )


def _within(path: str, task_id: int, segments: Collection[int] | None) -> Q:
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
    known = np.array(listed, dtype=np.int64)
    order = np.argsort(known).astype(np.int32)
    return order[np.searchsorted(known, ids, sorter=order)]

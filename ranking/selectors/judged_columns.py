"""The judgments of a test set as columns of numbers, read by COPY and joined in memory."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.models import BlockControl
from campaign.database.columns import Columns
from campaign.models import Judge, Segment, System
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.coded_blocks import (
    Candidate,
    CandidateSets,
    CodedJudgments,
    blocks_of_codes,
)
from ranking.selectors.column_queries import (
    blocks_query,
    labels_of_segments_query,
    labels_query,
    new_judgments_query,
    outputs_query,
    shapes_query,
)

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]

#: Maximum length of a table of ids, per id.
_TABLE_FOR_EACH = 8


@dataclass(frozen=True, eq=False)
class _Shown:
    """Content of blocks, in the order of their ids; candidates as in `CodedJudgments`.

    `lengths` are the numbers of candidates that occur, `documents` the document of each segment.
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

    Rows are in the order of the blocks' ids, then of the judges'. Blocks and judgments are read
    apart, and once for each number of outputs and labels that occurs: the rows of a COPY have one
    width.
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
    """The judgments of some segments that are current at one of two watermarks, or at both.

    `is_before` and `is_after` say at which, for each judgment. `documents` are the positions of the documents of
    segments, by the segment's number.
    """

    coded: CodedJudgments
    is_before: BoolArray
    is_after: BoolArray
    documents: dict[int, int]


def columns_of_segments(
    *, task_id: int, segments: Collection[int], start: int, stop: int, control: str
) -> SegmentColumns:
    """Read the judgments of some segments, given by primary key: those current at two watermarks.

    Blocks are those with this `control`. Rows are as `judged_columns` gives them; only the judgments
    and blocks of these segments are looked at.
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
    """Read the judgments with the numbers `start` + 1 … `stop`, superseded ones among them.

    Returns the columns ``segment`` and ``judge_id``, primary keys; ``counts`` and ``checks``, whether
    their block is none of a control or an attention check; ``milliseconds`` of first judgments that
    count, active if measured, and -1 where that is not known.
    """
    return new_judgments_query().read(task_id=task_id, start=start, stop=stop)


def seconds_by_judge(judges: Int64Array, milliseconds: Int32Array) -> dict[str, FloatArray]:
    """Return times by the pseudonym of their judge, given by primary key. One query."""
    names = _judge_names(judges)
    order = np.argsort(judges, kind="stable")
    found, starts = np.unique(judges[order], return_index=True)
    times = np.split(milliseconds[order] / 1000, starts[1:])
    return {names[one]: own for one, own in zip(found.tolist(), times, strict=False)}


def _judged(task_id: int, watermark: int, lengths: list[int]) -> _Labelled:
    """Read all judgments with these numbers of labels, including superseded ones, in one pass over two tables.

    With `id`, the judgment that each `replaces` or 0, `milliseconds` or -1, and the `day` of submission.
    """
    parts = [labels_query(length).read(task_id=task_id, stop=watermark) for length in lengths]
    kinds: dict[str, type[np.generic]] = {"id": np.int64, "replaces": np.int64}
    return _labelled(parts, kinds | {"milliseconds": np.int32, "day": np.int32})


def _current(judged: _Labelled) -> _Labelled:
    replaces = judged.more["replaces"]
    return judged.take(~np.isin(judged.more["id"], replaces[replaces > 0]))


def _found(shown: _Shown, block: Int64Array) -> tuple[Int64Array, BoolArray]:
    """Return the place of each block among those shown, and whether it is one of them."""
    place = np.searchsorted(shown.block, block)
    return place, np.append(shown.block, -1)[place] == block


def _labelled(parts: list[Columns], more: Mapping[str, type[np.generic]]) -> _Labelled:
    """Return the labels of judgments, which were read in parts of one width, and more columns of them."""
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
    # Judgments of other blocks, of attention checks for instance, are left out here.
    rows = np.flatnonzero(is_shown)
    # A judge has one current judgment of a block.
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
    """Read the content of blocks: all of a task, or those of some segments.

    A judgment with a number was committed, with its block, before a reader could see the number.
    """
    is_of_segments = segments is not None
    of = {"task_id": task_id, "control": control, "segments": list(segments or ())}
    shapes = shapes_query(is_of_segments=is_of_segments).read(**of)
    parts = [
        blocks_query(length, stand, is_of_segments=is_of_segments).read(**of)
        for length, stand in zip(shapes["length"].tolist(), shapes["stand"].tolist(), strict=True)
    ]
    # After the blocks: an import may write blocks meanwhile, with new outputs of new systems.
    outputs = outputs_query(is_of_segments=is_of_segments).read(**of)
    named = System.objects.filter(test_set__tasks=task_id).order_by("name")
    systems: dict[int, str] = dict(named.values_list("pk", "name"))
    of_output = _numbers(outputs["system_id"], list(systems))
    sets = CandidateSets(list(systems.values()))
    candidates = []
    for part in parts:
        system = _looked_up(part["outputs"], outputs["id"], of_output)
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
    """Return the pseudonyms of these judges by id, in the order of ids."""
    judges = Judge.objects.filter(pk__in=np.unique(judge).tolist()).order_by("pk")
    return dict(judges.values_list("pk", "pseudonym"))


def _numbers(ids: Int64Array, listed: list[int]) -> Int32Array:
    """Return the index in the list of each id; all are listed."""
    known = np.array(listed, dtype=np.int64)
    order = np.argsort(known).astype(np.int32)
    return order[np.searchsorted(known, ids, sorter=order)]


def _looked_up(ids: Int64Array, known: Int64Array, values: Int32Array) -> Int32Array:
    """Return the value of each id; all are known, and those known are in order."""
    first, last = int(known.min(initial=0)), int(known.max(initial=0))
    if last - first > _TABLE_FOR_EACH * len(known):
        return values[np.searchsorted(known, ids)]
    # Outputs of a test set are written at once, so their ids have few gaps.
    table = np.zeros(last - first + 1, dtype=np.int32)
    table[known - first] = values
    return table[ids - first]


def _joined(parts: Iterable[AnyArray], dtype: type[np.generic], *width: int) -> AnyArray:
    return np.concatenate([np.empty((0, *width), dtype=dtype), *parts]).astype(dtype, copy=False)


def _widened(column: AnyArray, width: int, fill: int) -> AnyArray:
    missing = max(0, width - column.shape[1])
    return np.pad(column, ((0, 0), (0, missing)), constant_values=fill)[:, :width]


def judged_blocks(*, task_id: int, watermark: int) -> Blocks:
    """Read the judgments that count among numbers 1…`watermark`.

    A judgment counts unless one up to the watermark supersedes it, or it is of a control block.
    Numbers have no gap and judgments never change, so the same watermark gives the same blocks at
    any later time.

    The number of queries does not depend on that of judgments, and no object is made for any of
    them: see `judged_columns`.
    """
    return _blocks(judged_columns(task_id=task_id, watermark=watermark))


def judged_blocks_timed(*, task_id: int, watermark: int) -> tuple[Blocks, Int32Array, Int32Array]:
    """Read all judgments that count, and the milliseconds and the day of each.

    Milliseconds are active ones if measured, and -1 where they are not known, and of judgments that replace another.
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
    # Each system of the test set is a candidate by itself, even if it was never shown.
    return blocks_of_codes(coded, {name for names in coded.candidates for name in names})

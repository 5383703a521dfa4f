"""Read the plans of HITs, lent or not, and the HITs lent to a judge."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.models import HIT, Assignment, Block, CandidateOutput, HITPurpose, Judgment
from annotation.sampling.encoding import EncodedBlock, blocks_decoded
from annotation.sampling.plans import BlockPlan, HITPlan
from annotation.sampling.repeats import HITHistoryEntry
from campaign.models import Output, Segment, SystemKind


@dataclass(frozen=True, slots=True)
class _Row:
    """A HIT as stored."""

    pk: int
    number: int
    segment_ids: list[int]
    plan: list[EncodedBlock] | None
    why: dict[str, Any]

    def whys(self, count: int) -> list[dict[str, Any]]:
        """Return the explanation of each of its blocks; empty if it was not drawn here."""
        stored = self.why.get("blocks", [{}] * count)
        return [{key: why[key] for key in why if key != "segment"} for why in stored]


def plans_read(hit_ids: Collection[int]) -> dict[int, HITPlan]:
    """Return the plans of these HITs by id. At most five queries, whatever their number.

    Works for any HIT: most have no `Block` rows before they are lent.
    """
    found = HIT.objects.filter(pk__in=hit_ids).values_list(
        "pk", "number", "segment_ids", "plan", "why"
    )
    rows = [_Row(*row) for row in found]
    blocks = _blocks_planned([row for row in rows if row.plan is not None])
    blocks.update(_blocks_written([row for row in rows if row.plan is None]))
    return {
        row.pk: HITPlan(
            number=row.number,
            blocks=blocks[row.pk],
            why={key: row.why[key] for key in row.why if key != "blocks"},
        )
        for row in rows
    }


def _blocks_planned(rows: Sequence[_Row]) -> dict[int, tuple[BlockPlan, ...]]:
    """Return the blocks of each HIT, read from its row."""
    outputs = {
        output
        for row in rows
        for block in row.plan or ()
        for candidate in block["candidates"]
        for output in candidate
    }
    systems = dict(Output.objects.filter(pk__in=outputs).values_list("pk", "system__name"))
    segments = {segment for row in rows for segment in row.segment_ids}
    numbers = dict(Segment.objects.filter(pk__in=segments).values_list("pk", "number"))
    return {
        row.pk: blocks_decoded(
            row.plan or (),
            segments=[numbers[segment] for segment in row.segment_ids],
            systems=systems,
            whys=row.whys(len(row.segment_ids)),
        )
        for row in rows
    }


def _blocks_written(rows: Sequence[_Row]) -> dict[int, tuple[BlockPlan, ...]]:
    """Return the blocks of HITs without a stored plan, read from their `Block` rows."""
    if not rows:
        return {}
    hit_ids = [row.pk for row in rows]
    shown = _candidates(hit_ids)
    blocks: dict[int, list[tuple[int, _ShownBlock]]] = defaultdict(list)
    found = (
        Block.objects.filter(hit__in=hit_ids)
        .order_by("hit_id", "position")
        .values_list("hit_id", "pk", "segment__number")
    )
    for hit_id, block_id, segment in found:
        blocks[hit_id].append((segment, shown[block_id]))
    return {
        row.pk: tuple(
            each.block(segment, why)
            for (segment, each), why in zip(
                blocks[row.pk], row.whys(len(blocks[row.pk])), strict=True
            )
        )
        for row in rows
    }


@dataclass(slots=True)
class _ShownBlock:
    """The outputs and systems of each candidate of a block, in shown order."""

    outputs: list[list[int]] = field(default_factory=list)
    systems: list[list[str]] = field(default_factory=list)
    control: int | None = None

    def block(self, segment: int, why: Mapping[str, Any]) -> BlockPlan:
        names = tuple(tuple(sorted(each)) for each in self.systems)
        return BlockPlan(
            segment=segment,
            candidates=tuple(tuple(sorted(ids)) for ids in self.outputs),
            systems=names,
            control=() if self.control is None else names[self.control],
            why=dict(why),
        )


def _candidates(hit_ids: Collection[int]) -> dict[int, _ShownBlock]:
    """Return the candidates of each block of these HITs, by block id."""
    rows = (
        CandidateOutput.objects.filter(candidate__block__hit__in=hit_ids)
        .order_by("candidate__block_id", "candidate__position")
        .values_list(
            "candidate__block_id",
            "candidate__position",
            "output_id",
            "output__system__name",
            "output__system__kind",
        )
    )
    blocks: dict[int, _ShownBlock] = defaultdict(_ShownBlock)
    previous = None
    for block_id, position, output_id, system, kind in rows:
        block = blocks[block_id]
        if previous != (block_id, position):
            block.outputs.append([])
            block.systems.append([])
            previous = block_id, position
        block.outputs[-1].append(output_id)
        block.systems[-1].append(system)
        if kind == SystemKind.BAD_REFERENCE:
            block.control = len(block.outputs) - 1
    return blocks


def judge_history(
    *, judge_id: int, test_set_id: int
) -> tuple[list[HITHistoryEntry], dict[int, int]]:
    """Return the HITs lent to a judge in order, and the ids of those that are no intra repeats.

    Training is left out. The dictionary maps the number of a HIT to its id.
    """
    judged = Judgment.objects.filter(assignment=OuterRef("pk"))
    rows = (
        Assignment.objects.filter(judge=judge_id, hit__test_set=test_set_id)
        .exclude(hit__purpose=HITPurpose.TRAINING)
        .annotate(judged=Exists(judged))
        .order_by("ordinal")
        .values_list(
            "hit_id",
            "hit__number",
            "hit__purpose",
            "hit__repeats_id",
            "completed_at",
            "judged",
        )
    )
    own: dict[int, int] = {}  # first HIT of the family → the number this judge did
    hit_ids: dict[int, int] = {}
    history: list[HITHistoryEntry] = []
    for hit_id, number, purpose, repeats, completed_at, judged_any in rows:
        if purpose == HITPurpose.INTRA:
            history.append(HITHistoryEntry(number=number, repeats=own.get(repeats or hit_id)))
            continue
        own[repeats or hit_id] = number
        hit_ids[number] = hit_id
        done = completed_at is not None and judged_any
        history.append(HITHistoryEntry(number=number, repeatable=done))
    return history, hit_ids

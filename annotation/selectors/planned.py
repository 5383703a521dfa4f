"""Read the plans of HITs, lent or not, and the HITs lent to a judge."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, F, OuterRef

from annotation.models import HIT, Assignment, Block, Design, HITPurpose, HITSequence, Judgment
from annotation.models.block import by_candidate
from annotation.models.pool import IsAnyOf
from annotation.sampling.encoding import EncodedBlock, blocks_decoded
from annotation.sampling.plans import BlockPlan, HITPlan
from annotation.sampling.repeats import HITHistoryEntry, Purpose, slot
from campaign.models import Output, Segment, System, SystemKind


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


def firsts_scheduled(
    *, design: Design, sequence: HITSequence, count: int
) -> list[tuple[int, int, HITPlan]]:
    """Return the first HITs that the next `count` steps of a schedule repeat: id, family, plan. One read."""
    parameters = design.parameters
    if design.pk is None or (not parameters.inter_share and parameters.redundancy == 1):
        return []
    # Skipped steps come on top; their first HITs are read in the next call.
    families, inter = set(), sequence.inter_scheduled
    for step in range(1, 2 * count + 1):
        wanted = slot(parameters=parameters, step=sequence.scheduled + step, inter=inter)
        families.add(wanted.family)
        inter += wanted.purpose is Purpose.INTER
    rows = dict(
        HIT.objects.filter(
            design=design,
            family__in=families,
            purpose=HITPurpose.FIRST,
            # Nobody judged a withdrawn HIT: there is nothing to compare a repeat with.
            withdrawn_at__isnull=True,
        ).values_list("pk", "family")
    )
    return [(pk, rows[pk], plan) for pk, plan in plans_read(rows).items()]


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
    found = list(
        Block.objects.filter(hit__in=[row.pk for row in rows])
        .order_by("hit_id", "position")
        .values_list("hit_id", "segment__number", "outputs", "stands_for")
    )
    ids = {output for _hit, _segment, outputs, _stands_for in found for output in outputs}
    systems = {
        output: (name, kind)
        for output, name, kind in Output.objects.filter(pk__in=ids).values_list(
            "pk", "system__name", "system__kind"
        )
    }
    blocks: dict[int, list[BlockPlan]] = defaultdict(list)
    for hit, segment, outputs, stands_for in found:
        blocks[hit].append(_block(segment, by_candidate(outputs, stands_for), systems))
    return {
        row.pk: tuple(
            replace(block, why=why)
            for block, why in zip(blocks[row.pk], row.whys(len(blocks[row.pk])), strict=True)
        )
        for row in rows
    }


def _block(
    segment: int, candidates: Sequence[Sequence[int]], systems: Mapping[int, tuple[str, str]]
) -> BlockPlan:
    """Return the plan of a block without its explanation; `systems` by output, with their kind."""
    names = tuple(tuple(sorted(systems[id_][0] for id_ in ids)) for ids in candidates)
    damaged = (
        shown
        for shown, ids in zip(names, candidates, strict=True)
        if any(systems[id_][1] == SystemKind.BAD_REFERENCE for id_ in ids)
    )
    return BlockPlan(
        segment=segment,
        candidates=tuple(tuple(sorted(ids)) for ids in candidates),
        systems=names,
        control=next(damaged, ()),
        why={},
    )


def judge_history(*, judge_id: int, task_id: int) -> tuple[list[HITHistoryEntry], dict[int, int]]:
    """Return the HITs lent to a judge in order, and the ids of those that are no intra repeats.

    Training is left out, and what shows a withdrawn system is not repeatable. The dictionary maps the number of a HIT to its id.
    """
    judged = Judgment.objects.filter(judge=OuterRef("judge"), block__hit=OuterRef("hit"))
    withdrawn = System.objects.filter(
        IsAnyOf(F("pk"), OuterRef("hit__system_ids")), withdrawn_at__isnull=False
    )
    rows = (
        Assignment.objects.filter(judge=judge_id, hit__task=task_id)
        .exclude(hit__purpose=HITPurpose.TRAINING)
        .annotate(may_be_repeated=Exists(judged) & ~Exists(withdrawn))
        .order_by("ordinal")
        .values_list(
            "hit_id",
            "hit__number",
            "hit__purpose",
            "hit__repeats_id",
            "completed_at",
            "may_be_repeated",
        )
    )
    own: dict[int, int] = {}  # first HIT of the family → the number this judge did
    hit_ids: dict[int, int] = {}
    history: list[HITHistoryEntry] = []
    for hit_id, number, purpose, repeats, completed_at, may_be_repeated in rows:
        if purpose == HITPurpose.INTRA:
            history.append(HITHistoryEntry(number=number, repeats=own.get(repeats or hit_id)))
            continue
        own[repeats or hit_id] = number
        hit_ids[number] = hit_id
        is_repeatable = completed_at is not None and may_be_repeated
        history.append(HITHistoryEntry(number=number, repeatable=is_repeatable))
    return history, hit_ids

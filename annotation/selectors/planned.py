"""Planned HITs, read back as the plans they were stored from."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.models import HIT, Assignment, Block, CandidateOutput, Judgment
from annotation.sampling.plans import BlockPlan, HITPlan
from annotation.sampling.repeats import Lent
from campaign.models import System


def plans_read(hit_ids: Collection[int]) -> dict[int, HITPlan]:
    """The plans of these HITs by row. Three queries, however many."""
    shown = _candidates(hit_ids)
    blocks: dict[int, list[tuple[int, _Shown]]] = defaultdict(list)
    rows = (
        Block.objects.filter(hit__in=hit_ids)
        .order_by("hit_id", "position")
        .values_list("hit_id", "pk", "segment__number")
    )
    for hit_id, block_id, segment in rows:
        blocks[hit_id].append((segment, shown[block_id]))
    hits = HIT.objects.filter(pk__in=hit_ids).values_list("pk", "number", "why")
    return {pk: _plan(number, why, blocks[pk]) for pk, number, why in hits}


@dataclass(slots=True)
class _Shown:
    """What stands behind each candidate of a block, in shown order."""

    outputs: list[list[int]] = field(default_factory=list)
    systems: list[list[str]] = field(default_factory=list)
    control: int | None = None


def _plan(number: int, stored: dict[str, Any], blocks: list[tuple[int, _Shown]]) -> HITPlan:
    why = dict(stored)
    whys = why.pop("blocks", [{}] * len(blocks))
    return HITPlan(
        number=number,
        blocks=tuple(
            BlockPlan(
                segment=segment,
                candidates=tuple(tuple(sorted(ids)) for ids in shown.outputs),
                systems=tuple(tuple(sorted(names)) for names in shown.systems),
                control=()
                if shown.control is None
                else tuple(sorted(shown.systems[shown.control])),
                why={key: value for key, value in of_block.items() if key != "segment"},
            )
            for (segment, shown), of_block in zip(blocks, whys, strict=True)
        ),
        why=why,
    )


def _candidates(hit_ids: Collection[int]) -> dict[int, _Shown]:
    """By block."""
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
    blocks: dict[int, _Shown] = defaultdict(_Shown)
    previous = None
    for block_id, position, output_id, system, kind in rows:
        block = blocks[block_id]
        if previous != (block_id, position):
            block.outputs.append([])
            block.systems.append([])
            previous = block_id, position
        block.outputs[-1].append(output_id)
        block.systems[-1].append(system)
        if kind == System.Kind.BAD_REFERENCE:
            block.control = len(block.outputs) - 1
    return blocks


def judge_history(*, judge_id: int, test_set_id: int) -> tuple[list[Lent], dict[int, int]]:
    """The HITs lent to a judge in order, training aside; and the rows of those not repeats.

    The dictionary maps the number of a HIT to its row.
    """
    judged = Judgment.objects.filter(assignment=OuterRef("pk"))
    rows = (
        Assignment.objects.filter(judge=judge_id, hit__test_set=test_set_id)
        .exclude(hit__purpose=HIT.Purpose.TRAINING)
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
    history: list[Lent] = []
    for hit_id, number, purpose, repeats, completed_at, judged_any in rows:
        if purpose == HIT.Purpose.INTRA:
            history.append(Lent(number=number, repeats=own.get(repeats or hit_id)))
            continue
        own[repeats or hit_id] = number
        hit_ids[number] = hit_id
        done = completed_at is not None and judged_any
        history.append(Lent(number=number, repeatable=done))
    return history, hit_ids

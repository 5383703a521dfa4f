"""Planned HITs, read back as the plans they were stored from."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Exists, OuterRef

from annotation.models import HIT, Assignment, Block, CandidateOutput, Judgment
from annotation.sampling.plans import BlockPlan, HITPlan
from annotation.sampling.repeats import Lent
from campaign.models import System


def plans_read(hit_ids: Collection[int]) -> dict[int, HITPlan]:
    """The plans of these HITs by row. Three queries, however many."""
    shown = _candidates(hit_ids)
    blocks: dict[int, list[BlockPlan]] = defaultdict(list)
    whys: dict[int, dict[str, object]] = {}
    plans = dict(HIT.objects.filter(pk__in=hit_ids).values_list("pk", "number"))
    for hit_id, why in HIT.objects.filter(pk__in=hit_ids).values_list("pk", "why"):
        whys[hit_id] = dict(why)
    rows = (
        Block.objects.filter(hit__in=hit_ids)
        .order_by("hit_id", "position")
        .values_list("hit_id", "pk", "segment__number")
    )
    for hit_id, block_id, segment in rows:
        candidates, systems, bad_reference = shown[block_id]
        at = len(blocks[hit_id])
        stored = whys[hit_id].get("blocks")
        why = dict(stored[at]) if isinstance(stored, list) and at < len(stored) else {}
        why.pop("segment", None)
        blocks[hit_id].append(
            BlockPlan(
                segment=segment,
                candidates=candidates,
                systems=systems,
                bad_reference=bad_reference,
                why=why,
            )
        )
    return {
        hit_id: HITPlan(
            number=number,
            blocks=tuple(blocks[hit_id]),
            why={key: value for key, value in whys[hit_id].items() if key != "blocks"},  # type: ignore[misc]  # JSON
        )
        for hit_id, number in plans.items()
    }


_Shown = tuple[tuple[tuple[int, ...], ...], tuple[tuple[str, ...], ...], str]


def _candidates(hit_ids: Collection[int]) -> dict[int, _Shown]:
    """Outputs and systems behind each candidate in shown order, and the damaged reference."""
    rows = (
        CandidateOutput.objects.filter(candidate__block__hit__in=hit_ids)
        .order_by("candidate__block_id", "candidate__position", "output_id")
        .values_list(
            "candidate__block_id",
            "candidate__position",
            "output_id",
            "output__system__name",
            "output__system__kind",
        )
    )
    outputs: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    systems: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    damaged: dict[int, str] = {}
    for block_id, position, output_id, system, kind in rows:
        outputs[block_id][position].append(output_id)
        systems[block_id][position].append(system)
        if kind == System.Kind.BAD_REFERENCE:
            damaged[block_id] = system
    return {
        block_id: (
            tuple(tuple(sorted(ids)) for ids in by_position.values()),
            tuple(tuple(sorted(names)) for names in systems[block_id].values()),
            damaged.get(block_id, ""),
        )
        for block_id, by_position in outputs.items()
    }


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
            history.append(Lent(number=number, repeats=own.get(repeats)))
            continue
        own[repeats or hit_id] = number
        hit_ids[number] = hit_id
        done = completed_at is not None and judged_any
        history.append(Lent(number=number, repeatable=done))
    return history, hit_ids

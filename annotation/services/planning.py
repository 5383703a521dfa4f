"""Draws HITs ahead of the judges, so that lending is a look-up."""

import logging
import secrets
from collections.abc import Collection, Sequence
from itertools import groupby

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.models import HIT, Block, Candidate, CandidateOutput, Design, HITSequence
from annotation.sampling.corpus import OutputKind, SegmentTexts, SystemOutput
from annotation.sampling.draw import Draw
from annotation.sampling.hits import draw_hit
from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.plans import BlockPlan
from annotation.sampling.state import DrawState
from annotation.sampling.windows import Windows
from campaign.models import Output, Segment, System, TestSet

logger = logging.getLogger(__name__)

# HITs that wait in the pool of a test set: minutes of work for two hundred judges, since each
# asks for one at a time and a worker refills in seconds.
POOL_SIZE = 200
# One planning step: bounds a transaction's length and memory.
PLAN_AT_ONCE = 50
# So many empty draws in a row, and the test set holds nothing that can be ranked.
EMPTY_DRAWS_ALLOWED = 200


def design_ensure(*, test_set: TestSet, seed: int | None = None) -> Design:
    """The design in force; a uniform one with a recorded random seed where there is none."""
    design = test_set.designs.exclude(kind=Design.Kind.IMPORTED).order_by("-id").first()
    if design is None:
        seed = secrets.randbits(31) if seed is None else seed
        design = Design.objects.create(test_set=test_set, seed=seed)
    return design


def pool_fill(*, test_set_id: int, size: int = POOL_SIZE) -> int:
    """Plan HITs until `size` of them wait, or all that is wanted is planned; how many came."""
    made = 0
    while True:
        waiting = HIT.objects.filter(
            test_set_id=test_set_id, completed_at__isnull=True, available_at__lte=Now()
        ).count()
        count = min(size - waiting, PLAN_AT_ONCE)
        planned = hits_plan(test_set_id=test_set_id, count=count) if count > 0 else 0
        made += planned
        if planned < count or count <= 0:
            return made


@transaction.atomic
def hits_plan(*, test_set_id: int, count: int) -> int:
    """Draw the next `count` HITs of a test set and store them; how many there were to draw.

    Holds the lock of the test set's `HITSequence`, so that each number is
    drawn once. Fewer than `count` where `TestSet.blocks_wanted` is reached or
    nothing can be ranked: no texts, or every window's outputs are identical.
    """
    test_set = TestSet.objects.get(pk=test_set_id)
    HITSequence.objects.get_or_create(test_set=test_set)
    sequence = HITSequence.objects.select_for_update().get(test_set=test_set)
    design = design_ensure(test_set=test_set)
    documents = _documents(test_set)
    if not documents:
        return 0
    plans: list[tuple[int, Sequence[BlockPlan]]] = []
    empty_draws = 0
    while len(plans) < count and empty_draws < EMPTY_DRAWS_ALLOWED:
        if _all_planned(test_set, sequence):
            break
        drawn = _draw(test_set, design, documents, sequence.last_number, count - len(plans))
        for number, blocks in drawn:
            if _all_planned(test_set, sequence):
                break
            sequence.last_number = number
            empty_draws = 0 if blocks else empty_draws + 1
            if blocks:
                plans.append((number, blocks))
                sequence.blocks_planned += len(blocks)
    if not plans:
        logger.debug("Test set %s: nothing (more) to plan.", test_set_id)
    _store(test_set, design, plans)
    sequence.save(update_fields=["last_number", "blocks_planned"])
    return len(plans)


def _all_planned(test_set: TestSet, sequence: HITSequence) -> bool:
    return test_set.blocks_wanted is not None and sequence.blocks_planned >= test_set.blocks_wanted


def _draw(
    test_set: TestSet, design: Design, documents: list[list[int]], last_number: int, count: int
) -> list[tuple[int, Sequence[BlockPlan]]]:
    """The next `count` draws after `last_number`, empty ones too; one query for all their texts."""
    parameters = DesignParameters(
        kind=DesignKind.UNIFORM,
        seed=design.seed,
        systems_per_block=design.systems_per_block,
        segments_per_hit=design.segments_per_hit,
        reference_rate=None if design.include_reference else 0.0,
    )
    windows = Windows(documents, length=parameters.segments_per_hit)
    drawn = {
        number: windows.window(
            order=parameters.segment_order,
            draw=Draw(seed=design.seed, number=number),
            turn=number,
        )
        or ()
        for number in range(last_number + 1, last_number + count + 1)
    }
    segments = {segment for window in drawn.values() for segment in window}
    texts = _texts(test_set, segments, with_reference=design.include_reference)
    state = DrawState.empty()
    return [
        (
            number,
            draw_hit(
                parameters=parameters, number=number, window=window, texts=texts, state=state
            ).blocks,
        )
        for number, window in drawn.items()
    ]


def _documents(test_set: TestSet) -> list[list[int]]:
    """Segment numbers of each document in order, of segments whose source is known."""
    rows = (
        Segment.objects.filter(test_set=test_set, source_text__isnull=False)
        .order_by("document__position", "position")
        .values_list("document_id", "number")
    )
    return [[number for _, number in segments] for _, segments in groupby(rows, lambda row: row[0])]


def _texts(
    test_set: TestSet, segments: Collection[int], *, with_reference: bool
) -> dict[int, SegmentTexts]:
    kinds = Q(system__kind=System.Kind.SYSTEM)
    if with_reference:
        kinds |= Q(system__kind=System.Kind.REFERENCE)
    rows = Output.objects.filter(
        kinds,
        segment__test_set=test_set,
        segment__number__in=segments,
        text__isnull=False,
    ).values_list(
        "segment__number", "segment__source_text", "system__name", "system__kind", "id", "text"
    )
    outputs: dict[int, list[SystemOutput]] = {}
    words: dict[int, int] = {}
    for number, source, system, kind, output_id, text in rows:
        words[number] = len((source or "").split())
        outputs.setdefault(number, []).append(
            SystemOutput(system, output_id, text or "", OutputKind(kind))
        )
    return {
        number: SegmentTexts(number=number, words=words[number], outputs=tuple(shown))
        for number, shown in outputs.items()
    }


def _store(
    test_set: TestSet, design: Design, plans: Sequence[tuple[int, Sequence[BlockPlan]]]
) -> None:
    """Write the planned HITs with their blocks and candidates, a statement a table."""
    numbers = {plan.segment for _, blocks in plans for plan in blocks}
    segment_ids = dict(
        Segment.objects.filter(test_set=test_set, number__in=numbers).values_list("number", "id")
    )
    hits = HIT.objects.bulk_create(
        HIT(test_set=test_set, design=design, number=number) for number, _ in plans
    )
    block_plans = [
        (Block(hit=hit, segment_id=segment_ids[plan.segment], position=position), plan)
        for hit, (_, blocks) in zip(hits, plans, strict=True)
        for position, plan in enumerate(blocks, start=1)
    ]
    Block.objects.bulk_create(block for block, _ in block_plans)
    candidates = [
        (Candidate(block=block, position=position), output_ids)
        for block, plan in block_plans
        for position, output_ids in enumerate(plan.candidates, start=1)
    ]
    Candidate.objects.bulk_create(candidate for candidate, _ in candidates)
    CandidateOutput.objects.bulk_create(
        CandidateOutput(candidate=candidate, output_id=output_id)
        for candidate, output_ids in candidates
        for output_id in output_ids
    )

"""Write planned HITs: one row each, in one COPY, whatever their number."""

import json
from collections.abc import Sequence

from annotation.models import HIT, PlanningBatch
from annotation.models.pool import UNTIL_THE_FIRST_IS_DONE
from annotation.protocols import answer_kind
from annotation.sampling.encoding import plan_encoded
from annotation.sampling.planning import PlannedHIT
from annotation.selectors.corpus import TestSetTexts
from campaign.database.copy import (
    Cell,
    array_cell,
    constraints_check_now,
    ids_reserve,
    pgtrigger_ignore_preset,
    rows_copy,
)


def hits_store(
    *,
    batch: PlanningBatch,
    planned: Sequence[PlannedHIT],
    texts: TestSetTexts,
    stored_ids: dict[int, int],
) -> None:
    """Write the HITs with their plans; their blocks are written later, before they are lent.

    `stored_ids` maps numbers of first HITs to row ids; the HITs written here are added.
    Must be called in a transaction.
    """
    if not planned:
        return
    pgtrigger_ignore_preset()
    hit_ids = ids_reserve(HIT, len(planned))
    stored_ids.update((hit.plan.number, id_) for hit, id_ in zip(planned, hit_ids, strict=True))
    rows_copy(
        HIT,
        _HIT_COLUMNS,
        (
            _hit_row(hit, id_, batch, texts, stored_ids)
            for hit, id_ in zip(planned, hit_ids, strict=True)
        ),
    )
    if answer_kind(batch.task.protocol).has_stages:
        repeats = HIT.objects.filter(pk__in=hit_ids, repeats__isnull=False)
        repeats.update(available_at=UNTIL_THE_FIRST_IS_DONE)
    constraints_check_now()


_HIT_COLUMNS = (
    "id",
    "task_id",
    "design_id",
    "batch_id",
    "number",
    "family",
    "purpose",
    "repeats_id",
    "reserved_for_id",
    "reserved_until",
    "segment_ids",
    "system_ids",
    "holds_check",
    "plan",
    "why",
    "is_standby",
    "part",
)


def _hit_row(
    hit: PlannedHIT,
    id_: int,
    batch: PlanningBatch,
    texts: TestSetTexts,
    stored_ids: dict[int, int],
) -> tuple[Cell, ...]:
    blocks = hit.plan.blocks
    systems = {name for block in blocks for names in block.systems for name in names}
    why = {
        **hit.plan.why,
        "purpose": hit.purpose.value,
        "blocks": [{"segment": block.segment, **block.why} for block in blocks],
    }
    return (
        id_,
        batch.task_id,
        batch.design_id,
        batch.pk,
        hit.plan.number,
        hit.family,
        hit.purpose.value,
        None if hit.repeats is None else stored_ids[hit.repeats],
        hit.reserved_for,
        None if hit.reserved_until is None else hit.reserved_until.isoformat(),
        array_cell(texts.segment_id(block.segment) for block in blocks),
        array_cell(sorted(texts.systems[name] for name in systems)),
        hit.plan.holds_check,
        plan_encoded(hit.plan),
        json.dumps(why, ensure_ascii=False),
        "t" if hit.is_standby else "f",
        hit.part,
    )

"""Write the blocks of HITs that judges will be lent soon, which makes lending cheaper.

Nothing depends on it: a HIT that is lent unprepared gets its blocks from a trigger.
"""

from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import HIT, Block
from annotation.sql.hit_blocks_write import HIT_BLOCKS_WRITE
from campaign.database.copy import pgtrigger_ignore_preset
from campaign.database.transactions import table_scans_off

# A HIT that is being prepared cannot be lent: few at a time, so that it takes milliseconds.
_AT_ONCE: Final = 10


def hits_prepare(*, task_id: int, count: int) -> int:
    """Write the blocks of the first `count` available HITs of the pool and of all reserved ones.

    Returns the number of HITs that had none. Works in short transactions.
    """
    hits = HIT.objects.filter(task_id=task_id)
    pooled = hits.pooled().available().order_by("number").values("pk")[:count]
    reserved = hits.filter(reserved_for__isnull=False).available().values("pk")
    due = [
        *_unwritten(HIT.objects.filter(pk__in=pooled)),
        *_unwritten(hits.filter(pk__in=reserved)),
    ]
    return sum(_prepare(due[at : at + _AT_ONCE]) for at in range(0, len(due), _AT_ONCE))


def _unwritten(hits: QuerySet[HIT]) -> QuerySet[HIT, int]:
    blocks = Block.objects.filter(hit=OuterRef("pk"))
    return (
        hits.filter(~Exists(blocks), plan__isnull=False)
        .order_by("number")
        .values_list("pk", flat=True)
    )


@transaction.atomic
def _prepare(hit_ids: list[int]) -> int:
    # HITs that are being lent are skipped: the trigger writes their blocks.
    locked = HIT.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=hit_ids)
    mine = list(locked.values_list("pk", flat=True))
    # Filtered again under the lock: somebody may have been lent one.
    mine = list(_unwritten(HIT.objects.filter(pk__in=mine)))
    pgtrigger_ignore_preset()
    with table_scans_off():
        HIT_BLOCKS_WRITE.rows(mine)
    return len(mine)

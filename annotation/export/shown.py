"""Read the systems whose outputs the candidates of blocks show."""

from collections.abc import Iterable

from django.contrib.postgres.expressions import ArraySubquery

from annotation.models import Block
from annotation.models.block import by_candidate
from annotation.selectors.shown import outputs_of


def systems_shown(block_ids: Iterable[int]) -> dict[int, list[list[int]]]:
    """Return for each block the ids of the systems behind its candidates, in shown order.

    One query. The systems of a candidate come in the order in which it was
    recorded that it stands for them, so a file read in is written back alike.
    """
    rows = (
        Block.objects.filter(pk__in=list(block_ids))
        .order_by()
        .values_list("pk", ArraySubquery(outputs_of().values("system_id")), "stands_for")
    )
    return {
        block: [list(ids) for ids in by_candidate(systems, stands_for)]
        for block, systems, stands_for in rows
    }

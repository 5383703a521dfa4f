"""Read the systems whose outputs the candidates of blocks show."""

from collections.abc import Iterable

from annotation.models import CandidateOutput


def systems_shown(block_ids: Iterable[int]) -> dict[int, list[list[int]]]:
    """Return for each block the ids of the systems behind its candidates, in shown order.

    One query. The systems of a candidate come in the order in which it was
    recorded that it stands for them, so a file read in is written back alike.
    """
    rows = (
        CandidateOutput.objects.filter(candidate__block__in=list(block_ids))
        .order_by("candidate__position", "id")
        .values_list("candidate__block_id", "candidate__position", "output__system_id")
    )
    shown: dict[int, dict[int, list[int]]] = {}
    for block, position, system in rows:
        shown.setdefault(block, {}).setdefault(position, []).append(system)
    return {block: list(candidates.values()) for block, candidates in shown.items()}

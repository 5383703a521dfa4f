"""What a sort still needs: the blocks to be planned of the comparisons that are open now."""

from collections import Counter
from typing import Any

from django.db.models import Count, Exists, OuterRef

from annotation.models import HIT, Block, Design, Exposure, Judgment, Skip
from annotation.models.pool import HITQuerySet
from annotation.protocols import answer_kind
from annotation.selectors.designs import design_in_force
from campaign.models import Segment

#: Where a HIT says which two systems it compares: all its blocks compare the same.
COMPARISON = "why__blocks__0__comparison"


def blocks_wanted(*, design: Design) -> list[tuple[str, str, int]]:
    """Return each comparison that is open now, with the blocks of first HITs to be planned of it.

    That is what it lacks, less the blocks that are planned or lent already. So whatever was skipped, given back or
    withdrawn is planned again. Two queries, and those of the protocol.
    """
    comparisons = answer_kind(design.task.protocol).comparisons
    if comparisons is None:
        return []
    waiting = _blocks_waiting(design.task_id)
    return [
        (
            each.first,
            each.second,
            -(-(each.missing - waiting[each.first, each.second]) // design.redundancy),
        )
        for each in comparisons.open(design)
    ]


def will_ask_more(*, task_id: int, judge_id: int) -> bool:
    """Return whether a sort goes on that may ask this judge about sentences they have not seen."""
    design = design_in_force(task_id=task_id)
    if design is None or design.kind != Design.Kind.SORTING:
        return False
    comparisons = answer_kind(design.task.protocol).comparisons
    seen = Exposure.objects.filter(
        judge=judge_id, segment=OuterRef("pk"), apart=design.task.exposed_apart
    )
    unseen = Segment.objects.filter(~Exists(seen), test_set=design.task.test_set_id)
    return comparisons is not None and unseen.exists() and bool(comparisons.open(design))


def hits_of_closed(*, design: Design, hits: HITQuerySet) -> list[HIT]:
    """Return those of these HITs that compare systems whose comparison is not open any more."""
    comparisons = answer_kind(design.task.protocol).comparisons
    if comparisons is None:
        return []
    pairs = {pk: pair for pk, pair in hits.values_list("pk", COMPARISON) if pair}
    if not pairs:
        return []
    open_now = {(each.first, each.second) for each in comparisons.open(design)}
    return list(
        hits.filter(pk__in=[pk for pk, pair in pairs.items() if tuple(pair) not in open_now])
    )


def _blocks_waiting(task_id: int) -> Counter[tuple[str, str]]:
    """Return the blocks that are planned or lent, and neither judged nor skipped, by comparison; without checks."""
    hits = HIT.objects.filter(task=task_id).incomplete().values_list("pk", "why")
    blocks: dict[int, list[dict[str, Any]]] = {pk: why.get("blocks", []) for pk, why in hits}
    judged = Judgment.objects.filter(block=OuterRef("pk"))
    skipped = Skip.objects.filter(block=OuterRef("pk"))
    done = dict(
        Block.objects.filter(Exists(judged) | Exists(skipped), hit__in=list(blocks), control="")
        .order_by()
        .values_list("hit")
        .annotate(count=Count("pk"))
    )
    waiting: Counter[tuple[str, str]] = Counter()
    for pk, of_hit in blocks.items():
        for block in of_hit:
            if "comparison" in block and "bad_reference" not in block:
                first, second = block["comparison"]
                waiting[first, second] += 1
        if pk in done and of_hit and "comparison" in of_hit[0]:
            first, second = of_hit[0]["comparison"]
            waiting[first, second] -= done[pk]
    return waiting

"""What a judge has judged and skipped, for them to see and change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Assignment, Block, BlockControl, Judgment, Skip
from annotation.models.pool import IsAnyOf
from annotation.selectors.shown import BlockData, blocks_data
from campaign.models import Judge


@dataclass(frozen=True, slots=True)
class OwnDoneBlock:
    """A block the judge has judged or skipped, with what the page needs to open it again."""

    assignment: UUID
    position: int
    total: int
    judged_at: datetime
    source_language: str
    target_language: str
    block: BlockData


def own_done_blocks(judge: Judge) -> QuerySet[Block, Any]:
    """Return the blocks done that the judge may look at: all, while they hold no HIT.

    `done_at` is when each was judged last, or skipped. While the judge holds a HIT, blocks of older HITs
    than `AssignmentData.revisable_hits` reaches are left out. Any HIT that a repeat may repeat is older,
    so that nobody copies what they said first. The number is the same for every HIT of a design with
    repeats, so that the list does not tell which HIT is a repeat.
    """
    return _done(judge).filter(~Exists(_held_out_of_reach(judge)))


def has_older_done_blocks(judge: Judge) -> bool:
    """Return whether `own_done_blocks` leaves out older ones for now. One query."""
    return _done(judge).filter(Exists(_held_out_of_reach(judge))).exists()


def _done(judge: Judge) -> QuerySet[Block, Any]:
    """Return the blocks lent to the judge that they have judged or skipped, except training.

    After a training block the judge was shown the expected ranking. Imported blocks were never lent.
    """
    mine = {"block": OuterRef("pk"), "judge": judge}
    judged = Judgment.objects.filter(**mine).order_by("-number").values("submitted_at")[:1]
    skipped = Skip.objects.filter(**mine).values("created_at")
    lent = Assignment.objects.filter(hit=OuterRef("hit"), judge=judge)
    return (
        Block.objects.filter(hit__in=Assignment.objects.filter(judge=judge).values("hit"))
        .exclude(control=BlockControl.TRAINING)
        .annotate(
            done_at=Coalesce(Subquery(judged), Subquery(skipped)),
            lent_as=Subquery(lent.values("public_id")),
            ordinal=Subquery(lent.values("ordinal")),
        )
        .filter(done_at__isnull=False)
    )


def _held_out_of_reach(judge: Judge) -> QuerySet[Assignment]:
    """Return assignments the judge holds that the outer query's block could give an answer to.

    Expired ones count for as long as the judge could be lent the HIT again: until somebody else has
    done it, or a conflict of interest was declared with a system in it.
    """
    not_to_be_seen = judge.conflicts.filter(IsAnyOf(F("system"), OuterRef("hit__system_ids")))
    return Assignment.objects.filter(
        judge=judge,
        completed_at__isnull=True,
        hit__completed_at__isnull=True,
        hit__test_set=OuterRef("hit__test_set"),
        hit__design__intra_share__gt=0,
        ordinal__gt=OuterRef("ordinal") + F("hit__design__repeat_gap"),
    ).exclude(Exists(not_to_be_seen))


def own_done_blocks_data(blocks: Sequence[Any], *, judge: Judge) -> list[OwnDoneBlock]:
    """Return these rows of `own_done_blocks` as shown, in their order. Two queries, whatever their number."""
    in_hit = Block.objects.filter(hit=OuterRef("hit")).order_by().values("hit")
    of_hits = Block.objects.filter(pk__in=[block.pk for block in blocks]).select_related(
        "hit__test_set"
    )
    total = Coalesce(Subquery(in_hit.annotate(n=Count("pk")).values("n")), 0)
    by_id = {block.pk: block for block in of_hits.annotate(total=total)}
    views = blocks_data(list(by_id), campaign=judge.campaign, judge_id=judge.pk)
    return [
        OwnDoneBlock(
            assignment=block.lent_as,
            position=block.position,
            total=by_id[block.pk].total,
            judged_at=block.done_at,
            source_language=by_id[block.pk].hit.test_set.source_language,
            target_language=by_id[block.pk].hit.test_set.target_language,
            block=views[block.pk],
        )
        for block in blocks
    ]

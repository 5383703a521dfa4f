"""A judge's own judgments, for them to see and revise."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Assignment, Block, BlockControl, Judgment
from annotation.models.pool import IsAnyOf
from annotation.selectors.shown import BlockData, blocks_data
from campaign.models import Judge


@dataclass(frozen=True, slots=True)
class OwnJudgedBlock:
    """A block the judge has judged, with what the page needs to open it again."""

    assignment: UUID
    position: int
    total: int
    judged_at: datetime
    source_language: str
    target_language: str
    block: BlockData


def own_judgments(judge: Judge) -> QuerySet[Judgment]:
    """Return the current judgments the judge may look at: all, while they hold no HIT.

    While they hold one, judgments of older HITs than `AssignmentData.revisable_hits` reaches are left
    out. Any HIT that a repeat may repeat is older, so that nobody copies their first judgment. The
    number is the same for every HIT of a design with repeats, so that the list does not tell which
    HIT is a repeat.
    """
    return _own(judge).filter(~Exists(_held_out_of_reach(judge)))


def has_older_own_judgments(judge: Judge) -> bool:
    """Return whether `own_judgments` leaves out older ones for now. One query."""
    return _own(judge).filter(Exists(_held_out_of_reach(judge))).exists()


def _own(judge: Judge) -> QuerySet[Judgment]:
    """Return the judge's current judgments, except imported ones and training.

    After a training block the judge was shown the expected ranking.
    """
    return (
        Judgment.objects.filter(judge=judge, assignment__isnull=False)
        .exclude(block__control=BlockControl.TRAINING)
        .current()
    )


def _held_out_of_reach(judge: Judge) -> QuerySet[Assignment]:
    """Return assignments the judge holds that the outer query's judgment could give an answer to.

    Expired ones count for as long as the judge could be lent the HIT again: until somebody else has
    done it, or a conflict of interest was declared with a system in it.
    """
    not_to_be_seen = judge.conflicts.filter(IsAnyOf(F("system"), OuterRef("hit__system_ids")))
    return Assignment.objects.filter(
        judge=judge,
        completed_at__isnull=True,
        hit__completed_at__isnull=True,
        hit__test_set=OuterRef("test_set"),
        hit__design__intra_share__gt=0,
        ordinal__gt=OuterRef("assignment__ordinal") + F("hit__design__repeat_gap"),
    ).exclude(Exists(not_to_be_seen))


def own_judged_blocks(judgments: Sequence[Judgment], *, judge: Judge) -> list[OwnJudgedBlock]:
    """Return the blocks of these judgments, in their order. Two queries, whatever their number."""
    in_hit = Block.objects.filter(hit=OuterRef("hit")).order_by().values("hit")
    lent = Assignment.objects.filter(hit=OuterRef("hit"), judge=judge).values("public_id")
    blocks = (
        Block.objects.filter(pk__in=[judgment.block_id for judgment in judgments])
        .select_related("hit__test_set")
        .annotate(
            total=Coalesce(Subquery(in_hit.annotate(n=Count("pk")).values("n")), 0),
            lent_as=Subquery(lent[:1]),
        )
    )
    by_id = {block.pk: block for block in blocks}
    views = blocks_data(list(by_id), campaign=judge.campaign, judge_id=judge.pk)
    return [
        OwnJudgedBlock(
            assignment=by_id[judgment.block_id].lent_as,
            position=by_id[judgment.block_id].position,
            total=by_id[judgment.block_id].total,
            judged_at=judgment.submitted_at,
            source_language=by_id[judgment.block_id].hit.test_set.source_language,
            target_language=by_id[judgment.block_id].hit.test_set.target_language,
            block=views[judgment.block_id],
        )
        for judgment in judgments
    ]

"""What a judge has judged, for themselves to see and revise."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Assignment, Block, Judgment
from annotation.models.pool import IsAnyOf
from annotation.selectors.shown import BlockView, block_views
from campaign.models import Judge


@dataclass(frozen=True, slots=True)
class JudgedBlock:
    """A block of the judge's, with what is needed to open it again."""

    assignment: UUID
    position: int
    total: int
    judged_at: datetime
    source_language: str
    target_language: str
    block: BlockView


def own_judgments(judge: Judge) -> QuerySet[Judgment]:
    """What the judge may look at of their current judgments: all, while they hold no HIT.

    While they do, it is as for the page's way back: none of HITs further back than the one they hold
    reaches (`AssignmentView.back`). Whatever a HIT may repeat is further back, so that nobody copies
    what they said the first time; and since it is the same for every HIT of a design that has
    repeats, what is listed does not tell which of them is one.
    """
    return _own(judge).filter(~Exists(_held_too_far_ahead(judge)))


def has_own_out_of_reach(judge: Judge) -> bool:
    """Whether `own_judgments` leaves out some for now. One query."""
    return _own(judge).filter(Exists(_held_too_far_ahead(judge))).exists()


def _own(judge: Judge) -> QuerySet[Judgment]:
    """Current judgments of blocks that were lent to the judge; imported ones were not.

    Training is not among them: it was answered with what is right.
    """
    return (
        Judgment.objects.filter(judge=judge, assignment__isnull=False)
        .exclude(block__control=Block.Control.TRAINING)
        .current()
    )


def _held_too_far_ahead(judge: Judge) -> QuerySet[Assignment]:
    """HITs in the judge's hands that must not be helped by the judgment of the outer query.

    Also where the lease ran out, for as long as they could get it again: not after somebody else did
    it, nor where it shows what they must not see by now.
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


def judged_blocks(judgments: Sequence[Judgment], *, judge: Judge) -> list[JudgedBlock]:
    """The blocks of these judgments, in their order.

    Two queries, whatever their number.
    """
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
    views = block_views(list(by_id), campaign=judge.campaign, judge_id=judge.pk)
    return [
        JudgedBlock(
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

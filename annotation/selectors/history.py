"""What a judge has judged, for themselves to see and revise."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import HIT, Assignment, Block, Judgment
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
    """The judge's current judgments of blocks that were lent to them; imported ones were not.

    Training is not among them: it was answered with what is right. Nor is, for as long as the judge
    has a repeat of it to do, what they said the first time. A repeat that shows what they must not
    see by now is not lent to them again, and hides nothing.
    """
    shown_and_not_to_be_seen = judge.conflicts.filter(IsAnyOf(F("system"), OuterRef("system_ids")))
    begun = (
        HIT.objects.filter(
            # What this judge did first may itself be a copy, for a second judge, of that HIT.
            Q(repeats=OuterRef("block__hit")) | Q(repeats=OuterRef("block__hit__repeats")),
            purpose=HIT.Purpose.INTRA,
            reserved_for=judge,
            completed_at__isnull=True,
            assignments__judge=judge,
        )
        .exclude(pk=OuterRef("block__hit"))
        .exclude(Exists(shown_and_not_to_be_seen))
    )
    return (
        Judgment.objects.filter(judge=judge, assignment__isnull=False)
        .exclude(block__control=Block.Control.TRAINING)
        .filter(~Exists(begun))
        .current()
    )


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

"""What a judge holds, and under which opaque ids."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import Q

from annotation.models import Assignment, Block, Candidate
from annotation.selectors.shown import BlockView, block_views
from campaign.models import Campaign, Judge, User


@dataclass(frozen=True, slots=True)
class AssignedBlock:
    """A block in the hands of one judge; `candidates` are public ids in shown order."""

    block_id: int
    assignment_id: int
    judge_id: int
    test_set_id: int
    candidates: tuple[UUID, ...]
    allow_partial_ranking: bool


@dataclass(frozen=True, slots=True)
class AssignmentView:
    id: UUID
    expires_at: datetime
    source_language: str
    target_language: str
    blocks: list[BlockView]


def judge_of(*, user: User, campaign_slug: str | None = None) -> Judge | None:
    """The judge this user is in the campaign; in the one they joined last where none is named."""
    judges = Judge.objects.filter(user=user).select_related("campaign")
    if campaign_slug is not None:
        judges = judges.filter(campaign__slug=campaign_slug)
    return judges.order_by("-id").first()


def assignment_of(*, judge: Judge, public_id: UUID) -> Assignment | None:
    """This judge's assignment by its public id."""
    return Assignment.objects.filter(judge=judge, public_id=public_id).first()


def assigned_block(*, user: User, public_id: UUID) -> AssignedBlock | None:
    """A block that was lent to this user, whether the lease has run out or not."""
    assignment = (
        Assignment.objects.filter(judge__user=user, hit__blocks__public_id=public_id)
        .select_related("judge__campaign", "hit")
        .first()
    )
    if assignment is None:
        return None
    return _assigned_blocks(assignment, Q(block__public_id=public_id))[0]


def assigned_blocks(assignment: Assignment) -> list[AssignedBlock]:
    """All blocks of an assignment in order."""
    return _assigned_blocks(assignment, Q(block__hit=assignment.hit_id))


def _assigned_blocks(assignment: Assignment, which: Q) -> list[AssignedBlock]:
    rows = (
        Candidate.objects.filter(which)
        .order_by("block__position", "position")
        .values_list("block_id", "public_id")
    )
    return [
        AssignedBlock(
            block_id=block_id,
            assignment_id=assignment.pk,
            judge_id=assignment.judge_id,
            test_set_id=assignment.hit.test_set_id,
            candidates=tuple(public_id for _, public_id in candidates),
            allow_partial_ranking=assignment.judge.campaign.allow_partial_ranking,
        )
        for block_id, candidates in groupby(rows, lambda row: row[0])
    ]


def assignment_view(assignment: Assignment, *, campaign: Campaign) -> AssignmentView:
    """An assignment as its judge sees it, in seven queries whatever its size."""
    test_set = assignment.hit.test_set
    blocks = list(Block.objects.filter(hit=assignment.hit_id).select_related("segment"))
    return AssignmentView(
        id=assignment.public_id,
        expires_at=assignment.expires_at,
        source_language=test_set.source_language,
        target_language=test_set.target_language,
        blocks=block_views(
            blocks, test_set=test_set, campaign=campaign, judge_id=assignment.judge_id
        ),
    )

"""Reads of the judging API: the judge who asks, and the blocks and assignments lent to them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import BigIntegerField, Field, QuerySet, UUIDField

from annotation.models import Assignment, BlockControl
from annotation.models.block import candidate_ids
from annotation.protocols import Rules, rules_shown
from annotation.selectors.outputs_shown import candidate_count
from annotation.selectors.shown import BlockData, blocks_of_hit
from annotation.submissions import AssignedBlock
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Campaign, Judge, User


@dataclass(frozen=True, slots=True)
class AssignmentData:
    """A HIT lent to a judge.

    `revisable_hits`: the number of HITs before it that the judge may go back to, since a repeat of
    this design repeats none of them. Nothing in it counts HITs. `rules` are what the page must know of those
    of the campaign and of its task.
    """

    id: UUID
    revisable_hits: int
    expires_at: datetime
    source_language: str
    target_language: str
    protocol: str
    rules: Rules
    blocks: list[BlockData]


def judge_of_user(*, user: User, campaign_slug: str | None = None) -> Judge | None:
    """Return the judge this user is in the campaign; without a slug, in the one joined last."""
    judges = Judge.objects.select_related("campaign").filter(user=user, withdrawn_at=None)
    if campaign_slug is not None:
        judges = judges.filter(campaign__slug=campaign_slug)
    return judges.order_by("-id").first()


def judge_assigned(assigned: AssignedBlock) -> Judge:
    """Return the judge a block is lent to, with their campaign."""
    return Judge.objects.select_related("campaign").get(pk=assigned.judge_id)


def _assigned(assignments: QuerySet[Assignment]) -> QuerySet[Assignment, Any]:
    """Return the blocks of these assignments in order, as `_assigned_block` takes them."""
    return (
        assignments.order_by("hit__blocks__position")
        .annotate(candidates=candidate_count("hit__blocks__"))
        .values_list(
            *("hit__blocks__id", "hit__blocks__public_id", "hit__blocks__control"),
            *("id", "public_id", "judge_id", "hit__task_id"),
            *("hit__task__protocol", "hit__task__rules", "candidates"),
            *("judge__campaign__allow_partial_ranking", "hit__part"),
        )
    )


def _assigned_to(
    user_id: int | Parameter, public_id: UUID | Parameter
) -> QuerySet[Assignment, Any]:
    return _assigned(
        Assignment.objects.filter(hit__blocks__public_id=public_id, judge__user=user_id)
    )


_OF_USER: "Final[dict[str, Field[Any, Any]]]" = {
    "user_id": BigIntegerField(),
    "public_id": UUIDField(),
}
_ASSIGNED_TO = PreparedQuery("assigned_block", _assigned_to, _OF_USER)


def assigned_block(*, user: User, public_id: UUID) -> AssignedBlock | None:
    """Return a block that was lent to this user, also after its lease; else None. One query."""
    found = _ASSIGNED_TO.row(user_id=user.pk, public_id=str(public_id))
    return None if found is None else _assigned_block(*found)


def assigned_blocks(assignment: Assignment) -> list[AssignedBlock]:
    """Return all blocks of an assignment in order. One query."""
    own = Assignment.objects.filter(pk=assignment.pk, hit__blocks__isnull=False)
    return [_assigned_block(*row) for row in _assigned(own)]


def _assigned_block(
    block_id: int,
    public_id: UUID,
    control: str,
    assignment_id: int,
    assignment_public_id: UUID,
    judge_id: int,
    task_id: int,
    protocol: str,
    rules: Rules,
    candidates: int,
    allow_partial_ranking: bool,
    part: int,
) -> AssignedBlock:
    return AssignedBlock(
        block_id=block_id,
        public_id=public_id,
        assignment_id=assignment_id,
        assignment_public_id=assignment_public_id,
        judge_id=judge_id,
        task_id=task_id,
        protocol=protocol,
        rules=rules,
        candidates=candidate_ids(public_id, candidates),
        allow_partial_ranking=allow_partial_ranking,
        is_training=control == BlockControl.TRAINING,
        part=part,
    )


def assignment_data(assignment: Assignment, *, campaign: Campaign) -> AssignmentData:
    """Return an assignment as its judge sees it. One query, whatever its size; two if there are answers to read."""
    shown = blocks_of_hit(assignment.hit_id, campaign=campaign, judge_id=assignment.judge_id)
    return AssignmentData(
        id=assignment.public_id,
        revisable_hits=shown.repeat_gap,
        expires_at=assignment.expires_at,
        source_language=shown.source_language,
        target_language=shown.target_language,
        protocol=shown.protocol,
        rules={
            **rules_shown(shown.protocol, shown.rules, campaign=campaign, part=shown.part),
            # All blocks of a HIT ask the same.
            **(shown.blocks[0].stage_rules if shown.blocks else {}),
        },
        blocks=shown.blocks,
    )

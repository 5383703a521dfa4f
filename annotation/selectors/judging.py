"""Reads of the judging API: the judge who asks, and the blocks and assignments lent to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from annotation.models import Assignment
from annotation.selectors.shown import BlockData, blocks_of_hit
from campaign.database.prepared import Statement, columns_of, instance_from
from campaign.models import Campaign, Judge, User


@dataclass(frozen=True, slots=True)
class AssignedBlock:
    """A block lent to a judge; `candidates` are public ids in shown order."""

    block_id: int
    public_id: UUID
    assignment_id: int
    assignment_public_id: UUID
    judge_id: int
    test_set_id: int
    candidates: tuple[UUID, ...]
    allow_partial_ranking: bool
    is_training: bool


@dataclass(frozen=True, slots=True)
class AssignmentData:
    """A HIT lent to a judge.

    `ordinal`: it is the judge's n-th HIT of its test set. `revisable_hits`: the number of HITs before
    it that the judge may go back to, since a repeat of this design repeats none of them.
    """

    id: UUID
    ordinal: int
    revisable_hits: int
    expires_at: datetime
    source_language: str
    target_language: str
    blocks: list[BlockData]


@cache
def _judge(name: str, types: str, condition: str) -> Statement:
    columns = f"{columns_of(Judge, 'j')}, {columns_of(Campaign, 'm')}"
    return Statement(
        name,
        types,
        f"""
        SELECT {columns} FROM campaign_judge j JOIN campaign_campaign m ON m.id = j.campaign_id
        WHERE {condition} ORDER BY j.id DESC LIMIT 1
        """,  # noqa: S608  constants alone
    )


def judge_of_user(*, user: User, campaign_slug: str | None = None) -> Judge | None:
    """Return the judge this user is in the campaign; without a slug, in the one joined last."""
    condition = "j.user_id = $1 AND ($2 IS NULL OR m.slug = $2)"
    return _judge_from(
        _judge("judge_of_user", "bigint, text", condition).row(user.pk, campaign_slug)
    )


def judge_assigned(assigned: AssignedBlock) -> Judge:
    """Return the judge a block is lent to."""
    judge = _judge_from(_judge("judge_assigned", "bigint", "j.id = $1").row(assigned.judge_id))
    assert judge is not None, "an assignment keeps its judge"  # noqa: S101  for the type checker
    return judge


def _judge_from(found: Sequence[Any] | None) -> Judge | None:
    if found is None:
        return None
    split = len(Judge._meta.concrete_fields)
    judge = instance_from(Judge, found[:split])
    judge.campaign = instance_from(Campaign, found[split:])
    return judge


_ASSIGNED = """
    SELECT b.id, b.public_id, a.id, a.public_id, a.judge_id, h.test_set_id,
        ARRAY(SELECT c.public_id FROM annotation_candidate c
              WHERE c.block_id = b.id ORDER BY c.position),
        m.allow_partial_ranking, b.control = 'training'
    FROM annotation_assignment a
    JOIN annotation_hit h ON h.id = a.hit_id
    JOIN annotation_block b ON b.hit_id = h.id
    JOIN campaign_judge j ON j.id = a.judge_id
    JOIN campaign_campaign m ON m.id = j.campaign_id
    WHERE {where}
    ORDER BY b.position
"""
_ONE = Statement(
    "assigned_block",
    "uuid, bigint",
    _ASSIGNED.format(where="b.public_id = $1 AND j.user_id = $2"),
)
_ALL = Statement("assigned_blocks", "bigint", _ASSIGNED.format(where="a.id = $1"))


def assigned_block(*, user: User, public_id: UUID) -> AssignedBlock | None:
    """Return a block that was lent to this user, also after its lease; else None. One query."""
    return next(iter(_assigned(_ONE, str(public_id), user.pk)), None)


def assigned_blocks(assignment: Assignment) -> list[AssignedBlock]:
    """Return all blocks of an assignment in order. One query."""
    return _assigned(_ALL, assignment.pk)


def _assigned(statement: Statement, *parameters: str | int) -> list[AssignedBlock]:
    return [
        AssignedBlock(
            block_id=block_id,
            public_id=public_id,
            assignment_id=assignment_id,
            assignment_public_id=assignment_public_id,
            judge_id=judge_id,
            test_set_id=test_set_id,
            candidates=tuple(candidates),
            allow_partial_ranking=partial,
            is_training=training,
        )
        for (
            block_id,
            public_id,
            assignment_id,
            assignment_public_id,
            judge_id,
            test_set_id,
            candidates,
            partial,
            training,
        ) in statement.rows(*parameters)
    ]


def assignment_data(assignment: Assignment, *, campaign: Campaign) -> AssignmentData:
    """Return an assignment as its judge sees it. One query, whatever its size."""
    shown = blocks_of_hit(assignment.hit_id, campaign=campaign, judge_id=assignment.judge_id)
    return AssignmentData(
        id=assignment.public_id,
        ordinal=assignment.ordinal,
        revisable_hits=shown.repeat_gap,
        expires_at=assignment.expires_at,
        source_language=shown.source_language,
        target_language=shown.target_language,
        blocks=shown.blocks,
    )

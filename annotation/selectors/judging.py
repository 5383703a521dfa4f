"""Reads for the judging API: a judge, the blocks and assignments lent to them, their judgments and skips."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import (
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, BlockControl, Judgment, Skip
from annotation.models.hit import IsAnyOf
from annotation.protocols.answer_kinds import rules_shown
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.judges import actions_that_stop
from annotation.selectors.shown import blocks_data, languages_data
from annotation.selectors.shown_data import DoneBlockShown
from campaign.models import Judge, User


def judge_of_user(*, user: User, campaign_slug: str | None = None) -> Judge | None:
    """Return the user's judge in the campaign; without a slug, in the one they joined last."""
    judges = Judge.objects.select_related("campaign").filter(
        user=user,
        withdrawn_at=None,
    )
    if campaign_slug is not None:
        judges = judges.filter(campaign__slug=campaign_slug)
    return judges.order_by("-id").first()


def judge_assigned(assigned: AssignedBlock) -> Judge:
    """Return the judge to whom a block is lent, with their campaign."""
    return Judge.objects.select_related("campaign").get(pk=assigned.judge_id)


def _blocks_of_assignments(assignments: QuerySet[Assignment]) -> list[AssignedBlock]:
    """Return the blocks of these assignments in order. One query."""
    # "exclude" comes before "pause".
    most_severe = actions_that_stop(OuterRef("judge")).order_by("action")
    rows = (
        assignments.order_by("hit__blocks__position")
        .annotate(
            now=Now(),
            stopping_action=Subquery(most_severe.values("action")[:1]),
        )
        .values(
            "pk",
            "public_id",
            "judge_id",
            "hit__blocks__id",
            "hit__blocks__public_id",
            "hit__blocks__control",
            "hit__part",
            "hit__task_id",
            "hit__task__protocol",
            "hit__task__rules",
            "judge__campaign__allow_partial_ranking",
            "judge__campaign__state",
            "judge__campaign__closes_at",
            "hit__blocks__outputs",
            "hit__blocks__stands_for",
            "now",
            "stopping_action",
        )
    )
    return [_assigned_block(row) for row in rows]


def _assigned_block(row: Mapping[str, Any]) -> AssignedBlock:
    closes_at = row["judge__campaign__closes_at"]
    return AssignedBlock(
        block_id=row["hit__blocks__id"],
        public_id=row["hit__blocks__public_id"],
        control=row["hit__blocks__control"],
        assignment_id=row["pk"],
        assignment_public_id=row["public_id"],
        judge_id=row["judge_id"],
        task_id=row["hit__task_id"],
        protocol=row["hit__task__protocol"],
        rules=row["hit__task__rules"],
        candidate_count=len(
            row["hit__blocks__stands_for"] or row["hit__blocks__outputs"],
        ),
        allow_partial_ranking=row["judge__campaign__allow_partial_ranking"],
        part=row["hit__part"],
        campaign_state=row["judge__campaign__state"],
        is_past_closing=closes_at is not None and closes_at <= row["now"],
        stopping_action=row["stopping_action"],
    )


def assigned_block(*, user: User, public_id: UUID) -> AssignedBlock | None:
    """Return a block that was lent to this user, even after its lease, otherwise None. One query."""
    own = Assignment.objects.filter(judge__user=user, hit__blocks__public_id=public_id)
    return next(iter(_blocks_of_assignments(own)), None)


def assigned_blocks(assignment: Assignment) -> list[AssignedBlock]:
    """Return all blocks of an assignment in order. One query."""
    return _blocks_of_assignments(
        Assignment.objects.filter(pk=assignment.pk, hit__blocks__isnull=False),
    )


def assignments_taken_back(*, judge: Judge, public_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of these assignments that the judge no longer holds, though unfinished. One query."""
    assignments = Assignment.objects.filter(judge=judge, public_id__in=public_ids)
    released = assignments.filter(completed_at=None, released_at__isnull=False)
    return list(released.values_list("public_id", flat=True))


class DoneBlocks:
    """The blocks a judge has judged or skipped, as pages of lists read a queryset.

    Judgments and skips are each read by their index on judge and time, only as far as a page needs.
    """

    def __init__(self, *rows: QuerySet[Any, Any], order: str = "-done_at") -> None:
        self._rows = rows
        self._order = order

    def order_by(self, order: str) -> "DoneBlocks":
        """Return them by `done_at` or `-done_at`."""
        return DoneBlocks(*self._rows, order=order)

    def filter(self, *conditions: Q, **fields: Any) -> "DoneBlocks":
        """Return those that meet these conditions."""
        rows = (row.filter(*conditions, **fields) for row in self._rows)
        return DoneBlocks(*rows, order=self._order)

    def __getitem__(self, part: slice) -> QuerySet[Any, Any]:
        judged, skipped = (row.order_by(self._order)[: part.stop] for row in self._rows)
        return judged.union(skipped, all=True).order_by(self._order)[part]


def own_done_blocks(judge: Judge) -> DoneBlocks:
    """Return the completed blocks that the judge may look at: all of them, unless they hold a HIT. Two queries.

    Each has `done_at`, the time at which the judge last judged or skipped it, and `lent_as`, the
    public id of its assignment.

    While the judge holds a HIT, blocks of its task from HITs beyond `revisable_hits` of
    `assignment_data` are left out. Any HIT that may be repeated is older, so judges cannot copy
    their first answers. The number is the same for every HIT of a design with repeats, so that the
    list does not reveal which HIT is a repeat.
    """
    return _done_blocks(judge).filter(~_is_beyond_reach(_reaches(judge)))


def has_older_done_blocks(judge: Judge) -> bool:
    """Return whether `own_done_blocks` currently leaves out older blocks. At most two queries."""
    reaches = _reaches(judge)
    # The oldest first: most often it is one of them.
    return bool(
        reaches
        and _done_blocks(judge)
        .filter(_is_beyond_reach(reaches))
        .order_by("done_at")[:1],
    )


def _done_blocks(judge: Judge) -> DoneBlocks:
    """Return the blocks that a judge has judged or skipped, without training and imported ones.

    Training blocks are left out because the judge was shown the expected ranking; imported blocks
    were never lent.
    """
    lent = {"judge": judge, "assignment__isnull": False}
    judged = (
        Judgment.objects.filter(**lent).current().annotate(done_at=F("submitted_at"))
    )
    skipped = Skip.objects.filter(**lent).standing().annotate(done_at=F("created_at"))
    columns = {
        "hit_id": F("block__hit"),
        "position": F("block__position"),
        "lent_as": F("assignment__public_id"),
    }
    return DoneBlocks(
        *(
            rows.exclude(block__control=BlockControl.TRAINING)
            .annotate(**columns)
            .values_list("block_id", *columns, "done_at", named=True)
            for rows in (judged, skipped)
        ),
    )


def _reaches(judge: Judge) -> dict[int, int]:
    """Return the ordinal of the first HIT in reach, for each task of which the judge holds a HIT.

    A HIT whose lease has expired counts as long as it could be lent to the judge again: until
    another judge has done it, or a conflict of interest with one of its systems was declared.
    """
    not_to_be_seen = judge.conflicts.filter(
        IsAnyOf(F("system"), OuterRef("hit__system_ids")),
    )
    assignments = (
        Assignment.objects.filter(
            judge=judge,
            completed_at__isnull=True,
            hit__completed_at__isnull=True,
            hit__design__intra_share__gt=0,
        )
        .exclude(Exists(not_to_be_seen))
        .values_list("hit__task", F("ordinal") - F("hit__design__repeat_gap"))
    )
    reaches: dict[int, int] = {}
    for task_id, first in assignments:
        reaches[task_id] = max(first, reaches.get(task_id, first))
    return reaches


def _is_beyond_reach(reaches: dict[int, int]) -> Q:
    beyond = Q()
    for task_id, first in reaches.items():
        beyond |= Q(task=task_id, assignment__ordinal__lt=first)
    return beyond


def own_done_blocks_data(
    blocks: Sequence[Any],
    *,
    judge: Judge,
) -> list[DoneBlockShown]:
    """Return these blocks of `own_done_blocks`, in order, as described by `JudgedBlockSerializer`.

    Three queries regardless of their number, and one for the answers of each protocol that stores
    them.
    """
    of_hits = HIT.objects.select_related("task__test_set").annotate(
        total=Count("blocks"),
    )
    hits: dict[int, Any] = of_hits.in_bulk({block.hit_id for block in blocks})
    block_ids = [block.block_id for block in blocks]
    views = blocks_data(block_ids, campaign=judge.campaign, judge_id=judge.pk)
    done_blocks: list[DoneBlockShown] = []
    for block in blocks:
        hit = hits[block.hit_id]
        view = views[block.block_id]
        task = hit.task
        rules = rules_shown(
            task.protocol,
            task.rules,
            campaign=judge.campaign,
            part=hit.part,
            outputs_are_media=view.outputs_are_media,
        )
        done_blocks.append(
            {
                "assignment": block.lent_as,
                "position": block.position,
                "total": hit.total,
                "judged_at": block.done_at,
                "languages": languages_data(
                    task.test_set.source_language,
                    task.test_set.target_language,
                ),
                "protocol": task.protocol,
                "rules": {**rules, **view.stage_rules},
                "block": view.as_shown(),
            },
        )
    return done_blocks

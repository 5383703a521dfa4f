"""Reads of the judging API: the requesting judge, the blocks and assignments lent to them, their judgments and skips."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db.models import (
    BigIntegerField,
    Count,
    Exists,
    F,
    Field,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    UUIDField,
)
from django.db.models.functions import Coalesce
from django.utils.dateparse import parse_datetime

from annotation.models import Assignment, Block, BlockControl, JudgeAccount, Judgment, Skip
from annotation.models.block import candidate_ids
from annotation.models.hit import IsAnyOf
from annotation.protocols import Rules, rules_shown
from annotation.selectors.shown import blocks_data, blocks_of_hit, candidate_count
from annotation.submissions import AssignedBlock
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Campaign, Judge, User
from campaign.texts.languages import language_described


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


def languages_data(source: str, target: str) -> dict[str, dict[str, str]]:
    """Return the names, in the reader's language, and directions of the two languages."""
    return {"source": language_described(source), "target": language_described(target)}


def assignment_data(assignment: Assignment, *, campaign: Campaign) -> dict[str, Any]:
    """Return an assignment as its judge sees it, as `AssignmentSerializer` describes it. One query; two if there are answers to read.

    `revisable_hits` is the number of HITs before it that the judge may go back to, since a repeat of
    this design repeats none of them. Nothing in it counts HITs.
    """
    shown = blocks_of_hit(assignment.hit_id, campaign=campaign, judge_id=assignment.judge_id)
    return {
        "id": assignment.public_id,
        "revisable_hits": shown.repeat_gap,
        "expires_at": assignment.expires_at,
        "blocks": [block.as_shown() for block in shown.blocks],
        "languages": languages_data(shown.source_language, shown.target_language),
        "protocol": shown.protocol,
        "rules": {
            **rules_shown(shown.protocol, shown.rules, campaign=campaign, part=shown.part),
            # All blocks of a HIT ask the same.
            **(shown.blocks[0].stage_rules if shown.blocks else {}),
            **({"practice": True} if shown.is_practice else {}),
        },
    }


@dataclass(frozen=True, slots=True)
class DoneBlock:
    """A block a judge has judged or skipped: when they did so last, and as which assignment it was lent."""

    block_id: int
    lent_as: UUID
    done_at: datetime


class DoneBlocks:
    """The blocks done that a judge may look at, in pages by time: the part of a queryset that pages need.

    Judgments and skips are each read by their index on judge and time, no more of them than a page has.
    """

    def __init__(
        self, *sources: "QuerySet[Any, Any] | list[DoneBlock]", descending: bool = True
    ) -> None:
        self._sources = sources
        self._descending = descending

    def order_by(self, order: str) -> "DoneBlocks":
        """Return them by `done_at`, or by `-done_at`."""
        return DoneBlocks(*self._sources, descending=order.startswith("-"))

    def filter(self, **condition: str) -> "DoneBlocks":
        """Return those before or after a moment: `done_at__lt` or `done_at__gt`."""
        [(name, moment)] = condition.items()
        compared = {"done_at__lt": operator.lt, "done_at__gt": operator.gt}[name]
        at = parse_datetime(moment)
        if at is None:
            raise ValueError(moment)
        sources = (
            [row for row in rows if compared(row.done_at, at)]
            if isinstance(rows, list)
            else rows.filter(**{name: at})
            for rows in self._sources
        )
        return DoneBlocks(*sources, descending=self._descending)

    def __getitem__(self, part: slice) -> list[DoneBlock]:
        key, reverse = operator.attrgetter("done_at"), self._descending
        streams = (
            sorted(rows, key=key, reverse=reverse)
            if isinstance(rows, list)
            else [
                DoneBlock(*row)
                for row in rows.order_by("-done_at" if reverse else "done_at")[: part.stop]
            ]
            for rows in self._sources
        )
        return list(islice(merge(*streams, key=key, reverse=reverse), part.start, part.stop))


def own_done_blocks(judge: Judge) -> DoneBlocks:
    """Return the blocks done that the judge may look at: all, while they hold no HIT. Three queries.

    While the judge holds a HIT, blocks of older HITs of its test set than
    `revisable_hits` of `assignment_data` reaches are left out. Any HIT that may be repeated is older, so
    judges cannot copy their first answers. The number is the same for every HIT of a design with
    repeats, so that the list does not tell which HIT is a repeat.
    """
    reaches = _reaches(judge)
    if not reaches:
        return DoneBlocks(*_done(judge))
    within = [
        DoneBlock(*row)
        for rows in _done(judge)
        for row in rows.filter(block__hit__in=_hits_within(judge, reaches))
    ]
    elsewhere = JudgeAccount.objects.filter(judge=judge).exclude(task__in=reaches)
    if not elsewhere.exists():
        return DoneBlocks(within)
    return DoneBlocks(within, *(rows.exclude(task__in=reaches) for rows in _done(judge)))


def has_older_done_blocks(judge: Judge) -> bool:
    """Return whether `own_done_blocks` leaves out older ones for now. Three queries at most."""
    reaches = _reaches(judge)
    # The oldest first: mostly it is one of them.
    return bool(reaches) and any(
        rows.filter(_beyond(reaches)).order_by("done_at")[:1] for rows in _done(judge)
    )


def _done(judge: Judge) -> "tuple[QuerySet[Any, Any], QuerySet[Any, Any]]":
    """Return a judge's judgments and skips, as rows of `DoneBlock`, without training.

    After a training block the judge was shown the expected ranking. Imported blocks were never lent.
    """
    lent = {"judge": judge, "assignment__isnull": False}
    judged = Judgment.objects.filter(**lent).current().annotate(done_at=F("submitted_at"))
    skipped = Skip.objects.filter(**lent).standing().annotate(done_at=F("created_at"))
    columns = ("block", "assignment__public_id", "done_at")
    return (
        judged.exclude(block__control=BlockControl.TRAINING).values_list(*columns),
        skipped.exclude(block__control=BlockControl.TRAINING).values_list(*columns),
    )


def _reaches(judge: Judge) -> dict[int, int]:
    """Return the ordinal of the first HIT in reach, by test set of which the judge holds a HIT.

    A HIT whose lease has expired counts for as long as the judge could be lent it again: until
    another judge has done it, or a conflict of interest was declared with a system in it.
    """
    not_to_be_seen = judge.conflicts.filter(IsAnyOf(F("system"), OuterRef("hit__system_ids")))
    held = (
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
    for task_id, first in held:
        reaches[task_id] = max(first, reaches.get(task_id, first))
    return reaches


def _beyond(reaches: dict[int, int]) -> Q:
    beyond = Q()
    for task_id, first in reaches.items():
        beyond |= Q(task=task_id, assignment__ordinal__lt=first)
    return beyond


def _hits_within(judge: Judge, reaches: dict[int, int]) -> list[int]:
    within = Q()
    for task_id, first in reaches.items():
        within |= Q(hit__task=task_id, ordinal__gte=first)
    mine = Assignment.objects.filter(within, judge=judge, ordinal__gte=min(reaches.values()))
    return list(mine.values_list("hit", flat=True))


def own_done_blocks_data(blocks: Sequence[DoneBlock], *, judge: Judge) -> list[dict[str, Any]]:
    """Return these rows of `own_done_blocks` as shown, in their order, as `JudgedBlockSerializer` describes them.

    Two queries, whatever their number, and one for the answers of each protocol that keeps them.
    """
    in_hit = Block.objects.filter(hit=OuterRef("hit")).order_by().values("hit")
    of_hits = Block.objects.filter(pk__in=[block.block_id for block in blocks]).select_related(
        "hit__task__test_set"
    )
    total = Coalesce(Subquery(in_hit.annotate(n=Count("pk")).values("n")), 0)
    by_id = {block.pk: block for block in of_hits.annotate(total=total)}
    views = blocks_data(list(by_id), campaign=judge.campaign, judge_id=judge.pk)
    found = []
    for done in blocks:
        block, view = by_id[done.block_id], views[done.block_id]
        hit, task = block.hit, block.hit.task
        rules = rules_shown(task.protocol, task.rules, campaign=judge.campaign, part=hit.part)
        test_set = task.test_set
        found.append(
            {
                "assignment": done.lent_as,
                "position": block.position,
                "total": block.total,
                "judged_at": done.done_at,
                "languages": languages_data(test_set.source_language, test_set.target_language),
                "protocol": task.protocol,
                "rules": {**rules, **view.stage_rules},
                "block": view.as_shown(),
            }
        )
    return found

"""What a judge has judged and skipped, for them to see and change."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.dateparse import parse_datetime

from annotation.models import HIT, Assignment, Block, BlockControl, JudgeAccount, Judgment, Skip
from annotation.models.pool import IsAnyOf
from annotation.protocols import Rules, rules_shown
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
    protocol: str
    rules: Rules
    block: BlockData


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

    While the judge holds a HIT, blocks of older HITs of its test set than `AssignmentData.revisable_hits`
    reaches are left out. Any HIT that a repeat may repeat is older, so that nobody copies what they said
    first. The number is the same for every HIT of a design with repeats, so that the list does not tell
    which HIT is a repeat.
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
    """Return what the judge has judged and what they have skipped, as rows of `DoneBlock`, except training.

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

    A HIT whose lease has expired counts for as long as the judge could be lent it again: until somebody
    else has done it, or a conflict of interest was declared with a system in it.
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


def own_done_blocks_data(blocks: Sequence[DoneBlock], *, judge: Judge) -> list[OwnDoneBlock]:
    """Return these rows of `own_done_blocks` as shown, in their order.

    Two queries, whatever their number, and one for the answers of each protocol that keeps them.
    """
    in_hit = Block.objects.filter(hit=OuterRef("hit")).order_by().values("hit")
    of_hits = Block.objects.filter(pk__in=[block.block_id for block in blocks]).select_related(
        "hit__task__test_set"
    )
    total = Coalesce(Subquery(in_hit.annotate(n=Count("pk")).values("n")), 0)
    by_id = {block.pk: block for block in of_hits.annotate(total=total)}
    views = blocks_data(list(by_id), campaign=judge.campaign, judge_id=judge.pk)
    return [
        OwnDoneBlock(
            assignment=block.lent_as,
            position=by_id[block.block_id].position,
            total=by_id[block.block_id].total,
            judged_at=block.done_at,
            source_language=by_id[block.block_id].hit.task.test_set.source_language,
            target_language=by_id[block.block_id].hit.task.test_set.target_language,
            protocol=by_id[block.block_id].hit.task.protocol,
            rules={
                **_rules(by_id[block.block_id].hit, judge),
                **views[block.block_id].stage_rules,
            },
            block=views[block.block_id],
        )
        for block in blocks
    ]


def _rules(hit: HIT, judge: Judge) -> Rules:
    task = hit.task
    return rules_shown(task.protocol, task.rules, campaign=judge.campaign, part=hit.part)

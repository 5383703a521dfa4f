"""Blocks that count toward the target of a task: those that its ranking counts."""

from collections.abc import Sequence
from typing import Final, cast

from django.db.models import Exists, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.dispatch import Signal

from annotation.models import JudgeTally, Judgment
from annotation.selectors.judges import exclusions
from campaign.models import GroupMember, Judge, JudgeGroup, Task

#: Sent with `task`, the name of a task's key in the outer row of a query; the receiver returns a subquery for the
#: judge group that the ranking of this task counts, null if it counts all judges.
ranked_group_requested: Final = Signal()


def ranked_group_of(task: str) -> Subquery:
    """Return a subquery for the judge group that a ranking counts; `task` is the name of its key in the outer row."""
    ((_receiver, group),) = ranked_group_requested.send(sender=Task, task=task)
    return cast("Subquery", group)


def ranked_group(task: Task) -> JudgeGroup | None:
    """Return the judge group that the ranking of a task counts; None if it counts all judges. One query."""
    tasks = Task.objects.filter(pk=task.pk)
    return JudgeGroup.objects.filter(
        pk__in=tasks.values(group=ranked_group_of("pk")),
    ).first()


def is_left_out() -> Q:
    """Return the condition that rankings leave out the judge of a row with a `judge` and a `task`.

    They leave out excluded judges, and judges outside the judge group that the task's ranking counts.
    """
    membership = GroupMember.objects.filter(
        group=OuterRef("group"),
        judge=OuterRef(OuterRef("judge")),
    )
    tasks = Task.objects.filter(pk=OuterRef("task")).annotate(
        group=ranked_group_of("pk"),
    )
    outside = tasks.filter(~Exists(membership), group__isnull=False)
    return Q(judge__in=exclusions().values("judge")) | Q(Exists(outside))


def blocks_left_out(task: str) -> Coalesce:
    """Return an expression for the blocks of the outer row's task judged by judges whom its ranking leaves out.

    `task` is the name of its key there.
    """
    tallies = JudgeTally.objects.filter(is_left_out(), task=OuterRef(task))
    of_task = tallies.order_by().values("task")
    return Coalesce(
        Subquery(of_task.annotate(blocks=Sum("judged")).values("blocks")),
        0,
    )


def blocks_to_plan(task: Task) -> int | None:
    """Return the number of blocks to plan for the target of a task; None without a target. One query.

    Blocks that were skipped, or judged by judges whom the ranking leaves out, are planned again. Imported blocks
    count toward the target without being planned.
    """
    if task.blocks_wanted is None:
        return None
    is_imported = Q(judge__origin=Judge.Origin.IMPORTED)
    sums = JudgeTally.objects.filter(task=task).aggregate(
        skipped=Sum("skipped", filter=~is_imported, default=0),
        left_out=Sum("judged", filter=is_left_out() & ~is_imported, default=0),
        imported=Sum("judged", filter=is_imported & ~is_left_out(), default=0),
    )
    lost = sums["skipped"] + sums["left_out"]
    return max(0, int(task.blocks_wanted + lost - sums["imported"]))


def segments_counted(*, task_id: int, planned: Sequence[int]) -> list[int]:
    """Return the number of blocks planned for each segment, without those that rankings leave out. One query."""
    judged = Judgment.objects.of(task_id).counted().filter(supersedes=None)
    left_out = judged.filter(is_left_out())
    counts = list(planned)
    numbers = left_out.exclude(judge__origin=Judge.Origin.IMPORTED)
    for number in numbers.values_list("block__segment__number", flat=True):
        if number <= len(counts) and counts[number - 1]:
            counts[number - 1] -= 1
    return counts

"""Blocks that count toward the target of a task: those that rankings count."""

from collections.abc import Sequence

from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotation.models import JudgeTally, Judgment
from annotation.selectors.judges import exclusions
from campaign.models import Judge, Task


def tallies_excluded() -> QuerySet[JudgeTally]:
    """Return the tallies of excluded judges, whose blocks rankings leave out."""
    return JudgeTally.objects.filter(judge__in=exclusions().values("judge"))


def blocks_excluded(task: str) -> Coalesce:
    """Return an expression for the number of blocks that excluded judges have judged in the task of the outer row.

    `task` is the name of its key there.
    """
    tallies = tallies_excluded().filter(task=OuterRef(task)).order_by().values("task")
    return Coalesce(Subquery(tallies.annotate(blocks=Sum("judged")).values("blocks")), 0)


def blocks_to_plan(task: Task) -> int | None:
    """Return the number of blocks to plan for the target of a task; None without a target. One query.

    Blocks that were skipped, or judged by excluded judges, are planned again. Imported blocks count toward the
    target without being planned.
    """
    if task.blocks_wanted is None:
        return None
    is_excluded = Q(judge__in=exclusions().values("judge"))
    is_imported = Q(judge__origin=Judge.Origin.IMPORTED)
    sums = JudgeTally.objects.filter(task=task).aggregate(
        skipped=Sum(F("skipped") - F("taken_back"), filter=~is_imported, default=0),
        excluded=Sum("judged", filter=is_excluded & ~is_imported, default=0),
        imported=Sum("judged", filter=is_imported & ~is_excluded, default=0),
    )
    lost = sums["skipped"] + sums["excluded"]
    return max(0, int(task.blocks_wanted + lost - sums["imported"]))


def segments_counted(*, task_id: int, planned: Sequence[int]) -> list[int]:
    """Return the number of blocks planned for each segment, without those judged by excluded judges. One query."""
    judged = Judgment.objects.of(task_id).counted().filter(supersedes=None)
    excluded = judged.filter(judge__in=exclusions().values("judge"))
    counts = list(planned)
    numbers = excluded.exclude(judge__origin=Judge.Origin.IMPORTED)
    for number in numbers.values_list("block__segment__number", flat=True):
        if number <= len(counts) and counts[number - 1]:
            counts[number - 1] -= 1
    return counts

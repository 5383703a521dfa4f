"""Progress of a judge (blocks done and held, out of their quota) and pace of a task."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from statistics import fmean
from typing import Any, Final, TypedDict

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, JSONObject, Now
from django.db.models.lookups import Exact, IsNull

from annotation.models import Assignment, Block, JudgeAccount, Judgment, Skip
from campaign.models import GroupMember, Judge, Task

# A judge's pace is measured on their latest blocks; it is unknown below two HITs.
PACE_BLOCKS = 20
FEWEST_FOR_A_PACE = 6


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """A judge's blocks done and wanted, and the minutes left at the mean pace of their latest blocks.

    Fields are None if unknown: the judge has no quota, or has judged fewer than `FEWEST_FOR_A_PACE`
    blocks.
    """

    done: int
    wanted: int | None
    minutes_left: int | None


class BegunBlocks(TypedDict):
    """Blocks of an assignment that is not closed: whether it is held, and whether each block is done."""

    is_held: bool
    are_done: list[bool]


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """Number of blocks a judge has done, holds, and should do in total.

    A skipped block is done; if it is judged later, it counts once. `quota` is that of the
    judge, their groups or the campaign; None if there is no limit. `times` holds the active
    milliseconds of the latest blocks judged.
    """

    blocks_done: int
    blocks_held: int
    quota: int | None
    times: list[int]

    @classmethod
    def of(cls, judge: Any) -> "JudgeWork":
        """Return the work of a judge from a queryset with `work_annotations`."""
        begun: list[BegunBlocks] = judge.begun_blocks
        open_blocks = 0
        for blocks in begun:
            if blocks["is_held"]:
                open_blocks += blocks["are_done"].count(False)
        return cls(
            blocks_done=(judge.closed_blocks or 0)
            + sum(sum(blocks["are_done"]) for blocks in begun),
            blocks_held=open_blocks,
            quota=judge.quota,
            times=judge.times,
        )

    @property
    def is_quota_reached(self) -> bool:
        """True if the judge has done or holds all blocks of their quota."""
        return self.blocks_to_lend == 0

    @property
    def blocks_to_lend(self) -> int | None:
        """Number of blocks that the judge may still be lent; None if there is no limit."""
        if self.quota is None:
            return None
        return max(0, self.quota - self.blocks_done - self.blocks_held)

    def blocks_left(self, *, held: int, unseen: int) -> int:
        """Return the most blocks left for the judge in a task, of which they hold some: those, and others within their quota."""
        to_lend = self.blocks_to_lend
        if to_lend is None:
            return held + unseen
        return held + min(unseen, to_lend)

    @property
    def progress(self) -> JudgeProgress:
        minutes = None
        if self.quota is not None and len(self.times) >= FEWEST_FOR_A_PACE:
            # The mean rather than the median, because the remaining time is the sum over all
            # blocks, long ones included.
            minutes = round(
                max(0, self.quota - self.blocks_done) * fmean(self.times) / 60_000,
            )
        return JudgeProgress(
            done=self.blocks_done,
            wanted=self.quota,
            minutes_left=minutes,
        )


def work_annotations() -> dict[str, Combinable]:
    """Return annotations for a queryset of judges, from which `JudgeWork.of` counts.

    Blocks of closed assignments are counted on closing (`JudgeAccount.blocks_closed`), so the cost
    does not grow with the history. A judge has few other assignments, which are `begun`.
    """
    judge = OuterRef("pk")
    accounts = JudgeAccount.objects.filter(judge=judge).order_by().values("judge")
    is_done = Q(_has_row_for_block(Judgment)) | Q(_has_row_for_block(Skip))
    # Not a join, which PostgreSQL may plan for few rows and then read all blocks for each
    # assignment.
    blocks = Block.objects.filter(hit=OuterRef("hit")).order_by()
    are_done = ArraySubquery(
        blocks.values(is_done=ExpressionWrapper(is_done, BooleanField())),
    )
    is_held = IsNull(F("released_at"), True)
    begun = Assignment.objects.filter(judge=judge, completed_at__isnull=True)
    groups = GroupMember.objects.filter(judge=judge).order_by().values("judge")
    of_groups = groups.annotate(most=Max("group__blocks_asked")).values("most")
    latest = Judgment.objects.filter(judge=judge, active_ms__gt=0).order_by(
        "-submitted_at",
    )
    return {
        "closed_blocks": Subquery(
            accounts.annotate(n=Sum("blocks_closed")).values("n"),
        ),
        "begun_blocks": ArraySubquery(
            begun.values(row=JSONObject(is_held=is_held, are_done=are_done)),
        ),
        # The largest quota of a judge's groups applies.
        "quota": Coalesce(
            "blocks_asked",
            Subquery(of_groups),
            "campaign__blocks_per_judge",
        ),
        "times": ArraySubquery(latest.values("active_ms")[:PACE_BLOCKS]),
    }


@cache
def judges_with_work() -> QuerySet[Judge]:
    """Return all judges, with campaigns and `work_annotations`. Built once a process, which takes longer than the query."""
    return Judge.objects.select_related("campaign").annotate(**work_annotations())


def judges_done() -> QuerySet[Judge]:
    """Return the judges whose closed assignments have as many blocks as they were asked for."""
    annotations = work_annotations()
    counted = Judge.objects.annotate(
        closed_blocks=annotations["closed_blocks"],
        quota=annotations["quota"],
    )
    return counted.filter(closed_blocks__gte=F("quota"))


def _has_row_for_block(model: type[Judgment] | type[Skip]) -> IsNull:
    """Return an expression that tells whether the outer assignment's judge has a row for the outer block.

    `+ 0` and avoiding EXISTS force a lookup by block. Otherwise, PostgreSQL may read all rows, or
    all of the judge's, which is as cheap while there are few, and keep that plan as they grow.
    """
    judge = ExpressionWrapper(F("judge") + 0, BigIntegerField())
    answers = model.objects.filter(
        Exact(judge, OuterRef(OuterRef("judge"))),
        block=OuterRef("pk"),
    )
    return IsNull(Subquery(answers.values("pk")[:1]), False)


def tasks_done(judge: Judge) -> dict[int, int]:
    """Return the number of blocks a judge has done in each task; the sum is `JudgeWork.blocks_done`. Two queries."""
    closed = JudgeAccount.objects.filter(judge=judge).values_list(
        "task",
        "blocks_closed",
    )
    mine = {"block": OuterRef("hit__blocks"), "judge": judge}
    is_done = Exists(Judgment.objects.filter(**mine)) | Exists(
        Skip.objects.filter(**mine),
    )
    begun = Assignment.objects.filter(judge=judge, completed_at__isnull=True).filter(
        is_done,
    )
    blocks_by_task = Counter(dict(closed))
    blocks_by_task.update(begun.values_list("hit__task", flat=True))
    return blocks_by_task


def assignments_unfinished() -> QuerySet[Assignment]:
    """Return the assignments whose blocks count as held, also after their lease unless the HIT went back to the pool."""
    return Assignment.objects.filter(
        completed_at__isnull=True,
        released_at__isnull=True,
    )


def blocks_held_by_task(judge: Judge) -> dict[int, int]:
    """Return the number of blocks a judge holds and has not done, by task; the sum is `JudgeWork.blocks_held`. One query."""
    mine = {"block": OuterRef("pk"), "judge": judge}
    is_done = Exists(Judgment.objects.filter(**mine)) | Exists(
        Skip.objects.filter(**mine),
    )
    held = assignments_unfinished().filter(judge=judge).values("hit")
    blocks = Block.objects.filter(~is_done, hit__in=held).order_by()
    return dict(blocks.values_list("hit__task").annotate(Count("pk")))


def judge_work(judge: Judge) -> JudgeWork:
    """Return the work of a judge. One query, regardless of how much they have done."""
    return JudgeWork.of(judges_with_work().get(pk=judge.pk))


# A longer window would notice the start of a campaign too late; a shorter one would react to coffee
# breaks.
_WINDOW: Final = timedelta(minutes=10)
# Two judgments within a second are not a pace of 7,200 an hour.
_SHORTEST: Final = timedelta(minutes=2)
# A judge who was lent nothing for this long is not working now.
_AT_WORK: Final = timedelta(days=1)
_HOUR: Final = timedelta(hours=1)


def hits_an_hour(*, task_id: int) -> float:
    """Return the number of HITs judged per hour, from the last ten minutes.

    If work began within this time, the pace is measured since then. Simulated judges do not count.
    Reads only the latest judgments of the judges at work, regardless of the history.
    """
    now: datetime = Task.objects.values_list(Now(), flat=True).get(pk=task_id)
    at_work = JudgeAccount.objects.filter(
        task=task_id,
        last_lent_at__gte=now - _AT_WORK,
    ).exclude(judge__origin=Judge.Origin.SIMULATED)
    recent = Judgment.objects.of(task_id).filter(
        judge__in=at_work.values("judge"),
        submitted_at__gte=now - _WINDOW,
        assignment__isnull=False,
    )
    totals = recent.aggregate(
        hits=Count("assignment", distinct=True),
        first=Min("submitted_at"),
    )
    if not totals["hits"]:
        return 0.0
    elapsed = min(_WINDOW, max(_SHORTEST, now - totals["first"]))
    return float(totals["hits"] * (_HOUR / elapsed))

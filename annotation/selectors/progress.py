"""How far a judge is: blocks done and held, of those they are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BigIntegerField, Count, Exists, OuterRef, QuerySet, Subquery, Sum
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from annotation.models import Assignment, JudgeAccount, Judgment, Skip
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Judge

# A judge's pace is that of their latest blocks.
PACE_BLOCKS = 20


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """Blocks done and wanted of a judge, and minutes left at their pace; None if not known."""

    done: int
    wanted: int | None
    minutes_left: int | None

    @classmethod
    def at(cls, *, done: int, wanted: int | None, times: Sequence[int]) -> "JudgeProgress":
        """Return the progress; the pace is the median of `times`, active milliseconds a block."""
        minutes = None
        if wanted is not None and times:
            minutes = round(max(0, wanted - done) * median(times) / 60_000)
        return cls(done=done, wanted=wanted, minutes_left=minutes)


def _count(begun: QuerySet[Assignment], blocks: Combinable) -> Coalesce:
    """Return the number of these blocks of the begun assignments, as a subquery."""
    counted = begun.order_by().values("judge").annotate(n=Count("hit__blocks", filter=blocks))
    return Coalesce(Subquery(counted.values("n")), 0)


def progress_of(judge: OuterRef) -> dict[str, Combinable]:
    """Return subqueries for the blocks `done` and `held` by a judge, and the `times` of the latest.

    Blocks of closed assignments are counted as these close (`JudgeAccount.blocks_closed`), so that
    the cost does not grow with the history. A judge has few others.
    """
    closed = JudgeAccount.objects.filter(judge=judge).order_by().values("judge")
    begun = Assignment.objects.filter(judge=judge, completed_at__isnull=True)
    mine = {"block": OuterRef("hit__blocks"), "judge": OuterRef("judge")}
    is_done = Exists(Judgment.objects.filter(**mine)) | Exists(Skip.objects.filter(**mine))
    latest = Judgment.objects.filter(judge=judge, active_ms__gt=0).order_by("-submitted_at")
    return {
        "done": Coalesce(Subquery(closed.annotate(n=Sum("blocks_closed")).values("n")), 0)
        + _count(begun, is_done),
        "held": _count(begun.filter(released_at__isnull=True), ~is_done),
        "times": ArraySubquery(latest.values("active_ms")[:PACE_BLOCKS]),
    }


def _progress(judge_id: int | Parameter) -> QuerySet[Judge, Any]:
    judges = Judge.objects.filter(pk=judge_id).annotate(**progress_of(OuterRef("pk")))
    return judges.values_list("done", "held", "times")


_PROGRESS = PreparedQuery("judge_progress", _progress, judge_id=BigIntegerField())


def judge_progress(judge: Judge) -> JudgeProgress:
    """Return a judge's progress. A skipped block is done; skipped and judged later, it counts once.

    One query, however much the judge has done.
    """
    [(done, _held, times)] = _PROGRESS.rows(judge_id=judge.pk)
    return JudgeProgress.at(done=done, wanted=blocks_wanted(judge), times=times)


def blocks_wanted(judge: Judge) -> int | None:
    """Return the number of blocks this judge is asked for: their own, or the campaign's; or None."""
    return judge.campaign.blocks_per_judge if judge.blocks_asked is None else judge.blocks_asked


def blocks_done_or_held(judge: Judge) -> int:
    """Return the number of blocks done or held, which `blocks_wanted` limits. One query."""
    [(done, held, _times)] = _PROGRESS.rows(judge_id=judge.pk)
    return int(done + held)


def quota_reached(judge: Judge) -> bool:
    """Return whether the judge has done or holds all the blocks they are asked for."""
    wanted = blocks_wanted(judge)
    return wanted is not None and blocks_done_or_held(judge) >= wanted


def blocks_done(judge: Judge) -> int:
    """Return the number of blocks judged or skipped. One query."""
    [(done, _held, _times)] = _PROGRESS.rows(judge_id=judge.pk)
    return int(done)

"""How far the judging of a test set is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import (
    Min,
    OuterRef,
    Q,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce, TruncDay, TruncHour
from django.utils import timezone

from annotation.models import JudgeAccount, JudgedQuarterHour, JudgeTally, JudgmentSequence
from campaign.models import Judge, Task

# A judge who did something this recently is at work: a block takes a minute or two.
AT_WORK = timedelta(minutes=10)
HOURS_SHOWN = 24
DAYS_SHOWN = 28
_BY_PEOPLE = Q(judge__origin=Judge.Origin.PERSON)


@dataclass(frozen=True, slots=True)
class Period:
    """The number of blocks judged in the hour or day that begins at `start`."""

    start: datetime
    judged: int

    @property
    def day(self) -> date:
        return self.start.date()


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """How far the judging of a test set is.

    `judged` counts each judge's first judgments of blocks: as many as current ones, however often
    they were revised, and at the time of judging instead of that of correction.
    `skipped` counts the blocks that a judge declined and has not judged since. `periods` are
    consecutive hours or days (`hourly`), the last one being the present one. `periods`, `today` and
    `at_work` only count people, because imported and simulated judgments have the time of their
    import.
    """

    judged: int
    skipped: int
    wanted: int | None
    today: int
    judges: int
    at_work: int
    periods: tuple[Period, ...]
    hourly: bool

    @property
    def share(self) -> float | None:
        """The share of the blocks wanted, at most 1; None where no number is wanted."""
        return min(1.0, self.judged / self.wanted) if self.wanted else None


def judging_progress(*, task: Task, now: datetime | None = None) -> JudgingProgress:
    """Return what was judged in a test set, up to the last judgment with a number. Three queries.

    The cost does not grow with judgments and skips: they are counted as they are numbered.
    """
    now = timezone.localtime(now)
    judged, skipped, judges, today, begun = _counts(task, since=midnight(now))
    hourly = now - (begun or now) < timedelta(hours=2 * HOURS_SHOWN)
    return JudgingProgress(
        judged=judged,
        skipped=skipped,
        wanted=task.blocks_wanted,
        today=today,
        judges=judges,
        at_work=_judges_at_work(task, now),
        periods=_hours(task, now) if hourly else _days(task, now),
        hourly=hourly,
    )


def _counts(task: Task, *, since: datetime) -> tuple[int, int, int, int, datetime | None]:
    """Return the blocks judged and skipped, judges, the blocks people judged since, and when they began."""
    here = OuterRef("task")
    today = JudgedQuarterHour.objects.filter(task=here, start__gte=since).values("task")
    people = JudgeTally.objects.filter(_BY_PEOPLE, task=here).values("task")
    found: Any = (
        JudgmentSequence.objects.filter(task=task)
        .values_list(
            "judged",
            "skipped",
            "judges",
            Coalesce(Subquery(today.annotate(n=Sum("judged")).values("n")), 0),
            Subquery(people.annotate(first=Min("first_at")).values("first")),
        )
        .first()
    )
    return found or (0, 0, 0, 0, None)


def _judges_at_work(task: Task, now: datetime) -> int:
    since = now - AT_WORK
    judging = JudgeTally.objects.filter(_BY_PEOPLE, task=task, last_at__gte=since)
    # Judges who have just been lent a HIT have not submitted anything yet.
    reading = JudgeAccount.objects.filter(_BY_PEOPLE, task=task, last_lent_at__gte=since)
    return judging.values_list("judge").union(reading.values_list("judge")).count()


def _hours(task: Task, now: datetime) -> tuple[Period, ...]:
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    starts = [this_hour - timedelta(hours=back) for back in reversed(range(HOURS_SHOWN))]
    return _periods(task, starts, TruncHour)


def _days(task: Task, now: datetime) -> tuple[Period, ...]:
    # Whole days by the calendar: where clocks change, a day has 23 or 25 hours.
    starts = [midnight(now - timedelta(days=back)) for back in reversed(range(DAYS_SHOWN))]
    return _periods(task, starts, TruncDay)


def _periods(
    task: Task,
    starts: list[datetime],
    truncate: Callable[[str], TruncHour | TruncDay],
) -> tuple[Period, ...]:
    judged = dict(
        JudgedQuarterHour.objects.filter(task=task, start__gte=starts[0])
        .values(period=truncate("start"))
        .annotate(blocks=Sum("judged"))
        .values_list("period", "blocks")
    )
    return tuple(Period(start=start, judged=judged.get(start, 0)) for start in starts)


def midnight(moment: datetime) -> datetime:
    """Return the beginning of the calendar day, with the offset it had then."""
    naive = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return timezone.make_aware(naive)

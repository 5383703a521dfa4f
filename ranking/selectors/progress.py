"""How far the judging of a test set is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import TruncDay, TruncHour
from django.utils import timezone

from annotation.models import Assignment, Judgment, Skip
from campaign.models import Judge, TestSet

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


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """How far the judging of a test set is.

    `judged` counts current judgments: one for each judge and block, however often revised.
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


def judging_progress(*, test_set: TestSet, now: datetime | None = None) -> JudgingProgress:
    """Count what was judged in a test set. Four queries."""
    now = timezone.localtime(now)
    counts = first_judgments(test_set_id=test_set.pk).aggregate(
        judged=Count("pk"),
        today=Count("pk", filter=_BY_PEOPLE & Q(submitted_at__gte=_midnight(now))),
        judges=Count("judge", distinct=True),
        begun=Min("submitted_at", filter=_BY_PEOPLE),
    )
    begun = counts["begun"] or now
    hourly = now - begun < timedelta(hours=2 * HOURS_SHOWN)
    return JudgingProgress(
        judged=counts["judged"],
        skipped=open_skips(test_set_id=test_set.pk).count(),
        wanted=test_set.blocks_wanted,
        today=counts["today"],
        judges=counts["judges"],
        at_work=_judges_at_work(test_set, now),
        periods=_hours(test_set, now) if hourly else _days(test_set, now),
        hourly=hourly,
    )


def first_judgments(*, test_set_id: int) -> QuerySet[Judgment]:
    """Return each judge's first judgment of each block: as many as current judgments.

    A revision supersedes a judgment of the same judge and block. So first judgments can be counted
    without their revisions, and have the time of judging instead of that of correction.
    """
    return Judgment.objects.of(test_set_id).counted().filter(supersedes__isnull=True)


def open_skips(*, test_set_id: int) -> QuerySet[Skip]:
    """Return the skips in a test set, without those that were taken back."""
    return Skip.objects.standing().filter(block__hit__test_set_id=test_set_id, block__control="")


def _judges_at_work(test_set: TestSet, now: datetime) -> int:
    since = now - AT_WORK
    judging = Judgment.objects.of(test_set.pk).filter(_BY_PEOPLE, submitted_at__gte=since)
    skipping = Skip.objects.filter(_BY_PEOPLE, block__hit__test_set=test_set, created_at__gte=since)
    # Judges who have just been lent a HIT have not submitted anything yet.
    reading = Assignment.objects.filter(
        hit__test_set=test_set, completed_at__isnull=True, lease__startswith__gte=since
    )
    return judging.values("judge").union(skipping.values("judge"), reading.values("judge")).count()


def _hours(test_set: TestSet, now: datetime) -> tuple[Period, ...]:
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    starts = [this_hour - timedelta(hours=back) for back in reversed(range(HOURS_SHOWN))]
    return _periods(test_set, starts, TruncHour)


def _days(test_set: TestSet, now: datetime) -> tuple[Period, ...]:
    # Whole days by the calendar: where clocks change, a day has 23 or 25 hours.
    starts = [_midnight(now - timedelta(days=back)) for back in reversed(range(DAYS_SHOWN))]
    return _periods(test_set, starts, TruncDay)


def _periods(
    test_set: TestSet,
    starts: list[datetime],
    truncate: Callable[[str], TruncHour | TruncDay],
) -> tuple[Period, ...]:
    judged = dict(
        first_judgments(test_set_id=test_set.pk)
        .filter(_BY_PEOPLE, submitted_at__gte=starts[0])
        .annotate(start=truncate("submitted_at"))
        .values("start")
        .annotate(judged=Count("pk"))
        .values_list("start", "judged")
    )
    return tuple(Period(start=start, judged=judged.get(start, 0)) for start in starts)


def _midnight(moment: datetime) -> datetime:
    """Return the beginning of the calendar day, with the offset it had then."""
    naive = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return timezone.make_aware(naive)

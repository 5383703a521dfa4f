"""What a judge has worked: sentences and active time, by day and in all, as it was measured."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Now, TruncDate
from django.utils import timezone

from annotation.models import Judgment, Skip
from campaign.models import Judge


@dataclass(frozen=True, slots=True)
class Worked:
    """Sentences done, and seconds of active time; `untimed` submissions came without a time."""

    sentences: int = 0
    active_seconds: int = 0
    untimed: int = 0

    def __add__(self, other: "Worked") -> "Worked":
        return Worked(
            self.sentences + other.sentences,
            self.active_seconds + other.active_seconds,
            self.untimed + other.untimed,
        )


@dataclass(frozen=True, slots=True)
class WorkTime:
    """The work of a judge by day, the first day in front; days begin at midnight in `time_zone`.

    Every sentence counts alike, so that no number tells which were shown again or are checks.
    """

    time_zone: str
    today: date
    seconds_left_today: int
    days: dict[date, Worked]

    @property
    def worked_today(self) -> Worked:
        return self.days.get(self.today, Worked())

    @property
    def total(self) -> Worked:
        return sum(self.days.values(), Worked())


def work_time(judge: Judge) -> WorkTime:
    """Return what a judge has worked, from the time that each submission states. Three queries.

    A sentence counts once, on the day it was first judged or skipped; time counts on the day it was sent,
    that of revisions too. Imported judgments are left out.
    """
    zone = timezone.get_default_timezone()
    now: datetime = Judge.objects.values_list(Now(), flat=True).get(pk=judge.pk)
    days: dict[date, Worked] = {}
    for rows in (_judged(judge, zone), _skipped(judge, zone)):
        for day, sentences, milliseconds, untimed in rows:
            worked = Worked(sentences, round((milliseconds or 0) / 1000), untimed)
            days[day] = days.get(day, Worked()) + worked
    today = now.astimezone(zone).date()
    midnight = datetime.combine(today + timedelta(days=1), time(), tzinfo=zone)
    return WorkTime(
        time_zone=settings.TIME_ZONE,
        today=today,
        seconds_left_today=max(1, round(midnight.timestamp() - now.timestamp())),
        days=dict(sorted(days.items())),
    )


def _judged(judge: Judge, zone: tzinfo) -> QuerySet[Judgment, Any]:
    """Return for each day: first judgments of blocks not skipped before, milliseconds, untimed ones."""
    skipped = Skip.objects.filter(judge=judge, block=OuterRef("block"))
    return (
        Judgment.objects.filter(judge=judge, assignment__isnull=False)
        .annotate(day=TruncDate("submitted_at", tzinfo=zone), skipped=Exists(skipped))
        .order_by()
        .values_list("day")
        .annotate(
            sentences=Count("pk", filter=Q(supersedes__isnull=True, skipped=False)),
            milliseconds=Sum("active_ms"),
            untimed=Count("pk", filter=Q(active_ms__isnull=True)),
        )
    )


def _skipped(judge: Judge, zone: tzinfo) -> QuerySet[Skip, Any]:
    """Return the same for skips."""
    return (
        Skip.objects.filter(judge=judge, assignment__isnull=False)
        .annotate(day=TruncDate("created_at", tzinfo=zone))
        .order_by()
        .values_list("day")
        .annotate(
            sentences=Count("pk"),
            milliseconds=Sum("active_ms"),
            untimed=Count("pk", filter=Q(active_ms__isnull=True)),
        )
    )

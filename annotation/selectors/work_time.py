"""Judges' measured work, as counted: sentences and active time, by day and in total.

Callers count what waits with `waiting_judgments_number`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, Func, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import ExtractHour, JSONArray, Now, TruncDate

from annotation.models import WorkedQuarterHour
from campaign.models import Campaign, Judge


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
class Span:
    """A time span, including its begin and excluding its end; None is unbounded."""

    begin: datetime | None = None
    end: datetime | None = None

    @classmethod
    def of_days(cls, first: date | None, last: date | None, zone: tzinfo) -> "Span":
        """Return the span from one day to another in a time zone, both included; None is unbounded."""
        if first is None:
            begin = None
        else:
            begin = datetime.combine(first, time(), tzinfo=zone)
        if last is None or last == date.max:
            return cls(begin)
        return cls(
            begin,
            datetime.combine(last + timedelta(days=1), time(), tzinfo=zone),
        )

    def holds(self, field: str) -> Q:
        """Return the condition that the time in this field lies within the span."""
        condition = Q()
        if self.begin is not None:
            condition &= Q((f"{field}__gte", self.begin))
        if self.end is not None:
            condition &= Q((f"{field}__lt", self.end))
        return condition


@dataclass(frozen=True, slots=True)
class WorkTime:
    """The work of a judge by day, in order; days begin at midnight in `time_zone`, that of their campaign.

    All sentences count equally, so that no number reveals repeats or checks.
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
    """Return a judge's work time, from the time stated in each submission. Two queries.

    A sentence counts once, on the day it was first judged or skipped; time counts on the day it was
    sent, including that of revisions. Imported judgments are left out.
    """
    zone = judge.campaign.zone
    now: datetime = Judge.objects.values_list(Now(), flat=True).get(pk=judge.pk)
    today = now.astimezone(zone).date()
    midnight = datetime.combine(today + timedelta(days=1), time(), tzinfo=zone)
    days = {}
    for _judge, day, *figures in work_by_day(Q(judge=judge), zone=zone).order_by("day"):
        days[day] = Worked(*figures)
    return WorkTime(
        time_zone=zone.title,
        today=today,
        seconds_left_today=max(1, round(midnight.timestamp() - now.timestamp())),
        days=days,
    )


def hours_worked(judge: Judge) -> dict[int, int]:
    """Return the sentences that a judge did in each hour of the campaign's day, 0 to 23, as counted. One query."""
    zone = judge.campaign.zone
    rows = WorkedQuarterHour.objects.filter(judge=judge)
    hours = (
        rows.annotate(hour=ExtractHour("start", tzinfo=zone))
        .order_by()
        .values_list("hour")
    )
    return dict(hours.annotate(n=Sum("sentences")).values_list("hour", "n"))


def work_by_day(
    of: Q,
    *,
    zone: tzinfo,
    span: Span | None = None,
) -> QuerySet[Any, Any]:
    """Return rows of judge, day in a time zone, sentences, seconds, and submissions without a time.

    Reads only `span`, which must begin and end at midnight.
    """
    day = TruncDate("start", tzinfo=zone)
    return (
        counted_work(span or Span())
        .filter(of)
        .annotate(day=day)
        .order_by()
        .values("judge", "day")
        .annotate(
            n=Sum("sentences"),
            seconds=_Seconds(Sum("active_ms")),
            without=Sum("untimed"),
        )
        .values_list("judge", "day", "n", "seconds", "without")
    )


def counted_work(span: Span) -> QuerySet[WorkedQuarterHour]:
    """Return the quarters of an hour with work, without those that hold only imported answers."""
    rows = WorkedQuarterHour.objects.filter(span.holds("start"))
    return rows.exclude(sentences=0, active_ms=0, untimed=0)


class _Seconds(Func):
    """Milliseconds as seconds, rounded half to even."""

    template = "round(%(expressions)s::float8 / 1000)::bigint"
    output_field = BigIntegerField()


class _Sums(Subquery):
    """Totals over rows of `work_by_day`: sentences, seconds, submissions without a time, and days."""

    template = (
        "(SELECT ARRAY[coalesce(sum(n), 0), coalesce(sum(seconds), 0), coalesce(sum(without), 0),"
        " count(*)]::bigint[] FROM (%(subquery)s) AS by_day)"
    )
    output_field = ArrayField(BigIntegerField())


class TimeSums(NamedTuple):
    """Totals of a judge over a time sheet; `days` counts days with work."""

    sentences: int
    active_seconds: int
    untimed: int
    days: int


@dataclass(frozen=True, slots=True)
class JudgeTime:
    """The work of a judge on the days of a time sheet, in order; `days` has at least one entry."""

    judge: Judge
    days: Mapping[date, Worked]

    @property
    def total(self) -> Worked:
        return sum(self.days.values(), Worked())


def time_sheet(
    *,
    campaign: Campaign,
    judges: QuerySet[Judge] | None = None,
    first: date | None = None,
    last: date | None = None,
) -> list[JudgeTime]:
    """Return the work of a campaign's judges by day, between two days (inclusive). One query.

    Sorted by pseudonym. `judges` defaults to all judges of the campaign; only people are listed, because nobody pays
    for simulated work. Reads only these days.
    """
    if judges is None:
        judges = Judge.objects.filter(campaign=campaign)
    rows = time_sheet_days(campaign=campaign, judges=judges, first=first, last=last)
    return [time_of(judge) for judge in rows.select_related("campaign")]


def time_sheet_days(
    *,
    campaign: Campaign,
    judges: QuerySet[Judge],
    first: date | None = None,
    last: date | None = None,
) -> QuerySet[Judge]:
    """Return the judges who worked on these days, by pseudonym, for `time_of`.

    A page of it in this order reads the work of its judges alone.
    """
    zone = campaign.zone
    span = Span.of_days(first, last, zone)
    rows = work_by_day(Q(judge=OuterRef("pk")), zone=zone, span=span).order_by("day")
    days = ArraySubquery(rows.values_list(JSONArray("day", "n", "seconds", "without")))
    return _people_who_worked(judges, span).annotate(days=days).order_by("pseudonym")


def time_of(judge: Any) -> JudgeTime:
    """Return the work of a judge from `time_sheet_days`."""
    days = {}
    for day, *figures in judge.days:
        days[date.fromisoformat(day)] = Worked(*figures)
    return JudgeTime(judge, days)


def time_sheet_sums(
    *,
    campaign: Campaign,
    judges: QuerySet[Judge],
    first: date | None = None,
    last: date | None = None,
) -> QuerySet[Judge]:
    """Return the judges who worked on these days, by pseudonym, each with `TimeSums` as `worked`.

    A page of it in this order reads the work of its judges alone.
    """
    zone = campaign.zone
    span = Span.of_days(first, last, zone)
    sums = _Sums(work_by_day(Q(judge=OuterRef("pk")), zone=zone, span=span))
    return _people_who_worked(judges, span).annotate(worked=sums).order_by("pseudonym")


def time_sheet_in_all(
    *,
    campaign: Campaign,
    judges: QuerySet[Judge],
    first: date | None = None,
    last: date | None = None,
) -> Worked:
    """Return the judges' total work on these days, rounded per judge and day. One query."""
    people = judges.filter(origin=Judge.Origin.PERSON)
    zone = campaign.zone
    span = Span.of_days(first, last, zone)
    rows = work_by_day(Q(judge__in=people.values("pk")), zone=zone, span=span)
    sums = rows.aggregate(
        *(Sum(name, default=0) for name in ("n", "seconds", "without")),
    )
    return Worked(*sums.values())


def _people_who_worked(judges: QuerySet[Judge], span: Span) -> QuerySet[Judge]:
    """Select the people who worked within this span."""
    # Looks up one row per judge. With EXISTS, PostgreSQL may read all rows of all judges for one
    # page.
    quarter = counted_work(span).filter(judge=OuterRef("pk")).values("pk")[:1]
    people = judges.filter(origin=Judge.Origin.PERSON)
    return people.alias(quarter=Subquery(quarter)).filter(quarter__isnull=False)

"""Judges' measured work: sentences and active time, by day and in total."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BigIntegerField,
    Count,
    Exists,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import ExtractHour, Now, TruncDate
from django.utils import timezone

from annotation.models import (
    Judgment,
    Skip,
    UncountedAnswer,
    WorkedQuarterHour,
)
from annotation.models.numbers import waits
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
        """Return the span from one day to another, both included; None is unbounded."""
        begin = None if first is None else datetime.combine(first, time(), tzinfo=zone)
        if last is None or last == date.max:
            return cls(begin)
        return cls(begin, datetime.combine(last + timedelta(days=1), time(), tzinfo=zone))

    def holds(self, field: str) -> Q:
        """Return the condition that the time in this field lies within the span."""
        wanted = Q()
        if self.begin is not None:
            wanted &= Q((f"{field}__gte", self.begin))
        if self.end is not None:
            wanted &= Q((f"{field}__lt", self.end))
        return wanted


@dataclass(frozen=True, slots=True)
class WorkTime:
    """The work of a judge by day, in order; days begin at midnight in `time_zone`.

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
    sent, including that of revisions. Imported judgments are left out. Submissions not counted yet
    are read separately in the same query, so that each appears once.
    """
    zone = timezone.get_default_timezone()
    now: datetime = Judge.objects.values_list(Now(), flat=True).get(pk=judge.pk)
    days = _worked(Q(judge=judge), zone).get(judge.pk, {})
    today = now.astimezone(zone).date()
    midnight = datetime.combine(today + timedelta(days=1), time(), tzinfo=zone)
    return WorkTime(
        time_zone=settings.TIME_ZONE,
        today=today,
        seconds_left_today=max(1, round(midnight.timestamp() - now.timestamp())),
        days=days,
    )


def hours_worked(judge: Judge) -> dict[int, int]:
    """Return the sentences that a judge did in each hour of the day, 0 to 23, as counted. One query."""
    zone = timezone.get_default_timezone()
    rows = WorkedQuarterHour.objects.filter(judge=judge)
    hours = rows.annotate(hour=ExtractHour("start", tzinfo=zone)).order_by().values_list("hour")
    return dict(hours.annotate(n=Sum("sentences")).values_list("hour", "n"))


def work_by_day(of: Q, zone: tzinfo, span: Span | None = None) -> QuerySet[Any, Any]:
    """Return rows, to be summed, of judge, day, sentences, milliseconds, and submissions without a time.

    Counted answers and those not counted yet come in separate rows. Reads only `span`, which must
    begin and end at midnight.
    """
    span = span or Span()
    return _counted(of, zone, span).union(
        _judged(of, zone, span), _skipped(of, zone, span), all=True
    )


def _worked(of: Q, zone: tzinfo) -> dict[int, dict[date, Worked]]:
    """Return work by judge and day, counted or not. One query."""
    sums: dict[tuple[int, date], list[int]] = {}
    for judge, day, *counts in work_by_day(of, zone):
        before = sums.get((judge, day), [0, 0, 0])
        sums[judge, day] = [a + (b or 0) for a, b in zip(before, counts, strict=True)]
    found: dict[int, dict[date, Worked]] = {}
    for (judge, day), (sentences, milliseconds, untimed) in sorted(sums.items()):
        found.setdefault(judge, {})[day] = Worked(sentences, round(milliseconds / 1000), untimed)
    return found


def counted_work(span: Span) -> QuerySet[WorkedQuarterHour]:
    """Return the quarters of an hour with work, without those that hold only imported answers."""
    rows = WorkedQuarterHour.objects.filter(span.holds("start"))
    return rows.exclude(sentences=0, active_ms=0, untimed=0)


def waiting_judgments(span: Span) -> QuerySet[Judgment]:
    """Return judgments by people that have no number yet."""
    rows = Judgment.objects.filter(
        pk__in=UncountedAnswer.objects.filter(is_skip=False).values("answer")
    )
    return rows.filter(span.holds("submitted_at"), assignment__isnull=False)


def waiting_skips(span: Span) -> QuerySet[Skip]:
    """Return skips that are not counted yet."""
    rows = Skip.objects.filter(pk__in=UncountedAnswer.objects.filter(is_skip=True).values("answer"))
    return rows.filter(span.holds("created_at"), assignment__isnull=False)


def _counted(of: Q, zone: tzinfo, span: Span) -> QuerySet[Any, Any]:
    """Return the counted sentences, milliseconds, and submissions without a time of each judge and day."""
    return (
        counted_work(span)
        .filter(of)
        .annotate(day=TruncDate("start", tzinfo=zone))
        .order_by()
        .values_list("judge", "day")
        .annotate(n=Sum("sentences"), milliseconds=Sum("active_ms"), without=Sum("untimed"))
    )


def _judged(of: Q, zone: tzinfo, span: Span) -> QuerySet[Any, Any]:
    """Return the same for judgments without a number; first judgments of blocks not skipped before are sentences."""
    skipped = Skip.objects.filter(
        ~waits(is_skip=True) | Q(created_at__lte=OuterRef("submitted_at")),
        judge=OuterRef("judge"),
        block=OuterRef("block"),
    )
    rows = waiting_judgments(span).filter(of)
    return _by_day(rows, TruncDate("submitted_at", tzinfo=zone), ~Exists(skipped))


def _skipped(of: Q, zone: tzinfo, span: Span) -> QuerySet[Any, Any]:
    """Return the same for skips that are not counted yet."""
    judged = Judgment.objects.filter(
        Q(numbered__isnull=False) | Q(submitted_at__lt=OuterRef("created_at")),
        judge=OuterRef("judge"),
        block=OuterRef("block"),
        supersedes__isnull=True,
    )
    rows = waiting_skips(span).filter(of)
    return _by_day(rows, TruncDate("created_at", tzinfo=zone), ~Exists(judged))


def _by_day(rows: Any, day: TruncDate, is_first: Any) -> QuerySet[Any, Any]:
    is_revision = Q(supersedes__isnull=False) if rows.model is Judgment else Q(pk=None)
    counted: QuerySet[Any, Any] = (
        rows.annotate(day=day, is_first=is_first)
        .order_by()
        .values_list("judge", "day")
        .annotate(
            n=Count("pk", filter=Q(is_first=True) & ~is_revision),
            milliseconds=Sum("active_ms"),
            without=Count("pk", filter=Q(active_ms__isnull=True)),
        )
    )
    return counted


# Computed from the rows of `work_by_day`. Each day of a judge is rounded half to even, as `round`
# does.
_BY_DAY: Final = (
    "(SELECT judge, day, sum(sentences) AS sentences, sum(untimed) AS untimed,"
    " coalesce(sum(milliseconds), 0)::numeric AS ms"
    " FROM (%(subquery)s) AS part (judge, day, sentences, milliseconds, untimed)"
    " GROUP BY judge, day) AS by_day"
)
_SECONDS: Final = "div(ms + 499 + mod(div(ms, 1000), 2), 1000)"


class _Sums(Subquery):
    """Totals over rows of `work_by_day`: sentences, seconds, submissions without a time, and days."""

    template = (
        f"(SELECT ARRAY[coalesce(sum(sentences), 0), coalesce(sum({_SECONDS}), 0),"  # noqa: S608  constants
        f" coalesce(sum(untimed), 0), count(*)]::bigint[] FROM {_BY_DAY})"
    )
    output_field = ArrayField(BigIntegerField())


class _Days(Subquery):
    """Rows of `work_by_day` by day, in order, each with sentences, seconds and submissions without a time."""

    template = (
        f"(SELECT jsonb_agg(jsonb_build_array(day, sentences, {_SECONDS}, untimed) ORDER BY day)"  # noqa: S608
        f" FROM {_BY_DAY})"
    )
    output_field = JSONField()


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

    Sorted by pseudonym. `judges` defaults to all judges of the campaign. Reads only these days.
    """
    if judges is None:
        judges = Judge.objects.filter(campaign=campaign)
    rows = time_sheet_days(judges=judges, first=first, last=last)
    return [time_of(judge) for judge in rows.select_related("campaign")]


def time_sheet_days(
    *, judges: QuerySet[Judge], first: date | None = None, last: date | None = None
) -> QuerySet[Judge]:
    """Return the judges who worked on these days, by pseudonym, for `time_of`.

    A page of it in this order reads the work of its judges alone.
    """
    zone, span = _asked(first, last)
    days = _Days(work_by_day(Q(judge=OuterRef("pk")), zone, span))
    return _at_work(judges, span).annotate(days=days).order_by("pseudonym")


def time_of(judge: Any) -> JudgeTime:
    """Return the work of a judge from `time_sheet_days`."""
    days = {date.fromisoformat(day): Worked(*each) for day, *each in judge.days}
    return JudgeTime(judge, days)


def time_sheet_sums(
    *, judges: QuerySet[Judge], first: date | None = None, last: date | None = None
) -> QuerySet[Judge]:
    """Return the judges who worked on these days, by pseudonym, each with `TimeSums` as `worked`.

    A page of it in this order reads the work of its judges alone.
    """
    zone, span = _asked(first, last)
    sums = _Sums(work_by_day(Q(judge=OuterRef("pk")), zone, span))
    return _at_work(judges, span).annotate(worked=sums).order_by("pseudonym")


def time_sheet_in_all(
    *,
    campaign: Campaign,
    judges: QuerySet[Judge],
    first: date | None = None,
    last: date | None = None,
) -> Worked:
    """Return the judges' total work on these days, rounded per judge and day. One query."""
    zone, span = _asked(first, last)
    sums = _Sums(work_by_day(Q(judge__in=judges.values("pk")), zone, span))
    worked = Campaign.objects.annotate(worked=sums).values_list("worked", flat=True)
    sentences, seconds, untimed, _days = worked.get(pk=campaign.pk)
    return Worked(sentences, seconds, untimed)


def _asked(first: date | None, last: date | None) -> tuple[tzinfo, Span]:
    zone = timezone.get_default_timezone()
    return zone, Span.of_days(first, last, zone)


def _at_work(judges: QuerySet[Judge], span: Span) -> QuerySet[Judge]:
    """Select the judges who worked within this span."""
    # Looks up one row per judge. With EXISTS, PostgreSQL may read all rows of all judges for one
    # page.
    quarter = counted_work(span).filter(judge=OuterRef("pk")).values("pk")[:1]
    return judges.alias(quarter=Subquery(quarter)).filter(
        Q(quarter__isnull=False)
        | Q(pk__in=waiting_judgments(span).values("judge"))
        | Q(pk__in=waiting_skips(span).values("judge"))
    )

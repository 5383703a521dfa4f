"""What the judges of a campaign worked, for pay: summed by PostgreSQL, as `work_time` counts for each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Any, Final, NamedTuple

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, JSONField, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotation.selectors.work_time import (
    Span,
    Worked,
    counted_work,
    waiting_judgments,
    waiting_skips,
    work_by_day,
)
from campaign.models import Campaign, Judge

# Of the rows of `work_by_day`. Each day of a judge is rounded, a half to the even second, as `round` does.
_BY_DAY: Final = (
    "(SELECT judge, day, sum(sentences) AS sentences, sum(untimed) AS untimed,"
    " coalesce(sum(milliseconds), 0)::numeric AS ms"
    " FROM (%(subquery)s) AS part (judge, day, sentences, milliseconds, untimed)"
    " GROUP BY judge, day) AS by_day"
)
_SECONDS: Final = "div(ms + 499 + mod(div(ms, 1000), 2), 1000)"


class _Sums(Subquery):
    """Sentences, seconds, submissions without a time, and days of rows of `work_by_day`."""

    template = (
        f"(SELECT ARRAY[coalesce(sum(sentences), 0), coalesce(sum({_SECONDS}), 0),"  # noqa: S608  constants
        f" coalesce(sum(untimed), 0), count(*)]::bigint[] FROM {_BY_DAY})"
    )
    output_field = ArrayField(BigIntegerField())


class _Days(Subquery):
    """The days of rows of `work_by_day`, the first one in front, each with its sentences, seconds and so on."""

    template = (
        f"(SELECT jsonb_agg(jsonb_build_array(day, sentences, {_SECONDS}, untimed) ORDER BY day)"  # noqa: S608
        f" FROM {_BY_DAY})"
    )
    output_field = JSONField()


class TimeSums(NamedTuple):
    """What a judge worked on the days of a time sheet; `days` are those with work."""

    sentences: int
    active_seconds: int
    untimed: int
    days: int


@dataclass(frozen=True, slots=True)
class JudgeTime:
    """The work of a judge on the days of a time sheet, the first day in front; `days` holds one at least."""

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
    """Return what judges of a campaign worked, by day, from one day to another, both included. One query.

    They come by pseudonym; without `judges` they are all of the campaign. Only these days are read.
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
    """Return the work of a judge of `time_sheet_days`."""
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
    """Return what judges of a campaign worked together on these days, each day of each rounded. One query."""
    zone, span = _asked(first, last)
    sums = _Sums(work_by_day(Q(judge__in=judges.values("pk")), zone, span))
    worked = Campaign.objects.annotate(worked=sums).values_list("worked", flat=True)
    sentences, seconds, untimed, _days = worked.get(pk=campaign.pk)
    return Worked(sentences, seconds, untimed)


def _asked(first: date | None, last: date | None) -> tuple[tzinfo, Span]:
    zone = timezone.get_default_timezone()
    return zone, Span.of_days(first, last, zone)


def _at_work(judges: QuerySet[Judge], span: Span) -> QuerySet[Judge]:
    """Select those who worked in this time."""
    # One row of each judge is looked up. For EXISTS, PostgreSQL may read all of everybody, for one page of judges.
    quarter = counted_work(span).filter(judge=OuterRef("pk")).values("pk")[:1]
    return judges.alias(quarter=Subquery(quarter)).filter(
        Q(quarter__isnull=False)
        | Q(pk__in=waiting_judgments(span).values("judge"))
        | Q(pk__in=waiting_skips(span).values("judge"))
    )

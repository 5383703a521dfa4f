"""Counters over the numbered judgments and counted skips of a task, counted from these."""

from collections.abc import Collection
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import (
    Count,
    DateTimeField,
    F,
    Func,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)

from annotation.models import Judgment, JudgmentNumber, Skip
from annotation.models.numbers import waits

# A judge's first judgment of a block, controls excluded.
_FIRST = Q(judgment__supersedes__isnull=True, judgment__block__control="")
_LENT = Q(assignment__isnull=False)


class _QuarterHour(Func):
    """The quarter of an hour that contains a point in time."""

    function = "date_bin"
    template = (
        "%(function)s('15 minutes', %(expressions)s, TIMESTAMPTZ '2000-01-01 00:00+00')"
    )
    output_field = DateTimeField()


class CountedTally(NamedTuple):
    """Columns of a `JudgeTally`."""

    judge_id: int
    judged: int
    first_number: int | None
    first_at: datetime | None
    skipped: int
    last_at: datetime


class CountedQuarterHour(NamedTuple):
    """Columns of a `WorkedQuarterHour`."""

    judge_id: int
    start: datetime
    sentences: int
    active_ms: int
    untimed: int
    judged: int


def tallies_counted(
    *,
    task_id: int,
    judges: Collection[int] | None = None,
) -> set[CountedTally]:
    """Count the numbered judgments of judges in a task, and their counted skips; of all judges by default.

    Reads all of these. The caller holds the lock of the task's `JudgmentSequence`, so that nothing is numbered or
    counted in the meantime.
    """
    numbers: Any = JudgmentNumber.objects.filter(task=task_id)
    skips = _counted_skips(task_id, judges)
    if judges is not None:
        numbers = numbers.filter(judgment__judge__in=judges)
    of_judgments = numbers.order_by().values(judge_id=F("judgment__judge"))
    tallies = {}
    for row in of_judgments.annotate(
        judged=Count("pk", filter=_FIRST),
        first_number=Min("number", filter=_FIRST),
        first_at=Min("judgment__submitted_at", filter=_FIRST),
        last_at=Max("judgment__submitted_at"),
    ):
        tally = CountedTally(**row, skipped=0)
        tallies[tally.judge_id] = tally
    is_standing = Q(judged_at__isnull=True, block__control="")
    for row in skips.values("judge_id").annotate(
        skipped=Count("pk", filter=is_standing),
        last_at=Max("created_at"),
    ):
        tally = CountedTally(**row, judged=0, first_number=None, first_at=None)
        judged = tallies.get(tally.judge_id)
        if judged is not None:
            last_at = max(judged.last_at, tally.last_at)
            tally = judged._replace(skipped=tally.skipped, last_at=last_at)
        tallies[tally.judge_id] = tally
    return set(tallies.values())


def quarter_hours_counted(
    *,
    task_id: int,
    judges: Collection[int] | None = None,
) -> set[CountedQuarterHour]:
    """Count the work of judges in a task by quarter of an hour; of all judges by default.

    Reads as `tallies_counted` does.
    """
    own_skip = Skip.objects.filter(
        judge=OuterRef("judge"),
        block=OuterRef("block"),
    ).exclude(waits(is_skip=True))
    judgments: Any = Judgment.objects.filter(numbered__task=task_id).annotate(
        skipped_at=Subquery(own_skip.values("created_at")),
    )
    if judges is not None:
        judgments = judgments.filter(judge__in=judges)
    is_first = Q(supersedes__isnull=True)
    is_judged = is_first & Q(block__control="")
    is_earlier = Q(skipped_at__isnull=True) | Q(submitted_at__lt=F("skipped_at"))
    not_later = Q(judged_at__isnull=True) | Q(created_at__lte=F("judged_at"))
    of_judgments = _work_by_quarter_hour(
        judgments.filter(_LENT | is_judged),
        "submitted_at",
        is_sentence=is_first & is_earlier,
        is_judged=is_judged,
    )
    of_skips = _work_by_quarter_hour(
        _counted_skips(task_id, judges).filter(_LENT),
        "created_at",
        is_sentence=not_later,
        is_judged=Q(pk__in=[]),
    )
    quarters: dict[tuple[int, datetime], CountedQuarterHour] = {}
    for row in chain(of_judgments, of_skips):
        quarter = CountedQuarterHour(**row)
        earlier = quarters.get((quarter.judge_id, quarter.start))
        quarters[quarter.judge_id, quarter.start] = _sum(quarter, earlier)
    return set(quarters.values())


def _counted_skips(task_id: int, judges: Collection[int] | None) -> QuerySet[Skip, Any]:
    """Return the counted skips, each with the time at which its block was judged, if that judgment is numbered."""
    first = Judgment.objects.filter(
        judge=OuterRef("judge"),
        block=OuterRef("block"),
        supersedes__isnull=True,
        numbered__isnull=False,
    )
    skips = Skip.objects.filter(task=task_id).exclude(waits(is_skip=True))
    if judges is not None:
        skips = skips.filter(judge__in=judges)
    return skips.annotate(judged_at=Subquery(first.values("submitted_at"))).order_by()


def _work_by_quarter_hour(rows: Any, time: str, *, is_sentence: Q, is_judged: Q) -> Any:
    return (
        rows.order_by()
        .annotate(start=_QuarterHour(time))
        .values("judge_id", "start")
        .annotate(
            sentences=Count("pk", filter=_LENT & is_sentence),
            milliseconds=Sum("active_ms", filter=_LENT, default=0),
            untimed=Count("pk", filter=_LENT & Q(active_ms__isnull=True)),
            judged=Count("pk", filter=is_judged),
        )
        .values(
            "judge_id",
            "start",
            "sentences",
            "untimed",
            "judged",
            active_ms=F("milliseconds"),
        )
    )


def _sum(
    quarter: CountedQuarterHour,
    other: CountedQuarterHour | None,
) -> CountedQuarterHour:
    if other is None:
        return quarter
    return quarter._replace(
        sentences=quarter.sentences + other.sentences,
        active_ms=quarter.active_ms + other.active_ms,
        untimed=quarter.untimed + other.untimed,
        judged=quarter.judged + other.judged,
    )

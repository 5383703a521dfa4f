"""Counters over the judgments and skips of a task: recounted now, and as stored for pages."""

from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

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

from annotation.models import (
    JudgeTally,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    Skip,
    WorkedQuarterHour,
)
from annotation.models.numbers import waits

# A judge's first judgment of a block, controls excluded.
_FIRST = Q(judgment__supersedes__isnull=True, judgment__block__control="")
_LENT = Q(assignment__isnull=False)
_NONE = Q(pk__in=[])


class _QuarterHour(Func):
    """The quarter of an hour that a moment is in."""

    function = "date_bin"
    template = "%(function)s('15 minutes', %(expressions)s, TIMESTAMPTZ '2000-01-01 00:00+00')"
    output_field = DateTimeField()


@dataclass(frozen=True, slots=True)
class JudgeCount:
    """Columns of a `JudgeTally`; `skipped` excludes withdrawn skips."""

    last_at: datetime
    judged: int = 0
    first_number: int | None = None
    first_at: datetime | None = None
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class WorkedCount:
    """The columns of a `WorkedQuarterHour`."""

    sentences: int = 0
    active_ms: int = 0
    untimed: int = 0
    judged: int = 0

    def __add__(self, other: "WorkedCount") -> "WorkedCount":
        return WorkedCount(
            self.sentences + other.sentences,
            self.active_ms + other.active_ms,
            self.untimed + other.untimed,
            self.judged + other.judged,
        )


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters over judgments 1 to the last number and counted skips, as pages read them.

    `worked` is by judge and quarter of an hour.
    """

    judged: int
    judges: int
    skipped: int
    most_candidates: int
    tallies: dict[int, JudgeCount]
    worked: dict[tuple[int, datetime], WorkedCount]

    def differing(self, other: "Counters") -> list[str]:
        """Return the names of the parts that are not the same in both.

        Of what judges worked, the sums are compared: a sentence skipped in one tab and judged in another
        at the same time may count in either's quarter of an hour.
        """
        names = [field.name for field in fields(self) if field.name != "worked"]
        differing = [name for name in names if getattr(self, name) != getattr(other, name)]
        return differing if _by_judge(self) == _by_judge(other) else [*differing, "worked"]


def _by_judge(counters: Counters) -> dict[int, WorkedCount]:
    sums: dict[int, WorkedCount] = {}
    for (judge, _start), worked in counters.worked.items():
        sums[judge] = sums.get(judge, WorkedCount()) + worked
    return sums


def counters_counted(*, task_id: int) -> Counters:
    """Count all judgments of a test set that have a number, and its counted skips; reads each of them.

    What is counted meanwhile may be in one query and not in another, so the caller reads from one snapshot,
    or holds the lock of the test set's `JudgmentSequence`.
    """
    numbers: Any = JudgmentNumber.objects.filter(task=task_id).order_by()
    counted = numbers.values("judgment__judge").annotate(
        judged=Count("pk", filter=_FIRST),
        first_number=Min("number", filter=_FIRST),
        first_at=Min("judgment__submitted_at", filter=_FIRST),
        last_at=Max("judgment__submitted_at"),
    )
    columns = ("last_at", "judged", "first_number", "first_at")
    tallies = {
        judge: JudgeCount(*row) for judge, *row in counted.values_list("judgment__judge", *columns)
    }
    for judge, skipped, last_at in _skips_by_judge(task_id):
        tally = tallies.get(judge, JudgeCount(last_at))
        latest = max(tally.last_at, last_at)
        tallies[judge] = replace(tally, last_at=latest, skipped=skipped)
    most = numbers.aggregate(most=Max("judgment__labels__len"))["most"]
    return Counters(
        judged=sum(tally.judged for tally in tallies.values()),
        judges=sum(tally.judged > 0 for tally in tallies.values()),
        skipped=sum(tally.skipped for tally in tallies.values()),
        most_candidates=most or 0,
        tallies=tallies,
        worked=_worked(task_id),
    )


def _counted_skips(task_id: int) -> QuerySet[Skip, Any]:
    """Return the counted skips, each with when its block was judged, if that has a number."""
    first = Judgment.objects.filter(
        judge=OuterRef("judge"),
        block=OuterRef("block"),
        supersedes__isnull=True,
        numbered__isnull=False,
    )
    return (
        Skip.objects.filter(task=task_id)
        .exclude(waits(is_skip=True))
        .annotate(judged_at=Subquery(first.values("submitted_at")))
        .order_by()
    )


def _skips_by_judge(task_id: int) -> list[tuple[int, int, datetime]]:
    is_standing = Q(judged_at__isnull=True, block__control="")
    rows: Any = _counted_skips(task_id).values("judge")
    counted = rows.annotate(standing=Count("pk", filter=is_standing), last=Max("created_at"))
    return list(counted.values_list("judge", "standing", "last"))


def _worked(task_id: int) -> dict[tuple[int, datetime], WorkedCount]:
    own_skip = Skip.objects.filter(judge=OuterRef("judge"), block=OuterRef("block")).exclude(
        waits(is_skip=True)
    )
    judgments = Judgment.objects.filter(numbered__task=task_id).annotate(
        skipped_at=Subquery(own_skip.values("created_at"))
    )
    is_first = Q(supersedes__isnull=True)
    is_judged = is_first & Q(block__control="")
    is_earlier = Q(skipped_at__isnull=True) | Q(submitted_at__lt=F("skipped_at"))
    skips = _counted_skips(task_id)
    not_later = Q(judged_at__isnull=True) | Q(created_at__lte=F("judged_at"))
    found: dict[tuple[int, datetime], WorkedCount] = {}
    for rows in (
        _by_quarter_hour(
            judgments.filter(_LENT | is_judged),
            "submitted_at",
            is_sentence=is_first & is_earlier,
            is_judged=is_judged,
        ),
        _by_quarter_hour(skips.filter(_LENT), "created_at", is_sentence=not_later, is_judged=_NONE),
    ):
        for judge, start, *counts in rows:
            known = found.get((judge, start), WorkedCount())
            found[judge, start] = known + WorkedCount(*(count or 0 for count in counts))
    return found


def _by_quarter_hour(rows: Any, at: str, *, is_sentence: Q, is_judged: Q) -> Any:
    return (
        rows.order_by()
        .annotate(start=_QuarterHour(at))
        .values_list("judge", "start")
        .annotate(
            sentences=Count("pk", filter=_LENT & is_sentence),
            milliseconds=Sum("active_ms", filter=_LENT),
            untimed=Count("pk", filter=_LENT & Q(active_ms__isnull=True)),
            judged=Count("pk", filter=is_judged),
        )
    )


def counters_stored(*, task_id: int) -> Counters:
    """Return the counters that pages read. Three queries."""
    sequence = JudgmentSequence.objects.filter(pk=task_id).first() or JudgmentSequence()
    tallies = JudgeTally.objects.filter(task=task_id).values_list(
        "judge", "last_at", "judged", "first_number", "first_at", F("skipped") - F("taken_back")
    )
    worked = WorkedQuarterHour.objects.filter(task=task_id).values_list(
        "judge", "start", "sentences", "active_ms", "untimed", "judged"
    )
    return Counters(
        judged=sequence.judged,
        judges=sequence.judges,
        skipped=sequence.skipped,
        most_candidates=sequence.most_candidates,
        tallies={judge: JudgeCount(*columns) for judge, *columns in tallies},
        worked={(judge, start): WorkedCount(*counts) for judge, start, *counts in worked},
    )

"""Counters over the judgments and skips of a task, recounted or as stored for pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import chain
from typing import Any, Final

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


class _QuarterHour(Func):
    """The quarter of an hour that contains a point in time."""

    function = "date_bin"
    template = "%(function)s('15 minutes', %(expressions)s, TIMESTAMPTZ '2000-01-01 00:00+00')"
    output_field = DateTimeField()


# Columns of `JudgeTally`, where `skipped` counts only standing skips, and of `WorkedQuarterHour`.
TALLY: Final = ("judged", "first_number", "first_at", "skipped", "last_at")
WORKED: Final = ("sentences", "active_ms", "untimed", "judged")


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters over judgments 1 to the last number and counted skips, as pages read them.

    `tallies` holds the columns `TALLY` by judge, `worked` the columns `WORKED` by judge and quarter of an hour.
    """

    judged: int
    judges: int
    skipped: int
    most_candidates: int
    tallies: dict[int, tuple[Any, ...]]
    worked: dict[tuple[int, datetime], tuple[int, ...]]

    def differing(self, other: "Counters") -> list[str]:
        """Return the names of the parts that differ between the two.

        Work is compared by its sums per judge: a sentence skipped in one tab and judged in another
        at the same time may count in either quarter of an hour.
        """
        names = [field.name for field in fields(self) if field.name != "worked"]
        differing = [name for name in names if getattr(self, name) != getattr(other, name)]
        return differing if _by_judge(self) == _by_judge(other) else [*differing, "worked"]


def _by_judge(counters: Counters) -> dict[int, tuple[int, ...]]:
    return _added(((judge,), counts) for (judge, _start), counts in counters.worked.items())


def _added(rows: Iterable[tuple[Any, Sequence[int | None]]]) -> dict[Any, tuple[int, ...]]:
    """Return the sums of counts by key."""
    sums: dict[Any, tuple[int, ...]] = {}
    for key, counts in rows:
        before = sums.get(key, (0,) * len(counts))
        sums[key] = tuple(a + (b or 0) for a, b in zip(before, counts, strict=True))
    return sums


def counters_counted(*, task_id: int) -> Counters:
    """Count all numbered judgments of a task, and its counted skips; reads all of them.

    Answers counted in the meantime may appear in one query and not in another, so the caller must
    read from one snapshot, or hold the lock of the task's `JudgmentSequence`.
    """
    numbers: Any = JudgmentNumber.objects.filter(task=task_id).order_by()
    counted = numbers.values_list("judgment__judge").annotate(
        judged=Count("pk", filter=_FIRST),
        first_number=Min("number", filter=_FIRST),
        first_at=Min("judgment__submitted_at", filter=_FIRST),
        last_at=Max("judgment__submitted_at"),
    )
    tallies = {judge: (*first, 0, last_at) for judge, *first, last_at in counted}
    is_standing = Q(judged_at__isnull=True, block__control="")
    skips = _counted_skips(task_id).values_list("judge")
    for judge, skipped, last_at in skips.annotate(
        standing=Count("pk", filter=is_standing), last=Max("created_at")
    ):
        *first, _skipped, latest = tallies.get(judge, (0, None, None, 0, last_at))
        tallies[judge] = (*first, skipped, max(latest, last_at))
    most = numbers.aggregate(most=Max("judgment__labels__len"))["most"]
    return Counters(
        judged=sum(tally[0] for tally in tallies.values()),
        judges=sum(tally[0] > 0 for tally in tallies.values()),
        skipped=sum(tally[3] for tally in tallies.values()),
        most_candidates=most or 0,
        tallies=tallies,
        worked=_worked(task_id),
    )


def _counted_skips(task_id: int) -> QuerySet[Skip, Any]:
    """Return the counted skips, each with the time at which its block was judged, if that judgment is numbered."""
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


def _worked(task_id: int) -> dict[tuple[int, datetime], tuple[int, ...]]:
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
    of_judgments = _by_quarter_hour(
        judgments.filter(_LENT | is_judged),
        "submitted_at",
        is_sentence=is_first & is_earlier,
        is_judged=is_judged,
    )
    of_skips = _by_quarter_hour(
        skips.filter(_LENT), "created_at", is_sentence=not_later, is_judged=Q(pk__in=[])
    )
    return _added(
        ((judge, start), counts) for judge, start, *counts in chain(of_judgments, of_skips)
    )


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
        "judge", *TALLY[:3], F("skipped") - F("taken_back"), "last_at"
    )
    worked = WorkedQuarterHour.objects.filter(task=task_id).values_list("judge", "start", *WORKED)
    return Counters(
        judged=sequence.judged,
        judges=sequence.judges,
        skipped=sequence.skipped,
        most_candidates=sequence.most_candidates,
        tallies={judge: tuple(columns) for judge, *columns in tallies},
        worked={(judge, start): tuple(counts) for judge, start, *counts in worked},
    )

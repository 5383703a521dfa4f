"""The judgments of a test set as a list to filter, by number; and one of them with its texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, QuerySet

from annotation.models import JudgmentNumber, JudgmentSequence, ProblemReport
from annotation.models.block import by_candidate
from annotation.selectors.outputs_shown import outputs_of
from campaign.models import Output, TestSet

ROWS: Final = 50
#: Numbers that are looked through for a page, where no index finds what passes a filter.
WINDOW: Final = 3_000


class HasTies(Func):
    """True where a rank stands twice among labels."""

    template = "(SELECT count(label) > count(DISTINCT label) FROM unnest(%(expressions)s) label)"
    output_field = BooleanField()


class JudgmentListed(NamedTuple):
    """A judgment of a test set; `later` is the number of the one that corrects it."""

    number: int
    judge_id: int
    judge: str
    segment: int
    document: str
    block_id: int
    labels: list[int | None]
    active_ms: int | None
    duration_ms: int | None
    comment: str
    submitted_at: datetime
    control: str
    later: int | None
    is_reported: bool


def judgments_listed(*, test_set: TestSet) -> QuerySet[JudgmentNumber, Any]:
    """Return the numbers of a test set with what `JudgmentListed` needs. Controls are among them."""
    rows: QuerySet[Any, Any] = JudgmentNumber.objects.filter(test_set=test_set).annotate(
        judge_id=F("judgment__judge"),
        judge=F("judgment__judge__pseudonym"),
        segment=F("judgment__block__segment__number"),
        document=F("judgment__block__segment__document__name"),
        block_id=F("judgment__block"),
        labels=F("judgment__labels"),
        active_ms=F("judgment__active_ms"),
        duration_ms=F("judgment__duration_ms"),
        comment=F("judgment__comment"),
        submitted_at=F("judgment__submitted_at"),
        control=F("judgment__block__control"),
        later=F("judgment__superseded_by__numbered__number"),
        is_reported=reported_by_judge(),
    )
    return rows


def reported_by_judge() -> Exists:
    """Return a condition of numbers of judgments: the judge reported a problem with the block."""
    reports = ProblemReport.objects.filter(
        block=OuterRef("judgment__block"), judge=OuterRef("judgment__judge")
    )
    return Exists(reports)


def shows_system(name: str) -> Exists:
    """Return a condition of numbers of judgments: the block shows an output of the system of this name."""
    return Exists(outputs_of("judgment__block__").filter(system__name=name))


@dataclass(frozen=True, slots=True)
class JudgmentsPage:
    """Some judgments in order. `then` is the number from which the next page goes on, if there may be one.

    `looked` are the numbers that were looked through, if not all could be.
    """

    rows: tuple[JudgmentListed, ...]
    then: int | None
    looked: tuple[int, int] | None


def judgments_page(
    found: QuerySet[JudgmentNumber, Any],
    *,
    test_set: TestSet,
    start: int | None,
    oldest_first: bool,
    is_indexed: bool,
) -> JudgmentsPage:
    """Return at most `ROWS` of the judgments found, the latest first, or those after or before `start`. Two queries.

    Unless an index finds them (`is_indexed`), `WINDOW` numbers are looked through, and no more.
    """
    sequence = JudgmentSequence.objects.filter(pk=test_set.pk).values_list("last_number", flat=True)
    last = sequence.first() or 0
    if oldest_first:
        low = (start or 0) + 1
        high = last if is_indexed else min(last, low + WINDOW - 1)
    else:
        high = min(last, last if start is None else start - 1)
        low = 1 if is_indexed else max(1, high - WINDOW + 1)
    order = "number" if oldest_first else "-number"
    within = found.filter(number__gte=low, number__lte=high).order_by(order)
    rows = [JudgmentListed(*row) for row in within.values_list(*JudgmentListed._fields)[: ROWS + 1]]
    shown = tuple(rows[:ROWS])
    if len(rows) > ROWS:
        return JudgmentsPage(shown, then=shown[-1].number, looked=None)
    is_all = high >= last if oldest_first else low <= 1
    if is_all:
        return JudgmentsPage(shown, then=None, looked=None)
    return JudgmentsPage(shown, then=high if oldest_first else low, looked=(low, high))


@dataclass(frozen=True, slots=True)
class RankedText:
    """A candidate of a block: the text, the systems behind it, and the rank that it got."""

    text: str | None
    systems: tuple[str, ...]
    rank: int | None


def ranked_texts(
    *, outputs: Sequence[int], stands_for: Sequence[int] | None, labels: Sequence[int | None]
) -> list[RankedText]:
    """Return the candidates of a block as its judge saw them, in their order. One query."""
    rows = Output.objects.filter(pk__in=outputs).select_related("system")
    by_id = {output.pk: output for output in rows}
    shown = by_candidate([by_id[output] for output in outputs], stands_for)
    return [
        RankedText(each[0].text, tuple(sorted(output.system.name for output in each)), label)
        for each, label in zip(shown, labels, strict=True)
    ]


#: By what an index finds judgments.
INDEXED: Final = ("judge", "segment", "document", "comment", "reported")


def with_comment(has: bool) -> Q:
    """Return a condition of numbers of judgments."""
    return ~Q(judgment__comment="") if has else Q(judgment__comment="")

"""The test sets of a campaign with what they consist of."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Design, JudgmentSequence
from campaign.models import Campaign, Document, Segment, System, SystemKind, Task

_RANKED = Q(kind__in=[SystemKind.SYSTEM, SystemKind.REFERENCE])


@dataclass(frozen=True, slots=True)
class DescribedTestSet:
    """A test set, how many texts it has, the systems that are ranked, and its design in words."""

    __test__ = False

    task: Task
    segments: int
    documents: int
    systems: int
    judged: int
    design: str


def tasks_listed(*, campaign: Campaign) -> QuerySet[Task]:
    """Return the test sets of a campaign in the order in which they came, with what they consist of.

    `segment_count`, `document_count` and `system_count`, of the systems that are ranked; `judged`, and `drawn_by`,
    the kind of the design in force, or None. One query a page.
    """
    judged = JudgmentSequence.objects.filter(task=OuterRef("pk")).values("judged")
    designs = Design.objects.filter(task=OuterRef("pk")).not_imported().order_by("-pk")
    return (
        Task.objects.of(campaign)
        .named()
        .annotate(
            segment_count=_count(Segment.objects.all()),
            document_count=_count(Document.objects.all()),
            system_count=_count(System.objects.filter(_RANKED)),
            judged=Coalesce(Subquery(judged), 0),
            drawn_by=Subquery(designs.values("kind")[:1]),
        )
        .order_by("test_set__created_at", "test_set", "pk")
    )


def tasks_described(*, campaign: Campaign) -> list[DescribedTestSet]:
    """Return the test sets of a campaign in the order in which they came. One query."""
    rows: Any = tasks_listed(campaign=campaign)
    return [
        DescribedTestSet(
            task=row,
            segments=row.segment_count,
            documents=row.document_count,
            systems=row.system_count,
            judged=row.judged,
            design=design_in_words(row.drawn_by),
        )
        for row in rows
    ]


def design_in_words(kind: str | None) -> str:
    """Return what a design is called; nothing without one."""
    return "" if kind is None else str(Design.Kind(kind).label)


def _count(rows: "QuerySet[Segment] | QuerySet[Document] | QuerySet[System]") -> Coalesce:
    counted = rows.filter(test_set=OuterRef("test_set")).order_by().values("test_set")
    return Coalesce(Subquery(counted.annotate(n=Count("pk")).values("n")), 0)

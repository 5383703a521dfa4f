"""The test sets of a campaign with what they consist of."""

from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Design, JudgmentSequence
from campaign.models import Campaign, Document, Segment, System, SystemKind, TestSet
from campaign.selectors import test_sets_in_order

_RANKED = Q(kind__in=[SystemKind.SYSTEM, SystemKind.REFERENCE])


@dataclass(frozen=True, slots=True)
class DescribedTestSet:
    """A test set, how many texts it has, the systems that are ranked, and its design in words."""

    __test__ = False

    test_set: TestSet
    segments: int
    documents: int
    systems: int
    judged: int
    design: str


def test_sets_described(*, campaign: Campaign) -> list[DescribedTestSet]:
    """Return the test sets of a campaign in the order in which they came. Three queries."""
    judged = JudgmentSequence.objects.filter(test_set=OuterRef("pk")).values("judged")
    counts = {
        row[0]: row[1:]
        for row in TestSet.objects.filter(campaign=campaign).values_list(
            "pk",
            _count(Segment.objects.all()),
            _count(Document.objects.all()),
            _count(System.objects.filter(_RANKED)),
            Coalesce(Subquery(judged), 0),
        )
    }
    designs = {
        design.test_set_id: design
        for design in Design.objects.filter(test_set__campaign=campaign)
        .not_imported()
        .order_by("pk")
    }
    found = []
    for row in test_sets_in_order(campaign):
        segments, documents, systems, blocks = counts[row.pk]
        design = designs[row.pk].get_kind_display() if row.pk in designs else ""
        found.append(DescribedTestSet(row, segments, documents, systems, blocks, design))
    return found


def _count(rows: "QuerySet[Segment] | QuerySet[Document] | QuerySet[System]") -> Coalesce:
    counted = rows.filter(test_set=OuterRef("pk")).order_by().values("test_set")
    return Coalesce(Subquery(counted.annotate(n=Count("pk")).values("n")), 0)

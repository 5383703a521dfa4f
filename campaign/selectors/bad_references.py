"""Damaged references that wait for a reviewer."""

from django.db.models import Count, Prefetch
from django.utils.translation import gettext as _

from campaign.models import BadReference, Reference, TestSet


def bad_references_to_review(
    *, test_set: TestSet, status: str, limit: int
) -> tuple[list[BadReference], dict[str, int]]:
    """Return the first `limit` damaged references of a status by segment, and how many there are of each status.

    Three queries.
    """
    rows = BadReference.objects.of(test_set.pk)
    counts = dict(rows.order_by().values_list("status").annotate(count=Count("pk")))
    references = Prefetch(
        "output__segment__references", Reference.objects.order_by("number"), to_attr="in_order"
    )
    found = (
        rows.filter(status=status)
        .in_order()
        .select_related("output__segment__document", "reviewed_by")
        .prefetch_related(references)
    )
    return list(found[:limit]), counts


def withdrawal_in_words(segment: int) -> list[str]:
    """Return the effects of rejecting the approved damaged reference of a segment, a sentence each."""
    return [
        _("The damaged reference of segment %(number)d is no longer shown to judges.")
        % {"number": segment},
        _("Existing judgments are kept."),
        _("This cannot be undone."),
    ]

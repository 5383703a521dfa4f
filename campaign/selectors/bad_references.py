"""Damaged references that wait for a reviewer."""

from django.db.models import Count, F, Prefetch, QuerySet
from django.utils.translation import gettext as _

from campaign.models import BadReference, Reference


def bad_references_of(*, test_set_id: int) -> QuerySet[BadReference]:
    """Return the damaged references of a test set by segment, each with the `segment_number`.

    Their segments have the references as `in_order`. Two queries.
    """
    references = Prefetch(
        "output__segment__references",
        Reference.objects.order_by("number"),
        to_attr="in_order",
    )
    return (
        BadReference.objects.of(test_set_id)
        .annotate(segment_number=F("output__segment__number"))
        .select_related("output__segment__document", "reviewed_by")
        .prefetch_related(references)
        .order_by("segment_number")
    )


def bad_references_counted(*, test_set_id: int) -> dict[str, int]:
    """Return the number of damaged references of a test set by status, without zeros."""
    rows = BadReference.objects.of(test_set_id).values_list("status")
    return dict(rows.annotate(count=Count("pk")))


def withdrawal_in_words(segment: int) -> list[str]:
    """Return the effects of rejecting the approved damaged reference of a segment, one sentence each."""
    return [
        _("The damaged reference of segment %(number)d is no longer shown to judges.")
        % {"number": segment},
        _("Existing judgments are kept."),
        _("This cannot be undone."),
    ]

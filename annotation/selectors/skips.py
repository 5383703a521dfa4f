"""The skips of a test set, as the members of a campaign read them."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Judgment, Skip
from campaign.models import TestSet


def skips_listed(*, test_set: TestSet) -> QuerySet[Skip]:
    """Return skips with judge and segment, the latest first; `is_judged`: the judge ranked the block all the same."""
    ranked = Judgment.objects.filter(judge=OuterRef("judge"), block=OuterRef("block"))
    return (
        Skip.objects.filter(test_set=test_set)
        .select_related("judge", "block__segment__document")
        .annotate(is_judged=Exists(ranked))
        .order_by("-pk")
    )

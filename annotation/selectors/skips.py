"""The skips of a test set, as the members of a campaign read them."""

from django.db.models import BooleanField, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery

from annotation.models import Judgment, Skip
from campaign.models import Task


def skips_listed(*, task: Task) -> QuerySet[Skip]:
    """Return skips with judge and segment, the latest first; `is_judged`: the judge ranked the block all the same."""
    # Not Exists: for that PostgreSQL may read and hash all judgments there are, for a page of a hundred skips.
    ranked = Judgment.objects.filter(judge=OuterRef("judge"), block=OuterRef("block"))[:1]
    return (
        Skip.objects.filter(task=task)
        .select_related("judge", "block__segment__document")
        .alias(ranked=Subquery(ranked.values("pk")))
        .annotate(is_judged=ExpressionWrapper(Q(ranked__isnull=False), BooleanField()))
        .order_by("-pk")
    )

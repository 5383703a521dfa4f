"""Stored ranking runs, and what still has to be ranked."""

from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from annotation.models import JudgmentSequence
from ranking.models import RankingRun


def latest_run(*, test_set_id: int) -> RankingRun | None:
    """Return the newest ranking run of a test set."""
    return RankingRun.objects.of(test_set_id).order_by("-id").first()


def due_test_sets() -> list[int]:
    """Return the test sets with judgments newer than their latest ranking run.

    One query: for each test set one step into the index on runs.
    """
    ranked_to = RankingRun.objects.filter(test_set=OuterRef("test_set")).order_by("-id")
    due = (
        JudgmentSequence.objects.alias(
            ranked_to=Coalesce(Subquery(ranked_to.values("watermark")[:1]), 0)
        )
        .filter(last_number__gt=F("ranked_to"))
        .order_by("test_set_id")
    )
    return list(due.values_list("test_set_id", flat=True))


def ranking_is_due(*, test_set_id: int) -> bool:
    """Say whether a test set has judgments newer than its latest ranking run."""
    run = RankingRun.objects.of(test_set_id).order_by("-id").values("watermark")
    return (
        JudgmentSequence.objects.filter(test_set_id=test_set_id)
        .filter(last_number__gt=Coalesce(Subquery(run[:1]), 0))
        .exists()
    )

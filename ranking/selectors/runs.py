"""Stored ranking runs, and what still has to be ranked."""

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import JudgmentSequence
from annotation.selectors import excluded_judges_by_campaign
from ranking.models import RankingRun


def latest_run(*, test_set_id: int) -> RankingRun | None:
    """Return the newest ranking run of a test set."""
    return RankingRun.objects.of(test_set_id).order_by("-id").first()


def due_test_sets() -> list[int]:
    """Return the test sets whose latest ranking run is of fewer judgments, or of other judges.

    Two queries: for each test set one step into the index on runs, and who is excluded anywhere.
    """
    return _due(JudgmentSequence.objects.order_by("test_set_id"))


def ranking_is_due(*, test_set_id: int) -> bool:
    """Say whether a test set has newer judgments, or other judges, than its latest ranking run."""
    return bool(_due(JudgmentSequence.objects.filter(test_set_id=test_set_id)))


def _due(sequences: QuerySet[JudgmentSequence]) -> list[int]:
    runs = RankingRun.objects.filter(test_set=OuterRef("test_set")).order_by("-id")
    rows = sequences.filter(last_number__gt=0).annotate(
        ranked_to=Coalesce(Subquery(runs.values("watermark")[:1]), 0),
        without=Subquery(runs.values("parameters__excluded_judges")[:1]),
    )
    excluded = excluded_judges_by_campaign()
    return [
        row.test_set_id
        for row in rows.annotate(campaign=F("test_set__campaign"))
        if row.last_number > row.ranked_to or (row.without or []) != excluded.get(row.campaign, [])
    ]

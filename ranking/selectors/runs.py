"""Stored ranking runs, and test sets to rank."""

from dataclasses import fields

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, JSONObject

from annotation.models import JudgmentSequence
from annotation.selectors import excluded_judges_by_campaign
from ranking.models import RankingRun, RankingSettings
from ranking.range_choices import RangeChoice, recorded_choice


def latest_run(*, test_set_id: int) -> RankingRun | None:
    """Return the newest ranking run of a test set."""
    return RankingRun.objects.of(test_set_id).order_by("-id").first()


def due_test_sets() -> list[int]:
    """Return the ids of test sets whose latest ranking run is out of date.

    The run is out of date if it is of fewer judgments or other judges, or if its ranges do not
    follow the test set's settings. Two queries: one with a step into the indexes on runs and on
    settings for each test set, and one for excluded judges.
    """
    return _due(JudgmentSequence.objects.order_by("test_set_id"))


def ranking_is_due(*, test_set_id: int) -> bool:
    """Return whether the latest ranking run of a test set is out of date, see `due_test_sets`."""
    return bool(_due(JudgmentSequence.objects.filter(test_set_id=test_set_id)))


def _due(sequences: QuerySet[JudgmentSequence]) -> list[int]:
    runs = RankingRun.objects.filter(test_set=OuterRef("test_set")).order_by("-id")
    settings = RankingSettings.objects.filter(test_set=OuterRef("test_set")).order_by("-id")
    rows = sequences.filter(last_number__gt=0).annotate(
        ranked_to=Coalesce(Subquery(runs.values("watermark")[:1]), 0),
        without=Subquery(runs.values("parameters__excluded_judges")[:1]),
        made=Subquery(runs.values(made=_choice("parameters__"))[:1]),
        asked=Subquery(settings.values(asked=_choice())[:1]),
    )
    excluded = excluded_judges_by_campaign()
    return [
        row.test_set_id
        for row in rows.annotate(campaign=F("test_set__campaign"))
        if row.last_number > row.ranked_to
        or (row.without or []) != excluded.get(row.campaign, [])
        or recorded_choice(row.made) != recorded_choice(row.asked or {})
    ]


def _choice(prefix: str = "") -> JSONObject:
    """Return the JSON that `recorded_choice` reads, from fields or from keys of a JSON field."""
    names = [part.name for part in fields(RangeChoice)]
    return JSONObject(**{name: f"{prefix}{name}" for name in names})

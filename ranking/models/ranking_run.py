from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from ranking.models.ranking import Ranking


class KeptFor(models.TextChoices):
    """Why a ranking is kept for good; see `ranking.services.latest_rankings`."""

    FIRST = "first", _("the first ranking")
    GROWTH = "growth", _("two per cent more judgments")
    DAY = "day", _("the last ranking of a day")
    PARAMETERS = "parameters", _("other parameters")
    RULE = "rule", _("the first that met the stopping rule")
    ASKED = "asked", _("on request")


class RankingRunQuerySet(models.QuerySet["RankingRun"]):
    def of(self, task_id: int) -> "RankingRunQuerySet":
        return self.filter(task_id=task_id)


class RankingRun(Ranking):
    """A ranking that is kept. Immutable, and reproducible from what it records.

    The history of a test set: its milestones, not each ranking that was shown. The present one is its
    `LatestRanking`. An unsaved run is a ranking that is not kept, or not yet.
    """

    task = models.ForeignKey(
        "campaign.Task", on_delete=models.PROTECT, related_name="ranking_runs", db_index=False
    )
    kept_for = models.CharField(
        _("kept for"),
        max_length=10,
        choices=KeptFor,
    )
    comparisons = models.PositiveIntegerField(_("comparisons"))
    standings = models.JSONField(
        _("standings"),
        help_text=_("Rank, rank range, cluster and score of each system, best first."),
    )

    #: Of the latest ranking, what it says of the first one that met the stopping rule; no column.
    rule_met: dict[str, Any] | None = None

    withheld: ClassVar = "UPDATE, DELETE"
    objects: ClassVar[RankingRunQuerySet] = RankingRunQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("ranking run")
        verbose_name_plural = _("ranking runs")
        get_latest_by = "id"
        indexes = [models.Index(fields=["task", "-id"], name="ranking_run_latest")]
        constraints = [
            is_one_of("kept_for", KeptFor, name="ranking_run_kept_for_a_known_reason"),
        ]

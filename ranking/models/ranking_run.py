from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.triggers import is_one_of
from ranking.stored_judges import packed, unpacked


class ResultField(models.JSONField):
    """A result, whose agreement of judges the database holds in short: see `ranking.stored_judges`."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the value as it is stored."""
        return super().get_prep_value(packed(value))

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the stored value as it was computed."""
        return unpacked(super().from_db_value(value, expression, connection))


class Ranking(models.Model):
    """What a ranking records: its result, and all it needs to be computed again.

    Went in: the current judgments among numbers 1…`watermark` of the test
    set, less what `parameters` leaves out.
    """

    method = models.CharField(_("method"), max_length=40)
    parameters = models.JSONField(_("parameters"))
    seed = models.BigIntegerField(_("seed"))
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("Number of the last judgment in it.")
    )
    code_version = models.CharField(_("code version"), max_length=60)
    result = ResultField(_("result"))
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"), db_default=Now(), editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.method} at {self.watermark}"

    @property
    def recipe(self) -> tuple[object, ...]:
        """What the result follows from, besides the judgments."""
        return self.method, self.parameters, self.seed, self.code_version


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


class LatestRanking(Ranking):
    """The present ranking of a test set: one row, which each new ranking replaces.

    Pages and REST show it. `choice`, `without` and `rule` repeat what `parameters` say of rank ranges, of
    excluded judges and of the stopping rule, so that the database finds by itself which test sets are to be ranked anew.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="latest_ranking",
        primary_key=True,
    )
    choice = models.JSONField(_("how its rank ranges are made"))
    without = ArrayField(
        models.TextField(),
        verbose_name=_("excluded judges"),
        help_text=_("Judges excluded in the whole campaign."),
    )
    rule = models.JSONField(
        _("stopping rule it was made under"),
        default=dict,
        db_default={},
        help_text=_("As its parameters say; empty without one."),
    )
    rule_met = models.JSONField(
        _("first ranking that met the rule"),
        null=True,
        blank=True,
        help_text=_("Its number, judgments, time and the criteria met; null while none has."),
    )
    last_kept = models.ForeignKey(
        RankingRun,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,  # runs are never deleted
        help_text=_("The newest ranking that is kept for good."),
    )
    is_kept = models.BooleanField(_("is kept"), help_text=_("True for the newest one kept."))

    class Meta:
        verbose_name = _("latest ranking")
        verbose_name_plural = _("latest rankings")

    def as_run(self) -> RankingRun:
        """Return it as a run, without a primary key while it is not kept."""
        run = RankingRun(pk=self.last_kept_id if self.is_kept else None, task_id=self.task_id)
        for field in Ranking._meta.local_fields:
            setattr(run, field.name, getattr(self, field.name))
        run.rule_met = self.rule_met
        return run

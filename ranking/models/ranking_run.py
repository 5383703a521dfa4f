from typing import ClassVar

from django.db import models

from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.records import RecordedRule, RuleMet


class Ranking(models.Model):
    """Record of a ranking: its result, and all inputs needed to recompute it.

    It is based on the current judgments among numbers 1…`watermark` of the test
    set, without those that `parameters` excludes.
    """

    method = models.CharField(max_length=40)
    parameters = models.JSONField()
    seed = models.BigIntegerField()
    watermark = models.PositiveIntegerField(
        help_text="Number of the last judgment in it.",
    )
    code_version = models.CharField(max_length=60)
    result = models.JSONField()
    started_at = models.DateTimeField()
    finished_at = inserted_at()

    class Meta:
        abstract = True

    @property
    def recipe(self) -> tuple[object, ...]:
        """Inputs of the result, besides the judgments. Parameters of the method that were added later have defaults."""
        method = {
            **METHODS[self.method].defaults,
            **self.parameters["method_parameters"],
        }
        parameters = {**self.parameters, "method_parameters": method}
        return self.method, parameters, self.seed, self.code_version


class KeptFor(models.TextChoices):
    """Reason for keeping a ranking permanently; see `ranking.services.kept_rankings`."""

    FIRST = "first"
    GROWTH = "growth"
    DAY = "day"
    PARAMETERS = "parameters"
    RULE = "rule"
    ASKED = "asked"


class RankingRun(Ranking):
    """A kept ranking: immutable, and reproducible from its record.

    The runs of a test set are its milestones, not every ranking that was shown. The current one is its
    `LatestRanking`. An unsaved run is a ranking that is not kept, or not kept yet.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="ranking_runs",
        db_index=False,
    )
    kept_for = models.CharField(max_length=10, choices=KeptFor)
    comparisons = models.PositiveIntegerField()
    standings = models.JSONField()

    #: First ranking that met the stopping rule, as recorded in the latest ranking. Not a column.
    rule_met: RuleMet | None = None

    withheld: ClassVar = "UPDATE, DELETE"

    class Meta:
        get_latest_by = "id"
        indexes = [models.Index(fields=["task", "-id"], name="ranking_run_latest")]
        constraints = [
            is_one_of("kept_for", KeptFor, name="ranking_run_kept_for_a_known_reason"),
        ]


class LatestRanking(Ranking):
    """Current ranking of a task: one row, replaced by each new ranking.

    Pages and REST show it.
    """

    task = models.OneToOneField(
        "campaign.Task",
        models.CASCADE,
        related_name="latest_ranking",
        primary_key=True,
    )
    #: The first ranking that met the rule: its number, judgments, time and criteria met.
    rule_met = models.JSONField(null=True, blank=True)
    last_kept = models.ForeignKey(
        RankingRun,
        models.PROTECT,
        related_name="+",
        db_index=False,  # runs are never deleted
    )
    is_kept = models.BooleanField()

    @property
    def rule(self) -> RecordedRule:
        """The stopping rule in force when it was computed; empty without one."""
        rule: RecordedRule = self.parameters.get("stopping_rule", {})
        return rule

    def as_run(self) -> RankingRun:
        """Return the ranking as a run, which has a primary key only if it is kept."""
        run = RankingRun(
            pk=self.last_kept_id if self.is_kept else None,
            task_id=self.task_id,
        )
        for field in Ranking._meta.local_fields:
            setattr(run, field.name, getattr(self, field.name))
        run.rule_met = self.rule_met
        return run

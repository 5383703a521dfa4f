""""""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now

from campaign.database.triggers import is_one_of


class ResultField(models.JSONField):
    """A result with its agreement of judges packed for the database; see `packed`."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the value in stored form."""
        return super().get_prep_value(packed(value))

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the stored value as it was computed."""
        return unpacked(super().from_db_value(value, expression, connection))


class Ranking(models.Model):
    """Record of a ranking: its result, and all inputs needed to recompute it.

    It is based on the current judgments among numbers 1…`watermark` of the test
    set, without those that `parameters` excludes.
    """

    method = models.CharField(max_length=40)
    parameters = models.JSONField()
    seed = models.BigIntegerField()
    watermark = models.PositiveIntegerField(help_text="Number of the last judgment in it.")
    code_version = models.CharField(max_length=60)
    result = ResultField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        abstract = True

    @property
    def recipe(self) -> tuple[object, ...]:
        """Inputs of the result, besides the judgments."""
        return self.method, self.parameters, self.seed, self.code_version


class KeptFor(models.TextChoices):
    """Reason for keeping a ranking permanently; see `ranking.services.runs`."""

    FIRST = "first"
    GROWTH = "growth"
    DAY = "day"
    PARAMETERS = "parameters"
    RULE = "rule"
    ASKED = "asked"


class RankingRunQuerySet(models.QuerySet["RankingRun"]):
    def of(self, task_id: int) -> "RankingRunQuerySet":
        return self.filter(task_id=task_id)


class RankingRun(Ranking):
    """A kept ranking: immutable, and reproducible from its record.

    The runs of a test set are its milestones, not every ranking that was shown. The current one is its
    `LatestRanking`. An unsaved run is a ranking that is not kept, or not kept yet.
    """

    task = models.ForeignKey(
        "campaign.Task", on_delete=models.PROTECT, related_name="ranking_runs", db_index=False
    )
    kept_for = models.CharField(max_length=10, choices=KeptFor)
    comparisons = models.PositiveIntegerField()
    standings = models.JSONField()

    #: First ranking that met the stopping rule, as recorded in the latest ranking. Not a column.
    rule_met: dict[str, Any] | None = None

    withheld: ClassVar = "UPDATE, DELETE"
    objects: ClassVar[RankingRunQuerySet] = RankingRunQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        get_latest_by = "id"
        indexes = [models.Index(fields=["task", "-id"], name="ranking_run_latest")]
        constraints = [
            is_one_of("kept_for", KeptFor, name="ranking_run_kept_for_a_known_reason"),
        ]


class LatestRanking(Ranking):
    """Current ranking of a task: one row, replaced by each new ranking.

    Pages and REST show it. `choice`, `without` and `rule` repeat the rank ranges, excluded judges
    and stopping rule in `parameters`, so that a query can find tasks that need a new ranking.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="latest_ranking",
        primary_key=True,
    )
    choice = models.JSONField()
    without = ArrayField(
        models.TextField(),
    )
    rule = models.JSONField(default=dict, db_default={})
    #: The first ranking that met the rule: its number, judgments, time and criteria met.
    rule_met = models.JSONField(null=True, blank=True)
    last_kept = models.ForeignKey(
        RankingRun,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,  # runs are never deleted
    )
    is_kept = models.BooleanField()

    def as_run(self) -> RankingRun:
        """Return the ranking as a run, which has a primary key only if it is kept."""
        run = RankingRun(pk=self.last_kept_id if self.is_kept else None, task_id=self.task_id)
        for field in Ranking._meta.local_fields:
            setattr(run, field.name, getattr(self, field.name))
        run.rule_met = self.rule_met
        return run


_FIELDS: Final = (
    "judge",
    "blocks",
    "comparisons",
    "ties",
    "comparable",
    "agreeing",
    "kappa",
    "low",
    "high",
    "p_chance",
    "reason",
    "no_interval",
)


def packed(result: Any) -> Any:
    """Return a result in packed form."""
    rows = [[row[name] for name in _FIELDS] for row in _judges_of(result)]
    return _with_judges(result, rows) if rows else result


def unpacked(result: Any) -> Any:
    """Return the result from the output of `packed`."""
    judges = [_named(row) for row in _judges_of(result)]
    return _with_judges(result, judges) if judges else result


def _judges_of(result: Any) -> list[Any]:
    agreement = result.get("agreement") if isinstance(result, dict) else None
    return agreement.get("judges", []) if isinstance(agreement, dict) else []


def _with_judges(result: dict[str, Any], judges: Sequence[Any]) -> dict[str, Any]:
    return result | {"agreement": result["agreement"] | {"judges": judges}}


def _named(row: Sequence[Any]) -> dict[str, Any]:
    named = dict(zip(_FIELDS, row, strict=True))
    comparable = named["comparable"]
    return named | {"p_agree": named["agreeing"] / comparable if comparable else None}

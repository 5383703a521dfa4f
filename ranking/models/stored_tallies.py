from typing import ClassVar

from django.db import models

from campaign.database.personal import KEPT_WITHHELD, PersonalData
from campaign.database.times import inserted_at


class StoredTallies(models.Model):
    """The tallies of a test set at a watermark, from which its next ranking starts; no history.

    Workers hold them in memory and store them at intervals: see `ranking.services.live_tallies`.
    They follow from the judgments, so the row may be deleted at any time.
    """

    task = models.OneToOneField(
        "campaign.Task",
        models.CASCADE,
        related_name="stored_tallies",
        primary_key=True,
    )
    #: Changed by each recount, to invalidate copies in memory.
    build = models.UUIDField()
    watermark = models.PositiveIntegerField(
        help_text="Number of the last judgment in it.",
    )
    definition = models.BinaryField()
    packed = models.BinaryField()
    #: The watermark of the last successful check.
    checked_watermark = models.PositiveIntegerField(default=0, db_default=0)
    stored_at = inserted_at()


class RankingUpkeep(models.Model):
    """State of the background work for a task's ranking; no history.

    It has the time and the watermark of the latest measures of judges (`JudgeMeasures`); each `QualityAction` keeps
    its own evidence.
    """

    task = models.OneToOneField(
        "campaign.Task",
        models.CASCADE,
        related_name="ranking_upkeep",
        primary_key=True,
    )
    measured_watermark = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Number of the last judgment in it.",
    )
    measured_at = models.DateTimeField(null=True, blank=True)


class JudgeMeasures(models.Model):
    """Latest quality measures of a judge in a task; `RankingUpkeep` has their watermark.

    Recomputed after each ranking, without history; only rows that change are written.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="judge_measures",
        db_index=False,  # the constraint begins with it
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.CASCADE,
        related_name="measures",
    )
    measures = models.JSONField()

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "task": KEPT_WITHHELD,
            "measures": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "judge"],
                name="judge_measures_once_in_a_task",
            ),
        ]

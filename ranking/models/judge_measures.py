from django.db import models
from django.utils.translation import gettext_lazy as _


class JudgeMeasures(models.Model):
    """What was last measured of a judge in a test set; `QualityReport` says by which judgments.

    Computed anew after each ranking, never history; only rows that change are written.
    """

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="judge_measures",
        db_index=False,  # the constraint begins with it
    )
    judge = models.ForeignKey("campaign.Judge", on_delete=models.CASCADE, related_name="measures")
    measures = models.JSONField(_("measures by name"))

    class Meta:
        verbose_name = _("measures of a judge")
        verbose_name_plural = _("measures of judges")
        constraints = [
            models.UniqueConstraint(fields=["task", "judge"], name="judge_measures_once_in_a_task"),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id} in {self.task_id}"

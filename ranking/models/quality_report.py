from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class QualityReport(models.Model):
    """When the judges of a test set were last measured, and by which judgments; never history.

    What was measured stands in `JudgeMeasures`. History is what followed from it: the evidence is kept
    with each `QualityAction`.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="quality_report",
        primary_key=True,
    )
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("Number of the last judgment in it.")
    )
    computed_at = models.DateTimeField(_("computed"), db_default=Now())

    class Meta:
        verbose_name = _("quality report")
        verbose_name_plural = _("quality reports")

    def __str__(self) -> str:
        return f"{self.task_id} at {self.watermark}"

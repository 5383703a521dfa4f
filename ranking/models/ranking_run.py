from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.triggers import NeverTruncated


class RankingRunQuerySet(models.QuerySet["RankingRun"]):
    def of(self, test_set_id: int) -> "RankingRunQuerySet":
        return self.filter(test_set_id=test_set_id)


class RankingRun(models.Model):
    """A computed ranking. Immutable, and reproducible from what it records.

    Went in: the current judgments among numbers 1…`watermark` of the test
    set, less what `parameters` leaves out.
    """

    test_set = models.ForeignKey(
        "campaign.TestSet", on_delete=models.PROTECT, related_name="ranking_runs"
    )
    method = models.CharField(_("method"), max_length=40)
    parameters = models.JSONField(_("parameters"))
    seed = models.BigIntegerField(_("seed"))
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("Number of the last judgment in it.")
    )
    code_version = models.CharField(_("code version"), max_length=60)
    result = models.JSONField(_("result"))
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"), db_default=Now(), editable=False)

    objects: ClassVar[RankingRunQuerySet] = RankingRunQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("ranking run")
        verbose_name_plural = _("ranking runs")
        get_latest_by = "id"
        indexes = [models.Index(fields=["test_set", "-id"], name="ranking_run_latest")]
        triggers = [
            pgtrigger.Protect(
                name="ranking_run_immutable", operation=pgtrigger.Update | pgtrigger.Delete
            ),
            NeverTruncated(name="ranking_run_never_truncated"),
        ]

    def __str__(self) -> str:
        return f"{self.method} of {self.test_set_id} at {self.watermark}"

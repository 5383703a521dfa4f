from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording


class OutputCorrection(RecordedModel):
    """A wrong output that an organiser replaced while judges may have seen it."""

    before = models.OneToOneField(
        "campaign.Output", on_delete=models.CASCADE, related_name="correction"
    )
    after = models.OneToOneField("campaign.Output", on_delete=models.CASCADE, related_name="+")
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    # Exclude judgments of blocks that showed the wrong text.
    leaves_out = models.BooleanField(_("exclude judgments"))
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    corrected_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )

    recording: ClassVar = Recording(
        fields=["reason", "leaves_out"],
        campaign="before__segment__test_set__campaign_id",
        test_set="before__segment__test_set_id",
        called="before__segment__number",
        deleted=False,
    )
    objects: ClassVar[RecordedQuerySet["OutputCorrection"]] = RecordedQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("corrected output of segment")
        verbose_name_plural = _("corrected outputs")

    def __str__(self) -> str:
        return f"{self.before_id} → {self.after_id}"

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class StoredTallies(models.Model):
    """The tallies of a test set at a watermark, from which its next ranking begins. Never history.

    Workers hold them in memory and store them now and then: see `ranking.services.live_tallies`.
    They follow from the judgments, so the row may be deleted at any time.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="stored_tallies",
        primary_key=True,
    )
    build = models.UUIDField(
        _("build"),
        help_text=_(
            "Changes whenever they were counted anew: what is in memory is of no use then."
        ),
    )
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("Number of the last judgment in it.")
    )
    definition = models.BinaryField(
        _("definition"), help_text=_("Digest of what they are of, and of the code that counts.")
    )
    names = models.JSONField(
        _("names"), help_text=_("Fingerprints of judges, segments and systems, by their keys.")
    )
    packed = models.BinaryField(_("tallies"), help_text=_("Compressed, with a checksum."))
    checked_watermark = models.PositiveIntegerField(
        _("checked"),
        default=0,
        db_default=0,
        help_text=_("The watermark at which they were last found to be right."),
    )
    stored_at = models.DateTimeField(_("stored"), db_default=Now(), editable=False)

    class Meta:
        verbose_name = _("stored tallies")
        verbose_name_plural = _("stored tallies")

    def __str__(self) -> str:
        return f"{self.task_id} at {self.watermark}"


class TalliesBuild(models.Model):
    """All judgments of a test set are being counted in the background; the row is gone when it is done."""

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="tallies_build",
        primary_key=True,
    )
    done = models.PositiveIntegerField(_("judgments counted"), default=0, db_default=0)
    judgments = models.PositiveIntegerField(_("judgments to be counted"))
    touched_at = models.DateTimeField(
        _("last heard of"),
        null=True,
        blank=True,
        help_text=_("Long ago: its worker or its message is gone."),
    )

    class Meta:
        verbose_name = _("counting of all judgments")
        verbose_name_plural = _("countings of all judgments")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.done} of {self.judgments}"

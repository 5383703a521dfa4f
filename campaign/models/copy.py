from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class CampaignCopyQuerySet(models.QuerySet["CampaignCopy"]):
    def of(self, campaign_id: int) -> "CampaignCopyQuerySet":
        return self.filter(campaign_id=campaign_id)


class CampaignCopy(models.Model):
    """A static copy of a campaign: pages in a zip, which open from a folder and change nothing.

    The same campaign gives the same bytes, so `digest` tells copies apart.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="copies"
    )
    has_texts = models.BooleanField(_("with texts"))
    language = models.CharField(_("language of its pages"), max_length=35)
    pages = models.PositiveIntegerField(_("pages"))
    size = models.PositiveBigIntegerField(_("bytes"))
    digest = models.CharField(_("SHA-256"), max_length=64)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, related_name="+", null=True, blank=True
    )
    made_at = models.DateTimeField(_("made"), db_default=Now(), editable=False)

    objects: ClassVar[CampaignCopyQuerySet] = CampaignCopyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("static copy")
        verbose_name_plural = _("static copies")
        get_latest_by = "id"
        constraints = [
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"),
                name="campaign_copy_digest_is_a_sha_256",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.digest[:16]}"


class CampaignCopyPart(models.Model):
    """Consecutive bytes of the zip of a static copy."""

    copy = models.ForeignKey(CampaignCopy, on_delete=models.CASCADE, related_name="parts")
    offset = models.PositiveBigIntegerField(_("offset in bytes"))
    content = models.BinaryField(_("content"))

    class Meta:
        verbose_name = _("part of a static copy")
        verbose_name_plural = _("parts of static copies")
        ordering = ["offset"]
        constraints = [
            models.UniqueConstraint(
                fields=["copy", "offset"], name="campaign_copy_part_offset_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.copy_id} from {self.offset}"

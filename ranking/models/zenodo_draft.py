from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.models import Job
from ranking.models.published_result import PublishedResult


class ZenodoHost(models.TextChoices):
    """Where a draft is made."""

    SANDBOX = "sandbox", _("sandbox.zenodo.org, to try it: what is there may be deleted")
    ZENODO = "zenodo", _("zenodo.org")


class ZenodoDraftQuerySet(models.QuerySet["ZenodoDraft"]):
    def of(self, result_id: int) -> "ZenodoDraftQuerySet":
        return self.filter(result_id=result_id)


class ZenodoDraft(models.Model):
    """A draft at Zenodo that holds the bundle of a published result, in the account whose token was given.

    Nothing here publishes it. `sealed_token` is encrypted, and gone once the job that needs it has ended.
    """

    result = models.ForeignKey(
        PublishedResult, on_delete=models.CASCADE, related_name="zenodo_drafts"
    )
    host = models.CharField(_("where"), max_length=7, choices=ZenodoHost)
    metadata = models.JSONField(_("metadata"), help_text=_("As they were sent."))
    sealed_token = models.BinaryField(_("token"), null=True, blank=True)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, related_name="+", null=True, blank=True)
    number = models.PositiveBigIntegerField(_("number at Zenodo"), null=True, blank=True)
    page = models.URLField(_("page at Zenodo"), max_length=500, blank=True, default="")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )
    asked_at = models.DateTimeField(_("asked"), db_default=Now(), editable=False)

    objects: ClassVar[ZenodoDraftQuerySet] = ZenodoDraftQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("draft at Zenodo")
        verbose_name_plural = _("drafts at Zenodo")
        constraints = [
            is_one_of("host", ZenodoHost, name="zenodo_draft_host_is_known"),
            models.CheckConstraint(
                condition=models.Q(number__isnull=True, page="")
                | (models.Q(number__isnull=False, sealed_token__isnull=True) & ~models.Q(page="")),
                name="zenodo_draft_made_has_a_page_and_no_token",
            ),
        ]

    def __str__(self) -> str:
        return self.page or f"{self.host}: {self.result_id}"

    @property
    def file_name(self) -> str:
        """Of the bundle at Zenodo."""
        return f"quintet-{self.result.address}.zip"

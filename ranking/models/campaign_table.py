from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class CampaignTableQuerySet(models.QuerySet["CampaignTable"]):
    def of(self, campaign_id: int) -> "CampaignTableQuerySet":
        return self.filter(campaign_id=campaign_id)

    def finished(self) -> "CampaignTableQuerySet":
        """Return those with an answer."""
        return self.filter(finished_at__isnull=False)


class CampaignTable(models.Model):
    """A table over the test sets of a campaign that was asked for, and what a worker computed.

    Like `Analysis`, of several test sets: what is in it follows from the judgments 1…watermark of each and from the
    other fields alone, and `ranking.services.campaign_tables.table_reproduce` computes it again, bit for bit. Tables
    of rankings that are there anyway are not stored.

    `test_sets` says of each test set what it was called, which systems it had, its watermark, and by name which
    judgments count.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="tables"
    )
    kind = models.CharField(_("kind"), max_length=40)
    choice = models.JSONField(_("choice"))
    choice_digest = models.CharField(
        _("digest of the choice"), max_length=32, help_text=_("The same for the same question.")
    )
    test_sets = models.JSONField(_("test sets, and their judgments that count"))
    code_version = models.CharField(_("code version"), max_length=60)
    content_key_version = models.PositiveSmallIntegerField(_("version of content keys"))
    digest = models.CharField(
        _("digest"), max_length=32, help_text=_("The same for the same answer.")
    )
    job = models.ForeignKey(
        "campaign.Job",
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        help_text=_("Which computes it."),
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, related_name="+", null=True, blank=True
    )
    asked_at = models.DateTimeField(_("asked"), db_default=Now(), editable=False)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    data = models.JSONField(_("answer for programs"), null=True, blank=True)
    reports = models.JSONField(_("answer for people"), null=True, blank=True)

    objects: ClassVar[CampaignTableQuerySet] = CampaignTableQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("table of a campaign")
        verbose_name_plural = _("tables of campaigns")
        get_latest_by = "id"
        indexes = [
            models.Index(
                fields=["campaign", "choice_digest", "-id"], name="campaign_table_of_choice"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "digest"], name="campaign_table_once_for_each_answer"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    finished_at__isnull=False, data__isnull=False, reports__isnull=False
                )
                | models.Q(finished_at__isnull=True, data__isnull=True, reports__isnull=True),
                name="campaign_table_has_an_answer_exactly_if_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.campaign_id}"

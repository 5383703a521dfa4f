from typing import TYPE_CHECKING, ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from campaign.models.user import User


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def run_by(self, user: "User") -> "CampaignQuerySet":
        """Return the campaigns this user organises."""
        return self.filter(memberships__user=user, memberships__role="organiser")

    def open_to(self, user: "User") -> "CampaignQuerySet":
        """Return the campaigns whose results this user may read, as organiser or researcher."""
        return self.filter(memberships__user=user)


class Campaign(models.Model):
    """One evaluation event, with its organisers, judges and rules."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=200)
    allow_partial_ranking = models.BooleanField(
        _("allow partial ranking"),
        default=False,
        help_text=_("A judge may leave some outputs of a block without a rank."),
    )
    blocks_per_judge = models.PositiveIntegerField(
        _("blocks asked of a judge"),
        null=True,
        blank=True,
        help_text=_("What a judge's progress is measured against; after that they are done."),
    )
    lease_minutes = models.PositiveIntegerField(
        _("lease in minutes"),
        default=60,
        help_text=_("How long a HIT is lent to a judge before it may be lent to another."),
    )
    show_source = models.BooleanField(
        _("show the source"),
        default=True,
        help_text=_("Off: judges compare outputs with the reference alone."),
    )
    show_reference = models.BooleanField(
        _("show the reference"),
        default=True,
        help_text=_("Off: judges compare outputs with the source alone."),
    )
    tour = models.BooleanField(
        _("tour for new judges"),
        default=True,
        help_text=_("Judges try the page on practice sentences before they begin."),
    )
    pay = models.CharField(
        _("pay"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_("What judges get for their work, in your words; shown before they begin."),
    )
    duration = models.CharField(
        _("duration"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_("How long the work takes, in your words; shown before they begin."),
    )
    contact = models.CharField(
        _("contact"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_("Whom judges may ask: a name, an address."),
    )
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)

    objects: ClassVar[CampaignQuerySet] = CampaignQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(lease_minutes__gte=1), name="campaign_lease_is_positive"
            ),
            models.CheckConstraint(
                condition=models.Q(blocks_per_judge__gte=1),
                name="campaign_blocks_per_judge_positive",
            ),
            models.CheckConstraint(
                condition=models.Q(show_source=True) | models.Q(show_reference=True),
                name="campaign_shows_source_or_reference",
            ),
        ]

    def __str__(self) -> str:
        return self.name

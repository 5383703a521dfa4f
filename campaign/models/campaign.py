from typing import TYPE_CHECKING, ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.models.state import CampaignState, StateFollows

if TYPE_CHECKING:
    from campaign.models.user import User


class CampaignQuerySet(RecordedQuerySet["Campaign"]):
    def with_role_of(self, user: "User | int | models.Expression") -> "CampaignQuerySet":
        """Return the campaigns this user is a member of, those in the bin too, each with their `role`."""
        return self.filter(memberships__user=user).annotate(role=models.F("memberships__role"))

    def kept(self) -> "CampaignQuerySet":
        """Leave out the campaigns in the bin."""
        return self.exclude(state=CampaignState.BIN)

    def real(self) -> "CampaignQuerySet":
        """Leave out rehearsals."""
        return self.filter(rehearsal_of=None)

    def open_to(self, user: "User") -> "CampaignQuerySet":
        """Return the campaigns this user may read, in whatever role."""
        return self.kept().filter(memberships__user=user)


class Campaign(RecordedModel):
    """One evaluation event, with its organisers, judges and rules."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=200)
    allow_partial_ranking = models.BooleanField(
        _("allow partial ranking"),
        default=False,
        help_text=_(
            "Judges may leave outputs unranked, but must rank at least two. Unranked "
            "outputs are left out of the comparison. If you switch this off, partial "
            "rankings that have not been received yet return to the judge to be completed; "
            "earlier judgments stay."
        ),
    )
    blocks_per_judge = models.PositiveIntegerField(
        _("blocks asked of a judge"),
        null=True,
        blank=True,
        help_text=_(
            "Empty: no limit. Judges stop after this many (they may finish the HIT in "
            "hand); if you raise the number, they can continue."
        ),
    )
    lease_minutes = models.PositiveIntegerField(
        _("Minutes a HIT is lent for"),
        default=60,
        help_text=_(
            "After that it may go to another judge. HITs already lent keep their time; late"
            " judgments are kept in any case."
        ),
    )
    show_source = models.BooleanField(
        _("show the source"),
        default=True,
        help_text=_(
            "If hidden, the source and its context are not sent to judges. Sentences that a"
            " judge has already loaded (at most two HITs) stay as they are."
        ),
    )
    show_reference = models.BooleanField(
        _("show the reference"),
        default=True,
        help_text=_(
            "The same applies to the reference. Judges need at least one of the two to "
            "compare with. A reference that judges see is not ranked, unless you ask for that; a "
            "hidden one may be, as a control."
        ),
    )
    pay = models.CharField(
        _("pay"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_(
            "Optional, in your words: “€15 an hour of active time”, “voluntary”. Judges read it before "
            "they begin; their measured time is shown to them."
        ),
    )
    duration = models.CharField(
        _("duration"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_("Optional, in your words: “about 40 minutes, whenever you like until 1 May”."),
    )
    contact = models.CharField(
        _("contact"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_("Optional: whom judges may ask. An e-mail address becomes a link."),
    )
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)
    rehearsal_of = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        related_name="rehearsal",
        null=True,
        blank=True,
        editable=False,
        help_text=_("The campaign that this one rehearses, with simulated judges."),
    )

    # The database refuses what `campaign.models.state` does not allow, and sets the two below.
    state = models.CharField(
        _("state"),
        max_length=8,
        choices=CampaignState,
        default=CampaignState.OPEN,
        db_default=CampaignState.OPEN,
    )
    state_since = models.DateTimeField(_("in this state since"), db_default=Now(), editable=False)
    state_before_bin = models.CharField(  # noqa: DJ001  NULL: not in the bin
        _("state before the bin"),
        max_length=8,
        blank=True,
        null=True,
        editable=False,
    )
    closes_at = models.DateTimeField(
        _("closes"),
        null=True,
        blank=True,
        help_text=_("From then on judges get nothing more; they see it. Empty: when you close it."),
    )

    recording: ClassVar = Recording(
        fields=[
            "slug",
            "name",
            "allow_partial_ranking",
            "blocks_per_judge",
            "lease_minutes",
            "show_source",
            "show_reference",
            "pay",
            "duration",
            "contact",
            "state",
            "closes_at",
        ],
        campaign="id",
        called="name",
        deleted=False,
    )
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
            is_one_of("state", CampaignState, name="campaign_state_is_known"),
            models.CheckConstraint(
                condition=models.Q(state=CampaignState.BIN, state_before_bin__isnull=False)
                | (~models.Q(state=CampaignState.BIN) & models.Q(state_before_bin__isnull=True)),
                name="campaign_in_the_bin_came_from_a_state",
            ),
        ]
        triggers = [
            # Rehearsals are erased with their judgments, and nothing else is (`whole_campaigns.erasing`).
            pgtrigger.Protect(
                name="campaign_is_a_rehearsal_for_good",
                operation=pgtrigger.UpdateOf("rehearsal_of_id"),  # type: ignore[no-untyped-call]
                condition=pgtrigger.AnyChange("rehearsal_of"),
            ),
            StateFollows(name="campaign_state_follows"),
        ]

    def __str__(self) -> str:
        return self.name

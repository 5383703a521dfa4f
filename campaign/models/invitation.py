from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.triggers import is_one_of
from campaign.models.user import by_user


class InvitationRole(models.TextChoices):
    """Role given by an invitation: judge, or a member's role."""

    OWNER = "owner", _("owner")
    ORGANISER = "organiser", _("organiser")
    ANALYST = "analyst", _("analyst")
    JUDGE = "judge", _("judge")


class InvitationQuerySet(RecordedQuerySet["Invitation"]):
    def for_anybody(self) -> "InvitationQuerySet":
        """Select links that create new judges."""
        return self.filter(user__isnull=True)

    def valid(self) -> "InvitationQuerySet":
        """Select links that are neither revoked nor expired nor used up, by the database's clock."""
        return self.filter(revoked_at__isnull=True, accepted_at__isnull=True, expires_at__gt=Now())

    def to_become_member(self) -> "InvitationQuerySet":
        """Select the invitations by e-mail to become a member; see `Invitation.makes_member`."""
        return self.filter(mail__kind="member")

    def but_to_become_member(self) -> "InvitationQuerySet":
        """Select all other invitations: links of members and judges, and shared links."""
        return self.exclude(mail__kind="member")


class Invitation(RecordedModel):
    """A link into one campaign: for one user, or for a limited number of new judges.

    The button of a user's link signs them in and leads them to their work. A link without a user
    creates a judge for each person who presses its button. A member's invitation by e-mail adds
    them as a member, once. Every link expires. The address carries 128 random bits; only their
    SHA-256 is kept, so that a copy of the database cannot be used to sign in.
    """

    campaign = models.ForeignKey("campaign.Campaign", models.CASCADE, related_name="invitations")
    # Empty for a shared link, limited by the cap.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="invitations", null=True, blank=True
    )
    role = models.CharField(_("Role"), max_length=9, choices=InvitationRole)
    token_hash = models.BinaryField(max_length=32, unique=True)
    cap = models.PositiveIntegerField(
        _("Cap"),
        null=True,
        blank=True,
        help_text="Maximum number of judges who can join with a shared link.",
    )
    arrived = models.PositiveIntegerField(default=0, help_text="Number of judges who joined.")
    languages = ArrayField(
        models.CharField(max_length=35),
        verbose_name=_("Languages"),
        default=list,
        blank=True,
        help_text="Languages that new judges read or choose from. Empty for all languages of the campaign.",
    )
    asks_languages = models.BooleanField(
        _("Ask for languages"),
        default=False,
        help_text="New judges choose the languages they read.",
    )
    note = models.CharField(_("Note"), max_length=200, blank=True)
    created_by = by_user()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(_("Expires"))
    revoked_at = models.DateTimeField(_("Revoked"), null=True, blank=True)
    # Time at which the user accepted. The link no longer works after that.
    accepted_at = models.DateTimeField(_("Accepted"), null=True, blank=True)

    recording: ClassVar = Recording(
        fields=[
            "user_id",
            "role",
            "cap",
            "languages",
            "asks_languages",
            "note",
            "expires_at",
            "revoked_at",
            "accepted_at",
        ]
    )
    objects: ClassVar[InvitationQuerySet] = InvitationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Invitation")
        constraints = [
            is_one_of("role", InvitationRole, name="invitation_role_is_known"),
            models.CheckConstraint(
                # A check that compares with NULL passes.
                condition=models.Q(user__isnull=True, role="judge", cap__isnull=False, cap__gte=1)
                | models.Q(user__isnull=False, cap__isnull=True, arrived=0),
                name="invitation_for_anybody_is_for_judges_and_capped",
            ),
            models.CheckConstraint(
                condition=models.Q(cap__isnull=True) | models.Q(arrived__lte=models.F("cap")),
                name="invitation_brings_in_no_more_than_its_cap",
            ),
            models.CheckConstraint(
                condition=models.Q(accepted_at__isnull=True) | ~models.Q(role="judge"),
                name="invitation_accepted_is_no_judges",
            ),
        ]

    @property
    def makes_member(self) -> bool:
        """True if it is an invitation by e-mail to become a member; all other links sign in or create judges."""
        mail = getattr(self, "mail", None)
        return mail is not None and mail.kind == "member"


class BrowserVisit(models.Model):
    """A visit of a judge's browser: it opened one of their links, or was at work.

    Stored so that organisers notice a link that was passed on. Neither network addresses nor user
    agents are stored, only a keyed hash of a random cookie, and two words for the kind of device.
    Visits are deleted after a while, except for the time at which a link was first opened.
    """

    judge = models.ForeignKey(
        "campaign.Judge", models.CASCADE, related_name="browser_visits", db_index=False
    )
    # The link that was opened; empty while at work.
    invitation = models.ForeignKey(
        Invitation, models.SET_NULL, related_name="browser_visits", null=True, blank=True
    )
    at_work = models.BooleanField()
    # A keyed hash of the id in its cookie; empty once it was purged.
    browser = models.BinaryField(max_length=32, null=True)
    device = models.CharField(max_length=40, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(at_work=False) | models.Q(invitation__isnull=True),
                name="browser_visit_opens_a_link_or_is_at_work",
            ),
            models.CheckConstraint(
                condition=models.Q(browser__isnull=False) | models.Q(at_work=False, device=""),
                name="browser_visit_forgotten_is_an_opening",
            ),
        ]
        indexes = [
            models.Index(fields=["judge", "seen_at"], name="browser_visit_by_judge_time"),
            # For the visits to purge.
            models.Index(
                fields=["seen_at"],
                condition=models.Q(browser__isnull=False),
                name="browser_visit_to_forget",
            ),
        ]

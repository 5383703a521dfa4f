from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.models.campaign import Campaign
from campaign.models.state import CampaignState


class MailState(models.TextChoices):
    """How far an invitation has got."""

    QUEUED = "queued", _("waiting to be sent")
    SENDING = "sending", _("being sent")
    SENT = "sent", _("sent")
    FAILED = "failed", _("not sent")
    UNCONFIRMED = "unconfirmed", _("perhaps sent")


class InvitationMailQuerySet(models.QuerySet["InvitationMail"]):
    def to_judges(self) -> "InvitationMailQuerySet":
        """Select the messages to judges."""
        return self.filter(judge__isnull=False)

    def to_members(self) -> "InvitationMailQuerySet":
        """Select the invitations to become a member that are in force and not accepted, expired ones too."""
        return self.filter(
            user__isnull=False, withdrawn_at__isnull=True, invitation__accepted_at__isnull=True
        )

    def due(self) -> "InvitationMailQuerySet":
        """Select messages to be sent now, by the database's clock; none of a campaign that is over."""
        over = Campaign.objects.filter(state__in=[CampaignState.ARCHIVED, CampaignState.BIN])
        return self.filter(
            # Without a join, so that rows can be locked.
            ~models.Q(campaign__in=over.values("pk")),
            state=MailState.QUEUED,
            withdrawn_at__isnull=True,
            next_attempt_at__lte=Now(),
        )


class OutgoingMail(models.Model):
    """A message in the outbox, and the state of its sending."""

    address = models.EmailField(_("e-mail address"))
    language = models.CharField(_("language"), max_length=35)
    base_url = models.CharField(_("where this Quintet is reached"), max_length=200)
    state = models.CharField(_("state"), max_length=11, choices=MailState, default=MailState.QUEUED)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    next_attempt_at = models.DateTimeField(_("next attempt"), db_default=Now())
    claimed_at = models.DateTimeField(_("latest attempt"), null=True, blank=True)
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)
    error = models.CharField(_("what went wrong"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)

    class Meta:
        abstract = True


class InvitationMail(OutgoingMail):
    """An invitation by e-mail, to a judge or to somebody who is to become a member, and the state of its sending.

    It holds no link: the worker makes the token when it sends the message, so that the database
    stores only its hash. If the worker cannot know whether the message went out, it is `unconfirmed` and not sent again by itself: nobody gets two unless an organiser asks for it.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="mails"
    )
    judge = models.ForeignKey(
        "campaign.Judge", on_delete=models.CASCADE, related_name="mails", null=True, blank=True
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="member_mails",
        null=True,
        blank=True,
        help_text=_("Who is to become a member; empty for judges. The role is that of the link."),
    )
    note = models.TextField(_("the organiser's words"), blank=True, max_length=1000)
    invitation = models.OneToOneField(
        "campaign.Invitation",
        on_delete=models.SET_NULL,
        related_name="mail",
        null=True,
        blank=True,
        help_text=_("A judge's: the link of the latest attempt."),
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )
    withdrawn_at = models.DateTimeField(
        _("withdrawn"), null=True, blank=True, help_text=_("Or replaced by another.")
    )

    objects: ClassVar[InvitationMailQuerySet] = InvitationMailQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("e-mail")
        verbose_name_plural = _("e-mails")
        constraints = [
            is_one_of("state", MailState, name="invitation_mail_state_is_known"),
            models.CheckConstraint(
                condition=models.Q(state="sent", sent_at__isnull=False)
                | (~models.Q(state="sent") & models.Q(sent_at__isnull=True)),
                name="invitation_mail_has_a_time_exactly_if_sent",
            ),
            models.CheckConstraint(
                condition=models.Q(judge__isnull=False, user__isnull=True)
                | models.Q(judge__isnull=True, user__isnull=False),
                name="invitation_mail_is_to_a_judge_or_a_member",
            ),
            # A judge may be a member, too.
            models.UniqueConstraint(
                "campaign",
                Lower("address"),
                condition=models.Q(withdrawn_at__isnull=True, judge__isnull=False),
                name="invitation_mail_one_in_force_per_campaign_and_address",
            ),
            models.UniqueConstraint(
                fields=["campaign", "user"],
                condition=models.Q(withdrawn_at__isnull=True),
                name="invitation_mail_one_in_force_per_campaign_and_user",
            ),
        ]
        indexes = [
            # For the worker's query.
            models.Index(
                fields=["next_attempt_at"],
                condition=models.Q(state__in=["queued", "sending"]),
                name="invitation_mail_to_be_sent",
            ),
            # For the metrics.
            models.Index(
                fields=["claimed_at"],
                condition=models.Q(state__in=["failed", "unconfirmed"]),
                name="invitation_mail_given_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id or self.user_id} ({self.state})"

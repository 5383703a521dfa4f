"""Invitations, the messages that carry them, and the browsers that open them."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import ClassVar, Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.personal import ERASED_DOWNLOADED, ERASED_WITHHELD, PersonalData
from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from campaign.models.campaign import Campaign, CampaignState
from campaign.models.user import by_user

TOKEN_BYTES: Final = 16  # 128 bits


class InvitationRole(models.TextChoices):
    """Role given by an invitation: judge, a member's role, or reader of the results, without signing in."""

    OWNER = "owner", _("owner")
    ORGANISER = "organiser", _("organiser")
    ANALYST = "analyst", _("analyst")
    JUDGE = "judge", _("judge")
    RESULTS = "results", _("results")
    RESULTS_ANONYMOUS = "anonymous", _("results, systems anonymised")


#: Roles of links that only show results.
TO_RESULTS: Final = (InvitationRole.RESULTS, InvitationRole.RESULTS_ANONYMOUS)


class InvitationQuerySet(RecordedQuerySet["Invitation"]):
    def for_anybody(self) -> "InvitationQuerySet":
        """Select links that create new judges."""
        return self.filter(user__isnull=True, role=InvitationRole.JUDGE)

    def to_results(self) -> "InvitationQuerySet":
        """Select links that show results to anybody who has them."""
        return self.filter(role__in=TO_RESULTS)

    def valid(self) -> "InvitationQuerySet":
        """Select links that are neither revoked nor expired nor used up, by the database's clock."""
        return self.filter(
            revoked_at__isnull=True,
            accepted_at__isnull=True,
            expires_at__gt=Now(),
        )

    def to_become_member(self) -> "InvitationQuerySet":
        """Select the invitations by e-mail to become a member; see `Invitation.makes_member`."""
        return self.filter(mail__kind="member")

    def but_to_become_member(self) -> "InvitationQuerySet":
        """Select all other invitations: links of members and judges, and shared links."""
        return self.exclude(mail__kind="member")


class Invitation(RecordedModel):
    """A link into one campaign: for one user, for a limited number of new judges, or for readers of its results.

    The button of a user's link signs them in and leads them to their work. A link without a user
    creates a judge for each person who presses its button, or shows the results of the campaign.
    A member's invitation by e-mail adds them as a member, once. Every link expires. The address carries 128 random bits; only their
    SHA-256 is kept, so that a copy of the database cannot be used to sign in. Those of shared links
    are derived from the secret key, so that organisers can see them again.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="invitations",
    )
    # Empty for a shared link; one for new judges is limited by the cap.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="invitations",
        null=True,
        blank=True,
        verbose_name=_("User"),
    )
    role = models.CharField(_("Role"), max_length=9, choices=InvitationRole)
    token_hash = models.BinaryField(max_length=32, unique=True)
    cap = models.PositiveIntegerField(
        _("Cap"),
        null=True,
        blank=True,
        help_text="Maximum number of judges who can join with a shared link.",
    )
    arrived = models.PositiveIntegerField(
        default=0,
        help_text="Number of judges who joined.",
    )
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
    created_at = inserted_at()
    expires_at = models.DateTimeField(_("Expires"))
    revoked_at = models.DateTimeField(_("Revoked"), null=True, blank=True)
    # Time at which the user accepted. The link no longer works after that.
    accepted_at = models.DateTimeField(_("Accepted"), null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="user",
        rows_deleted=True,
        called="links",
        fields={
            "campaign": ERASED_WITHHELD,
            "role": ERASED_WITHHELD,
            "token_hash": ERASED_WITHHELD,
            "cap": ERASED_WITHHELD,
            "arrived": ERASED_WITHHELD,
            "languages": ERASED_WITHHELD,
            "asks_languages": ERASED_WITHHELD,
            "note": ERASED_WITHHELD,
            "created_by": ERASED_WITHHELD,
            "created_at": ERASED_DOWNLOADED,
            "expires_at": ERASED_DOWNLOADED,
            "revoked_at": ERASED_DOWNLOADED,
            "accepted_at": ERASED_WITHHELD,
        },
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Invitation created"),
        changed=pgettext_lazy("activity", "Invitation changed"),
        deleted=pgettext_lazy("activity", "Invitation deleted"),
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
        ],
    )
    objects: ClassVar[InvitationQuerySet] = InvitationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Invitation")
        constraints = [
            is_one_of("role", InvitationRole, name="invitation_role_is_known"),
            models.CheckConstraint(
                # A check that compares with NULL passes.
                condition=models.Q(
                    user__isnull=True,
                    role="judge",
                    cap__isnull=False,
                    cap__gte=1,
                )
                | models.Q(
                    user__isnull=True,
                    role__in=TO_RESULTS,
                    cap__isnull=True,
                    arrived=0,
                )
                | models.Q(
                    ~models.Q(role__in=TO_RESULTS),
                    user__isnull=False,
                    cap__isnull=True,
                    arrived=0,
                ),
                name="invitation_link_is_capped_or_to_results",
            ),
            models.CheckConstraint(
                condition=models.Q(cap__isnull=True)
                | models.Q(arrived__lte=models.F("cap")),
                name="invitation_arrived_within_cap",
            ),
            models.CheckConstraint(
                condition=models.Q(accepted_at__isnull=True) | ~models.Q(role="judge"),
                name="invitation_accepted_not_for_judges",
            ),
        ]

    @property
    def shared_token(self) -> str:
        """The token of a shared link, derived from the secret key, so that organisers can see it again.

        Links made before it was derived, or with another secret key, have another token: compare the hash.
        """
        value = f"{self.pk} {self.created_at.isoformat()}"
        digest = salted_hmac("campaign.shared-link", value, algorithm="sha256").digest()
        return urlsafe_b64encode(digest[:TOKEN_BYTES]).rstrip(b"=").decode()

    @property
    def shows_again(self) -> bool:
        """True for shared links whose token can be derived."""
        derived = sha256(self.shared_token.encode()).digest()
        return self.user_id is None and derived == bytes(self.token_hash)

    @property
    def is_to_results(self) -> bool:
        """True if it shows results to anybody who has it."""
        return self.role in TO_RESULTS

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
        "campaign.Judge",
        models.CASCADE,
        related_name="browser_visits",
        db_index=False,
    )
    # The link that was opened; empty while at work.
    invitation = models.ForeignKey(
        Invitation,
        models.SET_NULL,
        related_name="browser_visits",
        null=True,
        blank=True,
    )
    at_work = models.BooleanField()
    # A keyed hash of the id in its cookie; empty once it was purged.
    browser = models.BinaryField(max_length=32, null=True)
    device = models.CharField(max_length=40, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    personal: ClassVar = PersonalData(
        person="judge",
        rows_deleted=True,
        called="visits",
        fields={
            "invitation": ERASED_WITHHELD,
            "at_work": ERASED_DOWNLOADED,
            "browser": ERASED_WITHHELD,
            "device": ERASED_DOWNLOADED,
            "seen_at": ERASED_DOWNLOADED,
        },
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(at_work=False) | models.Q(invitation__isnull=True),
                name="browser_visit_link_xor_at_work",
            ),
            models.CheckConstraint(
                condition=models.Q(browser__isnull=False)
                | models.Q(at_work=False, device=""),
                name="browser_visit_without_browser_opens_link",
            ),
        ]
        indexes = [
            models.Index(
                fields=["judge", "seen_at"],
                name="browser_visit_by_judge_time",
            ),
            # For the visits to purge.
            models.Index(
                fields=["seen_at"],
                condition=models.Q(browser__isnull=False),
                name="browser_visit_to_forget",
            ),
        ]


class MailState(models.TextChoices):
    """State of a message in the outbox."""

    QUEUED = "queued", _("Queued")
    SENDING = "sending", _("Sending")
    SENT = "sent", pgettext_lazy("mail", "Sent")
    FAILED = "failed", pgettext_lazy("mail", "Not sent")
    UNCONFIRMED = "unconfirmed", _("Unconfirmed")


class MailKind(models.TextChoices):
    """Content and recipient of a message."""

    JUDGE = "judge"
    MEMBER = "member"
    PASSWORD = "password"  # noqa: S105
    ADDRESS = "address"
    OLD_ADDRESS = "old_address"
    ALERTS = "alerts"
    ERASURE_RECORDED = "recorded"
    ERASURE_REFUSED = "refused"
    ERASURE_CARRIED_OUT = "carried_out"
    ERASURE_ASKED = "asked"


_TO_ERASED: Final = [
    MailKind.ERASURE_RECORDED,
    MailKind.ERASURE_REFUSED,
    MailKind.ERASURE_CARRIED_OUT,
]
#: Optional columns that messages of these kinds set; the others stay empty.
_ABOUT: Final = (
    ([MailKind.JUDGE], {"campaign", "judge"}),
    ([MailKind.MEMBER], {"campaign", "user"}),
    ([MailKind.PASSWORD], set[str]()),
    ([MailKind.ADDRESS, MailKind.OLD_ADDRESS], {"user"}),
    ([MailKind.ALERTS], {"user", "day"}),
    (_TO_ERASED, {"campaign", "erasure"}),
    ([MailKind.ERASURE_ASKED], {"campaign", "erasure", "user"}),
)


def _has_what_it_is_about() -> models.Q:
    condition = models.Q()
    for kinds, about in _ABOUT:
        absent = {
            f"{name}__isnull": name not in about
            for name in ("campaign", "judge", "user", "erasure", "day")
        }
        condition |= models.Q(kind__in=kinds, **absent)
    return condition


class MailQuerySet(models.QuerySet["Mail"]):
    def to_judges(self) -> "MailQuerySet":
        """Select the messages to judges with a link."""
        return self.filter(kind=MailKind.JUDGE)

    def to_members(self) -> "MailQuerySet":
        """Select the invitations to become a member that are in force and not accepted, including expired ones."""
        return self.filter(
            kind=MailKind.MEMBER,
            withdrawn_at__isnull=True,
            invitation__accepted_at__isnull=True,
        )

    def due(self) -> "MailQuerySet":
        """Select messages to be sent now, by the database's clock, except to finished campaigns."""
        over = Campaign.objects.filter(
            state__in=[CampaignState.ARCHIVED, CampaignState.BIN],
        )
        return self.filter(
            # Without a join, so that rows can be locked.
            models.Q(erasure__isnull=False) | ~models.Q(campaign__in=over.values("pk")),
            state=MailState.QUEUED,
            withdrawn_at__isnull=True,
            next_attempt_at__lte=Now(),
        )


class Mail(models.Model):
    """A message in the outbox, and the state of its sending.

    It holds no link: the worker makes the token when it sends the message, so that the database
    stores only its hash. If the worker cannot know whether the message went out, it is
    `unconfirmed` and not resent automatically: a second copy must be requested.

    For a forgotten password, the account of the address is looked up when the message is sent, so
    that the response to the request cannot reveal it. The address of a judge who was erased is
    deleted as soon as they are notified.
    """

    kind = models.CharField(max_length=11, choices=MailKind)
    # Empty once an erased judge has been notified.
    address = models.EmailField(blank=True)
    language = models.CharField(max_length=35)
    base_url = models.CharField(max_length=200)
    state = models.CharField(max_length=11, choices=MailState, default=MailState.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(db_default=Now())
    claimed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    created_at = inserted_at()
    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="mails",
        null=True,
        blank=True,
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        models.CASCADE,
        related_name="mails",
        null=True,
        blank=True,
    )
    # User who becomes a member, requested or got a new address, or is notified of alerts or of an
    # erasure request.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="mails",
        null=True,
        blank=True,
        db_index=False,
    )
    erasure = models.ForeignKey(
        "campaign.ErasureRequest",
        models.CASCADE,
        related_name="mails",
        null=True,
        blank=True,
        db_index=False,
    )
    # In the time zone of the server.
    day = models.DateField(null=True, blank=True)
    note = models.TextField(blank=True, max_length=1000)
    # For judges, the link of the latest attempt.
    invitation = models.OneToOneField(
        "campaign.Invitation",
        models.SET_NULL,
        related_name="mail",
        null=True,
        blank=True,
    )
    created_by = by_user()
    # Time at which it was withdrawn or replaced by another.
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="judge",
        rows_deleted=True,
        called="mails",
        fields={
            "kind": ERASED_DOWNLOADED,
            "address": ERASED_DOWNLOADED,
            "language": ERASED_WITHHELD,
            "base_url": ERASED_WITHHELD,
            "state": ERASED_DOWNLOADED,
            "attempts": ERASED_WITHHELD,
            "next_attempt_at": ERASED_WITHHELD,
            "claimed_at": ERASED_WITHHELD,
            "sent_at": ERASED_DOWNLOADED,
            "error": ERASED_WITHHELD,
            "created_at": ERASED_DOWNLOADED,
            "campaign": ERASED_WITHHELD,
            "user": ERASED_WITHHELD,
            "erasure": ERASED_WITHHELD,
            "day": ERASED_WITHHELD,
            "note": ERASED_DOWNLOADED,
            "invitation": ERASED_WITHHELD,
            "created_by": ERASED_WITHHELD,
            "withdrawn_at": ERASED_WITHHELD,
        },
    )

    objects: ClassVar[MailQuerySet] = MailQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            is_one_of("state", MailState, name="mail_state_is_known"),
            is_one_of("kind", MailKind, name="mail_kind_is_known"),
            models.CheckConstraint(
                condition=models.Q(state="sent", sent_at__isnull=False)
                | (~models.Q(state="sent") & models.Q(sent_at__isnull=True)),
                name="mail_sent_at_iff_sent",
            ),
            models.CheckConstraint(
                condition=_has_what_it_is_about(),
                name="mail_subject_matches_kind",
            ),
            models.CheckConstraint(
                condition=~models.Q(address="")
                | ~models.Q(state__in=["queued", "sending"]),
                name="mail_address_until_sent",
            ),
            # A judge may be a member, too.
            models.UniqueConstraint(
                "campaign",
                Lower("address"),
                condition=models.Q(withdrawn_at__isnull=True, kind="judge"),
                name="mail_one_in_force_per_campaign_and_address",
            ),
            models.UniqueConstraint(
                fields=["campaign", "user"],
                condition=models.Q(withdrawn_at__isnull=True, kind="member"),
                name="mail_one_in_force_per_campaign_and_user",
            ),
            models.UniqueConstraint(
                fields=["user", "day"],
                name="mail_of_alerts_once_a_day",
            ),
            models.UniqueConstraint(
                fields=["erasure", "kind", "user"],
                condition=models.Q(erasure__isnull=False),
                nulls_distinct=False,
                name="mail_once_per_erasure_kind_and_user",
            ),
        ]
        indexes = [
            # For the worker's query.
            models.Index(
                fields=["next_attempt_at"],
                condition=models.Q(state__in=["queued", "sending"]),
                name="mail_to_be_sent",
            ),
            # For the metrics.
            models.Index(
                fields=["claimed_at"],
                condition=models.Q(state__in=["failed", "unconfirmed"]),
                name="mail_given_up",
            ),
        ]

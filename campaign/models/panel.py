import secrets
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.database.recording import Recorded

KEY_BYTES = 16  # 128 bits


def panel_key() -> str:
    """Return a new random token for a panel's address."""
    return secrets.token_urlsafe(KEY_BYTES)


class PanelKind(models.TextChoices):
    PROLIFIC = "prolific", "Prolific"
    MTURK = "mturk", "Mechanical Turk"


class Panel(models.Model):
    """A study on a recruiting service that sends its participants here as judges.

    `key` is in the address that participants open, `events_key` in the one where the service tells
    what became of them. Both are kept as they are: organisers come back for the addresses. So are
    the codes and the secret, which must be shown and computed with.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="panels"
    )
    kind = models.CharField(_("service"), max_length=8, choices=PanelKind)
    name = models.CharField(_("name"), max_length=100, help_text=_("For organisers only."))
    key = models.CharField(_("key"), max_length=32, unique=True, default=panel_key)
    events_key = models.CharField(_("key of events"), max_length=32, unique=True, default=panel_key)
    blocks_asked = models.PositiveIntegerField(
        _("sentences asked for"),
        help_text=_("Of each participation; best a multiple of the sentences of a HIT."),
    )
    participations_per_member = models.PositiveSmallIntegerField(
        _("participations of one person"),
        default=1,
        help_text=_("How often one person may take part, each time with new sentences."),
    )
    minutes_allowed = models.PositiveIntegerField(
        _("minutes allowed"),
        help_text=_("As set at the service; after that, a participant’s sentences go to others."),
    )
    languages = ArrayField(
        models.CharField(max_length=35),
        verbose_name=_("languages"),
        default=list,
        blank=True,
        help_text=_("Languages the participants read; empty means all of the campaign."),
    )
    screen_out_after_training = models.BooleanField(
        _("screen out who fails the training"), default=True
    )
    # MTurk's workers get a code of their own each.
    completion_code = models.CharField(_("completion code"), max_length=60, blank=True)
    screened_out_code = models.CharField(_("code for the screened out"), max_length=60, blank=True)
    webhook_secret = models.CharField(
        _("secret of the webhook"),
        max_length=200,
        blank=True,
        help_text=_("If empty, nothing sent in Prolific’s name is accepted."),
    )
    # `topic_arn` is trusted: an organiser said that it is theirs. Anybody can make a topic and have
    # Amazon request it: the latest requested one, and the link that allows Amazon to send.
    topic_arn = models.CharField(_("SNS topic"), max_length=300, blank=True)
    requested_topic_arn = models.CharField(_("requested SNS topic"), max_length=300, blank=True)
    subscribe_url = models.URLField(_("link that confirms the topic"), max_length=2000, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)

    objects: ClassVar[models.Manager["Panel"]] = models.Manager()

    class Meta:
        verbose_name = _("panel")
        verbose_name_plural = _("panels")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "name"], name="panel_name_unique_in_campaign"
            ),
            is_one_of("kind", PanelKind, name="panel_kind_is_known"),
            models.CheckConstraint(
                condition=models.Q(
                    blocks_asked__gte=1, participations_per_member__gte=1, minutes_allowed__gte=1
                ),
                name="panel_asks_for_something",
            ),
            models.CheckConstraint(
                condition=(
                    ~models.Q(kind="mturk") | models.Q(completion_code="", screened_out_code="")
                )
                & (
                    ~models.Q(kind="prolific")
                    | (
                        ~models.Q(completion_code="")
                        & ~models.Q(screened_out_code="")
                        & ~models.Q(completion_code=models.F("screened_out_code"))
                    )
                ),
                name="panel_has_two_codes_exactly_if_prolific",
            ),
        ]
        triggers = [
            Recorded(
                name="panel_recorded",
                fields=[
                    "kind",
                    "name",
                    "blocks_asked",
                    "participations_per_member",
                    "minutes_allowed",
                    "languages",
                    "screen_out_after_training",
                    "topic_arn",
                    "closed_at",
                ],
                hidden=["completion_code", "screened_out_code", "webhook_secret"],
                called="{row}.name",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        """Whether new judges may begin; those who have begun may continue either way."""
        return self.closed_at is None


class PanelMember(models.Model):
    """A person as a service knows them, and the judge they are in a campaign.

    The id is personal data: organisers of the campaign see it, nobody else, and no export of
    judgments holds it.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="panel_members"
    )
    kind = models.CharField(_("service"), max_length=8, choices=PanelKind)
    external_id = models.CharField(_("id at the service"), max_length=100)
    judge = models.OneToOneField(
        "campaign.Judge", on_delete=models.CASCADE, related_name="panel_member"
    )
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)

    class Meta:
        verbose_name = _("member of a panel")
        verbose_name_plural = _("members of panels")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "kind", "external_id"],
                name="panel_member_is_one_judge_in_a_campaign",
            ),
            is_one_of("kind", PanelKind, name="panel_member_kind_is_known"),
            models.CheckConstraint(
                condition=~models.Q(external_id=""), name="panel_member_external_id_not_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} → {self.judge_id}"

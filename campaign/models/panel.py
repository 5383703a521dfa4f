import secrets
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.personal import (
    ERASED_DOWNLOADED,
    KEPT_DOWNLOADED,
    KEPT_WITHHELD,
    PersonalData,
)
from campaign.database.recording import RecordedModel, Recording
from campaign.database.sealing import SealedField
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from campaign.models.user import by_user

KEY_BYTES = 16  # 128 bits
#: Prolific fills it in: https://docs.prolific.com/api-reference/studies/the-study-object
PROLIFIC_QUERY = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


def panel_key() -> str:
    """Return a new random token for a panel's address."""
    return secrets.token_urlsafe(KEY_BYTES)


class PanelKind(models.TextChoices):
    PROLIFIC = "prolific", "Prolific"
    GENERIC = "generic", _("Other service")


class Panel(RecordedModel):
    """A study on a recruiting service that sends its participants here as judges.

    `key` is in the address that participants open, `events_key` in the one to which the service reports
    their status. Both are encrypted, not hashed, because organisers need the addresses again, and so are the codes
    with which participants are paid, the addresses that may contain them, and the secret that verifies messages. A
    generic panel is for any service that can add its participants' ids to an address.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="panels",
        db_index=False,
    )
    kind = models.CharField(_("Service"), max_length=8, choices=PanelKind)
    service = models.CharField(
        _("Name of the service"),
        max_length=60,
        blank=True,
        help_text=_("Name shown to participants. Leave empty for Prolific."),
    )
    id_parameter = models.CharField(
        _("Participant ID parameter"),
        max_length=60,
        default="participant",
        help_text=_(
            "URL parameter added by the service, as in ?participant=ID. Not used for Prolific.",
        ),
    )
    name = models.CharField(
        _("Name"),
        max_length=100,
        help_text=_("Visible to organisers only."),
    )
    key = SealedField(default=panel_key)
    events_key = SealedField(default=panel_key)
    blocks_asked = models.PositiveIntegerField(
        _("Sentences requested"),
        help_text=_(
            "Sentences per participation. Preferably a multiple of the sentences per HIT.",
        ),
    )
    participations_per_member = models.PositiveSmallIntegerField(
        _("Participations per person"),
        default=1,
        help_text=_(
            "How often one person can take part. Each time they get new sentences.",
        ),
    )
    minutes_allowed = models.PositiveIntegerField(
        _("Time limit in minutes"),
        help_text=_(
            "As set at the service. After that, the sentences are given to other participants.",
        ),
    )
    languages = ArrayField(
        models.CharField(max_length=35),
        verbose_name=_("Languages"),
        default=list,
        blank=True,
        help_text=_(
            "Languages the participants read. Leave empty for all languages of the campaign.",
        ),
    )
    screen_out_after_training = models.BooleanField(
        _("Screen out participants who fail the training"),
        default=True,
    )
    completion_code = SealedField(_("Completion code"), max_length=60, blank=True)
    screened_out_code = SealedField(_("Screen-out code"), max_length=60, blank=True)
    # `panel_create` and `panel_change` check them.
    completion_address = SealedField(
        _("Completion URL"),
        max_length=2000,
        blank=True,
        help_text=_(
            "Participants return here; {id} and {code} are filled in. If empty, they are shown their code. "
            "Not used for Prolific.",
        ),
    )
    screened_out_address = SealedField(
        _("Screen-out URL"),
        max_length=2000,
        blank=True,
        help_text=_("Screened-out participants return here. Not used for Prolific."),
    )
    # If empty, no events from Prolific are accepted.
    webhook_secret = SealedField(_("Webhook secret"), max_length=200, blank=True)
    created_by = by_user(on_delete=models.PROTECT)
    created_at = inserted_at()
    closed_at = models.DateTimeField(
        pgettext_lazy("panel", "Closed"),
        null=True,
        blank=True,
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Panel created"),
        changed=pgettext_lazy("activity", "Panel changed"),
        deleted=pgettext_lazy("activity", "Panel deleted"),
        fields=[
            "kind",
            "service",
            "id_parameter",
            "name",
            "blocks_asked",
            "participations_per_member",
            "minutes_allowed",
            "languages",
            "screen_out_after_training",
            "closed_at",
        ],
        hidden=[
            "completion_code",
            "screened_out_code",
            "completion_address",
            "screened_out_address",
            "webhook_secret",
        ],
        called="name",
    )

    class Meta:
        verbose_name = _("Panel")
        constraints = [
            models.UniqueConstraint(fields=["key"], name="panel_key_unique"),
            models.UniqueConstraint(
                fields=["events_key"],
                name="panel_events_key_unique",
            ),
            models.UniqueConstraint(
                fields=["campaign", "name"],
                name="panel_name_unique_in_campaign",
            ),
            is_one_of("kind", PanelKind, name="panel_kind_is_known"),
            models.CheckConstraint(
                condition=models.Q(
                    blocks_asked__gte=1,
                    participations_per_member__gte=1,
                    minutes_allowed__gte=1,
                ),
                name="panel_limits_positive",
            ),
            models.CheckConstraint(
                condition=~models.Q(completion_code="")
                & ~models.Q(screened_out_code="")
                & ~models.Q(completion_code=models.F("screened_out_code")),
                name="panel_codes_filled_and_different",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="prolific", service="")
                | (models.Q(kind="generic") & ~models.Q(service="")),
                name="panel_service_name_iff_generic",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        """True if new judges may begin; those who have begun may continue either way."""
        return self.closed_at is None

    @property
    def service_name(self) -> str:
        """The service as participants know it. Its ids of people are unique within it."""
        return self.service or str(self.get_kind_display())

    @property
    def query(self) -> str:
        """End of the address that is pasted into the service."""
        if self.kind == PanelKind.PROLIFIC:
            return PROLIFIC_QUERY
        return f"?{self.id_parameter}="


class ParticipationState(models.TextChoices):
    """State of a participant."""

    STARTED = "started", _("At work")
    FINISHED = "finished", pgettext_lazy("participant", "Finished")
    SCREENED_OUT = "screened_out", _("Screened out")
    RETURNED = "returned", _("Returned")
    TIMED_OUT = "timed_out", _("Timed out")


class ParticipationQuerySet(models.QuerySet["Participation"]):
    def under_way(self) -> "ParticipationQuerySet":
        """Return the participations whose judge is still working, as far as known."""
        return self.filter(state=ParticipationState.STARTED)

    def overdue(self) -> "ParticipationQuerySet":
        """Return the participations under way whose time has passed, by the database's clock."""
        return self.under_way().filter(due_at__lte=Now())


class Participation(models.Model):
    """One submission of one participant.

    It asks for `blocks_asked` blocks beyond the `blocks_before` that the judge had done. Only Prolific has
    ids of submissions and studies; elsewhere a person takes part once, and `session_id` is their id.
    """

    #: States in which participants are shown a code.
    EARNING: ClassVar = (ParticipationState.FINISHED, ParticipationState.SCREENED_OUT)

    panel = models.ForeignKey(
        "campaign.Panel",
        models.CASCADE,
        related_name="participations",
        db_index=False,
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        models.CASCADE,
        related_name="participations",
    )
    session_id = models.CharField(max_length=100)
    study_id = models.CharField(max_length=100, blank=True)
    blocks_asked = models.PositiveIntegerField()
    blocks_before = models.PositiveIntegerField()
    # Set when the participation ends.
    blocks_done = models.PositiveIntegerField(null=True, blank=True)
    state = models.CharField(
        max_length=12,
        choices=ParticipationState,
        default=ParticipationState.STARTED,
    )
    code = SealedField(max_length=60, blank=True)
    code_given_at = models.DateTimeField(null=True, blank=True)
    service_status = models.CharField(max_length=40, blank=True)
    service_status_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="judge",
        called="participations at a service",
        unique=["session_id"],
        fields={
            "panel": KEPT_WITHHELD,
            "session_id": ERASED_DOWNLOADED,
            "study_id": KEPT_DOWNLOADED,
            "blocks_asked": KEPT_DOWNLOADED,
            "blocks_before": KEPT_WITHHELD,
            "blocks_done": KEPT_DOWNLOADED,
            "state": KEPT_DOWNLOADED,
            "code": KEPT_DOWNLOADED,
            "code_given_at": KEPT_WITHHELD,
            "service_status": KEPT_WITHHELD,
            "service_status_at": KEPT_WITHHELD,
            "started_at": KEPT_DOWNLOADED,
            "due_at": KEPT_WITHHELD,
            "ended_at": KEPT_DOWNLOADED,
        },
    )

    objects: ClassVar[ParticipationQuerySet] = ParticipationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["panel", "session_id"],
                name="participation_once_per_session",
            ),
            models.UniqueConstraint(
                fields=["judge"],
                condition=models.Q(state="started"),
                name="participation_one_at_a_time",
            ),
            is_one_of("state", ParticipationState, name="participation_state_is_known"),
            models.CheckConstraint(
                condition=models.Q(
                    state="started",
                    ended_at__isnull=True,
                    blocks_done__isnull=True,
                )
                | (
                    ~models.Q(state="started")
                    & models.Q(ended_at__isnull=False, blocks_done__isnull=False)
                ),
                name="participation_ended_unless_started",
            ),
            models.CheckConstraint(
                condition=models.Q(code="", code_given_at__isnull=True)
                | (~models.Q(code="") & models.Q(code_given_at__isnull=False)),
                name="participation_code_has_a_time",
            ),
            # A participant who returns or times out later keeps their code.
            models.CheckConstraint(
                condition=(~models.Q(state="started") | models.Q(code=""))
                & (
                    ~models.Q(state__in=["finished", "screened_out"])
                    | ~models.Q(code="")
                ),
                name="participation_code_iff_earned",
            ),
            models.CheckConstraint(
                condition=models.Q(blocks_asked__gte=1),
                name="participation_blocks_positive",
            ),
            models.CheckConstraint(
                condition=~models.Q(session_id=""),
                name="participation_session_id_not_empty",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(state="started"),
                name="participation_under_way",
            ),
        ]

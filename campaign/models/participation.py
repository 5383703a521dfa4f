from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of


class ParticipationState(models.TextChoices):
    """How far a participant has got."""

    STARTED = "started", _("at work")
    FINISHED = "finished", _("finished")
    SCREENED_OUT = "screened_out", _("screened out")
    RETURNED = "returned", _("returned")
    TIMED_OUT = "timed_out", _("timed out")


class ParticipationQuerySet(models.QuerySet["Participation"]):
    def under_way(self) -> "ParticipationQuerySet":
        """Return those whose judge is at work, as far as anybody knows."""
        return self.filter(state=ParticipationState.STARTED)

    def overdue(self) -> "ParticipationQuerySet":
        """Return those under way whose time has passed, by the database's clock."""
        return self.under_way().filter(due_at__lte=Now())


class Participation(models.Model):
    """One submission of one person: what they came for once.

    It asks `blocks_asked` blocks beyond the `blocks_before` that the judge had done. Only Prolific has
    ids of submissions and studies: elsewhere a person comes once, and `session_id` is their id.
    """

    #: The states in which they are shown a code.
    EARNING: ClassVar = (ParticipationState.FINISHED, ParticipationState.SCREENED_OUT)

    panel = models.ForeignKey(
        "campaign.Panel", on_delete=models.CASCADE, related_name="participations", db_index=False
    )
    member = models.ForeignKey(
        "campaign.PanelMember", on_delete=models.CASCADE, related_name="participations"
    )
    session_id = models.CharField(_("submission"), max_length=100)
    study_id = models.CharField(_("study at the service"), max_length=100, blank=True)
    blocks_asked = models.PositiveIntegerField(_("sentences asked for"))
    blocks_before = models.PositiveIntegerField(_("sentences done before"))
    blocks_done = models.PositiveIntegerField(
        _("sentences done"), null=True, blank=True, help_text=_("When it ended.")
    )
    state = models.CharField(
        _("state"), max_length=12, choices=ParticipationState, default=ParticipationState.STARTED
    )
    code = models.CharField(_("code that was given"), max_length=60, blank=True)
    code_given_at = models.DateTimeField(_("code given"), null=True, blank=True)
    service_status = models.CharField(_("as the service says"), max_length=40, blank=True)
    service_status_at = models.DateTimeField(_("when it said so"), null=True, blank=True)
    started_at = models.DateTimeField(_("started"), db_default=Now())
    due_at = models.DateTimeField(_("due"), db_default=Now())
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    objects: ClassVar[ParticipationQuerySet] = ParticipationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("participation")
        verbose_name_plural = _("participations")
        constraints = [
            models.UniqueConstraint(
                fields=["panel", "session_id"], name="participation_once_per_session"
            ),
            models.UniqueConstraint(
                fields=["member"],
                condition=models.Q(state="started"),
                name="participation_one_at_a_time",
            ),
            is_one_of("state", ParticipationState, name="participation_state_is_known"),
            models.CheckConstraint(
                condition=models.Q(state="started", ended_at__isnull=True, blocks_done__isnull=True)
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
            # Who returns or runs out of time after all keeps the code they were given.
            models.CheckConstraint(
                condition=(~models.Q(state="started") | models.Q(code=""))
                & (~models.Q(state__in=["finished", "screened_out"]) | ~models.Q(code="")),
                name="participation_has_a_code_exactly_if_earned",
            ),
            models.CheckConstraint(
                condition=models.Q(blocks_asked__gte=1), name="participation_asks_for_something"
            ),
            models.CheckConstraint(
                condition=~models.Q(session_id=""), name="participation_session_id_not_empty"
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(state="started"),
                name="participation_under_way",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} ({self.state})"

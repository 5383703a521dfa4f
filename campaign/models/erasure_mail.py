from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.models.mail import MailState, OutgoingMail


class ErasureMailKind(models.TextChoices):
    """What a message about a request for erasure says, and to whom."""

    RECORDED = "recorded", _("to the judge: recorded")
    REFUSED = "refused", _("to the judge: refused")
    CARRIED_OUT = "carried_out", _("to the judge: carried out")
    ASKED = "asked", _("to an organiser: somebody asked")


class ErasureMailQuerySet(models.QuerySet["ErasureMail"]):
    def due(self) -> "ErasureMailQuerySet":
        """Select messages to be sent now, by the database's clock."""
        return self.filter(state=MailState.QUEUED, next_attempt_at__lte=Now())


class ErasureMail(OutgoingMail):
    """A message about a request for erasure, and the state of its sending.

    It names nobody but its address. That of a judge who was erased is deleted as soon as the message is sent or given
    up; all other addresses of theirs go with the erasure itself (`judge_unlink`).
    """

    campaign = models.ForeignKey("campaign.Campaign", on_delete=models.CASCADE, related_name="+")
    request = models.ForeignKey(
        "campaign.ErasureRequest", on_delete=models.CASCADE, related_name="mails", db_index=False
    )
    kind = models.CharField(_("kind"), max_length=11, choices=ErasureMailKind)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        blank=True,
        help_text=_("The organiser who is told; empty: it is to the judge."),
    )
    # Empty once a judge who was erased has been told.
    address = models.EmailField(_("e-mail address"), blank=True)

    objects: ClassVar[ErasureMailQuerySet] = ErasureMailQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("e-mail about an erasure")
        verbose_name_plural = _("e-mails about erasures")
        constraints = [
            is_one_of("state", MailState, name="erasure_mail_state_is_known"),
            is_one_of("kind", ErasureMailKind, name="erasure_mail_kind_is_known"),
            models.CheckConstraint(
                condition=models.Q(state="sent", sent_at__isnull=False)
                | (~models.Q(state="sent") & models.Q(sent_at__isnull=True)),
                name="erasure_mail_has_a_time_exactly_if_sent",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="asked", user__isnull=False)
                | (~models.Q(kind="asked") & models.Q(user__isnull=True)),
                name="erasure_mail_has_a_user_exactly_if_to_an_organiser",
            ),
            models.CheckConstraint(
                condition=~models.Q(address="") | ~models.Q(state__in=["queued", "sending"]),
                name="erasure_mail_has_an_address_until_it_is_sent",
            ),
            models.UniqueConstraint(
                fields=["request", "kind", "user"],
                nulls_distinct=False,
                name="erasure_mail_once_per_request_kind_and_user",
            ),
        ]
        indexes = [
            # For the worker's query.
            models.Index(
                fields=["next_attempt_at"],
                condition=models.Q(state__in=["queued", "sending"]),
                name="erasure_mail_to_be_sent",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.state})"

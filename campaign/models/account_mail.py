from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.models.mail import MailState, OutgoingMail


class AccountMailKind(models.TextChoices):
    """What a message about an account is for."""

    PASSWORD = "password", _("to choose a new password")
    ADDRESS = "address", _("to confirm a new e-mail address")


class AccountMailQuerySet(models.QuerySet["AccountMail"]):
    def due(self) -> "AccountMailQuerySet":
        """Select messages to be sent now, by the database's clock."""
        return self.filter(state=MailState.QUEUED, next_attempt_at__lte=Now())


class AccountMail(OutgoingMail):
    """A message about an account, and the state of its sending.

    Whoever forgot a password gives an address; whether it has an account is looked up as the message is sent, so
    that no answer to the request can tell. It holds no link: the worker makes the token.
    """

    kind = models.CharField(_("kind"), max_length=8, choices=AccountMailKind)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="account_mails",
        null=True,
        blank=True,
        help_text=_("Who asked for another address; nobody who forgot a password."),
    )

    objects: ClassVar[AccountMailQuerySet] = AccountMailQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("e-mail about an account")
        verbose_name_plural = _("e-mails about accounts")
        constraints = [
            is_one_of("state", MailState, name="account_mail_state_is_known"),
            is_one_of("kind", AccountMailKind, name="account_mail_kind_is_known"),
            models.CheckConstraint(
                condition=models.Q(state="sent", sent_at__isnull=False)
                | (~models.Q(state="sent") & models.Q(sent_at__isnull=True)),
                name="account_mail_has_a_time_exactly_if_sent",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="address", user__isnull=False)
                | (~models.Q(kind="address") & models.Q(user__isnull=True)),
                name="account_mail_has_a_user_exactly_if_for_an_address",
            ),
        ]
        indexes = [
            # For the worker's query.
            models.Index(
                fields=["next_attempt_at"],
                condition=models.Q(state__in=["queued", "sending"]),
                name="account_mail_to_be_sent",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.state})"

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.models.mail import MailState, OutgoingMail


class AlertMail(OutgoingMail):
    """The daily mail of what needs an organiser in all their campaigns, and the state of its sending.

    Whoever makes the row sends the message: the database lets it be made once a day. It holds no words: they are
    found as it is sent.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="alert_mails",
        db_index=False,
    )
    day = models.DateField(_("day"), help_text=_("In the time zone of the server."))

    objects: ClassVar[models.Manager["AlertMail"]] = models.Manager()

    class Meta:
        verbose_name = _("daily mail of alerts")
        verbose_name_plural = _("daily mails of alerts")
        constraints = [
            is_one_of("state", MailState, name="alert_mail_state_is_known"),
            models.CheckConstraint(
                condition=models.Q(state="sent", sent_at__isnull=False)
                | (~models.Q(state="sent") & models.Q(sent_at__isnull=True)),
                name="alert_mail_has_a_time_exactly_if_sent",
            ),
            models.UniqueConstraint(
                fields=["user", "day"], name="alert_mail_once_per_user_and_day"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} ({self.state})"

"""The daily mail about alerts: at most one per person and day, for all campaigns the person subscribed to."""

import logging
from collections.abc import Sequence
from datetime import date, datetime
from functools import partial
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import ngettext

from campaign.models import Campaign, Mail, MailKind, MailState, Membership, User
from campaign.services.mails import mails_mark_unconfirmed, message_send, sending_claim
from campaign.services.members import alert_mails_can_be_sent
from desk.selectors.alerts import Alert, alerts_of_campaigns

logger = logging.getLogger(__name__)

#: Hour of the server's time zone before which no mail is sent.
FIRST_HOUR: Final = 6

AlertsByCampaign = Sequence[tuple[Campaign, Sequence[Alert]]]


def alert_mails_send(*, now: datetime | None = None) -> int:
    """Send the daily mail to all subscribers who have not received it yet; return the number sent.

    With any number of workers, no subscriber gets two mails a day: the claim is committed before
    sending, and a mail that may have been sent is not sent again.
    """
    mails_mark_unconfirmed()
    now = timezone.localtime(now)
    if now.hour < FIRST_HOUR or not alert_mails_can_be_sent():
        return 0
    sent = 0
    for user in _waiting(now.date()):
        try:
            sent += _send(user, now)
        except Exception:
            # One failure must not delay the other mails.
            logger.exception("Could not create the daily mail of user %s.", user.pk)
    return sent


@transaction.atomic
def alert_mail_claim(*, user: User, day: date) -> Mail | None:
    """Claim the mail of a person and day; return it, or None if it was sent, is being sent or must wait.

    Locks the message's row, skipping it if it is locked.
    """
    mail, _is_new = Mail.objects.get_or_create(
        kind=MailKind.ALERTS,
        user=user,
        day=day,
        defaults={
            "address": user.email or "",
            "language": _language(user),
            "base_url": settings.PUBLIC_ADDRESS.rstrip("/"),
        },
    )
    return sending_claim(Mail.objects.due().filter(pk=mail.pk))


def _waiting(day: date) -> list[User]:
    had = Mail.objects.filter(day=day).exclude(state=MailState.QUEUED)
    subscribers = _subscriptions().values("user")
    users = User.objects.filter(pk__in=subscribers, is_active=True).exclude(
        pk__in=had.values("user"),
    )
    return list(users.exclude(Q(email=None) | Q(email="")).order_by("pk"))


def _subscriptions() -> QuerySet[Membership]:
    return Membership.objects.filter(daily_alerts=True)


def _send(user: User, now: datetime) -> bool:
    of_user = _subscriptions().filter(user=user).values("campaign")
    campaigns = list(
        Campaign.objects.present()
        .filter(pk__in=of_user)
        .order_by("-created_at", "-pk"),
    )
    with translation.override(_language(user)):
        alerts = alerts_of_campaigns(campaigns=campaigns, now=now)
    alerts_by_campaign = [
        (campaign, alerts[campaign.pk]) for campaign in campaigns if alerts[campaign.pk]
    ]
    if not alerts_by_campaign:
        return False
    mail = alert_mail_claim(user=user, day=now.date())
    return mail is not None and message_send(
        mail,
        partial(_message, mail, user.name, alerts_by_campaign),
    )


def _language(user: User) -> str:
    return user.language or settings.LANGUAGE_CODE


def _message(
    mail: Mail,
    name: str,
    alerts_by_campaign: AlertsByCampaign,
    connection: BaseEmailBackend,
) -> EmailMessage:
    count = sum(len(alerts) for _campaign, alerts in alerts_by_campaign)
    with translation.override(mail.language):
        subject = ngettext(
            "%(count)s item needs your attention",
            "%(count)s items need your attention",
            count,
        )
        campaigns = [
            (campaign, alerts, mail.base_url + reverse("people", args=[campaign.slug]))
            for campaign, alerts in alerts_by_campaign
        ]
        body = render_to_string(
            "campaign/alert_mail.txt",
            {"name": name, "campaigns": campaigns, "base_url": mail.base_url},
        )
    return EmailMessage(
        subject=f"Quintet: {subject % {'count': count}}",
        body=body,
        to=[mail.address],
        connection=connection,
    )

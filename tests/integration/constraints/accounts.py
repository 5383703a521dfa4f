"""Messages about accounts, and daily ones of alerts."""

from functools import partial

from django.utils import timezone

from campaign.models import AccountMail, AlertMail
from tests.factories import make_campaign, make_organiser
from tests.integration.constraints.breakages import Create, breaks_by_fields

NOW = timezone.now()


def mail() -> Create:
    """Return what creates a message for whoever forgot a password."""
    return partial(
        AccountMail.objects.create, kind="password", address="a@example.org", language="en"
    )


def mail_of_somebody() -> Create:
    """Return what creates a message to a new address of an organiser."""
    organiser = make_organiser(make_campaign())
    return partial(mail(), kind="address", user=organiser)


breaks_by_fields(
    "account_mail_has_a_time_exactly_if_sent",
    mail,
    {"state": "sent"},
    {"sent_at": NOW},
    accepted={"state": "sent", "sent_at": NOW},
)
breaks_by_fields(
    "account_mail_has_a_user_exactly_if_for_an_address",
    mail_of_somebody,
    {"user": None},
    {"kind": "password"},
    accepted={"address": "b@example.org"},
)


def alert_mail() -> Create:
    """Return what creates another daily mail of an organiser who has had yesterday's."""
    organiser = make_organiser(make_campaign())
    create = partial(
        AlertMail.objects.create, user=organiser, address="a@example.org", language="en"
    )
    create(day="2026-03-19")
    return partial(create, day="2026-03-20")


breaks_by_fields(
    "alert_mail_has_a_time_exactly_if_sent",
    alert_mail,
    {"state": "sent"},
    {"sent_at": NOW},
    accepted={"state": "sent", "sent_at": NOW},
)

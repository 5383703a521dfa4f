"""The daily alert e-mail: who gets it, when, once, and how it is switched on and off."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaign.models import Campaign, Mail, Membership, MembershipRole, User
from campaign.services.mails import RETRY_DELAYS
from campaign.services.members import (
    daily_alerts_set,
    member_role_change,
    organiser_add,
)
from desk.services.alert_mails import alert_mail_claim, alert_mails_send
from tests.factories import make_campaign, make_organiser, make_task
from tests.integration.arriving.mail_server import MailServer

pytestmark = pytest.mark.django_db
ADDRESS = "https://judge.example.org/quintet"
PEOPLE = "/campaigns/museum/people/"
API = "/api/v1/campaigns/museum/alerts/mail/"


@pytest.fixture(autouse=True)
def public_address(settings: Settings) -> None:
    settings.PUBLIC_ADDRESS = f"{ADDRESS}/"


def at(hour: int, minute: int = 0, *, day: int = 20) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=timezone.get_default_timezone())


@pytest.fixture
def asked(campaign: Campaign, organiser: User) -> Membership:
    """An organiser who asked for the mail of a campaign in which nobody judges."""
    make_task(campaign, planned=0)
    membership = Membership.objects.get(campaign=campaign, user=organiser)
    daily_alerts_set(membership=membership, daily_alerts=True)
    return membership


def test_daily_mail_is_sent_only_on_request(
    campaign: Campaign,
    organiser: User,
) -> None:
    make_task(campaign, planned=0)
    assert alert_mails_send(now=at(12)) == 0
    assert mail.outbox == []


@pytest.mark.usefixtures("asked")
def test_one_a_day_from_six_o_clock_on() -> None:
    sent = [
        alert_mails_send(now=now)
        for now in (at(0), at(5, 59), at(6), at(7), at(23, 59))
    ]
    assert sent == [0, 0, 1, 0, 0]
    assert alert_mails_send(now=at(5, 59, day=21)) == 0
    assert alert_mails_send(now=at(6, day=21)) == 1
    assert len(mail.outbox) == 2


def test_one_mail_with_all_campaigns_that_were_asked_for(
    asked: Membership,
    organiser: User,
) -> None:
    for slug, wanted in [("second", True), ("third", False)]:
        other = make_campaign(slug)
        make_task(other, planned=0)
        membership = organiser_add(campaign=other, user=organiser)
        daily_alerts_set(membership=membership, daily_alerts=wanted)
    quiet = organiser_add(campaign=make_campaign("quiet"), user=organiser)
    daily_alerts_set(membership=quiet, daily_alerts=True)
    assert alert_mails_send(now=at(6)) == 1
    (message,) = mail.outbox
    assert message.to == ["organiser@example.org"]
    assert message.subject == "Quintet: 2 items need your attention"
    text = str(message.body).replace("   \n", "\n")
    assert "- No judgments yet. Send judges a link; they need no account.\n" in text
    for slug in ("museum", "second"):
        assert f"  Invite judges: {ADDRESS}/campaigns/{slug}/invitations/\n" in text
        assert f"{slug.title()}: {ADDRESS}/campaigns/{slug}/people/\n" in text
    assert "third" not in text
    assert "quiet" not in text


@pytest.mark.parametrize(
    "why",
    ["inactive", "no address", "analyst", "bin", "off", "removed"],
)
def test_some_get_none_any_more(asked: Membership, organiser: User, why: str) -> None:
    if why == "inactive":
        User.objects.update(is_active=False)
    elif why == "no address":
        User.objects.update(email=None)
    elif why == "analyst":
        make_organiser(asked.campaign, "other@example.org")
        Membership.objects.exclude(pk=asked.pk).update(role="owner")
        member_role_change(membership=asked, role=MembershipRole.ANALYST, by=None)
    elif why == "bin":
        Campaign.objects.update(state="bin")
    elif why == "off":
        daily_alerts_set(membership=asked, daily_alerts=False)
    else:
        asked.delete()
    assert alert_mails_send(now=at(6)) == 0


def use(settings: Settings, port: int) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_TIMEOUT = 5


def test_failed_mail_is_retried_when_due(asked: Membership, settings: Settings) -> None:
    with MailServer(RCPT=b"450 later") as server:
        use(settings, server.port)
        assert alert_mails_send(now=at(6)) == 0
    row = Mail.objects.get()
    assert (row.state, row.attempts) == ("queued", 1)
    with MailServer() as server:
        use(settings, server.port)
        assert alert_mails_send(now=at(7)) == 0
        Mail.objects.update(next_attempt_at=timezone.now() - RETRY_DELAYS[0])
        assert alert_mails_send(now=at(7)) == 1
        assert len(server.messages) == 1
    assert Mail.objects.get().state == "sent"


def test_possibly_sent_mail_is_not_repeated(asked: Membership, organiser: User) -> None:
    assert alert_mail_claim(user=organiser, day=at(6).date()) is not None
    assert alert_mails_send(now=at(6)) == 0
    Mail.objects.update(claimed_at=timezone.now() - timedelta(minutes=16))
    assert alert_mails_send(now=at(7)) == 0
    assert Mail.objects.get().state == "unconfirmed"
    assert mail.outbox == []


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_send_each_person_one() -> None:
    campaign = make_campaign()
    make_task(campaign, planned=0)
    for number in range(5):
        user = make_organiser(campaign, f"o{number}@example.org")
        daily_alerts_set(
            membership=Membership.objects.get(user=user),
            daily_alerts=True,
        )
    together = Barrier(2)

    def work(_worker: int) -> int:
        try:
            together.wait(timeout=30)
            return alert_mails_send(now=at(6))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        sent = list(pool.map(work, range(2)))
    assert sum(sent) == 5
    assert sorted(message.to[0] for message in mail.outbox) == [
        f"o{number}@example.org" for number in range(5)
    ]


def test_daily_mail_is_switched_on_and_off_on_the_page(
    page: Client,
    campaign: Campaign,
    organiser: User,
) -> None:
    own = Membership.objects.get(user=organiser)
    assert own.daily_alerts is False
    address = f"{PEOPLE}{own.pk}/alerts/"
    assert page.get(PEOPLE).content.decode().count(address) == 1
    for wanted, words in [
        ("1", "Turn off daily e-mail"),
        ("0", "Turn on daily e-mail"),
    ]:
        answer = page.post(address, {"wanted": wanted}, follow=True)
        assert words in answer.content.decode()
        own.refresh_from_db()
        assert own.daily_alerts == (wanted == "1")


def test_daily_mail_of_another_user_cannot_be_switched(
    page: Client,
    campaign: Campaign,
) -> None:
    make_organiser(campaign, "other@example.org")
    other = Membership.objects.get(user__email="other@example.org")
    assert f"{other.pk}/alerts/" not in page.get(PEOPLE).content.decode()
    assert page.post(f"{PEOPLE}{other.pk}/alerts/", {"wanted": "1"}).status_code == 404
    elsewhere = Client()
    elsewhere.force_login(make_organiser(make_campaign("other"), "far@example.org"))
    assert (
        elsewhere.post(f"{PEOPLE}{other.pk}/alerts/", {"wanted": "1"}).status_code
        == 404
    )
    assert not Membership.objects.filter(daily_alerts=True).exists()

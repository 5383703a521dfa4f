"""Mails about erasure: who is told what, in which language, once, and that no address stays behind."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.utils import formats, timezone, translation
from pytest_django import Settings

from annotation.services.judges import erasure_carry_out
from campaign.models import (
    Campaign,
    Judge,
    Mail,
    MailState,
    User,
)
from campaign.services.erasures import erasure_ask, erasure_withdraw
from campaign.services.mails import (
    mail_claim,
    mails_send_due,
)
from campaign.tasks import send_mails
from tests.factories import make_analyst, make_campaign, make_judge, make_task
from tests.integration.arriving.mail_server import MailServer

pytestmark = pytest.mark.django_db
JUDGE = "ada@example.org"
PUBLIC = "https://judge.example.org/quintet"


@pytest.fixture(autouse=True)
def public_address(settings: Settings) -> None:
    settings.PUBLIC_ADDRESS = PUBLIC


@pytest.fixture
def campaign() -> Campaign:
    return make_task(make_campaign("museum"), planned=0).test_set.campaign


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    judge = make_judge(campaign, "quiet-fox")
    assert judge.user is not None
    User.objects.filter(pk=judge.user.pk).update(name="Ada Lovelace")
    Judge.objects.filter(pk=judge.pk).update(address=JUDGE)
    judge.refresh_from_db()
    return judge


def sent() -> list[EmailMessage]:
    """Send what is due, and return it."""
    before = len(mail.outbox)
    send_mails()
    return mail.outbox[before:]


def to(address: str, messages: list[EmailMessage]) -> EmailMessage:
    [found] = [each for each in messages if each.to == [address]]
    return found


def day(when: Any, language: str) -> str:
    """Return a day as people of a language write it."""
    with translation.override(language):
        return formats.date_format(timezone.localtime(when), "DATE_FORMAT")


def test_erasure_mails_tell_judge_the_due_date_and_organiser_the_request(
    judge: Judge,
    organiser: User,
) -> None:
    analyst = make_analyst(judge.campaign)
    asked = erasure_ask(judge=judge)
    messages = sent()
    assert {each.to[0] for each in messages} == {JUDGE, str(organiser.email)}
    assert analyst.email not in {each.to[0] for each in messages}
    told = to(JUDGE, messages)
    assert told.subject == "Your data erasure request was received: Museum"
    assert day(asked.due_at, "en") in str(told.body)
    assert f"\n{PUBLIC}/judge/museum/data/\n" in str(told.body)
    heard = to(str(organiser.email), messages)
    assert heard.subject == "Data erasure request: Museum"
    assert f"\n{PUBLIC}/campaigns/museum/people/erasures/\n" in str(heard.body)
    assert "“quiet-fox”" in str(heard.body)
    assert "Lovelace" not in str(heard.message())
    assert JUDGE not in str(heard.message())
    # What is asked already is not told again.
    assert erasure_ask(judge=judge) == asked
    assert sent() == []


def test_erasure_is_confirmed_to_the_former_address(
    judge: Judge,
) -> None:
    asked = erasure_ask(judge=judge)
    sent()
    erasure_carry_out(request=asked, by=None)
    assert Judge.objects.get(pk=judge.pk).address == ""
    # Of all that was written to them, this waits alone.
    assert list(Mail.objects.values_list("kind", "address")) == [("carried_out", JUDGE)]
    [told] = sent()
    assert told.to == [JUDGE]
    assert told.subject == "Your data was erased: Museum"
    assert PUBLIC not in str(told.body)  # No page is theirs any more.
    assert list(Mail.objects.values_list("state", "address")) == [("sent", "")]
    assert sent() == []


@pytest.mark.parametrize("reply", [b"550 nobody here", None])
def test_an_address_that_cannot_be_reached_does_not_stay(
    judge: Judge,
    settings: Settings,
    reply: bytes | None,
) -> None:
    erasure_carry_out(request=erasure_ask(judge=judge), by=None)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with MailServer(RCPT=reply) as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        assert mails_send_due() == 0
    row = Mail.objects.get()
    assert row.state in {MailState.FAILED, MailState.UNCONFIRMED}
    assert (row.address, row.error) == ("", "")


def test_withdrawn_erasure_request_sends_no_mail(judge: Judge, organiser: User) -> None:
    assert organiser.email
    erasure_ask(judge=judge)
    erasure_withdraw(judge=judge)
    assert sent() == []


@pytest.mark.parametrize(
    "known",
    ["account", "organisers", "mail", "mail not sent", "none"],
)
def test_the_address_is_the_nearest_that_is_known(judge: Judge, known: str) -> None:
    if known == "account":
        User.objects.filter(judges=judge).update(email="own@example.org")
    if known not in {"account", "organisers"}:
        Judge.objects.update(address="")
    if known.startswith("mail"):
        was_sent = known == "mail"
        Mail.objects.create(
            kind="judge",
            campaign=judge.campaign,
            judge=judge,
            address="invited@example.org",
            language="de",
            base_url=PUBLIC,
            state=MailState.SENT if was_sent else MailState.FAILED,
            sent_at=timezone.now() if was_sent else None,
        )
    asked = erasure_ask(judge=judge)
    found = {
        "account": ["own@example.org"],
        "organisers": [JUDGE],
        "mail": ["invited@example.org"],
    }.get(known, [])
    messages = sent()
    assert [address for each in messages for address in each.to] == found
    if known == "mail":
        assert day(asked.due_at, "de") in str(messages[0].body)
    assert Mail.objects.exclude(kind="judge").count() == len(found)


def test_mail_of_a_stopped_worker_is_not_repeated(judge: Judge) -> None:
    erasure_ask(judge=judge)
    assert mail_claim() is not None
    assert mail_claim() is None
    Mail.objects.update(claimed_at=timezone.now() - timedelta(minutes=16))
    assert sent() == []
    assert Mail.objects.get().state == MailState.UNCONFIRMED

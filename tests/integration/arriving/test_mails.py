"""Invitations by e-mail: sent once, tried again, never doubled in silence."""

import email
import email.policy
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from threading import Barrier

import pytest
from django.core import mail as django_mail
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaign.models import Campaign, Invitation, Judge, Mail
from campaign.services.invitation_mails import judge_link_mail, judges_invite_by_mail
from campaign.services.invitations import judge_links_revoke
from campaign.services.mails import (
    RETRY_DELAYS,
    mail_claim,
    mails_mark_unconfirmed,
    mails_send_due,
)
from campaign.services.notification import Message
from campaign.tasks import send_mails
from tests.clocks import set_process_clock
from tests.factories import make_campaign, make_organiser, make_task
from tests.integration.arriving.mail_server import MailServer


def invite(campaign: Campaign, *addresses: str) -> list[Mail]:
    addresses = addresses or ("ada@example.org",)
    base_url = "https://judge.example.org/"
    return judges_invite_by_mail(
        campaign=campaign,
        addresses=addresses,
        message=Message(base_url=base_url),
    ).mails


def use(settings: Settings, port: int) -> None:
    settings.EMAIL_BACKEND = "config.mail_backend.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_TIMEOUT = 5


def overdue() -> None:
    Mail.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def test_a_message_brings_one_judge_to_their_work(
    settings: Settings,
    campaign: Campaign,
) -> None:
    make_task(campaign)
    organiser = make_organiser(campaign)
    judges_invite_by_mail(
        campaign=campaign,
        addresses=["ada@example.org"],
        message=Message(
            base_url="https://judge.example.org/",
            note="See you in Plzeň.",
        ),
        user=organiser,
    )
    with MailServer() as server:
        use(settings, server.port)
        send_mails()
        send_mails()
    assert server.recipients == ["rcpt TO:<ada@example.org>"]
    (raw,) = server.messages
    assert raw.isascii()
    message = email.message_from_string(raw, policy=email.policy.default)
    assert message["Subject"] == "Invitation to judge: Museum"
    assert message["Reply-To"] == "organiser@example.org"
    assert isinstance(message, email.message.EmailMessage)
    words = message.get_content()
    assert "See you in Plzeň." in words
    found = re.search(r"https://judge.example.org(/i/([\w-]{22})/)", words)
    assert found is not None
    row = Mail.objects.get()
    assert (row.state, row.attempts, row.error) == ("sent", 1, "")
    # What the database keeps opens nothing.
    link = Invitation.objects.get()
    assert bytes(link.token_hash) == sha256(found[2].encode()).digest()
    client = Client()
    assert client.post(found[1], follow=True).redirect_chain == [
        ("/judge/museum/", 302),
    ]
    assert Judge.objects.get().user_id == int(client.session["_auth_user_id"])


@pytest.mark.parametrize(
    ("public", "greeting"),
    [
        ("https://judge.example.org:8443", "judge.example.org"),
        ("https://bücher.example.org", "xn--bcher-kva.example.org"),
        ("http://127.0.0.1:8000", str(django_mail.DNS_NAME)),
        ("http://localhost:8000", str(django_mail.DNS_NAME)),
        ("", str(django_mail.DNS_NAME)),
    ],
)
def test_mail_server_is_greeted_with_the_public_name(
    settings: Settings,
    campaign: Campaign,
    public: str,
    greeting: str,
) -> None:
    """getsentry/sentry 16386, langgenius/dify 30957, matomo 20832: servers refused the id of a container."""
    settings.PUBLIC_ADDRESS = public
    invite(campaign)
    with MailServer() as server:
        use(settings, server.port)
        assert mails_send_due() == 1
    assert server.greetings == [f"ehlo {greeting}"]


def test_message_is_named_after_its_sender_and_asks_for_no_automatic_reply(
    settings: Settings,
    campaign: Campaign,
) -> None:
    """zulip/zulip 13193: each message got an out-of-office reply from Exchange."""
    settings.DEFAULT_FROM_EMAIL = "Quintet <quintet@bücher.example.org>"
    invite(campaign)
    mails_send_due()
    [message] = [sent.message() for sent in django_mail.outbox]
    assert re.fullmatch(r"<\S+@xn--bcher-kva\.example\.org>", message["Message-ID"])
    assert message["Auto-Submitted"] == "auto-generated"
    # Bounces are not among them: organisers need these.
    assert message["X-Auto-Response-Suppress"] == "OOF, AutoReply"


def test_arabic_message_runs_from_right_to_left_except_for_its_link(
    campaign: Campaign,
) -> None:
    judges_invite_by_mail(
        campaign=campaign,
        addresses=["ada@example.org"],
        message=Message(base_url="https://judge.example.org", language="ar"),
    )
    mails_send_due()
    [message] = django_mail.outbox
    lines = [line.strip() for line in message.body.split("\n") if line.strip()]
    links = [line for line in lines if "://" in line]
    assert re.fullmatch(r"https://judge.example.org/i/[\w-]{22}/", links[0])
    others = [line for line in lines if line not in links]
    assert {(line[0], line[-1]) for line in others} == {("\u202b", "\u202c")}


def test_invited_judge_is_left_unchanged(campaign: Campaign) -> None:
    invite(campaign, "ada@example.org")
    again = judges_invite_by_mail(
        campaign=campaign,
        addresses=["Ada@example.org", "bea@example.org"],
        message=Message(base_url="https://x/"),
    )
    assert (len(again.mails), again.judge_addresses) == (1, ["Ada@example.org"])
    assert Judge.objects.count() == 2
    invite(make_campaign("other"), "ada@example.org")


@pytest.mark.parametrize(
    ("replies", "state"),
    [
        ({"RCPT": b"550 nobody here"}, "failed"),
        ({"RCPT": b"451 later"}, "queued"),
        ({"TAKEN": b"554 spam"}, "failed"),
        ({"TAKEN": b"452 full"}, "queued"),
        ({"MAIL": b"421 busy"}, "queued"),
        # As long as EMAIL_URL is wrong, all messages are refused, and none is at fault.
        ({"MAIL": b"530 Must issue a STARTTLS command first"}, "queued"),
        # The message is with the server, which hung up before it said so.
        ({"TAKEN": None}, "unconfirmed"),
    ],
)
def test_mail_server_reply_decides_about_a_retry(
    settings: Settings,
    campaign: Campaign,
    replies: dict[str, bytes | None],
    state: str,
) -> None:
    invite(campaign)
    with MailServer(**replies) as server:
        use(settings, server.port)
        assert mails_send_due() == 0
    row = Mail.objects.get()
    assert (row.state, row.attempts) == (state, 1)
    assert row.error
    assert row.sent_at is None
    overdue()
    with MailServer() as server:
        use(settings, server.port)
        mails_send_due()
    assert len(server.messages) == (state == "queued")


def test_a_refused_address_is_not_logged(
    settings: Settings,
    campaign: Campaign,
    caplog: pytest.LogCaptureFixture,
) -> None:
    invite(campaign, "ada@example.org")
    with MailServer(RCPT=b"550 nobody here") as server:
        use(settings, server.port)
        mails_send_due()
    assert "SMTPRecipientsRefused 550" in caplog.text
    assert "ada@example.org" not in caplog.text


def test_a_server_that_is_away_is_asked_again_and_at_last_no_more(
    settings: Settings,
    campaign: Campaign,
) -> None:
    invite(campaign)
    with MailServer() as server:
        pass
    use(settings, server.port)
    mails_send_due()
    mails_send_due()
    row = Mail.objects.get()
    # Not at once: the second look found nothing due.
    assert (row.state, row.attempts) == ("queued", 1)
    assert "refused" in row.error
    for _wait in RETRY_DELAYS:
        overdue()
        mails_send_due()
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("failed", 1 + len(RETRY_DELAYS))
    # One link, of the last attempt: what was never sent is not kept.
    assert Invitation.objects.count() == 1


def test_a_message_whose_worker_died_is_not_sent_again_by_itself(
    campaign: Campaign,
) -> None:
    invite(campaign)
    assert mail_claim() is not None
    assert mails_send_due() == 0
    Mail.objects.update(claimed_at=timezone.now() - timedelta(minutes=16))
    assert mails_send_due() == 0
    row = Mail.objects.get()
    assert row.state == "unconfirmed"
    assert django_mail.outbox == []
    judge_link_mail(judge=Judge.objects.get(), base_url="https://judge.example.org")
    assert mails_send_due() == 1
    assert len(django_mail.outbox) == 1


def test_sending_again_revokes_the_link_of_before(campaign: Campaign) -> None:
    (row,) = invite(campaign)
    mails_send_due()
    again = judge_link_mail(
        judge=Judge.objects.get(),
        base_url="https://judge.example.org",
    )
    mails_send_due()
    links = [
        re.findall(r"/i/[\w-]+/", str(message.body))[0]
        for message in django_mail.outbox
    ]
    assert [Client().post(link).status_code for link in links] == [404, 302]
    assert again.judge == row.judge
    assert Judge.objects.count() == 1


def test_withdrawn_mail_is_not_sent(campaign: Campaign) -> None:
    (row,) = invite(campaign)
    judge_links_revoke(judge=Judge.objects.get(mails=row))
    assert mails_send_due() == 0


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_each_message_once() -> None:
    campaign = make_campaign()
    invite(campaign, *(f"judge{number}@example.org" for number in range(20)))
    together = Barrier(4)

    def work(_worker: int) -> int:
        try:
            together.wait()
            return mails_send_due()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        sent = list(pool.map(work, range(4)))
    assert sum(sent) == 20
    to = [message.to[0] for message in django_mail.outbox]
    assert len(to) == len(set(to)) == 20


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_worker_s_wrong_clock_does_not_decide_how_long_a_message_is_in_sending(
    campaign: Campaign,
    hours: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    invite(campaign)
    with monkeypatch.context() as patch:
        set_process_clock(patch, ahead_by=timedelta(hours=hours))
        claimed = mail_claim()
    assert claimed is not None
    assert mails_mark_unconfirmed() == 0
    written = claimed[0].claimed_at
    assert written == Mail.objects.get().claimed_at
    Mail.objects.update(claimed_at=F("claimed_at") - timedelta(minutes=16))
    assert mails_mark_unconfirmed() == 1

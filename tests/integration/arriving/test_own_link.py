"""A judge's own link: drawn as a code, and sent to the address that the judge gives."""

import re

import pytest
from django.core import mail as django_mail
from django.test import Client
from pytest_django import Settings

from campaign.models import Campaign, Invitation, Judge, Mail
from campaign.services.invitation_mails import (
    MOST_MAILS,
    OwnLinkRefusedError,
    judges_invite_by_mail,
    own_link_send,
)
from campaign.services.invitations import own_link_create, own_link_revoke
from campaign.services.mails import mails_send_due
from campaign.services.notification import Message
from tests.factories import make_judge, make_task

PAGE = "/judge/museum/link/"


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(make_task(campaign).test_set.campaign)


def send(judge: Judge, address: str = "ada@example.org") -> Mail:
    return own_link_send(
        judge=judge,
        address=address,
        base_url="https://judge.example.org/",
    )


def sent_link(which: int = -1) -> str:
    found = re.search(
        r"https?://[^/]+(/i/[\w-]{22}/)",
        str(django_mail.outbox[which].body),
    )
    assert found is not None
    return found[1]


def opens(link: str) -> bool:
    return Client().get(link).status_code == 200


class TestTheCode:
    def test_is_drawn_without_words_or_styles_of_its_own(self, judging: Client) -> None:
        made = judging.post(PAGE, {"action": "make"}).content.decode()
        found = re.search(r'<svg[^>]*class="qr".*?</svg>', made, re.DOTALL)
        assert found is not None
        assert "style=" not in found[0]
        assert not re.search(r"<(?!/?(?:svg|g|path)\b)", found[0])

    def test_is_gone_with_the_link(self, judging: Client) -> None:
        judging.post(PAGE, {"action": "make"})
        assert 'class="qr"' not in judging.get(PAGE).content.decode()


class TestByMail:
    def test_opens_the_judges_own_work(self, judge: Judge) -> None:
        send(judge)
        assert mails_send_due() == 1
        assert (
            django_mail.outbox[0].subject
            == f"Your personal link: {judge.campaign.name}"
        )
        assert django_mail.outbox[0].to == ["ada@example.org"]
        assert "Here is your personal link" in django_mail.outbox[0].body
        phone = Client()
        assert phone.post(sent_link(), follow=True).status_code == 200
        assert phone.get("/judge/museum/").status_code == 200
        assert Judge.objects.count() == 1

    def test_the_second_replaces_the_first_and_leaves_the_link_of_the_page(
        self,
        judge: Judge,
    ) -> None:
        shown = f"/i/{own_link_create(judge=judge)}/"
        send(judge)
        mails_send_due()
        first = sent_link()
        send(judge)
        mails_send_due()
        assert [opens(link) for link in (shown, first, sent_link())] == [
            True,
            False,
            True,
        ]

    def test_one_that_waits_is_not_sent_once_another_is_asked_for(
        self,
        judge: Judge,
    ) -> None:
        send(judge, "ada@example.org")
        send(judge, "ada@home.example.org")
        assert mails_send_due() == 1
        assert django_mail.outbox[0].to == ["ada@home.example.org"]

    def test_withdrawing_ends_all_links_of_ones_own(self, judge: Judge) -> None:
        shown = f"/i/{own_link_create(judge=judge)}/"
        send(judge)
        mails_send_due()
        send(judge, "later@example.org")
        own_link_revoke(judge=judge)
        assert mails_send_due() == 0
        assert [opens(link) for link in (shown, sent_link())] == [False, False]

    def test_an_address_that_the_organisers_invited_is_left_to_them(
        self,
        campaign: Campaign,
        judge: Judge,
    ) -> None:
        judges_invite_by_mail(
            campaign=campaign,
            addresses=["ADA@example.org"],
            message=Message(base_url="https://x"),
        )
        before = own_link_create(judge=judge)
        send(judge, "mine@example.org")
        with pytest.raises(
            OwnLinkRefusedError,
            match="was already sent to this address",
        ):
            send(judge, "ada@example.org")
        # Nothing has changed.
        assert Mail.objects.get(judge=judge).withdrawn_at is None
        assert opens(f"/i/{before}/")

    def test_link_mails_are_limited_per_judge(self, judge: Judge) -> None:
        for number in range(MOST_MAILS):
            send(judge, f"somebody{number}@example.org")
        with pytest.raises(OwnLinkRefusedError, match="reached the message limit"):
            send(judge, "ada@example.org")
        assert Mail.objects.count() == MOST_MAILS


class TestThePage:
    def test_sends_to_the_address_with_links_to_this_server(
        self,
        judging: Client,
    ) -> None:
        answer = judging.post(PAGE, {"action": "send", "address": "ada@example.org"})
        assert "has been sent to ada@example.org" in answer.content.decode()
        mails_send_due()
        assert opens(sent_link())
        assert "http://testserver/i/" in django_mail.outbox[0].body
        judging.post(PAGE, {"action": "withdraw"})
        assert not Invitation.objects.valid().exists()

    def test_offers_no_mail_where_nothing_is_sent(
        self,
        judging: Client,
        settings: Settings,
    ) -> None:
        assert "Send link" in judging.get(PAGE).content.decode()
        settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
        assert "Send link" not in judging.get(PAGE).content.decode()
        asked = judging.post(PAGE, {"action": "send", "address": "ada@example.org"})
        assert asked.status_code == 400
        assert not Mail.objects.exists()

"""A corrected address: every message goes to it, and what was sent to the previous one ends."""

import re
from collections.abc import Callable
from typing import Final

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.selectors.effects import judge_change_in_words
from annotation.services.judges import erasure_carry_out
from campaign.models import Campaign, Judge, Mail, MailKind, MembershipRole, User
from campaign.services.erasures import erasure_ask, erasure_refuse
from campaign.services.invitation_mails import (
    NoAddressError,
    judge_link_mail,
    judges_invite_by_mail,
    own_link_send,
)
from campaign.services.invitations import judge_links_restore
from campaign.services.judges import JudgeChanges, PersonRefusedError, judge_change
from campaign.services.mails import mails_send_due
from campaign.services.members import daily_alerts_set, member_invite_by_mail
from campaign.services.notification import Message
from campaign.services.own_account import (
    address_mail_request,
    address_set_by_link,
    address_token,
    password_mail_request,
)
from desk.services.alert_mails import alert_mail_claim
from tests.factories import make_judge, make_organiser, make_task

WRONG: Final = "ada@exmaple.org"
RIGHT: Final = "ada@example.org"
OTHER: Final = "nina@example.org"
BASE: Final = "https://judge.example.org"


@pytest.fixture(autouse=True)
def public_address(settings: Settings) -> None:
    settings.PUBLIC_ADDRESS = BASE


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    """A judge who was invited at a misspelled address."""
    make_task(campaign)
    [invitation] = judges_invite_by_mail(
        campaign=campaign,
        addresses=[WRONG],
        message=Message(base_url=BASE),
    ).mails
    return Judge.objects.get(mails=invitation)


def link_sent() -> str:
    """Send what is due, and return the path of the link in the last message."""
    mails_send_due()
    found = re.search(r"/i/[\w-]+/", str(mail.outbox[-1].body))
    assert found is not None
    return found[0]


def correct(judge: Judge, address: str = RIGHT) -> None:
    judge_change(
        judge=Judge.objects.get(pk=judge.pk),
        changes=JudgeChanges(address=address),
    )


def test_resent_invitation_goes_to_the_corrected_address(
    client: Client,
    judge: Judge,
) -> None:
    old_link = link_sent()
    correct(judge)
    client.force_login(make_organiser(judge.campaign))
    page = reverse("invitations", args=[judge.campaign.slug])
    assert reverse("mail-again", args=[judge.campaign.slug, judge.pk]) in _text(
        client,
        page,
    )
    client.post(reverse("mail-again", args=[judge.campaign.slug, judge.pk]))
    new_link = link_sent()
    assert mail.outbox[-1].to == [RIGHT]
    assert [Client().post(link).status_code for link in (old_link, new_link)] == [
        404,
        302,
    ]
    assert RIGHT in _text(client, page)
    assert WRONG not in _text(client, page)


def _text(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_reader_of_the_misspelled_address_loses_all_access(
    client: Client,
    judge: Judge,
) -> None:
    stranger = client
    stranger.post(link_sent())
    stranger.post(
        reverse("judge-own-link", args=[judge.campaign.slug]),
        {"act": "make"},
    )
    assert stranger.get(reverse("judge", args=[judge.campaign.slug])).status_code == 200
    told = judge_change_in_words(judge=judge, change=lambda: correct(judge))
    assert told == [
        "Links that stop working: 2.",
        "1 browser is signed out.",
    ]
    correct(judge)
    assert stranger.get(reverse("judge", args=[judge.campaign.slug])).status_code == 302


def test_judge_who_did_not_open_the_mailed_link_stays_signed_in(judge: Judge) -> None:
    link_sent()
    by_hand = Client()
    assert judge.user is not None
    by_hand.force_login(judge.user)
    correct(judge)
    assert by_hand.get(reverse("judge", args=[judge.campaign.slug])).status_code == 200


def test_other_spelling_of_the_same_address_ends_nothing(judge: Judge) -> None:
    link = link_sent()
    correct(judge, WRONG.upper())
    assert Client().get(link).status_code == 200


def test_waiting_invitation_goes_to_the_corrected_address(judge: Judge) -> None:
    correct(judge)
    assert mails_send_due() == 1
    assert mail.outbox[-1].to == [RIGHT]


def test_removed_address_gets_nothing_more(judge: Judge) -> None:
    link = link_sent()
    correct(judge, "")
    assert Client().get(link).status_code == 404
    with pytest.raises(NoAddressError):
        judge_link_mail(judge=judge, base_url=BASE)


def test_restoring_links_does_not_bring_back_those_of_the_previous_address(
    judge: Judge,
) -> None:
    link = link_sent()
    correct(judge)
    assert judge_links_restore(judge=Judge.objects.get(pk=judge.pk)) == 0
    assert Client().get(link).status_code == 404


def test_stranger_can_be_invited_after_the_correction(judge: Judge) -> None:
    link_sent()
    correct(judge)
    invited = judges_invite_by_mail(
        campaign=judge.campaign,
        addresses=[WRONG, RIGHT],
        message=Message(base_url=BASE),
    )
    assert ([each.address for each in invited.mails], invited.judge_addresses) == (
        [WRONG],
        [RIGHT],
    )


def test_address_of_another_judges_message_is_refused(judge: Judge) -> None:
    other = make_judge(judge.campaign, "other")
    own_link_send(judge=other, address=RIGHT, base_url=BASE)
    with pytest.raises(PersonRefusedError):
        correct(judge)
    link_sent()
    correct(judge)
    with pytest.raises(NoAddressError):
        judge_link_mail(judge=judge, base_url=BASE)


def _judge_is_invited(judge: Judge, _user: User) -> str:
    correct(judge)
    judge_link_mail(judge=judge, base_url=BASE)
    return RIGHT


def _member_is_invited(judge: Judge, _user: User) -> str:
    member_invite_by_mail(
        campaign=judge.campaign,
        email=OTHER,
        role=MembershipRole.ANALYST,
        message=Message(base_url=BASE),
    )
    link_sent()
    user = User.objects.get(email=OTHER)
    address_set_by_link(token=address_token(user, RIGHT), base_url=BASE, language="en")
    return RIGHT


def _password_is_forgotten(_judge: Judge, user: User) -> str:
    password_mail_request(address=str(user.email).upper(), base_url=BASE, language="en")
    return str(user.email)


def _address_is_to_be_confirmed(_judge: Judge, user: User) -> str:
    address_mail_request(user=user, address=RIGHT, base_url=BASE, language="en")
    return RIGHT


def _address_was_changed(_judge: Judge, user: User) -> str:
    before = str(user.email)
    address_set_by_link(token=address_token(user, RIGHT), base_url=BASE, language="en")
    return before


def _alerts_are_sent(judge: Judge, user: User) -> str:
    daily_alerts_set(membership=user.memberships.get(), daily_alerts=True)
    now = timezone.localtime()
    claimed = alert_mail_claim(user=user, day=now.date())
    assert claimed is not None
    Mail.objects.filter(pk=claimed.pk).update(state="queued")
    address_set_by_link(token=address_token(user, RIGHT), base_url=BASE, language="en")
    again = alert_mail_claim(user=User.objects.get(pk=user.pk), day=now.date())
    assert again is not None
    mails_send_due()
    mail.outbox.append(mail.EmailMessage(to=[again.address]))
    return RIGHT


def _erasure_is_recorded(judge: Judge, user: User) -> str:
    erasure_ask(judge=judge, by=user)
    correct(judge)
    return RIGHT


def _erasure_is_refused(judge: Judge, user: User) -> str:
    asked = erasure_ask(judge=judge, by=user)
    mails_send_due()
    erasure_refuse(request=asked, reason="Payments are under way.", by=user)
    correct(judge)
    return RIGHT


def _erasure_is_carried_out(judge: Judge, user: User) -> str:
    asked = erasure_ask(judge=judge, by=user)
    mails_send_due()
    correct(judge)
    erasure_carry_out(request=asked, by=user)
    return RIGHT


def _erasure_is_asked(judge: Judge, user: User) -> str:
    Mail.objects.all().delete()
    Judge.objects.filter(pk=judge.pk).update(address="")
    erasure_ask(judge=judge)
    address_set_by_link(token=address_token(user, RIGHT), base_url=BASE, language="en")
    return RIGHT


_MESSAGES: Final[dict[MailKind, Callable[[Judge, User], str]]] = {
    MailKind.JUDGE: _judge_is_invited,
    MailKind.MEMBER: _member_is_invited,
    MailKind.PASSWORD: _password_is_forgotten,
    MailKind.ADDRESS: _address_is_to_be_confirmed,
    MailKind.OLD_ADDRESS: _address_was_changed,
    MailKind.ALERTS: _alerts_are_sent,
    MailKind.ERASURE_RECORDED: _erasure_is_recorded,
    MailKind.ERASURE_REFUSED: _erasure_is_refused,
    MailKind.ERASURE_CARRIED_OUT: _erasure_is_carried_out,
    MailKind.ERASURE_ASKED: _erasure_is_asked,
}


@pytest.mark.parametrize("kind", MailKind)
def test_messages_go_to_the_current_address(judge: Judge, kind: MailKind) -> None:
    user = make_organiser(judge.campaign)
    mails_send_due()
    expected = _MESSAGES[kind](judge, user)
    mails_send_due()
    assert mail.outbox[-1].to == [expected]


def test_messages_are_marked_as_automatic(judge: Judge) -> None:
    link_sent()
    [message] = mail.outbox
    assert message.message()["Auto-Submitted"] == "auto-generated"


def test_invitation_goes_to_the_judges_address_rather_than_the_accounts(
    judge: Judge,
) -> None:
    User.objects.filter(judges=judge).update(email="account@example.org")
    correct(judge)
    judge_link_mail(judge=judge, base_url=BASE)
    link_sent()
    assert mail.outbox[-1].to == [RIGHT]

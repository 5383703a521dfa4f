"""Which language the pages are in, and who remembers it."""

import re
from datetime import datetime

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext, ngettext
from pytest_django import Settings

from campaign.models import Campaign, InvitationRole, Judge, Membership, User
from campaign.services.erasures import erasure_ask
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from campaign.services.judges import user_language_set
from campaign.services.members import daily_alerts_set
from campaign.tasks import send_mails
from desk.services.alert_mails import alert_mails_send
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db


def language_of(client: Client, page: str = "/sign-in/") -> str:
    return client.get(page)["Content-Language"]


def choose(client: Client, language: str, page: str = "/sign-in/") -> str:
    response = client.post(reverse("language"), {"language": language, "next": page})
    assert response.status_code == 302
    return str(response["Location"])


def open_invitation(client: Client, judge: Judge) -> None:
    assert judge.user is not None
    _, token = invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    client.post(f"/i/{token}/")


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_campaign())


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("", "en"),
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("zh-CN,zh;q=0.9", "zh-hans"),
        ("ar-EG", "ar"),
        ("fi,cs;q=0.4", "cs"),
        ("fi", "en"),
    ],
)
def test_without_a_choice_the_browser_decides(asked: str, given: str) -> None:
    assert (
        language_of(Client(headers={"accept-language": asked} if asked else {}))
        == given
    )


@pytest.mark.parametrize("language", dict(settings.LANGUAGES))
def test_menu_has_the_own_name_of_each_language(language: str) -> None:
    page = (
        Client(headers={"accept-language": language}).get("/sign-in/").content.decode()
    )
    menu = re.findall(
        r'<button class="tool" type="submit" name="language"[^>]*>([^<]+)<',
        page,
    )
    assert menu == [name for _code, name in settings.LANGUAGES]
    chosen = re.findall(r'<span class="language-name">([^<]+)<', page)
    assert chosen == [dict(settings.LANGUAGES)[language]]


def test_a_choice_goes_with_a_judge_to_their_other_device(judge: Judge) -> None:
    first, second = Client(), Client(headers={"accept-language": "de"})
    open_invitation(first, judge)
    choose(first, "ar")
    assert language_of(first, f"/judge/{judge.campaign.slug}/") == "ar"
    open_invitation(second, judge)
    page = second.get(f"/judge/{judge.campaign.slug}/").content.decode()
    assert '<html lang="ar" dir="rtl">' in page


def test_signing_in_replaces_the_language_chosen_before(judge: Judge) -> None:
    assert judge.user is not None
    user_language_set(user=judge.user, language="cs")
    client = Client()
    choose(client, "zh-hans")
    open_invitation(client, judge)
    assert language_of(client, f"/judge/{judge.campaign.slug}/") == "cs"


@pytest.mark.parametrize("language", ["", "xx", "../../etc", "fr"])
def test_a_language_that_is_not_offered_changes_nothing(
    judge: Judge,
    language: str,
) -> None:
    client = Client(headers={"accept-language": "de"})
    open_invitation(client, judge)
    choose(client, language)
    assert language_of(client, "/campaigns/") == "de"
    assert judge.user is not None
    judge.user.refresh_from_db()
    assert judge.user.language == "de"


def joined(client: Client, campaign: Campaign) -> Judge:
    """Join by a shared link as a newcomer does: see its page, choose Czech, and press its button."""
    _, token = invitation_create_for_anybody(campaign=campaign, cap=3)
    page = f"/i/{token}/"
    assert client.get(page)["Content-Language"] == "en"
    choose(client, "cs", page)
    assert client.get(page)["Content-Language"] == "cs"
    client.post(page)
    return Judge.objects.get(campaign=campaign)


def test_choice_on_the_page_of_an_invitation_goes_with_the_judge_who_joins() -> None:
    make_task(make_campaign())
    campaign = Campaign.objects.get()
    judge = joined(Client(), campaign)
    assert judge.user is not None
    assert judge.user.language == "cs"
    other = Client(headers={"accept-language": "de"})
    open_invitation(other, judge)
    assert language_of(other, f"/judge/{campaign.slug}/") == "cs"


def sign_in(client: Client) -> None:
    form = {"login": "organiser@example.org", "password": "correct horse battery"}
    assert client.post("/sign-in/", form).status_code == 302


@pytest.fixture
def czech(settings: Settings) -> User:
    """An organiser who once signed in with a Czech browser, and whose campaign lacks judges."""
    settings.PUBLIC_ADDRESS = "https://judge.example.org"
    campaign = make_task(make_campaign(), planned=0).test_set.campaign
    organiser = make_organiser(campaign)
    sign_in(Client(headers={"accept-language": "cs-CZ,cs;q=0.9"}))
    return organiser


def test_messages_to_an_organiser_are_in_the_language_of_their_first_sign_in(
    czech: User,
) -> None:
    # Another browser changes nothing.
    german = Client(headers={"accept-language": "de"})
    sign_in(german)
    assert language_of(german, "/campaigns/") == "cs"
    campaign = Campaign.objects.get()
    daily_alerts_set(membership=Membership.objects.get(user=czech), daily_alerts=True)
    noon = datetime(2026, 3, 20, 12, tzinfo=timezone.get_default_timezone())
    assert alert_mails_send(now=noon) == 1
    erasure_ask(judge=make_judge(campaign))
    german.logout()
    german.post("/sign-in/forgotten/", {"email": "organiser@example.org"})
    send_mails()
    with translation.override("cs"):
        attention = ngettext(
            "%(count)s item needs your attention",
            "%(count)s items need your attention",
            1,
        )
        expected = {
            f"Quintet: {attention % {'count': 1}}",
            gettext("Data erasure request: %(campaign)s") % {"campaign": campaign.name},
            gettext("Reset your Quintet password"),
        }
    # No matter at which spaces a line may end.
    assert {tuple(message.subject.split()) for message in mail.outbox} == {
        tuple(subject.split()) for subject in expected
    }

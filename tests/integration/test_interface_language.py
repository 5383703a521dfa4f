"""Which language the pages are in, and who remembers it."""

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import InvitationRole, Judge
from campaign.services.invitations import invitation_create
from campaign.services.people import user_language_set
from tests.factories import make_campaign, make_judge

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
        campaign=judge.campaign, user=judge.user, role=InvitationRole.JUDGE
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
    assert language_of(Client(headers={"accept-language": asked} if asked else {})) == given


def test_a_choice_goes_with_a_judge_to_their_other_device(judge: Judge) -> None:
    first, second = Client(), Client(headers={"accept-language": "de"})
    open_invitation(first, judge)
    choose(first, "ar")
    assert language_of(first, f"/judge/{judge.campaign.slug}/") == "ar"
    open_invitation(second, judge)
    page = second.get(f"/judge/{judge.campaign.slug}/").content.decode()
    assert '<html lang="ar" dir="rtl">' in page


def test_who_signs_in_does_not_get_the_choice_of_who_was_there_before(judge: Judge) -> None:
    assert judge.user is not None
    user_language_set(user=judge.user, language="cs")
    client = Client()
    choose(client, "zh-hans")
    open_invitation(client, judge)
    assert language_of(client, f"/judge/{judge.campaign.slug}/") == "cs"


@pytest.mark.parametrize("language", ["", "xx", "../../etc", "fr"])
def test_a_language_that_is_not_offered_changes_nothing(judge: Judge, language: str) -> None:
    client = Client()
    open_invitation(client, judge)
    choose(client, language)
    assert language_of(client, "/campaigns/") == "en"
    assert judge.user is not None
    judge.user.refresh_from_db()
    assert judge.user.language == ""

"""Who may see the organiser's pages, and where the front page leads whom."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Judge, Membership, User
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def somebody(db: None) -> Callable[[str], User]:
    """People who must not see the campaign, and why one might think they may."""

    def make(role: str) -> User:
        user = User.objects.create_user(name=role, email=f"{role}@example.org")
        museum = Campaign.objects.get(slug="museum")
        if role == "judge":
            Judge.objects.create(campaign=museum, user=user, pseudonym="j9", origin="person")
        if role == "organiser-of-another":
            other = Campaign.objects.create(slug="other", name="Other")
            Membership.objects.create(campaign=other, user=user, role="owner")
        return user

    return make


# --- Who may see them -------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["campaign", "dashboard", "live"])
@pytest.mark.parametrize("role", ["judge", "organiser-of-another", "nobody"])
def test_nobody_but_its_members_sees_a_campaign(
    client: Client, judged: TestSetWriter, somebody: Callable[[str], User], role: str, page: str
) -> None:
    client.force_login(somebody(role))

    response = client.get(addresses(judged)[page])

    assert response.status_code == 404
    assert b"A day at the museum" not in response.content


@pytest.mark.parametrize("page", ["campaign", "dashboard"])
def test_strangers_are_asked_to_sign_in(client: Client, judged: TestSetWriter, page: str) -> None:
    address = addresses(judged)[page]

    response = client.get(address)

    assert (response.status_code, response["Location"]) == (302, f"/sign-in/?next={address}")


def test_a_page_whose_session_ended_learns_so_instead_of_swapping_in_a_form(
    client: Client, judged: TestSetWriter
) -> None:
    assert client.get(addresses(judged)["live"]).status_code == 401


def test_a_task_is_found_under_its_own_campaign_only(
    as_organiser: Client, organiser: User, judged: TestSetWriter
) -> None:
    other = Campaign.objects.create(slug="other", name="Other")
    Membership.objects.create(campaign=other, user=organiser, role="owner")

    for page in ("test-set-dashboard", "test-set-live"):
        address = reverse(page, kwargs={"slug": "other", "task_id": judged.task.pk})
        assert as_organiser.get(address).status_code == 404


def test_the_list_holds_the_organisers_own_campaigns(
    as_organiser: Client, judged: TestSetWriter
) -> None:
    Campaign.objects.create(slug="secret", name="Not yours")

    page = text_of(as_organiser.get(reverse("campaign-list")))

    assert "A day at the museum" in page
    assert "Not yours" not in page


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_pages_are_read_only(as_organiser: Client, judged: TestSetWriter, method: str) -> None:
    for address in addresses(judged).values():
        assert getattr(as_organiser, method)(address).status_code == 405


# --- Home -------------------------------------------------------------------------------------------


def test_home_leads_an_organiser_to_their_campaigns(as_organiser: Client) -> None:
    assert as_organiser.get("/")["Location"] == reverse("campaign-list")


def test_home_leads_a_judge_to_their_work(
    client: Client, campaign: Campaign, somebody: Callable[[str], User]
) -> None:
    client.force_login(somebody("judge"))
    assert client.get("/")["Location"] == reverse("judge", kwargs={"slug": "museum"})


def test_home_lets_a_judge_of_several_campaigns_choose(
    client: Client, campaign: Campaign, somebody: Callable[[str], User]
) -> None:
    user = somebody("judge")
    zoo = Campaign.objects.create(slug="zoo", name="A night at the zoo")
    Judge.objects.create(campaign=zoo, user=user, pseudonym="j9", origin="person")
    client.force_login(user)

    page = client.get("/").content.decode()

    assert reverse("judge", kwargs={"slug": "museum"}) in page
    assert reverse("judge", kwargs={"slug": "zoo"}) in page


def test_home_tells_anybody_else_how_to_get_in(
    client: Client, campaign: Campaign, somebody: Callable[[str], User]
) -> None:
    client.force_login(somebody("nobody"))
    assert "join by invitation" in text_of(client.get("/"))


def test_home_asks_a_stranger_to_sign_in(client: Client, db: None) -> None:
    assert client.get("/")["Location"] == "/sign-in/?next=/"

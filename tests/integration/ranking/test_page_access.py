"""Who may see the organiser's pages, and where the front page leads whom."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Judge, Membership, User
from tests.integration.ranking.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def somebody(db: None) -> Callable[[str], User]:
    """People who must not see the campaign, and why one might think they may."""

    def make(role: str) -> User:
        user = User.objects.create_user(name=role, email=f"{role}@example.org")
        museum = Campaign.objects.get(slug="museum")
        if role == "judge":
            Judge.objects.create(
                campaign=museum,
                user=user,
                pseudonym="j9",
                origin="person",
            )
        if role == "organiser-of-another":
            other = Campaign.objects.create(slug="other", name="Other")
            Membership.objects.create(campaign=other, user=user, role="owner")
        return user

    return make


# --- Who may see them -------------------------------------------------------------------------------


# --- Home -------------------------------------------------------------------------------------------


def test_home_leads_an_organiser_to_their_campaigns(as_organiser: Client) -> None:
    assert as_organiser.get("/")["Location"] == reverse("campaign-list")


def test_home_leads_a_judge_to_their_work(
    client: Client,
    campaign: Campaign,
    somebody: Callable[[str], User],
) -> None:
    client.force_login(somebody("judge"))
    assert client.get("/")["Location"] == reverse("judge", kwargs={"slug": "museum"})


def test_home_lets_a_judge_of_several_campaigns_choose(
    client: Client,
    campaign: Campaign,
    somebody: Callable[[str], User],
) -> None:
    user = somebody("judge")
    zoo = Campaign.objects.create(slug="zoo", name="A night at the zoo")
    Judge.objects.create(campaign=zoo, user=user, pseudonym="j9", origin="person")
    client.force_login(user)

    page = client.get("/").content.decode()

    assert reverse("judge", kwargs={"slug": "museum"}) in page
    assert reverse("judge", kwargs={"slug": "zoo"}) in page


def test_home_tells_anybody_else_how_to_get_in(
    client: Client,
    campaign: Campaign,
    somebody: Callable[[str], User],
) -> None:
    client.force_login(somebody("nobody"))
    assert "in your invitation" in text_of(client.get("/"))


def test_home_asks_a_stranger_to_sign_in(client: Client, db: None) -> None:
    assert client.get("/")["Location"] == "/sign-in/?next=/"

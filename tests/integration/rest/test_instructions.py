"""Instructions of judges over REST, and making a campaign: by the services of their pages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from campaign.models import Campaign, CampaignState, MembershipRole, User
from tests.integration.rest.test_lists import queries, results

pytestmark = pytest.mark.django_db


@pytest.fixture
def organising(campaign: Campaign, make_member: Callable[..., User]) -> User:
    return make_member(campaign, "organiser", "olga")


@pytest.fixture
def organiser(organising: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(organising)


def send(client: Client, address: str, sent: Any) -> Any:
    return client.post(address, sent, content_type="application/json")


def test_versions_follow_each_other(organiser: Client, campaign: Campaign) -> None:
    here = f"/api/v1/campaigns/{campaign.slug}/instructions/"
    first = send(organiser, here, {"language": "en", "text": "Rank them."})
    assert first.status_code == 201
    # The first one always is.
    assert first.json()["demands_acceptance"] is True
    second = send(organiser, here, {"language": "en", "text": "Rank them all."}).json()
    assert (second["version"], second["demands_acceptance"]) == (2, False)
    same = send(organiser, here, {"language": "en", "text": "Rank them all."}).json()
    assert same["version"] == 2
    rows = results(organiser, here)
    assert [(row["version"], row["in_force"]) for row in rows] == [
        (2, True),
        (1, False),
    ]
    assert not any("text" in row for row in rows)
    assert rows[0]["written_by"] == "olga"
    assert organiser.get(f"{here}1/").json()["text"] == "Rank them."
    assert organiser.get(f"{here}3/").status_code == 404
    one = queries(organiser, f"{here}?page_size=1", 1)
    # Token, user, the count of requests, campaign, versions, those in force.
    assert queries(organiser, here, 2) == one == 4


def test_a_campaign_is_made_as_on_its_page(organiser: Client, organising: User) -> None:
    made = send(organiser, "/api/v1/campaigns/", {"name": "The Zoo, 2026"})
    assert made.status_code == 201
    campaign = Campaign.objects.get(slug="the-zoo-2026")
    assert made.json()["role"] == "owner"
    assert (campaign.name, campaign.state) == ("The Zoo, 2026", CampaignState.DRAFT)
    (owner,) = campaign.memberships.all()
    assert (owner.user, owner.role) == (organising, MembershipRole.OWNER)
    assert organiser.get("/api/v1/campaigns/the-zoo-2026/").json() == made.json()

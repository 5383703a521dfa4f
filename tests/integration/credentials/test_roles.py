"""Owners, organisers and analysts: who makes whom what, by page, REST and command."""

from typing import Any

import pytest
from django.test import Client

from campaign.models import (
    ActivityEvent,
    Campaign,
    Invitation,
    Membership,
    MembershipRole,
    User,
)
from campaign.services.campaigns import campaign_create
from campaign.services.members import (
    member_link_create,
    member_remove,
    member_role_change,
)
from tests.factories import make_analyst, make_organiser
from tests.integration.credentials.browsers import PEOPLE, words

pytestmark = pytest.mark.django_db
API = "/api/v1/campaigns/museum/members/"


@pytest.fixture
def owner(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def organiser(campaign: Campaign, owner: User) -> User:
    return make_organiser(campaign, "otto@example.org")


@pytest.fixture
def analyst(campaign: Campaign, owner: User) -> User:
    return make_analyst(campaign)


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def roles() -> dict[str | None, str]:
    return dict(Membership.objects.order_by("pk").values_list("user__email", "role"))


def membership_of(user: User) -> Membership:
    return Membership.objects.select_related("user", "campaign").get(user=user)


def test_creator_owns_the_campaign(owner: User) -> None:
    client = client_of(owner)
    client.post("/new-campaign/", {"name": "Zoo"})
    client.post(
        "/campaigns/museum/clone/",
        {"name": "Museum 2", "slug": "museum-2", "texts": "on"},
    )
    campaign_create(slug="by-command", name="By command", organisers=[owner])
    assert set(Membership.objects.values_list("campaign__slug", "role")) == {
        *(
            ("museum", "owner"),
            ("zoo", "owner"),
            ("museum-2", "owner"),
            ("by-command", "owner"),
        ),
    }


def test_an_owner_changes_roles_on_the_page_and_back(
    owner: User,
    analyst: User,
) -> None:
    client = client_of(owner)
    address = f"{PEOPLE}{membership_of(analyst).pk}/role/"
    asked = client.post(address, {"role": "organiser"})
    assert "Change role of Rita to organiser" in words(asked)
    assert "except delete the campaign" in words(asked)
    assert roles()["rita@example.org"] == "analyst"
    for role in ("organiser", "analyst"):
        done = client.post(address, {"role": role, "act": "yes"}, follow=True)
        assert f"Role of Rita changed to {role}." in words(done)
        assert roles()["rita@example.org"] == role
    changed = ActivityEvent.objects.filter(
        kind="campaign.membership",
        operation="changed",
    )
    assert [event.changes["role"] for event in changed.order_by("pk")] == [
        ["analyst", "organiser"],
        ["organiser", "analyst"],
    ]
    assert client.post(address, {"role": "king"}).status_code == 400


def test_the_only_owner_stays_until_there_is_another(
    owner: User,
    analyst: User,
) -> None:
    client = client_of(owner)
    own = membership_of(owner)
    for address in (f"{PEOPLE}{own.pk}/role/", f"{PEOPLE}{own.pk}/remove/"):
        refused = client.post(address, {"role": "analyst", "act": "yes"}, follow=True)
        assert "Olga is the only owner." in words(refused)
    assert client.delete(f"{API}{own.pk}/").status_code == 409
    said = client.patch(
        f"{API}{own.pk}/",
        {"role": "analyst"},
        content_type="application/json",
    )
    assert (said.status_code, said.json()["detail"][:8]) == (409, "Olga is ")
    member_role_change(
        membership=membership_of(analyst),
        role=MembershipRole.OWNER,
        by=owner,
    )
    client.post(f"{PEOPLE}{own.pk}/role/", {"role": "analyst", "act": "yes"})
    assert roles() == {"organiser@example.org": "analyst", "rita@example.org": "owner"}


def test_organisers_change_all_but_what_owners_own(
    campaign: Campaign,
    owner: User,
    organiser: User,
    analyst: User,
) -> None:
    client = client_of(organiser)
    page = client.get(PEOPLE).content.decode()
    assert "/role/" not in page
    assert "/remove/" not in page
    rita, own = membership_of(analyst), membership_of(owner)
    assert f"{own.pk}/link/" not in page
    assert f"{rita.pk}/link/" in page
    before = roles()
    for address, sent in (
        (f"{PEOPLE}{rita.pk}/role/", {"role": "owner", "act": "yes"}),
        (f"{PEOPLE}{rita.pk}/remove/", {"act": "yes"}),
        (f"{PEOPLE}{own.pk}/link/", {}),
        ("/campaigns/museum/state/delete/", {"name": "Museum"}),
    ):
        refused = client.post(address, sent)
        assert refused.status_code == 403, address
        assert "Only owners of this campaign can do this." in words(refused)
    json: Any = {"content_type": "application/json"}
    for answer in (
        client.patch(f"{API}{rita.pk}/", {"role": "owner"}, **json),
        client.delete(f"{API}{rita.pk}/"),
        client.post(f"{API}{own.pk}/link/"),
        client.post(API, {"email": "new@example.org", "role": "owner"}, **json),
        client.post("/api/v1/campaigns/museum/delete/", {"name": "Museum"}, **json),
    ):
        assert answer.status_code == 403
        assert answer.json()["detail"] == "Only owners of this campaign can do this."
    assert roles() == before
    assert not Invitation.objects.exists()
    assert "owner" not in client.get("/campaigns/museum/state/").content.decode()
    assert (
        "delete"
        not in client.get("/api/v1/campaigns/museum/state/").json()["transitions"]
    )
    said = client.get("/campaigns/museum/state/delete/").content.decode()
    assert 'method="post" action="/campaigns' not in said
    Campaign.objects.update(state="bin")
    assert client.post("/bin/museum/restore/").status_code == 403
    assert client_of(owner).post("/bin/museum/restore/").status_code == 302


def test_links_name_the_role_of_today_and_end_with_the_member(
    campaign: Campaign,
    owner: User,
    analyst: User,
) -> None:
    rita = membership_of(analyst)
    link, _token = member_link_create(membership=rita, by=owner)
    member_role_change(membership=rita, role=MembershipRole.ORGANISER, by=owner)
    link.refresh_from_db()
    assert link.role == "organiser"
    member_remove(membership=rita, by=owner)
    link.refresh_from_db()
    assert link.revoked_at is not None

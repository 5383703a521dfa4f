"""Members leave a campaign by themselves; somebody always owns it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client

from campaign.models import ActivityEvent, Campaign, Membership, User
from campaign.services.members import MemberRefusedError, member_leave
from tests.factories import make_analyst, make_campaign, make_organiser
from tests.integration.credentials.browsers import LISTED, PEOPLE, by_token, words

pytestmark = pytest.mark.django_db
LEAVE = f"{PEOPLE}leave/"
API = "/api/v1/campaigns/museum/members/leave/"
ONLY = "You are the only owner. Make another member an owner"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("role", ["owner", "organiser", "analyst"])
def test_the_page_says_what_it_means_and_does_it(
    page: Client,
    campaign: Campaign,
    role: str,
) -> None:
    otto = make_organiser(campaign, "otto@example.org")
    Membership.objects.filter(user=otto).update(role=role)
    client, notebook = client_of(otto), by_token(otto)
    assert "Leave campaign" in words(client.get(PEOPLE))
    asked = words(client.post(LEAVE))
    assert "You lose access to this campaign." in asked
    assert "0 links, 1 signed-in browser, 1 API token" in asked
    assert Membership.objects.filter(user=otto).exists()
    assert client.post(LEAVE, {"act": "yes"})["Location"] == "/sign-in/"
    assert not Membership.objects.filter(user=otto).exists()
    assert client.get(PEOPLE).status_code == 302
    assert notebook.get(LISTED).status_code == 401
    event = ActivityEvent.objects.filter(kind="campaign.membership").latest("pk")
    assert (event.operation, event.user_id, event.origin) == (
        "deleted",
        otto.pk,
        "page",
    )
    assert "Otto" not in words(page.get(PEOPLE))


def test_elsewhere_they_stay_who_they_are(page: Client, campaign: Campaign) -> None:
    rita = make_analyst(campaign)
    zoo = make_campaign("zoo")
    make_organiser(zoo, "zoe@example.org")
    Membership.objects.create(campaign=zoo, user=rita, role="analyst")
    client = client_of(rita)
    told = client.post(LEAVE, {"act": "yes"}, follow=True)
    assert told.redirect_chain == [("/", 302), ("/campaigns/", 302)]
    assert "You have left “Museum”." in words(told)
    assert client.get("/campaigns/zoo/").status_code == 200
    assert client.get("/campaigns/museum/").status_code == 404
    assert client.post(LEAVE, {"act": "yes"}).status_code == 404


def test_only_owner_must_appoint_another_before_leaving(
    page: Client,
    campaign: Campaign,
    organiser: User,
) -> None:
    make_analyst(campaign)
    for sent in ({}, {"act": "yes"}):
        told = page.post(LEAVE, sent, follow=True)
        assert told.redirect_chain == [(PEOPLE, 302)]
        assert ONLY in words(told)
    refused = page.post(API)
    assert (refused.status_code, ONLY in refused.json()["detail"]) == (409, True)
    Membership.objects.filter(user__email="rita@example.org").update(role="owner")
    assert page.post(LEAVE, {"act": "yes"}).status_code == 302
    assert not Membership.objects.filter(user=organiser).exists()


@pytest.mark.django_db(transaction=True)
def test_two_owners_cannot_leave_at_once() -> None:
    campaign = make_campaign()
    for number in range(2):
        make_organiser(campaign, f"organiser{number}@example.org")
    Membership.objects.update(role="owner")
    together = Barrier(2)

    def leave(membership: Membership) -> bool:
        try:
            together.wait()
            member_leave(membership=membership)
        except MemberRefusedError:
            return False
        finally:
            connection.close()
        return True

    rows = list(Membership.objects.select_related("user", "campaign"))
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(leave, rows)) == [False, True]
    assert Membership.objects.count() == 1

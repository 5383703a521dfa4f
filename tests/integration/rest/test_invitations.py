"""Invitations of judges over REST: the services of their page, and no link where none was just made."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import Campaign, Invitation, Judge, User
from tests.integration.rest.test_lists import results

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser(
    campaign: Campaign,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
) -> Client:
    return client_of(make_member(campaign, "organiser", "olga"))


@pytest.fixture
def here(campaign: Campaign) -> str:
    return f"/api/v1/campaigns/{campaign.slug}/invitations/"


def send(client: Client, address: str, sent: Any = None) -> Any:
    return client.post(address, sent or {}, content_type="application/json")


def test_a_link_for_anybody_is_made_listed_revoked_and_restored(
    organiser: Client,
    here: str,
) -> None:
    last = timezone.localdate() + timedelta(days=3)
    made = send(
        organiser,
        f"{here}links/",
        {"cap": 2, "last_day": last.isoformat(), "note": "a list"},
    )
    assert made.status_code == 201
    link = made.json().pop("link")
    (row,) = results(organiser, f"{here}links/")
    assert row == {name: value for name, value in made.json().items() if name != "link"}
    assert (row["cap"], row["arrived"], row["state"], row["note"]) == (
        2,
        0,
        "usable",
        "a list",
    )
    assert row["made_by"] == "olga"
    assert row["expires_at"].startswith(last.isoformat())
    newcomer = Client()
    path = link.removeprefix("http://testserver")
    assert newcomer.get(path).status_code == 200
    revoked = send(organiser, f"{here}links/{row['id']}/revoke/").json()
    assert revoked["state"] == "withdrawn"
    assert Client().get(path).status_code == 404
    assert (
        send(organiser, f"{here}links/{row['id']}/restore/").json()["state"] == "usable"
    )
    assert newcomer.post(path).status_code == 302
    assert results(organiser, f"{here}links/?state=usable")[0]["arrived"] == 1
    assert results(organiser, f"{here}links/?note=elsewhere") == []


def test_terms_of_a_link_are_changed(organiser: Client, here: str) -> None:
    made = send(organiser, f"{here}links/", {"cap": 3, "note": "poster"}).json()
    address = f"{here}links/{made.pop('id')}/"
    changes = {"cap": 5, "expires_at": "2999-05-01T18:00:00Z"}
    changed = organiser.patch(address, changes, "application/json").json()
    assert {name: changed[name] for name in changes} == changes
    assert (changed["note"], changed["languages"]) == ("poster", made["languages"])
    for name, value in {"cap": 0, "expires_at": "9999-12-31T23:59:59Z"}.items():
        refused = organiser.patch(address, {name: value}, "application/json")
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [name])


@pytest.mark.thorough
def test_a_judge_is_withdrawn_and_comes_back(
    organiser: Client,
    here: str,
    judge: Judge,
    client_of: Callable[[User], Client],
) -> None:
    own = f"{here}judges/{judge.pk}/"
    assert send(organiser, f"{own}again/").status_code == 400
    assert judge.user is not None
    before = results(organiser, here)
    only = send(organiser, f"{own}withdraw/", {"links_only": True}).json()
    assert only["state"] == before[0]["state"]
    assert send(organiser, f"{own}withdraw/").json()["state"] == "withdrawn"
    judge.refresh_from_db()
    assert judge.withdrawn_at is not None
    assert send(organiser, f"{own}readmit/").json()["state"] != "withdrawn"
    judge.refresh_from_db()
    assert judge.withdrawn_at is None


def test_no_list_has_a_link(organiser: Client, analyst: Client, here: str) -> None:
    made = send(organiser, f"{here}links/").json()
    token = made["link"].rstrip("/").rpartition("/")[2]
    for client in (organiser, analyst):
        for address in (here, f"{here}links/"):
            assert token not in json.dumps(client.get(address).json())
    assert token not in str(list(Invitation.objects.values()))

"""Panels of recruiting services over REST: the services of their pages; secrets only for who may change."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Panel, Task, User
from tests.integration.rest.test_lists import results
from tests.recruiting import COMPLETION, SCREENED_OUT, SECRET, Prolific, make_panel

pytestmark = pytest.mark.django_db
TERMS = {"kind": "prolific", "name": "main", "blocks_asked": 30, "minutes_allowed": 90}


@pytest.fixture
def organiser(
    campaign: Campaign,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
) -> Client:
    return client_of(make_member(campaign, "organiser", "olga"))


@pytest.fixture
def here(campaign: Campaign) -> str:
    return f"/api/v1/campaigns/{campaign.slug}/panels/"


def send(client: Client, address: str, sent: Any, method: str = "post") -> Any:
    return getattr(client, method)(address, sent, content_type="application/json")


def test_a_panel_is_made_changed_closed_and_opened(
    organiser: Client,
    here: str,
) -> None:
    made = send(organiser, here, TERMS)
    assert made.status_code == 201
    row = made.json()
    panel = Panel.objects.get()
    assert reverse("panel-entry", args=[panel.key]) in row["pasted"]
    assert "PROLIFIC_PID" in row["pasted"]
    assert row["events_address"].endswith(
        reverse("panel-events", args=[panel.events_key]),
    )
    assert (
        row["completion_code"]
        == panel.completion_code
        != row["screened_out_code"]
        != ""
    )
    own = f"{here}{panel.pk}/"
    changed = send(organiser, own, {"blocks_asked": 60}, "patch").json()
    assert (changed["blocks_asked"], changed["minutes_allowed"]) == (60, 90)
    assert changed["completion_code"] == row["completion_code"]
    assert send(organiser, f"{own}open/", {"open": False}).json()["closed_at"]
    assert send(organiser, f"{own}open/", {"open": True}).json()["closed_at"] is None


def test_a_panel_of_another_service_is_made_and_changed(
    organiser: Client,
    analyst: Client,
    here: str,
) -> None:
    sent = {**TERMS, "kind": "generic", "service": "SONA", "id_parameter": "sona_id"}
    refused = send(
        organiser,
        here,
        {**sent, "completion_address": "http://sona.example.org/"},
    )
    assert (refused.status_code, set(refused.json()["errors"])) == (
        400,
        {"completion_address"},
    )
    row = send(organiser, here, sent).json()
    assert row["pasted"].endswith("/?sona_id=")
    back = {"completion_address": "https://sona.example.org/?id={id}"}
    own = f"{here}{row['id']}/"
    assert (
        send(organiser, own, back, "patch").json() | back == organiser.get(own).json()
    )
    read = analyst.get(own).json()
    assert (read["service"], read["completion_address"]) == ("SONA", None)


def test_ids_codes_and_addresses_are_for_organisers(
    organiser: Client,
    analyst: Client,
    campaign: Campaign,
    task: Task,
    here: str,
) -> None:
    panel = make_panel(campaign)
    participant = Prolific(panel)
    opened = Client().post(participant.address + "?" + query_of("kim"))
    assert opened.status_code == 302
    own = f"{here}{panel.pk}/"
    (seen,) = results(organiser, f"{own}participations/")
    assert seen["state"] == "started"
    assert seen["participant"] == "6" * 24
    (read,) = results(analyst, f"{own}participations/")
    hidden = ("participant", "session", "study", "code")
    assert {name: read[name] for name in hidden} == dict.fromkeys(hidden)
    assert read["judge"] == seen["judge"]
    assert results(analyst, f"{own}participations/?who=666666") == []
    assert len(results(organiser, f"{own}participations/?who=666666")) == 1
    for client in (organiser, analyst):
        listed = client.get(here).content.decode()
        for secret in (SECRET, COMPLETION, SCREENED_OUT, panel.key, panel.events_key):
            assert secret not in listed
    told = analyst.get(own).json()
    assert told["has_webhook_secret"] is True
    assert {told[name] for name in ("pasted", "events_address", "completion_code")} == {
        None,
    }
    assert SECRET not in organiser.get(own).content.decode()


def query_of(name: str) -> str:
    return (
        f"PROLIFIC_PID={'6' * 24}&STUDY_ID={'7' * 24}&SESSION_ID={'8' * 24}&name={name}"
    )

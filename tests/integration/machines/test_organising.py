"""Organisers add, renew and withdraw machine judges, on the page and over REST."""

import re
from typing import Any

import pytest
from django.db import InternalError, transaction
from django.test import Client

from campaign.models import Campaign, MachineJudge
from tests.factories import make_analyst, make_campaign, make_organiser

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/museum/people/judges/machines/"
REST = "/api/v1/campaigns/museum/machines/"
TERMS = {
    "name": "judgebot",
    "version": "2026-11",
    "prompt": "Rank these.",
    "settings": "t=0",
}


@pytest.fixture
def organiser(client: Client) -> Client:
    client.force_login(make_organiser(make_campaign("museum")))
    return client


def opens(token: str) -> bool:
    """Return whether a token opens the judging API."""
    client = Client(headers={"Authorization": f"Token {token}"})
    asked = client.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    return asked.status_code == 204


def shown_token(response: Any) -> str:
    found = re.search(r'value="([0-9a-f]{64})"', response.content.decode())
    assert found is not None
    return found[1]


def test_page_shows_a_token_once(organiser: Client) -> None:
    token = shown_token(organiser.post(PAGE, {**TERMS, "asked_twice": "on"}))
    assert opens(token)
    machine = MachineJudge.objects.get()
    assert (machine.name, machine.prompt, machine.asked_twice) == (
        "judgebot",
        "Rank these.",
        True,
    )
    assert token not in machine.token_digest
    page = organiser.get(PAGE).content.decode()
    assert token not in page
    assert "Rank these." in page


def test_page_renews_and_withdraws(organiser: Client) -> None:
    first = shown_token(organiser.post(PAGE, TERMS))
    named = {"machine": MachineJudge.objects.get().pk}
    organiser.post(PAGE, {**named, "action": "token"})
    assert opens(first), "only asked so far"
    answered = {**named, "act": "yes"}
    second = shown_token(organiser.post(PAGE, {**answered, "action": "token"}))
    assert (opens(first), opens(second)) == (False, True)
    organiser.post(PAGE, {**named, "action": "withdraw"})
    assert opens(second), "only asked so far"
    organiser.post(PAGE, {**answered, "action": "withdraw"})
    assert not opens(second)
    assert MachineJudge.objects.get().withdrawn_at is not None
    # There is no token to end.
    third = shown_token(organiser.post(PAGE, {**named, "action": "token"}))
    assert opens(third)


def test_same_version_is_refused_and_another_is_another_judge(
    organiser: Client,
) -> None:
    organiser.post(PAGE, TERMS)
    assert organiser.post(PAGE, TERMS).status_code == 400
    assert (
        organiser.post(REST, TERMS, content_type="application/json").status_code == 400
    )
    organiser.post(PAGE, {**TERMS, "version": "2026-12"})
    assert MachineJudge.objects.count() == 2


def test_rest_adds_renews_and_withdraws(organiser: Client) -> None:
    added = organiser.post(REST, TERMS, content_type="application/json").json()
    assert opens(added["token"])
    own = f"{REST}{added['id']}/"
    assert organiser.get(own).json() == {
        key: value for key, value in added.items() if key != "token"
    }
    renewed = organiser.post(f"{own}token/").json()["token"]
    assert (opens(added["token"]), opens(renewed)) == (False, True)
    assert organiser.delete(own).status_code == 204
    assert not opens(renewed)


def test_terms_never_change(organiser: Client) -> None:
    organiser.post(PAGE, TERMS)
    with pytest.raises(InternalError), transaction.atomic():
        MachineJudge.objects.update(prompt="Rank the last first.")


def test_machine_of_another_campaign_is_not_found(organiser: Client) -> None:
    organiser.post(PAGE, TERMS)
    other = make_campaign("zoo")
    organiser.force_login(make_organiser(other, "zoe@example.org"))
    sent = {
        "machine": MachineJudge.objects.get().pk,
        "action": "withdraw",
        "act": "yes",
    }
    assert organiser.post(PAGE.replace("museum", "zoo"), sent).status_code == 404
    assert MachineJudge.objects.get().withdrawn_at is None


def test_analyst_sees_and_does_not_change(organiser: Client) -> None:
    organiser.post(PAGE, TERMS)
    organiser.force_login(make_analyst(Campaign.objects.get()))
    assert "judgebot" in organiser.get(PAGE).content.decode()
    sent = {"machine": MachineJudge.objects.get().pk, "action": "token"}
    assert organiser.post(PAGE, sent).status_code == 403

"""Webhooks by page, REST and command: one code path, and the same answers."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, WebhookDelivery, WebhookEndpoint
from campaign.services.webhooks import webhook_create, webhook_test, webhooks_deliver
from desk.selectors.alerts import AlertKind, alerts_of_campaigns
from tests.factories import make_analyst, make_organiser
from tests.integration.webhooks.conftest import Receiver

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.org/quintet/5f3c"
EVENTS = ["judgments.created", "campaign.closed"]


@pytest.fixture
def page(campaign: Campaign) -> Client:
    client = Client()
    client.force_login(make_organiser(campaign))
    return client


def sends(
    client: Client,
    method: str,
    address: str,
    body: dict[str, Any] | None = None,
) -> Any:
    return getattr(client, method)(address, body or {}, content_type="application/json")


def test_a_page_adds_changes_rotates_pauses_and_deletes(
    page: Client,
    campaign: Campaign,
) -> None:
    address = reverse("webhooks", args=["museum"])
    made = page.post(address, {"url": URL, "description": "Notebook", "events": EVENTS})
    assert (made.status_code, "no-store" in made["Cache-Control"]) == (201, True)
    endpoint = WebhookEndpoint.objects.get()
    assert endpoint.secret in made.content.decode()
    own = reverse("webhook", args=["museum", endpoint.pk])
    for shown in (page.get(address), page.get(own)):
        assert endpoint.secret not in shown.content.decode()
    rotated = page.post(own, {"action": "rotate"})
    secret = re.search(
        r'new-link".*?value="(whsec_[^"]+)"',
        rotated.content.decode(),
        re.DOTALL,
    )
    assert secret is not None
    assert secret[1] != endpoint.secret
    endpoint.refresh_from_db()
    assert endpoint.old_secret
    page.post(
        own,
        {"action": "change", "url": URL + "x", "events": ["campaign.closed"]},
    )
    endpoint.refresh_from_db()
    assert (endpoint.url, endpoint.events) == (URL + "x", ["campaign.closed"])
    for action, is_on in (("pause", False), ("resume", True)):
        page.post(own, {"action": action})
        endpoint.refresh_from_db()
        assert endpoint.is_on == is_on
    page.post(own, {"action": "test"})
    assert WebhookDelivery.objects.get().event == "webhook.test"
    page.post(own, {"action": "delete"})
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {"url": "http://example.org/", "events": EVENTS},
        {"url": "https://127.0.0.1/", "events": EVENTS},
        {"url": "", "events": EVENTS},
        {"url": URL, "events": []},
        {"url": URL, "events": ["x"]},
    ],
)
def test_invalid_webhook_is_refused_by_page_and_rest(
    page: Client,
    campaign: Campaign,
    sent: dict[str, Any],
) -> None:
    assert page.post(reverse("webhooks", args=["museum"]), sent).status_code == 400
    assert (
        sends(page, "post", reverse("api-webhooks", args=["museum"]), sent).status_code
        == 400
    )
    assert not WebhookEndpoint.objects.exists()


def test_rest_does_what_the_page_does(page: Client, campaign: Campaign) -> None:
    address = reverse("api-webhooks", args=["museum"])
    made = sends(page, "post", address, {"url": URL, "events": EVENTS})
    assert made.status_code == 201
    secret = made.json().pop("secret")
    (listed,) = page.get(address).json()["results"]
    assert (listed["url"], listed["events"]) == (URL, EVENTS)
    own = f"{address}{listed['id']}/"
    assert "secret" not in page.get(own).json()
    rotated = sends(page, "post", f"{own}secret/", {"overlap_hours": 2}).json()
    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != secret
    assert rotated["old_secret_until"] is not None
    assert (
        sends(page, "post", f"{own}secret/", {"overlap_hours": 999}).status_code == 400
    )
    paused = sends(page, "patch", own, {"paused": True, "description": "later"}).json()
    assert (paused["paused_at"] is None, paused["description"]) == (False, "later")
    assert sends(page, "post", f"{own}test/").status_code == 400
    assert sends(page, "patch", own, {"paused": False}).json()["paused_at"] is None
    assert sends(page, "post", f"{own}test/").status_code == 202
    (delivery,) = page.get(f"{own}deliveries/").json()["results"]
    assert (delivery["state"], delivery["attempts"]) == ("waiting", 0)
    again = sends(page, "post", f"{own}deliveries/{delivery['id']}/again/")
    assert again.json()["message_id"] == delivery["message_id"]
    assert sends(page, "post", f"{own}deliveries/0/again/").status_code == 404
    assert page.delete(own).status_code == 204
    assert page.get(own).status_code == 404


def test_those_who_only_read_see_no_address_and_change_nothing(
    campaign: Campaign,
) -> None:
    make_organiser(campaign)
    endpoint = webhook_create(campaign=campaign, url=URL, events=EVENTS)
    webhook_test(endpoint=endpoint)
    client = Client()
    client.force_login(make_analyst(campaign))
    own = reverse("webhook", args=["museum", endpoint.pk])
    for address in (reverse("webhooks", args=["museum"]), own):
        shown = client.get(address).content.decode()
        assert "hooks.example.org" in shown
        assert "/quintet/5f3c" not in shown
        assert client.post(address, {"action": "delete"}).status_code == 403
    rest = reverse("api-webhook", args=["museum", endpoint.pk])
    assert client.get(rest).json()["url"] == "https://hooks.example.org/"
    assert client.delete(rest).status_code == 403
    assert sends(client, "post", f"{rest}secret/").status_code == 403


def test_deliveries_are_shown_and_sent_again_by_a_click(
    page: Client,
    campaign: Campaign,
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    receiver.codes = [503, 200]
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    own = reverse("webhook", args=["museum", endpoint.pk])
    shown = page.get(own).content.decode()
    assert "503" in shown
    assert "webhook.test" in shown
    delivery = WebhookDelivery.objects.get()
    again = reverse("webhook-delivery-again", args=["museum", endpoint.pk, delivery.pk])
    assert page.post(again).status_code == 302
    assert webhooks_deliver() == 1
    assert len(set(receiver.ids)) == 1


def test_organisers_are_alerted_of_webhooks_that_were_switched_off(
    campaign: Campaign,
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    def kinds() -> list[AlertKind]:
        return [
            each.kind for each in alerts_of_campaigns(campaigns=[campaign])[campaign.pk]
        ]

    assert AlertKind.WEBHOOK_OFF not in kinds()
    receiver.codes = [410]
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    assert AlertKind.WEBHOOK_OFF in kinds()

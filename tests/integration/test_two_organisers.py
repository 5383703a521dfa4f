"""Two organisers who change the same thing do not overwrite each other unknowingly."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from campaign.models import Campaign, Task
from tests.factories import make_organiser

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(task: Task) -> APIClient:
    api = APIClient()
    api.force_login(make_organiser(task.test_set.campaign))
    return api


def test_a_change_with_if_match_is_refused_once_another_came_before(
    api: APIClient,
    task: Task,
) -> None:
    campaign = task.test_set.campaign
    address = f"/api/v1/campaigns/{campaign.slug}/"
    etag = api.get(address).headers["ETag"]

    def change(pay: str, etag: str) -> Any:
        return api.patch(
            address,
            {"pay": pay},
            format="json",
            headers={"if-match": etag},
        )

    assert change("1 €", etag).status_code == 200
    refused = change("2 €", etag)
    assert (refused.status_code, refused.json()["type"]) == (
        412,
        "urn:quintet:problem:changed-meanwhile",
    )
    assert Campaign.objects.get().pay == "1 €"
    assert change("2 €", refused.headers["ETag"]).status_code == 200
    assert change("3 €", "*").status_code == 200
    assert Campaign.objects.get().pay == "3 €"


def test_a_form_is_refused_once_if_its_values_were_changed_meanwhile(
    client: Client,
    task: Task,
) -> None:
    campaign = task.test_set.campaign
    client.force_login(make_organiser(campaign))
    page = reverse("campaign-settings", args=[campaign.slug])
    form = client.get(page).context["form"]
    sent = {
        name: form[name].value()
        for name in form.fields
        if form[name].value() not in (None, False)
    } | {"version": form.version, "pay": "1 €", "judged_0": "translations"}
    Campaign.objects.update(pay="2 €")
    refused = client.post(page, sent)
    assert refused.status_code == 400
    assert Campaign.objects.get().pay == "2 €"
    found = re.search(r'name="version" value="([^"]+)"', refused.content.decode())
    assert found is not None
    assert client.post(page, sent | {"version": found[1]}).status_code == 302
    assert Campaign.objects.get().pay == "1 €"


def test_pages_with_changes_send_their_version(client: Client, task: Task) -> None:
    campaign = task.test_set.campaign
    client.force_login(make_organiser(campaign))
    system = task.test_set.systems.earliest("pk")
    for name, *of in (
        ("campaign-settings",),
        ("campaign-state",),
        ("design", task.pk),
        ("ranking-settings", task.pk),
        ("stopping-rule", task.pk),
        ("test-set-settings", task.pk),
        ("system-results", task.pk, system.pk),
        ("instructions",),
    ):
        page = client.get(reverse(name, args=[campaign.slug, *of]))
        assert 'name="version"' in page.content.decode(), name

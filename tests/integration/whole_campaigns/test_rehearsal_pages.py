"""Beginning, seeing and ending a rehearsal by page and REST; and what is refused in one."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.services.planning.designs import design_change
from campaign.models import Campaign, CampaignState, Task, User
from campaign.services.campaigns import rehearsal_begin
from campaign.services.jobs import jobs_run_waiting
from ranking.selectors.dashboards import organised_campaigns
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(state=CampaignState.DRAFT)
    make_task(campaign, documents=(30,), planned=0)
    return campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def desk(client: Client, organiser: User) -> Client:
    client.force_login(organiser)
    return client


@pytest.fixture
def api(organiser: User) -> APIClient:
    client = APIClient()
    client.force_login(organiser)
    return client


def text(response: Any) -> str:
    return str(response.content.decode())


def test_page_begins_it_shows_it_and_ends_it(
    desk: Client,
    campaign: Campaign,
    organiser: User,
) -> None:
    address = f"/campaigns/{campaign.slug}/rehearsal/"
    assert "No rehearsal yet." in text(desk.get(address))
    sent = {"bots": 3, "skill": "0.9", "share": 50, "seed": 4}
    assert "Rehearsal started." in text(desk.post(address, sent, follow=True))
    again = desk.post(address, sent)
    assert again.status_code == 400
    assert "already starting or ending" in text(again)
    assert jobs_run_waiting() == 1
    page = text(desk.get(address))
    assert (
        "3 simulated judges; each prefers the better of two outputs 90 times in 100"
        in page
    )
    clone = Campaign.objects.get(rehearsal_of=campaign)
    for part in (
        "",
        "people/",
        "settings/",
        "state/",
        f"tasks/{Task.objects.of(clone).get().pk}/",
    ):
        shown = text(desk.get(f"/campaigns/{clone.slug}/{part}"))
        assert "Rehearsal of Museum with simulated judges." in shown
        assert f'href="{address}"' in shown
    assert list(organised_campaigns(user=organiser)) == [campaign]
    overview = text(desk.get(f"/campaigns/{campaign.slug}/"))
    assert "The rehearsal has finished." in overview
    assert f'href="/campaigns/{clone.slug}/"' in overview
    for part in ("people/", "people/judges/"):
        judges = f'href="/campaigns/{clone.slug}/people/judges/"'
        assert judges in text(desk.get(f"/campaigns/{campaign.slug}/{part}"))
    opening = text(desk.get(f"/campaigns/{campaign.slug}/state/open/"))
    assert "The rehearsal, its simulated judges" in opening
    assert "Permanently deletes" in text(desk.get(f"{address}end/"))
    desk.post(f"{address}end/", {"act": "yes"})
    assert jobs_run_waiting() == 1
    assert not Campaign.objects.filter(pk=clone.pk).exists()
    assert "No rehearsal yet." in text(desk.get(address))
    assert "Open rehearsal" not in text(desk.get(f"/campaigns/{campaign.slug}/people/"))


def test_rest_begins_it_tells_its_state_and_ends_it(
    api: APIClient,
    campaign: Campaign,
) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/rehearsal/"
    none = dict.fromkeys(("campaign", "bots", "skill", "share", "seed", "begun_at"))
    assert api.get(address).json() == {"state": "none", "job": None, **none}
    sent = {"bots": 3, "skill": 0.9, "share": 0.5, "seed": 4}
    begun = api.post(address, sent, format="json")
    assert begun.status_code == 202
    job = begun.json()["job"]
    assert begun.json() == {"state": "under way", "job": job, **none}
    assert jobs_run_waiting() == 1
    there = api.get(address).json()
    assert there.pop("begun_at")
    clone = Campaign.objects.get(rehearsal_of=campaign)
    assert there == {"state": "there", "job": job, "campaign": clone.slug, **sent}
    design_change(task=Task.objects.of(campaign).get(), systems_per_block=3)
    assert api.get(address).json()["state"] == "outdated"
    assert api.delete(address).status_code == 202
    assert jobs_run_waiting() == 1
    ended = api.get(address).json()
    assert ended == {"state": "none", "job": ended["job"], **none}
    assert ended["job"] > job


@pytest.mark.thorough
def test_files_of_its_judgments_say_that_it_is_one(
    api: APIClient,
    campaign: Campaign,
) -> None:
    rehearsal_begin(campaign=campaign, by=None, bots=1, skill=0.8, share=0.1, seed=1)
    assert jobs_run_waiting() == 1
    task = Task.objects.get(test_set__campaign__rehearsal_of=campaign)
    rest = f"/api/v1/tasks/{task.pk}/judgments/"
    file = api.get(
        f"/api/v1/tasks/{task.pk}/exports/stream/?kind=counted&file_format=jsonl",
    )
    assert file["Content-Disposition"] == (
        'attachment; filename="rehearsal-of-museum-museum-en-de-five-way-ranking-counted.jsonl"'
    )
    assert file["Rehearsal-Of"] == "museum"
    assert {row["rehearsal_of"] for row in api.get(rest).json()["results"]} == {
        "museum",
    }


@pytest.mark.thorough
def test_nothing_is_changed_in_it_by_page_or_rest(
    desk: Client,
    api: APIClient,
    campaign: Campaign,
) -> None:
    rehearsal_begin(campaign=campaign, by=None, bots=1, skill=0.8, share=0.1, seed=1)
    assert jobs_run_waiting() == 1
    clone = Campaign.objects.get(rehearsal_of=campaign)
    for client, address in (
        (desk, f"/campaigns/{clone.slug}/settings/"),
        (desk, f"/campaigns/{clone.slug}/clone/"),
        (desk, f"/campaigns/{clone.slug}/state/reopen/"),
        (desk, f"/campaigns/{clone.slug}/invitations/links/"),
        (desk, f"/campaigns/{clone.slug}/rehearsal/"),
        (api, f"/api/v1/campaigns/{clone.slug}/clone/"),
        (api, f"/api/v1/campaigns/{clone.slug}/reopen/"),
    ):
        answer = client.post(address)
        assert answer.status_code == 409
        assert "This is a rehearsal" in text(answer)

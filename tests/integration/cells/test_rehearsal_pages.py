"""Beginning, seeing and ending a rehearsal by page, REST and command; and what is refused in one."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from campaign.models import Campaign, CampaignState, Job, JobKind, Task, User
from campaign.services.jobs import jobs_run_waiting
from ranking.selectors.dashboards import organised_campaigns
from tests.factories import make_analyst, make_campaign, make_organiser, make_task

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
    desk: Client, campaign: Campaign, organiser: User
) -> None:
    address = f"/campaigns/{campaign.slug}/rehearsal/"
    assert "There is no rehearsal." in text(desk.get(address))
    sent = {"bots": 3, "skill": "0.9", "share": 50, "seed": 4}
    assert "Simulated judges are at work" in text(desk.post(address, sent, follow=True))
    again = desk.post(address, sent)
    assert again.status_code == 400
    assert "begins or ends already" in text(again)
    assert jobs_run_waiting() == 1
    page = text(desk.get(address))
    assert "3 simulated judges; each prefers the better one of two outputs 90 times in 100" in page
    clone = Campaign.objects.get(rehearsal_of=campaign)
    for part in (
        "",
        "people/",
        "settings/",
        "state/",
        f"tasks/{Task.objects.of(clone).get().pk}/",
    ):
        shown = text(desk.get(f"/campaigns/{clone.slug}/{part}"))
        assert "Rehearsal of Museum: simulated judges; gone when it opens." in shown
        assert f'href="{address}"' in shown
    assert list(organised_campaigns(user=organiser)) == [campaign]
    overview = text(desk.get(f"/campaigns/{campaign.slug}/"))
    assert "There is a rehearsal; it is gone when the campaign opens." in overview
    assert f'href="/campaigns/{clone.slug}/"' in overview
    for part in ("people/", "people/judges/"):
        judges = f'href="/campaigns/{clone.slug}/people/judges/"'
        assert judges in text(desk.get(f"/campaigns/{campaign.slug}/{part}"))
    opening = text(desk.get(f"/campaigns/{campaign.slug}/state/open/"))
    assert "The rehearsal is deleted for good" in opening
    assert "deleted for good" in text(desk.get(f"{address}end/"))
    desk.post(f"{address}end/", {"act": "yes"})
    assert jobs_run_waiting() == 1
    assert not Campaign.objects.filter(pk=clone.pk).exists()
    assert "There is no rehearsal." in text(desk.get(address))
    assert "See the rehearsal" not in text(desk.get(f"/campaigns/{campaign.slug}/people/"))


def test_files_of_its_judgments_say_that_it_is_one(
    desk: Client, api: APIClient, campaign: Campaign
) -> None:
    call_command("rehearse", campaign.slug, bots=1, share=0.1, stdout=StringIO())
    task = Task.objects.get(test_set__campaign__rehearsal_of=campaign)
    rest = f"/api/v1/tasks/{task.pk}/judgments/"
    page = f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/judgments.csv"
    for client, address in ((desk, page), (api, f"{rest}?format=csv")):
        file = client.get(address)
        assert file["Content-Disposition"] == (
            'attachment; filename="rehearsal-of-museum-museum-en-de-judgments.csv"'
        )
        assert file["Rehearsal-Of"] == "museum"
    assert {row["rehearsal_of"] for row in api.get(rest).json()["results"]} == {"museum"}


def test_nothing_is_changed_in_it_by_page_or_rest(
    desk: Client, api: APIClient, campaign: Campaign
) -> None:
    call_command("rehearse", campaign.slug, bots=1, share=0.1, stdout=StringIO())
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
        assert "This is a rehearsal." in text(answer)


def test_rest_begins_it_says_its_state_and_ends_it(api: APIClient, campaign: Campaign) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/rehearsal/"
    assert api.get(address).json() | {"job": 0} == {
        "state": "none",
        "campaign": None,
        **dict.fromkeys(("bots", "skill", "share", "seed", "begun_at")),
        "job": 0,
    }
    begun = api.post(address, {"bots": 2, "skill": 0.7, "share": 0.2}, format="json")
    assert (begun.status_code, begun.json()["state"]) == (202, "under way")
    assert api.post(address, {}, format="json").status_code == 409
    assert api.post(address, {"skill": 2}, format="json").status_code == 400
    jobs_run_waiting()
    found = api.get(address).json()
    assert (found["state"], found["bots"], found["seed"]) == ("there", 2, 1)
    shown = api.get(f"/api/v1/campaigns/{found['campaign']}/").json()
    assert shown["rehearsal_of"] == campaign.slug
    assert api.get(f"/api/v1/campaigns/{campaign.slug}/").json()["rehearsal_of"] is None
    assert api.delete(address).status_code == 202
    jobs_run_waiting()
    assert api.get(address).json()["state"] == "none"


def test_analysts_may_look_at_its_results_and_begin_none(campaign: Campaign) -> None:
    client = APIClient()
    make_organiser(campaign)
    client.force_login(make_analyst(campaign))
    address = f"/api/v1/campaigns/{campaign.slug}/rehearsal/"
    assert client.post(address, {}, format="json").status_code == 403
    assert not Job.objects.exists()


def test_the_command_says_what_it_did(campaign: Campaign) -> None:
    out = StringIO()
    call_command("rehearse", campaign.slug, bots=2, share=0.5, stdout=out)
    assert "“museum-rehearsal”: 15 blocks judged by simulated judges." in out.getvalue()
    call_command("rehearse", campaign.slug, end=True, stdout=out)
    assert "The rehearsal is gone." in out.getvalue()
    assert not Campaign.objects.filter(rehearsal_of=campaign).exists()
    with pytest.raises(CommandError, match="There is no rehearsal"):
        call_command("rehearse", campaign.slug, end=True)
    with pytest.raises(CommandError, match="1 to 200 simulated judges"):
        call_command("rehearse", campaign.slug, bots=0)
    assert Job.objects.filter(kind=JobKind.REHEARSAL).count() == 1

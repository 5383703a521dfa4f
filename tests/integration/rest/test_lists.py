"""What each list holds, in pages, with as many queries for fifty rows as for one."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.services.numbers import judgments_number
from campaign.models import Campaign, Judge, Membership, Task, User
from campaign.services.uploads import upload_begin, upload_file_add
from tests.factories import empty_task, make_campaign, make_judge

pytestmark = pytest.mark.django_db

Members = Callable[..., User]
Clients = Callable[[User], Client]


def results(client: Client, address: str) -> list[dict[str, Any]]:
    body = client.get(address).json()
    assert list(body) == ["next", "previous", "results"]
    return list(body["results"])


def queries(client: Client, address: str, rows: int) -> int:
    with CaptureQueriesContext(connection) as context:
        assert len(results(client, address)) == rows
    return len(context)


def test_campaigns_and_their_tasks(
    campaign: Campaign,
    task: Task,
    make_member: Members,
    client_of: Clients,
) -> None:
    # Others are members too, with other roles.
    make_member(campaign, "organiser", "olga")
    client = client_of(make_member(campaign))
    make_campaign("zoo")
    expected = {
        "slug": "museum",
        "name": "Museum",
        "rehearsal_of": None,
        "role": "analyst",
        "state": "open",
        "closes_at": None,
        "allow_partial_ranking": False,
        "blocks_per_judge": None,
        "judged": "translations",
        "show_source": True,
        "show_reference": True,
        "lease_minutes": campaign.lease_minutes,
        "pay": "",
        "duration": "",
        "contact": "",
        "time_zone": "",
        "questions": [],
        "created_at": campaign.created_at.isoformat().replace("+00:00", "Z"),
        "test_sets": [
            {
                "id": task.test_set_id,
                "name": "museum en-de",
                "source_language": "en",
                "target_language": "de",
                "tasks": [
                    {
                        "id": task.pk,
                        "protocol": "ranking",
                        "url": f"http://testserver/api/v1/tasks/{task.pk}/",
                    },
                ],
            },
        ],
    }
    assert results(client, reverse("api-campaigns")) == [expected]
    assert client.get(reverse("api-campaign", args=["museum"])).json() == expected


def test_pages_hold_every_row_once_while_rows_come_in(
    task: Task,
    judge: Judge,
    judge_hits: Callable[[Judge, int], None],
    analyst: Client,
) -> None:
    for pseudonym in ("bob", "cleo", "dan"):
        judge_hits(make_judge(task.test_set.campaign, pseudonym), 1)
    address: str | None = reverse("api-judgments", args=[task.pk]) + "?page_size=4"
    numbers: list[int] = []
    back: list[str | None] = []
    while address:
        body = analyst.get(address).json()
        numbers += [row["number"] for row in body["results"]]
        back.append(body["previous"])
        if len(numbers) == 4:
            judge_hits(judge, 1)
        address = body["next"]
    assert numbers == list(range(1, 13))
    assert back[0] is None
    assert back[2]
    assert [row["number"] for row in analyst.get(back[2]).json()["results"]] == [
        5,
        6,
        7,
        8,
    ]


@pytest.mark.parametrize(
    "query",
    ["cursor=nonsense", "cursor=cD1hYmM%3D", "cursor=bz05OTk5OTk%3D", "cursor=cD0A"],
)
def test_made_up_cursors_are_refused_or_empty(
    task: Task,
    analyst: Client,
    query: str,
) -> None:
    for name in ("api-judgments", "api-rankings", "api-systems"):
        response = analyst.get(f"{reverse(name, args=[task.pk])}?{query}")
        assert response.status_code in {200, 404}
        if response.status_code == 404:
            assert response.json()["detail"] == "Invalid cursor"
    response = analyst.get(f"{reverse('api-campaigns')}?{query}")
    assert response.status_code in {200, 404}


@pytest.mark.django_db
def test_parameter_that_is_sent_twice_is_refused(task: Task, analyst: Client) -> None:
    """blox/blox#131: one of the two values decided in silence which judgments were listed."""
    address = f"/api/v1/tasks/{task.pk}/judgments/"
    assert analyst.get(f"{address}?judge=ada").status_code == 200
    answer = analyst.get(f"{address}?judge=ada&judge=bob&page_size=5")
    assert answer.status_code == 400
    assert answer.json()["errors"] == {"judge": ["Send this parameter once."]}


def test_campaigns_cost_the_same_for_one_and_fifty(
    make_member: Members,
    client_of: Clients,
) -> None:
    first = make_campaign("c0")
    empty_task(campaign=first, name="t", source_language="en", target_language="de")
    member = make_member(first)
    client = client_of(member)
    one = queries(client, reverse("api-campaigns"), 1)
    for n in range(1, 50):
        campaign = make_campaign(f"c{n}")
        Membership.objects.create(campaign=campaign, user=member, role="owner")
        for name in "tu":
            empty_task(campaign=campaign, name=name, source_language="en")
    # Token, user, the count of requests, campaigns, test sets, tasks.
    assert queries(client, reverse("api-campaigns"), 50) == one == 4


def test_uploads_cost_the_same_for_one_and_fifty(
    campaign: Campaign,
    make_member: Members,
    client_of: Clients,
) -> None:
    organiser = make_member(campaign, "organiser", "olga")
    address = reverse("api-uploads", args=[campaign.slug])

    def begun(n: int) -> None:
        upload = upload_begin(campaign=campaign, user=organiser)
        upload_file_add(upload=upload, name=f"{n}.tsv", size=10)

    begun(0)
    one = queries(client_of(organiser), address, 1)
    for n in range(1, 50):
        begun(n)
    assert queries(client_of(organiser), address, 50) == one


def test_judges_come_in_pages_by_pseudonym(
    task: Task,
    judge: Judge,
    judge_hits: Callable[[Judge, int], None],
    analyst: Client,
) -> None:
    for name in ("dana", "bert", "cleo"):
        judge_hits(make_judge(task.test_set.campaign, name), 1)
    judgments_number(task_id=task.pk)
    address = f"{reverse('api-judges', args=[task.pk])}?page_size=2"
    first = analyst.get(address).json()
    second = analyst.get(first["next"]).json()
    assert [row["pseudonym"] for row in first["results"]] == ["bert", "cleo"]
    assert [row["pseudonym"] for row in second["results"]] == ["dana"]
    assert second["next"] is None
    assert analyst.get(second["previous"]).json()["results"] == first["results"]

"""Judges and groups over REST."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.services.lending.lend import assignment_lend
from campaign.models import Judge, JudgeGroup, Mail, Task
from campaign.services.invitations import invitation_open
from campaign.services.judge_groups import (
    judge_group_create,
)
from tests.factories import make_campaign, make_judge, make_organiser

pytestmark = pytest.mark.django_db
LIST = "email,name,groups,conflicts\nada@example.org,Ada,experts,amber\nADA@example.org,,,\n"


@pytest.fixture
def client(task: Task) -> APIClient:
    client = APIClient()
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def at(name: str, task: Task, *more: int) -> str:
    return reverse(name, args=[task.test_set.campaign.slug, *more])


def test_a_list_is_checked_and_added_over_rest(client: APIClient, task: Task) -> None:
    address = at("api-campaign-judges", task)
    wrong = client.post(address, {"list": LIST, "dry_run": True}, format="json")
    assert wrong.status_code == 200
    assert [row["state"] for row in wrong.json()["rows"]] == ["wrong", "new"]
    refused = client.post(address, {"list": LIST}, format="json")
    assert refused.status_code == 400
    assert "experts" in str(refused.json())
    judge_group_create(campaign=task.test_set.campaign, name="experts")
    added = client.post(address, {"list": LIST}, format="json")
    assert added.status_code == 201
    body = added.json()
    assert (body["new"], body["again"], body["known"], body["wrong"]) == (1, 1, 0, 0)
    [first, second] = body["rows"]
    judge = Judge.objects.get()
    assert first["judge"] == judge.pseudonym
    token = first["link"].rstrip("/").rsplit("/", 1)[1]
    assert invitation_open(token=token).user == judge.user
    assert second["link"] == ""
    [listed] = client.get(address).json()["results"]
    assert listed["address"] == "ada@example.org"
    assert (listed["groups"], listed["conflicts"], listed["state"]) == (
        ["experts"],
        ["amber"],
        "expected",
    )
    assert client.get(address, {"group": "nobody"}).json()["results"] == []
    mails = client.post(
        address,
        {"list": "bob@example.org", "mail": True},
        format="json",
    )
    assert mails.status_code == 201
    assert mails.json()["rows"][0]["link"] == ""
    assert Mail.objects.count() == 1
    broken = client.post(address, {"list": 'email\n"x'}, format="json")
    assert broken.status_code == 400


@pytest.mark.thorough
def test_a_judge_is_changed_over_rest(client: APIClient, task: Task) -> None:
    judge = make_judge(task.test_set.campaign)
    reference = task.test_set.systems.get(kind="reference")
    judge_group_create(campaign=task.test_set.campaign, name="experts")
    address = at("api-campaign-judge", task, judge.pk)
    changed = client.patch(
        address,
        {"groups": ["EXPERTS"], "expertise": ["Law"], "conflicts": [reference.name]},
        format="json",
    )
    assert changed.status_code == 200, changed.json()
    body = changed.json()
    assert (body["groups"], body["expertise"], body["conflicts"]) == (
        ["experts"],
        ["law"],
        [reference.name],
    )
    lent = assignment_lend(judge=judge)
    assert lent is not None
    asked = client.patch(address, {"languages": ["fr"]}, format="json")
    assert asked.status_code == 409
    assert "No new items" in asked.json()["words"][0]
    done = client.patch(address, {"languages": ["fr"], "confirm": True}, format="json")
    assert done.json()["languages"] == ["fr"]
    assert done.json()["conflicts"] == [reference.name]
    for wrong in (
        {"groups": ["nobody"]},
        {"conflicts": ["nobody"]},
        {"languages": ["english"], "confirm": True},
        {"languages": ["english"]},
    ):
        assert client.patch(address, wrong, format="json").status_code == 400, wrong
    assert (
        client.patch(
            address,
            {"conflicts": [], "groups": []},
            format="json",
        ).status_code
        == 200
    )
    assert not judge.conflicts.exists()


@pytest.mark.thorough
def test_groups_over_rest(client: APIClient, task: Task) -> None:
    judge = make_judge(task.test_set.campaign)
    stranger = make_judge(make_campaign("elsewhere"))
    groups = at("api-judge-groups", task)
    made = client.post(groups, {"name": "experts", "blocks_asked": 30}, format="json")
    assert made.status_code == 201
    assert made.json() == {
        "id": JudgeGroup.objects.get().pk,
        "name": "experts",
        "blocks_asked": 30,
        "judges": 0,
        "uses": [],
    }
    assert client.post(groups, {"name": "Experts"}, format="json").status_code == 400
    address = at("api-judge-group", task, made.json()["id"])
    changed = client.patch(address, {"blocks_asked": None}, format="json")
    assert (changed.json()["name"], changed.json()["blocks_asked"]) == ("experts", None)
    judges = at("api-judge-group-judges", task, made.json()["id"])
    put = client.post(judges, {"add": [judge.pk]}, format="json")
    assert put.json() == {"added": 1, "removed": 0}
    assert client.post(judges, {"add": [stranger.pk]}, format="json").status_code == 400
    settings = reverse("api-ranking-settings", args=[task.pk])
    of_group = client.patch(settings, {"judge_group": "EXPERTS"}, format="json")
    assert of_group.json()["judge_group"] == "experts"
    assert (
        client.patch(settings, {"judge_group": "nobody"}, format="json").status_code
        == 400
    )
    delete = at("api-judge-group-delete", task, made.json()["id"])
    assert client.post(delete).status_code == 409
    assert (
        client.patch(settings, {"judge_group": None}, format="json").json()[
            "judge_group"
        ]
        is None
    )
    assert client.post(delete).status_code == 204
    assert client.get(groups).json()["results"] == []

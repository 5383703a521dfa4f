"""Problem reports: from a judge to the organisers' dashboard."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import ProblemReport
from campaign.models import Judge, Task
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(6, 5))


@pytest.fixture
def block(judging: Client) -> dict[str, Any]:
    hit = judging.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    found: dict[str, Any] = hit.json()["blocks"][0]
    return found


def report(client: Client, client_id: object, **body: Any) -> Any:
    address = f"/api/v1/judging/problem-reports/{client_id}/"
    return client.put(address, body, content_type="application/json")


def test_the_same_uuid_is_one_report_and_the_block_stays_open(
    judging: Client,
    block: dict[str, Any],
) -> None:
    client_id = uuid4()
    body = {
        "block": block["id"],
        "kind": "reference",
        "comment": " of the next sentence ",
    }
    first, again = (report(judging, client_id, **body) for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    stored = ProblemReport.objects.get()
    assert (stored.kind, stored.comment) == ("reference", "of the next sentence")
    hit = judging.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    assert hit.json()["blocks"][0]["state"] == "open"


def test_a_judge_may_report_two_things_of_one_block(
    judging: Client,
    block: dict[str, Any],
) -> None:
    for kind in ("source", "output"):
        assert report(judging, uuid4(), block=block["id"], kind=kind).status_code == 200
    assert ProblemReport.objects.count() == 2


def test_something_else_says_what(judging: Client, block: dict[str, Any]) -> None:
    refused = report(judging, uuid4(), block=block["id"], kind="other", comment="  ")
    assert refused.status_code == 400
    assert "Describe the problem" in refused.json()["detail"]
    assert report(judging, uuid4(), block=block["id"], kind="bored").status_code == 400
    assert not ProblemReport.objects.exists()


def test_another_judge_can_use_neither_the_block_nor_the_id(
    judging: Client,
    judge: Judge,
    block: dict[str, Any],
) -> None:
    client_id = uuid4()
    report(judging, client_id, block=block["id"], kind="source")
    other = make_judge(judge.campaign, "judge02")
    assert other.user is not None
    theirs = Client()
    theirs.force_login(other.user)
    assert report(theirs, uuid4(), block=block["id"], kind="source").status_code == 404
    hit = theirs.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    own = hit.json()["blocks"][0]["id"]
    assert report(theirs, client_id, block=own, kind="source").status_code == 400
    assert ProblemReport.objects.count() == 1

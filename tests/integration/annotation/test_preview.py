"""What organisers see as judges do: the judge's pages and answers, and not a row of it stored."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from rest_framework.test import APIClient

from annotation.selectors.hits import previewed_hits
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.preview import HITS_SHOWN, hit_preview
from annotation.services.training import training_propose
from campaign.models import CampaignState, Protocol, Task, User
from campaign.services.instructions import instructions_write
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_organiser, make_task
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    campaign = make_campaign(state=CampaignState.DRAFT)
    return make_task(campaign, documents=(40, 40), planned=0)


@pytest.fixture
def organiser(task: Task) -> User:
    return make_organiser(task.test_set.campaign)


@pytest.fixture
def api(organiser: User) -> APIClient:
    client = APIClient()
    client.force_login(organiser)
    return client


def lend(api: APIClient, task: Task, after: str | None = None) -> Any:
    body = {"campaign": task.test_set.campaign.slug} | (
        {"after": after} if after else {}
    )
    return api.post(
        f"/api/v1/tasks/{task.pk}/as-judge/assignments/",
        body,
        format="json",
    )


def rows_of_every_table() -> dict[str, str]:
    """Return a digest of the rows of each table."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                f"SELECT md5(string_agg(md5(t::text), ',' ORDER BY md5(t::text))) FROM {table} t",
            )
            found[table] = cursor.fetchone()[0]
    return found


def with_training(task: Task) -> None:
    damaged_references_approve(task, seed=1)
    training_propose(task=task, count=2)


@pytest.mark.thorough
def test_nothing_that_is_looked_at_or_sent_changes_a_row(
    task: Task,
    api: APIClient,
) -> None:
    with_training(task)
    instructions_write(
        campaign=task.test_set.campaign,
        language="en",
        text="Read.",
        demands_acceptance=True,
    )
    before = rows_of_every_table()
    pages = f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/as-judge/"
    for page in ("", "instructions/", "sentences/"):
        assert api.get(pages + page).status_code == (200 if page else 302)
    assert (
        api.get(f"/campaigns/{task.test_set.campaign.slug}/as-judge/").status_code
        == 302
    )
    base = f"/api/v1/tasks/{task.pk}/as-judge/"
    for name in ("judgments/", "progress/", "work-time/"):
        assert api.get(base + name).status_code == 200
    hit = None
    for _hit in range(HITS_SHOWN + 1):
        hit = lend(api, task, hit and hit["id"]).json()
        for block in hit["blocks"]:
            sent = {"block": block["id"]}
            timed = {
                **sent,
                "labels": [1] * len(block["candidates"]),
                "duration_ms": 9,
                "active_ms": 9,
                "comment": "good",
                "after": hit["id"],
            }
            for name, body in (
                ("judgments", timed),
                ("skips", {**sent, "reason": "other"}),
                ("problem-reports", {**sent, "kind": "page"}),
            ):
                answer = api.put(f"{base}{name}/{uuid4()}/", body, format="json")
                assert answer.status_code == 200
    assert hit is not None
    assert lend(api, task, hit["id"]).status_code == 204
    assert rows_of_every_table() == before


def test_no_answer_names_a_system(task: Task, api: APIClient) -> None:
    answer = lend(api, task).content.decode()
    assert not [name for name in ("amber", "cobalt", "system") if f'"{name}' in answer]


@pytest.mark.thorough
def test_the_design_in_force_draws_them(task: Task, api: APIClient) -> None:
    assert lend(api, task).json() | {"expires_at": 0} == lend(api, task).json() | {
        "expires_at": 0,
    }
    design_change(task=task, systems_per_block=3, segments_per_hit=2)
    hit = lend(api, task).json()
    assert [len(block["candidates"]) for block in hit["blocks"]] == [3, 3]
    sources = [block["source"]["text"] for block in hit["blocks"]]
    for _hit in range(4):
        hit = lend(api, task, hit["id"]).json()
        sources += [block["source"]["text"] for block in hit["blocks"]]
    assert len(set(sources)) == len(sources) == 10


def test_a_quiz_of_which_every_hit_is_planned_is_previewed() -> None:
    quiz = make_task_of_protocol(Protocol.QUIZ)
    hits_plan(task_id=quiz.pk, count=100)
    assert previewed_hits(task_id=quiz.pk, count=1) == []
    assert hit_preview(task=quiz) is not None


def test_training_comes_first_and_says_what_was_expected(
    task: Task,
    api: APIClient,
) -> None:
    with_training(task)
    hit = lend(api, task).json()
    assert len(hit["blocks"]) == 2
    block = hit["blocks"][0]
    body = {"block": block["id"], "labels": [1] * len(block["candidates"])}
    address = f"/api/v1/tasks/{task.pk}/as-judge/judgments/{uuid4()}/"
    feedback = api.put(address, body, format="json").json()["feedback"]
    assert feedback["agrees"] is False
    assert feedback["explanation"]
    assert ">" in feedback["expected"]
    after = lend(api, task, hit["id"]).json()
    assert len(after["blocks"]) == 3
    body = {"block": after["blocks"][0]["id"], "labels": [1] * 5}
    assert api.put(address, body, format="json").json()["feedback"] is None

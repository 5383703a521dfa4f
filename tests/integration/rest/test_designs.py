"""Designs over REST: the same refusals, questions, HITs and figures as on the page."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import Sum
from django.test import Client

from annotation.models import Design, Judgment
from annotation.selectors import assigned_blocks
from annotation.services import design_change, hits_plan, judgment_submit, judgments_number
from campaign.models import Task
from ranking.selectors.design_forecast import design_forecast
from ranking.tasks import rank_task
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db

Post = Callable[..., Any]


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(show_reference=False), planned=2)


@pytest.fixture
def post(task: Task) -> Post:
    client = Client()
    client.force_login(make_organiser(task.test_set.campaign))

    def send(more: str = "", **body: Any) -> Any:
        address = f"/api/v1/tasks/{task.pk}/designs/{more}"
        return client.post(address, body, content_type="application/json")

    return send


def test_a_change_says_first_what_it_would_do(post: Post, task: Task) -> None:
    asked = post(kind="balanced", length_limits=[[30, 3]], documents=[1])
    assert asked.status_code == 409
    assert asked.json()["words"][0] == "From HIT 3 on, HITs are drawn by the new design."
    assert Design.objects.count() == 1
    done = post(kind="balanced", length_limits=[[30, 3]], documents=[1], confirm=True)
    assert done.status_code == 201
    made = done.json()
    assert (made["kind"], made["length_limits"], made["changed_by"]) == (
        "balanced",
        [[30, 3]],
        "Olga",
    )
    again = post(f"{task.designs.earliest('pk').pk}/again/")
    assert (again.status_code, again.json()["kind"]) == (201, "uniform")
    assert again.json()["documents"] == []
    assert post("999999/again/").status_code == 404


def test_the_preview_is_what_is_planned_then(post: Post, task: Task) -> None:
    seen = post("preview/", kind="balanced", systems_per_block=3, count=4).json()
    assert [hit["number"] for hit in seen] == [3, 4, 5, 6]
    design_change(task=task, kind="balanced", systems_per_block=3)
    hits_plan(task_id=task.pk, count=4)
    for hit in seen:
        blocks = task.hits.get(number=hit["number"]).plan
        assert [len(block["candidates"]) for block in hit["blocks"]] == [
            len(block["candidates"]) for block in blocks or ()
        ]
    block = seen[0]["blocks"][0]
    assert block["source"]["lang"] == "en"
    assert (block["references"], block["candidates"][0]["lang"]) == ([], "de")
    assert post("preview/", count=0).status_code == 400


def test_once_judged_the_pace_and_the_comparisons_are_the_campaigns_own(
    task: Task,
) -> None:
    hits_plan(task_id=task.pk, count=40)
    for number in range(12):
        judge = make_judge(task.test_set.campaign, f"judge{number}")
        for block in assigned_blocks(lend(judge)):
            ranks = [min(rank, 5) for rank in range(1, len(block.candidates) + 1)]
            judgment_submit(
                assigned=block, client_id=uuid4(), labels=ranks, active_ms=10_000 + 1_000 * number
            )
    judgments_number(task_id=task.pk)
    rank_task(task.pk)
    found = design_forecast(task=task, design=task.designs.get())
    assert found is not None
    judgments = Judgment.objects.filter(active_ms__gt=0)
    assert (found.pace.blocks, found.pace.judges) == (judgments.count(), 12)
    seconds = (judgments.aggregate(sum=Sum("active_ms"))["sum"] or 0) / 1000
    # Every text has as many words here, so that blocks differ by their candidates alone.
    assert found.pace.seconds == pytest.approx(
        seconds / (judgments.count() * found.words.words), rel=0.1
    )
    assert found.judged == Judgment.objects.count()
    assert found.comparisons > 100
    nothing_more = design_forecast(task=task, design=task.designs.get(), judgments=0)
    assert nothing_more is not None
    assert nothing_more.chosen.pairs.low == nothing_more.chosen.pairs.high

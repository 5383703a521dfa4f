"""Designs over REST: the same refusals, questions, HITs and figures as on the page."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation.models import Design
from campaign.models import Task
from tests.factories import make_campaign, make_organiser, make_task

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
    assert asked.json()["words"][0] == "The new design applies from HIT 3."
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

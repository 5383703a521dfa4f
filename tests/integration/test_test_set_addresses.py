"""Addresses by test set, as links and scripts of before have them, lead to the ranking of the test set."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from campaign.models import Task
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign())


@pytest.fixture
def organiser(task: Task) -> Any:
    client = APIClient()
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def test_a_page_is_the_same_page_of_the_ranking(task: Task, organiser: Client) -> None:
    assert task.pk != task.test_set_id
    for rest in ("", "judgments/?judge=ada&sort=oldest"):
        answer = organiser.get(f"/campaigns/museum/test-sets/{task.test_set_id}/{rest}")
        address = f"/campaigns/museum/tasks/{task.pk}/{rest}"
        assert (answer.status_code, answer["Location"]) == (307, address)
        assert organiser.get(address).status_code == 200


def test_a_request_of_the_api_is_sent_on_as_it_is(task: Task, organiser: Client) -> None:
    old = f"/api/v1/test-sets/{task.test_set_id}/"
    answer = organiser.get(f"{old}judgments/?judge=ada", follow=True)
    assert answer.redirect_chain == [(f"/api/v1/tasks/{task.pk}/judgments/?judge=ada", 307)]
    assert answer.json()["results"] == []
    changed = organiser.patch(old, {"blocks_wanted": 12}, format="json", follow=True)
    assert changed.status_code == 200
    task.refresh_from_db()
    assert task.blocks_wanted == 12

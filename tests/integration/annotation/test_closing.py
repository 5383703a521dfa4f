"""Closing a test set: who is at work is said first, what is held may be finished, and back."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Judgment
from annotation.selectors import effects
from annotation.services.lending.work_requests import NoWorkReason, work_request
from campaign.models import Task
from campaign.services.campaigns import task_close, task_reopen
from tests.at_work import assignment_lend, expire, judge_all_of, lend
from tests.factories import make_judge, make_organiser

pytestmark = pytest.mark.django_db


def test_lent_hits_are_finished_and_no_more_are_lent(task: Task) -> None:
    first, later = (
        make_judge(task.test_set.campaign, "1"),
        make_judge(task.test_set.campaign, "2"),
    )
    held = lend(first)
    task_close(task=task)
    assert lend(first) == held
    judge_all_of(held)
    assert Judgment.objects.filter(judge=first).count() == len(held.hit.segment_ids)
    for judge in (first, later):
        assert assignment_lend(judge=judge) is None
        assert work_request(judge=judge).reason == NoWorkReason.NONE_LEFT
    task_reopen(task=task)
    assert assignment_lend(judge=later) is not None


def test_working_judges_are_counted_by_current_assignments(task: Task) -> None:
    lent = [
        lend(make_judge(task.test_set.campaign, f"j{number}")) for number in range(3)
    ]
    expire(lent[2])
    now = effects.task_at_work(task=task)
    blocks = sum(len(assignment.hit.segment_ids) for assignment in lent[:2])
    assert (now.judges, now.blocks) == (2, blocks)
    assert effects.closing_in_words(task=task)[0].startswith("Judges at work: 2. ")


def is_closed(task: Task) -> bool:
    return Task.objects.filter(pk=task.pk, closed_at__isnull=False).exists()


def page(client: Client, task: Task) -> None:
    close = reverse("test-set-close", args=[task.test_set.campaign.slug, task.pk])
    asked = client.get(close).content.decode()
    assert "Judges at work: 1. Items in hand: 3." in asked
    assert client.post(close).status_code == 200
    assert not is_closed(task)
    client.post(close, {"act": "yes"})
    assert is_closed(task)
    settings = reverse("campaign-settings", args=[task.test_set.campaign.slug])
    assert "Reopen" in client.get(settings).content.decode()
    client.post(reverse("test-set-reopen", args=[task.test_set.campaign.slug, task.pk]))


def rest(client: Client, task: Task) -> None:
    address = reverse("api-closing", args=[task.pk])
    before = client.get(address).json()
    assert (before["closed_at"], before["judges"], before["blocks"]) == (None, 1, 3)

    def put(**body: Any) -> Any:
        return client.put(address, json.dumps(body), content_type="application/json")

    refused = put(closed=True)
    assert refused.status_code == 409
    assert before.items() <= refused.json().items()
    closed = put(closed=True, confirm=True)
    assert (closed.status_code, closed.json()["closed_at"] is None) == (200, False)
    put(closed=False)


@pytest.mark.parametrize("way", [page, rest])
def test_page_and_rest_ask_alike(client: Client, task: Task, way: Any) -> None:
    lend(make_judge(task.test_set.campaign))
    client.force_login(make_organiser(task.test_set.campaign))
    way(client, task)
    assert not is_closed(task)

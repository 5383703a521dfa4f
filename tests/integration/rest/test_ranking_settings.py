"""How rank ranges are made, over REST: for organisers, in parts, and ranked by."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Task, User
from ranking.models import RankingRun
from ranking.services.runs import ranking_run_compute

pytestmark = pytest.mark.django_db

DEFAULTS = {
    "method": "by_design",
    "method_options": {},
    "resample": "two_way",
    "ranges": "percentile",
    "correction": "none",
    "sides": 2,
    "confidence": 0.95,
    "judge_group": None,
    "reason": "",
    "judgments": None,
    "changed_at": None,
    "changed_by": None,
}


@pytest.fixture
def address(task: Task) -> str:
    return reverse("api-ranking-settings", args=[task.pk])


@pytest.fixture
def organiser(
    campaign: Campaign,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
) -> Client:
    return client_of(make_member(campaign, role="organiser", name="olga"))


def patch(client: Client, address: str, body: Any) -> Any:
    return client.patch(address, body, content_type="application/json")


def test_named_settings_change_and_apply_to_the_next_ranking(
    organiser: Client,
    address: str,
    task: Task,
    ranking: RankingRun,
) -> None:
    changed = patch(
        organiser,
        address,
        {"resample": "segments", "confidence": 0.9, "reason": "Asked."},
    )
    assert changed.status_code == 200
    body = changed.json()
    assert body.pop("changed_at").endswith("Z")
    assert body.pop("changed_by") == "olga"
    assert body | {"changed_at": None, "changed_by": None} == {
        **DEFAULTS,
        "resample": "segments",
        "confidence": 0.9,
        "reason": "Asked.",
        "judgments": ranking.watermark,
    }
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    assert (run.parameters["resample"], run.parameters["confidence"]) == (
        "segments",
        0.9,
    )
    assert run.watermark == ranking.watermark

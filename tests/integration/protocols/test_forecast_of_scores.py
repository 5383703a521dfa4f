"""Forecasts of designs for ratings and error spans: hours and money, without tests of comparisons."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.services.planning.designs import design_change
from annotation.services.tasks import task_rules_change
from campaign.models import Protocol, Task
from tests.criteria import FOUR
from tests.factories import make_organiser
from tests.integration.protocols.every import plans_delete
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db

RATED_AT_ONCE = {"criteria": FOUR, "all_at_once": True}
#: Protocol, rules, and the number of outputs on a screen.
SCORED = [
    (Protocol.RATING, {}, 1),
    (Protocol.RATING, RATED_AT_ONCE, 1),
    (Protocol.RATING, RATED_AT_ONCE, 3),
    (Protocol.SPANS, {}, 1),
    (Protocol.SPANS, {}, 3),
    (Protocol.SPANS, {"scored": False}, 2),
]


def scored_task(protocol: Protocol, rules: dict[str, Any], outputs: int) -> Task:
    task = make_task_of_protocol(protocol)
    plans_delete(task)
    task_rules_change(task=task, rules=rules)
    design_change(task=task, kind="balanced", systems_per_block=outputs)
    return task


def page_of(task: Task, client: Client, query: str = "") -> Any:
    client.force_login(make_organiser(task.test_set.campaign))
    address = reverse("design", args=[task.test_set.campaign.slug, task.pk])
    return client.get(f"{address}?{query}")


@pytest.mark.parametrize(("protocol", "rules", "outputs"), SCORED)
def test_scores_are_forecast_without_sign_tests(
    protocol: Protocol,
    rules: dict[str, Any],
    outputs: int,
    client: Client,
) -> None:
    task = scored_task(protocol, rules, outputs)
    response = page_of(task, client, "rate=20&currency=EUR")
    page = response.content.decode()
    start = page.index('id="design-forecast"')
    forecast = page[start : page.index("</details>", start)]
    assert "Hours of judging" in forecast
    assert "EUR" in forecast
    for word in ("sign test", "Significant pairs", "Clusters", "Koehn"):
        assert word not in forecast
    own_presets = [
        preset for preset in response.context["presets"] if not preset.is_other_task
    ]
    assert {preset.goal for preset in own_presets} == {"Each output scored once"}
    address = f"/api/v1/tasks/{task.pk}/designs/forecast/"
    answer = client.post(address, {"rate": 20}, content_type="application/json")
    assert answer.status_code == 200
    chosen = answer.json()["chosen"]
    assert (chosen["pairs"], chosen["clusters"]) == (None, None)
    assert chosen["hours"]["low"] < chosen["hours"]["value"]
    assert chosen["cost"]["value"] == pytest.approx(20 * chosen["hours"]["value"])


def test_without_a_target_every_output_is_scored_as_planned(client: Client) -> None:
    task = scored_task(Protocol.SPANS, {}, 1)
    design_change(task=task, redundancy=3)
    client.force_login(make_organiser(task.test_set.campaign))
    address = f"/api/v1/tasks/{task.pk}/designs/forecast/"
    forecast = client.post(address, {}, content_type="application/json").json()
    outputs = task.test_set.segments.count() * forecast["systems"]
    assert forecast["chosen"]["judgments"] == 3 * outputs


def test_comparisons_are_forecast_with_sign_tests(client: Client) -> None:
    task = make_task_of_protocol(Protocol.TWO_OUTPUTS)
    page = page_of(task, client).content.decode()
    assert "sign tests" in page
    assert "Significant pairs" in page

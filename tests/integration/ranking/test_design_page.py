"""The page of a design: its form, what a change would do, five HITs, the forecast, and the way back."""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client

from annotation.models import Design
from annotation.services.planning.designs import design_change
from campaign.models import Task
from campaign.services.judge_groups import (
    judge_group_create,
)
from ranking.core.simulation.budget_curve import budget_curve
from ranking.selectors.design_forecast import _curve_before_comparisons
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(show_reference=False), planned=3)


@pytest.fixture
def organiser(task: Task) -> Client:
    client = Client()
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def address(task: Task, more: str = "") -> str:
    return f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/design/{more}"


def sent(client: Client, task: Task, **changed: Any) -> dict[str, Any]:
    """Return the fields that the page would send, with these changed."""
    form = client.get(address(task)).context["form"]
    fields = {name: form[name].value() for name in form.fields}
    return {
        name: value
        for name, value in (fields | changed).items()
        if value is not None and value is not False
    }


def test_the_form_shows_the_design_in_force(organiser: Client, task: Task) -> None:
    design_change(
        task=task,
        seed=2**100,
        inter_share=0.125,
        reference_rate=1 / 3,
        documents=[1, 2],
        length_limits=[[30, 3], [50, 2]],
    )
    page = organiser.get(address(task))
    assert page.status_code == 200
    form = page.context["form"]
    assert form["inter_share"].value() == "12.5"
    assert form["documents"].value() == "1-2"
    assert form["length_limits"].value() == "30:3, 50:2"
    assert form["reference"].value() == "rate"
    assert str(Design.objects.latest().seed) not in page.content.decode()


def test_presets_of_the_same_systems_are_forecast_once(
    organiser: Client,
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = organiser.get(address(task)).context["presets"]
    forecasts = Mock(wraps=budget_curve)
    monkeypatch.setattr("ranking.selectors.design_forecast.budget_curve", forecasts)
    assert organiser.get(address(task)).context["presets"] == first
    assert forecasts.call_count == 0
    _curve_before_comparisons.cache_clear()
    assert organiser.get(address(task)).context["presets"] == first
    assert forecasts.call_count > 1


@pytest.mark.thorough
def test_a_change_is_asked_first_and_made_then(organiser: Client, task: Task) -> None:
    fields = sent(organiser, task, kind="balanced", inter_share="10", segments="1, 3-5")
    asked = organiser.post(address(task), fields)
    question = asked.context["question"]
    first, stay, *_others = question.facts
    assert "HIT 4" in first
    assert "3 planned HITs" in stay
    assert Design.objects.count() == 1
    done = organiser.post(address(task), {**question.fields, "act": "yes"}, follow=True)
    assert "Saved." in done.content.decode()
    design = Design.objects.latest()
    assert (design.kind, design.inter_share, design.segments) == (
        "balanced",
        0.1,
        [1, 3, 4, 5],
    )
    assert design.changed_by is not None
    assert "uniform → balanced" in done.content.decode()
    assert "None: " not in done.content.decode()


@pytest.mark.thorough
def test_a_group_is_named_in_the_question_and_in_the_history(
    organiser: Client,
    task: Task,
) -> None:
    group = judge_group_create(campaign=task.test_set.campaign, name="Experts")
    elsewhere = judge_group_create(campaign=make_campaign("zoo"), name="Keepers")
    fields = sent(organiser, task, judge_group=str(elsewhere.pk))
    assert organiser.post(address(task), fields).status_code == 400
    asked = organiser.post(address(task), {**fields, "judge_group": str(group.pk)})
    question = asked.context["question"]
    assert any("Experts" in fact for fact in question.facts)
    fields = {**question.fields, "act": "yes"}
    done = organiser.post(address(task), fields, follow=True)
    assert Design.objects.latest().judge_group == group
    assert "– → Experts" in done.content.decode()


def test_one_click_brings_an_earlier_design_back(organiser: Client, task: Task) -> None:
    before = Design.objects.get()
    design_change(task=task, kind="balanced", redundancy=3, seed=9)
    done = organiser.post(address(task, f"{before.pk}/again/"), follow=True)
    assert "Saved." in done.content.decode()
    after = Design.objects.latest()
    # But not its seed: it may have become public since.
    assert after.parameters == replace(before.parameters, seed=9)
    assert after.pk != before.pk


@pytest.mark.thorough
def test_a_reference_that_judges_see_is_refused_at_its_field(
    organiser: Client,
    task: Task,
) -> None:
    design_change(task=task, reference_rate=0.0)
    type(task.test_set.campaign).objects.update(show_reference=True)
    fields = sent(organiser, task, reference="system")
    page = organiser.post(address(task), fields)
    assert "see the reference" in " ".join(
        page.context["form"].errors["reference_rate"],
    )
    page = organiser.post(
        address(task),
        {**fields, "rank_shown_reference": "on", "show": "yes"},
    )
    assert page.status_code == 200

"""Analyses of a protocol: listed for its tasks and no others, and the dashboard of a task that is no ranking."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from campaign.models import Protocol, Task
from ranking.reports.analyses.options import OptionError
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from tests.factories import make_campaign, make_organiser
from tests.integration.protocols.judging import judged_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return judged_task(make_campaign())


@pytest.fixture
def ranking(task: Task) -> Task:
    return Task.objects.get(test_set=task.test_set, protocol=Protocol.RANKING)


@pytest.fixture
def organising(client: Client, task: Task) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def page_of(task: Task, name: str, *more: str) -> str:
    return reverse(name, args=[task.test_set.campaign.slug, task.pk, *more])


def command(task: Task, kind: str, **options: str) -> Any:
    out = StringIO()
    call_command(
        "analyse",
        kind,
        f"--campaign={task.test_set.campaign.slug}",
        f"--test-set={task.test_set.name}",
        *(f"--{name}={value}" for name, value in options.items()),
        *("--format", "json", "--verbosity", "0"),
        stdout=out,
    )
    return json.loads(out.getvalue())


def test_another_protocols_analysis_is_refused_in_words(
    organising: Client,
    task: Task,
    ranking: Task,
) -> None:
    words = "is not available for this protocol (ranking). Choose one of: pairs,"
    address = page_of(ranking, "analysis", "two_outputs")
    for answer in (organising.get(address), organising.post(address, {})):
        assert answer.status_code == 404
    asked = organising.post(
        f"/api/v1/tasks/{ranking.pk}/analyses/",
        {"kind": "two_outputs"},
        content_type="application/json",
    )
    assert asked.status_code == 400
    assert words in asked.content.decode()
    with pytest.raises(CommandError, match="is not available for this protocol"):
        command(task, "two_outputs")


def test_its_options_are_refused_and_its_answer_is_computed_again(task: Task) -> None:
    for given, field in (
        ({"system_x": "dune"}, "system_y"),
        ({"system_x": "dune", "system_y": "dune"}, "system_y"),
        ({"judge": "ada", "other": "ada"}, "other"),
    ):
        with pytest.raises(OptionError) as refused:
            analysis_choice("two_outputs", given)
        assert refused.value.field == field
    for given in ({"system_x": "dune", "system_y": "nobody"}, {"judge": "nobody"}):
        choice = analysis_choice("two_outputs", given)
        asked = analysis_ask(task=task, choice=choice, is_queued=False)
        with pytest.raises(ValueError, match="these options"):
            analysis_compute(analysis=asked)
    choice = analysis_choice("two_outputs", {"judge": "cleo", "other": "ben"})
    answer = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    assert answer.data is not None
    assert answer.data["side_by_side"]["judges"] == ["ben", "cleo"]
    data, reports = analysis_reproduce(answer)
    assert json.loads(json.dumps([data, reports])) == [answer.data, answer.reports]


def test_two_systems_and_a_watermark(task: Task) -> None:
    everything = command(task, "two_outputs", protocol="two_outputs")
    assert (everything["input"]["watermark"], everything["systems"]) == (36, None)
    choice = analysis_choice("two_outputs", {"system_x": "ember", "system_y": "dune"})
    asked = analysis_ask(task=task, choice=choice, watermark=20, is_queued=False)
    data = analysis_compute(analysis=asked).data or {}
    assert (data["systems"], data["input"]["watermark"]) == (["ember", "dune"], 20)
    # Ada saw six sentences of these two, and Ben the first four of his.
    assert [sum(total) for total in data["agreement"]["totals"]] == [6, 4]

"""Results of tasks whose judges see one output at a time: the tables of their answers are published."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.protocols.answer_kinds import answer_kind
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Task
from campaign.texts.studies import study_checked
from protocols.spans.weights import GOOGLE_2021
from ranking.models import Analysis, PublishedResult
from ranking.selectors.analyses import answer_for_people
from ranking.services.published_results.naming import PublishingRefusedError
from ranking.services.published_results.publish import ResultChoices, result_publish
from ranking.tasks import rank_task
from tests.criteria import FOUR
from tests.factories import make_campaign, make_organiser
from tests.integration.protocols.judging import edited_task, quizzed_task, rated_task
from tests.integration.protocols.test_answers_kept_up import one_at_a_time
from tests.integration.protocols.test_criteria_report import rated as rated_side_by_side
from tests.integration.publishing.bundled import bundled, files_of, packed, said
from tests.page_tables import page_tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated() -> Task:
    """A task of ratings, with its answers computed."""
    task = rated_task(make_campaign())
    rank_task(task.pk)
    return task


def test_published_means_are_those_of_the_analysis(rated: Task) -> None:
    result = result_publish(task=rated, by=None)
    tables = answer_for_people(Analysis.objects.get(kind="rating")).tables
    computed = next(table for table in tables if table.name.startswith("means_"))
    page = Client().get(f"/results/{result.address}/").content.decode()
    published = next(table for table in page_tables(page) if "Mean" in table.headings)
    systems = [str(row[0]) for row in computed.rows]
    assert [row[0] for row in published.rows] == systems
    assert [row[1] for row in published.rows] == [
        f"{row[1]:.3f}" for row in computed.rows
    ]


def test_ratings_without_weights_are_not_published_as_tied(client: Client) -> None:
    """Outputs beside each other that no weights order are ties, which are no result."""
    criteria = [{**each, "weight": 0} for each in FOUR]
    task = rated_side_by_side(2, criteria=criteria)
    rank_task(task.pk)
    client.force_login(make_organiser(task.test_set.campaign))
    confirm = reverse("publish-confirm", args=[task.test_set.campaign.slug, task.pk])
    # No worker is asked how robust an order is that there is not.
    assert client.post(confirm, {}).context["awaited"] == []
    result = result_publish(task=task, by=None)
    assert result.content["ranking"]["systems"] == []
    page = Client().get(f"/results/{result.address}/").content.decode()
    assert "tied" not in page
    assert "Systems by criteria" in page


@pytest.mark.parametrize(
    "make",
    [
        lambda: rated_task(make_campaign()),
        lambda: rated_side_by_side(2),
        lambda: quizzed_task(make_campaign()),
        lambda: edited_task(make_campaign()),
        lambda: one_at_a_time(make_campaign(), alike="ada"),
    ],
)
def test_published_page_names_no_judge(make: Callable[[], Task]) -> None:
    """Neither in a table nor in a sentence below one."""
    task = make()
    judges = task.test_set.campaign.judges
    excluded = judges.latest("pk")
    # Names that occur in no sentence otherwise.
    for number, judge in enumerate(judges.order_by("pk")):
        judges.filter(pk=judge.pk).update(pseudonym=f"judge-hxn3c{number}")
    excluded.refresh_from_db()
    quality_action_take(
        judge=excluded,
        task=task,
        decision=JudgeDecision(
            action="exclude",
            user=make_organiser(task.test_set.campaign),
            note="clicked",
        ),
    )
    rank_task(task.pk)
    result = result_publish(task=task, by=None)
    page = Client().get(f"/results/{result.address}/").content.decode()
    for text in (page, json.dumps(result.content["sections"])):
        assert "hxn3c" not in text


def test_anonymous_systems_have_letters_in_published_answers(rated: Task) -> None:
    result = result_publish(
        task=rated,
        by=None,
        choices=ResultChoices(anonymous=["cobalt"]),
    )
    assert "System A" in json.dumps(result.content["sections"]["answers"])
    assert "cobalt" not in json.dumps(result.content)


def test_answers_to_later_judgments_are_not_published(rated: Task) -> None:
    Analysis.objects.update(watermark=1)
    with pytest.raises(PublishingRefusedError):
        result_publish(task=rated, by=None)


def test_rest_computes_missing_answers_before_publishing(
    client: Client,
    rated: Task,
) -> None:
    Analysis.objects.all().delete()
    client.force_login(make_organiser(rated.test_set.campaign))
    address = f"/api/v1/tasks/{rated.pk}/published-results/"
    awaited = client.post(address, {"firmness": False}, content_type="application/json")
    assert awaited.status_code == 202
    assert awaited.json()["analysis"] == Analysis.objects.get().pk


@pytest.fixture
def marked() -> Task:
    """Error spans of one output at a time, with their answers computed."""
    task = one_at_a_time(make_campaign())
    rank_task(task.pk)
    return task


def published_lines(
    task: Task,
    **chosen: Any,
) -> tuple[PublishedResult, dict[str, bytes]]:
    result, zipped = bundled(task, **chosen)
    return result, files_of(zipped)


def test_bundle_without_a_ranking_reproduces(marked: Task, tmp_path: Path) -> None:
    _result, files = published_lines(marked)
    assert not [name for name in files if name.startswith("ranking.")]
    status, found = said(packed(tmp_path / "bundle.zip", files))
    assert status == 0
    assert found["differences"] == []


def test_answers_in_a_bundle_give_the_published_tables(
    marked: Task,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _result, files = published_lines(marked, with_texts=True)
    path = tmp_path / "answers.jsonl"
    path.write_bytes(files["answers.jsonl"])
    call_command("analyse", "spans", str(path), "--format", "csv")
    # JSON, in which results are published, has no 93.0.
    lines = [
        line.removesuffix(".0") for line in capsys.readouterr().out.splitlines()[1:]
    ]
    computed = {f"answers_{line}" for line in lines}
    published = files["results.csv"].decode().splitlines()[1:]
    assert published
    assert set(published) <= computed


def test_answers_stay_out_of_bundles_without_texts_or_names(marked: Task) -> None:
    _result, files = published_lines(marked)
    assert "answers.jsonl" not in files
    _result, files = published_lines(marked, with_texts=True, anonymous=["cobalt"])
    assert "answers.jsonl" not in files


def test_answers_in_a_bundle_have_no_times(marked: Task) -> None:
    _result, files = published_lines(marked, with_texts=True)
    keys = {
        key for line in files["answers.jsonl"].splitlines() for key in json.loads(line)
    }
    assert keys
    assert not keys & {"started_at", "ended_at", "comment"}


def test_published_page_names_the_study_and_the_weights_of_its_errors() -> None:
    task = one_at_a_time(make_campaign())
    rules = study_checked("mqm-core").rules
    # As if its judges had been asked so.
    complete = answer_kind(task.protocol, {**rules, "scored": True}).rules
    Task.objects.filter(pk=task.pk).update(rules={**complete, "scored": False})
    rank_task(task.pk)
    result = result_publish(task=Task.objects.get(pk=task.pk), by=None)
    page = Client().get(f"/results/{result.address}/").content.decode()
    assert "Protocol: MQM." in page
    assert f"Weights of errors: {'; '.join(GOOGLE_2021)}." in page
    assert result.content["task"]["rules"]["severities"] == rules["severities"]

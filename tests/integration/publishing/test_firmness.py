"""How firm first place is: of the judgments that are published, frozen with them, and never waited for."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Job, User
from campaign.services.jobs import jobs_run_waiting
from ranking.core.firmness.fewest_blocks import fewest_blocks
from ranking.core.methods.registry import counts_method_named
from ranking.models import Analysis, PublishedResult
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import latest_run
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.published_results.publish import (
    ResultChoices,
    published_draft,
    result_publish,
)
from ranking.services.published_results.sections import answer_ask
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def computed(writer: TestSetWriter) -> Analysis:
    run = latest_run(task_id=writer.task.pk)
    assert run is not None
    asked = answer_ask("firmness", task=writer.task, run=run, by=None)
    assert asked is not None
    return analysis_compute(analysis=asked)


def section_of(writer: TestSetWriter, **chosen: Any) -> Any:
    content = published_draft(task=writer.task, choices=ResultChoices(**chosen)).content
    return content["sections"].get("firmness")


@pytest.mark.thorough
def test_published_result_is_frozen_from_counted_judgments(
    judged: TestSetWriter,
    organiser: User,
) -> None:
    quality_action_take(
        judge=judged.judge("j3"),
        task=judged.task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    ranking_run_compute(task_id=judged.task.pk)
    computed(judged)
    run = latest_run(task_id=judged.task.pk)
    assert run is not None
    blocks = judged_blocks(task=judged.task, watermark=run.watermark)
    counted = blocks.without_judges(("j3",)).without(["_ref"])
    found = fewest_blocks(counted, counts_method_named(run.method))
    content = result_publish(task=judged.task, by=None).content
    assert content["sections"]["firmness"] == {
        "method": "expected_wins",
        "judgments": 16,
        "deciding": found.size,
        "at_least": found.at_least,
        "proof": found.proof.value,
        "first": ["amber"],
        "new_first": found.new_first,
    }
    assert content["input"]["blocks"] == 16


@pytest.mark.thorough
def test_an_answer_to_the_same_question_is_taken(judged: TestSetWriter) -> None:
    choice = analysis_choice("firmness", {})
    asked = analysis_ask(task=judged.task, choice=choice, is_queued=False)
    analysis_compute(analysis=asked)
    assert section_of(judged)["first"] == ["amber"]
    # Another method, or judgments that count otherwise, are another question.
    Analysis.objects.all().delete()
    for given in ({"method": "bojar"}, {"without": ["j1"]}, {"reference": "include"}):
        choice = analysis_choice("firmness", given)
        asked = analysis_ask(task=judged.task, choice=choice, is_queued=False)
        analysis_compute(analysis=asked)
    assert section_of(judged) is None


def test_nothing_in_it_names_who_is_not_named(judged: TestSetWriter) -> None:
    computed(judged)
    section = section_of(judged, anonymous=["amber", "birch"])
    assert {*section["first"], section["new_first"]} <= {
        "System A",
        "System B",
        "cobalt",
        "dune",
    }
    assert not {"rows", "judge"} & section.keys()


@pytest.mark.thorough
def test_the_page_asks_a_worker_and_offers_to_go_without(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    where = reverse("publish-confirm", args=[judged.campaign.slug, judged.task.pk])
    asked = as_organiser.post(where, {})
    assert "Computing: Robustness" in text_of(asked)
    assert "Publish version 1 without it" in text_of(asked)
    # Asked twice, computed once.
    as_organiser.post(where, {})
    assert Job.objects.get().kind == "slow_analysis"

    jobs_run_waiting()

    again = as_organiser.post(
        where,
        {"without": "firmness", "seen": asked.context["draft"].fingerprint},
    )
    assert "At most 21 of 24 judgments" in text_of(again)
    assert "without it" not in text_of(again).partition("Page preview")[0]
    # Who chose to go without goes without, though it is known by now.
    sent = {
        "act": "yes",
        "without": "firmness",
        "seen": asked.context["draft"].fingerprint,
    }
    as_organiser.post(where, sent)
    as_organiser.post(where, {"act": "yes", "seen": again.context["draft"].fingerprint})
    without, missed = PublishedResult.objects.get(), again.context["draft"]
    assert "firmness" not in without.content["sections"]
    assert "firmness" in missed.content["sections"]


@pytest.mark.thorough
def test_rest_answers_202_until_it_is_known(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    where = f"/api/v1/tasks/{judged.task.pk}/published-results/"
    first = as_organiser.post(where, {}, content_type="application/json")
    assert (first.status_code, first["Retry-After"]) == (202, "5")
    assert first.json()["analysis"] == Analysis.objects.get().pk
    assert not PublishedResult.objects.exists()
    refused = as_organiser.post(
        where,
        {"change_note": "x"},
        content_type="application/json",
    )
    assert refused.status_code == 400
    jobs_run_waiting()
    made = as_organiser.post(where, {}, content_type="application/json")
    assert made.status_code == 201
    assert made.json()["content"]["sections"]["firmness"]["first"] == ["amber"]

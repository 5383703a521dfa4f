"""How firm first place is: of the judgments that are published, frozen with them, and never waited for."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.services import quality_action_take
from campaign.models import Job, JobKind, JobState, User
from campaign.services.jobs import job_cancel, jobs_run_waiting
from ranking.core.firmness.fewest_blocks import fewest_blocks
from ranking.core.methods.registry import counts_method_named
from ranking.models import Analysis, PublishedResult
from ranking.reports.published import FILES
from ranking.selectors.judged_blocks import judged_blocks
from ranking.selectors.runs import latest_run
from ranking.services import ranking_run_compute
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.publishing import firmness_ask, published_draft, result_publish
from ranking.wording.firmness import firmness_in_words
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def computed(writer: TestSetWriter) -> Analysis:
    run = latest_run(task_id=writer.task.pk)
    assert run is not None
    asked = firmness_ask(task=writer.task, run=run, by=None, is_queued=False)
    assert asked is not None
    return analysis_compute(analysis=asked)


def section_of(writer: TestSetWriter, **chosen: Any) -> Any:
    content = published_draft(task=writer.task, **chosen).content
    return content["sections"].get("firmness")


def test_it_is_frozen_of_the_judgments_that_count(judged: TestSetWriter, organiser: User) -> None:
    quality_action_take(
        judge=judged.judge("j3"), task=judged.task, action="exclude", user=organiser
    )
    ranking_run_compute(task_id=judged.task.pk)
    computed(judged)
    run = latest_run(task_id=judged.task.pk)
    assert run is not None
    blocks = judged_blocks(task_id=judged.task.pk, watermark=run.watermark)
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


def test_later_judgments_are_another_question(judged: TestSetWriter) -> None:
    computed(judged)
    judged.judgment("j1", judged.block(20, ["amber", "birch"]), [1, 2])
    assert section_of(judged) is not None
    ranking_run_compute(task_id=judged.task.pk)
    assert section_of(judged) is None


def test_nothing_in_it_names_who_is_not_named(judged: TestSetWriter) -> None:
    computed(judged)
    section = section_of(judged, anonymous=["amber", "birch"])
    assert {*section["first"], section["new_first"]} <= {"System A", "System B", "cobalt", "dune"}
    assert not {"rows", "judge"} & section.keys()


def test_page_and_files_say_it(judged: TestSetWriter, client: Client) -> None:
    computed(judged)
    result = result_publish(task=judged.task, by=None)
    said = (
        "At most 21 of 24 judgments decide first place: without them, birch is ahead of amber. It is proven "
        "that at least 20 are needed."
    )
    assert said in text_of(client.get(f"/results/{result.address}/"))
    for name in FILES:
        address = reverse("published-file", args=[result.address, name])
        german = client.get(address, headers={"Accept-Language": "de"}).content.decode(
            errors="replace"
        )
        if name == "ranking.json":
            assert '"firmness":{"at_least"' in german
        else:
            has_words = name in {"ranking.md", "ranking.tex", "ranking.typ", "ranking.svg"}
            assert ("At most 21 of 24 judgments decide first place" in german) == has_words, name


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            {"deciding": 48, "at_least": 48, "proof": "bound"},
            "48 of 1,291 judgments decide first place (proven): without them, B is ahead of A.",
        ),
        (
            {"deciding": 1, "at_least": 1, "proof": "search"},
            "1 of 1,291 judgments decides first place (proven): without it, B is ahead of A.",
        ),
        (
            {"deciding": 48, "at_least": 1, "proof": "none"},
            (
                "At most 48 of 1,291 judgments decide first place: without them, B is ahead of A. "
                "Whether fewer would do is not known."
            ),
        ),
        ({"proof": "bound"}, "No removal of judgments puts another system first."),
        (
            {"proof": "none"},
            "No removal of judgments was found that puts another system first.",
        ),
        (
            {"first": ["A", "B"], "proof": "none"},
            "First with equal scores: A, B. So there is no first place that judgments decide.",
        ),
        ({"first": [], "proof": "none"}, "No system has a score."),
    ],
)
def test_bounds_are_told_in_words(found: dict[str, Any], words: str) -> None:
    nothing = {"judgments": 1291, "deciding": None, "at_least": 0, "first": ["A"], "new_first": "B"}
    assert " ".join(firmness_in_words(nothing | found)) == words


def test_the_page_asks_a_worker_and_offers_to_go_without(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    where = reverse("publish-confirm", args=[judged.campaign.slug, judged.task.pk])
    asked = as_organiser.post(where, {})
    assert "A worker is computing how many judgments decide first place" in text_of(asked)
    assert "Publish version 1 without it" in text_of(asked)
    # Asked twice, computed once.
    as_organiser.post(where, {})
    assert Job.objects.get().kind == "analysis"

    jobs_run_waiting()

    again = as_organiser.post(where, {"firmness": "without", "seen": asked.context["draft"].seen})
    assert "At most 21 of 24 judgments decide first place" in text_of(again)
    assert "without it" not in text_of(again).partition("What would be published")[0]
    # Who chose to go without goes without, though it is known by now.
    sent = {"act": "yes", "firmness": "without", "seen": asked.context["draft"].seen}
    as_organiser.post(where, sent)
    as_organiser.post(where, {"act": "yes", "seen": again.context["draft"].seen})
    without, missed = PublishedResult.objects.get(), again.context["draft"]
    assert "firmness" not in without.content["sections"]
    assert "firmness" in missed.content["sections"]


def test_what_failed_is_said_and_not_tried_again(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    where = reverse("publish-confirm", args=[judged.campaign.slug, judged.task.pk])
    as_organiser.post(where, {})
    jobs = Job.objects.filter(state=JobState.QUEUED)
    jobs.update(state=JobState.FAILED, error="no order", finished_at="2026-01-01T00:00:00Z")
    page = as_organiser.post(where, {})
    assert "could not be computed: no order" in text_of(page)
    assert "without it" not in text_of(page).partition("What would be published")[0]
    assert Job.objects.count() == 1


def test_what_was_stopped_is_not_tried_again(judged: TestSetWriter, as_organiser: Client) -> None:
    where = reverse("publish-confirm", args=[judged.campaign.slug, judged.task.pk])
    as_organiser.post(where, {})
    job_cancel(job=Job.objects.get())
    page = as_organiser.post(where, {})
    assert "could not be computed: cancelled" in text_of(page)
    assert "Look again" not in text_of(page)
    assert Job.objects.count() == 1
    rest = f"/api/v1/tasks/{judged.task.pk}/published-results/"
    assert as_organiser.post(rest, {}, content_type="application/json").status_code == 201


def test_rest_answers_202_until_it_is_known(judged: TestSetWriter, as_organiser: Client) -> None:
    where = f"/api/v1/tasks/{judged.task.pk}/published-results/"
    first = as_organiser.post(where, {}, content_type="application/json")
    assert (first.status_code, first["Retry-After"]) == (202, "5")
    assert first.json()["analysis"] == Analysis.objects.get().pk
    assert not PublishedResult.objects.exists()
    refused = as_organiser.post(where, {"change_note": "x"}, content_type="application/json")
    assert refused.status_code == 400
    jobs_run_waiting()
    made = as_organiser.post(where, {}, content_type="application/json")
    assert made.status_code == 201
    assert made.json()["content"]["sections"]["firmness"]["first"] == ["amber"]


def test_the_command_computes_it(judged: TestSetWriter) -> None:
    given = ("autumn", "news", "--address", "https://q.example")
    call_command("publish_result", *given, "--without-firmness", stdout=StringIO())
    call_command("publish_result", *given, stdout=StringIO(), stderr=StringIO())
    first, second = PublishedResult.objects.order_by("version")
    assert "firmness" not in first.content["sections"]
    assert second.content["sections"]["firmness"]["first"] == ["amber"]
    assert not Job.objects.filter(kind=JobKind.ANALYSIS).exists()

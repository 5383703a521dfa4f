"""How analyses are asked for: page, REST and command give the same; wrong choices are said; one question is answered once."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from campaign.models import Job, JobState, User
from campaign.services.jobs import jobs_run_waiting
from ranking.analyses import ANALYSES
from ranking.analyses.judgments import JUDGMENT_OPTIONS
from ranking.analyses.options import OptionError
from ranking.models import Analysis
from ranking.services import ranking_run_compute
from ranking.services.analyses import (
    MOST_KEPT,
    analysis_ask,
    analysis_choice,
)
from tests.factories import make_analyst
from tests.integration.ranking.answered import answer
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("kind", "given", "field", "words"),
    [
        ("nothing", {}, "kind", "ranking, "),
        ("ranking", {"metod": "lopez"}, "metod", "method, ranges"),
        ("ranking", {"method": "best"}, "method", "expected_wins"),
        ("ranking", {"confidence": "much"}, "confidence", "Enter a number"),
        ("ranking", {"confidence": 1}, "confidence", "between 0 and 0.999"),
        ("ranking", {"resamples": 3.5}, "resamples", "whole number"),
        ("ranking", {"ranges": "anytime", "method": "bojar"}, "ranges", "Expected Wins alone"),
        ("ranking", {"ranges": "sign_test", "resample": "judges"}, "resample", "pairs"),
        ("ranking", {"method": "gt_all_in_block", "resample": "pairs"}, "resample", "whole blocks"),
        ("ranking", {"judge_group": "nobody"}, "judge_group", "no group"),
        ("ranking", {"without": ["stranger"]}, "without", "stranger"),
        ("ranking", {"documents": ["none"]}, "documents", "none"),
        ("ranking", {"reference": "include"}, "reference", "no reference"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_field(
    ten_blocks: TestSetWriter, kind: str, given: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(OptionError, match=words) as refused:
        analysis_ask(task=ten_blocks.task, choice=analysis_choice(kind, given))
    assert refused.value.field == field
    assert not Analysis.objects.exists()
    assert not Job.objects.exists()


def test_the_same_question_is_answered_once(ten_blocks: TestSetWriter) -> None:
    choice = analysis_choice("ranking", {"method": "bojar"})
    first = analysis_ask(task=ten_blocks.task, choice=choice)
    again = analysis_ask(task=ten_blocks.task, choice=choice)
    assert first == again
    assert Job.objects.count() == 1
    assert jobs_run_waiting() == 1
    done = analysis_ask(task=ten_blocks.task, choice=choice)
    assert done == first
    assert done.finished_at is not None
    assert Job.objects.count() == 1
    ten_blocks.judgment("j3", ten_blocks.block(1, ["A", "B", "C"]), [3, 2, 1])
    later = analysis_ask(task=ten_blocks.task, choice=choice)
    assert later.watermark == first.watermark + 1
    earlier = analysis_ask(task=ten_blocks.task, choice=choice, watermark=first.watermark)
    assert earlier == first


def test_what_failed_may_be_asked_again(ten_blocks: TestSetWriter) -> None:
    everybody = analysis_choice("ranking", {"without": ["j1", "j2"]})
    asked = analysis_ask(task=ten_blocks.task, choice=everybody)
    jobs_run_waiting()
    job = Job.objects.get()
    assert (job.state, job.error) == (JobState.FAILED, "No judgment counts by this choice.")
    again = analysis_ask(task=ten_blocks.task, choice=everybody)
    assert again == asked
    assert again.job != job


def test_only_so_many_are_kept(ten_blocks: TestSetWriter) -> None:
    first = answer(ten_blocks.task, "diagnosis")
    first_copy = Analysis.objects.get(pk=first.pk)
    Analysis.objects.bulk_create(
        Analysis(
            **{
                field.attname: getattr(first_copy, field.attname)
                for field in Analysis._meta.concrete_fields
                if field.name not in {"id", "digest"}
            },
            digest=f"copy {number}",
        )
        for number in range(MOST_KEPT)
    )
    analysis_ask(task=ten_blocks.task, choice=analysis_choice("agreement", {}))
    assert Analysis.objects.finished().count() == MOST_KEPT
    assert not Analysis.objects.filter(pk=first.pk).exists()


def test_page_rest_and_command_give_the_same(
    ten_blocks: TestSetWriter, as_organiser: Client, organiser: User
) -> None:
    task, campaign = ten_blocks.task, ten_blocks.campaign
    api = APIClient()
    api.force_authenticate(organiser)
    asked = api.post(
        reverse("api-rankings", args=[task.pk]),
        {"options": {"method": "bradley_terry", "resample": "blocks"}},
        format="json",
    )
    assert asked.status_code == 202, asked.content
    assert (asked.json()["state"], asked.json()["answer"]) == ("queued", None)
    jobs_run_waiting()
    there = api.get(asked.json()["address"])
    assert there.json()["state"] == "done"
    page = reverse("analysis", args=[campaign.slug, task.pk, "ranking"])
    query = {"method": "bradley_terry", "resample": "blocks"}
    sent = as_organiser.post(page, query)
    assert sent["Location"] == f"{page}?method=bradley_terry&resample=blocks"
    shown = as_organiser.get(sent["Location"])
    assert shown.context["shown"].pk == asked.json()["id"]
    out = io.StringIO()
    call_command(
        *("analyse", "ranking", "--campaign", campaign.slug, "--test-set", task.test_set.name),
        *("--option", "method=bradley_terry", "resample=blocks", "--format", "json"),
        stdout=out,
    )
    assert json.loads(out.getvalue()) == there.json()["answer"]
    file = reverse("analysis-file", args=[campaign.slug, task.pk, asked.json()["id"], "json"])
    assert as_organiser.get(file).json() == there.json()["answer"]
    assert Analysis.objects.count() == 1


def test_a_command_says_what_it_does_not_know(ten_blocks: TestSetWriter) -> None:
    with pytest.raises(CommandError, match="metod: There is no option"):
        call_command(
            *("analyse", "ranking", "--campaign", ten_blocks.campaign.slug),
            *("--test-set", ten_blocks.task.test_set.name, "--option", "metod=lopez"),
        )


def test_a_page_shows_progress_then_the_answer(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    here = [ten_blocks.campaign.slug, ten_blocks.task.pk]
    page = reverse("analysis", args=[*here, "agreement"])
    assert "Not computed yet" in as_organiser.get(page).content.decode()
    as_organiser.post(page)
    waiting = as_organiser.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "Being computed" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    jobs_run_waiting()
    done = as_organiser.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "hx-trigger" not in done
    assert "Agreement on comparisons" in done
    ten_blocks.judgment("j3", ten_blocks.block(1, ["A", "B", "C"]), [3, 2, 1])
    ranking_run_compute(task_id=ten_blocks.task.pk)
    assert "1 newer judgment is not in it" in as_organiser.get(page).content.decode()
    listed = as_organiser.get(reverse("analyses", args=here)).content.decode()
    assert f'href="{page}"' in listed


def test_a_wrong_choice_is_said_beside_its_field(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    page = reverse("analysis", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "ranking"])
    answered = as_organiser.post(page, {"ranges": "anytime", "method": "bojar"})
    assert answered.status_code == 400
    assert answered.context["form"].errors["ranges"] == [
        "Ranges that hold at any time are of Expected Wins alone."
    ]
    assert not Analysis.objects.exists()


def test_analysts_ask_and_change_nothing(
    ten_blocks: TestSetWriter, organiser: User, client: Client
) -> None:
    analyst = make_analyst(ten_blocks.campaign)
    client.force_login(analyst)
    page = reverse("analysis", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "diagnosis"])
    assert client.post(page).status_code == 302
    assert Analysis.objects.get().asked_by == analyst


def test_options_of_kinds_and_of_judgments_have_different_names() -> None:
    of_judgments = {option.name for option in JUDGMENT_OPTIONS}
    for kind in ANALYSES.values():
        names = [option.name for option in kind.options]
        assert len(set(names)) == len(names)
        assert not of_judgments.intersection(names), kind.name


def test_two_choices_stand_side_by_side(varied: TestSetWriter, as_organiser: Client) -> None:
    here = [varied.campaign.slug, varied.task.pk]
    page = reverse("analysis", args=[*here, "ranking"])
    usual = answer(varied.task, "ranking")
    # There is nothing beside it yet.
    assert as_organiser.get(page).context["beside"] is None
    ranking_run_compute(task_id=varied.task.pk)
    shown = as_organiser.get(page)
    assert (shown.context["beside"].chosen, shown.context["beside"].differing) == ("shown", 0)
    assert "Ranks, rank ranges and clusters are the same." in shown.content.decode()
    answer(varied.task, "ranking", without=["j2", "j3", "j4", "j5"])
    asked = f"{page}?without=j2&without=j3&without=j4&without=j5"
    beside = as_organiser.get(f"{asked}&beside={usual.pk}").context["beside"]
    # j0 and j1 prefer B to A.
    assert [(row.system, row.differs) for row in beside.rows][:2] == [("B", True), ("A", True)]
    assert [value for value, _words in beside.choices] == ["shown", str(usual.pk)]
    for nothing in ("0", "x", "9" * 30):
        assert as_organiser.get(f"{asked}&beside={nothing}").status_code == 404


def test_the_form_shows_what_was_asked_and_the_defaults(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    page = reverse("analysis", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "methods"])
    sent = as_organiser.post(page, {"methods": ["expected_wins", "bojar"]})
    assert sent["Location"] == f"{page}?methods=bojar&methods=expected_wins"
    form = as_organiser.get(sent["Location"]).context["form"]
    assert form["first"].value() == "expected_wins"
    assert form["accuracy"].value() == "no"
    assert form["folds"].value() == "20"
    assert as_organiser.post(page)["Location"] == page
    without = as_organiser.post(page, {"without": "j2, j1"})
    assert without["Location"] == f"{page}?without=j1&without=j2"
    assert as_organiser.get(without["Location"]).context["form"]["without"].value() == "j1, j2"

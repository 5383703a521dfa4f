"""How analyses are asked for: page, REST and command give the same; wrong choices are said; one question is answered once."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Job, JobState, User
from campaign.services.jobs import jobs_run_waiting
from ranking.models import Analysis
from ranking.reports.analyses.options import OptionError
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
)
from ranking.services.runs import ranking_run_compute
from tests.factories import make_analyst
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_invalid_options_are_refused_with_their_field(
    ten_blocks: TestSetWriter,
) -> None:
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        ("nothing", {}, "kind", "pairs, "),
        ("ranking", {"metod": "lopez"}, "metod", "method, ranges"),
        ("ranking", {"method": "best"}, "method", "expected_wins"),
        ("ranking", {"confidence": "much"}, "confidence", "Enter a number"),
        ("ranking", {"confidence": 1}, "confidence", "between 0 and 0.999"),
        ("ranking", {"resamples": 3.5}, "resamples", "whole number"),
        (
            "ranking",
            {"ranges": "anytime", "method": "bojar"},
            "ranges",
            "only available for Expected Wins",
        ),
        ("ranking", {"ranges": "sign_test", "resample": "judges"}, "resample", "pairs"),
        (
            "ranking",
            {"method": "gt_all_in_block", "resample": "pairs"},
            "resample",
            "whole blocks",
        ),
        ("ranking", {"judge_group": "nobody"}, "judge_group", "not found"),
        ("ranking", {"without": ["stranger"]}, "without", "stranger"),
        ("ranking", {"documents": ["none"]}, "documents", "none"),
        ("ranking", {"reference": "include"}, "reference", "no reference"),
    ]
    for kind, given, field, words in cases:
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
    earlier = analysis_ask(
        task=ten_blocks.task,
        choice=choice,
        watermark=first.watermark,
    )
    assert earlier == first


def test_failed_analysis_can_be_repeated(ten_blocks: TestSetWriter) -> None:
    everybody = analysis_choice("ranking", {"without": ["j1", "j2"]})
    asked = analysis_ask(task=ten_blocks.task, choice=everybody)
    jobs_run_waiting()
    job = Job.objects.get()
    assert (job.state, job.error) == (
        JobState.FAILED,
        "No judgments match these options.",
    )
    again = analysis_ask(task=ten_blocks.task, choice=everybody)
    assert again == asked
    assert again.job != job


@pytest.mark.thorough
def test_a_page_shows_progress_then_the_answer(
    ten_blocks: TestSetWriter,
    as_organiser: Client,
) -> None:
    here = [ten_blocks.campaign.slug, ten_blocks.task.pk]
    page = reverse("analysis", args=[*here, "agreement"])
    results = reverse("test-set-agreement", args=here)
    # The page has it computed by itself.
    assert (
        f'hx-post="{page}" hx-trigger="load"'
        in as_organiser.get(results).content.decode()
    )
    as_organiser.post(page, headers={"HX-Request": "true"})
    waiting = as_organiser.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "Computing" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    jobs_run_waiting()
    done = as_organiser.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "hx-trigger" not in done
    assert "P(A)" in done
    ten_blocks.judgment("j3", ten_blocks.block(1, ["A", "B", "C"]), [3, 2, 1])
    ranking_run_compute(task_id=ten_blocks.task.pk)
    assert "1 newer judgment not included" in as_organiser.get(results).content.decode()
    listed = as_organiser.get(reverse("analyses", args=here)).content.decode()
    assert f'href="{page}?watermark=' in listed


def test_analysts_ask_and_change_nothing(
    ten_blocks: TestSetWriter,
    organiser: User,
    client: Client,
) -> None:
    analyst = make_analyst(ten_blocks.campaign)
    client.force_login(analyst)
    page = reverse(
        "analysis",
        args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "diagnosis"],
    )
    assert client.post(page).status_code == 302
    assert Analysis.objects.get().asked_by == analyst

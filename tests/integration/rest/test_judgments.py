"""Judgments over REST: as records, and as a file that gives the same ranking again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Judgment
from campaign.models import Judge, Task
from ranking.models import RankingRun
from ranking.services.runs import ranking_run_compute
from tests.factories import make_judge
from tests.outputs_shown import names_shown

pytestmark = pytest.mark.django_db

JudgeHits = Callable[[Judge, int], None]


@pytest.fixture
def address(task: Task) -> str:
    return reverse("api-judgments", args=[task.pk])


def content(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    assert response.streaming
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    return str(response.getvalue().decode())


def test_record_says_what_a_ranking_needs(
    judge: Judge,
    judge_hits: JudgeHits,
    analyst: Client,
    address: str,
) -> None:
    judge_hits(judge, 1)
    first, second, revised = analyst.get(address).json()["results"]
    judgment = Judgment.objects.select_related("block__segment__document").get(
        numbered__number=1,
    )
    assert first == {
        "id": str(judgment.client_id),
        "number": 1,
        "judge": "ada",
        "segment": judgment.block.segment.number,
        "document": judgment.block.segment.document.name,
        "candidates": names_shown(judgment.block),
        "labels": judgment.labels,
        "answer": None,
        "duration_ms": 9000,
        "active_ms": 7000,
        "played": None,
        "comment": "a tie?",
        "submitted_at": judgment.submitted_at.isoformat().replace("+00:00", "Z"),
        "supersedes": None,
        "current": False,
        "control": "",
        "rehearsal_of": None,
    }
    assert (second["number"], second["supersedes"], second["current"]) == (
        2,
        None,
        True,
    )
    assert (revised["supersedes"], revised["current"]) == (first["id"], True)


def test_collapsed_outputs_are_one_candidate(
    judge: Judge,
    judge_hits: JudgeHits,
    analyst: Client,
    address: str,
) -> None:
    for pseudonym in ("bob", "cleo", "dan", "eve"):
        judge_hits(make_judge(judge.campaign, pseudonym), 1)
    for row in analyst.get(address).json()["results"]:
        assert len(row["candidates"]) == len(row["labels"])
        names = [name for systems in row["candidates"] for name in systems]
        assert len(names) == len(set(names))
        if {"amber", "birch"} <= set(names) and row["segment"] % 2:
            assert ["amber", "birch"] in [
                sorted(systems) for systems in row["candidates"]
            ]


@pytest.mark.thorough
def test_until_shows_what_counted_then(
    judge: Judge,
    judge_hits: JudgeHits,
    analyst: Client,
    address: str,
) -> None:
    judge_hits(judge, 2)
    rows = analyst.get(f"{address}?until=2").json()["results"]
    assert [(row["number"], row["current"]) for row in rows] == [(1, True), (2, True)]
    assert analyst.get(f"{address}?until=0").json()["results"] == []
    assert len(analyst.get(f"{address}?until={10**30}").json()["results"]) == 6


def test_file_of_a_rankings_watermark_gives_this_ranking_again(
    task: Task,
    ranking: RankingRun,
    judge: Judge,
    judge_hits: JudgeHits,
    analyst: Client,
    address: str,
    tmp_path: Path,
) -> None:
    judge_hits(make_judge(judge.campaign, "cleo"), 2)
    later = ranking_run_compute(task_id=task.pk)
    assert later is not None
    assert later.result != ranking.result
    for run in (ranking, later):
        path = tmp_path / "judgments.csv"
        stream = f"{address.replace('judgments', 'exports/stream')}?kind=counted"
        asked = f"{stream}&file_format=five-way-csv&watermark={run.watermark}"
        path.write_text(content(analyst, asked))
        slug = f"fresh-{run.watermark}"
        call_command(
            "import_answers",
            str(path),
            campaign=slug,
            create_campaign="Fresh",
            test_set="fresh",
            create_test_set=True,
            verbosity=0,
        )
        again = ranking_run_compute(
            task_id=Task.objects.get(test_set__campaign__slug=slug).pk,
        )
        assert again is not None
        assert again.result == run.result

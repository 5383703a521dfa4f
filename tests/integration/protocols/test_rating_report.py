"""The report on a task of adequacy and fluency, which equals that of `analyse rating` on its file."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from campaign.models import Task
from ranking.reports import Report
from ranking.reports.analyses.options import OptionError
from ranking.reports.stored import report_in
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from tests.exporting import exported
from tests.factories import make_campaign, make_judge
from tests.integration.protocols.judging import rated, rated_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return rated_task(make_campaign())


def told(task: Task, **given: Any) -> Report:
    """Ask the analysis, and return its answer in English."""
    choice = analysis_choice("rating", given)
    answer = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    data, reports = analysis_reproduce(answer)
    assert json.loads(json.dumps([data, reports])) == [answer.data, answer.reports]
    return report_in(answer.reports or {}, "en", data=answer.data)


def of_file(task: Task, path: Path, *options: str) -> Any:
    """Return the report of `analyse rating` on a file of the task."""
    path.write_text(exported(task, "ratings-jsonl"))
    out = StringIO()
    call_command(
        "analyse",
        "rating",
        str(path),
        *options,
        "--format",
        "json",
        stdout=out,
    )
    return json.loads(out.getvalue())


def test_its_figures_are_those_of_its_file(task: Task, tmp_path: Path) -> None:
    mine = told(task).data
    others = of_file(task, tmp_path / "ratings.jsonl")
    assert mine["input"]["watermark"] == 96
    assert mine["input"]["ratings"] == {"fluency": 48, "adequacy": 48}
    for name in ("criteria", "agreement", "outliers_by_both", "adequacy_and_fluency"):
        assert mine[name] == others[name]
    chosen = {
        "merge": True,
        "standardise": True,
        "deviations": 0.5,
        "correction": "holm",
    }
    mine = told(task, **chosen, by_difference=True).data
    options = ["merge=yes", "standardise=yes", "deviations=0.5", "correction=holm"]
    others = of_file(
        task,
        tmp_path / "ratings.jsonl",
        "--option",
        *options,
        "by_difference=yes",
    )
    assert (mine["criteria"], mine["agreement"]) == (
        others["criteria"],
        others["agreement"],
    )


@pytest.mark.thorough
def test_a_reference_counts_where_it_is_asked_for(task: Task) -> None:
    eve = make_judge(task.test_set.campaign, "eve")
    rated(task, eve, "_ref", number=1, fluency=5)
    report = told(task)
    assert (report.data["input"]["systems"], report.data["input"]["judges"]) == (3, 4)
    assert "Left out: reference." in report.about
    both = told(task, reference="include").data
    assert (both["input"]["systems"], both["input"]["judges"]) == (4, 5)
    assert both["input"]["ratings"] == {"fluency": 49, "adequacy": 48}


@pytest.mark.thorough
def test_easy_texts_are_named_or_proposed(task: Task) -> None:
    assert told(task, easy=["1", "2 ember"]).data["proposed_easy"] == []
    for wrong in ("one", "dune 2", "-1"):
        with pytest.raises(OptionError) as refused:
            analysis_choice("rating", {"easy": [wrong]})
        assert refused.value.field == "easy"
    for missing in ("13", "2 dune"):
        choice = analysis_choice("rating", {"easy": [missing]})
        asked = analysis_ask(task=task, choice=choice, is_queued=False)
        with pytest.raises(ValueError, match=f"No ratings for “{missing}”"):
            analysis_compute(analysis=asked)

"""By which method a test set is ranked: a setting with its reason, everywhere."""

from dataclasses import asdict
from typing import Any

import pytest

from annotation.models import Design
from campaign.models import User
from ranking.core.rankings.rank import only_estimable
from ranking.models import RankingRun
from ranking.reports.range_choices import RangeChoiceError
from ranking.reports.wording.methods import LiveMethod
from ranking.selectors.runs import (
    due_tasks,
    latest_run,
    pairs_of,
    ranking_is_due,
    ranking_settings_history,
)
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from ranking.tasks import rank_what_is_due
from tests.integration.ranking.writing import TestSetWriter, settings_change
from tests.some_now import some_now

pytestmark = pytest.mark.django_db

METHODS = [method for method in LiveMethod if method is not LiveMethod.BY_DESIGN]


def asked(writer: TestSetWriter, **options: Any) -> dict[str, Any]:
    choice = analysis_choice("ranking", options)
    found = analysis_compute(
        analysis=analysis_ask(task=writer.task, choice=choice, is_queued=False),
    )
    assert found.data is not None
    ranking: dict[str, Any] = found.data["rankings"][0]
    return ranking


@pytest.mark.parametrize(
    ("method", "ranges"),
    some_now(
        [
            *((method, "percentile") for method in METHODS),
            ("bradley_terry", "confidence_set"),
        ],
        most=2,
    ),
)
def test_the_live_ranking_is_the_analysis_by_the_same_choice_bit_for_bit(
    varied: TestSetWriter,
    method: str,
    ranges: str,
) -> None:
    settings_change(varied, method=method, ranges=ranges)
    first = ranking_run_compute(task_id=varied.task.pk)
    assert first is not None
    assert first.method == method
    # From the tallies of the last, which a judgment changes.
    varied.judgment("j7", varied.block(3, ["C", "A", "B"]), [1, 1, 2])
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    found = asked(varied, method=method, ranges=ranges)
    assert found["systems"] == [only_estimable(row) for row in run.result["systems"]]
    assert found["pairs"] == [asdict(pair) for pair in pairs_of(run)]
    assert ranking_run_reproduce(run) == run.result
    assert ranking_run_reproduce(RankingRun.objects.get(pk=first.pk)) == first.result


@pytest.mark.thorough
def test_ability_is_resampled_as_well(varied: TestSetWriter) -> None:
    cases: list[Any] = [
        "segments",
        "judges",
    ]
    for level in cases:
        settings_change(varied, method="bradley_terry", resample=level)
        run = ranking_run_compute(task_id=varied.task.pk)
        assert run is not None
        found = asked(varied, method="bradley_terry", resample=level)
        assert found["systems"] == [
            only_estimable(row) for row in run.result["systems"]
        ]


def test_shares_by_hand(varied: TestSetWriter) -> None:
    """A beats B for four judges of six, and C for all: of 24 comparisons a sentence's 6 blocks give 12 to A."""
    settings_change(varied, method="bojar")
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    scores = {row["system"]: row["score"] for row in run.result["systems"]}
    assert scores == {"A": pytest.approx(10 / 12), "B": pytest.approx(8 / 12), "C": 0.0}


def test_another_method_is_due_until_it_is_ranked_by(varied: TestSetWriter) -> None:
    ranking_run_compute(task_id=varied.task.pk)
    assert due_tasks() == []
    settings_change(varied, method="expected_wins")
    # Fixed by name: the ranking stays.
    assert due_tasks() == []
    settings_change(varied, method="bradley_terry")
    assert ranking_is_due(task_id=varied.task.pk)
    rank_what_is_due()
    assert due_tasks() == []
    latest = latest_run(task_id=varied.task.pk)
    assert latest is not None
    assert latest.method == "bradley_terry"
    Design.objects.create(task=varied.task, kind="active")
    settings_change(varied, method="by_design")
    assert due_tasks() == []


def test_contradicting_options_are_refused(varied: TestSetWriter) -> None:
    for changes in (
        {"method": "bojar", "ranges": "anytime"},
        {"method": "gt_all_in_block", "resample": "pairs"},
    ):
        with pytest.raises(RangeChoiceError) as refused:
            settings_change(varied, **changes)
        assert refused.value.field == "method"
    Design.objects.create(task=varied.task, kind="active")
    with pytest.raises(RangeChoiceError, match="active design"):
        settings_change(varied, method="expected_wins")
    settings_change(varied, method="bradley_terry")


def test_reasons_and_moments_are_kept(writer: TestSetWriter, organiser: User) -> None:
    task_id = writer.task.pk
    settings_change(writer)
    assert ranking_settings_history(task_id=task_id) == []
    settings_change(writer, reason="As we have always done.", changed_by=organiser)
    block = writer.block(1, ["A", "B", "C"])
    writer.judgment("j1", block, [1, 2, 3])
    writer.judgment("j2", block, [1, 2, 3], is_numbered=False)
    settings_change(writer, method="bojar", reason="Reviewers asked for it.")
    settings_change(writer, method="bojar", reason="Reviewers asked for it.")
    settings_change(writer, method="bojar")
    history = ranking_settings_history(task_id=task_id)
    assert [(row.method, row.judgments, row.reason) for row in history] == [
        ("bojar", 2, "Reviewers asked for it."),
        ("by_design", 0, "As we have always done."),
    ]

"""How rank ranges are made: one setting by service, page and command, and the rankings that follow."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import PageChanges
from annotation.services.planning.designs import design_change
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import rank
from ranking.models import RankingRun, RankingSettings, StoredTallies
from ranking.reports.range_choices import RangeChoiceError
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import (
    due_tasks,
    latest_run,
    pairs_of,
    ranking_is_due,
    ranking_settings_in_force,
)
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from ranking.tasks import rank_what_is_due
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import (
    TestSetWriter,
    documents_of,
    settings_change,
)

pytestmark = pytest.mark.django_db


def test_default_ranges_are_two_way(varied: TestSetWriter) -> None:
    assert ranking_settings_in_force(task_id=varied.task.pk).choice == RangeOptions()
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    recorded = {name: run.parameters[name] for name in RangeOptions().recorded}
    assert recorded == {
        "resample": "two_way",
        "ranges": "percentile",
        "correction": "none",
        "sides": 2,
        "confidence": 0.95,
    }
    assert run.parameters["method_parameters"] == {}
    assert not RankingSettings.objects.exists()


def test_a_run_has_the_ranges_of_the_level_bit_for_bit(varied: TestSetWriter) -> None:
    cases: list[Any] = [
        "two_way",
        "segments",
        "judges",
        "blocks",
        "pairs",
    ]
    for level in cases:
        settings_change(varied, resample=level)
        run = ranking_run_compute(task_id=varied.task.pk)
        assert run is not None
        blocks = judged_blocks(task=varied.task, watermark=run.watermark)
        expected = rank(blocks, "expected_wins", resample=level)
        assert [
            (
                row["system"],
                row["score"],
                row["rank_low"],
                row["rank_high"],
                row["cluster"],
            )
            for row in run.result["systems"]
        ] == [
            (row.system, row.score, row.rank_low, row.rank_high, row.cluster)
            for row in expected.systems
        ]
        assert ranking_run_reproduce(RankingRun.objects.get(pk=run.pk)) == run.result


@pytest.mark.thorough
def test_a_change_is_ranked_once_and_what_was_there_stays(
    varied: TestSetWriter,
) -> None:
    first = ranking_run_compute(task_id=varied.task.pk)
    assert first is not None
    assert due_tasks() == []
    settings_change(varied, resample="blocks")
    assert due_tasks() == [varied.task.pk]

    rank_what_is_due()

    latest = latest_run(task_id=varied.task.pk)
    assert latest is not None
    assert (latest.parameters["resample"], latest.watermark) == (
        "blocks",
        first.watermark,
    )
    assert due_tasks() == []
    rank_what_is_due()
    assert RankingRun.objects.count() == 2
    # There and back again is a third run: the latest must be of the settings in force.
    settings_change(varied, resample="two_way")
    rank_what_is_due()
    again = latest_run(task_id=varied.task.pk)
    assert again is not None
    assert (RankingRun.objects.count(), again.result) == (3, first.result)
    assert due_tasks() == []


def test_changed_settings_request_a_ranking_and_unchanged_ones_do_not(
    varied: TestSetWriter,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    ranking_run_compute(task_id=varied.task.pk)
    requested = PageChanges.objects.filter(ranking_requested_at__isnull=False)
    with django_capture_on_commit_callbacks() as told:
        settings_change(varied, resample="two_way")
    assert (len(told), requested.exists()) == (0, False)
    with django_capture_on_commit_callbacks() as told:
        settings_change(varied, resample="segments")
    assert (len(told), requested.exists()) == (1, True)


@pytest.mark.parametrize(
    "chosen",
    [
        {"ranges": "sign_test", "correction": "benjamini_hochberg", "sides": 2},
        {"ranges": "confidence_set", "correction": "holm"},
        {"ranges": "confidence_set", "resample": "judges"},
        {"ranges": "anytime"},
        {"correction": "holm"},
    ],
)
def test_a_run_has_the_ranges_and_the_pairs_that_were_chosen(
    varied: TestSetWriter,
    chosen: dict[str, Any],
) -> None:
    choice = settings_change(varied, **chosen).choice
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    blocks = judged_blocks(task=varied.task, watermark=run.watermark)
    expected = rank(blocks, **asdict(choice))
    assert pairs_of(run) == list(expected.pairs)
    assert [(row["rank_low"], row["rank_high"]) for row in run.result["systems"]] == [
        (row.rank_low, row.rank_high) for row in expected.systems
    ]
    assert ranking_run_reproduce(RankingRun.objects.get(pk=run.pk)) == run.result
    assert due_tasks() == []


def test_anytime_ranges_are_of_expected_wins_and_not_for_active_designs(
    varied: TestSetWriter,
) -> None:
    settings_change(varied, ranges="anytime")
    design_change(task=varied.task, kind="active")
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    assert run.method == "expected_wins"
    assert not ranking_is_due(task_id=varied.task.pk)
    settings_change(varied, ranges="percentile")
    with pytest.raises(RangeChoiceError, match="active design"):
        settings_change(varied, ranges="anytime")


def test_settings_without_ranges_are_refused_and_change_nothing(
    varied: TestSetWriter,
) -> None:
    for changes, field in (
        (
            {"ranges": "confidence_set", "correction": "benjamini_hochberg"},
            "correction",
        ),
        ({"ranges": "anytime", "sides": 1}, "sides"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 0.9999}, "confidence"),
    ):
        with pytest.raises(RangeChoiceError) as refused:
            settings_change(varied, **changes)
        assert refused.value.field == field
    assert not RankingSettings.objects.exists()


def test_documents_take_the_place_of_segments(
    varied: TestSetWriter,
    as_organiser: Client,
) -> None:
    """Systems differ by document: its two segments say no more than one."""
    run = ranking_run_compute(task_id=varied.task.pk)
    documents_of(varied, 2)
    StoredTallies.objects.all().delete()
    settings_change(varied, confidence=0.9)
    by_documents = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    assert by_documents is not None
    assert by_documents.result["limits"] == []
    assert by_documents.result["input"]["documents"] == 6
    assert by_documents.result["input"]["effective_documents"] == pytest.approx(6)
    assert by_documents.result["input"]["segments"] == 12
    blocks = judged_blocks(task=varied.task, watermark=by_documents.watermark)
    document = ((blocks.segment - 1) // 2).astype(np.int32)
    expected = rank(replace(blocks, document=document), confidence=0.9)
    without = rank(blocks, confidence=0.9)
    assert pairs_of(by_documents) == list(expected.pairs)
    assert expected.pairs != without.pairs
    stored = RankingRun.objects.get(pk=by_documents.pk)
    assert ranking_run_reproduce(stored) == by_documents.result
    said = text_of(as_organiser.get(addresses(varied)["dashboard"]))
    assert "account for documents and judges" in said
    rest = as_organiser.get(reverse("api-ranking-latest", args=[varied.task.pk])).json()
    assert (rest["input"]["documents"], rest["input"]["effective_documents"]) == (6, 6)

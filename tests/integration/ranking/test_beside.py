"""Tasks of a test set beside each other: counted judgments, recorded choices, and notes on missing data."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from annotation.models import Judgment
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_ensure
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_create
from protocols.models import SpansAnswer
from ranking.core.rankings.rank import rank
from ranking.models import Analysis
from ranking.selectors.judged_columns import judged_blocks
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.protocols.judging import Shown, judged, judged_task, labelled_all
from tests.integration.ranking.two_tasks import (
    CHOSEN_MS,
    RANKED_MS,
    SEGMENTS,
    SYSTEMS,
    two_tasks,
)
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def ranking(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Task]:
    with shared_rows(django_db_blocker, lambda: two_tasks(make_campaign())) as made:
        yield made


@pytest.fixture
def task(ranking: Task) -> Task:
    return Task.objects.get(pk=ranking.pk)


def other_of(task: Task) -> Task:
    return Task.objects.get(test_set=task.test_set, protocol=Protocol.TWO_OUTPUTS)


def asked(task: Task, **given: Any) -> Analysis:
    choice = analysis_choice("beside", {"resamples": 100, **given})
    return analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )


def data_of(task: Task, **given: Any) -> dict[str, Any]:
    return asked(task, **given).data or {}


def notes_of(analysis: Analysis) -> str:
    assert analysis.reports is not None
    return "\n".join(
        [
            *analysis.reports["en"]["notes"],
            *(
                note
                for table in analysis.reports["en"]["tables"]
                for note in table["notes"]
            ),
        ],
    )


@pytest.mark.thorough
def test_tasks_have_their_order_hours_and_pairs(task: Task) -> None:
    found = data_of(task)
    ranked, chosen = found["tasks"]
    assert (ranked["task"], ranked["judgments"], ranked["watermark"]) == (
        "ranking",
        24,
        24,
    )
    assert (chosen["task"], chosen["judgments"], chosen["watermark"]) == (
        "two_outputs",
        144,
        144,
    )
    assert ranked["hours"] == pytest.approx(SEGMENTS * RANKED_MS / 3_600_000)
    assert chosen["hours"] == pytest.approx(144 * CHOSEN_MS / 3_600_000)
    # Four of six sentences are decided unanimously by the ranking, and five of six put amber first.
    assert (ranked["pairs"], ranked["decided"]) == (6, 6)
    assert ranked["per_hour"]["value"] == pytest.approx(6 / ranked["hours"])
    for each in found["tasks"]:
        row = Task.objects.get(test_set=task.test_set, protocol=each["task"])
        blocks = judged_blocks(task=row, watermark=each["watermark"])
        ranking = rank(blocks, resamples=100)
        assert [
            (row.system, row.score, row.rank_low, row.rank_high)
            for row in ranking.systems
        ] == [
            (row["system"], row["score"], row["rank_low"], row["rank_high"])
            for row in each["order"]
        ]


def test_two_tasks_correlate_and_contradict_each_other(task: Task) -> None:
    (pair,) = data_of(task)["pairs"]
    assert (pair["first"], pair["second"], len(pair["systems"])) == (
        "ranking",
        "two_outputs",
        4,
    )
    assert pair["contradicting"] == [["amber", "dune"]]
    for name in ("kendall", "spearman", "pearson"):
        assert -1 <= pair[name]["low"] <= pair[name]["value"] <= pair[name]["high"] <= 1
    (back,) = data_of(other_of(task))["pairs"]
    assert (back["first"], back["contradicting"]) == (
        "two_outputs",
        [["dune", "amber"]],
    )
    assert back["kendall"] == pair["kendall"]


@pytest.mark.thorough
def test_later_judgments_do_not_change_an_analysis(task: Task) -> None:
    first = asked(task)
    ada = Judge.objects.get(pseudonym="ada")
    judged(
        other_of(task),
        ada,
        "amber",
        "dune",
        number=20,
        verdict="first",
        active_ms=1,
    )
    data, reports = analysis_reproduce(first)
    assert json.loads(json.dumps([data, reports])) == [first.data, first.reports]
    second = asked(task)
    assert second.pk != first.pk
    assert [each["watermark"] for each in (second.data or {})["tasks"]] == [24, 145]
    assert asked(task).pk == second.pk


def test_changes_take_time_and_unknown_times_leave_no_hours(task: Task) -> None:
    judgment = Judgment.objects.filter(task=task).order_by("pk")[0]
    change = {"task": task, "judge": judgment.judge, "block": judgment.block}
    again = Judgment.objects.create(
        **change,
        client_id=_uuid(1),
        labels=[2, 1, 3, 4],
        supersedes=judgment,
        active_ms=30_000,
    )
    judgments_number(task_id=task.pk)
    found = data_of(task)["tasks"][0]
    assert found["judgments"] == 24
    assert found["hours"] == pytest.approx((SEGMENTS * RANKED_MS + 30_000) / 3_600_000)
    Judgment.objects.create(
        **change,
        client_id=_uuid(2),
        labels=[1, 2, 3, 4],
        supersedes=again,
        active_ms=None,
    )
    answer = asked(task)
    found = (answer.data or {})["tasks"][0]
    assert (found["hours"], found["per_hour"], found["untimed"]) == (None, None, 1)
    assert found["decided"] == 6
    assert "Five-way ranking: no hours, because" in notes_of(answer)


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


@pytest.mark.thorough
def test_excluded_judges_and_those_left_out_count_in_no_task(task: Task) -> None:
    ben = Judge.objects.get(pseudonym="ben")
    organiser = make_organiser(task.test_set.campaign)
    quality_action_take(
        judge=ben,
        task=other_of(task),
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    assert [each["judges"] for each in data_of(task)["tasks"]] == [3, 2]
    answer = asked(task, without=["j1"])
    assert [each["judges"] for each in (answer.data or {})["tasks"]] == [2, 2]
    assert "Without 2 judges: ben, j1." in notes_of(answer)
    counted = data_of(task, excluded_judges="count")["tasks"]
    assert [each["judges"] for each in counted] == [3, 3]


def test_a_task_without_judgments_or_without_others() -> None:
    chosen = judged_task(make_campaign("other"))
    answer = asked(chosen)
    assert "Five-way ranking: No judgments match these options." in notes_of(answer)
    assert "No other task of this test set has judgments" in notes_of(answer)
    found = answer.data or {}
    assert [each["judgments"] for each in found["tasks"]] == [36, 0]
    assert found["pairs"] == []
    # These were judged without a browser that measures times.
    assert found["tasks"][0]["hours"] is None


def test_fewer_than_four_systems_in_common_have_no_correlation(task: Task) -> None:
    answer = asked(task)
    assert (answer.data or {})["pairs"][0]["reason"] is None
    chosen = recorded_with(answer, systems=["amber", "dune"])
    data, _reports = analysis_reproduce(chosen)
    (pair,) = data["pairs"]
    assert (pair["kendall"], pair["reason"], pair["systems"]) == (
        None,
        "few_systems",
        ["amber", "dune"],
    )
    assert "no correlation (needs 4 shared systems" in json.dumps(_reports["en"])
    assert pair["contradicting"] == [["amber", "dune"]]


def recorded_with(answer: Analysis, *, systems: list[str]) -> Analysis:
    """Return the answer as if the other task had been limited to these systems."""
    (beside,) = answer.judgments["beside"]
    beside["judgments"]["systems"] = systems
    return answer


def test_without_a_task_that_it_was_of_an_answer_is_refused(task: Task) -> None:
    answer = asked(task)
    answer.judgments["beside"][0]["protocol"] = Protocol.TOP
    with pytest.raises(ValueError, match="has been deleted"):
        analysis_reproduce(answer)


@pytest.mark.thorough
def test_outputs_that_are_scored_one_by_one_are_ordered_by_their_means(
    task: Task,
) -> None:
    scores = task_create(test_set=task.test_set, protocol=Protocol.SPANS, by=None)
    design_ensure(task=scores, seed=7)
    judges = [
        make_judge(task.test_set.campaign, name) for name in ("xan", "yin", "zoe")
    ]
    places = [
        (number, place) for number in range(1, SEGMENTS + 1) for place in range(4)
    ]
    shown = [
        Shown(
            judge=judges[(number + place) % 3],
            systems=[SYSTEMS[place]],
            number=number,
            labels=[1],
            active_ms=CHOSEN_MS,
        )
        for number, place in places
    ]
    SpansAnswer.objects.bulk_create(
        SpansAnswer(judgment=judgment, scores=[80 - 10 * place + number % 2])
        for judgment, (number, place) in zip(
            labelled_all(scores, shown),
            places,
            strict=True,
        )
    )
    answer = asked(scores, without=["yin"])
    found = (answer.data or {})["tasks"]
    assert [each["task"] for each in found] == ["spans", "ranking", "two_outputs"]
    assert (found[0]["is_scored"], found[0]["judges"], found[0]["decided"]) == (
        True,
        2,
        6,
    )
    assert [each["system"] for each in found[0]["order"]] == list(SYSTEMS)
    assert len((answer.data or {})["pairs"]) == 3
    assert "systems are ordered by mean score" in notes_of(answer)
    everybody = (asked(scores).data or {})["tasks"][0]
    assert [each["score"] for each in everybody["order"]] == [80.5, 70.5, 60.5, 50.5]
    assert everybody["per_hour"]["value"] == pytest.approx(
        6 / (96 * CHOSEN_MS / 3_600_000),
    )

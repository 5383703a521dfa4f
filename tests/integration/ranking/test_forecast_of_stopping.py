"""Whether to go on judging: a forecast on the campaign's own noise, and words where there is none."""

import json
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.quality import JudgeDecision, quality_action_take
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Campaign, Judge, Task, User
from ranking.models import Analysis
from ranking.reports.inputs import WorkFacts
from ranking.reports.stored import report_in
from ranking.reports.tables import Table, plain
from ranking.selectors.dashboards import work_facts
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from ranking.services.ranking_settings import stopping_rule_set
from ranking.services.runs import ranking_run_compute
from tests.at_work import lend
from tests.factories import make_judge, make_task
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def answer(task: Task, **given: Any) -> Analysis:
    choice = analysis_choice("stopping", given)
    return analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )


def tables_of(analysis: Analysis) -> dict[str, Table]:
    report = report_in(analysis.reports or {}, "en")
    return {table.name: table for table in report.tables}


def notes_of(analysis: Analysis) -> str:
    return " ".join(report_in(analysis.reports or {}, "en").notes)


def test_without_a_decision_it_says_why(writer: TestSetWriter) -> None:
    writer.judgment("j0", writer.block(1, ["A", "B", "C"]), [1, 1, 1])
    found = answer(writer.task)
    assert found.data is not None
    assert found.data["why_not"] == "nothing_decided"
    assert tables_of(found) == {}
    assert "all comparisons are ties" in notes_of(found)


@pytest.mark.thorough
@pytest.mark.realdata
def test_the_forecast_of_wmt12(wmt12: Task) -> None:
    found = answer(wmt12, experiments=60, limit=20_000)
    data = found.data
    assert data is not None
    # All but cu-bojar and onlineA, by the scores as by the sign tests.
    assert "14 of 15 pairs told apart." in notes_of(found)
    low, noise, high = (
        data["plan"][f"fitted_noise{end}"] for end in ("_low", "", "_high")
    )
    assert low < noise < high
    tables = tables_of(found)
    reached = data["judgments"][0]
    # Reached: never placed in the future.
    assert (reached["target"], reached["more"]) == (0.8, 0)
    assert reached["comparisons"] <= 1294
    assert tables["plan"].rows[0][0] == "80% of pairs significant (sign tests)"
    figure = tables["koehn_figure_2"]
    so_far = [row for row in figure.rows if row[5] == "So far"]
    assert so_far[-1][0] == pytest.approx(1291, abs=5)
    assert so_far[-1][1] == pytest.approx(14 / 15)
    # The forecast begins where the campaign is.
    ahead = data["forecast"]
    assert len(ahead["share"]) == len(figure.rows) - len(so_far)
    for low, share, high in zip(
        ahead["low"],
        ahead["share"],
        ahead["high"],
        strict=True,
    ):
        assert low <= share <= high
    assert figure.plot is not None
    now, more = data["from_start"]
    assert more[0]["comparisons"] > now[0]["comparisons"]


def close_race(writer: TestSetWriter, segments: range) -> None:
    """A and B are near each other, and C is last; a slip of one judge here and there."""
    with writer.at_once():
        for segment in segments:
            block = writer.block(segment, ["A", "B", "C"])
            for judge in range(4):
                slip = (segment + judge) % 5 < 2
                writer.judgment(f"j{judge}", block, [2, 1, 3] if slip else [1, 2, 3])


@pytest.mark.thorough
def test_hours_and_days_follow_from_what_was_frozen(writer: TestSetWriter) -> None:
    close_race(writer, range(1, 9))
    task = writer.task
    task.blocks_wanted = 132
    task.save()
    stopping_rule_set(task=task, judgments=232, reason="Money ends.")
    asked = analysis_ask(
        task=task,
        choice=analysis_choice("stopping", {"experiments": 40}),
        is_queued=False,
    )
    work = WorkFacts(
        judged=32,
        counted=None,
        most_shown=26,
        wanted=132,
        rule_judgments=232,
        today=2,
        days=(10,) * 7,
        pace=((20, 800.0, 720.0), (10, 400.0, 360.0), (15, 600.0, 540.0)),
        base_words=10.0,
        output_words=10.0,
    )
    recorded = asked.judgments["work"]
    assert {**recorded, "days": [], "pace": []} == {
        **plain(work),
        "today": 32,
        "days": [],
        "pace": [],
        "base_words": None,
        "output_words": None,
    }
    # As if it had been judged in a week, by three people at 36 seconds a judgment and 0.9 a word.
    Analysis.objects.filter(pk=asked.pk).update(
        judgments={**asked.judgments, "work": plain(work)},
    )
    asked.refresh_from_db()
    found = analysis_compute(analysis=asked)
    assert found.data is not None
    ahead = {(row["measure"], row["target"]): row for row in found.data["ahead"]}
    wanted, rule = ahead["wanted", 132], ahead["rule", 232]
    # 100 judgments of 36 seconds are an hour; with the two of today, 102 at ten a day.
    assert wanted["judgments"] == {"value": 100, "low": 100, "high": 100}
    assert list(wanted["hours"].values()) == pytest.approx([1.0] * 3)
    assert list(wanted["days"].values()) == pytest.approx([10.2] * 3)
    assert list(rule["hours"].values()) == pytest.approx([2.0] * 3)
    # What is reached takes nothing more.
    assert all(row["judgments"]["low"] >= 0 for row in ahead.values())
    tables = tables_of(found)
    assert "36 s (36 to 36)" in " ".join(tables["time_ahead"].notes)
    # A block of two has thirty words, one of three forty.
    of_two = [
        row for row in found.data["designs"] if row["shown"] == 2 and not row["chooses"]
    ]
    assert of_two[0]["seconds"] == pytest.approx(0.9 * 30)
    assert {(row["shown"], row["chooses"]) for row in found.data["designs"]} == {
        (3, False),
        (2, False),
        (2, True),
    }
    rows = [row for row in tables["designs"].rows if row[2] is not None]
    assert all(row[5] is not None for row in rows)
    # What changes later makes no difference.
    close_race(writer, range(9, 12))
    task.blocks_wanted = 7
    task.save()
    data, reports = analysis_reproduce(found)
    assert json.loads(json.dumps(data)) == found.data
    assert json.loads(json.dumps(reports)) == found.reports


@pytest.mark.thorough
def test_a_rule_counts_the_judgments_that_count(
    writer: TestSetWriter,
    organiser: User,
) -> None:
    """Of 32 judgments eight are of a judge who is excluded: to 124 it is a hundred more, not 92, and to 132 it is 108."""
    close_race(writer, range(1, 9))
    task = writer.task
    task.blocks_wanted = 132
    task.save()
    stopping_rule_set(task=task, judgments=124, reason="Money ends.")
    judge = Judge.objects.get(pseudonym="j3")
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    ranking_run_compute(task_id=task.pk)
    work = work_facts(task=task)
    assert (work.judged, work.counted) == (32, 24)
    asked = analysis_ask(
        task=task,
        choice=analysis_choice("stopping", {"experiments": 40}),
        is_queued=False,
    )
    assert asked.judgments["work"]["counted"] == 24
    pace = ((20, 800.0, 720.0), (10, 400.0, 360.0), (15, 600.0, 540.0))
    at_work = replace(work, today=2, days=(10,) * 7, pace=pace)
    Analysis.objects.filter(pk=asked.pk).update(
        judgments={**asked.judgments, "work": plain(at_work)},
    )
    asked.refresh_from_db()
    found = analysis_compute(analysis=asked)
    assert found.data is not None
    ahead = {(row["measure"], row["target"]): row for row in found.data["ahead"]}
    rule = ahead["rule", 124]
    assert rule["judgments"] == {"value": 100, "low": 100, "high": 100}
    # The excluded judge makes no more: all others count, of 36 seconds, and ten a day.
    assert list(rule["hours"].values()) == pytest.approx([1.0] * 3)
    assert list(rule["days"].values()) == pytest.approx([(100 + 2) / 10] * 3)
    assert ahead["wanted", 132]["judgments"]["value"] == 108
    assert list(ahead["wanted", 132]["hours"].values()) == pytest.approx([1.08] * 3)
    assert "24 judgments counted." in tables_of(found)["time_ahead"].notes
    # Judges outside the group that is ranked go on: with half of the others in it, twice as many are made.
    assert replace(work, counted=12).of_everybody(100) == 200


def test_pace_is_that_of_people_at_work(campaign: Campaign) -> None:
    task = make_task(campaign)
    for pseudonym, seconds in (("ada", 20), ("bob", 40)):
        for block in assigned_blocks(lend(make_judge(campaign, pseudonym))):
            labels = list(range(1, len(block.candidates) + 1))
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(labels=labels, active_ms=1000 * seconds),
            )
    judgments_number(task_id=task.pk)
    facts = work_facts(task=task)
    assert [(blocks, seconds) for blocks, _words, seconds in facts.pace] == [
        (3, 60.0),
        (3, 120.0),
    ]
    assert (facts.judged, facts.today, facts.days) == (6, 6, ())
    assert facts.base_words is not None
    assert facts.output_words is not None
    assert plain(WorkFacts(**plain(facts))) == plain(facts)

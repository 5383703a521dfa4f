"""Judges measured while they work, rules that act, and what excluding a judge does to a ranking."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from annotation.models import Block, QualityAction, QualityRule
from annotation.selectors.judges import JudgeStatus, judge_status
from annotation.services.quality import (
    JudgeDecision,
    QualityRefusedError,
    RuleTerms,
    judge_reinstate,
    quality_action_revert,
    quality_action_take,
    quality_rule_add,
    quality_rule_change,
    quality_rule_switch_off,
    quality_rules_suggest,
)
from campaign.models import Campaign, Judge, Output, Segment, User
from ranking.models import JudgeMeasures, RankingRun, RankingUpkeep
from ranking.reports.judge_measures import MeasureResult
from ranking.selectors.dashboards import judging_progress
from ranking.selectors.judges import (
    measures_by_judge,
    quality_due,
)
from ranking.selectors.quality_rules import (
    is_breached,
)
from ranking.selectors.runs import due_tasks, latest_run, ranking_is_due
from ranking.services.quality import (
    quality_evaluate,
)
from ranking.services.quality_rules import (
    rules_preview,
    rules_put_in_force,
)
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from ranking.tasks import rank_task, rank_what_is_due
from tests.clickers import SUGGESTED
from tests.clocks import set_process_clock
from tests.exporting import exported_rows
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

BLOCKS = 24


@pytest.fixture
def judged(writer: TestSetWriter) -> TestSetWriter:
    """The careful judge prefers the reference throughout, the careless one never."""
    writer.system("_ref", kind="reference")
    with writer.at_once():
        for segment in range(1, BLOCKS + 1):
            block = writer.block(segment, ["A", "_ref", "B", "C"])
            writer.judgment("careful", block, [2, 1, 3, 4], active_ms=30_000)
            writer.judgment("careless", block, [1, 5, 1, 1], active_ms=2_000)
    return writer


def control(block: Block, kind: str, expected: Sequence[int | None]) -> Block:
    block.control, block.expected = kind, list(expected)
    block.save()
    return block


def judge_called(name: str) -> Judge:
    return Judge.objects.get(pseudonym=name)


def terms(**changes: Any) -> RuleTerms:
    values: dict[str, Any] = {
        "measure": "reference",
        "direction": "below",
        "threshold": 0.55,
        "minimum": 60,
        "action": "warn",
    }
    return RuleTerms(**{**values, **changes})


def test_control_blocks_count_in_nothing(judged: TestSetWriter) -> None:
    task = judged.task
    before = ranking_run_compute(task_id=task.pk)
    exported = exported_rows(task)
    judged.system("_bad", kind="bad_reference")
    attention = control(judged.block(40, ["C", "_bad", "A"]), "attention", [1, 2, 1])
    training = control(judged.block(41, ["C", "B", "A"]), "training", [1, 2, 3])
    for name in ("careful", "careless"):
        judged.judgment(name, attention, [1, 5, 5])
        judged.judgment(name, training, [1, 5, 5])
    judged.skip("careful", control(judged.block(42, ["C", "A"]), "training", [1, 2]))

    after = ranking_run_compute(task_id=task.pk)

    assert before is not None
    assert after is not None
    assert after.watermark == before.watermark + 4
    assert after.result == before.result
    assert exported_rows(task) == exported
    progress = judging_progress(task=task)
    assert (progress.judged, progress.skipped) == (2 * BLOCKS, 0)


def test_measures_of_a_run_are_stored_and_only_the_careless_judge_is_warned(
    judged: TestSetWriter,
    campaign: Campaign,
) -> None:
    judged.system("_bad", kind="bad_reference")
    for segment in range(50, 66):
        check = control(
            judged.block(segment, ["C", "_bad", "A"]),
            "attention",
            [1, 2, 1],
        )
        judged.judgment("careful", check, [1, 5, 2])
        judged.judgment("careless", check, [3, 1, 2])
    rules = quality_rules_suggest(campaign=campaign, user=None)
    assert {rule.action for rule in rules} == {"warn"}
    # What the simulations of clickers hold to: docs/statistics/quality.md.
    terms = {rule.measure: (rule.threshold, rule.minimum) for rule in rules}
    assert SUGGESTED.items() <= terms.items()

    rank_task(judged.task.pk)

    measures = measures_by_judge(task_id=judged.task.pk)
    careful, careless = measures["careful"], measures["careless"]
    assert (careful["reference"]["value"], careful["reference"]["evidence"]) == (
        1.0,
        3 * BLOCKS,
    )
    assert careless["reference"]["value"] == 0.0
    assert careful["bad_reference"]["value"] == 1.0
    assert careless["bad_reference"]["value"] == 0.0
    assert careless["seconds"]["value"] == 2.0
    # κ of two judges has no interval.
    assert "inter" not in careless
    actions = QualityAction.objects.all()
    assert {action.judge.pseudonym for action in actions} == {"careless"}
    assert {action.evidence["rule"]["measure"] for action in actions} == {
        "reference_ignored",
        "damage_ignored",
    }
    assert actions[0].evidence["watermark"] == 2 * BLOCKS + 32
    assert actions[0].evidence["measures"]["reference"] == careless["reference"]
    assert judge_status(judge_called("careless")) == JudgeStatus.WARNED
    assert judge_status(judge_called("careful")) == JudgeStatus.GOOD


def test_measures_of_later_judgments_are_not_replaced_by_earlier_ones(
    judged: TestSetWriter,
) -> None:
    """Two workers may compute two runs, and the older run may end last."""
    older = ranking_run_compute(task_id=judged.task.pk)
    judged.judgment("careful", judged.block(70, ["A", "B"]), [1, 2])
    newer = ranking_run_compute(task_id=judged.task.pk)
    assert older is not None
    assert newer is not None
    assert quality_evaluate(run=newer)
    measured = measures_by_judge(task_id=judged.task.pk)
    assert not quality_evaluate(run=older)
    assert RankingUpkeep.objects.get().measured_watermark == newer.watermark
    assert measures_by_judge(task_id=judged.task.pk) == measured


def test_suggested_rules_warn_judges_who_rank_in_display_order(
    judged: TestSetWriter,
    campaign: Campaign,
) -> None:
    for block in Block.objects.filter(hit__task=judged.task)[:6]:
        judged.judgment("typist", block, [1, 2, 3, 4])
    quality_rules_suggest(campaign=campaign, user=None)

    rank_task(judged.task.pk)

    action = QualityAction.objects.get(judge__pseudonym="typist")
    assert (action.action, action.evidence["rule"]["measure"]) == (
        "warn",
        "typed_in_order",
    )
    # Two of 24 arrangements follow the order: six times as likely to type, each time, of fifty.
    measured = action.evidence["measures"]["typed_in_order"]
    assert measured["value"] == pytest.approx(50 / 6**6)
    assert measured["evidence"] == 6


@pytest.mark.parametrize("blocks", [5, 6, 9])
def test_judges_who_rush_are_warned_by_the_suggested_rules_after_five_blocks(
    judged: TestSetWriter,
    campaign: Campaign,
    blocks: int,
) -> None:
    shown = list(Block.objects.filter(hit__task=judged.task)[:blocks])
    with judged.at_once():
        for number, block in enumerate(shown):
            at_random = [1 + (number * 7 + place * 3) % 4 for place in range(4)]
            judged.judgment("rushing", block, at_random, active_ms=900 + 40 * number)
            judged.judgment("brisk", block, [2, 1, 3, 4], active_ms=6_000)
        for block in shown[:4]:
            judged.judgment("begun", block, [2, 1, 3, 4], active_ms=1_000)
    Segment.objects.update(
        source_text="A sentence of ten words, more or less, to read.",
    )
    Output.objects.update(text="Ein Satz von zehn Wörtern, mehr oder weniger.")
    quality_rules_suggest(campaign=campaign, user=None)

    rank_task(judged.task.pk)

    rushed = QualityAction.objects.filter(rule__measure="pace")
    assert {action.judge.pseudonym for action in rushed} == {"rushing", "careless"}
    assert judge_status(judge_called("rushing")) == JudgeStatus.WARNED
    for name in ("brisk", "begun", "careful"):
        assert judge_status(judge_called(name)) == JudgeStatus.GOOD


def test_a_rule_acts_on_a_judge_once_even_after_it_was_taken_back(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    run = ranking_run_compute(task_id=judged.task.pk)
    assert run is not None
    quality_evaluate(run=run)
    pausing = [terms(action="pause")]
    # One of two judges: somebody must confirm it.
    code = rules_preview(campaign=campaign, terms=pausing).code
    [rule] = rules_put_in_force(
        campaign=campaign,
        terms=pausing,
        user=organiser,
        confirmed=code,
    ).rules
    for _time in range(2):
        quality_evaluate(run=run)
    action = QualityAction.objects.get()
    assert judge_status(action.judge) == JudgeStatus.PAUSED
    quality_action_revert(action=action, user=organiser, note="She explained it.")
    quality_evaluate(run=run)
    assert QualityAction.objects.count() == 1
    assert judge_status(action.judge) == JudgeStatus.GOOD
    with pytest.raises(QualityRefusedError, match="already"):
        quality_action_revert(action=action, user=organiser)

    # A changed rule is another one, which looks at everybody anew.
    changed = quality_rule_change(rule=rule, terms=terms(threshold=0.6), user=organiser)
    assert changed.replaces == rule
    quality_evaluate(run=run)
    assert QualityAction.objects.count() == 2
    assert judge_status(action.judge) == JudgeStatus.WARNED


def test_a_rule_that_is_switched_off_or_of_another_task_does_nothing(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    other = TestSetWriter(campaign, "another", ["A", "B"])
    quality_rule_add(campaign=campaign, terms=terms(task=other.task), user=organiser)
    off = quality_rule_add(
        campaign=campaign,
        terms=terms(action="exclude"),
        user=organiser,
    )
    quality_rule_switch_off(rule=off, user=organiser)
    with pytest.raises(QualityRefusedError, match="already"):
        quality_rule_switch_off(rule=off, user=organiser)
    rank_task(judged.task.pk)
    assert not QualityAction.objects.exists()


def test_a_rule_wants_evidence_and_the_whole_interval() -> None:
    cases: list[tuple[MeasureResult | None, bool]] = [
        (None, False),
        (MeasureResult(0.2, 59, 0.1, 0.3), False),
        (MeasureResult(0.2, 60, 0.1, 0.3), True),
        (MeasureResult(0.5, 60, 0.3, 0.6), False),
        (MeasureResult(0.5, 60, None, None), False),
    ]
    for measured, breached in cases:
        rule = QualityRule(
            measure="reference",
            direction="below",
            threshold=0.55,
            minimum=60,
        )
        assert is_breached(rule, measured) is breached


def test_an_excluded_judge_is_left_out_and_comes_back_bit_for_bit(
    judged: TestSetWriter,
    organiser: User,
) -> None:
    task = judged.task
    with_both = ranking_run_compute(task_id=task.pk)
    assert with_both is not None
    assert with_both.parameters["excluded_judges"] == []

    action = quality_action_take(
        judge=judge_called("careless"),
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser, note="Clicks."),
    )
    assert due_tasks() == [task.pk]
    rank_what_is_due()
    without = latest_run(task_id=task.pk)
    assert without is not None
    assert without.parameters["excluded_judges"] == ["careless"]
    assert without.watermark == with_both.watermark
    assert without.result["input"]["judges"] == 1
    assert without.result["input"]["blocks"] == BLOCKS
    assert [row["judge"] for row in without.result["agreement"]["judges"]] == [
        "careful",
    ]
    assert not ranking_is_due(task_id=task.pk)
    # The file ranks as the latest run.
    assert {row.judge for row in exported_rows(task)} == {"careful"}

    quality_action_revert(action=action, user=organiser)
    assert due_tasks() == [task.pk]
    rank_what_is_due()
    again = latest_run(task_id=task.pk)
    assert again is not None
    assert again.pk != with_both.pk
    assert again.result == with_both.result
    # Each can be computed again, whoever is excluded by now.
    for run in RankingRun.objects.filter(task=task):
        assert ranking_run_reproduce(run) == run.result
    assert judging_progress(task=task).judged == 2 * BLOCKS


def test_disagreeing_judges_are_found_among_counted_systems_and_judges(
    writer: TestSetWriter,
    organiser: User,
) -> None:
    for name in ("_ref", "_ref2"):
        writer.system(name, kind="reference")
    # By the references alone, "against" would agree with everybody.
    with writer.at_once():
        for segment in range(1, BLOCKS + 1):
            block = writer.block(segment, ["A", "_ref", "B", "_ref2", "C"])
            for judge in ("one", "two", "clicks"):
                writer.judgment(judge, block, [2, 1, 3, 5, 4])
            writer.judgment("against", block, [4, 1, 3, 5, 2])
    quality_action_take(
        judge=judge_called("clicks"),
        task=writer.task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    rank_task(writer.task.pk)

    found = measures_by_judge(task_id=writer.task.pk)
    assert found["against"]["disagrees"]["value"] < 1e-6
    assert found["against"]["disagrees"]["evidence"] == BLOCKS
    assert found["one"]["disagrees"]["value"] == found["two"]["disagrees"]["value"] == 1
    assert "disagrees" not in found["clicks"]
    # The same from the judgments alone, where the ranking handed nothing over.
    run = latest_run(task_id=writer.task.pk)
    assert run is not None
    RankingUpkeep.objects.all().delete()
    JudgeMeasures.objects.all().delete()
    quality_evaluate(run=run)
    assert measures_by_judge(task_id=writer.task.pk) == found


def test_the_gravest_action_in_force_holds_and_reinstating_takes_all_back(
    judged: TestSetWriter,
    organiser: User,
) -> None:
    careless = judge_called("careless")
    for action in ("warn", "exclude", "pause"):
        quality_action_take(
            judge=careless,
            task=judged.task,
            decision=JudgeDecision(action=action, user=organiser),
        )
    assert judge_status(careless) == JudgeStatus.EXCLUDED
    with pytest.raises(QualityRefusedError, match="already in this state"):
        quality_action_take(
            judge=careless,
            task=judged.task,
            decision=JudgeDecision(action="pause", user=organiser),
        )
    assert judge_reinstate(judge=careless, user=organiser, note="A mistake.") == 3
    assert judge_status(careless) == JudgeStatus.GOOD
    assert QualityAction.objects.filter(revert_note="A mistake.").count() == 3
    assert not JudgeStatus.PAUSED.may_judge
    assert not JudgeStatus.EXCLUDED.may_judge
    assert JudgeStatus.WARNED.may_judge


def test_missed_measurements_are_made_up_and_new_rules_look_back(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    run = ranking_run_compute(task_id=judged.task.pk)
    assert quality_due() == [run]
    rank_what_is_due()
    assert quality_due() == []
    quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    assert quality_due() == [run]
    rank_what_is_due()
    assert judge_status(judge_called("careless")) == JudgeStatus.WARNED
    assert quality_due() == []


@pytest.mark.thorough
@pytest.mark.parametrize(("wrong", "hours"), [("worker", 1), ("web server", -1)])
def test_a_wrong_clock_hides_no_new_rule(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
    monkeypatch: pytest.MonkeyPatch,
    wrong: str,
    hours: int,
) -> None:
    clock = timedelta(hours=hours)
    run = ranking_run_compute(task_id=judged.task.pk)
    for _time in range(2):
        with monkeypatch.context() as patch:
            if wrong == "worker":
                set_process_clock(patch, ahead_by=clock)
            rank_what_is_due()
        assert quality_due() == []
        with monkeypatch.context() as patch:
            if wrong == "web server":
                set_process_clock(patch, ahead_by=clock)
            quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
        assert quality_due() == [run]

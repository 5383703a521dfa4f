"""When judging is to end: a rule set before the start, shown with each ranking, and met or not."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Design
from campaign.models import ActivityEvent, User
from desk.selectors.alerts import AlertKind, alerts_of_campaigns
from ranking.core.rankings.rank import rank
from ranking.models import LatestRanking, StoppingRule
from ranking.reports.wording.stopping_rules import rule_with_progress
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import due_tasks, stopping_rule_history, stopping_rule_state
from ranking.services.ranking_settings import StoppingRuleError, stopping_rule_set
from ranking.services.reproduced_runs import ranking_run_reproduce
from tests.integration.ranking.ruled import judged, ranked
from tests.integration.ranking.writing import TestSetWriter, settings_change

pytestmark = pytest.mark.django_db


def test_a_rule_by_hand(writer: TestSetWriter) -> None:
    """At 4, 8 and 12 judgments; the rule wants ten, and the first ranking with as many is kept for it."""
    stopping_rule_set(task=writer.task, judgments=10)
    met = []
    for first in (1, 5, 9):
        judged(writer, range(first, first + 4), judges=1)
        run = ranked(writer)
        assert run.result["stopping"]["judgments"] == first + 3
        met.append((run.result["stopping"]["criteria"], run.kept_for))
    assert met[-1] == (["judgments"], "rule")
    assert [criteria for criteria, _kept in met] == [[], [], ["judgments"]]
    state = stopping_rule_state(task_id=writer.task.pk)
    assert state is not None
    assert state.met is not None
    assert (state.met["run"], state.met["judgments"], state.more) == (run.pk, 12, 0)
    judged(writer, range(13, 16), judges=1)
    ranked(writer)
    state = stopping_rule_state(task_id=writer.task.pk)
    assert state is not None
    assert (state.is_met, state.more) == (True, 3)
    assert state.met is not None
    assert state.met["run"] == run.pk
    assert rule_with_progress(state).state[-1] == "3 more judgments since then."


def test_pairs_are_told_apart_as_holm_says(varied: TestSetWriter) -> None:
    """p = 0.30, and twice below 0.001: two of three pairs are told apart, which is two thirds and not 70 %."""
    stopping_rule_set(
        task=varied.task,
        pairs_share=2 / 3,
        tests="holm",
        reason="Money ends.",
    )
    run = ranked(varied)
    single = sorted(pair[3] for pair in run.result["pairs"])
    assert single[1] * 2 < 0.05 < single[2]
    assert run.result["stopping"] == {
        "judgments": 72,
        "pairs": 3,
        "pairs_apart": 2,
        "clusters": len({row["cluster"] for row in run.result["systems"]}),
        "criteria": ["pairs_share"],
    }
    stopping_rule_set(
        task=varied.task,
        pairs_share=0.7,
        tests="holm",
        reason="More money.",
    )
    assert ranked(varied).result["stopping"]["criteria"] == []


def test_a_rule_survives_looking_unless_told_otherwise(varied: TestSetWriter) -> None:
    task = varied.task
    rule = stopping_rule_set(task=task, pairs_share=0.9, reason="Agreed.")
    assert rule is not None
    assert rule.tests == "anytime"
    # Anytime ranges need rankings over segments and judges.
    settings_change(varied, resample="segments")
    other = stopping_rule_set(task=task, pairs_share=0.8, reason="Agreed again.")
    assert other is not None
    assert other.tests == "holm"


def test_a_rule_without_tests_is_the_same_by_either(writer: TestSetWriter) -> None:
    rule = stopping_rule_set(task=writer.task, judgments=100, tests="holm")
    assert rule is not None
    same = stopping_rule_set(task=writer.task, judgments=100)
    assert same is not None
    assert (same.pk, same.tests) == (rule.pk, "holm")


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["by_design", "bradley_terry"])
def test_ranges_at_any_time_stand_beside_and_are_those_of_a_ranking_by_them(
    writer: TestSetWriter,
    method: str,
) -> None:
    settings_change(writer, method=method)
    stopping_rule_set(task=writer.task, clusters=3, tests="anytime", confidence=0.9)
    judged(writer, range(1, 13))
    ranked(writer)
    # From the tallies of the last ranking.
    judged(writer, range(13, 21))
    run = ranked(writer)
    blocks = judged_blocks(task=writer.task, watermark=run.watermark)
    expected = rank(blocks, ranges="anytime", confidence=0.9)
    assert [
        (row["system"], row["rank_low"], row["rank_high"], row["cluster"])
        for row in run.result["anytime"]["systems"]
    ] == [
        (row.system, row.rank_low, row.rank_high, row.cluster)
        for row in expected.systems
    ]
    apart = sum(pair.significant is True for pair in expected.pairs)
    assert run.result["anytime"]["pairs_apart"] == apart
    assert run.result["stopping"]["pairs_apart"] == apart
    assert ranking_run_reproduce(run) == run.result


def test_a_rule_makes_a_ranking_due_until_it_is_ranked_by(
    varied: TestSetWriter,
) -> None:
    ranked(varied)
    assert due_tasks() == []
    stopping_rule_set(
        task=varied.task,
        pairs_share=0.9,
        until=date(2999, 12, 12),
        reason="Late.",
    )
    assert due_tasks() == [varied.task.pk]
    assert ranked(varied).kept_for == "parameters"
    assert due_tasks() == []
    stopping_rule_set(task=varied.task, reason="It was a mistake.")
    assert due_tasks() == [varied.task.pk]
    run = ranked(varied)
    assert "stopping_rule" not in run.parameters
    assert "stopping" not in run.result
    assert due_tasks() == []


def test_rules_are_appended_with_their_moment_and_reason(
    writer: TestSetWriter,
    organiser: User,
) -> None:
    task = writer.task
    assert stopping_rule_set(task=task) is None
    stopping_rule_set(task=task, clusters=2, changed_by=organiser)
    stopping_rule_set(task=task, clusters=3)
    stopping_rule_set(task=task, clusters=3, reason="The same.")
    judged(writer, range(1, 3), judges=2)
    with pytest.raises(StoppingRuleError) as refused:
        stopping_rule_set(task=task, clusters=2)
    assert refused.value.field == "reason"
    stopping_rule_set(task=task, clusters=2, reason="Three will never be.")
    history = stopping_rule_history(task_id=task.pk)
    assert [(row.clusters, row.after_judgments, row.reason) for row in history] == [
        (2, 4, "Three will never be."),
        (3, 0, ""),
        (2, 0, ""),
    ]
    state = stopping_rule_state(task_id=task.pk)
    assert state is not None
    assert rule_with_progress(state).since == "Set after 4 judgments."
    events = ActivityEvent.objects.filter(kind="ranking.stoppingrule")
    assert events.count() == 3


def test_nonsense_is_refused(writer: TestSetWriter) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"judgments": 0}, "judgments"),
        ({"clusters": 1}, "clusters"),
        ({"pairs_share": 1.5}, "pairs_share"),
        ({"clusters": 2, "confidence": 1.0}, "confidence"),
    ]
    for terms, field in cases:
        with pytest.raises(StoppingRuleError) as refused:
            stopping_rule_set(task=writer.task, **terms)
        assert refused.value.field == field
        assert not StoppingRule.objects.exists()


def test_no_ranges_at_any_time_under_an_active_design(writer: TestSetWriter) -> None:
    Design.objects.create(task=writer.task, kind="active")
    with pytest.raises(StoppingRuleError, match="active design"):
        stopping_rule_set(task=writer.task, clusters=2, tests="anytime")
    stopping_rule_set(task=writer.task, judgments=9, tests="anytime")


def test_the_day_comes_without_a_ranking(writer: TestSetWriter) -> None:
    today = timezone.localdate()
    stopping_rule_set(task=writer.task, until=today + timedelta(days=1), judgments=1000)
    ahead = stopping_rule_state(task_id=writer.task.pk)
    stopping_rule_set(task=writer.task, until=today, judgments=1000)
    state = stopping_rule_state(task_id=writer.task.pk)
    assert ahead is not None
    assert state is not None
    assert (ahead.is_met, state.is_met) == (False, True)
    assert list(state.criteria) == ["until"]
    assert rule_with_progress(state).state == ["Met: the date has passed."]


def test_organisers_are_told_and_closing_stays_theirs(varied: TestSetWriter) -> None:
    def kinds() -> list[str]:
        return [
            each.kind
            for each in alerts_of_campaigns(campaigns=[varied.campaign])[
                varied.campaign.pk
            ]
        ]

    stopping_rule_set(task=varied.task, judgments=80, reason="Money ends.")
    ranked(varied)
    assert AlertKind.RULE_MET not in kinds()
    judged(varied, range(20, 30), judges=1)
    ranked(varied)
    (alert,) = [
        each
        for each in alerts_of_campaigns(campaigns=[varied.campaign])[varied.campaign.pk]
        if each.kind == AlertKind.RULE_MET
    ]
    assert alert.why == "Stop at 80 judgments. Judging continues until you close it."
    assert alert.address == reverse("test-set-close", args=["museum", varied.task.pk])
    varied.task.refresh_from_db()
    assert varied.task.closed_at is None


def test_a_revision_does_not_unmake_what_was_met(writer: TestSetWriter) -> None:
    stopping_rule_set(task=writer.task, clusters=2)
    judged(writer, range(1, 13))
    assert ranked(writer).result["stopping"]["criteria"] == ["clusters"]
    with writer.at_once():
        for segment in range(13, 30):
            block = writer.block(segment, ["A", "B", "C"])
            for judge in range(6):
                writer.judgment(f"j{judge}", block, [3, 2, 1])
    run = ranked(writer)
    state = stopping_rule_state(task_id=writer.task.pk)
    assert state is not None
    # As many say the opposite: nobody is told apart any more.
    assert run.result["stopping"]["criteria"] == []
    assert state.is_met
    assert LatestRanking.objects.get().rule_met == state.met

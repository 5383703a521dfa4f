"""Every time that is stored is the database's: clocks of servers differ, and may be wrong."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import models

from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_change
from annotation.services.problem_reports import problem_reply, problem_report
from annotation.services.quality import (
    JudgeDecision,
    quality_action_revert,
    quality_action_take,
    quality_rule_switch_off,
    quality_rules_suggest,
)
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import InvitationRole
from campaign.services.instructions import instructions_accept, instructions_write
from campaign.services.invitations import invitation_create, invitation_revoke
from campaign.services.judges import conflict_declare
from ranking.services.runs import ranking_run_compute
from tests.at_work import lend
from tests.clocks import set_process_clock
from tests.factories import make_campaign, make_judge, make_organiser, make_task

OURS = ("campaign", "annotation", "ranking")


def test_no_field_takes_its_time_from_the_server() -> None:
    fields = [
        field
        for label in OURS
        for model in apps.get_app_config(label).get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.DateTimeField)
    ]
    assert len(fields) > 40
    for field in fields:
        assert not field.auto_now, str(field)
        assert not field.auto_now_add, str(field)
        assert not callable(field.default) or field.default is models.NOT_PROVIDED, str(
            field,
        )


@pytest.mark.django_db
@pytest.mark.parametrize("hours", [-30, 30])
def test_with_a_wrong_clock_all_that_is_stored_has_the_right_time(
    hours: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = datetime.now(UTC)
    set_process_clock(monkeypatch, ahead_by=timedelta(hours=hours))
    work()
    stored: dict[str, datetime] = {}
    for label in OURS:
        for model in apps.get_app_config(label).get_models():
            for field in model._meta.concrete_fields:
                if (
                    isinstance(field, models.DateTimeField)
                    and field.attname not in AHEAD
                ):
                    times = model._default_manager.exclude(**{field.attname: None})
                    for time in times.values_list(field.attname, flat=True):
                        stored[f"{model.__name__}.{field.attname}"] = time
    assert stored.keys() >= EXPECTED
    for name, time in stored.items():
        earliest = (
            begun - timedelta(minutes=10) - ROUNDED_DOWN_BY.get(name, timedelta())
        )
        assert earliest < time < begun + timedelta(minutes=10), name


# Begins of an interval: up to its length before what happened in it.
ROUNDED_DOWN_BY = {"WorkedQuarterHour.start": timedelta(minutes=15)}
# Set to a time in the future on purpose.
AHEAD = {
    "available_at",
    "expires_at",
    "expire_date",
    "reserved_until",
    "next_attempt_at",
}
EXPECTED = {
    "Judgment.submitted_at",
    "Skip.created_at",
    "ProblemReport.created_at",
    "ProblemReply.created_at",
    "Design.created_at",
    "Assignment.completed_at",
    "QualityRule.created_at",
    "QualityRule.switched_off_at",
    "QualityAction.created_at",
    "QualityAction.reverted_at",
    "Invitation.created_at",
    "Invitation.revoked_at",
    "Instructions.created_at",
    "Acceptance.accepted_at",
    "ConflictOfInterest.created_at",
    "Campaign.created_at",
    "Judge.created_at",
    "User.created_at",
    "Task.created_at",
    "RankingRun.started_at",
    "RankingRun.finished_at",
}


def work() -> None:
    """Let organisers and a judge do what leaves a time behind."""
    campaign = make_campaign()
    task = make_task(campaign)
    organiser = make_organiser(campaign)
    judge = make_judge(campaign)
    instructions = instructions_write(
        campaign=campaign,
        language="en",
        text="Read.",
        demands_acceptance=True,
        user=organiser,
    )
    instructions_accept(judge=judge, instructions=instructions)
    assert judge.user is not None
    invitation, _token = invitation_create(
        campaign=campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    invitation_revoke(invitation=invitation)
    assert invitation.revoked_at is not None
    design_change(task=task, changed_by=organiser, kind="balanced")
    first, second, third = assigned_blocks(lend(judge))
    report = problem_report(assigned=first, client_id=uuid4(), kind="source")
    problem_reply(report=report, user=organiser, text="Mended.", closes=True)
    skip_submit(assigned=first, client_id=uuid4(), reason="other")
    for block in (second, third):
        labels: list[int | None] = [
            min(rank, 5) for rank, _ in enumerate(block.candidates, 1)
        ]
        judgment = judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels, comment="so"),
        )
        assert judgment.submitted_at.tzinfo is not None
    ranking_run_compute(task_id=task.pk)
    rule, *_others = quality_rules_suggest(campaign=campaign, user=organiser)
    quality_rule_switch_off(rule=rule, user=organiser)
    action = quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="warn", user=organiser),
    )
    quality_action_revert(action=action, user=organiser)
    conflict_declare(judge=judge, system=task.test_set.systems.get(name="dune"))

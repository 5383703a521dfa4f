"""What a judge notices of warnings, pauses and exclusions."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import Judgment, QualityAction, QualityRule
from annotation.models.judge_measures import JudgeMeasure
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.lend import LendingRefusedError
from annotation.services.planning.pool import pool_fill
from annotation.services.quality import (
    JudgeDecision,
    judge_reinstate,
    quality_action_take,
)
from campaign.models import Judge, Task, User
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db
ASSIGNMENTS = "/api/v1/judging/assignments/"


@pytest.fixture
def task() -> Task:
    task = make_task(make_campaign())
    pool_fill(task_id=task.pk)
    return task


@pytest.fixture
def organiser(task: Task) -> User:
    return make_organiser(task.test_set.campaign)


def ask(client: Client) -> Any:
    return client.post(ASSIGNMENTS, {}, content_type="application/json")


def test_a_warned_judge_goes_on_and_reads_a_kind_word(
    judging: Client,
    judge: Judge,
    task: Task,
    organiser: User,
) -> None:
    assert ask(judging).json()["notice"] == ""
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="warn", user=organiser, note="SECRET"),
    )
    answer = ask(judging)
    assert answer.status_code == 200
    assert "take your time" in answer.json()["notice"]
    assert "SECRET" not in answer.content.decode()
    judge_reinstate(judge=judge, user=organiser)
    assert ask(judging).json()["notice"] == ""


@pytest.mark.parametrize(
    ("measure", "cause"),
    [
        (JudgeMeasure.PACE, "your pace"),
        (JudgeMeasure.SHOWN_ORDER, "follow a pattern"),
        (JudgeMeasure.DISAGREES, "differ from what they expected"),
        # Nothing tells a judge which texts were controls.
        (JudgeMeasure.BAD_REFERENCE, "differ from what they expected"),
    ],
)
def test_warning_by_a_rule_names_its_cause(
    judging: Client,
    judge: Judge,
    task: Task,
    measure: JudgeMeasure,
    cause: str,
) -> None:
    rule = QualityRule.objects.create(
        campaign=task.test_set.campaign,
        measure=measure,
        direction="above",
        threshold=0.5,
        minimum=1,
        action="warn",
    )
    QualityAction.objects.create(judge=judge, task=task, rule=rule, action="warn")
    assert cause in ask(judging).json()["notice"]


@pytest.mark.parametrize(
    ("action", "code"),
    [("pause", "paused"), ("exclude", "excluded")],
)
def test_stopped_judge_gets_no_work_and_the_reason(
    judging: Client,
    judge: Judge,
    task: Task,
    organiser: User,
    action: str,
    code: str,
) -> None:
    assert ask(judging).status_code == 200
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action=action, user=organiser),
    )
    answer = ask(judging)
    assert answer.status_code == 403
    assert answer.json()["code"] == code
    with pytest.raises(LendingRefusedError, match=code):
        assignment_lend(judge=judge)
    judge_reinstate(judge=judge, user=organiser)
    assert ask(judging).status_code == 200


def test_late_judgments_of_a_stopped_judge_are_kept(
    judging: Client,
    judge: Judge,
    task: Task,
    organiser: User,
) -> None:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    block = assigned_blocks(assignment)[0]
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="pause", user=organiser),
    )
    public_id = assignment.hit.blocks.get(pk=block.block_id).public_id
    answer = judging.put(
        f"/api/v1/judging/judgments/{uuid4()}/",
        {"block": public_id, "labels": [1] * len(block.candidates)},
        content_type="application/json",
    )
    assert answer.status_code == 200
    assert Judgment.objects.count() == 1
    assert QualityAction.objects.count() == 1

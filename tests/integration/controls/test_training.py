"""Training: before the first HIT, with feedback, once more for who was wrong, and never twice."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import (
    HIT,
    Assignment,
    Block,
    Exposure,
    HITPurpose,
    TrainingBlock,
)
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.training import (
    in_expected_order,
    training_failed,
    training_result,
)
from annotation.services.lending.work_requests import NoWorkReason, work_request
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.services.training import training_propose
from campaign.models import ConflictOfInterest, Judge, System, Task
from tests.at_work import assignment_lend
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    """Three training blocks of fourteen segments; the pool is filled."""
    task = make_task(make_campaign(), documents=(7, 7))
    damaged_references_approve(task)
    training_propose(task=task, count=3)
    pool_fill(task_id=task.pk)
    return task


def new_judge(task: Task, name: str = "judge01") -> Judge:
    judge = make_judge(task.test_set.campaign, name)
    pool_fill(task_id=task.pk)
    return judge


def judge_all(assignment: Assignment, *, rightly: bool) -> None:
    for assigned in assigned_blocks(assignment):
        judge_block(assigned, rightly=rightly)


def judge_two_of_three_rightly(assignment: Assignment) -> None:
    for place, assigned in enumerate(assigned_blocks(assignment)):
        judge_block(assigned, rightly=place != 1)


def judge_block(assigned: AssignedBlock, *, rightly: bool) -> None:
    expected = Block.objects.get(pk=assigned.block_id).expected
    right = [rank or 3 for rank in expected or [None] * len(assigned.candidates)]
    labels = right if rightly else [6 - label for label in right]
    judgment_submit(
        assigned=assigned,
        client_id=uuid4(),
        sent=SentJudgment(labels=labels),
    )


def lend(judge: Judge) -> HIT:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    return assignment.hit


def test_a_proposal_shows_the_reference_the_damage_and_two_outputs(task: Task) -> None:
    for block in TrainingBlock.objects.filter(task=task):
        shown = {
            candidate.output.system.kind: candidate.expected
            for candidate in block.candidates.select_related("output__system")
        }
        assert shown == {"reference": 1, "bad_reference": 5, "system": None}
        texts = [candidate.output.text for candidate in block.candidates.all()]
        assert len(set(texts)) == len(texts) == 4
        assert "damaged on purpose" in block.explanation


def test_training_brings_no_repeat_or_check_closer(task: Task) -> None:
    judge = new_judge(task)
    assert lend(judge).purpose == HITPurpose.TRAINING
    account = judge.accounts.get(task=task)
    assert account.hits_lent == 1
    assert (account.hits_since_repeat, account.hits_since_check) == (0, 0)


@pytest.mark.thorough
def test_training_comes_before_everything_else_and_once(task: Task) -> None:
    judge = new_judge(task)
    hit = lend(judge)
    assert hit.purpose == HITPurpose.TRAINING
    assert set(hit.blocks.values_list("control", flat=True)) == {"training"}
    assert lend(judge) == hit
    ahead = assignment_lend(judge=judge, after=Assignment.objects.get(hit=hit))
    assert ahead is None  # whether it is enough shows only when it is done
    judge_all(Assignment.objects.get(hit=hit), rightly=True)
    assert training_result(judge=judge, task_id=task.pk).agreeing == 3
    assert lend(judge).purpose == HITPurpose.FIRST
    pool_fill(task_id=task.pk)
    assert HIT.objects.filter(purpose=HITPurpose.TRAINING).count() == 1
    # The segments of the training are not shown to this judge again.
    trained = set(TrainingBlock.objects.values_list("segment_id", flat=True))
    first = HIT.objects.get(assignments__judge=judge, purpose=HITPurpose.FIRST)
    assert trained.isdisjoint(first.segment_ids)


@pytest.mark.thorough
def test_failed_training_is_repeated_once(task: Task) -> None:
    judge = new_judge(task)
    judge_all(Assignment.objects.get(hit=lend(judge)), rightly=False)
    assert assignment_lend(judge=judge) is None
    assert work_request(judge=judge).reason == NoWorkReason.PREPARING
    pool_fill(task_id=task.pk)
    again = lend(judge)
    assert again.purpose == HITPurpose.TRAINING
    assert again.why["round"] == 2
    assert Exposure.objects.filter(judge=judge, is_repeat=True).count() == 3
    judge_all(Assignment.objects.get(hit=again), rightly=False)
    assert lend(judge).purpose == HITPurpose.FIRST
    assert HIT.objects.filter(purpose=HITPurpose.TRAINING).count() == 2


@pytest.mark.thorough
def test_two_of_three_right_the_second_time_is_not_failing(task: Task) -> None:
    judge = new_judge(task)
    judge_all(Assignment.objects.get(hit=lend(judge)), rightly=False)
    work_request(judge=judge)
    pool_fill(task_id=task.pk)
    judge_two_of_three_rightly(Assignment.objects.get(hit=lend(judge)))
    assert not training_failed(judge=judge)


@pytest.mark.thorough
def test_active_judge_needs_no_training() -> None:
    task = make_task(make_campaign(), documents=(7, 7))
    pool_fill(task_id=task.pk)
    judge = make_judge(task.test_set.campaign)
    first = lend(judge)
    damaged_references_approve(task)
    training_propose(task=task, count=2)
    pool_fill(task_id=task.pk)
    judge_all(Assignment.objects.get(hit=first), rightly=True)
    assert lend(judge).purpose == HITPurpose.FIRST


def test_training_is_without_what_the_judge_must_not_see(task: Task) -> None:
    judge = new_judge(task)
    planned = HIT.objects.get(reserved_for=judge)
    shown = System.objects.filter(pk__in=planned.system_ids, kind="system").order_by(
        "pk",
    )
    own = shown[0]
    ConflictOfInterest.objects.create(judge=judge, system=own)
    assert assignment_lend(judge=judge) is None
    work_request(judge=judge)
    pool_fill(task_id=task.pk)
    hit = lend(judge)
    assert hit.purpose == HITPurpose.TRAINING
    assert own.pk not in hit.system_ids


@pytest.mark.thorough
def test_the_answer_to_a_training_judgment_says_what_was_expected(
    task: Task,
    client: Client,
) -> None:
    judge = new_judge(task)
    assert judge.user is not None
    client.force_login(judge.user)
    answer = client.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    blocks = answer.json()["blocks"]

    def submit(block: dict[str, Any], labels: list[int]) -> Any:
        return client.put(
            f"/api/v1/judging/judgments/{uuid4()}/",
            {"block": block["id"], "labels": labels},
            content_type="application/json",
        ).json()["feedback"]

    block = Block.objects.get(public_id=blocks[0]["id"])
    assert block.expected is not None
    best, worst = block.expected.index(1), block.expected.index(5)
    letters = "ABCD"
    feedback = submit(blocks[0], [rank or 3 for rank in block.expected])
    assert feedback == {
        "agrees": True,
        "expected": f"{letters[best]} > {letters[worst]}",
        "explanation": block.explanation,
    }
    assert submit(blocks[0], [1, 1, 1, 1])["agrees"] is False
    judge_all(Assignment.objects.get(judge=judge), rightly=True)
    answer = client.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    ordinary = answer.json()["blocks"][0]
    assert submit(ordinary, [1] * len(ordinary["candidates"])) is None


@pytest.mark.parametrize(
    ("labels", "expected", "agrees"),
    [
        ([1, 2], [1, 5], True),
        ([2, 2], [1, 5], False),
        ([3, 1, 2], [5, 1, None], True),
        ([1, 2, 3], [None, None, None], True),
        ([None, 2], [1, 5], False),
        ([2, 1, 3], [1, 1, 5], True),
    ],
)
def test_only_the_expected_order_is_expected(
    labels: list[int | None],
    expected: list[int | None],
    agrees: bool,
) -> None:
    assert in_expected_order(labels, expected) is agrees

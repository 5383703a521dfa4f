"""An edit is shown to a third acceptor only where the two before disagree."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from annotation.models import HIT
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.services.tasks import task_rules_change
from campaign.models import Judge, Protocol, Task
from protocols.editing.files import LINES
from tests.at_work import assignment_lend, lend
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    task = make_task_of(Protocol.EDITING, rules={"third_acceptor": True})
    HIT.objects.filter(task=task, repeats__isnull=False).delete()
    HIT.objects.filter(task=task).delete()
    design_change(task=task, redundancy=4)
    hits_plan(task_id=task.pk, count=4)
    return task


def judge_of(task: Task, name: str) -> Judge:
    return make_judge(task.test_set.campaign, name)


def said(judge: Judge, *answers: dict[str, Any]) -> HIT:
    assignment = lend(judge)
    for block, answer in zip(assigned_blocks(assignment), answers, strict=True):
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"text": "", **answer}),
        )
    return assignment.hit


def accepts(judge: Judge, *answers: bool) -> HIT:
    assignment = lend(judge)
    for block, answer in zip(assigned_blocks(assignment), answers, strict=True):
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"acceptable": answer}),
        )
    return assignment.hit


def edited(task: Task) -> HIT:
    """Have the first HIT edited; its third block could not be."""
    first = said(
        judge_of(task, "editor"),
        {"outcome": "edited", "text": "It reads well now."},
        {"outcome": "unchanged"},
        {"outcome": "unable"},
    )
    pool_fill(task_id=task.pk, size=0)
    return first


def repeats_of(first: HIT) -> list[HIT]:
    return list(HIT.objects.filter(repeats=first).order_by("number"))


@pytest.mark.thorough
def test_third_acceptor_is_not_asked_if_two_agree(task: Task) -> None:
    first = edited(task)
    assert len(repeats_of(first)) == 3
    mine = [
        accepts(judge_of(task, name), True, False, answer)
        for name, answer in (("ada", True), ("ben", False))
    ]
    assert {hit.repeats_id for hit in mine} == {first.pk}
    third = repeats_of(first)[-1]
    # Not yet: the planner has not looked.
    assert assignment_lend(judge=judge_of(task, "early")) is None
    pool_fill(task_id=task.pk, size=0)
    third.refresh_from_db()
    assert third.withdrawn_at is not None
    judgments_number(task_id=task.pk)
    edits = LINES.stored(task=task, watermark=9)
    # They may differ on outputs that could not be corrected: these do not count.
    assert [[answer for _judge, answer in edit.acceptances] for edit in edits] == [
        [True, True],
        [False, False],
        [True, False],
    ]


@pytest.mark.thorough
def test_third_acceptor_decides_if_two_disagree(task: Task) -> None:
    first = edited(task)
    accepts(judge_of(task, "ada"), True, True, False)
    third = repeats_of(first)[-1]
    pool_fill(task_id=task.pk, size=0)
    third.refresh_from_db()
    assert not third.completed_at
    assert third not in HIT.objects.filter(task=task).available()
    accepts(judge_of(task, "ben"), True, False, False)
    pool_fill(task_id=task.pk, size=0)
    assert third in HIT.objects.filter(task=task).available()
    decides = accepts(judge_of(task, "cleo"), True, False, False)
    assert decides == third
    judgments_number(task_id=task.pk)
    edits = LINES.stored(task=task, watermark=99)
    assert [edit.votes for edit in edits if edit.acceptances] == [
        (True, True, True),
        (True, False, False),
        (),
    ]


def test_without_the_rule_all_are_asked_at_once(make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.EDITING)
    first = edited(task)
    available = set(HIT.objects.filter(task=task).available())
    assert set(repeats_of(first)) <= available
    with pytest.raises(ValidationError, match="third_acceptor must be true or false"):
        task_rules_change(task=task, rules={"third_acceptor": 1})


def test_one_acceptor_alone_is_never_held_back(make_task_of: MakeTask) -> None:
    """With three judges per block, the last acceptor has no earlier ones who could disagree."""
    task = make_task_of(Protocol.EDITING, rules={"third_acceptor": True})
    first = edited(task)
    assert set(repeats_of(first)) <= set(HIT.objects.filter(task=task).available())

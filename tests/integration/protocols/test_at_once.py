"""Simultaneous answers: one id of several judges, and an edit that changes while a judge is asked about it."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from annotation.models import Assignment, Judgment
from annotation.protocols.answer_kinds import Stage, stages_of
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Protocol
from launcher.data_directory import wait_until
from protocols.models import TwoOutputsAnswer
from tests.at_work import assignment_lend, lend
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.locks import one_before_the_other

JUDGES = 4


@pytest.mark.django_db(transaction=True)
def test_one_id_of_many_judges_is_stored_once(make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS)
    judges = [
        make_judge(task.test_set.campaign, f"judge{number}") for number in range(JUDGES)
    ]
    held = [assigned_blocks(lend(judge)) for judge in judges]
    ids = [uuid4() for _block in held[0]]
    together = Barrier(JUDGES)

    def work(mine: list[AssignedBlock]) -> list[str]:
        outcomes = []
        try:
            for assigned, client_id in zip(mine, ids, strict=True):
                together.wait(timeout=60)
                try:
                    judgment_submit(
                        assigned=assigned,
                        client_id=client_id,
                        sent=SentJudgment(answer={"verdict": "first"}),
                    )
                    outcomes.append("stored")
                except SubmissionRefusedError as error:
                    outcomes.append(error.message)
        finally:
            connection.close()
        return outcomes

    with ThreadPoolExecutor(JUDGES) as pool:
        outcomes = list(pool.map(work, held))
    refused = "This submission's id belongs to another judge."
    for of_round in zip(*outcomes, strict=True):
        assert Counter(of_round) == {"stored": 1, refused: JUDGES - 1}
    assert set(Judgment.objects.values_list("client_id", flat=True)) == set(ids)
    assert (
        TwoOutputsAnswer.objects.count()
        == len(ids)
        == judgments_number(task_id=task.pk)
    )


def lent_at_last(judge: Judge) -> Assignment:
    """Lend a HIT, asking again as pages do while others hold the available HITs."""
    lent: list[Assignment] = []

    def is_lent() -> bool:
        lent.extend(filter(None, [assignment_lend(judge=judge)]))
        return bool(lent)

    assert wait_until(is_lent, seconds=30)
    return lent[0]


@pytest.mark.django_db(transaction=True)
def test_edits_under_review_stay_in_a_race(make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.EDITING)
    hits_plan(task_id=task.pk, count=3)
    campaign = task.test_set.campaign
    first = {"outcome": "edited", "text": "As it was."}
    edited = [
        assigned_blocks(lend(make_judge(campaign, f"editor{n}"))) for n in range(3)
    ]
    for block in (each for blocks in edited for each in blocks):
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer=first),
        )
    pool_fill(task_id=task.pk, size=1)
    acceptors = [make_judge(campaign, f"acceptor{n}") for n in range(3)]
    together = Barrier(2 * len(edited))
    shown: dict[int, Stage] = {}
    asked: dict[int, list[int]] = {}
    refusals: set[str] = set()

    def revise(blocks: list[AssignedBlock]) -> None:
        try:
            together.wait(timeout=60)
            for block in blocks:
                answer = {"outcome": "edited", "text": f"Another {block.block_id}."}
                try:
                    judgment_submit(
                        assigned=block,
                        client_id=uuid4(),
                        sent=SentJudgment(answer=answer),
                    )
                except SubmissionRefusedError as error:
                    refusals.add(error.message)
        finally:
            connection.close()

    def ask(judge: Judge) -> None:
        try:
            together.wait(timeout=60)
            ids = [block.block_id for block in assigned_blocks(lent_at_last(judge))]
            asked[judge.pk] = ids
            shown.update(stages_of("editing", ids, judge.pk))
        finally:
            connection.close()

    with ThreadPoolExecutor(2 * len(edited)) as pool:
        waiting = [pool.submit(revise, blocks) for blocks in edited]
        waiting += [pool.submit(ask, judge) for judge in acceptors]
        for each in waiting:
            each.result()
    again: dict[int, Stage] = {}
    for judge_id, ids in asked.items():
        again.update(stages_of("editing", ids, judge_id))
    assert again == shown
    assert all("can no longer be changed" in message for message in refusals)


@pytest.mark.django_db(transaction=True)
def test_an_edit_that_is_being_lent_is_changed_no_more(make_task_of: MakeTask) -> None:
    """The editor waits for the loan and is told that others are asked about the edit."""
    task = make_task_of(Protocol.EDITING)
    hits_plan(task_id=task.pk, count=1)
    campaign = task.test_set.campaign
    blocks = assigned_blocks(lend(make_judge(campaign, "editor")))
    answer = {"outcome": "edited", "text": "As it was."}
    for block in blocks:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer=answer),
        )
    pool_fill(task_id=task.pk, size=1)
    acceptor = make_judge(campaign, "acceptor")

    def change() -> None:
        changed = {"outcome": "edited", "text": "Another."}
        judgment_submit(
            assigned=blocks[0],
            client_id=uuid4(),
            sent=SentJudgment(answer=changed),
        )

    with pytest.raises(SubmissionRefusedError, match="can no longer be changed"):
        one_before_the_other(lambda: lend(acceptor), change)
    assert Judgment.objects.count() == len(blocks)

"""A skip is in the list of a judge's own work with its reason, and ranking its block takes it back."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import HIT, Assignment, Judgment, Skip
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.progress import judge_work
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Judge, Task
from ranking.selectors.dashboards import judging_progress, latest_feedback
from tests.at_work import judge_all_of, lend, repeat_is_due
from tests.exporting import exported_rows
from tests.factories import make_campaign, make_judge, make_long_task, make_task

pytestmark = pytest.mark.django_db
HISTORY = "/api/v1/judging/judgments/"


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(9, 9, 9), identical=())


def signed_in(judge: Judge) -> Client:
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    return client


def listed(judge: Judge) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (
        signed_in(judge).get(f"{HISTORY}?page_size=50").json()["results"]
    )
    return rows


def skip(block: AssignedBlock, reason: str = "cannot_judge", comment: str = "") -> Skip:
    return skip_submit(
        assigned=block,
        client_id=uuid4(),
        reason=reason,
        comment=comment,
    )


def rank(block: AssignedBlock) -> Judgment:
    labels = [1 + place % 5 for place in range(len(block.candidates))]
    return judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(labels=labels),
    )


def skip_all_of(assignment: Assignment) -> None:
    for block in assigned_blocks(assignment):
        skip(block)


@pytest.mark.thorough
def test_skips_are_listed_with_their_reasons_among_the_judgments(judge: Judge) -> None:
    first, second, third = assigned_blocks(lend(judge))
    skip(first, "bad_source")
    rank(second)
    skip(third, "other")
    rows = listed(judge)
    assert [row["block"]["id"] for row in rows] == [
        str(block.public_id) for block in (third, second, first)
    ]
    said = [(row["block"]["state"], row["block"]["skip_reason"]) for row in rows]
    assert said == [("skipped", "other"), ("judged", None), ("skipped", "bad_source")]
    assert [row["block"]["judgment"] is None for row in rows] == [True, False, True]
    assert [(row["position"], row["total"]) for row in rows] == [(3, 3), (2, 3), (1, 3)]
    assert rows[0].keys() == rows[1].keys()
    assert rows[0]["block"].keys() == rows[1]["block"].keys()


def test_undone_skip_is_kept_and_counted_once(judge: Judge, task: Task) -> None:
    held = lend(judge)
    block, *others = assigned_blocks(held)
    for other in others:
        rank(other)
    skip(block, "other", comment="by mistake")
    held.refresh_from_db()
    closed_at = held.completed_at
    before = judge_work(judge), judge.accounts.get().blocks_closed
    judgments_number(task_id=task.pk)
    assert judging_progress(task=task).skipped == 1
    assert [entry.comment for entry in latest_feedback(task).comments] == ["by mistake"]
    judgment = rank(block)
    assert judgment.supersedes is None
    assert list(Skip.objects.values_list("reason", "comment")) == [
        ("other", "by mistake"),
    ]
    assert not Skip.objects.standing().exists()
    assert judgments_number(task_id=task.pk) == 3
    held.refresh_from_db()
    assert held.completed_at == closed_at
    after = judge_work(judge), judge.accounts.get().blocks_closed
    assert (after[0].blocks_done, after[0].blocks_held, after[1]) == (
        before[0].blocks_done,
        before[0].blocks_held,
        before[1],
    )
    progress = judging_progress(task=task)
    assert (progress.judged, progress.skipped) == (3, 0)
    assert latest_feedback(task).comments == []
    assert all(any(row.labels) for row in exported_rows(task))


def test_a_skip_that_arrives_after_its_ranking_takes_nothing_back(judge: Judge) -> None:
    """Two tabs or devices at once: the ranking stands, whichever came first, and the other is told."""
    block, *_others = assigned_blocks(lend(judge))
    rank(block)
    with pytest.raises(SubmissionRefusedError):
        skip(block)
    assert not Skip.objects.standing().exists()
    assert [row["block"]["state"] for row in listed(judge)] == ["judged"]


def test_skip_does_not_reveal_a_check(judge: Judge) -> None:
    hit = lend(judge).hit
    skip_all_of(Assignment.objects.get(hit=hit))
    plain = listed(judge)
    hit.blocks.filter(position=2).update(control="attention", expected=[1, 2, 3, 4, 5])
    assert listed(judge) == plain
    # Practice was explained, and is not in the list.
    hit.blocks.filter(position=1).update(control="training", expected=[1, 2, 3, 4, 5])
    assert [row["position"] for row in listed(judge)] == [3, 2]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["intra", "first"])
def test_skips_are_listed_as_far_back_whether_a_repeat_is_in_hand_or_not(
    kind: str,
) -> None:
    task = make_long_task(make_campaign(kind), segments=60, systems=3)
    design_change(task=task, intra_share=0.5, repeat_gap=3)
    judge = make_judge(task.test_set.campaign, kind)
    for _hit in range(5):
        pool_fill(task_id=task.pk, size=8)
        first, *others = assigned_blocks(lend(judge))
        skip(first)
        for block in others:
            rank(block)
        repeat_is_due(judge, is_due=False)
    assert len(listed(judge)) == 15
    repeat_is_due(judge)
    pool_fill(task_id=task.pk, size=8)
    if kind == "first":
        HIT.objects.incomplete().filter(purpose="intra").update(
            reserved_for=make_judge(task.test_set.campaign, "other"),
        )
    sixth = lend(judge)
    assert (sixth.hit.purpose, sixth.ordinal) == (kind, 6)
    answer = signed_in(judge).get(f"{HISTORY}?page_size=50").json()
    ordinals = {str(each.public_id): each.ordinal for each in judge.assignments.all()}
    states = [
        (ordinals[row["assignment"]], row["block"]["state"])
        for row in answer["results"]
    ]
    assert sorted(states) == sorted(
        (ordinal, state)
        for ordinal in (3, 4, 5)
        for state in ("judged", "judged", "skipped")
    )
    assert answer["has_older"] is True
    judge_all_of(sixth)
    assert signed_in(judge).get(HISTORY).json()["has_older"] is False
    assert len(listed(judge)) == 18

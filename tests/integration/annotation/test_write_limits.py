"""What a judge may write is bounded; what was accepted stays, and repeats are answered as before."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now
from django.test import Client

from annotation.models import Judgment, ProblemReport, Skip
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.services import submission
from annotation.services.planning.pool import hits_plan
from annotation.services.problem_reports import problem_report
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Judge
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> Judge:
    task = make_task(make_campaign(blocks_per_judge=10))
    hits_plan(task_id=task.pk, count=4)
    return make_judge(task.test_set.campaign)


@pytest.fixture
def blocks(judge: Judge) -> list[AssignedBlock]:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    return assigned_blocks(assignment)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of a kind are the most."""
    names = (
        "REVISIONS_A_BLOCK",
        "REVISIONS_A_MINUTE",
        "SKIPS_A_MINUTE",
        "REPORTS_A_MINUTE",
    )
    for name in names:
        monkeypatch.setattr(submission, name, 3)


def ranks(block: AssignedBlock) -> list[int | None]:
    return list(range(1, len(block.candidates) + 1))


def judged(block: AssignedBlock, comment: str = "") -> Judgment:
    return judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(block), comment=comment),
    )


def judged_ago(block: AssignedBlock, minutes: int, *, comment: str = "") -> Judgment:
    """As if it had been judged so long ago."""
    mine = Judgment.objects.filter(block=block.block_id, judge=block.judge_id)
    return Judgment.objects.create(
        task_id=block.task_id,
        client_id=uuid4(),
        judge_id=block.judge_id,
        block_id=block.block_id,
        assignment_id=block.assignment_id,
        labels=ranks(block),
        comment=comment,
        supersedes=mine.order_by("pk").last(),
        submitted_at=Now() - timedelta(minutes=minutes),
    )


@pytest.mark.usefixtures("few")
def test_a_ranking_is_changed_so_often_and_no_more(blocks: list[AssignedBlock]) -> None:
    stored = [judged_ago(blocks[0], 5) for _ in range(4)]  # however slowly
    with pytest.raises(
        SubmissionRefusedError,
        match="changed this answer 3 times",
    ) as refused:
        judged(blocks[0])
    assert refused.value.stored == stored[-1]
    assert refused.value.retry_after is None
    assert list(Judgment.objects.order_by("pk")) == stored
    assert judged(blocks[1]).supersedes is None


@pytest.mark.usefixtures("few")
def test_a_judge_changes_so_many_rankings_a_minute(
    blocks: list[AssignedBlock],
) -> None:
    for block in blocks[:2]:
        judged(block)
    for _ in range(2):
        judged(blocks[0])
    judged(blocks[1])
    with pytest.raises(SubmissionRefusedError, match="Too many requests") as refused:
        judged(blocks[1])
    assert refused.value.retry_after == 30
    assert judged(blocks[2]).supersedes is None, "a first judgment has no such limit"
    assert Judgment.objects.count() == 6


@pytest.mark.usefixtures("few")
def test_the_limit_of_a_minute_passes_with_it(blocks: list[AssignedBlock]) -> None:
    for block in blocks[:3]:
        judged_ago(block, 2)
        judged_ago(block, 2)
    assert judged(blocks[0]).supersedes is not None


@pytest.mark.usefixtures("few")
def test_a_repeat_is_answered_whatever_the_limits(blocks: list[AssignedBlock]) -> None:
    stored = [judged(blocks[0]) for _ in range(4)]
    for each in stored:
        again = judgment_submit(
            assigned=blocks[0],
            client_id=each.client_id,
            sent=SentJudgment(labels=ranks(blocks[0])),
        )
        assert again == each


@pytest.mark.usefixtures("few")
def test_skips_and_reports_have_limits_a_minute(blocks: list[AssignedBlock]) -> None:
    ids = [uuid4() for _ in range(3)]
    for client_id, block in zip(ids, blocks, strict=False):
        skip_submit(assigned=block, client_id=client_id, reason="other")
        problem_report(assigned=block, client_id=client_id, kind="source")
    assert (
        skip_submit(assigned=blocks[0], client_id=ids[0], reason="other").client_id
        == ids[0]
    )
    with pytest.raises(SubmissionRefusedError, match="Too many requests"):
        skip_submit(assigned=blocks[0], client_id=uuid4(), reason="other")
    with pytest.raises(SubmissionRefusedError, match="Too many requests"):
        problem_report(assigned=blocks[0], client_id=uuid4(), kind="page")
    assert (
        problem_report(assigned=blocks[0], client_id=ids[0], kind="source").client_id
        == ids[0]
    )
    assert (Skip.objects.count(), ProblemReport.objects.count()) == (3, 3)


def test_comments_of_a_day_have_a_length_together(
    blocks: list[AssignedBlock],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(submission, "COMMENT_BYTES_A_DAY", 30)
    judged(blocks[0], comment="ten bytes.")
    skip_submit(
        assigned=blocks[1],
        client_id=uuid4(),
        reason="other",
        comment="ten bytes.",
    )
    problem_report(assigned=blocks[0], client_id=uuid4(), kind="other", comment="ñ" * 4)
    with pytest.raises(SubmissionRefusedError, match="without a comment") as refused:
        judged(blocks[2], comment="123")
    assert (refused.value.retry_after, refused.value.stored) == (None, None)
    with pytest.raises(SubmissionRefusedError, match="without a comment"):
        problem_report(
            assigned=blocks[0],
            client_id=uuid4(),
            kind="other",
            comment="123",
        )
    assert judged(blocks[2], comment="12").comment == "12"
    assert judged(blocks[2]).comment == ""


def test_comments_of_the_day_before_count_no_more(
    blocks: list[AssignedBlock],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(submission, "COMMENT_BYTES_A_DAY", 10)
    judged_ago(blocks[0], 24 * 60 + 1, comment="ten bytes.")
    assert judged(blocks[1], comment="ten bytes.").comment


@pytest.mark.usefixtures("few")
def test_the_api_says_when_to_come_back_or_what_counts(
    judge: Judge,
    blocks: list[AssignedBlock],
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert judge.user is not None
    client.force_login(judge.user)

    def put(labels: list[int | None]) -> Any:
        return client.put(
            f"/api/v1/judging/judgments/{uuid4()}/",
            json.dumps({"block": str(blocks[0].public_id), "labels": labels}),
            content_type="application/json",
        )

    stored = [put(ranks(blocks[0])) for _ in range(4)]
    assert {answer.status_code for answer in stored} == {200}
    answer = put(ranks(blocks[0])[::-1])
    assert answer.status_code == 400
    assert answer.json()["stored"] == {
        "id": stored[-1].json()["id"],
        "labels": ranks(blocks[0]),
        "answer": None,
        "comment": "",
    }
    monkeypatch.setattr(submission, "REVISIONS_A_BLOCK", 99)
    answer = put(ranks(blocks[0])[::-1])
    assert (answer.status_code, answer["Retry-After"]) == (429, "30")
    assert answer.json()["retry_after"] == 30

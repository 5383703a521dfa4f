"""Nothing is lost and nothing doubled."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from annotation.models import (
    HIT,
    Assignment,
    Judgment,
    JudgmentNumber,
    PageChanges,
    Skip,
)
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.progress import judge_work
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import hits_plan
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


def ranks(block: AssignedBlock) -> list[int | None]:
    return list(range(1, len(block.candidates) + 1))


def test_the_same_id_twice_is_one_judgment_and_the_first_stays(
    blocks: list[AssignedBlock],
) -> None:
    client_id = uuid4()
    first = judgment_submit(
        assigned=blocks[0],
        client_id=client_id,
        sent=SentJudgment(labels=ranks(blocks[0])),
    )
    again = judgment_submit(
        assigned=blocks[0],
        client_id=client_id,
        sent=SentJudgment(labels=ranks(blocks[0])[::-1]),
    )
    assert again.pk == first.pk
    assert Judgment.objects.get().labels == ranks(blocks[0])
    assert PageChanges.objects.get().ranking_requested_at is not None


def test_a_new_id_for_the_same_block_supersedes(blocks: list[AssignedBlock]) -> None:
    first = judgment_submit(
        assigned=blocks[0],
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(blocks[0])),
    )
    second = judgment_submit(
        assigned=blocks[0],
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(blocks[0])[::-1]),
    )
    assert second.supersedes_id == first.pk
    assert judgments_number(task_id=first.task_id) == 2
    assert Judgment.objects.current().get() == second
    assert Judgment.objects.current(watermark=1).get() == first
    third = judgment_submit(
        assigned=blocks[0],
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(blocks[0])),
    )
    assert third.supersedes_id == second.pk


def test_second_device_gets_a_conflict_for_a_judged_block(
    blocks: list[AssignedBlock],
) -> None:
    """A page that knows of no judgment replaces none; see also `test_places.py` of the browser."""
    block, first_id = blocks[0], uuid4()
    stored = judgment_submit(
        assigned=block,
        client_id=first_id,
        sent=SentJudgment(labels=ranks(block), replaces=None),
    )
    for replaces in (None, uuid4()):
        with pytest.raises(SubmissionRefusedError) as refused:
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(labels=ranks(block)[::-1], replaces=replaces),
            )
        assert refused.value.is_conflict
        assert refused.value.stored == stored
    with pytest.raises(SubmissionRefusedError) as refused:
        skip_submit(assigned=block, client_id=uuid4(), reason="other")
    assert refused.value.is_conflict
    assert not Skip.objects.exists()
    # Sent again, and changed on purpose.
    again = judgment_submit(
        assigned=block,
        client_id=first_id,
        sent=SentJudgment(labels=ranks(block), replaces=None),
    )
    assert again == stored
    changed = judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(block)[::-1], replaces=first_id),
    )
    assert changed.supersedes_id == stored.pk


def test_judgment_takes_skip_of_another_device_back(
    blocks: list[AssignedBlock],
) -> None:
    block = blocks[0]
    skip_submit(assigned=block, client_id=uuid4(), reason="other")
    judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(block), replaces=None),
    )
    assert not Skip.objects.standing().exists()


def test_numbers_have_no_gaps_even_after_a_refusal(blocks: list[AssignedBlock]) -> None:
    judgment_submit(
        assigned=blocks[0],
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(blocks[0])),
    )
    with pytest.raises(SubmissionRefusedError):
        judgment_submit(
            assigned=blocks[1],
            client_id=uuid4(),
            sent=SentJudgment(labels=[1]),
        )
    judgment_submit(
        assigned=blocks[1],
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(blocks[1])),
    )
    assert judgments_number(task_id=blocks[0].task_id) == 2
    numbers = JudgmentNumber.objects.order_by("judgment").values_list(
        "number",
        flat=True,
    )
    assert list(numbers) == [1, 2]


def test_answer_of_another_protocol_or_impossible_time_is_refused(
    blocks: list[AssignedBlock],
) -> None:
    """Which labels are refused: tests/unit/protocols/test_answers.py."""
    block, labels = blocks[0], ranks(blocks[0])
    refused: list[dict[str, Any]] = [
        {"labels": [None, *labels[1:]]},
        {"labels": None},
        {"labels": labels, "answer": {"verdict": "same"}},
        {"labels": labels, "duration_ms": 1000, "active_ms": 1001},
    ]
    for said in refused:
        with pytest.raises(SubmissionRefusedError):
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(**said),
            )
    verdicts = replace(block, protocol="two_outputs", candidate_count=2)
    refused = [{}, {"answer": {"verdict": "first"}, "labels": [1, 2]}]
    for said in refused:
        with pytest.raises(SubmissionRefusedError) as error:
            judgment_submit(
                assigned=verdicts,
                client_id=uuid4(),
                sent=SentJudgment(**said),
            )
        assert error.value.field == "answer"
    with pytest.raises(SubmissionRefusedError):
        skip_submit(
            assigned=block,
            client_id=uuid4(),
            reason="other",
            duration_ms=9,
            active_ms=10,
        )
    assert not Judgment.objects.exists()
    assert not Skip.objects.exists()
    for times in ((1000, 1000), (None, 5), (5, None)):
        duration_ms, active_ms = times
        stored = judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(
                labels=labels,
                duration_ms=duration_ms,
                active_ms=active_ms,
            ),
        )
        assert (stored.duration_ms, stored.active_ms) == times


def test_skip_keeps_its_reason_and_comment(blocks: list[AssignedBlock]) -> None:
    skip = skip_submit(
        assigned=blocks[1],
        client_id=uuid4(),
        reason="other",
        duration_ms=9,
        active_ms=9,
        comment="unreadable",
    )
    skip.refresh_from_db()
    assert (skip.duration_ms, skip.active_ms, skip.comment) == (9, 9, "unreadable")
    assert (skip.block_id, skip.assignment_id) == (
        blocks[1].block_id,
        blocks[1].assignment_id,
    )


def test_another_judges_submission_id_is_refused(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    client_id = uuid4()
    judgment_submit(
        assigned=blocks[0],
        client_id=client_id,
        sent=SentJudgment(labels=ranks(blocks[0])),
    )
    other = assignment_lend(judge=make_judge(judge.campaign, "judge02"))
    assert other is not None
    theirs = assigned_blocks(other)[0]
    with pytest.raises(SubmissionRefusedError, match="another judge"):
        judgment_submit(
            assigned=theirs,
            client_id=client_id,
            sent=SentJudgment(labels=ranks(theirs)),
        )


def test_another_judges_skip_id_is_refused(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    client_id = uuid4()
    skip_submit(
        assigned=blocks[0],
        client_id=client_id,
        reason="other",
        comment="for organisers",
    )
    other = assignment_lend(judge=make_judge(judge.campaign, "judge02"))
    assert other is not None
    theirs = assigned_blocks(other)[0]
    with pytest.raises(SubmissionRefusedError, match="another judge"):
        skip_submit(assigned=theirs, client_id=client_id, reason="bad_source")
    assert Skip.objects.get().judge == judge


def test_a_hit_is_done_when_every_block_is_judged_or_skipped(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    *judged, skipped = blocks
    for block in judged:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=ranks(block)),
        )
    assert HIT.objects.filter(completed_at__isnull=False).count() == 0
    skip_submit(assigned=skipped, client_id=uuid4(), reason="cannot_judge")
    assert HIT.objects.filter(completed_at__isnull=False).count() == 1
    assert Assignment.objects.get().completed_at is not None
    assert judge_work(judge).blocks_done == len(blocks)


def test_a_second_skip_of_a_block_is_the_first(blocks: list[AssignedBlock]) -> None:
    first = skip_submit(assigned=blocks[0], client_id=uuid4(), reason="bad_source")
    again = skip_submit(assigned=blocks[0], client_id=uuid4(), reason="other")
    assert again == first

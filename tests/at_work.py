"""Judge HITs through the services that browsers use."""

from datetime import timedelta
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending import lend as lending
from annotation.services.numbers import judgments_number
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge


def assignment_lend(
    *,
    judge: Judge,
    after: Assignment | None = None,
) -> Assignment | None:
    """Return the judge's current assignment or lend one; None if there is no HIT for them."""
    lent = lending.assignment_lend(
        judge=judge,
        after=None if after is None else after.public_id,
    )
    return None if lent is None else lent.assignment


def lend(judge: Judge, after: Assignment | None = None) -> Assignment:
    """Lend a HIT to this judge, or fail."""
    assignment = assignment_lend(judge=judge, after=after)
    assert assignment is not None
    return assignment


def judge_all_of(assignment: Assignment) -> None:
    """Rank all its blocks in display order; the worker numbers the judgments."""
    for block in assigned_blocks(assignment):
        labels = [min(rank, 5) for rank in range(1, len(block.candidates) + 1)]
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels),
        )
    judgments_number(task_id=assignment.hit.task_id)


def repeat_is_due(judge: Judge, *, is_due: bool = True) -> None:
    """Make the next HIT a repeat of the judge's own, or not, instead of by chance."""
    judge.accounts.update(hits_since_repeat=10_000 if is_due else 0)


def judge_one_hit(judge: Judge) -> Assignment | None:
    """Request a HIT and judge it; None if there was none."""
    assignment = assignment_lend(judge=judge)
    if assignment is not None:
        judge_all_of(assignment)
    return assignment


def expire(assignment: Assignment) -> None:
    """Expire the lease an hour ago."""
    end = timezone.now() - timedelta(hours=1)
    Assignment.objects.filter(pk=assignment.pk).update(
        lease=DateTimeTZRange(end - timedelta(hours=1), end),
    )
    HIT.objects.filter(pk=assignment.hit_id).update(available_at=end)

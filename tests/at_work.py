"""Judges at work, through the services people's browsers use."""

from datetime import timedelta
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending import lend as lending
from annotation.services.numbers import judgments_number
from annotation.services.submission import judgment_submit
from campaign.models import Judge


def assignment_lend(*, judge: Judge, after: Assignment | None = None) -> Assignment | None:
    """What the judge holds or is lent now; None where there is nothing for them."""
    lent = lending.assignment_lend(judge=judge, after=None if after is None else after.public_id)
    return None if lent is None else lent.assignment


def lend(judge: Judge, after: Assignment | None = None) -> Assignment:
    """A HIT for this judge; there must be one."""
    assignment = assignment_lend(judge=judge, after=after)
    assert assignment is not None
    return assignment


def judge_all_of(assignment: Assignment) -> None:
    """Rank every block of it in shown order; the worker gives the judgments their numbers."""
    for block in assigned_blocks(assignment):
        labels = [min(rank, 5) for rank in range(1, len(block.candidates) + 1)]
        judgment_submit(assigned=block, client_id=uuid4(), labels=labels)
    judgments_number(task_id=assignment.hit.task_id)


def repeat_is_due(judge: Judge, *, is_due: bool = True) -> None:
    """Let the next HIT be a repeat of one of theirs, or let it be none: otherwise chance decides."""
    judge.accounts.update(hits_since_repeat=10_000 if is_due else 0)


def judge_one_hit(judge: Judge) -> Assignment | None:
    """Ask for a HIT and judge it; None where there was none."""
    assignment = assignment_lend(judge=judge)
    if assignment is not None:
        judge_all_of(assignment)
    return assignment


def expire(assignment: Assignment) -> None:
    """Let the lease have run out an hour ago."""
    end = timezone.now() - timedelta(hours=1)
    Assignment.objects.filter(pk=assignment.pk).update(
        lease=DateTimeTZRange(end - timedelta(hours=1), end)
    )
    HIT.objects.filter(pk=assignment.hit_id).update(available_at=end)

"""Takes in what judges say. Nothing is lost and nothing doubled, whatever comes twice."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import HIT, Assignment, Block, Judgment, JudgmentSequence, Skip
from annotation.notification import ranking_due
from annotation.selectors import AssignedBlock


class SubmissionRefusedError(Exception):
    """The labels break the campaign's rules. `missing` names candidates without a label."""

    def __init__(self, message: str, *, missing: Sequence[UUID] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.missing = tuple(missing)


@transaction.atomic
def judgment_submit(
    *,
    assigned: AssignedBlock,
    client_id: UUID,
    labels: Sequence[int | None],
    duration_ms: int | None = None,
    active_ms: int | None = None,
    comment: str = "",
) -> Judgment:
    """Store one judgment; a judge's further judgment of the same block supersedes the last.

    `labels` are aligned with the candidates: 1 best … 5 worst, None for blank.
    The same `client_id` again changes nothing and returns what is stored. A
    judgment that comes after its lease ran out is kept. Raises
    `SubmissionRefusedError` where the campaign's rules do not allow the labels.

    Takes the lock of the assignment (a judge's tabs submit one after the
    other), then that of the test set's `JudgmentSequence`, last and briefly.
    """
    Assignment.objects.select_for_update().get(pk=assigned.assignment_id)
    known = Judgment.objects.filter(client_id=client_id).first()
    if known is not None:
        if known.judge_id != assigned.judge_id:
            raise SubmissionRefusedError(_("This submission's id belongs to another judge."))
        return known
    _labels_check(assigned, labels)
    previous = (
        Judgment.objects.filter(judge_id=assigned.judge_id, block_id=assigned.block_id)
        .order_by("-number")
        .first()
    )
    judgment = Judgment.objects.create(
        test_set_id=assigned.test_set_id,
        number=judgment_number_next(test_set_id=assigned.test_set_id),
        client_id=client_id,
        judge_id=assigned.judge_id,
        block_id=assigned.block_id,
        assignment_id=assigned.assignment_id,
        labels=list(labels),
        duration_ms=duration_ms,
        active_ms=active_ms,
        comment=comment,
        supersedes=previous,
    )
    if previous is None:
        _assignment_complete_if_done(assigned)
    transaction.on_commit(partial(ranking_due, assigned.test_set_id))
    return judgment


@transaction.atomic
def skip_submit(
    *, assigned: AssignedBlock, client_id: UUID, reason: str, comment: str = ""
) -> Skip:
    """Store that a judge declined a block, and why; a second skip of it returns the first."""
    Assignment.objects.select_for_update().get(pk=assigned.assignment_id)
    known = Skip.objects.filter(client_id=client_id).first()
    if known is not None:
        if known.judge_id != assigned.judge_id:
            raise SubmissionRefusedError(_("This submission's id belongs to another judge."))
        return known
    skip, created = Skip.objects.get_or_create(
        judge_id=assigned.judge_id,
        block_id=assigned.block_id,
        defaults={
            "client_id": client_id,
            "assignment_id": assigned.assignment_id,
            "reason": reason,
            "comment": comment,
        },
    )
    if created:
        _assignment_complete_if_done(assigned)
    return skip


def judgment_number_next(*, test_set_id: int, count: int = 1) -> int:
    """The first of `count` new numbers; the caller's transaction holds the sequence from here on.

    Numbers become visible in their order because the row stays locked until
    the commit; a rollback gives them back, so there are no gaps.
    """
    updated = JudgmentSequence.objects.filter(test_set_id=test_set_id).update(
        last_number=F("last_number") + count
    )
    if not updated:
        JudgmentSequence.objects.bulk_create(
            [JudgmentSequence(test_set_id=test_set_id)], ignore_conflicts=True
        )
        return judgment_number_next(test_set_id=test_set_id, count=count)
    last = JudgmentSequence.objects.values_list("last_number", flat=True).get(
        test_set_id=test_set_id
    )
    return last - count + 1


def _labels_check(assigned: AssignedBlock, labels: Sequence[int | None]) -> None:
    if len(labels) != len(assigned.candidates):
        raise SubmissionRefusedError(
            _("%(labels)d labels were sent for %(candidates)d outputs.")
            % {"labels": len(labels), "candidates": len(assigned.candidates)}
        )
    if any(label is not None and not 1 <= label <= 5 for label in labels):
        raise SubmissionRefusedError(_("A label is a rank from 1 to 5."))
    missing = [
        candidate
        for candidate, label in zip(assigned.candidates, labels, strict=True)
        if label is None
    ]
    if len(missing) == len(labels):
        raise SubmissionRefusedError(_("No output is ranked yet."), missing=missing)
    if missing and not assigned.allow_partial_ranking:
        raise SubmissionRefusedError(_("Some outputs are still to be ranked."), missing=missing)


def _assignment_complete_if_done(assigned: AssignedBlock) -> None:
    """Close the assignment, and its HIT, when no block of it is left open by this judge."""
    open_blocks = (
        Block.objects.filter(hit__assignments=assigned.assignment_id)
        .exclude(judgments__judge=assigned.judge_id)
        .exclude(skips__judge=assigned.judge_id)
    )
    if open_blocks.exists():
        return
    closed = Assignment.objects.filter(pk=assigned.assignment_id, completed_at__isnull=True)
    if closed.update(completed_at=Now()):
        HIT.objects.filter(assignments=assigned.assignment_id, completed_at__isnull=True).update(
            completed_at=Now()
        )

"""Store judgments and skips; repeating a request changes nothing."""

from collections.abc import Sequence
from contextlib import nullcontext
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from annotation.models import Judgment, ProblemReport, Skip
from annotation.protocols import Answer, AnswerKind, answer_kind
from annotation.selectors import AssignedBlock
from annotation.services.judging.limits import (
    comment_refusal,
    revision_refusal,
    skips_refusal,
    too_fast,
)
from annotation.services.judging.storage import (
    assignment_close_if_done,
    assignment_lock,
    judgment_store,
)
from annotation.submissions import SubmissionRefusedError


def judgment_submit(
    *,
    assigned: AssignedBlock,
    client_id: UUID,
    labels: Sequence[int | None] | None = None,
    answer: Answer | None = None,
    duration_ms: int | None = None,
    active_ms: int | None = None,
    comment: str = "",
) -> Judgment:
    """Store and return one judgment; it supersedes the judge's last one of the same block.

    `labels`, of a ranking, are aligned with the candidates: 1 best … 5 worst, None for blank. `answer`, of
    all other protocols, is what the serializer of the protocol returns; the labels follow from it.
    The same `client_id` again changes nothing and returns the stored judgment.
    A judgment that arrives after its lease ended is stored too. Raises
    `SubmissionRefusedError` if the campaign's rules do not allow what is said, if active time is
    longer than time on the clock, or if a limit allows no more of this.

    Takes the lock of the assignment's row, so that a judge's tabs submit one after the other, and no
    lock that judges share. The judgment gets its number afterwards: `judgments_number`.
    """
    kind = answer_kind(assigned.protocol)
    said = answer if kind.has_answers else labels
    refusal = (
        _other_kind_refusal(kind, labels, answer)
        or kind.refusal(assigned, said)
        or _times_refusal(duration_ms, active_ms)
        or comment_refusal(judge_id=assigned.judge_id, comment=comment)
    )
    judgment = Judgment(
        task_id=assigned.task_id,
        client_id=client_id,
        judge_id=assigned.judge_id,
        block_id=assigned.block_id,
        assignment_id=assigned.assignment_id,
        labels=[] if refusal else kind.labels(said, len(assigned.candidates)),
        duration_ms=duration_ms,
        active_ms=active_ms,
        comment=comment,
    )
    if refusal is None and _store(judgment, kind, said, assigned):
        return judgment
    known = _known(judgment)
    if known is not None:
        return known
    refusal = refusal or revision_refusal(judge_id=assigned.judge_id, block_id=assigned.block_id)
    if refusal is not None:
        raise refusal
    # A minute passed between the two questions.
    if _store(judgment, kind, said, assigned):
        return judgment
    known = _known(judgment)
    if known is None:
        raise too_fast()
    return known


def _store(judgment: Judgment, kind: AnswerKind, said: Answer, assigned: AssignedBlock) -> bool:
    """Store a judgment with all that is said; return whether it was stored, as `judgment_store` does."""
    if not kind.keeps_answers:
        return judgment_store(judgment)
    row = kind.row_of(said, part=assigned.part, block_id=assigned.block_id)
    try:
        # A transaction of the caller's goes on where the database refuses; by itself, the statement is one.
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            is_stored = judgment_store(judgment, answer=(kind.table, row))
    except IntegrityError:
        refusal = kind.refusal_by_database(assigned, said)
        if refusal is None:
            raise
        raise refusal from None
    if is_stored:
        kind.with_judgment(judgment, row)
    return is_stored


def _other_kind_refusal(
    kind: AnswerKind, labels: Sequence[int | None] | None, answer: Answer | None
) -> SubmissionRefusedError | None:
    """Return that this protocol takes the other of the two; None if it is the right one alone."""
    if kind.has_answers and (answer is None or labels is not None):
        return SubmissionRefusedError(
            _("The judgments of this task have an `answer`, and no `labels`."), field="answer"
        )
    if not kind.has_answers and (labels is None or answer is not None):
        return SubmissionRefusedError(
            _("The judgments of this task have `labels`, and no `answer`.")
        )
    return None


def _known(judgment: Judgment) -> Judgment | None:
    """Return the stored judgment with this `client_id`, which must be the judge's own."""
    known = Judgment.objects.filter(client_id=judgment.client_id).first()
    if known is not None:
        submission_owner_check(known, judge_id=judgment.judge_id)
    return known


@transaction.atomic
def skip_submit(
    *,
    assigned: AssignedBlock,
    client_id: UUID,
    reason: str,
    duration_ms: int | None = None,
    active_ms: int | None = None,
    comment: str = "",
) -> Skip:
    """Store and return that a judge skipped a block; a second skip returns the first one."""
    assignment_lock(assigned.assignment_id)
    known = _skip_known(assigned, client_id)
    if known is not None:
        return known
    refusal = (
        skips_refusal(judge_id=assigned.judge_id)
        or _times_refusal(duration_ms, active_ms)
        or comment_refusal(judge_id=assigned.judge_id, comment=comment)
    )
    if refusal is not None:
        raise refusal
    try:
        skip, created = Skip.objects.get_or_create(
            judge_id=assigned.judge_id,
            block_id=assigned.block_id,
            defaults={
                "client_id": client_id,
                "task_id": assigned.task_id,
                "assignment_id": assigned.assignment_id,
                "reason": reason,
                "duration_ms": duration_ms,
                "active_ms": active_ms,
                "comment": comment,
            },
        )
    except IntegrityError:
        # Another request has stored this id since we looked.
        known = _skip_known(assigned, client_id)
        if known is None:
            raise
        return known
    if created:
        assignment_close_if_done(assigned.assignment_id, done=assigned.block_id)
    return skip


def submission_owner_check(stored: Judgment | Skip | ProblemReport, *, judge_id: int) -> None:
    """Raise `SubmissionRefusedError` if what is stored under an id belongs to another judge."""
    if stored.judge_id != judge_id:
        raise SubmissionRefusedError(_("This submission's id belongs to another judge."))


def _skip_known(assigned: AssignedBlock, client_id: UUID) -> Skip | None:
    known = Skip.objects.filter(client_id=client_id).first()
    if known is not None:
        submission_owner_check(known, judge_id=assigned.judge_id)
    return known


def _times_refusal(duration_ms: int | None, active_ms: int | None) -> SubmissionRefusedError | None:
    if duration_ms is None or active_ms is None or active_ms <= duration_ms:
        return None
    return SubmissionRefusedError(
        _(
            "active_ms is %(active)d, longer than duration_ms, %(duration)d: active time is a part of "
            "the time on the clock."
        )
        % {"active": active_ms, "duration": duration_ms}
    )

"""Store judgments and skips, within limits; repeating a request changes nothing.

Judges' texts are kept permanently, so everything that could grow without new HITs is limited:
judgments that replace others, reports, skips, and comments. No limit applies to a first judgment of
a block without a comment. Accepted submissions stay, even if later ones are refused, and repeating
a `client_id` returns the same answer.

The lock is taken first, by a separate statement, so that the next statement sees everything that
the judge's other tabs have committed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from typing import Final, Literal, TypeVar
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Func, IntegerField, Model, QuerySet, Sum
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.models import (
    HIT,
    Assignment,
    Block,
    JudgeAccount,
    Judgment,
    ProblemReport,
    Skip,
)
from annotation.protocols.answer_kinds import Answer, AnswerKind, answer_kind
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.services.numbers import ranking_request
from campaign.database.many_rows import TABLE_SCANS_OFF

#: Maximum replacements of a judge's judgment of one block.
REVISIONS_A_BLOCK: Final = 50
#: Maximum replacements by one judge per minute. A judge who was offline for a day sends all of
#: theirs within minutes.
REVISIONS_A_MINUTE: Final = 30
#: Maximum skips of one judge, and maximum reports.
SKIPS_A_MINUTE: Final = 60
REPORTS_A_MINUTE: Final = 20
#: Maximum size of one judge's comments on judgments, skips and reports, in UTF-8: about sixty book
#: pages.
COMMENT_BYTES_A_DAY: Final = 200_000

#: A submission replaces the judge's latest judgment of the block, whichever it is.
LATEST: Final = "latest"
#: The `client_id` of the judgment that a submission replaces, None for none, or `LATEST`.
Replaced = UUID | None | Literal["latest"]


_M = TypeVar("_M", Judgment, Skip)
_MINUTE: Final = timedelta(minutes=1)
_DAY: Final = timedelta(days=1)


def assignment_lock(assignment_id: int) -> Assignment:
    """Lock an assignment's row until the commit and return it; nothing shared between judges is locked.

    A judge's tabs submit one after the other, each seeing what the previous one stored. A
    connection keeps the plans of foreign key lookups at the commit; if made while the tables are
    small, these would read all judgments for each answer, so table scans are off until then.
    """
    locks = Assignment.objects.select_for_update().annotate(table_scans=TABLE_SCANS_OFF)
    return locks.get(pk=assignment_id)


def comment_refusal(*, judge_id: int, comment: str) -> SubmissionRefusedError | None:
    """Return the refusal of a comment beyond the daily limit; None if there is no comment or it is within the limit."""
    if not comment:
        return None
    yesterday = Now() - _DAY
    size = Func("comment", function="octet_length", output_field=IntegerField())
    written = len(comment.encode()) + sum(
        rows.filter(judge_id=judge_id).aggregate(bytes=Coalesce(Sum(size), 0))["bytes"]
        for rows in (
            Judgment.objects.filter(submitted_at__gt=yesterday),
            Skip.objects.filter(created_at__gt=yesterday),
            ProblemReport.objects.filter(created_at__gt=yesterday),
        )
    )
    if written <= COMMENT_BYTES_A_DAY:
        return None
    return SubmissionRefusedError(
        _(
            "You have reached the limit for comments in 24 hours. Send this without a comment, or add one tomorrow.",
        ),
    )


def _revision_refusal(
    earlier: Sequence[Judgment],
    replaces: Replaced,
) -> SubmissionRefusedError | None:
    """Return the reason why a judge may not replace their judgment of a block now; None if they may.

    `earlier` are their judgments of the block so far, oldest first.
    """
    if not earlier:
        return None
    latest = earlier[-1]
    if replaces != LATEST and latest.client_id != replaces:
        return _answered_elsewhere(latest)
    if len(earlier) > REVISIONS_A_BLOCK:
        return SubmissionRefusedError(
            _(
                "You have changed this answer %(times)d times, which is the limit. The last saved version counts.",
            )
            % {"times": len(earlier) - 1},
            stored=latest,
        )
    recent = Judgment.objects.filter(
        judge=latest.judge_id,
        submitted_at__gt=Now() - _MINUTE,
        supersedes__isnull=False,
    )
    if recent.count() >= REVISIONS_A_MINUTE:
        return too_fast()
    return None


def _answered_elsewhere(stored: Judgment) -> SubmissionRefusedError:
    return SubmissionRefusedError(
        _(
            "You answered this item on another device. That answer counts; you can change it under “Your judgments”.",
        ),
        stored=stored,
        is_conflict=True,
    )


def skips_refusal(*, judge_id: int) -> SubmissionRefusedError | None:
    """Return the reason why a judge may not skip another block now; None if they may."""
    recent = Skip.objects.filter(judge_id=judge_id, created_at__gt=Now() - _MINUTE)
    if recent.count() >= SKIPS_A_MINUTE:
        return too_fast()
    return None


def reports_refusal(*, judge_id: int) -> SubmissionRefusedError | None:
    """Return the reason why a judge may not report another problem now; None if they may."""
    recent = ProblemReport.objects.filter(
        judge_id=judge_id,
        created_at__gt=Now() - _MINUTE,
    )
    if recent.count() >= REPORTS_A_MINUTE:
        return too_fast()
    return None


def too_fast() -> SubmissionRefusedError:
    """Return the refusal of a request that may be repeated shortly."""
    return SubmissionRefusedError(
        _("Too many requests. Please try again in a moment."),
        retry_after=int(_MINUTE.total_seconds()) // 2,
    )


@dataclass(frozen=True, slots=True)
class AssignmentBlocks:
    """Blocks of an assignment, with their judge's judgments of them, oldest first."""

    ids: set[int]
    judge_id: int
    judgments: list[Judgment]

    @classmethod
    def of(cls, assignment: Assignment) -> "AssignmentBlocks":
        """Read the blocks of an assignment, whose row the caller has locked. Two queries."""
        blocks = Block.objects.filter(hit=assignment.hit_id)
        ids = set(blocks.values_list("pk", flat=True))
        # Filtered by judge, or ordered, PostgreSQL could read all judgments instead of these few.
        judgments = Judgment.objects.filter(block__in=ids).order_by()
        judge_id = assignment.judge_id
        own = []
        for judgment in judgments:
            if judgment.judge_id == judge_id:
                own.append(judgment)
        return cls(ids, judge_id, sorted(own, key=attrgetter("pk")))

    def is_last(self, block_id: int | None = None) -> bool:
        """Return whether all blocks are done, counting this one. At most one query."""
        open_ids = (
            self.ids - {judgment.block_id for judgment in self.judgments} - {block_id}
        )
        if not open_ids:
            return True
        skips = Skip.objects.filter(block__in=open_ids).values_list(
            "block_id",
            "judge_id",
        )
        skipped = {block for block, judge_id in skips if judge_id == self.judge_id}
        return open_ids == skipped


def assignment_close_if_done(assignment: Assignment, *, task_id: int) -> None:
    """Close an assignment of a task and its HIT if its judge has judged or skipped all its blocks.

    The caller's transaction must hold the lock of the assignment's row.
    """
    blocks = AssignmentBlocks.of(assignment)
    if blocks.is_last():
        _assignment_close(assignment, task_id=task_id, blocks=len(blocks.ids))


def _assignment_close(assignment: Assignment, *, task_id: int, blocks: int) -> None:
    """Close an assignment and its HIT, and count their blocks in `JudgeAccount.blocks_closed`."""
    if assignment.completed_at is not None:
        return
    Assignment.objects.filter(pk=assignment.pk).update(completed_at=Now())
    HIT.objects.incomplete().filter(pk=assignment.hit_id).update(completed_at=Now())
    account, _is_new = JudgeAccount.objects.get_or_create(
        judge_id=assignment.judge_id,
        task_id=task_id,
    )
    account.blocks_closed = F("blocks_closed") + blocks
    account.save(update_fields=["blocks_closed"])


def judgment_store(
    judgment: Judgment,
    *,
    answer: Model | None = None,
    replaces: Replaced = LATEST,
) -> bool:
    """Store a judgment; return False if one with this `client_id` exists. `judgments_number` assigns its number later.

    `answer`, the row of a protocol's answers, is stored in the same transaction. The judgment
    supersedes the judge's last one of the same block. Closes the assignment if this was the last
    block, and requests a ranking unless one is already requested. Raises `SubmissionRefusedError`
    if the latest judgment of the block is not the one that this one `replaces`, or if the limit on
    revisions is reached.

    Locks the assignment's row, and nothing shared between judges.
    """
    try:
        with transaction.atomic():
            is_stored = _judgment_insert(judgment, answer, replaces)
    except IntegrityError:
        # Stored for another block, or by another request at the same moment.
        if Judgment.objects.filter(client_id=judgment.client_id).exists():
            return False
        raise
    if is_stored:
        ranking_request(task_id=judgment.task_id)
    return is_stored


def _judgment_insert(
    judgment: Judgment,
    answer: Model | None,
    replaces: Replaced,
) -> bool:
    assert judgment.assignment_id is not None  # noqa: S101  not imported; for the type checker
    assignment = assignment_lock(judgment.assignment_id)
    blocks = AssignmentBlocks.of(assignment)
    earlier = []
    for stored in blocks.judgments:
        if stored.block_id == judgment.block_id:
            earlier.append(stored)
    if any(stored.client_id == judgment.client_id for stored in earlier):
        return False
    refusal = _revision_refusal(earlier, replaces)
    if refusal is not None:
        raise refusal
    if earlier:
        judgment.supersedes = earlier[-1]
    judgment.save(force_insert=True)
    if answer is not None:
        answer.pk = judgment.pk
        answer.save(force_insert=True)
    if not earlier and blocks.is_last(judgment.block_id):
        _assignment_close(assignment, task_id=judgment.task_id, blocks=len(blocks.ids))
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class SentJudgment:
    """A judgment as a judge's browser sends it.

    Attributes
    ----------
    labels : sequence of int or None
        For rankings, aligned with the candidates: 1 best … 5 worst, None for blank.
    answer : Answer or None
        For all other protocols, the output of the protocol's serializer, from which the labels follow.
    duration_ms, active_ms : int or None
    comment : str
    replaces : UUID, None or LATEST
    played : list of float or None
        The shares of the candidates' recordings that were played.
    """

    labels: Sequence[int | None] | None = None
    answer: Answer | None = None
    duration_ms: int | None = None
    active_ms: int | None = None
    comment: str = ""
    replaces: Replaced = LATEST
    played: list[float | None] | None = None


def judgment_submit(
    *,
    assigned: AssignedBlock,
    client_id: UUID,
    sent: SentJudgment,
) -> Judgment:
    """Store and return one judgment; it supersedes the judge's last one of the same block.

    If it replaces a certain one, it is refused if the judge's last one is another: they have answered
    the block on another device, or two people use one link.

    Repeating a `client_id` changes nothing and returns the stored judgment. A judgment that arrives
    after its lease has ended is also stored. Raises `SubmissionRefusedError` if the
    campaign's rules do not allow the answer, if active time is longer than elapsed time, or if a
    limit is reached.

    Locks the assignment's row, so that a judge's tabs submit one after the other, and nothing
    shared between judges. The judgment gets its number afterwards, in `judgments_number`.
    """
    kind = answer_kind(assigned.protocol, assigned.rules)
    content = sent.answer if kind.has_answers else sent.labels
    refusal = (
        answer_refusal(assigned, labels=sent.labels, answer=sent.answer)
        or _times_refusal(sent.duration_ms, sent.active_ms)
        or _played_refusal(sent.played, assigned.candidate_count)
        or comment_refusal(judge_id=assigned.judge_id, comment=sent.comment)
    )
    ranks: list[int | None] = []
    if refusal is None:
        ranks = kind.labels(content, assigned.candidate_count)
    judgment = Judgment(
        task_id=assigned.task_id,
        client_id=client_id,
        judge_id=assigned.judge_id,
        block_id=assigned.block_id,
        assignment_id=assigned.assignment_id,
        labels=ranks,
        duration_ms=sent.duration_ms,
        active_ms=sent.active_ms,
        comment=sent.comment,
        played=sent.played,
    )
    try:
        if refusal is None and _store(judgment, kind, content, assigned, sent.replaces):
            return judgment
    except SubmissionRefusedError as error:
        refusal = error
    stored = _stored_answer(Judgment.objects.all(), client_id, assigned)
    if stored is None:
        raise refusal or too_fast()
    return stored


def _store(
    judgment: Judgment,
    kind: AnswerKind,
    content: Answer,
    assigned: AssignedBlock,
    replaces: Replaced,
) -> bool:
    """Store a judgment with its answer; return whether it was stored, as `judgment_store` does."""
    if not kind.keeps_answers:
        return judgment_store(judgment, replaces=replaces)
    row = kind.row_of(content, part=assigned.part, block_id=assigned.block_id)
    row |= kind.started_from(assigned.block_id, assigned.judge_id)
    stored_answer = kind.with_judgment(judgment, row)
    try:
        return judgment_store(judgment, answer=stored_answer, replaces=replaces)
    except IntegrityError:
        # Another request may have stored something since the first check.
        refusal = kind.refusal(assigned, content)
        if refusal is None:
            raise
        raise refusal from None


def answer_refusal(
    assigned: AssignedBlock,
    *,
    labels: Sequence[int | None] | None,
    answer: Answer | None,
) -> SubmissionRefusedError | None:
    """Return the reason why an answer does not fit its block; None if it does."""
    kind = answer_kind(assigned.protocol, assigned.rules)
    content = answer if kind.has_answers else labels
    return _other_kind_refusal(kind, labels, answer) or kind.refusal(assigned, content)


def _other_kind_refusal(
    kind: AnswerKind,
    labels: Sequence[int | None] | None,
    answer: Answer | None,
) -> SubmissionRefusedError | None:
    """Return the refusal of labels for a protocol with answers, or of an answer for rankings; None if it fits."""
    if kind.has_answers and (answer is None or labels is not None):
        return SubmissionRefusedError(
            "This task requires `answer` and no `labels`.",
            field="answer",
        )
    if not kind.has_answers and (labels is None or answer is not None):
        return SubmissionRefusedError("This task requires `labels` and no `answer`.")
    return None


def _stored_answer(
    rows: QuerySet[_M],
    client_id: UUID,
    assigned: AssignedBlock,
) -> _M | None:
    """Return the answer stored under this `client_id`, which must be the judge's own; None if there is none."""
    stored = rows.filter(client_id=client_id).first()
    if stored is not None:
        submission_owner_check(stored, judge_id=assigned.judge_id)
    return stored


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
    """Store and return a judge's skip of a block; a second skip returns the first one.

    Refused for a block that the judge has judged, as on another device.
    """
    assignment = assignment_lock(assigned.assignment_id)
    stored = _stored_answer(Skip.objects.all(), client_id, assigned)
    if stored is not None:
        return stored
    judged = Judgment.objects.filter(
        judge_id=assigned.judge_id,
        block_id=assigned.block_id,
    )
    latest = judged.order_by("pk").last()
    refusal = (
        (_answered_elsewhere(latest) if latest is not None else None)
        or skips_refusal(judge_id=assigned.judge_id)
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
        # Another request has stored this id since the check.
        stored = _stored_answer(Skip.objects.all(), client_id, assigned)
        if stored is None:
            raise
        return stored
    if created:
        assignment_close_if_done(assignment, task_id=assigned.task_id)
    return skip


def submission_owner_check(
    stored: Judgment | Skip | ProblemReport,
    *,
    judge_id: int,
) -> None:
    """Raise `SubmissionRefusedError` if the answer stored under an id belongs to another judge."""
    if stored.judge_id != judge_id:
        raise SubmissionRefusedError("This submission's id belongs to another judge.")


def _times_refusal(
    duration_ms: int | None,
    active_ms: int | None,
) -> SubmissionRefusedError | None:
    if duration_ms is None or active_ms is None or active_ms <= duration_ms:
        return None
    return SubmissionRefusedError(
        f"active_ms ({active_ms}) must not exceed duration_ms ({duration_ms}).",
    )


def _played_refusal(
    played: list[float | None] | None,
    candidates: int,
) -> SubmissionRefusedError | None:
    if played is None or len(played) == candidates:
        return None
    return SubmissionRefusedError(
        f"played must have a share or null for each of {candidates} candidates, not {len(played)}.",
    )

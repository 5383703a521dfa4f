"""Store judgments and skips, within limits; repeating a request changes nothing.

Judges' texts are kept permanently, so everything that could grow without new HITs is limited:
judgments that replace others, reports, skips, and comments. No limit applies to a first judgment of
a block without a comment. Accepted submissions stay, even if later ones are refused, and repeating
a `client_id` returns the same answer.

The lock is taken first, by a separate statement, so that the next statement sees everything that
the judge's other tabs have committed.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import timedelta
from functools import cache
from typing import Any, Final, Literal, TypeVar
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Func, IntegerField, Model, QuerySet, Sum
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.models import Judgment, ProblemReport, Skip
from annotation.protocols.answer_kinds import Answer, AnswerKind, answer_columns, answer_kind
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.services.notification import REQUEST_TIMEOUT_SECONDS
from annotation.services.numbers import ranking_request
from campaign.database.prepared import Statement

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


# A judge's tabs submit one after the other, each seeing what the previous one stored. The lock is a
# separate statement, sent with `JUDGMENT_STORE` in one round trip. A connection keeps the plans of
# foreign key lookups at the commit; if made while the tables are small, these would read all
# judgments for each answer, so table scans are off until then.
ASSIGNMENT_LOCK: Final = Statement(
    "assignment_lock",
    "bigint",
    "SELECT set_config('enable_seqscan', 'off', true)"
    " FROM annotation_assignment WHERE id = $1 FOR UPDATE",
)


# An assignment is done when its judge has judged or skipped all its blocks; then its HIT is done,
# too, and its blocks are counted in `JudgeAccount.blocks_closed`. This is part of `JUDGMENT_STORE`,
# and a separate statement after a skip.
#
# For assignment `$1`, whose block `$2` is being stored: `closed`, `closed_hit` and `counted`. Each
# table is queried separately, by a key. With joins, or without `OFFSET 0`, PostgreSQL may read a
# whole table or index, which is as cheap as any other plan while the statistics show few rows, and
# keep this plan as the rows grow. `+ 0` makes it use the index on blocks: a judge has many rows in
# both tables.
_CLOSING = """
    closed AS (
        UPDATE annotation_assignment a SET completed_at = statement_timestamp()
        {source}
        WHERE a.id = $1 AND {condition} AND a.completed_at IS NULL AND NOT EXISTS (
            SELECT FROM annotation_block b
            WHERE b.hit_id = a.hit_id AND b.id <> $2
                AND NOT EXISTS (SELECT FROM annotation_judgment j
                                WHERE j.block_id = b.id AND j.judge_id + 0 = a.judge_id OFFSET 0)
                AND NOT EXISTS (SELECT FROM annotation_skip s
                                WHERE s.block_id = b.id AND s.judge_id + 0 = a.judge_id OFFSET 0)
            OFFSET 0
        )
        RETURNING a.hit_id, a.judge_id
    ), closed_hit AS (
        UPDATE annotation_hit h SET completed_at = statement_timestamp()
        WHERE h.id = (SELECT closed.hit_id FROM closed) AND h.completed_at IS NULL
    ), counted AS (
        INSERT INTO annotation_judgeaccount
            (judge_id, task_id, hits_lent, intra_lent, blocks_closed)
        SELECT closed.judge_id,
            (SELECT h.task_id FROM annotation_hit h WHERE h.id = closed.hit_id), 0, 0,
            (SELECT count(*) FROM annotation_block b WHERE b.hit_id = closed.hit_id)
        FROM closed
        ON CONFLICT (judge_id, task_id) DO UPDATE
        SET blocks_closed = annotation_judgeaccount.blocks_closed + EXCLUDED.blocks_closed
    )
"""

ASSIGNMENT_CLOSE = Statement(
    "assignment_close",
    "bigint, bigint",
    f"WITH {_CLOSING.format(source='', condition='true')} SELECT FROM closed",
)


# A judgment supersedes the judge's last one of the same block; the same `client_id` is stored once.
# The result says whether a ranking request is pending and recent; if not, the caller requests one.
# With `$13`, it must replace the judgment `$14`, or none: the judge may have judged the block on
# another device. Replacements are limited per judgment, and per judge and minute. It locks nothing shared between
# judges, because the number is assigned after the commit. Using one statement instead of Django's
# queries saves 6.9 ms per judged block.
_JUDGMENT = (
    "bigint, bigint, bigint, uuid, bigint, smallint[], int, int, text, interval, int, int,"
    " boolean, uuid, double precision[]"
)
# `answer` stores the rest of an answer in addition to its labels; see `answer_statement`.
# `coalesce` and `+ 0` leave PostgreSQL one index to read, as above.
_STORING = f"""
    WITH earlier AS (
        SELECT count(*) AS times, max(j.id) AS latest
        FROM annotation_judgment j WHERE j.block_id = $2 AND j.judge_id + 0 = $5
    ), judgment AS (
        INSERT INTO annotation_judgment
            (task_id, client_id, judge_id, block_id, assignment_id, labels,
             duration_ms, active_ms, comment, played, supersedes_id)
        SELECT $3, $4, $5, $2, $1, $6, $7, $8, $9, $15, earlier.latest
        FROM earlier
        WHERE NOT EXISTS (SELECT FROM annotation_judgment j WHERE j.client_id = $4)
            AND CASE WHEN earlier.times = 0 THEN true
            WHEN $13 AND (
                SELECT j.client_id FROM annotation_judgment j WHERE j.id = earlier.latest
            ) IS DISTINCT FROM $14 THEN false
            ELSE earlier.times <= $11 AND (
                SELECT count(*) < $12 FROM annotation_judgment j
                WHERE j.judge_id = $5 AND j.submitted_at > statement_timestamp() - interval '1 minute'
                    AND coalesce(j.supersedes_id, 0) > 0
            ) END
        RETURNING id, supersedes_id, submitted_at
    ), {{answer}} {_CLOSING.format(source="FROM judgment", condition="judgment.supersedes_id IS NULL")}
    SELECT judgment.id, judgment.supersedes_id, judgment.submitted_at,
        EXISTS (
            SELECT FROM annotation_pagechanges p
            WHERE p.task_id = $3 AND p.ranking_requested_at > statement_timestamp() - $10
        )
    FROM judgment
"""  # noqa: S608  of constants alone

JUDGMENT_STORE = Statement(
    "judgment_store",
    _JUDGMENT,
    _STORING.format(answer=""),
    first=ASSIGNMENT_LOCK,
)


@cache
def answer_statement(model: type[Model]) -> Statement:
    """Return the statement that stores either both a judgment and its answer, or neither.

    Parameters
    ----------
    model : type of Model
        Model of a protocol's answers.

    Returns
    -------
    Statement
        It takes the parameters of `JUDGMENT_STORE`, then the values of `answer_columns`, and returns the row of
        `JUDGMENT_STORE`.
    """
    table, columns = model._meta.db_table, answer_columns(model)
    first = 1 + len(_JUDGMENT.split(","))
    values = ", ".join(f"${place}" for place, _column in enumerate(columns, first))
    answer = f"""answer AS (
        INSERT INTO {table} (judgment_id, {", ".join(columns)})
        SELECT judgment.id, {values} FROM judgment
    ),"""  # noqa: S608  names of our own tables
    return Statement(
        f"{table}_store",
        ", ".join((_JUDGMENT, *columns.values())),
        _STORING.format(answer=answer),
        first=ASSIGNMENT_LOCK,
    )


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
            "You have reached the limit for comments in 24 hours. Send this without a comment, or add one tomorrow."
        )
    )


def revision_refusal(
    *, judge_id: int, block_id: int, replaces: Replaced = LATEST
) -> SubmissionRefusedError | None:
    """Return the reason why the judge may not replace their judgment of this block now; None if they may.

    `JUDGMENT_STORE` checks the same in the statement that stores.
    """
    mine = Judgment.objects.filter(judge_id=judge_id)
    of_block = mine.filter(block_id=block_id)
    times = of_block.count()
    if times and replaces != LATEST:
        latest = of_block.latest("pk")
        if latest.client_id != replaces:
            return _answered_elsewhere(latest)
    if times > REVISIONS_A_BLOCK:
        return SubmissionRefusedError(
            _(
                "You have changed this answer %(times)d times, which is the limit. The last saved version counts."
            )
            % {"times": times - 1},
            stored=of_block.latest("pk"),
        )
    recent = mine.exclude(supersedes=None).filter(submitted_at__gt=Now() - _MINUTE)
    return too_fast() if times and recent.count() >= REVISIONS_A_MINUTE else None


def _answered_elsewhere(stored: Judgment) -> SubmissionRefusedError:
    return SubmissionRefusedError(
        _(
            "You answered this item on another device. That answer counts; you can change it under “Your judgments”."
        ),
        stored=stored,
        is_conflict=True,
    )


def skips_refusal(*, judge_id: int) -> SubmissionRefusedError | None:
    """Return the reason why a judge may not skip another block now; None if they may."""
    recent = Skip.objects.filter(judge_id=judge_id, created_at__gt=Now() - _MINUTE)
    return too_fast() if recent.count() >= SKIPS_A_MINUTE else None


def reports_refusal(*, judge_id: int) -> SubmissionRefusedError | None:
    """Return the reason why a judge may not report another problem now; None if they may."""
    recent = ProblemReport.objects.filter(judge_id=judge_id, created_at__gt=Now() - _MINUTE)
    return too_fast() if recent.count() >= REPORTS_A_MINUTE else None


def too_fast() -> SubmissionRefusedError:
    """Return the refusal of a request that may be repeated shortly."""
    return SubmissionRefusedError(
        _("Too many requests. Please try again in a moment."),
        retry_after=int(_MINUTE.total_seconds()) // 2,
    )


def assignment_close_if_done(assignment_id: int, *, done: int) -> None:
    """Close the assignment and its HIT if its judge has done all blocks other than `done`.

    The caller's transaction must hold the lock of the assignment's row.
    """
    ASSIGNMENT_CLOSE.rows(assignment_id, done)


def judgment_store(
    judgment: Judgment,
    *,
    answer: tuple[type[Model], Mapping[str, Any]] | None = None,
    replaces: Replaced = LATEST,
) -> bool:
    """Store a judgment; return whether it was stored. `judgments_number` assigns its number later.

    `answer`, the model of a protocol's answers and the fields of one, is stored in the same round trip.

    The judgment supersedes the judge's last one of the same block. Closes the assignment if this
    was the last block, and requests a ranking unless one is already requested. Returns False if a
    judgment with this `client_id` exists, if the latest judgment of the block is not the one that
    this one `replaces`, or if the limit on revisions is reached.
    """
    try:
        stored = _row_stored(judgment, answer, replaces)
    except IntegrityError:
        # The statement does not see an id that another judge's request stores concurrently, but the
        # unique constraint does. Inside a caller's transaction, no more queries are possible.
        known = Judgment.objects.filter(client_id=judgment.client_id)
        if connection.in_atomic_block or not known.exists():
            raise
        return False
    if stored is None:
        return False
    judgment.pk, judgment.supersedes_id, judgment.submitted_at, is_requested = stored
    if not is_requested:
        ranking_request(task_id=judgment.task_id)
    return True


def _row_stored(
    judgment: Judgment,
    answer: tuple[type[Model], Mapping[str, Any]] | None,
    replaces: Replaced,
) -> tuple[Any, ...] | None:
    values = (
        judgment.assignment_id,
        *(judgment.assignment_id, judgment.block_id, judgment.task_id),
        *(str(judgment.client_id), judgment.judge_id, judgment.labels),
        *(judgment.duration_ms, judgment.active_ms, judgment.comment),
        timedelta(seconds=REQUEST_TIMEOUT_SECONDS),
        *(REVISIONS_A_BLOCK, REVISIONS_A_MINUTE),
        *(replaces != LATEST, str(replaces) if isinstance(replaces, UUID) else None),
        judgment.played,
    )
    if answer is None:
        return JUDGMENT_STORE.row(*values)
    model, said = answer
    stored = [
        field.get_db_prep_save(said[field.attname], connection)
        for field in model._meta.concrete_fields
        if not field.primary_key
    ]
    return answer_statement(model).row(*values, *stored)


def judgment_submit(
    *,
    assigned: AssignedBlock,
    client_id: UUID,
    labels: Sequence[int | None] | None = None,
    answer: Answer | None = None,
    duration_ms: int | None = None,
    active_ms: int | None = None,
    comment: str = "",
    replaces: Replaced = LATEST,
    played: list[float | None] | None = None,
) -> Judgment:
    """Store and return one judgment; it supersedes the judge's last one of the same block.

    With `replaces`, it is refused if the judge's last one is another: they have answered the block
    on another device, or two people use one link.

    For rankings, `labels` are aligned with the candidates: 1 best … 5 worst, None for blank. For
    all other protocols, `answer` is the output of the protocol's serializer, from which the labels
    follow. `played` are the shares of the candidates' recordings that were played. Repeating a
    `client_id` changes nothing and returns the stored judgment. A judgment that arrives after its
    lease has ended is also stored. Raises `SubmissionRefusedError` if the
    campaign's rules do not allow the answer, if active time is longer than elapsed time, or if a
    limit is reached.

    Locks the assignment's row, so that a judge's tabs submit one after the other, and nothing
    shared between judges. The judgment gets its number afterwards, in `judgments_number`.
    """
    kind = answer_kind(assigned.protocol, assigned.rules)
    said = answer if kind.has_answers else labels
    refusal = (
        answer_refusal(assigned, labels=labels, answer=answer)
        or _times_refusal(duration_ms, active_ms)
        or _played_refusal(played, len(assigned.candidates))
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
        played=played,
    )
    if refusal is None and _store(judgment, kind, said, assigned, replaces):
        return judgment
    known = _known(Judgment.objects.all(), client_id, assigned)
    if known is None:
        revised = revision_refusal(
            judge_id=assigned.judge_id, block_id=assigned.block_id, replaces=replaces
        )
        # None of these applies if a minute passed between the two checks.
        raise refusal or revised or too_fast()
    return known


def _store(
    judgment: Judgment,
    kind: AnswerKind,
    said: Answer,
    assigned: AssignedBlock,
    replaces: Replaced,
) -> bool:
    """Store a judgment with its answer; return whether it was stored, as `judgment_store` does."""
    if not kind.keeps_answers:
        return judgment_store(judgment, replaces=replaces)
    row = kind.row_of(said, part=assigned.part, block_id=assigned.block_id)
    row |= kind.started_from(assigned.block_id, assigned.judge_id)
    try:
        # Lets a caller's transaction continue if the database refuses; on its own, the statement is
        # atomic.
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            is_stored = judgment_store(judgment, answer=(kind.table, row), replaces=replaces)
    except IntegrityError:
        # Another request may have stored something since the first check.
        refusal = kind.refusal(assigned, said)
        if refusal is None:
            raise
        raise refusal from None
    if is_stored:
        kind.with_judgment(judgment, row)
    return is_stored


def answer_refusal(
    assigned: AssignedBlock, *, labels: Sequence[int | None] | None, answer: Answer | None
) -> SubmissionRefusedError | None:
    """Return the reason why an answer does not fit its block; None if it does."""
    kind = answer_kind(assigned.protocol, assigned.rules)
    said = answer if kind.has_answers else labels
    return _other_kind_refusal(kind, labels, answer) or kind.refusal(assigned, said)


def _other_kind_refusal(
    kind: AnswerKind, labels: Sequence[int | None] | None, answer: Answer | None
) -> SubmissionRefusedError | None:
    """Return the refusal of labels for a protocol with answers, or of an answer for rankings; None if it fits."""
    if kind.has_answers and (answer is None or labels is not None):
        return SubmissionRefusedError(
            "This task requires `answer` and no `labels`.", field="answer"
        )
    if not kind.has_answers and (labels is None or answer is not None):
        return SubmissionRefusedError("This task requires `labels` and no `answer`.")
    return None


def _known(rows: QuerySet[_M], client_id: UUID, assigned: AssignedBlock) -> _M | None:
    """Return the answer stored under this `client_id`, which must be the judge's own; None if there is none."""
    known = rows.filter(client_id=client_id).first()
    if known is not None:
        submission_owner_check(known, judge_id=assigned.judge_id)
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
    """Store and return a judge's skip of a block; a second skip returns the first one.

    Refused for a block that the judge has judged, as on another device.
    """
    ASSIGNMENT_LOCK.rows(assigned.assignment_id)
    known = _known(Skip.objects.all(), client_id, assigned)
    if known is not None:
        return known
    judged = Judgment.objects.filter(judge_id=assigned.judge_id, block_id=assigned.block_id)
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
        known = _known(Skip.objects.all(), client_id, assigned)
        if known is None:
            raise
        return known
    if created:
        assignment_close_if_done(assigned.assignment_id, done=assigned.block_id)
    return skip


def submission_owner_check(stored: Judgment | Skip | ProblemReport, *, judge_id: int) -> None:
    """Raise `SubmissionRefusedError` if the answer stored under an id belongs to another judge."""
    if stored.judge_id != judge_id:
        raise SubmissionRefusedError("This submission's id belongs to another judge.")


def _times_refusal(duration_ms: int | None, active_ms: int | None) -> SubmissionRefusedError | None:
    if duration_ms is None or active_ms is None or active_ms <= duration_ms:
        return None
    return SubmissionRefusedError(
        f"active_ms ({active_ms}) must not exceed duration_ms ({duration_ms})."
    )


def _played_refusal(
    played: list[float | None] | None, candidates: int
) -> SubmissionRefusedError | None:
    if played is None or len(played) == candidates:
        return None
    return SubmissionRefusedError(
        f"played must have a share or null for each of {candidates} candidates, not {len(played)}."
    )

"""Number judgments after their commit, update the counters that pages read, and notify the ranking and webhooks.

Judging and numbering write nothing for webhooks: each endpoint stores the last number sent to it,
and the task's counter is the last number assigned, so no batch is lost or sent twice.
"""

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import Final

from django.db import DatabaseError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from annotation.models import (
    JudgeTally,
    JudgmentSequence,
    PageChanges,
    UncountedAnswer,
    WorkedQuarterHour,
)
from annotation.notification import REQUEST_TIMEOUT_SECONDS, ranking_enqueue
from annotation.selectors.counted import TALLY, WORKED, Counters, counters_counted, counters_stored
from campaign.database.many_rows import one_snapshot
from campaign.database.prepared import Statement
from campaign.models import Campaign, Task, WebhookEndpoint, WebhookEvent
from campaign.selectors.webhooks import endpoints_asking
from campaign.services.webhooks import message_put

# One transaction at a time numbers the judgments of a task. The lock is a separate statement, sent
# with `JUDGMENTS_NUMBER` in one round trip. The update changes no row; it only locks the existing
# one.
_JUDGMENT_SEQUENCE_LOCK: Final = Statement(
    "judgment_sequence_lock",
    "bigint",
    """
    INSERT INTO annotation_judgmentsequence AS s (task_id) VALUES ($1)
    ON CONFLICT (task_id) DO UPDATE SET last_number = s.last_number WHERE false
    """,
)


# Judgments are numbered after their commit, without gaps and in commit order: a judgment that begins
# after another was committed has the larger primary key, and a transaction that sees it also sees the
# earlier one, which is therefore in an earlier batch or earlier in the same one. The lock of the
# sequence is held until the commit: no number becomes visible before the smaller ones, and a rollback
# returns its numbers. The counters therefore always cover judgments 1 to the last number, and the
# skips that no longer wait. A block that was skipped and judged is one sentence and one skip taken
# back, in either order.
#
# `is_first`: the judge's first judgment of a block that is no control. `was_skipped`: a skip of the
# block is counted already. Waiting rows outside this batch (`is_new`) are counted by a later one; if
# both are in this batch, the earlier one is the sentence. `OFFSET 0` forces a lookup by key for each
# row: PostgreSQL usually gathers statistics while nothing waits, so it expects one row, for which any
# plan is cheap, and would compare thousands with each other.
JUDGMENTS_NUMBER = Statement(
    "judgments_number",
    "bigint, int",
    """
    WITH last AS MATERIALIZED (
        SELECT (
            SELECT max(first.answer) FROM (
                SELECT u.answer FROM annotation_uncountedanswer u
                WHERE u.task_id = $1 AND NOT u.is_skip ORDER BY u.answer LIMIT $2
            ) first
        ) AS judgment_id, (
            SELECT max(first.answer) FROM (
                SELECT u.answer FROM annotation_uncountedanswer u
                WHERE u.task_id = $1 AND u.is_skip ORDER BY u.answer LIMIT $2
            ) first
        ) AS skip_id
    ), taken AS (
        DELETE FROM annotation_uncountedanswer u
        WHERE u.task_id = $1 AND NOT u.is_skip AND u.answer <= (SELECT last.judgment_id FROM last)
        RETURNING u.answer AS judgment_id
    ), taken_skip AS (
        DELETE FROM annotation_uncountedanswer u
        WHERE u.task_id = $1 AND u.is_skip AND u.answer <= (SELECT last.skip_id FROM last)
        RETURNING u.answer AS skip_id
    ), numbered AS MATERIALIZED (
        SELECT taken.judgment_id AS id,
            (SELECT s.last_number FROM annotation_judgmentsequence s WHERE s.task_id = $1)
                + row_number() OVER (ORDER BY taken.judgment_id) AS number,
            j.judge_id, j.submitted_at, j.active_ms, cardinality(j.labels) AS candidates,
            j.supersedes_id IS NULL AND j.control = '' AS is_first,
            j.assignment_id IS NOT NULL AS is_lent,
            k.id IS NOT NULL AND NOT k.waits AND j.control = '' AS was_skipped,
            j.supersedes_id IS NULL AND (k.id IS NULL OR k.waits AND (
                NOT k.is_new OR j.submitted_at < k.created_at
            )) AS is_sentence
        FROM taken
        CROSS JOIN LATERAL (
            SELECT j.judge_id, j.submitted_at, j.active_ms, j.labels, j.supersedes_id,
                j.assignment_id, j.block_id,
                (SELECT b.control FROM annotation_block b WHERE b.id = j.block_id) AS control
            FROM annotation_judgment j WHERE j.id = taken.judgment_id OFFSET 0
        ) j
        LEFT JOIN LATERAL (
            SELECT k.id, k.created_at,
                coalesce(k.id <= (SELECT last.skip_id FROM last), false) AS is_new,
                EXISTS (
                    SELECT FROM annotation_uncountedanswer u
                    WHERE u.task_id = $1 AND u.is_skip AND u.answer = k.id OFFSET 0
                ) AS waits
            FROM annotation_skip k
            WHERE j.supersedes_id IS NULL AND k.judge_id = j.judge_id AND k.block_id = j.block_id
            OFFSET 0
        ) k ON true
    ), skipped AS MATERIALIZED (
        SELECT k.judge_id, k.created_at, k.active_ms, k.assignment_id IS NOT NULL AS is_lent,
            b.control = '' AND (j.id IS NULL OR j.waits AND NOT j.is_new) AS is_standing,
            j.id IS NULL OR j.waits AND (
                NOT j.is_new OR k.created_at <= j.submitted_at
            ) AS is_sentence
        FROM taken_skip
        CROSS JOIN LATERAL (
            SELECT * FROM annotation_skip k WHERE k.id = taken_skip.skip_id OFFSET 0
        ) k
        CROSS JOIN LATERAL (
            SELECT b.control FROM annotation_block b WHERE b.id = k.block_id OFFSET 0
        ) b
        LEFT JOIN LATERAL (
            SELECT j.id, j.submitted_at,
                coalesce(j.id <= (SELECT last.judgment_id FROM last), false) AS is_new,
                EXISTS (
                    SELECT FROM annotation_uncountedanswer u
                    WHERE u.task_id = $1 AND NOT u.is_skip AND u.answer = j.id OFFSET 0
                ) AS waits
            FROM annotation_judgment j
            WHERE j.judge_id = k.judge_id AND j.block_id = k.block_id AND j.supersedes_id IS NULL
            OFFSET 0
        ) j ON true
    ), stored AS (
        INSERT INTO annotation_judgmentnumber (judgment_id, task_id, number)
        SELECT id, $1, number FROM numbered
    ), done AS MATERIALIZED (
        SELECT judge_id, submitted_at AS at, active_ms, is_lent, is_sentence, is_first, was_skipped,
            CASE WHEN is_first THEN number END AS first_number, false AS is_standing
        FROM numbered
        UNION ALL
        SELECT judge_id, created_at, active_ms, is_lent, is_sentence, false, false, NULL, is_standing
        FROM skipped
    ), judge AS MATERIALIZED (
        SELECT judge_id, count(*) FILTER (WHERE is_first) AS judged,
            min(first_number) AS first_number, min(at) FILTER (WHERE is_first) AS first_at,
            count(*) FILTER (WHERE is_standing) AS skipped,
            count(*) FILTER (WHERE was_skipped) AS taken_back, max(at) AS last_at
        FROM done GROUP BY judge_id
    ), tally AS (
        INSERT INTO annotation_judgetally AS t
            (task_id, judge_id, judged, first_number, first_at, skipped, taken_back, last_at)
        SELECT $1, judge_id, judged, first_number, first_at, skipped, taken_back, last_at FROM judge
        ON CONFLICT (task_id, judge_id) DO UPDATE
        SET judged = t.judged + EXCLUDED.judged,
            first_number = least(t.first_number, EXCLUDED.first_number),
            first_at = least(t.first_at, EXCLUDED.first_at),
            skipped = t.skipped + EXCLUDED.skipped,
            taken_back = t.taken_back + EXCLUDED.taken_back,
            last_at = greatest(t.last_at, EXCLUDED.last_at)
    ), worked AS (
        INSERT INTO annotation_workedquarterhour AS w
            (judge_id, task_id, start, sentences, active_ms, untimed, judged)
        SELECT judge_id, $1, date_bin('15 minutes', at, TIMESTAMPTZ '2000-01-01 00:00+00'),
            count(*) FILTER (WHERE is_lent AND is_sentence),
            coalesce(sum(active_ms) FILTER (WHERE is_lent), 0),
            count(*) FILTER (WHERE is_lent AND active_ms IS NULL), count(*) FILTER (WHERE is_first)
        FROM done WHERE is_lent OR is_first GROUP BY 1, 3
        ON CONFLICT (judge_id, task_id, start) DO UPDATE
        SET sentences = w.sentences + EXCLUDED.sentences,
            active_ms = w.active_ms + EXCLUDED.active_ms, untimed = w.untimed + EXCLUDED.untimed,
            judged = w.judged + EXCLUDED.judged
    )
    UPDATE annotation_judgmentsequence s
    SET last_number = s.last_number + batch.judgments, judged = s.judged + batch.judged,
        judges = s.judges + (
            SELECT count(*) FROM judge WHERE judge.judged > 0 AND NOT EXISTS (
                SELECT FROM annotation_judgetally t
                WHERE t.task_id = $1 AND t.judge_id = judge.judge_id AND t.judged > 0 OFFSET 0
            )
        ),
        skipped = s.skipped + (SELECT coalesce(sum(skipped - taken_back), 0) FROM judge),
        most_candidates = greatest(s.most_candidates, batch.most_candidates),
        changes = s.changes + 1
    FROM (
        SELECT count(*) AS judgments, count(*) FILTER (WHERE is_first) AS judged,
            max(candidates) AS most_candidates, (SELECT count(*) FROM skipped) AS skips
        FROM numbered
    ) batch
    WHERE s.task_id = $1 AND batch.judgments + batch.skips > 0
    RETURNING greatest(batch.judgments, batch.skips), s.last_number
    """,
    first=_JUDGMENT_SEQUENCE_LOCK,
)


@transaction.atomic
def ranking_request(*, task_id: int) -> None:
    """Request a ranking on commit, unless one was requested recently and has not begun.

    A request older than `REQUEST_TIMEOUT_SECONDS` counts as lost, so another one is sent. Never
    waits for another transaction's lock on the row, except for the very first request of a task.
    """
    rows = PageChanges.objects.filter(pk=task_id)
    # Inserting an existing row would wait for its lock, even with conflicts ignored.
    if not rows.exists():
        PageChanges.objects.bulk_create([PageChanges(task_id=task_id)], ignore_conflicts=True)
    is_lost = Q(ranking_requested_at__lte=Now() - timedelta(seconds=REQUEST_TIMEOUT_SECONDS))
    unanswered = rows.filter(is_lost | Q(ranking_requested_at=None))
    if not unanswered.exists():
        return
    if unanswered.select_for_update(skip_locked=True).exists():
        rows.update(ranking_requested_at=Now())
    # Sent even if another transaction holds the row, because a surplus message causes no second
    # ranking.
    transaction.on_commit(partial(ranking_enqueue, task_id))


def ranking_request_clear(*, task_id: int) -> None:
    """Allow the next judgment to request a ranking again. Called before the judgments are read."""
    requested = PageChanges.objects.filter(pk=task_id, ranking_requested_at__isnull=False)
    requested.update(ranking_requested_at=None)


logger = logging.getLogger(__name__)

# A batch takes 0.1 to 0.2 s, during which other callers wait.
_BATCH: Final = 5_000


def judgments_number(*, task_id: int) -> int:
    """Assign numbers to the committed judgments of a task, and return the last number.

    Skips are counted with them.

    Locks the task's `JudgmentSequence`: outside a transaction, for one batch at a time; inside one,
    for all waiting judgments until the commit. May be called concurrently; submissions never wait
    for it. One query if all judgments have a number.
    """
    is_waiting, last = _standing(task_id)
    if not is_waiting:
        return last
    # Inside a transaction, the lock is held to the end, and each batch would scan the rows deleted
    # by earlier ones, which took half of the numbering time in an import of a million judgments.
    batch = None if connection.in_atomic_block else _BATCH
    while (row := JUDGMENTS_NUMBER.row(task_id, task_id, batch)) and row[0] == batch:
        pass
    # None if another transaction has numbered the last ones.
    return int(row[1]) if row else _standing(task_id)[1]


def waiting_judgments_number(*, campaign: Campaign | None = None) -> None:
    """Assign numbers to the committed judgments of all tasks, and count skips with them."""
    waiting = UncountedAnswer.objects.values_list("task_id", flat=True)
    if campaign is not None:
        waiting = waiting.filter(task__test_set__campaign=campaign)
    for task_id in waiting.order_by("task_id").distinct():
        try:
            judgments_number(task_id=task_id)
        except DatabaseError:
            # Other tasks must not wait until this one is fixed.
            logger.exception("Judgments of task %s could not be numbered.", task_id)


def _standing(task_id: int) -> tuple[bool, int]:
    """Return whether a judgment or skip of the task is waiting, and the last number."""
    is_waiting = Exists(UncountedAnswer.objects.filter(task=OuterRef("pk")))
    rows = Task.objects.filter(pk=task_id).values_list(is_waiting, "judgment_sequence__last_number")
    waits, last = rows.get()
    return waits, last or 0


def counters_check(*, task_id: int) -> list[str]:
    """Return the names of a task's counters that differ from its judgments.

    Reads both from one snapshot, in which they agree, because one transaction numbers judgments and
    counts them. Locks nothing; raises RuntimeError inside a transaction.
    """
    with one_snapshot():
        return _compared(task_id)[1]


@transaction.atomic
def counters_rebuild(*, task_id: int) -> list[str]:
    """Recount a task's judgments, and return the names of the counters that were wrong.

    Locks the task's `JudgmentSequence`, creating it if necessary: numbering waits for this, but
    submissions do not.
    """
    JudgmentSequence.objects.select_for_update().get_or_create(task_id=task_id)
    counted, wrong = _compared(task_id)
    if wrong:
        _write(task_id, counted)
    return wrong


def _compared(task_id: int) -> tuple[Counters, list[str]]:
    """Return the counters computed from the judgments, and the names of the stored ones that differ."""
    counted = counters_counted(task_id=task_id)
    return counted, counted.differing(counters_stored(task_id=task_id))


def _write(task_id: int, counted: Counters) -> None:
    JudgmentSequence.objects.filter(pk=task_id).update(
        judged=counted.judged,
        judges=counted.judges,
        skipped=counted.skipped,
        most_candidates=counted.most_candidates,
        changes=F("changes") + 1,
    )
    JudgeTally.objects.filter(task=task_id).delete()
    JudgeTally.objects.bulk_create(
        JudgeTally(task_id=task_id, judge_id=judge, **dict(zip(TALLY, columns, strict=True)))
        for judge, columns in counted.tallies.items()
    )
    WorkedQuarterHour.objects.filter(task=task_id).delete()
    WorkedQuarterHour.objects.bulk_create(
        WorkedQuarterHour(
            task_id=task_id, judge_id=judge, start=start, **dict(zip(WORKED, counts, strict=True))
        )
        for (judge, start), counts in counted.worked.items()
    )


def pages_changed(
    task_ids: Iterable[int], *, problem_reports: int = 0, problems_closed: int = 0
) -> None:
    """Invalidate the pages of tasks; call it in the transaction that changed them.

    The numbers are added to the counts of problem reports. Locks the rows of the tasks, in the order of their ids.
    """
    ids = sorted(task_ids)
    PageChanges.objects.bulk_create(
        [PageChanges(task_id=each) for each in ids], ignore_conflicts=True
    )
    rows = PageChanges.objects.filter(task__in=ids)
    list(rows.order_by("task").select_for_update().values_list("task_id"))
    rows.update(
        changes=F("changes") + 1,
        problem_reports=F("problem_reports") + problem_reports,
        problems_closed=F("problems_closed") + problems_closed,
    )


def judgment_webhooks_record() -> int:
    """Put messages that endpoints have not yet received into the outbox; return their number."""
    asking = endpoints_asking(WebhookEvent.JUDGMENTS)
    return sum(_record(pk) for pk in asking.values_list("pk", flat=True))


@transaction.atomic
def _record(endpoint_id: int) -> int:
    """Put the batches of one endpoint into the outbox. Locks its row; 0 if another worker has it."""
    rows = WebhookEndpoint.objects.select_for_update(skip_locked=True, of=("self",))
    endpoint = rows.select_related("campaign").filter(pk=endpoint_id).first()
    if endpoint is None:
        return 0
    sequences = JudgmentSequence.objects.filter(
        task__test_set__campaign=endpoint.campaign_id, last_number__gt=0
    ).select_related("task__test_set")
    put = sum(_batch_put(endpoint, sequence) for sequence in sequences.order_by("task_id"))
    if put:
        endpoint.save(update_fields=["judgments_told"])
    return put


def _batch_put(endpoint: WebhookEndpoint, sequence: JudgmentSequence) -> bool:
    last, told = sequence.last_number, endpoint.judgments_told.get(str(sequence.task_id), 0)
    if last <= told:
        return False
    data = {
        "task": sequence.task_id,
        "test_set": sequence.task.test_set.name,
        "protocol": sequence.task.protocol,
        "first": told + 1,
        "watermark": last,
        "count": last - told,
    }
    if not message_put(endpoint=endpoint, event=WebhookEvent.JUDGMENTS, data=data):
        return False
    endpoint.judgments_told[str(sequence.task_id)] = last
    return True

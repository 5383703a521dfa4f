"""Number judgments after their commit, update the counters that pages read, and notify the ranking and webhooks.

Judging and numbering write nothing for webhooks: each endpoint stores the last number sent to it,
and the task's counter is the last number assigned, so no batch is lost or sent twice.
"""

import logging
from collections.abc import Collection, Iterable
from datetime import timedelta
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from django.db import DatabaseError, connection, transaction
from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)
from django.db.models.functions import Now

from annotation.models import (
    JudgeTally,
    JudgmentNumber,
    JudgmentSequence,
    PageChanges,
    Skip,
    UncountedAnswer,
    WorkedQuarterHour,
)
from annotation.selectors.counted import (
    CountedQuarterHour,
    CountedTally,
    quarter_hours_counted,
    tallies_counted,
)
from annotation.services.notification import REQUEST_TIMEOUT_SECONDS, ranking_enqueue
from campaign.models import Campaign, Task, WebhookEndpoint, WebhookEvent
from campaign.selectors.webhooks import endpoints_asking
from campaign.services.webhooks import message_put

Counted = TypeVar("Counted", CountedTally, CountedQuarterHour)

# Judgments are numbered after their commit, without gaps and in commit order: a judgment that begins
# after another was committed has the larger primary key, and a transaction that sees it also sees the
# earlier one, which is therefore in an earlier batch or earlier in the same one. The lock of the
# sequence is held until the commit: no number becomes visible before the smaller ones, and a rollback
# returns its numbers.
#
# One statement, so that all parts see the same waiting rows. It looks them up by the largest primary
# key of the batch, which costs the same whatever the statistics of the table say.
_JUDGMENTS_NUMBER: Final = """
    WITH batch AS MATERIALIZED (
        SELECT max(first.answer) AS last_id FROM (
            SELECT answer FROM annotation_uncountedanswer
            WHERE task_id = %(task)s AND NOT is_skip ORDER BY answer LIMIT %(limit)s
        ) first
    ), taken AS (
        DELETE FROM annotation_uncountedanswer
        WHERE task_id = %(task)s AND NOT is_skip AND answer <= (SELECT last_id FROM batch)
        RETURNING answer
    )
    INSERT INTO annotation_judgmentnumber (judgment_id, task_id, number)
    SELECT answer, %(task)s, %(last)s + row_number() OVER (ORDER BY answer) FROM taken
"""


@transaction.atomic
def ranking_request(*, task_id: int) -> None:
    """Request a ranking on commit, unless one was requested recently and has not begun.

    A request older than `REQUEST_TIMEOUT_SECONDS` counts as lost, so another one is sent. Never
    waits for another transaction's lock on the row, except for the very first request of a task.
    """
    rows = PageChanges.objects.filter(pk=task_id)
    is_lost = Q(
        ranking_requested_at__lte=Now() - timedelta(seconds=REQUEST_TIMEOUT_SECONDS),
    )
    is_due = Q(ranking_requested_at=None) | is_lost
    due = rows.values_list(ExpressionWrapper(is_due, BooleanField()), flat=True).first()
    if due is False:
        return
    # Inserting an existing row would wait for its lock, even with conflicts ignored.
    if due is None:
        PageChanges.objects.bulk_create(
            [PageChanges(task_id=task_id)],
            ignore_conflicts=True,
        )
    if rows.filter(is_due).select_for_update(skip_locked=True).exists():
        rows.update(ranking_requested_at=Now())
    # Sent even if another transaction holds the row, because a surplus message causes no second
    # ranking.
    transaction.on_commit(partial(ranking_enqueue, task_id))


def ranking_request_clear(*, task_id: int) -> None:
    """Allow the next judgment to request a ranking again. Called before the judgments are read."""
    requested = PageChanges.objects.filter(
        pk=task_id,
        ranking_requested_at__isnull=False,
    )
    requested.update(ranking_requested_at=None)


logger = logging.getLogger(__name__)

# A batch takes some tenths of a second, during which other callers wait.
_BATCH: Final = 5_000


def judgments_number(*, task_id: int) -> int:
    """Assign numbers to the committed judgments of a task, and return the last number.

    Skips are counted with them, and the counters that pages read.

    Locks the task's `JudgmentSequence`: outside a transaction, for one batch at a time; inside one,
    for all waiting judgments until the commit. May be called concurrently; submissions never wait
    for it. One query if all judgments have a number.
    """
    is_waiting, last = _standing(task_id)
    # Inside a transaction, the lock is held to the end, and each batch would scan the rows deleted
    # by earlier ones, which took half of the numbering time in an import of a million judgments.
    if connection.in_atomic_block:
        limit = None
    else:
        limit = _BATCH
    while is_waiting:
        batch = _batch_number(task_id=task_id, limit=limit)
        last = batch.last_number
        is_waiting = batch.is_full
    return last


class _Batch(NamedTuple):
    last_number: int
    is_full: bool


@transaction.atomic
def _batch_number(*, task_id: int, limit: int | None) -> _Batch:
    """Assign numbers to a batch of judgments, count a batch of skips, and recount their judges."""
    sequence, _is_new = JudgmentSequence.objects.select_for_update().get_or_create(
        task_id=task_id,
    )
    before = sequence.last_number
    with connection.cursor() as cursor:
        cursor.execute(
            _JUDGMENTS_NUMBER,
            {"task": task_id, "limit": limit, "last": before},
        )
        sequence.last_number += cursor.rowcount
    waiting_skips = UncountedAnswer.objects.filter(task=task_id, is_skip=True)
    skips = list(
        waiting_skips.order_by("answer").values_list("answer", flat=True)[:limit],
    )
    waiting_skips.filter(answer__in=skips).delete()
    if sequence.last_number > before or skips:
        new = JudgmentNumber.objects.filter(task=task_id, number__gt=before)
        most = new.aggregate(most=Max("judgment__labels__len", default=0))["most"]
        sequence.most_candidates = max(sequence.most_candidates, most)
        judges = {
            *new.values_list("judgment__judge", flat=True).distinct(),
            *Skip.objects.filter(pk__in=skips)
            .values_list("judge", flat=True)
            .distinct(),
        }
        _recount(sequence, judges)
    largest = max(sequence.last_number - before, len(skips))
    return _Batch(sequence.last_number, is_full=largest == limit)


def _recount(sequence: JudgmentSequence, judges: Collection[int] | None = None) -> None:
    """Recount judges, all by default, and store the sequence, whose row the caller has locked."""
    tallies = JudgeTally.objects.filter(task=sequence.task_id)
    worked = WorkedQuarterHour.objects.filter(task=sequence.task_id)
    if judges is None:
        of_judges = Q()
    else:
        of_judges = Q(judge__in=judges)
    counted_tallies = tallies_counted(task_id=sequence.task_id, judges=judges)
    counted_hours = quarter_hours_counted(task_id=sequence.task_id, judges=judges)
    _rows_replace(
        sequence.task_id,
        tallies.filter(of_judges),
        CountedTally,
        counted_tallies,
    )
    _rows_replace(
        sequence.task_id,
        worked.filter(of_judges),
        CountedQuarterHour,
        counted_hours,
    )
    totals = tallies.aggregate(
        total_judged=Sum("judged", default=0),
        total_judges=Count("pk", filter=Q(judged__gt=0)),
        total_skipped=Sum("skipped", default=0),
    )
    sequence.judged = totals["total_judged"]
    sequence.judges = totals["total_judges"]
    sequence.skipped = totals["total_skipped"]
    sequence.changes += 1
    sequence.save()


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
            logger.exception("Numbering the judgments of task %s failed.", task_id)


def _standing(task_id: int) -> tuple[bool, int]:
    """Return whether a judgment or skip of the task is waiting, and the last number."""
    is_waiting = Exists(UncountedAnswer.objects.filter(task=OuterRef("pk")))
    rows = Task.objects.filter(pk=task_id).values_list(
        is_waiting,
        "judgment_sequence__last_number",
    )
    waits, last = rows.get()
    return waits, last or 0


@transaction.atomic
def counters_rebuild(*, task_id: int) -> None:
    """Recount all judges of a task, after blocks have begun or ceased to count.

    Locks the task's `JudgmentSequence`, creating it if necessary: numbering waits for this, but
    submissions do not.
    """
    sequence, _is_new = JudgmentSequence.objects.select_for_update().get_or_create(
        task_id=task_id,
    )
    _recount(sequence)


def _rows_replace(
    task_id: int,
    stored: QuerySet[Any],
    kind: type[Counted],
    counted: set[Counted],
) -> None:
    """Replace the stored rows of a task by the counted ones; equal rows stay as they are."""
    equal = set()
    stale = []
    for columns in stored.values("pk", *kind._fields):
        pk = columns.pop("pk")
        row = kind(**columns)
        if row in counted:
            equal.add(row)
        else:
            stale.append(pk)
    stored.filter(pk__in=stale).delete()
    model = stored.model
    model.objects.bulk_create(
        model(task_id=task_id, **row._asdict()) for row in counted - equal
    )


def pages_changed(
    task_ids: Iterable[int],
    *,
    problem_reports: int = 0,
    problems_closed: int = 0,
) -> None:
    """Invalidate the pages of tasks; call it in the transaction that changed them.

    The numbers are added to the counts of problem reports. Locks the rows of the tasks, in the order of their ids.
    """
    ids = sorted(task_ids)
    PageChanges.objects.bulk_create(
        [PageChanges(task_id=task_id) for task_id in ids],
        ignore_conflicts=True,
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
        task__test_set__campaign=endpoint.campaign_id,
        last_number__gt=0,
    ).select_related("task__test_set")
    put = sum(
        _batch_put(endpoint, sequence) for sequence in sequences.order_by("task_id")
    )
    if put:
        endpoint.save(update_fields=["judgments_told"])
    return put


def _batch_put(endpoint: WebhookEndpoint, sequence: JudgmentSequence) -> bool:
    last = sequence.last_number
    sent = endpoint.judgments_told.get(str(sequence.task_id), 0)
    if last <= sent:
        return False
    data = {
        "task": sequence.task_id,
        "test_set": sequence.task.test_set.name,
        "protocol": sequence.task.protocol,
        "first": sent + 1,
        "watermark": last,
        "count": last - sent,
    }
    if not message_put(endpoint=endpoint, event=WebhookEvent.JUDGMENTS, data=data):
        return False
    endpoint.judgments_told[str(sequence.task_id)] = last
    return True

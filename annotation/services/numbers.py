"""Give judgments their numbers after their commit, keep the counters that pages read, and tell the ranking and webhooks.

Nothing is written while somebody judges or while judgments are numbered: how far an endpoint was told stands in its
marks, and the counter of a task says how far there is to tell. So no batch is lost and none told twice.
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
from annotation.selectors.counted import Counters, counters_counted, counters_stored
from annotation.sql.judgments_number import JUDGMENTS_NUMBER
from campaign.database.replica import replica_is_asked
from campaign.database.transactions import one_snapshot
from campaign.models import Task, WebhookEndpoint, WebhookEvent, WebhookMark
from campaign.selectors.webhooks import endpoints_asking
from campaign.services.webhooks import message_put


@transaction.atomic
def ranking_request(*, task_id: int) -> None:
    """Request a ranking on commit, unless one was requested recently and has not begun.

    A request older than `REQUEST_TIMEOUT_SECONDS` counts as lost, so another one is sent. Waits for whoever
    requests the same, or changes pages, until their commit.
    """
    PageChanges.objects.bulk_create([PageChanges(task_id=task_id)], ignore_conflicts=True)
    is_lost = Q(ranking_requested_at__lte=Now() - timedelta(seconds=REQUEST_TIMEOUT_SECONDS))
    unanswered = PageChanges.objects.filter(is_lost | Q(ranking_requested_at=None), pk=task_id)
    if unanswered.update(ranking_requested_at=Now()):
        transaction.on_commit(partial(ranking_enqueue, task_id))


def ranking_request_clear(*, task_id: int) -> None:
    """Let the next judgment request a ranking again. Called before the judgments are read."""
    requested = PageChanges.objects.filter(pk=task_id, ranking_requested_at__isnull=False)
    requested.update(ranking_requested_at=None)


logger = logging.getLogger(__name__)

# A batch takes a tenth of a second or two, and as long do others wait who give numbers.
_BATCH: Final = 5_000


def judgments_number(*, task_id: int) -> int:
    """Give the committed judgments of a test set their numbers, and return the last number.

    Skips are counted with them.

    Takes the lock of the test set's `JudgmentSequence`, for a batch at a time outside a transaction; inside one
    for all that wait at once, until the commit. Any number of callers may do so at once; those who submit wait for none of them.
    One query where all have a number. A replica is asked only up to which number it has judgments.
    """
    is_waiting, last = _standing(task_id)
    if not is_waiting or replica_is_asked():
        return last
    # Inside a transaction the lock is held to its end, and each batch would walk over the rows that those
    # before it took: an import of a million spent half of its numbering on them.
    batch = None if connection.in_atomic_block else _BATCH
    while (row := JUDGMENTS_NUMBER.row(task_id, task_id, batch)) and row[0] == batch:
        pass
    # None if somebody else gave the last ones theirs.
    return int(row[1]) if row else _standing(task_id)[1]


def waiting_judgments_number() -> None:
    """Give the committed judgments of all test sets their numbers, and count skips with them."""
    waiting = UncountedAnswer.objects.values_list("task_id", flat=True)
    for task_id in waiting.order_by("task_id").distinct():
        try:
            judgments_number(task_id=task_id)
        except DatabaseError:
            # The other test sets must not wait until this one is mended.
            logger.exception("Judgments of test set %s could not be numbered.", task_id)


def _standing(task_id: int) -> tuple[bool, int]:
    """Return whether a judgment or skip of the test set waits, and the last number."""
    is_waiting = Exists(UncountedAnswer.objects.filter(task=OuterRef("pk")))
    rows = Task.objects.filter(pk=task_id).values_list(is_waiting, "judgment_sequence__last_number")
    waits, last = rows.get()
    return waits, last or 0


def counters_check(*, task_id: int) -> list[str]:
    """Return the names of the counters of a test set that are not what its judgments say.

    Reads both from one snapshot, in which they fit together, since one transaction numbers judgments and
    counts them. Locks nothing; raises RuntimeError inside a transaction.
    """
    with one_snapshot():
        return _compared(task_id)[1]


@transaction.atomic
def counters_rebuild(*, task_id: int) -> list[str]:
    """Count a test set's judgments anew, and return the names of the counters that were wrong.

    Locks the test set's `JudgmentSequence`, and makes it where there is none yet: whoever numbers judgments
    waits, whoever submits does not.
    """
    JudgmentSequence.objects.select_for_update().get_or_create(task_id=task_id)
    counted, wrong = _compared(task_id)
    if wrong:
        _write(task_id, counted)
    return wrong


def _compared(task_id: int) -> tuple[Counters, list[str]]:
    """Return what the judgments say, and what is stored otherwise."""
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
        JudgeTally(
            task_id=task_id,
            judge_id=judge,
            judged=tally.judged,
            first_number=tally.first_number,
            first_at=tally.first_at,
            last_at=tally.last_at,
            skipped=tally.skipped,
        )
        for judge, tally in counted.tallies.items()
    )
    WorkedQuarterHour.objects.filter(task=task_id).delete()
    WorkedQuarterHour.objects.bulk_create(
        WorkedQuarterHour(
            task_id=task_id,
            judge_id=judge,
            start=start,
            sentences=worked.sentences,
            active_ms=worked.active_ms,
            untimed=worked.untimed,
            judged=worked.judged,
        )
        for (judge, start), worked in counted.worked.items()
    )


def pages_changed(
    task_ids: Iterable[int], *, problem_reports: int = 0, problems_closed: int = 0
) -> None:
    """Have pages of tasks look anew, replicas' too; in the transaction that changed them.

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
    """Put what endpoints do not know yet into the outbox; return the number of messages."""
    asking = endpoints_asking(WebhookEvent.JUDGMENTS)
    return sum(_record(pk) for pk in asking.values_list("pk", flat=True))


@transaction.atomic
def _record(endpoint_id: int) -> int:
    """Put the batches of one endpoint into the outbox. Locks its row; 0 if another worker has it."""
    rows = WebhookEndpoint.objects.select_for_update(skip_locked=True, of=("self",))
    endpoint = rows.select_related("campaign").filter(pk=endpoint_id).first()
    if endpoint is None:
        return 0
    told = dict(endpoint.marks.values_list("task_id", "number"))
    sequences = JudgmentSequence.objects.filter(
        task__test_set__campaign=endpoint.campaign_id, last_number__gt=0
    ).select_related("task__test_set")
    return sum(
        _batch_put(endpoint, sequence, told.get(sequence.task_id, 0))
        for sequence in sequences.order_by("task_id")
    )


def _batch_put(endpoint: WebhookEndpoint, sequence: JudgmentSequence, told: int) -> bool:
    last = sequence.last_number
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
    WebhookMark.objects.update_or_create(
        endpoint=endpoint, task_id=sequence.task_id, defaults={"number": last}
    )
    return True

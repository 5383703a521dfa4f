"""Compare the counters that pages read with the judgments and skips, and count them anew."""

from django.db import transaction
from django.db.models import F

from annotation.models import JudgedQuarterHour, JudgeTally, JudgmentSequence, WorkedQuarterHour
from annotation.selectors.counted import Counters, counters_counted, counters_stored
from campaign.database.transactions import one_snapshot


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
    JudgedQuarterHour.objects.filter(task=task_id).delete()
    JudgedQuarterHour.objects.bulk_create(
        JudgedQuarterHour(task_id=task_id, start=start, judged=judged)
        for start, judged in counted.quarter_hours.items()
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
        )
        for (judge, start), worked in counted.worked.items()
    )

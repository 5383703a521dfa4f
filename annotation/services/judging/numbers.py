"""Give judgments their numbers, after their commit, and count them and skips."""

import logging
from typing import Final

from django.db import DatabaseError, connection
from django.db.models import Exists, OuterRef

from annotation.models import UncountedSkip, UnnumberedJudgment
from annotation.sql.judgments_number import JUDGMENTS_NUMBER
from campaign.database.replica import replica_is_asked
from campaign.models import Task

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
    waiting = UnnumberedJudgment.objects.values("task_id").union(
        UncountedSkip.objects.values("task_id")
    )
    for task_id in sorted(row["task_id"] for row in waiting):
        try:
            judgments_number(task_id=task_id)
        except DatabaseError:
            # The other test sets must not wait until this one is mended.
            logger.exception("Judgments of test set %s could not be numbered.", task_id)


def _standing(task_id: int) -> tuple[bool, int]:
    """Return whether a judgment or skip of the test set waits, and the last number."""
    here = {"task_id": OuterRef("pk")}
    judgments = UnnumberedJudgment.objects.filter(**here)
    skips = UncountedSkip.objects.filter(**here)
    rows = Task.objects.filter(pk=task_id)
    *waiting, last = rows.values_list(
        Exists(judgments), Exists(skips), "judgment_sequence__last_number"
    ).get()
    return any(waiting), last or 0

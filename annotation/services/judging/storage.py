"""Store a judgment in one round trip, which is one transaction.

The lock is taken first and by a statement of its own, so that the second
statement sees what another tab of the judge committed in the meantime.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, connection
from django.db.models import Model

from annotation.models import Judgment
from annotation.notification import REQUEST_TIMEOUT_SECONDS
from annotation.services.judging.limits import REVISIONS_A_BLOCK, REVISIONS_A_MINUTE
from annotation.services.judging.notifications import ranking_request
from annotation.sql.answer_store import answer_columns, answer_statement
from annotation.sql.assignment_close import ASSIGNMENT_CLOSE
from annotation.sql.assignment_lock import ASSIGNMENT_LOCK
from annotation.sql.judgment_store import JUDGMENT_STORE


def assignment_lock(assignment_id: int) -> None:
    """Lock the assignment's row until the commit; the judge's other tabs wait."""
    ASSIGNMENT_LOCK.rows(assignment_id)


def assignment_close_if_done(assignment_id: int, *, done: int) -> None:
    """Close the assignment and its HIT if its judge has left no block undone but `done`.

    The caller's transaction holds the lock of the assignment's row.
    """
    ASSIGNMENT_CLOSE.rows(assignment_id, done)


def judgment_store(
    judgment: Judgment, *, answer: tuple[type[Model], Mapping[str, Any]] | None = None
) -> bool:
    """Store a judgment; return whether it was stored. `judgments_number` gives it its number later.

    With `answer`, the model of a protocol's answers and the fields of one, that is stored in the same round trip.

    It supersedes the judge's last judgment of the same block. Closes the assignment if it was the
    last block, and requests a ranking unless one is requested already. Returns False if a judgment
    with this `client_id` exists, or a limit on revisions allows no more.
    """
    try:
        stored = _row_stored(judgment, answer)
    except IntegrityError:
        # The statement does not see an id that another judge's request stores at the same moment;
        # the unique column does. Inside a transaction of the caller's nothing can be asked any more.
        if connection.in_atomic_block or not _is_stored(judgment):
            raise
        return False
    if stored is None:
        return False
    judgment.pk, judgment.supersedes_id, judgment.submitted_at, is_requested = stored
    if not is_requested:
        ranking_request(task_id=judgment.task_id)
    return True


def _row_stored(
    judgment: Judgment, answer: tuple[type[Model], Mapping[str, Any]] | None
) -> tuple[Any, ...] | None:
    values = (
        judgment.assignment_id,
        *(judgment.assignment_id, judgment.block_id, judgment.task_id),
        *(str(judgment.client_id), judgment.judge_id, judgment.labels),
        *(judgment.duration_ms, judgment.active_ms, judgment.comment),
        timedelta(seconds=REQUEST_TIMEOUT_SECONDS),
        *(REVISIONS_A_BLOCK, REVISIONS_A_MINUTE),
    )
    if answer is None:
        return JUDGMENT_STORE.row(*values)
    model, said = answer
    return answer_statement(model).row(*values, *(said[column] for column in answer_columns(model)))


def _is_stored(judgment: Judgment) -> bool:
    return Judgment.objects.filter(client_id=judgment.client_id).exists()

"""Let judges decline to take part, and carry out their erasure requests."""

import logging

from django.db import transaction
from django.db.models.functions import Now

from annotation.services.lending.lend import assignments_release
from campaign.database.many_rows import row_locked
from campaign.models import ErasureRequest, Judge, MailKind, User
from campaign.services.erasures import (
    FILES_NAMING_JUDGES,
    ErasureRefusedError,
    answered_already,
    erasure_judge_tell,
    erasure_mails_stop,
    files_naming_judges,
    judge_unlink,
)
from campaign.services.exported_files import exported_files_delete


@transaction.atomic
def judge_decline(*, judge: Judge) -> None:
    """Record that a judge declines, and release their HITs; repeating it changes nothing.

    They are lent nothing until `judge_take_part`; their judgments stay. Locks the judge's row.
    """
    locked = row_locked(judge)
    if locked.declined_at is not None:
        return
    locked.declined_at = Now()
    locked.save(update_fields=["declined_at"])
    assignments_release(judge=locked)


@transaction.atomic
def judge_take_part(*, judge: Judge) -> None:
    """Undo `judge_decline`: the judge is lent HITs again."""
    Judge.objects.filter(pk=judge.pk).update(declined_at=None)


logger = logging.getLogger(__name__)


@transaction.atomic
def erasure_carry_out(*, request: ErasureRequest, by: User | None) -> ErasureRequest:
    """Permanently unlink the judge of a request, and notify them by mail; return the request with the removed data.

    Exported files that name the campaign's judges are deleted, too. The pseudonym stays, because
    content keys contain it; so all rankings, including saved and published ones, stay identical bit
    for bit. `by` is None if the time limit has passed, and for a command. Locks the judge's row.
    Raises `ErasureRefusedError`.
    """
    judge = Judge.objects.select_for_update(no_key=True).get(pk=request.judge_id)
    open_requests = ErasureRequest.objects.open().select_for_update(no_key=True)
    if not open_requests.filter(pk=request.pk):
        raise ErasureRefusedError(answered_already())
    assignments_release(judge=judge)
    # Must be sent while their address is still known.
    erasure_mails_stop(judge=judge)
    erasure_judge_tell(request=request, kind=MailKind.ERASURE_CARRIED_OUT)
    files = exported_files_delete(files_naming_judges(judge=judge))
    removed = {**judge_unlink(judge=judge), FILES_NAMING_JUDGES: files}
    ErasureRequest.objects.filter(pk=request.pk).update(
        carried_out_at=Now(),
        answered_by=by,
        removed=removed,
    )
    request.refresh_from_db()
    return request


def erasures_due_carry_out() -> int:
    """Carry out the requests left unanswered for `ERASURE_PATIENCE`; return their number.

    Each runs in its own transaction; one that fails is logged and retried next time.
    """
    count = 0
    for request in ErasureRequest.objects.due():
        try:
            erasure_carry_out(request=request, by=None)
            count += 1
        except ErasureRefusedError:
            continue  # It was answered a moment ago.
        except Exception:
            # Other requests must not wait until this one is fixed.
            logger.exception("Erasure request %s failed.", request.pk)
    return count

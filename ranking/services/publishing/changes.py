"""What changes of a published result: who may see it, and whether it is retracted."""

import secrets
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from ranking.models import PublishedResult
from ranking.selectors.frozen_facts import systems_entered
from ranking.services.publishing.naming import hidden_names
from ranking.services.publishing.publish import embargo_check
from ranking.services.publishing.refusals import PublishingRefusedError, text_check


@transaction.atomic
def result_embargo_change(*, result: PublishedResult, until: datetime | None) -> bool:
    """Set until when a result is under an embargo, None to end it now; return whether that is new.

    Raises `PublishingRefusedError` for a result that is open, which is retracted and not hidden, and
    for a moment that is over.
    """
    locked, now = _locked(result)
    if locked.embargo_until == until:
        return False
    if locked.embargo_until is None or locked.embargo_until <= now:
        raise PublishingRefusedError(
            _("This version is open to everybody. It can be retracted, not hidden."),
            field="embargo_until",
        )
    embargo_check(until, now=now)
    return _changed(result, embargo_until=until)


@transaction.atomic
def result_reviewer_link_make(*, result: PublishedResult) -> str:
    """Return the token of the link for reviewers; make it if there is none."""
    locked, _now = _locked(result)
    if locked.reviewer_token is None:
        _changed(result, reviewer_token=secrets.token_urlsafe(24))
    else:
        result.reviewer_token = locked.reviewer_token
    return str(result.reviewer_token)


@transaction.atomic
def result_reviewer_link_end(*, result: PublishedResult) -> bool:
    """End the link for reviewers; return whether there was one."""
    locked, _now = _locked(result)
    if locked.reviewer_token is None:
        return False
    return _changed(result, reviewer_token=None)


@transaction.atomic
def result_retract(*, result: PublishedResult, reason: str) -> bool:
    """Retract a result: it keeps its address, and says why. Return whether it was not retracted before.

    Raises `PublishingRefusedError` without a reason, and for one that names who is not named in it.
    """
    said = reason.strip()
    if not said:
        raise PublishingRefusedError(
            _("Say why: readers of this address will ask."), field="retraction_reason"
        )
    systems = systems_entered(task_id=result.task_id)
    text_check(said, hidden_names(systems, result.labels), field="retraction_reason")
    locked, now = _locked(result)
    if locked.retracted_at is not None:
        return False
    return _changed(result, retracted_at=now, retraction_reason=said)


@transaction.atomic
def result_retraction_undo(*, result: PublishedResult) -> bool:
    """Take a retraction back; return whether there was one. The activity log keeps its reason."""
    locked, _now = _locked(result)
    if locked.retracted_at is None:
        return False
    return _changed(result, retracted_at=None, retraction_reason="")


def _locked(result: PublishedResult) -> tuple[Any, datetime]:
    """Return the result as it is, locked until the commit, and the database's time."""
    rows = PublishedResult.objects.select_for_update(no_key=True).annotate(now=Now())
    locked: Any = rows.defer("content").get(pk=result.pk)
    return locked, locked.now


def _changed(result: PublishedResult, **fields: Any) -> bool:
    PublishedResult.objects.filter(pk=result.pk).update(**fields)
    for name, value in fields.items():
        setattr(result, name, value)
    return True

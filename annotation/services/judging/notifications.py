"""Request rankings of new judgments: one message, until the worker begins to rank them."""

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.models import JudgmentSequence
from annotation.notification import REQUEST_TIMEOUT_SECONDS, ranking_enqueue


def ranking_request(*, test_set_id: int) -> None:
    """Request a ranking on commit, unless one was requested recently and has not begun.

    A request older than `REQUEST_TIMEOUT_SECONDS` counts as lost, so another one is sent.
    """
    recently = Q(ranking_requested_at__gt=Now() - timedelta(seconds=REQUEST_TIMEOUT_SECONDS))
    rows = JudgmentSequence.objects.filter(~recently | Q(ranking_requested_at=None), pk=test_set_id)
    if rows.update(ranking_requested_at=Now()):
        transaction.on_commit(partial(ranking_enqueue, test_set_id))


def ranking_request_clear(*, test_set_id: int) -> None:
    """Let the next judgment request a ranking again. Called before the judgments are read."""
    JudgmentSequence.objects.filter(pk=test_set_id, ranking_requested_at__isnull=False).update(
        ranking_requested_at=None
    )

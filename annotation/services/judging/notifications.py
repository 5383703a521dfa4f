"""Request rankings of new judgments: one message, until the worker begins to rank them."""

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.models import RankingRequest
from annotation.notification import REQUEST_TIMEOUT_SECONDS, ranking_enqueue


@transaction.atomic
def ranking_request(*, task_id: int) -> None:
    """Request a ranking on commit, unless one was requested recently and has not begun.

    A request older than `REQUEST_TIMEOUT_SECONDS` counts as lost, so another one is sent. Waits for
    nobody who requests the same, except for the very first request of a test set.
    """
    request = RankingRequest.objects.filter(pk=task_id)
    # To insert what is there would wait for whoever changes it, conflicts ignored or not.
    if not request.exists():
        RankingRequest.objects.bulk_create([RankingRequest(task_id=task_id)], ignore_conflicts=True)
    recently = Q(requested_at__gt=Now() - timedelta(seconds=REQUEST_TIMEOUT_SECONDS))
    unanswered = request.filter(~recently | Q(requested_at=None))
    if not unanswered.select_for_update(skip_locked=True).exists():
        return
    request.update(requested_at=Now())
    transaction.on_commit(partial(ranking_enqueue, task_id))


def ranking_request_clear(*, task_id: int) -> None:
    """Let the next judgment request a ranking again. Called before the judgments are read."""
    RankingRequest.objects.filter(pk=task_id, requested_at__isnull=False).update(requested_at=None)

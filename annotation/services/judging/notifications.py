"""Tells the worker of new judgments: once, until it begins to rank them."""

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.models import JudgmentSequence
from annotation.notification import SECONDS_DUE, ranking_due


def judgments_announce(*, test_set_id: int) -> None:
    """Ask for a ranking once this is committed, unless that was done and none has begun."""
    lately = Q(announced_at__gt=Now() - timedelta(seconds=SECONDS_DUE))
    rows = JudgmentSequence.objects.filter(~lately | Q(announced_at=None), pk=test_set_id)
    if rows.update(announced_at=Now()):
        transaction.on_commit(partial(ranking_due, test_set_id))


def judgments_take_up(*, test_set_id: int) -> None:
    """From here on a new judgment announces itself again: those there are will be read now."""
    JudgmentSequence.objects.filter(pk=test_set_id, announced_at__isnull=False).update(
        announced_at=None
    )

"""How fast people work at a test set: what the size of its pool follows."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Min
from django.db.models.functions import Now

from annotation.models import JudgeAccount, Judgment
from campaign.models import Judge, Task

# Longer, and a campaign that begins is noticed too late; shorter, and a break for coffee is.
_WINDOW: Final = timedelta(minutes=10)
# Two judgments within a second are not a pace of 7,200 an hour.
_SHORTEST: Final = timedelta(minutes=2)
# Who was lent nothing for so long judges nothing now.
_AT_WORK: Final = timedelta(days=1)
_HOUR: Final = timedelta(hours=1)


def hits_an_hour(*, task_id: int) -> float:
    """Return at what pace HITs of a test set are being judged: those of the last ten minutes.

    If work began within them, since then. Simulated judges do not count. Reads the latest judgments of
    the judges at work, whatever the length of the history.
    """
    now: datetime = Task.objects.values_list(Now(), flat=True).get(pk=task_id)
    at_work = JudgeAccount.objects.filter(task=task_id, last_lent_at__gte=now - _AT_WORK).exclude(
        judge__origin=Judge.Origin.SIMULATED
    )
    recent = Judgment.objects.of(task_id).filter(
        judge__in=at_work.values("judge"),
        submitted_at__gte=now - _WINDOW,
        assignment__isnull=False,
    )
    found = recent.aggregate(hits=Count("assignment", distinct=True), first=Min("submitted_at"))
    if not found["hits"]:
        return 0.0
    elapsed = min(_WINDOW, max(_SHORTEST, now - found["first"]))
    return float(found["hits"] * (_HOUR / elapsed))

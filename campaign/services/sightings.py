"""Which browsers judges came with: noted, and forgotten after a while."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from campaign.models import Invitation, Judge, Sighting

#: Rows of one transaction, and transactions of one run; the next run goes on.
BATCH: Final = 2000
BATCHES: Final = 50


def sighting_note(
    *, judge: Judge, browser: bytes, device: str, opened: Invitation | None = None
) -> Sighting:
    """A browser opened this link, or is at work where no link is given."""
    return Sighting.objects.create(
        judge=judge, browser=browser, device=device, invitation=opened, at_work=opened is None
    )


def sightings_forget() -> int:
    """Forget which browsers were seen longer ago than `SIGHTINGS_KEPT_DAYS`; how many sightings.

    Of each judge it stays known when they opened a link first, which says that they got it. Can run
    twice at once, and stop anywhere.
    """
    forgotten = 0
    for _batch in range(BATCHES):
        rows = _forget_batch()
        forgotten += rows
        if rows < BATCH:
            break
    return forgotten


@transaction.atomic
def _forget_batch() -> int:
    old = Now() - timedelta(days=settings.SIGHTINGS_KEPT_DAYS)
    due = (
        Sighting.objects.filter(browser__isnull=False, seen_at__lt=old)
        .order_by("seen_at")
        .select_for_update(skip_locked=True)
    )
    ids = list(due.values_list("pk", flat=True)[:BATCH])
    rows = Sighting.objects.filter(pk__in=ids)
    opened_before = Sighting.objects.filter(
        Q(seen_at__lt=OuterRef("seen_at")) | Q(seen_at=OuterRef("seen_at"), pk__lt=OuterRef("pk")),
        judge=OuterRef("judge"),
        at_work=False,
    )
    rows.filter(Q(at_work=True) | Exists(opened_before)).delete()
    rows.update(browser=None, device="")
    return len(ids)

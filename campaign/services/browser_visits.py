"""Record the visits of judges' browsers, and purge old ones."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from campaign.models import BrowserVisit, Invitation, Judge

#: Rows per transaction, and transactions per run; the next run continues.
BATCH: Final = 2000
BATCHES: Final = 50


def browser_visit_record(
    *, judge: Judge, browser: bytes, device: str, opened: Invitation | None = None
) -> BrowserVisit:
    """Add a visit and return it: the browser opened the link `opened`, or is at work if None.

    Each call adds a row, also for the same browser.
    """
    return BrowserVisit.objects.create(
        judge=judge, browser=browser, device=device, invitation=opened, at_work=opened is None
    )


def browser_visits_purge() -> int:
    """Purge browser visits older than `BROWSER_VISITS_KEPT_DAYS`; return their number.

    The time of each judge's first opening of a link is kept: it shows that they received it. Two
    purges may run at once, and a purge may stop at any batch.
    """
    purged = 0
    for _batch in range(BATCHES):
        rows = _purge_batch()
        purged += rows
        if rows < BATCH:
            break
    return purged


@transaction.atomic
def _purge_batch() -> int:
    old = Now() - timedelta(days=settings.BROWSER_VISITS_KEPT_DAYS)
    due = (
        BrowserVisit.objects.filter(browser__isnull=False, seen_at__lt=old)
        .order_by("seen_at")
        .select_for_update(skip_locked=True)
    )
    ids = list(due.values_list("pk", flat=True)[:BATCH])
    rows = BrowserVisit.objects.filter(pk__in=ids)
    opened_before = BrowserVisit.objects.filter(
        Q(seen_at__lt=OuterRef("seen_at")) | Q(seen_at=OuterRef("seen_at"), pk__lt=OuterRef("pk")),
        judge=OuterRef("judge"),
        at_work=False,
    )
    rows.filter(Q(at_work=True) | Exists(opened_before)).delete()
    rows.update(browser=None, device="")
    return len(ids)

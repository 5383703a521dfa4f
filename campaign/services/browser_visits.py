"""Record the visits of judges' browsers, and purge old ones."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from campaign.models import BrowserVisit, Invitation, Judge


def browser_visit_record(
    *,
    judge: Judge,
    browser: bytes,
    device: str,
    opened: Invitation | None = None,
) -> BrowserVisit:
    """Add a visit and return it: the browser opened the link `opened`, or is at work if None.

    Each call adds a row, also for the same browser.
    """
    return BrowserVisit.objects.create(
        judge=judge,
        browser=browser,
        device=device,
        invitation=opened,
        at_work=opened is None,
    )


@transaction.atomic
def browser_visits_purge() -> int:
    """Purge browser visits older than `BROWSER_VISITS_KEPT_DAYS`; return their number.

    The time of each judge's first opening of a link is kept: it shows that they received it.
    """
    due = timezone.now() - timedelta(days=settings.BROWSER_VISITS_KEPT_DAYS)
    old = BrowserVisit.objects.filter(browser__isnull=False, seen_at__lt=due)
    opened_before = BrowserVisit.objects.filter(
        Q(seen_at__lt=OuterRef("seen_at"))
        | Q(seen_at=OuterRef("seen_at"), pk__lt=OuterRef("pk")),
        judge=OuterRef("judge"),
        at_work=False,
    )
    deleted, _by_model = old.filter(Q(at_work=True) | Exists(opened_before)).delete()
    return deleted + old.update(browser=None, device="")

"""How many new people a panel admits from one network address an hour."""

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from campaign.models import Panel, PanelArrival

#: A class in a computer room comes from one address; somebody who invents ids does, too.
ARRIVALS_AN_HOUR: Final = 60
_HOUR: Final = timedelta(hours=1)


def panel_arrival_record(*, panel: Panel, address: str) -> bool:
    """Record that somebody new came to the panel; return False, and record nothing, if too many did.

    The caller holds the lock of the campaign's row, so that arrivals are counted one after the other.
    """
    hashed = salted_hmac(f"campaign.panel.{panel.pk}", address, algorithm="sha256").digest()
    since = Now() - _HOUR
    recent = PanelArrival.objects.filter(panel=panel, address=hashed, arrived_at__gt=since)
    if recent.count() >= ARRIVALS_AN_HOUR:
        return False
    PanelArrival.objects.create(panel=panel, address=hashed)
    return True


def panel_arrivals_purge() -> int:
    """Delete the arrivals that count no longer; return their number."""
    return PanelArrival.objects.filter(arrived_at__lte=Now() - _HOUR).delete()[0]

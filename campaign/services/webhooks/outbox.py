"""Outbox of webhooks: messages are written in the transaction of the event."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import (
    TEST_EVENT,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from campaign.selectors.webhooks import endpoints_asking
from campaign.services.webhooks.endpoints import WebhookRefusedError

#: An endpoint with this many waiting messages gets no further ones, because it does not answer.
MOST_WAITING: Final = 1000
_KEPT: Final = timedelta(days=30)


def webhook_event_record(*, campaign_id: int, event: WebhookEvent, data: Mapping[str, Any]) -> int:
    """Put an event of a campaign into the outbox; return the number of endpoints that will receive it.

    One query if no endpoint subscribes. Call it in the transaction that causes the event.
    """
    endpoints = endpoints_asking(event).filter(campaign=campaign_id).select_related("campaign")
    return sum(message_put(endpoint=each, event=event, data=data) for each in endpoints)


def message_put(*, endpoint: WebhookEndpoint, event: str, data: Mapping[str, Any]) -> bool:
    """Put a message to an endpoint into the outbox; return whether there was room."""
    waiting = endpoint.deliveries.filter(state=DeliveryState.WAITING)
    if waiting.count() >= MOST_WAITING:
        return False
    now: datetime = WebhookEndpoint.objects.values_list(Now(), flat=True).get(pk=endpoint.pk)
    message = {
        "type": str(event),
        "timestamp": now.isoformat(),
        "data": {"campaign": endpoint.campaign.slug, **data},
    }
    WebhookDelivery.objects.create(
        endpoint=endpoint,
        event=event,
        body=json.dumps(message, ensure_ascii=False, separators=(",", ":")),
    )
    return True


def webhook_test(*, endpoint: WebhookEndpoint) -> None:
    """Put a test message into the outbox. Raises `WebhookRefusedError`."""
    if not endpoint.is_on:
        raise WebhookRefusedError(_("The webhook is off. Switch it on first."))
    if not message_put(endpoint=endpoint, event=TEST_EVENT, data={}):
        raise WebhookRefusedError(_("Too many messages in the queue."))


def webhook_redeliver(*, delivery: WebhookDelivery) -> None:
    """Send a message again, now, under the same id."""
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        state=DeliveryState.WAITING, attempts=0, next_attempt_at=Now(), error=""
    )
    delivery.refresh_from_db()


def webhooks_forget() -> int:
    """Delete messages after thirty days, and secrets that no longer sign; return the number of messages."""
    WebhookEndpoint.objects.filter(old_secret_until__lte=Now()).update(
        old_secret="", old_secret_until=None
    )
    old = WebhookDelivery.objects.annotate(end=F("created_at") + _KEPT).filter(end__lte=Now())
    count, _each = old.order_by().delete()
    return count

"""Deliver the outbox of webhooks: at least once, signed at sending time, with growing delays after failures."""

import random
import time
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from campaign.models import DeliveryState, WebhookDelivery, WebhookEndpoint
from campaign.services.webhooks.sending import Answer, message_post, signatures

#: Delay before each retry after a failed attempt: three days in total.
BACKOFF: Final = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
)
#: Each delay is up to a fifth longer, so that messages that failed together are not retried together.
_JITTER: Final = 0.2
#: Time after which another worker tries again; longer than any attempt takes.
LEASE: Final = timedelta(minutes=2)
#: An endpoint that has failed for this long is switched off.
DISABLED_AFTER: Final = timedelta(days=5)
_GONE: Final = 410
_SECONDS_A_ROUND: Final = 20.0


def webhooks_deliver() -> int:
    """Send the messages that are due; return how many arrived.

    An endpoint that fails gets no second message in the same round, so that it delays others only once.
    """
    end = time.monotonic() + _SECONDS_A_ROUND
    failed: set[int] = set()
    arrived = 0
    while time.monotonic() < end:
        delivery = delivery_claim(but=failed)
        if delivery is None:
            break
        if delivery_attempt(delivery=delivery):
            arrived += 1
        else:
            failed.add(delivery.endpoint_id)
    return arrived


@transaction.atomic
def delivery_claim(*, but: Collection[int] = ()) -> WebhookDelivery | None:
    """Claim the message that has been due longest, except those of the endpoints `but`; None if there is none.

    The attempt is counted before it is made. A worker that is killed, even between sending and recording, leaves a
    message that is sent again after `LEASE`, under the same id. Skips rows that others have locked.
    """
    due = WebhookDelivery.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        state=DeliveryState.WAITING,
        next_attempt_at__lte=Now(),
        endpoint__paused_at=None,
        endpoint__disabled_at=None,
    )
    delivery = (
        due.exclude(endpoint__in=but)
        .select_related("endpoint")
        .order_by("next_attempt_at", "pk")
        .first()
    )
    if delivery is None:
        return None
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        attempts=F("attempts") + 1, next_attempt_at=Now() + LEASE, attempted_at=Now()
    )
    delivery.attempts += 1
    return delivery


def delivery_attempt(
    *, delivery: WebhookDelivery, post: Callable[..., Answer] = message_post
) -> bool:
    """Send a claimed message, and record the outcome; return whether it arrived."""
    answer = post(url=delivery.endpoint.url, body=delivery.body, headers=_headers(delivery))
    if answer.is_good:
        _record(delivery, answer, DeliveryState.DELIVERED)
        WebhookEndpoint.objects.filter(pk=delivery.endpoint_id, failing_since__isnull=False).update(
            failing_since=None
        )
        return True
    is_last = answer.code == _GONE or delivery.attempts > len(BACKOFF)
    _record(delivery, answer, DeliveryState.FAILED if is_last else DeliveryState.WAITING)
    _failure_note(delivery.endpoint_id, is_gone=answer.code == _GONE)
    return False


def _headers(delivery: WebhookDelivery) -> dict[str, str]:
    """Return the headers of one attempt, with its own timestamp and signatures."""
    endpoint = delivery.endpoint
    now = timezone.now()
    keys = [endpoint.secret]
    if endpoint.old_secret_until is not None and endpoint.old_secret_until > now:
        keys.append(endpoint.old_secret)
    message_id, timestamp = f"msg_{delivery.message_id.hex}", int(now.timestamp())
    signed = signatures(keys=keys, message_id=message_id, timestamp=timestamp, body=delivery.body)
    return {
        "Content-Type": "application/json",
        "User-Agent": "Quintet",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signed,
    }


def _record(delivery: WebhookDelivery, answer: Answer, state: DeliveryState) -> None:
    """Record an attempt, unless another worker has begun the next one."""
    is_waiting = state == DeliveryState.WAITING
    WebhookDelivery.objects.filter(
        pk=delivery.pk, attempts=delivery.attempts, state=DeliveryState.WAITING
    ).update(
        state=state,
        next_attempt_at=Now() + _pause(delivery.attempts) if is_waiting else None,
        answer_code=answer.code,
        error=answer.error[:300],
    )


def _pause(attempts: int) -> timedelta:
    return BACKOFF[attempts - 1] * (1 + _JITTER * random.random())  # noqa: S311  no secret


@transaction.atomic
def _failure_note(endpoint_id: int, *, is_gone: bool) -> None:
    """Record that an endpoint failed; switch it off if it has been failing for long, or reports that it is gone."""
    endpoint = WebhookEndpoint.objects.filter(pk=endpoint_id)
    endpoint.filter(failing_since=None).update(failing_since=Now())
    failing = endpoint.filter(disabled_at=None)
    if not is_gone:
        failing = failing.filter(failing_since__lte=Now() - DISABLED_AFTER)
    failing.update(disabled_at=Now())

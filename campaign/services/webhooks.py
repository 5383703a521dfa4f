"""Webhooks: endpoints of a campaign, the outbox of messages, and its delivery."""

import base64
import hashlib
import hmac
import http.client
import ipaddress
import json
import random
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypedDict
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from campaign.database.many_rows import row_locked
from campaign.models import (
    TEST_EVENT,
    Campaign,
    DeliveryState,
    User,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from campaign.selectors.webhooks import endpoints_asking
from campaign.texts.refusals import RefusedError

#: Time limits in seconds, of each step and in total.
STEP_SECONDS: Final = 10.0
TOTAL_SECONDS: Final = 20.0
_READ_AT_MOST: Final = 4096
# IPv4 addresses that gateways reach by IPv6 (RFC 6052).
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
#: Networks that `is_global` takes for public in some version of Python.
_NOT_PUBLIC: Final = tuple(
    map(
        ipaddress.ip_network,
        [
            "192.0.0.0/24",  # protocol assignments
            "192.88.99.0/24",  # relays of 6to4
            "::/96",  # IPv4-compatible
            "::ffff:0:0:0/96",  # IPv4-translated (SIIT)
            "64:ff9b:1::/48",  # local gateways to IPv4
            "3fff::/20",  # documentation
            "5f00::/16",  # segment routing
            "fec0::/10",  # site-local
        ],
    ),
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefusedError(Exception):
    """Nothing is sent to this address; the message says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Response of an endpoint: a status, or an error instead."""

    code: int | None = None
    error: str = ""

    @property
    def is_good(self) -> bool:
        return self.code is not None and 200 <= self.code < 300


def url_check(url: str) -> SplitResult:
    """Return the parts of an address if messages may be sent to it, as far as can be checked without a request.

    Raises `AddressRefusedError`.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  raises if it is no number
    except ValueError as error:
        raise AddressRefusedError(_("Enter a valid URL.")) from error
    schemes = ("https", "http") if settings.WEBHOOKS_ALLOW_HTTP else ("https",)
    if parts.scheme not in schemes:
        raise AddressRefusedError(_("The URL must begin with https://."))
    if (
        not parts.hostname
        or not url.isascii()
        or any(c <= " " or c == "\x7f" for c in url)
    ):
        raise AddressRefusedError(_("Enter a valid URL."))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressRefusedError(
            _("Remove user names, passwords and “#…” from the URL."),
        )
    # A name is resolved when something is sent.
    with suppress(ValueError):
        _address_check(ipaddress.ip_address(parts.hostname))
    return parts


def addresses_of(parts: SplitResult) -> list[tuple[str, int]]:
    """Return the addresses of a server, with its port; all of them must be public. Raises `AddressRefusedError`."""
    port = parts.port
    if not port:
        port = 443 if parts.scheme == "https" else 80
    try:
        infos = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefusedError(_("Host not found.")) from error
    for *_kind, address in infos:
        _address_check(ipaddress.ip_address(str(address[0]).partition("%")[0]))
    return [(str(to[0]), port) for *_kind, to in infos]


def _address_check(address: Address) -> None:
    if not settings.WEBHOOKS_ALLOW_PRIVATE and not _is_public(address):
        raise AddressRefusedError(
            _("The URL points to a private network. Use a public server."),
        )


def _is_public(address: Address) -> bool:
    inner = _ipv4_inside(address)
    if inner:
        return all(map(_is_public, inner))
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast


def _ipv4_inside(address: Address) -> tuple[ipaddress.IPv4Address, ...]:
    """Return the IPv4 addresses that packets to an IPv6 address are sent to; none if they stay IPv6."""
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    if address.teredo is not None:
        return address.teredo
    if address in _NAT64:
        return (ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF),)
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None:
        return ()
    return (inner,)


def message_post(*, url: str, body: str, headers: Mapping[str, str]) -> Answer:
    """Send a message; return the response. Takes little longer than `TOTAL_SECONDS` at most."""
    try:
        parts = url_check(url)
        sock = _wrap_in_tls(_connect_socket(addresses_of(parts)), parts)
    except AddressRefusedError as error:
        return Answer(error=str(error))
    except OSError as error:
        return Answer(error=_error_text(error))
    # A receiver that sends a byte every nine seconds would block the worker forever.
    alarm = threading.Timer(TOTAL_SECONDS, _shut, [sock])
    alarm.daemon = True
    alarm.start()
    try:
        return _post_body(sock, parts, body, headers)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(error=_error_text(error))
    finally:
        alarm.cancel()
        sock.close()


def _connect_socket(addresses: list[tuple[str, int]]) -> socket.socket:
    last: OSError = OSError("no address")
    for address in addresses[:4]:
        try:
            return socket.create_connection(address, STEP_SECONDS)
        except OSError as error:
            last = error
    raise last


def _wrap_in_tls(sock: socket.socket, parts: SplitResult) -> socket.socket:
    """Return the socket for the connection, with TLS for https; the handshake follows once the alarm is set."""
    if parts.scheme != "https":
        return sock
    context = ssl.create_default_context()
    return context.wrap_socket(
        sock,
        server_hostname=parts.hostname,
        do_handshake_on_connect=False,
    )


def _post_body(
    sock: socket.socket,
    parts: SplitResult,
    body: str,
    headers: Mapping[str, str],
) -> Answer:
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port)
    connection.sock = sock
    try:
        if isinstance(sock, ssl.SSLSocket):
            sock.do_handshake()
        path = parts.path or "/"
        if parts.query:
            path = f"{path}?{parts.query}"
        sent = {**headers, "Host": parts.netloc, "Connection": "close"}
        connection.request("POST", path, body=body.encode(), headers=sent)
        response = connection.getresponse()
        response.read(_READ_AT_MOST)
        return Answer(code=response.status)
    finally:
        connection.close()


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):  # closed already
        sock.shutdown(socket.SHUT_RDWR)


def _error_text(error: Exception) -> str:
    """Return the error in words, without the receiver's text."""
    if isinstance(error, TimeoutError):
        return _("The server timed out.")
    if isinstance(error, ssl.SSLCertVerificationError):
        return _("Invalid server certificate.")
    if isinstance(error, ConnectionRefusedError):
        return _("Connection refused.")
    return _("Connection failed (%(kind)s).") % {"kind": type(error).__name__}


_PREFIX: Final = "whsec_"
_BYTES: Final = 32


def secret_make() -> str:
    """Return a new secret in the format given to receivers."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signatures(
    *,
    keys: Iterable[str],
    message_id: str,
    timestamp: int,
    body: str,
) -> str:
    """Return the header `webhook-signature`: a signature by each secret, with a space between them."""
    signed = f"{message_id}.{timestamp}.{body}".encode()
    return " ".join(f"v1,{_signature(key, signed)}" for key in keys)


def _signature(key: str, signed: bytes) -> str:
    raw = base64.b64decode(key.removeprefix(_PREFIX))
    return base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()


MOST_ENDPOINTS: Final = 10
#: Hours for which the previous secret also signs.
OVERLAP_HOURS: Final = 24


class WebhookRefusedError(RefusedError):
    """The change of a webhook is not possible; the message says why, and `field` names the invalid field."""


@transaction.atomic
def webhook_create(
    *,
    campaign: Campaign,
    url: str,
    events: Sequence[str],
    description: str = "",
    by: User | None = None,
) -> WebhookEndpoint:
    """Add an endpoint with its own secret, and return it. Locks the campaign's row.

    Raises `WebhookRefusedError`, always for a rehearsal, which sends no messages.
    """
    checked = _clean_endpoint_fields(url=url, events=events, description=description)
    row_locked(campaign)
    if campaign.rehearsal_of_id is not None:
        raise WebhookRefusedError(_("Webhooks are not available in a rehearsal."))
    if campaign.webhook_endpoints.count() >= MOST_ENDPOINTS:
        raise WebhookRefusedError(
            _("A campaign can have at most %(most)d webhooks. Delete one first.")
            % {"most": MOST_ENDPOINTS},
        )
    return WebhookEndpoint.objects.create(
        campaign=campaign,
        secret=secret_make(),
        created_by=by,
        **checked,
    )


def webhook_change(
    *,
    endpoint: WebhookEndpoint,
    url: str | None = None,
    events: Sequence[str] | None = None,
    description: str | None = None,
) -> None:
    """Change the given fields of an endpoint. Raises `WebhookRefusedError`, and changes nothing then."""
    checked = _clean_endpoint_fields(
        url=endpoint.url if url is None else url,
        events=endpoint.events if events is None else events,
        description=endpoint.description if description is None else description,
    )
    for name, value in checked.items():
        setattr(endpoint, name, value)
    endpoint.save(update_fields=list(checked))


def webhook_pause(*, endpoint: WebhookEndpoint) -> None:
    """Pause a webhook until `webhook_resume`; events of the pause are not sent later, except judgments."""
    WebhookEndpoint.objects.filter(pk=endpoint.pk, paused_at=None).update(
        paused_at=Now(),
    )
    endpoint.refresh_from_db()


def webhook_resume(*, endpoint: WebhookEndpoint) -> None:
    """Resume an endpoint that was paused or switched off; waiting messages are sent, too."""
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(
        paused_at=None,
        disabled_at=None,
        failing_since=None,
    )
    endpoint.refresh_from_db()


def webhook_secret_rotate(
    *,
    endpoint: WebhookEndpoint,
    overlap_hours: int = OVERLAP_HOURS,
) -> WebhookEndpoint:
    """Create a new secret for an endpoint; the previous one also signs for a time."""
    with transaction.atomic():
        endpoint.refresh_from_db(
            from_queryset=WebhookEndpoint.objects.select_for_update(),
        )
        if overlap_hours > 0:
            endpoint.old_secret = endpoint.secret
            endpoint.old_secret_until = Now() + timedelta(hours=overlap_hours)
        else:
            endpoint.old_secret = ""
            endpoint.old_secret_until = None
        endpoint.secret = secret_make()
        endpoint.save(update_fields=["secret", "old_secret", "old_secret_until"])
    endpoint.refresh_from_db()
    return endpoint


def webhook_delete(*, endpoint: WebhookEndpoint) -> None:
    """Delete an endpoint with its messages."""
    endpoint.delete()


class EndpointFields(TypedDict):
    """Fields of an endpoint that an organiser sets."""

    url: str
    events: list[str]
    description: str


def _clean_endpoint_fields(
    *,
    url: str,
    events: Sequence[str],
    description: str,
) -> EndpointFields:
    try:
        url_check(url.strip())
    except AddressRefusedError as error:
        raise WebhookRefusedError(str(error), field="url") from error
    ordered_events = [event for event in WebhookEvent.values if event in events]
    return {
        "url": url.strip(),
        "events": ordered_events,
        "description": description.strip(),
    }


#: An endpoint with this many waiting messages gets no further ones, because it does not answer.
MOST_WAITING: Final = 1000
_LIFETIME: Final = timedelta(days=30)


def webhook_event_record(
    *,
    campaign_id: int,
    event: WebhookEvent,
    data: Mapping[str, object],
) -> int:
    """Put an event of a campaign into the outbox; return the number of endpoints that will receive it.

    One query if no endpoint subscribes. Call it in the transaction that causes the event.
    """
    endpoints = (
        endpoints_asking(event).filter(campaign=campaign_id).select_related("campaign")
    )
    return sum(
        message_put(endpoint=endpoint, event=event, data=data) for endpoint in endpoints
    )


def message_put(
    *,
    endpoint: WebhookEndpoint,
    event: str,
    data: Mapping[str, object],
) -> bool:
    """Put a message to an endpoint into the outbox; return whether there was room."""
    waiting = endpoint.deliveries.filter(state=DeliveryState.WAITING)
    if waiting.count() >= MOST_WAITING:
        return False
    now: datetime = WebhookEndpoint.objects.values_list(Now(), flat=True).get(
        pk=endpoint.pk,
    )
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
        state=DeliveryState.WAITING,
        attempts=0,
        next_attempt_at=Now(),
        error="",
    )
    delivery.refresh_from_db()


def webhooks_forget() -> int:
    """Delete messages after thirty days, and secrets that no longer sign; return the number of messages."""
    WebhookEndpoint.objects.filter(old_secret_until__lte=Now()).update(
        old_secret="",
        old_secret_until=None,
    )
    old = WebhookDelivery.objects.annotate(end=F("created_at") + _LIFETIME).filter(
        end__lte=Now(),
    )
    count, _by_model = old.order_by().delete()
    return count


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
    due = WebhookDelivery.objects.select_for_update(
        skip_locked=True,
        of=("self",),
    ).filter(
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
        attempts=F("attempts") + 1,
        next_attempt_at=Now() + LEASE,
        attempted_at=Now(),
    )
    delivery.attempts += 1
    return delivery


def delivery_attempt(
    *,
    delivery: WebhookDelivery,
    post: Callable[..., Answer] = message_post,
) -> bool:
    """Send a claimed message, and record the outcome; return whether it arrived."""
    if delivery.endpoint.secret:
        answer = post(
            url=delivery.endpoint.url,
            body=delivery.body,
            headers=_headers(delivery),
        )
    else:
        answer = Answer(error=_("The secret cannot be decrypted. Create a new one."))
    if answer.is_good:
        _record(delivery, answer, DeliveryState.DELIVERED)
        WebhookEndpoint.objects.filter(
            pk=delivery.endpoint_id,
            failing_since__isnull=False,
        ).update(failing_since=None)
        return True
    is_last = answer.code == _GONE or delivery.attempts > len(BACKOFF)
    _record(
        delivery,
        answer,
        DeliveryState.FAILED if is_last else DeliveryState.WAITING,
    )
    _failure_note(delivery.endpoint_id, is_gone=answer.code == _GONE)
    return False


def _headers(delivery: WebhookDelivery) -> dict[str, str]:
    """Return the headers of one attempt, with its own timestamp and signatures."""
    endpoint = delivery.endpoint
    now = timezone.now()
    keys = [endpoint.secret]
    is_in_overlap = (
        endpoint.old_secret_until is not None and endpoint.old_secret_until > now
    )
    if is_in_overlap and endpoint.old_secret:
        keys.append(endpoint.old_secret)
    message_id = f"msg_{delivery.message_id.hex}"
    timestamp = int(now.timestamp())
    signed = signatures(
        keys=keys,
        message_id=message_id,
        timestamp=timestamp,
        body=delivery.body,
    )
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
    next_attempt_at = None
    if is_waiting:
        next_attempt_at = Now() + _pause(delivery.attempts)
    WebhookDelivery.objects.filter(
        pk=delivery.pk,
        attempts=delivery.attempts,
        state=DeliveryState.WAITING,
    ).update(
        state=state,
        next_attempt_at=next_attempt_at,
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

"""What the services tell of a participation, in one shape.

Prolific: https://docs.prolific.com/api-reference/webhooks/receiving, and for the signature
https://docs.prolific.com/api-reference/webhooks/verifying. MTurk, through Amazon SNS:
https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ApiReference_NotificationReceptorAPIArticle.html
and https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html.
"""

import hmac
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

#: How far the time of a signed request may be from ours, either way.
REPLAY_WINDOW: Final = timedelta(minutes=5)
_SNS_HOST: Final = re.compile(r"sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?")
_MTURK_EVENT: Final = re.compile(r"Assignment([A-Z][a-z]+)")


class EventRefusedError(Exception):
    """Not in the service's form; the message says why."""


class EventForgedError(EventRefusedError):
    """Not from the service, or not from now."""


@dataclass(frozen=True, slots=True)
class Event:
    """A submission or assignment has this status since then, as the service says."""

    session_id: str
    status: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Subscription:
    """SNS asks whether this topic may send here; to open `confirm` says yes."""

    topic_arn: str
    confirm: str


@dataclass(frozen=True, slots=True)
class Notification:
    """What a topic of SNS has to tell."""

    topic_arn: str
    events: list[Event]


def prolific_signature(*, secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 over timestamp and body, in base64: what `X-Prolific-Request-Signature` holds."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, sha256).digest()
    return b64encode(digest).decode()


def prolific_event(
    *, secret: str, timestamp: str, signature: str, body: bytes, now: datetime
) -> Event | None:
    """What a webhook of Prolific tells of a submission; None where it is about something else.

    Raises `EventRefusedError` for a wrong signature, a time too far from `now`, or another form.
    """
    expected = prolific_signature(secret=secret, timestamp=timestamp, body=body)
    # Bytes: a header may hold what compare_digest refuses in a str.
    if not secret or not hmac.compare_digest(expected.encode(), signature.encode()):
        raise EventForgedError("The signature is wrong.")
    at = _unix_time(timestamp)
    if abs(now - at) > REPLAY_WINDOW:
        raise EventForgedError("The request is too old, or from the future.")
    data = _object(body)
    if data.get("event_type") != "submission.status.change":
        return None
    status = _text(data, "status").upper().replace("_", " ").replace("TIMED OUT", "TIMED-OUT")
    return Event(session_id=_text(data, "resource_id"), status=status[:40], at=at)


def sns_message(body: bytes) -> Subscription | Notification | None:
    """What SNS sends; None for what needs no answer. Raises `EventRefusedError`."""
    data = _object(body)
    kind = data.get("Type")
    if kind == "SubscriptionConfirmation":
        confirm = _text(data, "SubscribeURL")
        address = urlsplit(confirm)
        if address.scheme != "https" or not _SNS_HOST.fullmatch(address.netloc):
            raise EventRefusedError("The subscription is not of Amazon SNS.")
        return Subscription(topic_arn=_text(data, "TopicArn"), confirm=confirm)
    if kind == "Notification":
        events = _object(_text(data, "Message").encode()).get("Events")
        if not isinstance(events, list):
            raise EventRefusedError("The message holds no events.")
        return Notification(topic_arn=_text(data, "TopicArn"), events=list(_mturk_events(events)))
    return None


def _mturk_events(events: list[Any]) -> Iterator[Event]:
    for event in events:
        if not isinstance(event, dict):
            raise EventRefusedError("An event is no object.")
        kind = _MTURK_EVENT.fullmatch(_text(event, "EventType"))
        # The others are about HITs, or a Ping.
        if kind is not None:
            yield Event(
                session_id=_text(event, "AssignmentId"),
                status=kind[1].upper(),
                at=_iso_time(_text(event, "EventTimestamp")),
            )


def _object(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except ValueError as error:
        raise EventRefusedError("The body is not JSON.") from error
    if not isinstance(data, dict):
        raise EventRefusedError("The body is no JSON object.")
    return data


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    # PostgreSQL stores no NUL.
    if not isinstance(value, str) or not value or "\0" in value:
        raise EventRefusedError(f"“{name}” is missing.")
    return value


def _unix_time(text: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(text), tz=UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise EventRefusedError("The timestamp is no time.") from error


def _iso_time(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise EventRefusedError("“EventTimestamp” is no time.") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)

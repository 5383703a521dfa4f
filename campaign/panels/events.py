"""What the services tell of a participation, in one shape.

Prolific: https://docs.prolific.com/api-reference/webhooks/receiving, and for the signature
https://docs.prolific.com/api-reference/webhooks/verifying. MTurk, through Amazon SNS (`sns.py`):
https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ApiReference_NotificationReceptorAPIArticle.html
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

#: How far the time of a signed request may be from ours, either way.
REPLAY_WINDOW: Final = timedelta(minutes=5)
# PostgreSQL stores no NUL, and UTF-8 has no half of a pair.
_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")
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
    data = json_object(body)
    if data.get("event_type") != "submission.status.change":
        return None
    status = json_text(data, "status").upper().replace("_", " ").replace("TIMED OUT", "TIMED-OUT")
    return Event(session_id=json_text(data, "resource_id"), status=status[:40], at=at)


def mturk_events(message: str) -> list[Event]:
    """What MTurk tells of assignments in the message of a notification. Raises `EventRefusedError`."""
    events = json_object(message.encode()).get("Events")
    if not isinstance(events, list):
        raise EventRefusedError("The message holds no events.")
    return list(_of_assignments(events))


def _of_assignments(events: list[Any]) -> Iterator[Event]:
    for event in events:
        if not isinstance(event, dict):
            raise EventRefusedError("An event is no object.")
        kind = _MTURK_EVENT.fullmatch(json_text(event, "EventType"))
        # The others are about HITs, or a Ping.
        if kind is not None:
            yield Event(
                session_id=json_text(event, "AssignmentId"),
                status=kind[1].upper(),
                at=iso_time(event, "EventTimestamp"),
            )


def json_object(body: bytes) -> dict[str, Any]:
    """The object that the body holds. Raises `EventRefusedError`."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise EventRefusedError("The body is not JSON.") from error
    if not isinstance(data, dict):
        raise EventRefusedError("The body is no JSON object.")
    return data


def json_text(data: dict[str, Any], name: str) -> str:
    """A text that is not empty and that PostgreSQL stores. Raises `EventRefusedError`."""
    value = data.get(name)
    if not isinstance(value, str) or not value or _NO_TEXT.search(value):
        raise EventRefusedError(f"“{name}” is missing.")
    return value


def _unix_time(text: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(text), tz=UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise EventRefusedError("The timestamp is no time.") from error


def iso_time(data: dict[str, Any], name: str) -> datetime:
    """A time, of UTC where it does not say. Raises `EventRefusedError`."""
    try:
        at = datetime.fromisoformat(json_text(data, name))
    except ValueError as error:
        raise EventRefusedError(f"“{name}” is no time.") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)

"""Parsing and checks of requests from recruiting services, without a database.

Prolific fills `?PROLIFIC_PID=&STUDY_ID=&SESSION_ID=` into the study's address, see
https://docs.prolific.com/api-reference/studies/the-study-object. Its webhooks:
https://docs.prolific.com/api-reference/webhooks/receiving, and for the signature
https://docs.prolific.com/api-reference/webhooks/verifying.
"""

import hmac
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from urllib.parse import unquote

from django.utils.translation import gettext as _

from campaign.formats.json_text import JSONObject, decode_json

# Prolific's ids are 24 hexadecimal digits; elsewhere they may be numbers, base64 or e-mail addresses.
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+:=/~-]{0,99}")
#: What programs write for an id they do not have, and what Mechanical Turk sends to workers who preview a task.
_NO_IDS: Final = frozenset(
    {"null", "undefined", "none", "nan", "assignment_id_not_available"},
)


class EntryRefusedError(Exception):
    """The address is not one that the service sends; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A participant, with their submission and its study."""

    external_id: str
    session_id: str
    study_id: str


def prolific_entry(query: Mapping[str, str]) -> Entry:
    """Return the entry from an address that Prolific opened. Raises `EntryRefusedError`."""
    return Entry(
        external_id=_id(query, "PROLIFIC_PID"),
        study_id=_id(query, "STUDY_ID"),
        session_id=_id(query, "SESSION_ID"),
    )


def generic_entry(query: Mapping[str, str], *, parameter: str) -> Entry:
    """Return the entry from an address with the participant's id alone. Raises `EntryRefusedError`."""
    external_id = _id(query, parameter)
    return Entry(external_id=external_id, session_id=external_id, study_id="")


def _id(query: Mapping[str, str], name: str) -> str:
    value = query.get(name, "").strip()
    if not value:
        raise EntryRefusedError(
            _("The URL parameter “%(name)s” is missing.") % {"name": name},
        )
    # A page on the way may have encoded the address once more.
    decoded = unquote(value)
    if _ID.fullmatch(decoded):
        value = decoded
    if value.lower() in _NO_IDS or "%" in value or "{" in value or "$" in value:
        raise EntryRefusedError(
            _(
                "The URL parameter “%(name)s” still contains a placeholder instead of an ID.",
            )
            % {"name": name},
        )
    if not _ID.fullmatch(value):
        raise EntryRefusedError(
            _("The URL parameter “%(name)s” is not a valid ID.") % {"name": name},
        )
    return value


#: Largest difference between the time of a signed request and ours.
REPLAY_WINDOW: Final = timedelta(minutes=5)
# PostgreSQL cannot store NUL, and UTF-8 cannot encode single surrogates.
_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")


class EventRefusedError(Exception):
    """The message does not have the service's format; the error says why."""


class EventForgedError(EventRefusedError):
    """The message is not from the service, or too old."""


@dataclass(frozen=True, slots=True)
class Event:
    """A status of a submission, and the time since when it has it."""

    session_id: str
    status: str
    since: datetime


def prolific_signature(*, secret: str, timestamp: str, body: bytes) -> str:
    """Return `X-Prolific-Request-Signature`: base64 of HMAC-SHA256 of time and body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, sha256).digest()
    return b64encode(digest).decode()


def prolific_event(
    *,
    secret: str,
    timestamp: str,
    signature: str,
    body: bytes,
    now: datetime,
) -> Event | None:
    """Return the event of a submission in Prolific's webhook; None if it has another subject.

    Raises `EventRefusedError` for a wrong signature, a time too far from `now`, or another format.
    """
    expected = prolific_signature(secret=secret, timestamp=timestamp, body=body)
    # Compare bytes, because `compare_digest` refuses characters that a header may have.
    if not secret or not hmac.compare_digest(expected.encode(), signature.encode()):
        raise EventForgedError("Invalid signature.")
    sent_at = _unix_time(timestamp)
    if abs(now - sent_at) > REPLAY_WINDOW:
        raise EventForgedError("Timestamp outside the accepted window.")
    data = _json_object(body)
    if data.get("event_type") != "submission.status.change":
        return None
    status = (
        _json_text(data, "status")
        .upper()
        .replace("_", " ")
        .replace("TIMED OUT", "TIMED-OUT")
    )
    return Event(
        session_id=_json_text(data, "resource_id"),
        status=status[:40],
        since=sent_at,
    )


def _json_object(body: bytes) -> JSONObject:
    """Return the JSON object in the body. Raises `EventRefusedError`."""
    try:
        data = decode_json(body.decode())
    except (ValueError, RecursionError) as error:
        raise EventRefusedError("The body is not valid JSON.") from error
    if not isinstance(data, dict):
        raise EventRefusedError("The body is not a JSON object.")
    return data


def _json_text(data: JSONObject, name: str) -> str:
    """Return a text that is not empty and can be stored. Raises `EventRefusedError`."""
    value = data.get(name)
    if not isinstance(value, str) or not value or _NO_TEXT.search(value):
        raise EventRefusedError(f"“{name}” is missing.")
    return value


def _unix_time(text: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(text), tz=UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise EventRefusedError("Invalid timestamp.") from error

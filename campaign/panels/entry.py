"""Read the parameters that a service adds to the address of a participant.

Prolific fills `?PROLIFIC_PID=&STUDY_ID=&SESSION_ID=` into the study's address, see
https://docs.prolific.com/api-reference/studies/the-study-object. MTurk appends `assignmentId`,
`hitId`, `workerId` and `turkSubmitTo`, see
https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ApiReference_ExternalQuestionArticle.html.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

#: MTurk's `assignmentId` for workers who only look at a HIT.
NOT_AVAILABLE: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
#: The only servers that our forms are sent to.
SUBMIT_HOSTS: Final = ("www.mturk.com", "workersandbox.mturk.com")
#: The pages that may show ours in a frame.
FRAME_HOSTS: Final = ("www.mturk.com", "worker.mturk.com", "workersandbox.mturk.com")

# Prolific's ids are 24 hexadecimal digits, MTurk's are capitals and digits of varying length.
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_SUBMIT_TO: Final = "turkSubmitTo"


class EntryRefusedError(Exception):
    """The address is not one that the service sends; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A participant, with their submission or assignment and its study or HIT.

    `submit_to` is the origin to which MTurk wants results sent; empty for Prolific.
    """

    external_id: str
    session_id: str
    study_id: str
    submit_to: str = ""


def prolific_entry(query: Mapping[str, str]) -> Entry:
    """Return the entry from an address that Prolific opened. Raises `EntryRefusedError`."""
    return Entry(
        external_id=_id(query, "PROLIFIC_PID"),
        study_id=_id(query, "STUDY_ID"),
        session_id=_id(query, "SESSION_ID"),
    )


def mturk_is_preview(query: Mapping[str, str]) -> bool:
    """Return whether the worker only looks at the HIT and has not accepted it."""
    return query.get("assignmentId") == NOT_AVAILABLE


def mturk_entry(query: Mapping[str, str]) -> Entry:
    """Return the entry of an assignment that MTurk opened. Raises `EntryRefusedError`."""
    return Entry(
        external_id=_id(query, "workerId"),
        study_id=_id(query, "hitId"),
        session_id=_id(query, "assignmentId"),
        submit_to=_submit_to(query),
    )


def _id(query: Mapping[str, str], name: str) -> str:
    value = query.get(name, "").strip()
    if not value:
        raise EntryRefusedError(_("“%(name)s” is missing from the address.") % {"name": name})
    if "%" in value or "{" in value or "$" in value:
        raise EntryRefusedError(
            _("“%(name)s” in the address still holds a placeholder instead of an id.")
            % {"name": name}
        )
    if not _ID.fullmatch(value) or value == NOT_AVAILABLE:
        raise EntryRefusedError(_("“%(name)s” in the address is not an id.") % {"name": name})
    return value


def _submit_to(query: Mapping[str, str]) -> str:
    value = query.get(_SUBMIT_TO, "").strip()
    if not value:
        raise EntryRefusedError(_("“%(name)s” is missing from the address.") % {"name": _SUBMIT_TO})
    for host in SUBMIT_HOSTS:
        if value.rstrip("/") == f"https://{host}":
            return f"https://{host}"
    raise EntryRefusedError(
        _("“%(name)s” in the address is no server of Mechanical Turk: %(host)s.")
        % {"name": _SUBMIT_TO, "host": (urlsplit(value).hostname or value)[:60]}
    )

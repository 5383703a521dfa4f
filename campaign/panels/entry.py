"""Read the parameters that a service adds to the address of a participant.

Prolific fills `?PROLIFIC_PID=&STUDY_ID=&SESSION_ID=` into the study's address, see
https://docs.prolific.com/api-reference/studies/the-study-object.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

# Prolific's ids are 24 hexadecimal digits; elsewhere they may be numbers, base64 or e-mail addresses.
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+:=/~-]{0,99}")


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
        raise EntryRefusedError(_("“%(name)s” is missing from the address.") % {"name": name})
    if "%" in value or "{" in value or "$" in value:
        raise EntryRefusedError(
            _("“%(name)s” in the address still holds a placeholder instead of an id.")
            % {"name": name}
        )
    if not _ID.fullmatch(value):
        raise EntryRefusedError(_("“%(name)s” in the address is not an id.") % {"name": name})
    return value

"""The reasons in a published result: as they were given, or reworded for publication, which is said."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _


def reason_published(row: Mapping[str, Any]) -> str:
    """Return the reason in a row of a result's content; empty if there is none."""
    reason = str(row["reason"])
    if not row.get("is_reworded"):
        return reason
    return _("%(reason)s (reworded for publication)") % {"reason": reason}


def rewording_in_words(content: Mapping[str, Any]) -> str:
    """Return how many reasons of a result there are and how many are reworded; empty if none is.

    A reason counts wherever it stands: readers cannot tell which ones were the same before they were reworded.
    """
    rows = [row for row in _rows(content) if row["reason"]]
    reworded = sum(bool(row.get("is_reworded")) for row in rows)
    if not reworded:
        return ""
    return _("Reasons in this result: %(count)s; reworded for publication: %(reworded)s.") % {
        "count": number_format(len(rows)),
        "reworded": number_format(reworded),
    }


def _rows(content: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what has a reason, or could have one."""
    sections = content.get("sections", {})
    yield from sections.get("ranking_settings", ())
    yield from sections.get("stopping_rule", {}).get("history", ())
    yield from content["left_out"]["judges"]

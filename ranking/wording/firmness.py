"""How many judgments decide first place, in words, from what a published result has of it."""

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def firmness_in_words(firmness: Mapping[str, Any]) -> list[str]:
    """Return sentences about the section `firmness` of a published result; bounds are told in words."""
    first, deciding = firmness["first"], firmness["deciding"]
    is_proven = firmness["proof"] != "none"
    if not first:
        return [_("No system has a score.")]
    if len(first) > 1:
        return [
            _(
                "First with equal scores: %(systems)s. So there is no first place that judgments decide."
            )
            % {"systems": ", ".join(first)}
        ]
    if deciding is None:
        return [
            _("No removal of judgments puts another system first.")
            if is_proven
            else _("No removal of judgments was found that puts another system first.")
        ]
    said = {
        "size": number_format(deciding),
        "judgments": number_format(firmness["judgments"]),
        "first": first[0],
        "new": firmness["new_first"],
    }
    if is_proven:
        words = ngettext(
            "%(size)s of %(judgments)s judgments decides first place (proven): without it, %(new)s is ahead of "
            "%(first)s.",
            "%(size)s of %(judgments)s judgments decide first place (proven): without them, %(new)s is ahead "
            "of %(first)s.",
            deciding,
        )
        return [words % said]
    return [
        _(
            "At most %(size)s of %(judgments)s judgments decide first place: without them, %(new)s is ahead of "
            "%(first)s."
        )
        % said,
        at_least_in_words(firmness["at_least"]),
    ]


def at_least_in_words(at_least: int) -> str:
    """Return how many judgments are proven to be needed where a smaller number than the one found may do."""
    if at_least <= 1:
        return _("Whether fewer would do is not known.")
    return _("It is proven that at least %(least)s are needed.") % {
        "least": number_format(at_least)
    }

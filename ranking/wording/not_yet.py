"""Numbers that are not estimable yet, and what they lack, in words."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.core.scores import Shortage


def not_yet_in_words(shortage: Shortage) -> str:
    """Return why a number is not estimable yet: "Not estimable yet: 3 of at least 8 blocks"."""
    values = {
        # Rounded down, so that too few never looks like enough.
        "found": number_format(math.floor(shortage.found * 10 + 1e-6) / 10, 1)
        if shortage.found % 1
        else number_format(int(shortage.found)),
        "needed": number_format(shortage.needed),
    }
    words = {
        "comparisons": _("Not estimable yet: %(found)s of at least %(needed)s comparisons"),
        "blocks": _("Not estimable yet: %(found)s of at least %(needed)s blocks"),
        "judgments": _("Not estimable yet: %(found)s of at least %(needed)s judgments"),
        "segments": _("Not estimable yet: %(found)s of at least %(needed)s segments"),
        "documents": _("Not estimable yet: %(found)s of at least %(needed)s documents"),
        "judges": _("Not estimable yet: %(found)s of at least %(needed)s judges"),
        "snippets": _("Not estimable yet: %(found)s of at least %(needed)s snippets"),
        "edits": _("Not estimable yet: %(found)s of at least %(needed)s edits"),
        "items": _("Not estimable yet: %(found)s of at least %(needed)s items"),
        "ratings": _("Not estimable yet: %(found)s of at least %(needed)s ratings"),
    }
    return words[shortage.unit] % values


def shortages_of_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what ranked systems lack, in words; `rows` are those of one group, as the result of a ranking has them."""
    shortages = {row["system"]: Shortage(**row["shortage"]) for row in rows if row.get("shortage")}
    return shortages_in_words(shortages, len(rows))


def shortages_in_words(shortages: Mapping[str, Shortage], systems: int) -> list[str]:
    """Return what n ranked systems lack before their rank ranges are estimable: a sentence if all lack something."""
    if shortages and len(shortages) == systems:
        least = min(shortages.values(), key=lambda each: each.found / each.needed)
        return [
            _("Rank ranges, clusters and p-values: %(why)s for each system.")
            % {"why": lowered(not_yet_in_words(least))}
        ]
    names: dict[str, list[str]] = {}
    for system, shortage in shortages.items():
        names.setdefault(not_yet_in_words(shortage), []).append(system)
    return [
        _("%(system)s: %(why)s.") % {"system": ", ".join(alike), "why": lowered(why)}
        for why, alike in names.items()
    ]


def lowered(words: str) -> str:
    """Return words for the middle of a sentence."""
    return words[:1].lower() + words[1:]


def reason_in_words(reason: str) -> str:
    """Return why a system has no rank, or a judge no κ."""
    return {
        "no_comparison": _("not compared yet"),
        "only_ties": _("only ties so far"),
        "chance_is_certain": _("only ties so far"),
        "separated": _("won or lost everything against the others"),
        "not_converged": _("the estimate did not converge"),
    }.get(reason, reason)

"""Tests of pairs: the units they treat as independent, and corrections for the number of tests."""

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

#: Levels of `ranking.core.counting.resampling.LEVELS`.
LEVEL_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "two_way": _("segments and judges"),
        "segments": _("segments"),
        "judges": _("judges"),
        "blocks": _("blocks"),
        "pairs": _("comparisons"),
    }
)
#: Values of `ranking.core.ranges.Correction`.
CORRECTION_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "none": _("none"),
        "holm": _("Holm"),
        "benjamini_hochberg": _("Benjamini–Hochberg"),
    }
)
#: Phrases that follow “sign tests …”.
CORRECTED_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "none": _("without correction for multiple testing"),
        "holm": _("with Holm correction"),
        "benjamini_hochberg": _("with Benjamini–Hochberg correction"),
    }
)
#: Marks of corrected p-values up to a level, as used by WMT, strongest first.
MARKS = ((0.01, "‡"), (0.05, "†"), (0.10, "*"))


def mark_of(p: float | None) -> str:
    """Return the mark of a corrected p-value; "" for a large or missing one."""
    return "" if p is None else next((mark for level, mark in MARKS if p <= level), "")

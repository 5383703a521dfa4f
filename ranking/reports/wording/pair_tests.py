"""Tests of pairs: the units they treat as independent, and corrections for the number of tests."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from ranking.core.ranges import Correction, Sides
from ranking.reports.wording.numbers import in_figures

#: Levels of `ranking.core.counting.resampling.LEVELS`.
LEVEL_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "two_way": gettext_lazy("segments and judges"),
        "segments": gettext_lazy("segments"),
        "judges": gettext_lazy("judges"),
        "blocks": gettext_lazy("blocks"),
        "pairs": gettext_lazy("comparisons"),
    },
)
#: Values of `ranking.core.ranges.Correction`.
CORRECTION_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "none": pgettext_lazy("correction", "none"),
        "holm": gettext_lazy("Holm"),
        "benjamini_hochberg": gettext_lazy("Benjamini–Hochberg"),
    },
)
#: Phrases that follow “sign tests …”.
CORRECTED_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "none": gettext_lazy("without correction for multiple testing"),
        "holm": gettext_lazy("with Holm correction"),
        "benjamini_hochberg": gettext_lazy("with Benjamini–Hochberg correction"),
    },
)
#: Marks of p-values up to a level, as used by WMT, strongest first.
MARKS = ((0.01, "‡"), (0.05, "†"), (0.10, "*"))


def mark_of(p: float | None) -> str:
    """Return the mark of a p-value; "" for a large or missing one."""
    if p is None:
        return ""
    return next((mark for level, mark in MARKS if p <= level), "")


def sign_tests_in_words(
    sides: Sides,
    correction: Correction,
    level: float,
) -> list[str]:
    """Return a caption of sign tests of pairs."""
    if sides == 2:
        message = _(
            "Two-sided sign tests of the pair’s own comparisons, taken as independent, %(correction)s.",
        )
    else:
        message = _(
            "One-sided sign tests of the pair’s own comparisons, taken as independent, %(correction)s.",
        )
    sentence = message % {"correction": CORRECTED_WORDS[correction]}
    return [sentence, *significance_in_words(correction, level)]


def own_tests_in_words(
    resample: str,
    correction: Correction,
    level: float,
    *,
    limits: Collection[str],
) -> list[str]:
    """Return a caption of tests of pairs by their own comparisons, which account for these units.

    `limits` are the units that the test of some pair ignores, see `DirectPairs`.
    """
    if resample == "pairs":
        return sign_tests_in_words(2, correction, level)
    sentence = {
        "two_way": _(
            "Two-sided tests of the pair’s own comparisons, accounting for segments and judges, %(correction)s.",
        ),
        "segments": _(
            "Two-sided tests of the pair’s own comparisons, accounting for segments, %(correction)s.",
        ),
        "judges": _(
            "Two-sided tests of the pair’s own comparisons, accounting for judges, %(correction)s.",
        ),
        "blocks": _(
            "Two-sided tests of the pair’s own comparisons, accounting for blocks, %(correction)s.",
        ),
    }[resample]
    if limits:
        few = [_("Some pairs have too few judges or segments to account for them.")]
    else:
        few = []
    return [
        sentence % {"correction": CORRECTED_WORDS[correction]},
        *few,
        *significance_in_words(correction, level),
    ]


def units_in_words(accounted: str) -> str:
    """Return a sentence on the units that tests account for, see `ranking.reports.wording.ranges.accounted_for`."""
    return {
        "two_way": _("They account for segments and judges."),
        "documents_and_judges": _("They account for documents and judges."),
        "documents": _("They account for documents, not judges."),
        "segments": _("They account for segments, not judges."),
        "judges": _("They account for judges, not segments."),
        "neither": _("They account for neither segments nor judges."),
        "blocks": _(
            "They treat blocks as independent and account for neither segments nor judges.",
        ),
        "pairs": _("They treat comparisons as independent."),
    }[accounted]


def significance_in_words(correction: Correction, level: float) -> list[str]:
    """Return the largest significant p-value; nothing without a correction, as nothing is called significant."""
    if correction is Correction.NONE:
        return []
    return [_("Significant: corrected p ≤ %(level)s.") % {"level": in_figures(level)}]

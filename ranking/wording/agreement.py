"""Texts about κ: its conventional strength, the units of its interval, and reasons for missing values."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from ranking.core.agreement.intervals import KappaLevel, NoInterval
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.scores import NotEstimable
from ranking.wording.numbers import in_figures
from ranking.wording.pair_tests import LEVEL_WORDS

#: Definitions of "the same item" for two judges.
PAIRING_WORDS: Final[Mapping[Pairing, Promise | str]] = {
    Pairing.UNORDERED: gettext_lazy("same two outputs"),
    Pairing.PRESENTED: gettext_lazy("same two outputs in the same display order"),
}
#: Estimators of chance agreement.
CHANCE_WORDS: Final[Mapping[Chance, Promise | str]] = {
    Chance.SCOTT: gettext_lazy("Scott’s π"),
    Chance.COHEN: gettext_lazy("Cohen’s κ"),
    Chance.FLEISS: gettext_lazy("Fleiss’ κ"),
    Chance.KRIPPENDORFF: gettext_lazy("Krippendorff’s α"),
    Chance.KRIPPENDORFF_ORDINAL: gettext_lazy("Krippendorff’s ordinal α"),
    Chance.UNIFORM: gettext_lazy("uniform (1/3)"),
    Chance.RANDOM_CLICKER: gettext_lazy("random clicking"),
}


def no_interval_in_words(reason: str) -> str:
    """Return the reason why a κ has no interval."""
    return {
        NoInterval.TOO_FEW_JUDGES.value: _("too few judges"),
        NoInterval.TOO_FEW_SEGMENTS.value: _("too few segments"),
        NoInterval.NO_VARIATION.value: _("no variation between judges or segments"),
    }.get(reason, reason)


def intervals_in_words(level: KappaLevel, *, resamples: int, confidence: float, seed: int) -> str:
    """Return a sentence on how intervals of κ were computed."""
    if level == "segments":
        return _(
            "intervals: %(resamples)s resamples of %(level)s, confidence %(confidence)s, "
            "seed %(seed)s"
        ) % {
            "resamples": number_format(resamples),
            "level": LEVEL_WORDS[level],
            "confidence": in_figures(confidence),
            "seed": seed,
        }
    return _("intervals: jackknife over %(level)s, confidence %(confidence)s") % {
        "level": LEVEL_WORDS[level],
        "confidence": in_figures(confidence),
    }


def strength_in_words(kappa: float | None, reason: str | None = None) -> str | None:
    """Return the term of Landis and Koch (1977) for a κ, or why there is none; show `strength_caution` beside it."""
    if kappa is None:
        return None if reason is None else not_estimable_in_words(reason)
    if kappa < 0:
        return pgettext("agreement", "poor")
    words = (
        (0.2, pgettext("agreement", "slight")),
        (0.4, pgettext("agreement", "fair")),
        (0.6, pgettext("agreement", "moderate")),
        (0.8, pgettext("agreement", "substantial")),
    )
    # Their table has two decimals: “fair” begins at 0.21.
    return next(
        (word for highest, word in words if round(kappa, 2) <= highest),
        pgettext("agreement", "almost perfect"),
    )


def strength_caution() -> str:
    """Return a caution about the terms of `strength_in_words`."""
    return _(
        "Strength after Landis and Koch (1977): slight up to 0.20, fair up to 0.40, moderate up to 0.60, substantial up to 0.80. This is a convention, not a test: compare intervals, and only with campaigns that used the same task."
    )


def kappa_shown(kappa: float | None, p_chance: float | None) -> float | str | None:
    """Return κ; the reason if chance alone gives full agreement; or None if nothing is shared."""
    if kappa is None and p_chance is not None:
        return _("undefined: everyone chose the same label")
    return kappa


def not_estimable_in_words(reason: str) -> str:
    """Return the reason for a missing κ."""
    return {
        NotEstimable.NO_COMPARISON.value: _("not estimable: no comparable judgments"),
        NotEstimable.CHANCE_IS_CERTAIN.value: _("not estimable: only ties"),
    }.get(reason, reason)


def missing_in_words(found: Any) -> str | None:
    """Return why an estimate of κ, or its interval, is missing; None if neither is."""
    if found.reason is not None:
        return not_estimable_in_words(found.reason)
    return None if found.no_interval is None else no_interval_in_words(found.no_interval)

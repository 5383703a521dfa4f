"""Texts about κ: its conventional strength, the units of its interval, and reasons for missing values."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from ranking.core.agreement.intervals import (
    CLASS_ENDS,
    Agreement,
    AgreementEstimate,
    KappaLevel,
    NoInterval,
    says_enough,
    strength_class,
)
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.scores import NotEstimable
from ranking.reports.wording.numbers import decimals, in_figures

#: Definitions of "the same item" for two judges.
PAIRING_WORDS: Final[Mapping[Pairing, Promise | str]] = {
    Pairing.UNORDERED: gettext_lazy("same two outputs"),
    Pairing.PRESENTED: gettext_lazy("same two outputs in the same display order"),
}
#: Estimators of chance agreement.
CHANCE_WORDS: Final[Mapping[Chance, Promise | str]] = {
    Chance.CONGER: gettext_lazy("Conger’s κ"),
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


def intervals_in_words(
    level: KappaLevel,
    *,
    resamples: int,
    confidence: float,
    seed: int,
) -> str:
    """Return a sentence on how intervals of κ were computed."""
    if level == "segments":
        return _(
            "intervals: %(resamples)s resamples of segments, confidence %(confidence)s, "
            "seed %(seed)s",
        ) % {
            "resamples": number_format(resamples),
            "confidence": in_figures(confidence),
            "seed": seed,
        }
    if level == "judges":
        message = _("intervals: jackknife over judges, confidence %(confidence)s")
    else:
        message = _(
            "intervals: jackknife over segments and judges, confidence %(confidence)s",
        )
    return message % {"confidence": in_figures(confidence)}


def strength_in_words(
    kappa: float | None,
    low: float | None,
    high: float | None,
    *,
    reason: str | None = None,
) -> str | None:
    """Return the term of Landis and Koch (1977) for a κ whose interval says enough, or why there is no κ.

    Show `strength_caution` beside it.
    """
    if kappa is None:
        if reason is None:
            return None
        return not_estimable_in_words(reason)
    if not says_enough(low, high):
        return None
    message = (
        pgettext("agreement", "poor"),
        pgettext("agreement", "slight"),
        pgettext("agreement", "fair"),
        pgettext("agreement", "moderate"),
        pgettext("agreement", "substantial"),
        pgettext("agreement", "almost perfect"),
    )
    return message[strength_class(kappa)]


def strength_caution() -> str:
    """Return a caution about the terms of `strength_in_words`."""
    slight, fair, moderate, substantial = (decimals(end, 2) for end in CLASS_ENDS)
    return _(
        "Strength after Landis and Koch (1977): slight up to %(slight)s, fair up to %(fair)s, moderate up to %(moderate)s, substantial up to %(substantial)s. This is a convention, not a test: compare intervals, and only with campaigns that used the same task.",
    ) % {
        "slight": slight,
        "fair": fair,
        "moderate": moderate,
        "substantial": substantial,
    }


def kappa_text(
    kappa: float | None,
    p_chance: float | None,
    *,
    reason: str | None = None,
) -> float | str | None:
    """Return κ; the reason if it is not reported or chance alone gives full agreement; or None if nothing is shared."""
    if reason in {NotEstimable.NO_INTERVAL, NotEstimable.INTERVAL_TOO_WIDE}:
        return not_estimable_in_words(str(reason))
    if kappa is None and p_chance is not None:
        return _("undefined: everyone chose the same label")
    return kappa


def not_estimable_in_words(reason: str) -> str:
    """Return the reason for a missing κ."""
    return {
        NotEstimable.NO_COMPARISON.value: _("not estimable: no comparable judgments"),
        NotEstimable.CHANCE_IS_CERTAIN.value: _("not estimable: only ties"),
        NotEstimable.NO_INTERVAL.value: _("not shown: no interval"),
        NotEstimable.INTERVAL_TOO_WIDE.value: _("not shown: interval too wide"),
    }.get(reason, reason)


def kappa_undefined_in_words(kappa: Agreement | AgreementEstimate) -> str:
    """Return the reason why the κ between all judges is undefined."""
    message = _("κ between all judges: %(why)s.")
    return message % {"why": not_estimable_in_words(str(kappa.reason))}


class KappaWords(TypedDict):
    """The strength of κ between judges or why it is missing, and its chance agreement."""

    strength: str | None
    kappa_missing: str
    kappa_chance: str | None


def kappa_in_words(agreement: Mapping[str, Any] | None) -> KappaWords:
    """Return κ between judges in words; `agreement` is that of a ranking, None without one."""
    if agreement is None:
        return {
            "strength": None,
            "kappa_missing": no_shared_comparison(),
            "kappa_chance": None,
        }
    inter = agreement["inter"]
    return {
        "strength": strength_in_words(inter["kappa"], inter["low"], inter["high"]),
        "kappa_missing": kappa_missing_in_words(inter),
        "kappa_chance": str(CHANCE_WORDS[Chance(agreement["chance"])]),
    }


def kappa_missing_in_words(kappa: Mapping[str, Any]) -> str:
    """Return a sentence on why κ between judges is missing; empty if it is not."""
    if kappa["kappa"] is not None:
        return ""
    reason = kappa.get("reason")
    if reason == NotEstimable.INTERVAL_TOO_WIDE:
        return _("κ is not shown: its interval, %(low)s to %(high)s, is too wide.") % {
            "low": decimals(kappa["low"], 2),
            "high": decimals(kappa["high"], 2),
        }
    if reason == NotEstimable.NO_INTERVAL:
        return _("κ is not shown: it has no interval (%(reason)s).") % {
            "reason": no_interval_in_words(kappa["no_interval"]),
        }
    if kappa["comparable"]:
        return _("κ is undefined: all shared comparisons are ties.")
    return no_shared_comparison()


def no_shared_comparison() -> str:
    """Return a sentence on judgments without agreement."""
    return _("No comparison was judged by two judges.")


def missing_in_words(kappa: Any) -> str | None:
    """Return why an estimate of κ, or its interval, is missing; None if neither is."""
    if kappa.reason == NotEstimable.NO_INTERVAL and kappa.no_interval is not None:
        return no_interval_in_words(kappa.no_interval)
    if kappa.reason is not None:
        return not_estimable_in_words(kappa.reason)
    if kappa.no_interval is None:
        return None
    return no_interval_in_words(kappa.no_interval)

"""Sentences about intervals of κ: the units they take for drawn at random, or why there is none."""

from django.utils.translation import gettext as _

from ranking.core.agreement.kappa_intervals import KappaLevel, NoInterval


def no_interval_in_words(reason: str) -> str:
    """Return why a κ has no interval."""
    return {
        NoInterval.TOO_FEW_JUDGES.value: _("too few judges to tell how judges differ"),
        NoInterval.TOO_FEW_SEGMENTS.value: _("too few segments to tell how segments differ"),
        NoInterval.NO_VARIATION.value: _("no two judges and no two segments differ"),
    }.get(reason, reason)


def intervals_in_words(level: KappaLevel, *, resamples: int, confidence: float, seed: int) -> str:
    """Return a sentence on how intervals of κ were computed."""
    if level == "segments":
        return _(
            "intervals: %(resamples)s resamples of %(level)s, confidence %(confidence)s, "
            "seed %(seed)s"
        ) % {
            "resamples": f"{resamples:,}",
            "level": level,
            "confidence": f"{confidence:g}",
            "seed": seed,
        }
    return _("intervals: %(level)s, leaving out one at a time, confidence %(confidence)s") % {
        "level": level,
        "confidence": f"{confidence:g}",
    }

"""Quality measures of a judge: their list, scales and limits, and parsing of thresholds."""

import re
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from django.db import models
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class JudgeMeasure(models.TextChoices):
    """A measure of a judge; see docs/statistics/quality.md."""

    REFERENCE = "reference", gettext_lazy("preference for the reference")
    BAD_REFERENCE = "bad_reference", gettext_lazy("rejection of damaged references")
    REFERENCE_RANDOM = (
        "reference_random",
        gettext_lazy("random clicking p-value (reference)"),
    )
    BAD_REFERENCE_RANDOM = (
        "bad_reference_random",
        gettext_lazy("random clicking p-value (damaged references)"),
    )
    INTER = "inter", gettext_lazy("agreement with other judges (κ)")
    INTRA = "intra", gettext_lazy("self-agreement (κ)")
    TIES = "ties", gettext_lazy("share of ties")
    SECONDS = "seconds", gettext_lazy("median time per block")
    PACE = "pace", gettext_lazy("reading pace")
    ONE_LABEL = "one_label", gettext_lazy("blocks with one rank for all outputs")
    SHOWN_ORDER = "shown_order", gettext_lazy("blocks ranked in display order")
    POSITION = "position", gettext_lazy("position bias p-value")
    REFERENCE_IGNORED = (
        "reference_ignored",
        gettext_lazy("attention p-value (reference)"),
    )
    DAMAGE_IGNORED = (
        "damage_ignored",
        gettext_lazy("attention p-value (damaged references)"),
    )
    TYPED_IN_ORDER = "typed_in_order", gettext_lazy("attention p-value (display order)")
    DISAGREES = "disagrees", gettext_lazy("low agreement p-value")


#: One-line definition of each measure.
DEFINITIONS: Final = {
    JudgeMeasure.REFERENCE: gettext_lazy(
        "How often the judge ranks the human reference above the other output.",
    ),
    JudgeMeasure.BAD_REFERENCE: gettext_lazy(
        "How often the judge ranks the other output above a damaged reference.",
    ),
    JudgeMeasure.REFERENCE_RANDOM: gettext_lazy(
        "Probability that random clicking favours the reference this often. Near 1 suggests random clicking.",
    ),
    JudgeMeasure.BAD_REFERENCE_RANDOM: gettext_lazy(
        "Probability that random clicking rejects damaged references this often. Near 1 suggests random clicking.",
    ),
    JudgeMeasure.INTER: gettext_lazy(
        "Agreement with other judges on the same outputs. 1 is perfect, 0 is chance. Not shown if its interval is missing or too wide.",
    ),
    JudgeMeasure.INTRA: gettext_lazy(
        "Agreement with the judge’s own earlier answers on the same outputs. 1 is perfect, 0 is chance.",
    ),
    JudgeMeasure.TIES: gettext_lazy("How often the judge ranks two outputs equally."),
    JudgeMeasure.SECONDS: gettext_lazy(
        "Half of the judge’s blocks take less active time than this.",
    ),
    JudgeMeasure.PACE: gettext_lazy(
        "Words in an average block (source and outputs) per second of the judge’s median time.",
    ),
    JudgeMeasure.ONE_LABEL: gettext_lazy(
        "How often the judge gives all outputs of a block the same rank.",
    ),
    JudgeMeasure.SHOWN_ORDER: gettext_lazy(
        "How often the ranks simply follow the order on the screen, up or down.",
    ),
    JudgeMeasure.POSITION: gettext_lazy(
        "Probability of such ranks if the position on the screen does not matter. Near 0 suggests that it does.",
    ),
    JudgeMeasure.REFERENCE_IGNORED: gettext_lazy(
        "Probability that any of 50 or more attentive judges ever ranks the reference this low. Near 0 suggests not reading.",
    ),
    JudgeMeasure.DAMAGE_IGNORED: gettext_lazy(
        "Probability that any of 50 or more attentive judges ever ranks damaged references this high. Near 0 suggests not reading.",
    ),
    JudgeMeasure.TYPED_IN_ORDER: gettext_lazy(
        "Probability that any of 50 or more attentive judges ever follows the order on the screen this often. Near 0 suggests not reading.",
    ),
    JudgeMeasure.DISAGREES: gettext_lazy(
        "Probability that a judge like the others agrees with them this little. If near 0, check the judgments.",
    ),
}


class Scale(StrEnum):
    """Scale of a measure's values."""

    SHARE = "share"
    KAPPA = "kappa"
    SECONDS = "seconds"
    WORDS_A_SECOND = "words_per_second"
    PROBABILITY = "probability"


class Limits(NamedTuple):
    """Smallest and largest allowed threshold of a scale."""

    least: float
    most: float


#: Limits of thresholds, for the database, the form, REST and the command.
LIMITS: Final = {
    Scale.SHARE: Limits(0, 1),
    Scale.KAPPA: Limits(-1, 1),
    Scale.SECONDS: Limits(0, 86_400),
    Scale.WORDS_A_SECOND: Limits(0, 10_000),
    Scale.PROBABILITY: Limits(0, 1),
}
_OTHER_SCALES: Final = {
    JudgeMeasure.REFERENCE: Scale.SHARE,
    JudgeMeasure.BAD_REFERENCE: Scale.SHARE,
    JudgeMeasure.TIES: Scale.SHARE,
    JudgeMeasure.ONE_LABEL: Scale.SHARE,
    JudgeMeasure.SHOWN_ORDER: Scale.SHARE,
    JudgeMeasure.INTER: Scale.KAPPA,
    JudgeMeasure.INTRA: Scale.KAPPA,
    JudgeMeasure.SECONDS: Scale.SECONDS,
    JudgeMeasure.PACE: Scale.WORDS_A_SECOND,
}
SCALES: Final = {
    measure: _OTHER_SCALES.get(measure, Scale.PROBABILITY) for measure in JudgeMeasure
}
#: Largest amount of evidence that a rule may require.
MAX_MINIMUM: Final = 1_000_000

# "1,000" is ambiguous, so a comma is followed by at most two digits or preceded by a single 0.
_WRITTEN: Final = re.compile(
    r"(?P<number>[-−]?(?:\d{1,9}(?:[.]\d{1,9}|,\d{1,2})?|0,\d{1,9}))\s*(?P<unit>[%s]?)",
)
_UNITS: Final = {
    Scale.SHARE: {"%"},
    Scale.KAPPA: {""},
    Scale.SECONDS: {"", "s"},
    Scale.WORDS_A_SECOND: {""},
    Scale.PROBABILITY: {"", "%"},
}


class ThresholdError(ValueError):
    """A threshold is invalid for its measure or ambiguous; the message says why."""


def threshold_check(measure: str, threshold: float) -> None:
    """Raise `ThresholdError` unless the measure can have this value."""
    judge_measure = JudgeMeasure(measure)
    limits = LIMITS[SCALES[judge_measure]]
    # False for NaN.
    if limits.least <= threshold <= limits.most:
        return
    raise ThresholdError(
        _("“%(measure)s” must be between %(least)s and %(most)s.")
        % {
            "measure": judge_measure.label,
            "least": threshold_in_words(judge_measure, limits.least),
            "most": threshold_in_words(judge_measure, limits.most),
        },
    )


def threshold_from_text(measure: str, text: str) -> float:
    """Parse a threshold: "55%", "0.4" for a κ or a probability, "5 s".

    A share must have a percent sign: a bare 0.5 could be a half or half a percent. Raises
    `ThresholdError` for text that cannot be read and for values outside the limits.
    """
    judge_measure = JudgeMeasure(measure)
    read = _WRITTEN.fullmatch(text.strip().replace("٪", "%"))
    if read is None or read["unit"] not in _UNITS[SCALES[judge_measure]]:
        raise ThresholdError(_how_to_write(judge_measure))
    value = Decimal(read["number"].replace("−", "-").replace(",", "."))
    threshold = float(value / 100 if read["unit"] == "%" else value)
    threshold_check(judge_measure, threshold)
    return threshold


def _how_to_write(measure: JudgeMeasure) -> str:
    hints = {
        Scale.SHARE: _(
            "“%(measure)s” is a share: include the percent sign, such as 55%%.",
        ),
        Scale.KAPPA: _(
            "“%(measure)s” must be a number from −1 to 1, such as %(example)s.",
        ),
        Scale.SECONDS: _("“%(measure)s” is a time: enter seconds, such as 5."),
        Scale.WORDS_A_SECOND: _(
            "“%(measure)s” is a speed: enter words per second, such as 15.",
        ),
        Scale.PROBABILITY: _(
            "“%(measure)s” is a probability: enter a number from 0 to 1, such as %(example)s.",
        ),
    }
    if SCALES[measure] == Scale.KAPPA:
        example = 0.2
    else:
        example = 0.01
    return hints[SCALES[measure]] % {
        "measure": measure.label,
        "example": number_format(example),
    }


def threshold_in_words(measure: str, threshold: float) -> str:
    """Return the threshold at full precision in the reader's locale: "55%", "5 s", "−0.2"."""
    scale = SCALES[JudgeMeasure(measure)]
    number = _digits(threshold, scale).replace(".", get_format("DECIMAL_SEPARATOR"))
    if scale == Scale.SHARE:
        return _("%(share)s%%") % {"share": number}
    if scale == Scale.SECONDS:
        return _("%(seconds)s s") % {"seconds": number}
    if scale == Scale.WORDS_A_SECOND:
        return _("%(words)s words/s") % {"words": number}
    return number.replace("-", "−")


def threshold_as_text(measure: str, threshold: float) -> str:
    """Return the threshold as `threshold_from_text` reads it, independent of the language."""
    scale = SCALES[JudgeMeasure(measure)]
    return _digits(threshold, scale) + {Scale.SHARE: "%", Scale.SECONDS: " s"}.get(
        scale,
        "",
    )


def _digits(threshold: float, scale: Scale) -> str:
    exact = Decimal(repr(float(threshold))) * (100 if scale == Scale.SHARE else 1)
    return format(exact.normalize(), "f")

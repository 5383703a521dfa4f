"""What was measured of a judge, in words: one line a measure, with its interval and evidence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import QualityRule
from ranking.core.judges.monitoring import Watched
from ranking.pages.formats import duration, kappa, share


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """A measure in words; `interval` and `test` are empty where there is none."""

    measure: str
    label: str
    value: str
    interval: str
    evidence: str
    test: str


_Format = Callable[[float | None], str]


def probability(value: float | None) -> str:
    """A probability as papers print it."""
    if value is None:
        return "–"
    if value < 0.001:
        return _("< %(number)s") % {"number": number_format(0.001, decimal_pos=3)}
    return number_format(value, decimal_pos=3 if value < 0.1 else 2)


_SHOWN: Final[Mapping[Watched, _Format]] = {
    Watched.REFERENCE: share,
    Watched.BAD_REFERENCE: share,
    Watched.INTER: kappa,
    Watched.INTRA: kappa,
    Watched.TIES: share,
    Watched.SECONDS: duration,
    Watched.ONE_LABEL: share,
    Watched.SHOWN_ORDER: share,
    Watched.POSITION: probability,
    Watched.REFERENCE_IGNORED: probability,
    Watched.DAMAGE_IGNORED: probability,
    Watched.TYPED_IN_ORDER: probability,
    Watched.DISAGREES: probability,
}
_IN_BLOCKS: Final = {
    Watched.SECONDS,
    Watched.ONE_LABEL,
    Watched.SHOWN_ORDER,
    Watched.POSITION,
    Watched.REFERENCE_IGNORED,
    Watched.DAMAGE_IGNORED,
    Watched.TYPED_IN_ORDER,
}


def measure_lines(measures: Mapping[str, Mapping[str, Any]]) -> list[MeasureLine]:
    """The measures of a judge there are, in the order of the pages."""
    return [
        _line(measure, shown, measures[measure])
        for measure, shown in _SHOWN.items()
        if measure in measures
    ]


def rule_in_words(rule: QualityRule) -> str:
    """ "Warn if “prefers the reference” is surely below 55 %, on at least 60 comparisons"."""
    watched = Watched(rule.measure)
    shown = _SHOWN.get(watched, probability)
    below = rule.direction == QualityRule.Direction.BELOW
    certain = shown is not probability
    if certain:
        sentence = (
            _("%(action)s if “%(measure)s” is surely below %(threshold)s, on at least %(evidence)s")
            if below
            else _(
                "%(action)s if “%(measure)s” is surely above %(threshold)s, on at least %(evidence)s"
            )
        )
    else:
        sentence = (
            _("%(action)s if “%(measure)s” is below %(threshold)s, on at least %(evidence)s")
            if below
            else _("%(action)s if “%(measure)s” is above %(threshold)s, on at least %(evidence)s")
        )
    return sentence % {
        "action": str(rule.get_action_display()).capitalize(),
        "measure": rule.get_measure_display(),
        "threshold": shown(rule.threshold),
        "evidence": _evidence(watched, rule.minimum),
    }


def breach_in_words(evidence: Mapping[str, Any]) -> str:
    """What a rule acted on: the measure as it was then."""
    rule = evidence.get("rule")
    if not rule:
        return ""
    watched = Watched(rule["measure"])
    row = evidence["measures"][rule["measure"]]
    line = _line(watched, _SHOWN.get(watched, probability), row)
    interval = f" ({line.interval})" if line.interval else ""
    return f"{line.label}: {line.value}{interval}, {line.evidence}"


def _line(measure: Watched, shown: _Format, row: Mapping[str, Any]) -> MeasureLine:
    interval = ""
    if row["low"] is not None and row["high"] is not None:
        interval = _("%(low)s to %(high)s") % {"low": shown(row["low"]), "high": shown(row["high"])}
    return MeasureLine(
        measure=measure,
        label=str(QualityRule.Measure(measure).label),
        value=shown(row["value"]),
        interval=interval,
        evidence=_evidence(measure, row["evidence"]),
        test=_test(measure, row["p_value"]),
    )


def _evidence(measure: Watched, count: int) -> str:
    if measure in _IN_BLOCKS:
        return ngettext("%(count)d block", "%(count)d blocks", count) % {"count": count}
    if measure == Watched.DISAGREES:
        return ngettext("%(count)d sentence", "%(count)d sentences", count) % {"count": count}
    return ngettext("%(count)d comparison", "%(count)d comparisons", count) % {"count": count}


def _test(measure: Watched, p_value: float | None) -> str:
    if p_value is None:
        return ""
    if measure == Watched.SHOWN_ORDER:
        return _("by shuffling: p %(p)s") % {"p": probability(p_value)}
    return _("by clicking at random: p %(p)s") % {"p": probability(p_value)}

"""Put the measures of a judge into words: a row for each, with its interval and evidence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.judge_measures import SCALES, JudgeMeasure, Scale, threshold_in_words
from annotation.models import QualityRule, RuleDirection
from campaign.models import Task
from ranking.core.agreement.statistics import scott_chance
from ranking.pages.formats import duration, interval, kappa, share
from ranking.wording.numbers import by_language, decimals


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """A measure in words; `interval` and `test` may be empty."""

    measure: str
    label: str
    value: str
    interval: str
    evidence: str
    test: str


_Format = Callable[[float | None], str]


def probability(value: float | None) -> str:
    """Format a probability as papers print it."""
    if value is None:
        return "–"
    if value < 0.001:
        return _("< %(number)s") % {"number": number_format(0.001, decimal_pos=3)}
    return decimals(value, 3 if value < 0.1 else 2)


_SHOWN: Final[Mapping[JudgeMeasure, _Format]] = {
    JudgeMeasure.REFERENCE: share,
    JudgeMeasure.BAD_REFERENCE: share,
    JudgeMeasure.INTER: kappa,
    JudgeMeasure.INTRA: kappa,
    JudgeMeasure.TIES: share,
    JudgeMeasure.SECONDS: duration,
    JudgeMeasure.ONE_LABEL: share,
    JudgeMeasure.SHOWN_ORDER: share,
    JudgeMeasure.POSITION: probability,
    JudgeMeasure.REFERENCE_IGNORED: probability,
    JudgeMeasure.DAMAGE_IGNORED: probability,
    JudgeMeasure.TYPED_IN_ORDER: probability,
    JudgeMeasure.DISAGREES: probability,
}
_IN_BLOCKS: Final = {
    JudgeMeasure.SECONDS,
    JudgeMeasure.ONE_LABEL,
    JudgeMeasure.SHOWN_ORDER,
    JudgeMeasure.POSITION,
    JudgeMeasure.REFERENCE_IGNORED,
    JudgeMeasure.DAMAGE_IGNORED,
    JudgeMeasure.TYPED_IN_ORDER,
}


def in_figures(measure: JudgeMeasure, value: float | None) -> str:
    """Format a value of a measure as its row does."""
    return _SHOWN.get(measure, probability)(value)


def measure_rows(measures: Mapping[str, Mapping[str, Any]]) -> list[MeasureRow]:
    """Return a row for each measure of a judge, in the order of the pages.

    Measures without evidence are left out, except that of the reference: a row says that there is none.
    """
    known = [
        _measure_row(measure, shown, measures[measure], more=_chance(measure, measures))
        for measure, shown in _SHOWN.items()
        if measure in measures
    ]
    if known and JudgeMeasure.REFERENCE not in measures:
        return [_without_reference(), *known]
    return known


def _without_reference() -> MeasureRow:
    return MeasureRow(
        measure=JudgeMeasure.REFERENCE,
        label=_label(JudgeMeasure.REFERENCE),
        value=_("no data"),
        interval="",
        evidence=_("no comparison with the reference"),
        test="",
    )


def reference_missing_in_words(task: Task) -> str:
    """Return why no judge of a test set has a measure of the reference."""
    if task.test_set.campaign.show_reference:
        return _(
            "“Prefers the reference” has no data: judges see the reference, so it was not among the "
            "outputs. Damaged references show who reads; a hidden reference would, too."
        )
    return _("“Prefers the reference” has no data: the reference was not among the outputs.")


def rule_in_words(rule: QualityRule) -> str:
    """Return the rule as a sentence: "Warn if “ties” is surely above 90 %, on at least 60 …"."""
    measure = JudgeMeasure(rule.measure)
    below = rule.direction == RuleDirection.BELOW
    if SCALES[measure] != Scale.PROBABILITY:
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
        "threshold": threshold_in_words(measure, rule.threshold),
        "evidence": _evidence(measure, rule.minimum),
    }


def breach_in_words(evidence: Mapping[str, Any]) -> str:
    """Return the measure that a rule acted on, as it was then; "" if no rule did."""
    rule = evidence.get("rule")
    if not rule:
        return ""
    measure = JudgeMeasure(rule["measure"])
    row = evidence["measures"][rule["measure"]]
    shown = _measure_row(measure, _SHOWN.get(measure, probability), row)
    between = f" ({shown.interval})" if shown.interval else ""
    return f"{shown.label}: {shown.value}{between}, {shown.evidence}"


def _chance(measure: JudgeMeasure, measures: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what κ of a judge with themselves would be by chance: it follows from their own ties."""
    if measure != JudgeMeasure.INTRA or JudgeMeasure.TIES not in measures:
        return ""
    chance = float(scott_chance(np.asarray(measures[JudgeMeasure.TIES]["value"])))
    return f"{_('P(E) of own labels')} {decimals(chance, 2)}"


def _measure_row(
    measure: JudgeMeasure, shown: _Format, row: Mapping[str, Any], *, more: str = ""
) -> MeasureRow:
    low, high = row["low"], row["high"]
    return MeasureRow(
        measure=measure,
        label=_label(measure),
        value=shown(row["value"]),
        interval="" if low is None or high is None else interval(shown(low), shown(high)),
        evidence=pgettext("between figures", "; ").join(
            filter(None, (_evidence(measure, row["evidence"]), more))
        ),
        test=_test(measure, row["p_value"]),
    )


@by_language
def _label(measure: JudgeMeasure) -> str:
    return str(measure.label)


@by_language
def _evidence(measure: JudgeMeasure, count: int) -> str:
    if measure in _IN_BLOCKS:
        return ngettext("%(count)d block", "%(count)d blocks", count) % {"count": count}
    if measure == JudgeMeasure.DISAGREES:
        return ngettext("%(count)d sentence", "%(count)d sentences", count) % {"count": count}
    return ngettext("%(count)d comparison", "%(count)d comparisons", count) % {"count": count}


def _test(measure: JudgeMeasure, p_value: float | None) -> str:
    if p_value is None:
        return ""
    if measure == JudgeMeasure.SHOWN_ORDER:
        return _by_shuffling(probability(p_value))
    return _by_clicking(probability(p_value))


@by_language
def _by_shuffling(p: str) -> str:
    return _("by shuffling: p %(p)s") % {"p": p}


@by_language
def _by_clicking(p: str) -> str:
    return _("by clicking at random: p %(p)s") % {"p": p}

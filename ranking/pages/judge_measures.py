"""Measures of judges: rows with intervals and evidence, strips, and the table of judges."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import django_filters
import numpy as np
import numpy.typing as npt
from django.db.models import Q, QuerySet
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from annotation.models import QualityAction, QualityRule, RuleDirection
from annotation.models.judge_measures import (
    DEFINITIONS,
    SCALES,
    JudgeMeasure,
    Scale,
    threshold_in_words,
)
from annotation.selectors.judges import JudgeStatus
from campaign.models import Judge, SystemKind, Task
from campaign.pages.filters import YES, DeskFilter, YesNoFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.texts.joining import comma_list, labelled, semicolon_list
from ranking.core.agreement.statistics import scott_chance
from ranking.pages.formats import (
    ago,
    duration,
    interval,
    judge_status_label,
    kappa,
    percent,
    share,
)
from ranking.reports.wording.numbers import decimals, p_in_words
from ranking.selectors.judges import (
    FLAGGED,
    GRAVITIES,
    UNFLAGGED,
    RecordedMeasure,
    has_low_agreement,
)

_Format = Callable[[float | None], str]


def probability(value: float | None) -> str:
    """Format a probability as in papers."""
    if value is None:
        return "–"
    if value < 0.001:
        return _("< %(number)s") % {"number": number_format(0.001, decimal_pos=3)}
    if value < 0.1:
        return decimals(value, 3)
    return decimals(value, 2)


def pace(value: float | None) -> str:
    """Format words per second."""
    if value is None:
        return "–"
    return _("%(words)s words/s") % {"words": decimals(value, 1)}


_FORMATS: Final[Mapping[Scale, _Format]] = {
    Scale.SHARE: share,
    Scale.KAPPA: kappa,
    Scale.SECONDS: duration,
    Scale.WORDS_A_SECOND: pace,
    Scale.PROBABILITY: probability,
}
#: Measures shown as tests of other measures.
_NOT_LISTED: Final = {JudgeMeasure.REFERENCE_RANDOM, JudgeMeasure.BAD_REFERENCE_RANDOM}
_IN_BLOCKS: Final = {
    JudgeMeasure.SECONDS,
    JudgeMeasure.PACE,
    JudgeMeasure.ONE_LABEL,
    JudgeMeasure.SHOWN_ORDER,
    JudgeMeasure.POSITION,
    JudgeMeasure.REFERENCE_IGNORED,
    JudgeMeasure.DAMAGE_IGNORED,
    JudgeMeasure.TYPED_IN_ORDER,
}


def in_figures(measure: JudgeMeasure, value: float | None) -> str:
    """Format a value of a measure."""
    return _FORMATS[SCALES[measure]](value)


#: Measures of a judge by name.
Measures = Mapping[str, RecordedMeasure]


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """A measure of a judge in words; `interval` and `test` may be empty."""

    measure: str
    label: str
    value: str
    evidence: str
    interval: str = ""
    test: str = ""
    definition: str = ""


def measure_rows(measures: Measures) -> list[MeasureRow]:
    """Return a row for each measure of a judge, in display order.

    Measures without evidence are left out, except for that of the reference, whose row explains why.
    """
    rows = []
    for measure in JudgeMeasure:
        if measure in measures and measure not in _NOT_LISTED:
            chance = _chance(measure, measures)
            rows.append(_measure_row(measure, measures[measure], more=chance))
    if rows and JudgeMeasure.REFERENCE not in measures:
        missing = MeasureRow(
            measure=JudgeMeasure.REFERENCE.value,
            label=str(JudgeMeasure.REFERENCE.label),
            value=_("no data"),
            evidence=_("no comparisons with the reference"),
        )
        rows.insert(0, missing)
    return rows


def reference_missing_in_words(task: Task) -> str:
    """Return why the reference measures of a test set are missing for all judges; empty if it has no reference."""
    if not task.test_set.systems.filter(kind=SystemKind.REFERENCE).exists():
        return ""
    if task.test_set.campaign.show_reference:
        return _(
            "“Preference for the reference” has no data: judges see the reference, so it was not among the "
            "outputs. Damaged references or a hidden reference would test attention instead.",
        )
    return _("“%(measure)s” has no data: the reference was not among the outputs.") % {
        "measure": JudgeMeasure.REFERENCE.label,
    }


def rule_in_words(rule: QualityRule) -> str:
    """Return the rule as a sentence: "Warn when share of ties is above 90% (95% confidence, at least 60 …)"."""
    measure = JudgeMeasure(rule.measure)
    below = rule.direction == RuleDirection.BELOW
    if SCALES[measure] == Scale.PROBABILITY and below:
        sentence = _(
            "%(action)s when %(measure)s is below %(threshold)s (at least %(evidence)s)",
        )
    elif SCALES[measure] == Scale.PROBABILITY:
        sentence = _(
            "%(action)s when %(measure)s is above %(threshold)s (at least %(evidence)s)",
        )
    elif below:
        sentence = _(
            "%(action)s when %(measure)s is below %(threshold)s (95%% confidence, at least %(evidence)s)",
        )
    else:
        sentence = _(
            "%(action)s when %(measure)s is above %(threshold)s (95%% confidence, at least %(evidence)s)",
        )
    return sentence % {
        "action": rule.get_action_display(),
        "measure": rule.get_measure_display(),
        "threshold": threshold_in_words(measure, rule.threshold),
        "evidence": _evidence(measure, rule.minimum),
    }


def breach_in_words(evidence: Mapping[str, Any]) -> str:
    """Return the measure that a rule acted on, with its value at that time; "" if no rule acted."""
    rule = evidence.get("rule")
    if not rule:
        return ""
    name = rule["measure"]
    row = _measure_row(JudgeMeasure(name), evidence["measures"][name])
    value = row.value
    if row.interval:
        value = f"{value} ({row.interval})"
    return labelled(row.label, comma_list([value, row.evidence]))


def _chance(measure: JudgeMeasure, measures: Measures) -> str:
    """Return the chance agreement of a judge with themselves, from their own ties."""
    if measure != JudgeMeasure.INTRA or JudgeMeasure.TIES not in measures:
        return ""
    ties = np.asarray(measures[JudgeMeasure.TIES]["value"])
    chance = float(scott_chance(ties))
    return f"{_('P(E) of own labels')} {decimals(chance, 2)}"


def _measure_row(
    measure: JudgeMeasure,
    recorded: RecordedMeasure,
    *,
    more: str = "",
) -> MeasureRow:
    ends = ""
    if recorded["low"] is not None and recorded["high"] is not None:
        low = in_figures(measure, recorded["low"])
        high = in_figures(measure, recorded["high"])
        ends = interval(low, high)
    evidence = [_evidence(measure, recorded["evidence"])]
    if more:
        evidence.append(more)
    return MeasureRow(
        measure=measure.value,
        label=str(measure.label),
        value=in_figures(measure, recorded["value"]),
        interval=ends,
        evidence=semicolon_list(evidence),
        test=_test(measure, recorded["p_value"]),
        definition=str(DEFINITIONS[measure]),
    )


def _evidence(measure: JudgeMeasure, count: int) -> str:
    if measure in _IN_BLOCKS:
        return ngettext("%(count)s block", "%(count)s blocks", count) % {"count": count}
    if measure == JudgeMeasure.DISAGREES:
        return ngettext("%(count)d sentence", "%(count)d sentences", count) % {
            "count": count,
        }
    return ngettext("%(count)s comparison", "%(count)s comparisons", count) % {
        "count": count,
    }


def _test(measure: JudgeMeasure, p_value: float | None) -> str:
    if p_value is None:
        return ""
    p = p_in_words(p_value)
    if measure == JudgeMeasure.SHOWN_ORDER:
        return _("%(p)s (permutation test)") % {"p": p}
    return _("%(p)s (random clicking)") % {"p": p}


# Judges in the same hundredth of the width share one stroke.
_STEPS: Final = 100
_LOWEST_KAPPA: Final = -0.2
_SHORTEST: Final = 0.01
_Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Strip:
    """Positions of a judge, their interval and the median on the axis of a measure.

    `others` is a path with a stroke at each judge's position, 100 wide and 20 high.
    """

    others: str
    dot: str
    low: str
    high: str
    median: str


@dataclass(frozen=True, slots=True)
class DrawnMeasure:
    """A measure of a judge, and its position among the values of a number of judges."""

    row: MeasureRow
    judges: int
    strip: Strip | None = None
    middle: str = ""


def drawn_measures(
    measures: Measures,
    everybody: Mapping[str, Sequence[float]],
) -> list[DrawnMeasure]:
    """Return the measures of a judge in display order, each with its position among the values of `everybody`."""
    drawn = []
    for row in measure_rows(measures):
        measure = JudgeMeasure(row.measure)
        values = np.array(everybody.get(measure, ()))
        own = measures.get(measure)
        if own is None or own["value"] is None or not values.size:
            drawn.append(DrawnMeasure(row, values.size))
            continue
        median = float(np.median(values))
        strip = _strip(SCALES[measure], own, values, median)
        middle = in_figures(measure, median)
        drawn.append(DrawnMeasure(row, values.size, strip, middle))
    return drawn


def _strip(scale: Scale, own: RecordedMeasure, values: _Values, median: float) -> Strip:
    value = own["value"]
    low = own["low"]
    if low is None:
        low = value
    high = own["high"]
    if high is None:
        high = value
    marks = np.array([value, low, high, median], dtype=np.float64)
    on_axis = map(percent, _axis_positions(scale, marks, values).tolist())
    steps = np.rint(_STEPS * _axis_positions(scale, values, values)).astype(int)
    strokes = [f"M{step} 4V16" for step in np.unique(steps).tolist()]
    return Strip("".join(strokes), *on_axis)


def _axis_positions(scale: Scale, these: _Values, values: _Values) -> _Values:
    """Return the positions of values on the axis of all values, from 0 to 1; times are logarithmic."""
    if scale in (Scale.SECONDS, Scale.WORDS_A_SECOND):
        these = np.log(np.maximum(these, _SHORTEST))
        values = np.log(np.maximum(values, _SHORTEST))
        least = values.min() - 0.1
        most = values.max() + 0.1
    elif scale == Scale.KAPPA:
        least = min(_LOWEST_KAPPA, values.min())
        most = 1.0
    else:
        least = 0.0
        most = 1.0
    shares: _Values = np.clip((these - least) / (most - least), 0.0, 1.0)
    return shares


_STATUSES: Final = [
    (JudgeStatus.GOOD.value, gettext_lazy("In good standing")),
    (JudgeStatus.WARNED.value, pgettext_lazy("judge", "Warned")),
    (JudgeStatus.PAUSED.value, pgettext_lazy("judge", "Paused")),
    (JudgeStatus.EXCLUDED.value, pgettext_lazy("judge", "Excluded")),
]
# The axis of κ starts here: intervals of judges with few shared comparisons reach far below.
_LOWEST: Final = -0.2


class JudgeFilter(DeskFilter):
    """Filters of `judges_listed`."""

    name = django_filters.CharFilter(
        label=gettext_lazy("Name contains"),
        max_length=100,
        method="of_name",
    )
    status = django_filters.ChoiceFilter(
        label=gettext_lazy("Status"),
        choices=_STATUSES,
        empty_label=gettext_lazy("All"),
        method="of_status",
    )
    flagged = YesNoFilter(
        label=gettext_lazy("Flags"),
        yes=gettext_lazy("Flagged"),
        no=gettext_lazy("Not flagged"),
        method="of_flag",
    )

    def of_name(
        self,
        queryset: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(
            Q(pseudonym__icontains=value) | Q(given_name__icontains=value),
        )

    def of_status(
        self,
        queryset: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(gravity=GRAVITIES.index(JudgeStatus(value)))

    def of_flag(
        self,
        queryset: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        if value == YES:
            return queryset.filter(FLAGGED)
        return queryset.filter(UNFLAGGED)


def _sorted_column(label: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(label, by=by, then="pseudonym", **options)


class JudgeTable(DeskTable):
    """Table of `judges_listed`; `actions` are those in force, by judge."""

    name = _sorted_column(gettext_lazy("Judge"), "pseudonym", kind="judge")
    flags = PlainColumn(gettext_lazy("Flags"), by="gravity", kind="flags")
    judged = _sorted_column(
        gettext_lazy("Blocks"),
        "judged",
        kind="number",
        initial_sort_descending=True,
    )
    skipped = _sorted_column(
        gettext_lazy("Skipped"),
        "standing",
        kind="number",
        initial_sort_descending=True,
    )
    seconds = _sorted_column(gettext_lazy("Time per block"), "seconds", kind="number")
    seen = _sorted_column(
        gettext_lazy("Last seen"),
        "last_at",
        kind="seen",
        initial_sort_descending=True,
    )
    agreement = _sorted_column(
        gettext_lazy("κ with others"),
        "kappa",
        kind="kappa-cell",
    )

    caption = gettext_lazy("Judges: work and agreement")

    def __init__(self, data: QuerySet[Any, Any], *, task: Task) -> None:
        super().__init__(data, of=[task.test_set.campaign.slug, task.pk])
        self.actions: Mapping[int, list[QualityAction]] = {}
        self._simulated = pgettext("judge", "simulated")
        self._imported = pgettext("judge", "imported")
        self._select = _("Select %(judge)s")
        #: ID of the form for selected rows; rows cannot be selected if it is empty.
        self.chosen_by = ""

    def cell_name(self, row: Any) -> SafeString:
        link = self.link_to("judge-page", row.judge_id, row.pseudonym)
        if self.chosen_by:
            link = format_html(
                '<input type="checkbox" name="judge" value="{}" form="{}" aria-label="{}">&nbsp;{}',
                row.pseudonym,
                self.chosen_by,
                self._select % {"judge": row.pseudonym},
                link,
            )
        if row.given_name and row.given_name != row.pseudonym:
            link = format_html(
                '{} <span class="quiet"><bdi>{}</bdi></span>',
                link,
                row.given_name,
            )
        if row.origin != Judge.Origin.SIMULATED:
            return link
        return format_html('{} <span class="badge">{}</span>', link, self._simulated)

    def cell_flags(self, row: Any) -> str | SafeString:
        reasons = list(map(_reason, self.actions.get(row.judge_id, ())))
        if has_low_agreement(row.disagrees):
            reasons.append(_("low agreement"))
        status = GRAVITIES[row.gravity]
        label = judge_status_label(status)
        if not label and not reasons:
            return ""
        if label:
            badge = format_html(
                '<span class="badge judge-status-{}">{}</span> ',
                status,
                label,
            )
        else:
            badge = format_html(
                '<span class="badge badge-look">{}</span> ',
                _("Flagged"),
            )
        return format_html(
            '{}<span class="quiet">{}</span>',
            badge,
            semicolon_list(reasons),
        )

    def cell_seconds(self, row: Any) -> str:
        return duration(row.seconds)

    def cell_seen(self, row: Any) -> str | SafeString:
        if row.origin != Judge.Origin.PERSON:
            if row.origin == Judge.Origin.IMPORTED:
                return self._imported
            return ""
        return format_html(
            '<time datetime="{}">{}</time>',
            row.last_at.isoformat(),
            ago(row.last_at),
        )

    def cell_agreement(self, row: Any) -> str | SafeString:
        value = row.kappa
        low = row.kappa_low
        high = row.kappa_high
        if value is None:
            return kappa(None)
        ends = ""
        if low is None:
            low = value
        else:
            ends = interval(kappa(low), kappa(high))
        if high is None:
            high = value
        return format_html(
            '<span class="kappa-words"><b>{}</b> <span class="quiet">{}</span></span>'
            '<svg class="kappa-plot" aria-hidden="true" focusable="false">'
            '<line class="tick" x1="{}" x2="{}" y1="2" y2="18"/>'
            '<line class="range" x1="{}" x2="{}" y1="10" y2="10"/>'
            '<circle class="dot" cx="{}" cy="10" r="3.5"/></svg>',
            kappa(value),
            ends,
            _ZERO,
            _ZERO,
            _position(low),
            _position(high),
            _position(value),
        )


def _position(value: float) -> str:
    """Return the position of κ on the axis, limited to its ends."""
    on_axis = min(1.0, max(_LOWEST, value))
    return percent((on_axis - _LOWEST) / (1 - _LOWEST))


_ZERO: Final = _position(0.0)


def _reason(action: QualityAction) -> str:
    if action.rule is not None:
        return breach_in_words(action.evidence) or str(
            action.rule.get_measure_display(),
        )
    return action.note or _("by an organiser")

"""Forecast of a design in figures and a plot, the budget form, and presets with their costs and results."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Any, TypedDict

from django import forms
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.protocols.answer_kinds import answer_kind
from annotation.selectors.designs import design_of_preset, presets_for
from annotation.selectors.words_to_read import mean_words
from campaign.models import Task
from campaign.texts.joining import sentence_list
from campaign.texts.studies import Preset, study_of_protocol
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.models import RankingRun
from ranking.pages.formats import share
from ranking.pages.plot_drawing import drawn_for_page
from ranking.reports.analyses.options import Words
from ranking.reports.plots import LinePlot
from ranking.reports.tables import Column, Table, Value, end_columns
from ranking.reports.wording.numbers import decimals, percent
from ranking.reports.wording.ranges import told_apart_notes
from ranking.selectors.design_forecast import (
    BudgetForecast,
    DesignForecast,
    Estimate,
    counts_pairs,
    design_forecast,
    pace_of,
)
from ranking.selectors.runs import run_told_apart

JUDGMENTS = "judgments"
HOURS = "hours"
MONEY = "money"
_HIGHEST = 1_000_000_000


class BudgetForm(forms.Form):
    """Budget in judgments, hours or money, stored in the address."""

    budget = forms.FloatField(
        label=gettext_lazy("Budget"),
        required=False,
        min_value=0,
        max_value=_HIGHEST,
    )
    unit = forms.ChoiceField(
        label=gettext_lazy("Unit"),
        required=False,
        choices=[
            (JUDGMENTS, gettext_lazy("Judgments")),
            (HOURS, gettext_lazy("Hours")),
            (MONEY, gettext_lazy("Money")),
        ],
    )
    rate = forms.FloatField(
        label=gettext_lazy("Hourly rate"),
        required=False,
        min_value=0,
        max_value=_HIGHEST,
        help_text=gettext_lazy("Leave empty if judges are not paid."),
    )
    currency = forms.CharField(
        label=gettext_lazy("Currency"),
        required=False,
        max_length=10,
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a budget in money without a rate."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("unit") == MONEY and not cleaned.get("rate"):
            self.add_error(
                "rate",
                _("Enter the hourly rate, or set the budget in hours."),
            )
        return cleaned

    @property
    def arguments(self) -> dict[str, Any]:
        """Budget and rate as arguments of `design_forecast`; empty if they are invalid."""
        if not self.is_valid():
            return {}
        data = self.cleaned_data
        unit = data["unit"] or JUDGMENTS
        arguments: dict[str, Any] = {"rate": data["rate"]}
        if data["budget"] is not None:
            if unit == JUDGMENTS:
                arguments[unit] = round(data["budget"])
            else:
                arguments[unit] = data["budget"]
        return arguments

    @property
    def query(self) -> str:
        """The submitted values as a query string."""
        if not self.is_valid():
            return ""
        sent = {}
        for name in self.fields:
            value = self.data.get(name)
            if value:
                sent[name] = value
        return urlencode(sent)


@dataclass(frozen=True, slots=True)
class BudgetText:
    """A budget in words; without a rate it has no cost, and for scores neither pairs nor clusters."""

    judgments: str
    hours: str
    hours_range: str
    cost: str = ""
    cost_range: str = ""
    pairs: str = ""
    pairs_range: str = ""
    clusters: str = ""
    clusters_range: str = ""


class ForecastCard(TypedDict):
    """A forecast in words, figures and a plot; `budget`, `most` and `step` configure the slider."""

    chosen: BudgetText
    rows: list[BudgetText]
    plot: SafeString | None
    counts_pairs: bool
    pairs: int
    facts: list[str]
    budget: str
    most: str
    step: str
    unit: str
    hours_each: str
    rate: str
    most_judgments: str


def forecast_card(
    forecast: DesignForecast,
    form: BudgetForm,
    *,
    run: RankingRun | None,
) -> ForecastCard:
    """Return a forecast as shown. `run` is the latest ranking."""
    data: Mapping[str, Any] = {}
    if form.is_valid():
        data = form.cleaned_data
    unit = data.get("unit") or JUDGMENTS
    rate = data.get("rate")
    currency = data.get("currency", "")
    hours_each = forecast.hours_a_judgment
    most = forecast.most * _budget_per_judgment(unit, hours_each, rate or 0.0)
    step = "0.1"
    if unit == JUDGMENTS or most >= 100:
        step = "1"
    budget = data.get("budget") or most / 10
    if unit == JUDGMENTS:
        budget = forecast.chosen.judgments
    rate_shown = ""
    if rate is not None:
        rate_shown = repr(rate)
    plot = None
    if forecast.counts_pairs:
        plot = drawn_for_page(forecast_table(forecast))
    # Include the largest budget.
    curve = forecast.curve[:: -(len(forecast.curve) // 8)]
    return {
        "chosen": _row(forecast.chosen, currency),
        "rows": [_row(row, currency) for row in reversed(curve)],
        "plot": plot,
        "counts_pairs": forecast.counts_pairs,
        "pairs": forecast.pairs,
        "facts": [*_facts(forecast), *_told_apart(run)],
        "budget": _plain(budget),
        "most": _plain(most),
        "step": step,
        "unit": unit,
        "hours_each": repr(hours_each),
        "rate": rate_shown,
        "most_judgments": str(forecast.most),
    }


def _budget_per_judgment(unit: str, hours: float, rate: float) -> float:
    """Return the size of a judgment in a unit of budgets."""
    if unit == HOURS:
        return hours
    if unit == MONEY:
        return hours * rate
    return 1.0


def _row(row: BudgetForecast, currency: str) -> BudgetText:
    cost = ""
    cost_range = ""
    if row.cost is not None:
        cost = f"{figure_in_words(row.cost.value)} {currency}".strip()
        cost_range = _range(row.cost)
    return BudgetText(
        judgments=number_format(row.judgments, force_grouping=True),
        hours=figure_in_words(row.hours.value),
        hours_range=_range(row.hours),
        cost=cost,
        cost_range=cost_range,
        **_separated(row),
    )


def _separated(row: BudgetForecast) -> dict[str, str]:
    """Return pairs and clusters in words; nothing unless they are forecast."""
    if row.pairs is None or row.clusters is None:
        return {}
    return {
        "pairs": _whole(row.pairs.value),
        "pairs_range": _formatted_range(row.pairs),
        "clusters": _one_decimal(row.clusters.value),
        "clusters_range": _formatted_range(row.clusters),
    }


def _facts(forecast: DesignForecast) -> list[str]:
    """Return the basis of the forecast in sentences."""
    block = forecast.seconds_a_block
    hit = forecast.seconds_a_hit
    facts = [
        *_chosen_systems_in_words(forecast),
        _(
            "A block averages %(words)s words and takes %(seconds)s seconds (%(range)s). A HIT takes "
            "%(minutes)s minutes (%(minutes_range)s).",
        )
        % {
            "words": _whole(forecast.block_averages.words),
            "seconds": figure_in_words(block.value),
            "range": _range(block),
            "minutes": _one_decimal(hit.value / 60),
            "minutes_range": _range(hit.times(1 / 60)),
        },
        _pace_in_words(forecast),
    ]
    if not forecast.counts_pairs:
        return [*facts, *_repeats_in_words(forecast)]
    if forecast.comparisons:
        facts.append(
            ngettext(
                "Pairs and clusters are projected from %(count)s comparison in the latest ranking.",
                "Pairs and clusters are projected from %(count)s comparisons in the latest ranking.",
                forecast.comparisons,
            )
            % {"count": number_format(forecast.comparisons, force_grouping=True)},
        )
    else:
        facts.append(
            _(
                "No ranking yet, so intervals are wide. Systems are assumed to differ as in Koehn (2012), with "
                "noise from 4 to 12 as at WMT10 and WMT12; in half of the simulations, some are equally good.",
            ),
        )
    if forecast.first_share < 1:
        facts.append(
            _(
                "%(share)s of judgments are not repeats. Repeats cost time but do not help to tell pairs apart.",
            )
            % {"share": share(forecast.first_share)},
        )
    return facts


def _repeats_in_words(forecast: DesignForecast) -> list[str]:
    """Return the share of judgments that repeat others, for scores."""
    if forecast.first_share == 1:
        return []
    return [
        _("Repeated judgments, for agreement: %(share)s.")
        % {"share": share(1 - forecast.first_share)},
    ]


def _told_apart(run: RankingRun | None) -> list[str]:
    """Return the pairs that the latest ranking tells apart."""
    if run is None or not run.result["pairs"]:
        return []
    notes = told_apart_notes(
        run_told_apart(run),
        RangeOptions.from_record(run.parameters),
        limits=run.result["limits"],
        counts=run.result["input"],
    )
    return [sentence_list(notes)]


def _chosen_systems_in_words(forecast: DesignForecast) -> list[str]:
    if forecast.systems == forecast.all_systems:
        return []
    sentence = _(
        "Only %(systems)s of %(all)s systems are selected. The others are not judged or ranked.",
    )
    return [
        sentence
        % {
            "systems": number_format(forecast.systems),
            "all": number_format(forecast.all_systems),
        },
    ]


def _pace_in_words(forecast: DesignForecast) -> str:
    pace = forecast.pace
    low = decimals(pace.low, 2)
    high = decimals(pace.high, 2)
    figures = {"seconds": decimals(pace.seconds, 2), "range": f"{low}–{high}"}
    if not pace.is_measured:
        return (
            _(
                "Assumed pace: %(seconds)s seconds per word (%(range)s), for silent reading at 238 words per "
                "minute (Brysbaert 2019) with every word read twice. It is measured once 3 judges have judged 30 "
                "blocks.",
            )
            % figures
        )
    return _(
        "Measured pace: %(seconds)s seconds per word (%(range)s), from %(blocks)s blocks by %(judges)s judges.",
    ) % {
        **figures,
        "blocks": number_format(pace.blocks, force_grouping=True),
        "judges": number_format(pace.judges),
    }


def forecast_table(forecast: DesignForecast) -> Table:
    """Return a table with a plot: separated pairs, hours, cost and clusters by number of judgments."""
    headings = {"pairs": _("Significant pairs"), "hours": _("Hours")}
    if forecast.chosen.cost is not None:
        headings["cost"] = _("Cost")
    headings["clusters"] = _("Clusters")
    columns = [Column("judgments", _("Judgments"))]
    for kind, heading in headings.items():
        columns.append(Column(kind, heading, decimals=1))
        columns += end_columns(f"{kind}_", decimals=1)
    rows = []
    for row in forecast.plotted:
        cells: list[Value] = [row.judgments]
        for kind in headings:
            cells += getattr(row, kind) or ()
        rows.append(tuple(cells))
    lowest = min(row.pairs.low for row in forecast.plotted if row.pairs is not None)
    start = 0
    if lowest >= forecast.pairs / 2:
        # If most pairs are separated already, the rest of the axis would be empty.
        start = floor(lowest)
    return Table(
        name="forecast",
        title=_("Significant pairs (of %(pairs)s)") % {"pairs": forecast.pairs},
        columns=columns,
        rows=rows,
        plot=LinePlot(
            label="judgments",
            value="pairs",
            low="pairs_low",
            high="pairs_high",
            start=start,
            end=forecast.pairs,
        ),
    )


def figure_in_words(number: float) -> str:
    """Return a number rounded to two or three significant digits."""
    if number >= 1000:
        size = 10 ** (len(str(int(number))) - 3)
        return str(number_format(round(number / size) * size, force_grouping=True))
    if number >= 10:
        return _whole(number)
    return _one_decimal(number)


def _whole(number: float) -> str:
    return str(number_format(round(number), force_grouping=True))


def _one_decimal(number: float) -> str:
    return decimals(number, 1)


def _range(estimate: Estimate) -> str:
    return f"{figure_in_words(estimate.low)}–{figure_in_words(estimate.high)}"


def _formatted_range(estimate: Estimate) -> str:
    return f"{_whole(estimate.low)}–{_whole(estimate.high)}"


def _plain(number: float) -> str:
    """Return a number as the value of an input."""
    if number >= 100 or number == round(number):
        return f"{number:.0f}"
    return f"{number:.1f}"


#: Share of separated pairs at which presets are compared.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class PresetCard:
    """A preset in words; `address` selects it, or adds its task."""

    label: Words
    sentence: Words
    is_chosen: bool
    is_other_task: bool
    address: str
    goal: str
    judgments: str
    hours: str
    cost: str
    clusters: str


def preset_cards(
    task: Task,
    *,
    chosen: Preset | None,
    rate: float | None = None,
) -> list[PresetCard]:
    """Return the presets, those of the task's protocol first."""
    own = []
    others = []
    for preset in presets_for(task):
        card = _preset_card(preset, task, chosen, rate)
        if card.is_other_task:
            others.append(card)
        else:
            own.append(card)
    return own + others


def _preset_card(
    preset: Preset,
    task: Task,
    chosen: Preset | None,
    rate: float | None,
) -> PresetCard:
    is_other = preset.protocol != task.protocol
    address = f"?preset={preset.name}"
    if is_other:
        page = reverse("task-add", args=[task.test_set.campaign.slug])
        study = study_of_protocol(preset.protocol, preset.name).name
        address = f"{page}?test_set={task.test_set_id}&study={study}"
    effort = _effort(preset, task)
    judgments = "–"
    if effort.judgments:
        judgments = figure_in_words(effort.judgments)
    hours = "–"
    cost = "–"
    if effort.hours:
        hours = figure_in_words(effort.hours.value)
        if rate:
            cost = figure_in_words(effort.hours.value * rate)
    return PresetCard(
        label=preset.label,
        sentence=preset.sentence,
        is_chosen=preset == chosen,
        is_other_task=is_other,
        address=address,
        goal=effort.goal,
        judgments=judgments,
        hours=hours,
        cost=cost,
        clusters=effort.clusters,
    )


@dataclass(frozen=True, slots=True)
class _Effort:
    """The goal of a preset, the judgments and hours it takes, and the clusters expected then."""

    goal: str = ""
    judgments: float = 0
    hours: Estimate | None = None
    clusters: str = "–"


def _effort(preset: Preset, task: Task) -> _Effort:
    if not preset.design:
        return _Effort()
    design = design_of_preset(preset, task=task)
    kind = answer_kind(preset.protocol, preset.rules)
    if not counts_pairs(kind):
        return _once(task, preset.design["systems_per_block"])
    forecast = design_forecast(
        task=task,
        design=design,
        is_from_scratch=True,
        kind=kind,
    )
    if forecast is None:
        return _Effort()
    judgments = forecast.judgments_for(_SHARE)
    reached = _SHARE
    if judgments is None:
        # All judgments that the test set has blocks for.
        judgments = forecast.most
        _most, pairs = forecast.separated[-1]
        reached = floor(100 * pairs / forecast.pairs) / 100
    goal = _("%(share)s of pairs significant (sign tests)") % {
        "share": percent(reached),
    }
    budget = forecast.of_budget(judgments)
    clusters = "–"
    if budget.clusters is not None:
        clusters = decimals(budget.clusters.value, 1)
    return _Effort(goal, judgments, budget.hours, clusters)


def _once(task: Task, size: int) -> _Effort:
    """Return the effort of scoring each output once, in blocks of so many."""
    word_counts = mean_words(task=task)
    if word_counts is None:
        return _Effort()
    segments = task.test_set.segments.filter(source_text__isnull=False).count()
    candidates = min(size, word_counts.outputs)
    judgments = segments * word_counts.outputs / candidates
    words_to_read = judgments * word_counts.of_block(candidates, task.test_set.campaign)
    pace = pace_of(task=task)
    hours = Estimate(pace.seconds, pace.low, pace.high).times(words_to_read / 3600)
    return _Effort(_("Each output scored once"), judgments, hours)

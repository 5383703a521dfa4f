"""Forecast of a design in figures and a plot, the budget form, and presets with their costs and results."""

from math import floor
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.selectors.designs import PRESETS, Preset, design_of_preset
from annotation.selectors.words_to_read import mean_words
from campaign.models import Task
from campaign.texts.joining import sentence_list
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.models import RankingRun
from ranking.pages.formats import share
from ranking.pages.plot_drawing import drawn_for_page
from ranking.reports.plots import LinePlot
from ranking.reports.tables import Column, Table, end_columns
from ranking.reports.wording.numbers import decimals, percent
from ranking.reports.wording.ranges import told_apart_notes
from ranking.selectors.design_forecast import (
    BudgetForecast,
    DesignForecast,
    Estimate,
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
        label=gettext_lazy("Budget"), required=False, min_value=0, max_value=_HIGHEST
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
        label=gettext_lazy("Currency"), required=False, max_length=10
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a budget in money without a rate."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("unit") == MONEY and not cleaned.get("rate"):
            self.add_error(
                "rate", _("Enter the hourly rate, or set the budget in hours.")
            )
        return cleaned

    @property
    def asked(self) -> dict[str, Any]:
        """Budget and rate as arguments of `design_forecast`; empty if they are invalid."""
        if not self.is_valid():
            return {}
        data = self.cleaned_data
        unit = data["unit"] or JUDGMENTS
        asked: dict[str, Any] = {"rate": data["rate"]}
        if data["budget"] is not None:
            if unit == JUDGMENTS:
                asked[unit] = round(data["budget"])
            else:
                asked[unit] = data["budget"]
        return asked

    @property
    def query(self) -> str:
        """The submitted values as a query string."""
        if not self.is_valid():
            return ""
        sent = {name: self.data.get(name, "") for name in self.fields}
        return urlencode({name: value for name, value in sent.items() if value})


def forecast_shown(
    forecast: DesignForecast, form: BudgetForm, *, run: RankingRun | None
) -> dict[str, Any]:
    """Return a forecast in words, figures and a plot; `budget`, `most` and `step` configure the slider.

    `run` is the latest ranking.
    """
    if form.is_valid():
        data = form.cleaned_data
    else:
        data = {}
    unit = data.get("unit") or JUDGMENTS
    rate = data.get("rate")
    currency = data.get("currency", "")
    each = forecast.hours_a_judgment
    per_unit = {JUDGMENTS: 1.0, HOURS: each, MONEY: each * (rate or 0.0)}[unit]
    most = forecast.most * per_unit
    return {
        "chosen": _row(forecast.chosen, currency),
        # Include the largest budget.
        "rows": [
            _row(row, currency)
            for row in reversed(forecast.curve[:: -(len(forecast.curve) // 8)])
        ],
        "plot": drawn_for_page(forecast_table(forecast)),
        "pairs": forecast.pairs,
        "facts": [*_facts(forecast), *_told_apart(run)],
        "budget": _plain(
            forecast.chosen.judgments
            if unit == JUDGMENTS
            else data.get("budget") or most / 10
        ),
        "most": _plain(most),
        "step": "1" if unit == JUDGMENTS or most >= 100 else "0.1",
        "unit": unit,
        "hours_each": repr(each),
        "rate": "" if rate is None else repr(rate),
        "most_judgments": str(forecast.most),
    }


def _row(row: BudgetForecast, currency: str) -> dict[str, str]:
    """Return a budget in words; without a rate it has no cost."""
    found = {
        "judgments": number_format(row.judgments, force_grouping=True),
        "hours": figure_in_words(row.hours.value),
        "hours_range": _range(row.hours),
        "pairs": _whole(row.pairs.value),
        "pairs_range": _between(row.pairs),
        "clusters": _one_decimal(row.clusters.value),
        "clusters_range": _between(row.clusters),
    }
    if row.cost is not None:
        found["cost"] = f"{figure_in_words(row.cost.value)} {currency}".strip()
        found["cost_range"] = _range(row.cost)
    return found


def _facts(forecast: DesignForecast) -> list[str]:
    """Return the basis of the forecast in sentences."""
    block = forecast.seconds_a_block
    hit = forecast.seconds_a_hit
    said = [
        *_chosen_systems_in_words(forecast),
        _(
            "A block averages %(words)s words and takes %(seconds)s seconds (%(range)s). A HIT takes "
            "%(minutes)s minutes (%(minutes_range)s)."
        )
        % {
            "words": _whole(forecast.words.words),
            "seconds": figure_in_words(block.value),
            "range": _range(block),
            "minutes": _one_decimal(hit.value / 60),
            "minutes_range": _range(hit.times(1 / 60)),
        },
        _pace_in_words(forecast),
    ]
    if forecast.comparisons:
        said.append(
            ngettext(
                "Pairs and clusters are projected from %(count)s comparison in the latest ranking.",
                "Pairs and clusters are projected from %(count)s comparisons in the latest ranking.",
                forecast.comparisons,
            )
            % {"count": number_format(forecast.comparisons, force_grouping=True)}
        )
    else:
        said.append(
            _(
                "No ranking yet, so intervals are wide. Systems are assumed to differ as in Koehn (2012), with "
                "noise from 4 to 12 as at WMT10 and WMT12; in half of the simulations, some are equally good."
            )
        )
    if forecast.first_share < 1:
        said.append(
            _(
                "%(share)s of judgments are not repeats. Repeats cost time but do not help to tell pairs apart."
            )
            % {"share": share(forecast.first_share)}
        )
    return said


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
    words = _(
        "Only %(systems)s of %(all)s systems are selected. The others are not judged or ranked."
    )
    return [
        words
        % {
            "systems": number_format(forecast.systems),
            "all": number_format(forecast.all_systems),
        }
    ]


def _pace_in_words(forecast: DesignForecast) -> str:
    pace = forecast.pace
    figures = {
        "seconds": decimals(pace.seconds, 2),
        "range": f"{decimals(pace.low, 2)}–{decimals(pace.high, 2)}",
    }
    if not pace.is_measured:
        return _(
            "Assumed pace: %(seconds)s seconds per word (%(range)s), for silent reading at 238 words per "
            "minute (Brysbaert 2019) with every word read twice. It is measured once 3 judges have judged 30 "
            "blocks."
        ) % {**figures}
    return _(
        "Measured pace: %(seconds)s seconds per word (%(range)s), from %(blocks)s blocks by %(judges)s judges."
    ) % {
        **figures,
        "blocks": number_format(pace.blocks, force_grouping=True),
        "judges": number_format(pace.judges),
    }


def forecast_table(forecast: DesignForecast) -> Table:
    """Return a table with a plot: separated pairs, hours, cost and clusters by number of judgments."""
    kinds = [
        ("pairs", _("Significant pairs")),
        ("hours", _("Hours")),
        *([("cost", _("Cost"))] if forecast.chosen.cost is not None else []),
        ("clusters", _("Clusters")),
    ]
    lowest = min(row.pairs.low for row in forecast.plotted)
    return Table(
        name="forecast",
        title=_("Significant pairs (of %(pairs)s)") % {"pairs": forecast.pairs},
        columns=(
            Column("judgments", _("Judgments")),
            *(
                column
                for kind, heading in kinds
                for column in (
                    Column(kind, heading, decimals=1),
                    *end_columns(f"{kind}_", decimals=1),
                )
            ),
        ),
        rows=[
            (
                row.judgments,
                *(number for kind, _heading in kinds for number in getattr(row, kind)),
            )
            for row in forecast.plotted
        ],
        plot=LinePlot(
            label="judgments",
            value="pairs",
            low="pairs_low",
            high="pairs_high",
            # If most pairs are separated already, the rest of the axis would be empty.
            start=0 if lowest < forecast.pairs / 2 else floor(lowest),
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


def _between(estimate: Estimate) -> str:
    return f"{_whole(estimate.low)}–{_whole(estimate.high)}"


def _plain(number: float) -> str:
    """Return a number as the value of an input."""
    if number >= 100 or number == round(number):
        return f"{number:.0f}"
    return f"{number:.1f}"


#: Share of separated pairs at which presets are compared.
_SHARE = 0.5


def presets_shown(
    task: Task, *, chosen: Preset | None, rate: float | None = None
) -> list[dict[str, Any]]:
    """Return the presets, those of the task's protocol first."""
    order = sorted(PRESETS, key=lambda each: each.protocol != task.protocol)
    return [_shown(each, task, chosen, rate) for each in order]


def _shown(
    preset: Preset, task: Task, chosen: Preset | None, rate: float | None
) -> dict[str, Any]:
    """Return a preset in words; `address` selects it, or adds its task."""
    slug = task.test_set.campaign.slug
    is_other = preset.protocol != task.protocol
    goal, judgments, hours, clusters = _forecast(preset, task)
    return {
        "label": preset.label,
        "sentence": preset.sentence,
        "is_chosen": preset == chosen,
        "is_other_task": is_other,
        "address": f"{reverse('task-add', args=[slug])}?test_set={task.test_set_id}"
        if is_other
        else f"?preset={preset.name}",
        "goal": goal,
        "judgments": figure_in_words(judgments) if judgments else "–",
        "hours": figure_in_words(hours.value) if hours else "–",
        "cost": figure_in_words(hours.value * rate) if hours and rate else "–",
        "clusters": clusters,
    }


def _forecast(preset: Preset, task: Task) -> tuple[str, float, Estimate | None, str]:
    """Return the goal of a preset, in judgments and hours, and the clusters expected then."""
    design = design_of_preset(preset, task=task)
    if preset.design["systems_per_block"] == 1:
        return _once(task)
    found = design_forecast(task=task, design=design, is_from_scratch=True)
    if found is None:
        return "", 0, None, "–"
    judgments = found.judgments_for(_SHARE)
    reached = _SHARE
    if judgments is None:
        # All judgments that the test set has blocks for.
        judgments = found.most
        reached = (
            floor(100 * found.of_budget(judgments).pairs.value / found.pairs) / 100
        )
    goal = _("%(share)s of pairs significant (sign tests)") % {
        "share": percent(reached)
    }
    at = found.of_budget(judgments)
    return goal, judgments, at.hours, decimals(at.clusters.value, 1)


def _once(task: Task) -> tuple[str, float, Estimate | None, str]:
    """Return the effort of scoring each output once."""
    words = mean_words(task=task)
    segments = task.test_set.segments.filter(source_text__isnull=False).count()
    if words is None:
        return "", 0, None, "–"
    judgments = segments * words.outputs
    read = words.of_block(1, task.test_set.campaign)
    pace = pace_of(task=task)
    hours = Estimate(pace.seconds, pace.low, pace.high).times(judgments * read / 3600)
    return _("Each output scored once"), judgments, hours, "–"

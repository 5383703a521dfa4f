"""Reports on simulated campaigns, budgets and comparisons of sampling designs, with a plot of the latter."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from operator import attrgetter

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.core.simulation.budget import Budget, BudgetRow
from ranking.core.simulation.measures import Study, StudyRow
from ranking.core.simulation.model import Model
from ranking.reports.design_study.study import Comparison, DesignRow, Rates
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, ReportData, Table, plain
from ranking.reports.wording.numbers import decimals, in_figures, percent
from version import code_version


def study_report(study: Study) -> Report:
    """Report the accuracy of methods, with bounds, in simulated campaigns."""
    if study.resample is None:
        ranges = "sign test"
    else:
        ranges = f"bootstrap of {study.resample}"
    columns = [Column("comparisons", "Comparisons")]
    for method in study.rows[0].error if study.rows else ():
        error = partial(_error_of, method)
        columns.append(Column(f"error_{method}", f"Error, {method}", of=error))
    columns += [
        Column("range_size", "Range size", decimals=2),
        Column("range_violations", "Violations"),
        Column("clusters", "Clusters", decimals=2),
        Column("cluster_violations", "Violations"),
        Column("significant_pairs", "Significant pairs"),
    ]
    experiments = number_format(study.experiments)
    return Report(
        notes=[
            model_note(study.model),
            f"{experiments} experiments, rank ranges by {ranges}, seed {study.seed}",
        ],
        tables=[
            Table.of(
                study.rows,
                name="simulation",
                title="Simulated campaigns",
                columns=columns,
            ),
        ],
        data={**plain(study), "version": code_version()},
    )


def _error_of(method: str, row: StudyRow) -> float:
    return row.error[method]


def budget_report(budget: Budget, inputs: Input | None) -> Report:
    """Report the comparisons needed for each target."""
    return Report(
        notes=[*_input_notes(inputs), *budget_notes(budget)],
        tables=[_plan(budget)],
        data={"input": _input_data(inputs), **budget_data(budget)},
    )


def _input_notes(inputs: Input | None) -> list[str]:
    return [] if inputs is None else input_notes(inputs)


def _input_data(inputs: Input | None) -> ReportData | None:
    return None if inputs is None else input_data(inputs)


def budget_notes(budget: Budget) -> list[str]:
    """Return the assumptions of a plan: the noise, the fit of the model, and the simulated campaigns."""
    notes = []
    if budget.fit is not None:
        notes.append(
            _(
                "Fitted noise: σ = %(noise)s, from %(low)s to %(high)s with confidence %(share)s",
            )
            % {
                "noise": decimals(budget.fit.noise, 1),
                "low": _end(budget.fit.low),
                "high": _end(budget.fit.high),
                "share": in_figures(budget.fit.confidence),
            },
        )
    if not budget.fits:
        notes.append(
            _(
                "The systems are not distributed as the model assumes (p = %(p)s): the plan may be far too low, "
                "and a target may never be reached.",
            )
            % {"p": "–" if budget.spread_p is None else decimals(budget.spread_p, 3)},
        )
    notes.append(model_note(budget.model))
    notes.append(
        _(
            "%(experiments)s simulated campaigns, intervals with confidence %(share)s, seed %(seed)s",
        )
        % {
            "experiments": number_format(budget.experiments),
            "share": in_figures(budget.confidence),
            "seed": budget.seed,
        },
    )
    return notes


def budget_data(budget: Budget) -> ReportData:
    """Return a plan as plain data."""
    plan = plain(replace(budget, needs=()))
    del plan["fit"], plan["needs"]
    noise = low = high = None
    if budget.fit is not None:
        noise, low, high = budget.fit.noise, budget.fit.low, budget.fit.high
    return {
        **plan,
        "fitted_noise": noise,
        "fitted_noise_low": low,
        "fitted_noise_high": high,
        "noise": budget.model.noise,
        "fits": budget.fits,
        "version": code_version(),
    }


def _end(value: float | None) -> str:
    if value is None:
        return "–"
    return decimals(value, 1)


_MEASURES = {
    "significant_pairs": "share of pairs separated",
    "clusters": "number of clusters",
}


def _measure_in_words(row: BudgetRow) -> str:
    return _MEASURES[row.measure]


def _plan(budget: Budget) -> Table:
    return Table.of(
        budget.rows,
        name="plan",
        title="Comparisons until a target is reached",
        columns=(
            Column("measure", "Target", is_text=True, of=_measure_in_words),
            Column("target", "", decimals=2),
            Column("comparisons", "Median"),
            Column("low", "From"),
            Column("high", "To"),
            Column("average", "Mean"),
            Column("beyond", "Share beyond"),
            Column("more", "Still to collect"),
        ),
        notes=_plan_notes(budget),
    )


def _plan_notes(budget: Budget) -> list[str]:
    limit = number_format(budget.limit)
    notes = [f"– means more than {limit} comparisons."]
    if any(row.beyond is not None for row in budget.rows):
        notes.append(
            f"Share beyond: simulated campaigns that need more than {limit} comparisons, or never reach the target because systems are equally good.",
        )
    return notes


def model_note(model: Model) -> str:
    return _(
        "Model: %(systems)s systems, noise %(noise)s, %(shown)s outputs per block",
    ) % {
        "systems": model.systems,
        "noise": in_figures(round(model.noise, 2)),
        "shown": model.block_size,
    }


def comparison_report(comparison: Comparison, inputs: Input | None) -> Report:
    """Report the judgments that each design needs, and the error rate of its rank ranges."""
    return Report(
        notes=[
            *_input_notes(inputs),
            _source_note(comparison),
            _how_note(comparison),
        ],
        tables=[_table(comparison)],
        data={
            "input": _input_data(inputs),
            **plain(comparison),
            "source": _source(comparison),
            "version": code_version(),
        },
    )


def _source(comparison: Comparison) -> ReportData:
    source = comparison.source
    if isinstance(source, Rates):
        return {
            "kind": "resampled",
            "systems": source.systems,
            "per_block": source.per_block,
        }
    return {"kind": "model", **asdict(source)}


def _source_note(comparison: Comparison) -> str:
    source = comparison.source
    if isinstance(source, Rates):
        return f"Judgments resampled by pair: {source.systems} systems, {source.block_size} outputs per block"
    return model_note(source)


def _how_note(comparison: Comparison) -> str:
    experiments = number_format(comparison.experiments)
    confidence = in_figures(comparison.confidence)
    active_confidence = in_figures(comparison.active_confidence)
    resamples = number_format(comparison.resamples)
    floor = percent(comparison.floor)
    return f"{experiments} simulated campaigns, confidence {confidence} (active: {active_confidence}), {resamples} resamples, {floor} of active blocks balanced, seed {comparison.seed}"


def _question(row: DesignRow) -> str:
    ranges = {
        "sign_test": "sign test",
        "anytime": "confidence sequences",
        "expected_wins": "Expected Wins, blocks resampled",
        "bradley_terry": "Bradley–Terry, blocks resampled",
    }[row.ranges]
    if row.measure == "pairs":
        target = f"{percent(row.target)} of the pairs separated"
    else:
        target = f"{in_figures(row.target)} clusters"
    return f"{target}: {ranges}"


def _table(comparison: Comparison) -> Table:
    designs = len(comparison.designs)
    limit = number_format(comparison.limit)
    most_violations = decimals(1 - comparison.confidence, 2)
    return Table.of(
        comparison.rows,
        name="designs",
        title="Judgments until a target is reached",
        columns=(
            Column("target", "Target", is_text=True, of=_question),
            Column("design", "Design", is_text=True, of=attrgetter("design.value")),
            Column("judgments", "Judgments"),
            Column("low", "From"),
            Column("high", "To"),
            Column("reached", "Reached", decimals=2),
            Column("ratio", "Ratio", decimals=2),
            Column("ratio_low", "From", decimals=2),
            Column("ratio_high", "To", decimals=2),
            Column("violations", "Violations"),
            Column("violations_error", "± s.e."),
            Column("wrong_pairs", "Wrong pairs", decimals=4),
        ),
        notes=[
            f"Judgments: median number of blocks with 95% interval; – means more than {limit}. Ratio: relative to the first design on the same systems. Violations: systems whose true rank is outside their range when the target is reached (nominal maximum {most_violations}).",
        ],
        rules=frozenset(range(designs - 1, len(comparison.rows) - 1, designs)),
    )


_WIDTH = 760
_PANEL = 190
_HEAD = 34
_FOOT = 46
_LEFT = 64
_RIGHT = 110
#: Dashes, so that lines can also be distinguished without colour.
_STROKES = (
    ("#57606a", "2 4"),
    ("#0969da", "9 4"),
    ("#bc4c00", ""),
    ("#6639ba", "12 3 2 3"),
)
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}"
    ".axis{stroke:#8c959f}.grid{stroke:#d0d7de}.line{fill:none;stroke-width:2.5}"
    ".paper{fill:#fff}"
    "@media(prefers-color-scheme:dark)"
    "{text{fill:#e6edf3}.grid{stroke:#373e47}.paper{fill:#0d1117}}"
)


def plot_of(comparison: Comparison) -> str:
    """Draw the share of campaigns that reached the target, by number of judgments, for each question; as SVG.

    It has no scripts, fonts or links.
    """
    designs = len(comparison.designs)
    scale = _Scale(comparison)
    parts = []
    top = 0
    for start in range(0, len(comparison.rows), designs):
        rows = comparison.rows[start : start + designs]
        parts += _panel(rows, scale, top, comparison.experiments)
        top += _PANEL
    height = top + _FOOT
    box = f'viewBox="0 0 {_WIDTH} {height}"'
    title = "Share of campaigns that reached the target, by sampling design"
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-labelledby="title">',
        f'<title id="title">{title}</title><style>{_STYLE}</style>',
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
    ]
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    label = f'<text x="{middle:g}" y="{height - 8}" text-anchor="middle">Judgments (blocks)</text></svg>\n'
    return "\n".join([*head, *parts, label])


def _judgments_to_target(row: DesignRow) -> list[int]:
    """Return the judgments of the campaigns that reached the target, fewest first."""
    return sorted(judgments for judgments in row.each if judgments is not None)


class _Scale:
    """A logarithmic axis of judgments with round ticks that covers all campaigns."""

    def __init__(self, comparison: Comparison) -> None:
        needed: list[int] = []
        for row in comparison.rows:
            needed += _judgments_to_target(row)
        self._low = math.log10(min(needed, default=1)) - 0.05
        self._high = math.log10(comparison.limit)
        self.ticks = []
        for decade in range(math.floor(self._low), math.ceil(self._high) + 1):
            for step in (1, 2, 5):
                tick = step * 10**decade
                if self._low <= math.log10(tick) <= self._high:
                    self.ticks.append(tick)

    def position(self, judgments: float) -> float:
        share = (math.log10(judgments) - self._low) / (self._high - self._low)
        return _LEFT + share * (_WIDTH - _RIGHT - _LEFT)


def _panel(
    rows: Sequence[DesignRow],
    scale: _Scale,
    top: int,
    experiments: int,
) -> list[str]:
    bottom = top + _PANEL - 24
    upper = top + _HEAD
    right = _WIDTH - _RIGHT
    parts = [
        f'<text x="{_LEFT}" y="{top + 22}" font-weight="600">{_question(rows[0])}</text>',
    ]
    for share in (0, 0.5, 1):
        y = bottom - share * (bottom - upper)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:g}H{right}"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4:g}" text-anchor="end">{percent(share)}</text>',
        )
    for tick in scale.ticks:
        x = scale.position(tick)
        parts.append(f'<path class="axis" d="M{x:.1f} {bottom}v5"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{number_format(tick)}</text>',
        )
    for number, row in enumerate(rows):
        colour, dashes = _STROKES[number % len(_STROKES)]
        path = [f"M{_LEFT} {bottom}"]
        for reached, judgments in enumerate(_judgments_to_target(row), 1):
            y = bottom - reached / experiments * (bottom - upper)
            path.append(f"H{scale.position(judgments):.1f}V{y:.1f}")
        path.append(f"H{right}")
        y = upper + 16 + 20 * number
        pen = f'class="line" stroke="{colour}" stroke-dasharray="{dashes}"'
        parts.append(f'<path {pen} d="{"".join(path)}"/>')
        parts.append(f'<path {pen} d="M{right + 8} {y - 4}h24"/>')
        parts.append(f'<text x="{right + 38}" y="{y}">{row.design}</text>')
    return parts

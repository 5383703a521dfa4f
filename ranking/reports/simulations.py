"""Reports on simulated campaigns, budgets and comparisons of sampling designs."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.simulation.budget import Budget
from ranking.core.simulation.measures import Study
from ranking.core.simulation.model import Model
from ranking.design_study.plot import comparison_plot
from ranking.design_study.study import Comparison, DesignRow, Rates
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, Table, Value, plain
from ranking.wording.numbers import decimals, in_figures, percent


def study_report(study: Study) -> Report:
    """Report the accuracy of methods, with bounds, in simulated campaigns."""
    methods = list(study.rows[0].error) if study.rows else []
    ranges = "sign test" if study.resample is None else f"bootstrap of {study.resample}"
    return Report(
        notes=[
            model_note(study.model),
            f"{number_format(study.experiments)} experiments, rank ranges by {ranges}, seed {study.seed}",
        ],
        tables=[
            Table.of(
                study.rows,
                name="simulation",
                title="Simulated campaigns",
                columns=(
                    Column("comparisons", "Comparisons"),
                    *(
                        Column(
                            f"error_{name}",
                            f"Error, {name}",
                            of=_error_of(name),
                        )
                        for name in methods
                    ),
                    Column("range_size", "Range size", decimals=2),
                    Column("range_violations", "Violations"),
                    Column("clusters", "Clusters", decimals=2),
                    Column("cluster_violations", "Violations"),
                    Column("significant_pairs", "Significant pairs"),
                ),
            )
        ],
        data={**plain(study), "version": code_version()},
    )


def _error_of(method: str) -> Callable[[Any], Value]:
    return lambda row: row.error[method]


def budget_report(budget: Budget, given: Input | None) -> Report:
    """Report the comparisons needed for each target."""
    notes = [*(input_notes(given) if given is not None else []), *budget_notes(budget)]
    return Report(
        notes=notes,
        tables=[_plan(budget)],
        data={"input": None if given is None else input_data(given), **budget_data(budget)},
    )


def budget_notes(budget: Budget) -> list[str]:
    """Return the assumptions of a plan: the noise, the fit of the model, and the simulated campaigns."""
    notes = []
    if budget.fit is not None:
        notes.append(
            _("Fitted noise: σ = %(noise)s, from %(low)s to %(high)s with confidence %(share)s")
            % {
                "noise": decimals(budget.fit.noise, 1),
                "low": _end(budget.fit.low),
                "high": _end(budget.fit.high),
                "share": in_figures(budget.fit.confidence),
            }
        )
    if not budget.fits:
        notes.append(
            _(
                "The systems are not distributed as the model assumes (p = %(p)s): the plan may be far too low, "
                "and a target may never be reached."
            )
            % {"p": "–" if budget.spread_p is None else decimals(budget.spread_p, 3)}
        )
    notes.append(model_note(budget.model))
    notes.append(
        _("%(experiments)s simulated campaigns, intervals with confidence %(share)s, seed %(seed)s")
        % {
            "experiments": number_format(budget.experiments),
            "share": in_figures(budget.confidence),
            "seed": budget.seed,
        }
    )
    return notes


def budget_data(budget: Budget) -> dict[str, Any]:
    """Return a plan as plain data."""
    fit = budget.fit
    known = plain(replace(budget, needs=()))
    del known["fit"], known["needs"]
    return {
        **known,
        "fitted_noise": None if fit is None else fit.noise,
        "fitted_noise_low": None if fit is None else fit.low,
        "fitted_noise_high": None if fit is None else fit.high,
        "noise": budget.model.noise,
        "fits": budget.fits,
        "version": code_version(),
    }


def _end(value: float | None) -> str:
    return "–" if value is None else decimals(value, 1)


def _plan(budget: Budget) -> Table:
    names = {
        "significant_pairs": "share of pairs separated",
        "clusters": "number of clusters",
    }
    return Table.of(
        budget.rows,
        name="plan",
        title="Comparisons until a target is reached",
        columns=(
            Column("measure", "Target", is_text=True, of=lambda row: names[row.measure]),
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
            f"Share beyond: simulated campaigns that need more than {limit} comparisons, or never reach the target because systems are equally good."
        )
    return notes


def model_note(model: Model) -> str:
    return _("Model: %(systems)s systems, noise %(noise)s, %(shown)s outputs per block") % {
        "systems": model.systems,
        "noise": in_figures(round(model.noise, 2)),
        "shown": model.shown,
    }


def comparison_report(comparison: Comparison, given: Input | None) -> Report:
    """Report the judgments that each design needs, and the error rate of its rank ranges."""
    notes = input_notes(given) if given is not None else []
    notes += [_source_note(comparison), _how_note(comparison)]
    return Report(
        notes=notes,
        tables=[_table(comparison)],
        data={
            "input": None if given is None else input_data(given),
            **plain(comparison),
            "source": _source(comparison),
            "version": code_version(),
        },
    )


def plot_of(comparison: Comparison) -> str:
    """Draw the share of finished campaigns by number of judgments, as SVG."""
    every = len(comparison.designs)
    return comparison_plot(
        comparison,
        titles=[_question(row) for row in comparison.rows[::every]],
        axis="Judgments (blocks)",
        title="Share of campaigns that reached the target, by sampling design",
        figure=number_format,
        percent=percent,
    )


def _source(comparison: Comparison) -> dict[str, Any]:
    source = comparison.source
    if isinstance(source, Rates):
        return {"kind": "resampled", "systems": source.systems, "per_block": source.per_block}
    return {"kind": "model", **asdict(source)}


def _source_note(comparison: Comparison) -> str:
    source = comparison.source
    if isinstance(source, Rates):
        return f"Judgments resampled by pair: {source.systems} systems, {source.shown} outputs per block"
    return model_note(source)


def _how_note(comparison: Comparison) -> str:
    return f"{number_format(comparison.experiments)} simulated campaigns, confidence {in_figures(comparison.confidence)} (active: {in_figures(comparison.active_confidence)}), {number_format(comparison.resamples)} resamples, {percent(comparison.floor)} of active blocks balanced, seed {comparison.seed}"


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
    return Table.of(
        comparison.rows,
        name="designs",
        title="Judgments until a target is reached",
        columns=(
            Column("target", "Target", is_text=True, of=_question),
            Column("design", "Design", is_text=True, of=lambda row: row.design.value),
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
            f"Judgments: median number of blocks with 95% interval; – means more than {number_format(comparison.limit)}. Ratio: relative to the first design on the same systems. Violations: systems whose true rank is outside their range when the target is reached (nominal maximum {decimals(1 - comparison.confidence, 2)})."
        ],
        rules=frozenset(range(designs - 1, len(comparison.rows) - 1, designs)),
    )

"""Simulated campaigns and plans of budgets as reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.simulation.budget import Budget
from ranking.core.simulation.model import Model
from ranking.core.simulation.study import Study
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.numbers import decimals, in_figures


def study_report(study: Study) -> Report:
    """Tell how methods and their bounds do on simulated campaigns."""
    methods = list(study.rows[0].error) if study.rows else []
    return Report(
        notes=[
            model_note(study.model),
            _("%(experiments)s experiments, rank ranges by %(ranges)s, seed %(seed)s")
            % {
                "experiments": number_format(study.experiments),
                "ranges": _("sign test")
                if study.resample is None
                else _("bootstrap of %(level)s") % {"level": study.resample},
                "seed": study.seed,
            },
        ],
        tables=[
            Table.of(
                study.rows,
                name="simulation",
                title=_("Simulated campaigns"),
                columns=(
                    Column("comparisons", _("Comparisons")),
                    *(
                        Column(
                            f"error_{name}",
                            _("Error, %(method)s") % {"method": name},
                            of=_error_of(name),
                        )
                        for name in methods
                    ),
                    Column("range_size", _("Range size"), decimals=2),
                    Column("range_violations", _("Violations")),
                    Column("clusters", _("Clusters"), decimals=2),
                    Column("cluster_violations", _("Violations")),
                    Column("significant_pairs", _("Significant pairs")),
                ),
            )
        ],
        data={
            "rows": study.rows,
            "model": study.model,
            "rank_ranges": study.rank_ranges,
            "resample": study.resample,
            "resamples": study.resamples,
            "confidence": study.confidence,
            "experiments": study.experiments,
            "seed": study.seed,
            "version": code_version(),
        },
    )


def _error_of(method: str) -> Callable[[Any], Value]:
    return lambda row: row.error[method]


def budget_report(budget: Budget, given: Input | None) -> Report:
    """Tell how many comparisons reach which targets."""
    notes = [*(input_notes(given) if given is not None else []), *budget_notes(budget)]
    return Report(
        notes=notes,
        tables=[_plan(budget)],
        data={"input": None if given is None else input_data(given), **budget_data(budget)},
    )


def budget_notes(budget: Budget) -> list[str]:
    """Return what a plan rests on: the noise, whether the model fits, and the simulated campaigns."""
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
                "The systems are not spread as the model assumes (p = %(p)s): the plan may be far too "
                "low, and a target may never be reached."
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
    """Return a plan for programs."""
    fit = budget.fit
    return {
        "rows": budget.rows,
        "fitted_noise": None if fit is None else fit.noise,
        "fitted_noise_low": None if fit is None else fit.low,
        "fitted_noise_high": None if fit is None else fit.high,
        "noise": budget.model.noise,
        "model": budget.model,
        "spread_p": budget.spread_p,
        "fits": budget.fits,
        "collected": budget.collected,
        "confidence": budget.confidence,
        "limit": budget.limit,
        "experiments": budget.experiments,
        "seed": budget.seed,
        "version": code_version(),
    }


def _end(value: float | None) -> str:
    return "–" if value is None else decimals(value, 1)


def _plan(budget: Budget) -> Table:
    names = {
        "significant_pairs": _("share of pairs separated"),
        "clusters": _("number of clusters"),
    }
    return Table.of(
        budget.rows,
        name="plan",
        title=_("Comparisons until a target is reached"),
        columns=(
            Column("measure", _("Target"), is_text=True, of=lambda row: names[row.measure]),
            Column("target", "", decimals=2),
            Column("comparisons", _("Half of the campaigns by")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("average", _("On average at")),
            Column("beyond", _("Share beyond")),
            Column("more", _("Still to collect")),
        ),
        notes=_plan_notes(budget),
    )


def _plan_notes(budget: Budget) -> list[str]:
    limit = number_format(budget.limit)
    notes = [
        _("A dash as a number of comparisons stands for more than %(limit)s.") % {"limit": limit}
    ]
    if any(row.beyond is not None for row in budget.rows):
        notes.append(
            _(
                "Share beyond: of the simulated campaigns, those that need more than %(limit)s, or "
                "never reach the target because systems are equally good."
            )
            % {"limit": limit}
        )
    return notes


def model_note(model: Model) -> str:
    return _("Model: %(systems)s systems, noise %(noise)s, %(shown)s outputs a block") % {
        "systems": model.systems,
        "noise": in_figures(round(model.noise, 2)),
        "shown": model.shown,
    }

"""A comparison of sampling designs as a report."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.design_study.campaigns import Rates
from ranking.design_study.plot import comparison_plot
from ranking.design_study.rows import DesignRow
from ranking.design_study.study import Comparison
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.simulations import model_note
from ranking.reports.tables import Column, Report, Table
from ranking.wording.numbers import decimals, in_figures, percent


def comparison_report(comparison: Comparison, given: Input | None) -> Report:
    """Tell how many judgments each design needs, and how often its rank ranges are wrong."""
    notes = input_notes(given) if given is not None else []
    notes += [_source_note(comparison), _how_note(comparison)]
    return Report(
        notes=notes,
        tables=[_table(comparison)],
        data={
            "input": None if given is None else input_data(given),
            "rows": comparison.rows,
            "source": _source(comparison),
            "designs": comparison.designs,
            "confidence": comparison.confidence,
            "active_confidence": comparison.active_confidence,
            "resamples": comparison.resamples,
            "floor": comparison.floor,
            "limit": comparison.limit,
            "experiments": comparison.experiments,
            "seed": comparison.seed,
            "version": code_version(),
        },
    )


def plot_of(comparison: Comparison) -> str:
    """Draw the share of campaigns that are done against the judgments, as SVG."""
    every = len(comparison.designs)
    return comparison_plot(
        comparison,
        titles=[_question(row) for row in comparison.rows[::every]],
        axis=_("Judgments (blocks)"),
        title=_("Share of the campaigns that have reached their target, by sampling design"),
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
        return _(
            "Judgments are resampled pair by pair: %(systems)s systems, %(shown)s outputs a block"
        ) % {"systems": source.systems, "shown": source.shown}
    return model_note(source)


def _how_note(comparison: Comparison) -> str:
    return _(
        "%(experiments)s simulated campaigns, confidence %(share)s (active: %(active)s), "
        "%(resamples)s resamples, "
        "%(floor)s of the active blocks balanced, seed %(seed)s"
    ) % {
        "experiments": number_format(comparison.experiments),
        "share": in_figures(comparison.confidence),
        "active": in_figures(comparison.active_confidence),
        "resamples": number_format(comparison.resamples),
        "floor": percent(comparison.floor),
        "seed": comparison.seed,
    }


def _question(row: DesignRow) -> str:
    ranges = {
        "sign_test": _("sign test"),
        "anytime": _("confidence sequences"),
        "expected_wins": _("Expected Wins, blocks resampled"),
        "bradley_terry": _("Bradley–Terry, blocks resampled"),
    }[row.ranges]
    if row.measure == "pairs":
        target = _("%(share)s of the pairs separated") % {"share": percent(row.target)}
    else:
        target = _("%(number)s clusters") % {"number": in_figures(row.target)}
    return f"{target}: {ranges}"


def _table(comparison: Comparison) -> Table:
    designs = len(comparison.designs)
    return Table.of(
        comparison.rows,
        name="designs",
        title=_("Judgments until a target is reached"),
        columns=(
            Column("target", _("Target"), is_text=True, of=_question),
            Column("design", _("Design"), is_text=True, of=lambda row: row.design.value),
            Column("judgments", _("Judgments")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("reached", _("Reached"), decimals=2),
            Column("ratio", _("Ratio"), decimals=2),
            Column("ratio_low", _("From"), decimals=2),
            Column("ratio_high", _("To"), decimals=2),
            Column("violations", _("Violations")),
            Column("violations_error", _("± s.e.")),
            Column("wrong_pairs", _("Wrong pairs"), decimals=4),
        ),
        notes=[
            _(
                "Judgments: median of the blocks judged, with its 95 %% interval; a dash stands for "
                "more than %(limit)s. Ratio: to the first design, on the same systems. Violations: "
                "systems whose true rank lies outside their range when the target is reached; "
                "%(promised)s are promised at most."
            )
            % {
                "limit": number_format(comparison.limit),
                "promised": decimals(1 - comparison.confidence, 2),
            }
        ],
        rules=frozenset(range(designs - 1, len(comparison.rows) - 1, designs)),
    )

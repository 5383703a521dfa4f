"""The forecast of a campaign as a report."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.simulation.budget import BudgetRow
from ranking.core.simulation.noise import CampaignCurve
from ranking.core.simulation.work_ahead import ReadingPace
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.simulations import budget_data, budget_notes
from ranking.reports.tables import Column, Report, Table, Value
from ranking.reports.work_ahead import (
    DesignAhead,
    StoppingFound,
    WhyNot,
    judgments_table,
    rounded,
    target_in_words,
    time_table,
)
from ranking.wording.numbers import percent, percent_in_figures


def stopping_report(given: Input, found: StoppingFound) -> Report:
    """Tell how many judgments reach which targets, with Koehn's (2012) Figure 2 of this campaign."""
    tables: list[Table] = []
    notes = [*input_notes(given), *_state(found.curve)]
    if found.why_not is not None:
        notes.append(_why_not(found.why_not))
    if found.budget is not None:
        notes += [
            *budget_notes(found.budget),
            _(
                "A forecast is not a rule for stopping: whoever stops on the day the ranking looks well "
                "finds too many differences. Fix the number before the start, or use ranges that hold at "
                "any time."
            ),
        ]
        tables.append(judgments_table(found, found.budget))
    if found.ahead:
        tables.append(time_table(found, given.work))
    if found.designs:
        tables.append(_designs(found))
    if found.curve is not None:
        tables.append(_figure(found, found.curve))
    if found.budget is not None:
        tables.append(_one_more(found))
    return Report(
        notes=notes,
        tables=tables,
        data={
            "input": input_data(given),
            "why_not": found.why_not,
            "comparisons_per_judgment": found.per_judgment or None,
            "judgments": [] if found.budget is None else _judgments(found, found.budget.rows),
            "curve": found.curve,
            "fitted_curve": _fitted(found),
            "forecast": found.forecast,
            "pace": None if found.pace is None else _pace_data(found.pace),
            "ahead": found.ahead,
            "designs": found.designs,
            "from_start": [_judgments(found, rows) for rows in found.from_start],
            "plan": None if found.budget is None else budget_data(found.budget),
            "version": code_version(),
        },
    )


def _judgments(found: StoppingFound, rows: Sequence[BudgetRow]) -> list[dict[str, object]]:
    return [
        {
            "measure": row.measure,
            "target": row.target,
            **{
                name: found.judgments(getattr(row, name))
                for name in ("comparisons", "low", "high", "more")
            },
            "beyond": row.beyond,
        }
        for row in rows
    ]


def _state(curve: CampaignCurve | None) -> list[str]:
    if curve is None:
        return []
    return [
        _("So far %(share)s %% of the pairs of systems are told apart, in %(clusters)d clusters.")
        % {"share": percent_in_figures(round(curve.separated, 3)), "clusters": curve.clusters}
    ]


def _why_not(reason: WhyNot) -> str:
    return {
        WhyNot.NOTHING_DECIDED: _(
            "Nothing can be forecast: no comparison is decided yet. Collect judgments that are not all "
            "ties."
        ),
        WhyNot.NONE_APART: _(
            "Nothing can be forecast: no two systems are told apart yet, so the judgments do not say how "
            "noisy they are. Collect more, or plan as if there were none (plan_budget)."
        ),
        WhyNot.ALL_APART: _(
            "There is nothing to forecast: all systems were told apart after the first judgments."
        ),
    }[reason]


def _pace_data(pace: ReadingPace) -> dict[str, object]:
    """Return the pace for programs; how it is distributed is not for them: degrees of freedom may be infinite."""
    return {name: getattr(pace, name) for name in ("seconds", "low", "high", "judges", "blocks")}


def _designs(found: StoppingFound) -> Table:
    rows: list[tuple[Value, ...]] = []
    for row in found.designs:
        ends = (row.need.judgments, row.need.low, row.need.high)
        rows.append(
            (
                _design(row),
                percent(row.need.target),
                *(rounded(end, whole=True) for end in ends),
                *(row.hours(end) for end in ends),
            )
        )
    return Table(
        name="designs",
        title=_("Which design would be cheaper from now on"),
        columns=(
            Column("design", _("Design"), is_text=True),
            Column("target", _("Pairs told apart"), is_text=True),
            Column("judgments", _("Judgments still")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("hours", _("Hours"), decimals=1),
            Column("hours_low", _("From"), decimals=1),
            Column("hours_high", _("To"), decimals=1),
        ),
        rows=rows,
        notes=[
            _(
                "The abilities of the systems are drawn from what these judgments say of them, and each design goes "
                "on from here. Told apart by one-sided sign tests at 0.05. Judgments: where half of what is likely has "
                "reached the target; from and to: where the ends of its interval do. A dash: not within the limit."
            ),
            _(
                "Hours follow from the words of a block at the pace measured, the same for each design; that a "
                "choice among fewer outputs may go faster is not in them, nor that the pace may change."
            ),
        ],
    )


def _design(row: DesignAhead) -> str:
    words = {"shown": row.shown}
    if row.chooses:
        return _("%(shown)d outputs, chosen by the judgments (active)") % words
    return _("%(shown)d outputs, all as often (balanced)") % words


def _fitted(found: StoppingFound) -> list[float] | None:
    """Return the curve of campaigns by the fitted model, at the same points as the campaign's own."""
    if found.budget is None or found.budget.fit is None:
        return None
    simulated: list[float] = found.budget.fit.simulated.tolist()
    return simulated


def _figure(found: StoppingFound, curve: CampaignCurve) -> Table:
    """Return the campaign's own curve, which the forecast continues."""
    own = (curve.decided / curve.decided_share).tolist()
    # At the end of what was judged, all is known.
    shares = [*curve.significant.tolist()[:-1], curve.separated]
    fitted: Sequence[float | None] = _fitted(found) or [None] * len(own)
    rows: list[tuple[Value, ...]] = [
        (
            found.judgments(count),
            share,
            simulated,
            share if number == len(own) else None,
            share if number == len(own) else None,
            _("so far"),
        )
        for number, (count, share, simulated) in enumerate(zip(own, shares, fitted, strict=True), 1)
    ]
    if found.forecast is not None:
        ahead = found.forecast
        rows += [
            (found.judgments(count), share, None, low, high, _("forecast"))
            for count, share, low, high in zip(
                ahead.comparisons.tolist(),
                ahead.share.tolist(),
                ahead.low.tolist(),
                ahead.high.tolist(),
                strict=True,
            )
        ]
    return Table(
        name="pairs_told_apart",
        title=_("Share of the pairs told apart"),
        columns=(
            Column("judgments", _("Judgments")),
            Column("share", _("Share of pairs"), decimals=2),
            Column("simulated", _("By the fitted model"), decimals=2),
            Column("low", _("From"), decimals=2),
            Column("high", _("To"), decimals=2),
            Column("when", _("When"), is_text=True),
        ),
        rows=rows,
        notes=[
            _(
                "By one-sided sign tests at 0.05 (Koehn 2012, Figure 2). So far: the average over random "
                "orders of the judgments. Forecast: the average and the interval of simulated campaigns "
                "that resemble this one."
            )
        ],
        plot=Plot(
            kind="line",
            label="judgments",
            value="share",
            low="low",
            high="high",
            start=0,
            end=1,
        ),
    )


def _one_more(found: StoppingFound) -> Table:
    rows: list[tuple[Value, ...]] = []
    for now, more in zip(*found.from_start, strict=True):
        is_known = now.comparisons is not None and more.comparisons is not None
        rows.append(
            (
                target_in_words(now),
                found.judgments(now.comparisons),
                found.judgments(more.comparisons),
                found.judgments(more.low),
                found.judgments(more.high),
                found.judgments((more.comparisons or 0) - (now.comparisons or 0))
                if is_known
                else None,
                more.beyond,
            )
        )
    return Table(
        name="one_more_system",
        title=_("Judgments with one more system"),
        columns=(
            Column("target", _("Target"), is_text=True),
            Column("now", _("As it is")),
            Column("judgments", _("With one more system")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("difference", _("Difference")),
            Column("beyond", _("Share beyond"), decimals=2),
        ),
        rows=rows,
        notes=[
            _(
                "What such campaigns need from their first judgment on, whatever this one has reached: as they "
                "are, and with one more system, as good by chance as the others. A block shows as many "
                "outputs as before."
            )
        ],
    )

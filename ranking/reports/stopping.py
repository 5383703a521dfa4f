"""The forecast of a campaign as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.simulation.budget import Budget, BudgetRow
from ranking.core.simulation.forecast import Forecast
from ranking.core.simulation.noise import CampaignCurve
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.simulations import budget_data, budget_notes
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.numbers import percent_in_figures


class WhyNot(StrEnum):
    """Why nothing can be forecast."""

    NOTHING_DECIDED = "nothing_decided"
    NONE_APART = "none_apart"
    ALL_APART = "all_apart"


@dataclass(frozen=True, eq=False, kw_only=True)
class StoppingFound:
    """A forecast, or why there is none.

    Attributes
    ----------
    why_not : WhyNot or None
    curve : CampaignCurve or None
        None if no comparison is decided.
    per_judgment : float
        Comparisons of a judgment, ties included, on average.
    budget : Budget or None
    forecast : Forecast or None
    from_start : tuple of sequences of BudgetRow
        What such campaigns need from their first judgment on, as they are and with one more system; empty
        without a forecast.
    """

    why_not: WhyNot | None = None
    curve: CampaignCurve | None = None
    per_judgment: float = 0.0
    budget: Budget | None = None
    forecast: Forecast | None = None
    from_start: tuple[Sequence[BudgetRow], ...] = ()

    def judgments(self, comparisons: float | None) -> int | None:
        """Return the judgments that make so many comparisons, ties included."""
        return None if comparisons is None else round(comparisons / self.per_judgment)


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
        tables.append(_plan(found, found.budget))
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
            "forecast": found.forecast,
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


def _target(row: BudgetRow) -> str:
    if row.measure == "clusters":
        return _("%(clusters)d clusters") % {"clusters": row.target}
    return _("%(share)s %% of the pairs told apart") % {"share": percent_in_figures(row.target)}


def _plan(found: StoppingFound, budget: Budget) -> Table:
    limit = found.judgments(budget.limit)
    rows: list[tuple[Value, ...]] = [
        (
            _target(row),
            found.judgments(row.comparisons),
            found.judgments(row.low),
            found.judgments(row.high),
            found.judgments(row.more),
            row.comparisons,
            row.beyond,
        )
        for row in budget.rows
    ]
    return Table(
        name="plan",
        title=_("Judgments until a target is reached"),
        columns=(
            Column("target", _("Target"), is_text=True),
            Column("judgments", _("Half of such campaigns by")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("more", _("Still to collect")),
            Column("comparisons", _("Comparisons")),
            Column("beyond", _("Share beyond"), decimals=2),
        ),
        rows=rows,
        notes=[
            _(
                "Judgments in all, those made so far included. A dash stands for more than %(limit)s: "
                "systems may be equally good, and then no number tells them apart. Share beyond: of the "
                "simulated campaigns, those that need more."
            )
            % {"limit": f"{limit:,}"}
        ],
        plot=Plot(
            kind="intervals", label="target", value="judgments", low="low", high="high", start=0
        ),
    )


def _figure(found: StoppingFound, curve: CampaignCurve) -> Table:
    """Return the campaign's own curve, which the forecast continues."""
    own = (curve.decided / curve.decided_share).tolist()
    # At the end of what was judged, all is known.
    shares = [*curve.significant.tolist()[:-1], curve.separated]
    fitted = (
        [None] * len(own)
        if found.budget is None or found.budget.fit is None
        else found.budget.fit.simulated.tolist()
    )
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
                _target(now),
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

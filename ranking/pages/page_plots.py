"""Plots on pages without a report; each is a table with the same files as in reports."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.selectors.designs import design_or_default
from annotation.selectors.work_time import hours_worked
from campaign.models import Campaign, Judge, Task
from ranking.core.rankings.rank import only_estimable
from ranking.pages.design_forecast import BudgetForm, forecast_table
from ranking.pages.judge_measures import JudgeFilter, measure_rows
from ranking.pages.plot_drawing import drawn_for_page
from ranking.pages.report_shown import PLOT_FILES
from ranking.reports.analyses.ranking import ranks_table
from ranking.reports.plots import BarPlot, RankPlot, StripPlot, interval_plot
from ranking.reports.tables import Column, Table, Value, end_columns
from ranking.selectors.dashboards import Period, campaign_overview, judging_progress
from ranking.selectors.design_forecast import Budget, design_forecast
from ranking.selectors.judges import judges_listed, measures_of, values_by_measure
from ranking.selectors.runs import HistoryPoint, latest_run, ranking_history

#: Label and address of each link, by the name of the plot.
PlotLinks = Mapping[str, Sequence[tuple[str, str]]]
_MIN_POINTS: Final = 3


def plot_links(
    address: str,
    *of: object,
    names: Iterable[str] | None = None,
    query: str = "",
) -> PlotLinks:
    """Return links to the files of the plots of a campaign, of a test set or of a judge, by plot.

    `address` is the name of their address and `of` are its first arguments; `names` are the plots, by default all with
    this address, and `query` is added to the addresses.
    """
    # The dashboard is rebuilt every second: resolve one address for all links.
    start = reverse(address, args=[*of, "-", "-"]).removesuffix("-.-")
    end = ""
    if query:
        end = f"?{query}"
    links: dict[str, list[tuple[str, str]]] = {}
    for name in names or PLOTS[address]:
        links[name] = []
        for ending in PLOT_FILES:
            file = f"{start}{name}.{ending}{end}"
            links[name].append((ending.upper(), file))
    return links


def _ranks(_request: HttpRequest, task: Task) -> Table | None:
    run = latest_run(task_id=task.pk)
    if run is None:
        return None
    return ranks_table(run.result["systems"], name="ranks", method=run.method)


@dataclass(frozen=True, slots=True)
class HistoryCard:
    """One point per ranking, their plot, and the number of rankings left out."""

    points: Sequence[HistoryPoint]
    plot: SafeString | None
    left_out: int


def history_card(history: Sequence[HistoryPoint]) -> HistoryCard | None:
    """Return the rankings over time; None if there are too few."""
    points = _points(history)
    if len(points) < _MIN_POINTS or len(points[-1].systems) < 2:
        return None
    if points[0].comparisons == points[-1].comparisons:
        return None
    plot = drawn_for_page(_history_table(points))
    return HistoryCard(points, plot, left_out=len(history) - len(points))


def _points(history: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """Return the points with one ranking of all systems."""
    return [point for point in history if point.is_one_ranking]


def _history(_request: HttpRequest, task: Task) -> Table:
    latest = latest_run(task_id=task.pk)
    return _history_table(_points(ranking_history(task_id=task.pk, latest=latest)))


class _HistoryRow(NamedTuple):
    comparisons: int
    system: str
    rank: int
    rank_low: int | None
    rank_high: int | None


def _history_table(points: Sequence[HistoryPoint]) -> Table:
    # Lines are in the current order of systems.
    positions: dict[Value, int] = {}
    if points:
        for number, system in enumerate(points[-1].systems):
            positions[system["system"]] = number
    last = len(positions)
    rows: list[_HistoryRow] = []
    for point in points:
        for system in map(only_estimable, point.systems):
            row = _HistoryRow(
                point.comparisons,
                system["system"],
                system["rank"],
                system["rank_low"],
                system["rank_high"],
            )
            rows.append(row)

    def order(row: _HistoryRow) -> tuple[int, int]:
        return row.comparisons, positions.get(row.system, last)

    rows.sort(key=order)
    return Table(
        name="history",
        title=_("Ranking over time"),
        columns=(
            Column("comparisons", _("Comparisons")),
            Column("system", _("System"), is_text=True),
            Column("rank", _("Rank")),
            *end_columns("rank_"),
        ),
        rows=rows,
        keys=2,
        plot=RankPlot(
            label="comparisons",
            value="rank",
            low="rank_low",
            high="rank_high",
            across="system",
        ),
    )


def _progress(_request: HttpRequest, task: Task) -> Table:
    progress = judging_progress(task=task)

    def moment(key: str, heading: str, written: str) -> Column:
        def cell(period: Period) -> str:
            return f"{timezone.localtime(period.start):{written}}"

        return Column(key, heading, is_text=True, of=cell)

    def time_zone(_period: Period) -> str:
        return timezone.get_current_timezone_name()

    moments = [
        Column("time_zone", _("Time zone"), is_text=True, of=time_zone),
        moment("day", _("Day"), "%Y-%m-%d"),
    ]
    if progress.hourly:
        moments.append(moment("time", _("Time"), "%H:%M"))
    return Table.of(
        progress.periods,
        name="progress",
        title=_("Blocks judged"),
        columns=(*moments, Column("judged", _("Blocks"))),
        keys=len(moments),
        plot=BarPlot(label=moments[-1].key, value="judged", is_whole=True),
    )


def _agreement(request: HttpRequest, task: Task) -> Table:
    columns = (
        Column("pseudonym", _("Judge"), is_text=True),
        Column("judged", _("Blocks")),
        Column("standing", _("Skipped")),
        Column("kappa", _("κ with others"), decimals=2),
        *end_columns("kappa_", decimals=2),
    )
    keys = [column.key for column in columns]
    judges = JudgeFilter.of(request, judges_listed(task=task)).rows
    return Table(
        name="agreement",
        title=_("κ with others"),
        columns=columns,
        rows=list(judges.order_by("pseudonym").values_list(*keys)),
        plot=interval_plot("pseudonym", "kappa", "kappa_", mark=0, end=1),
    )


def _forecast(request: HttpRequest, task: Task) -> Table | None:
    """Return the forecast of the design in force, with the budget in the address."""
    design = design_or_default(task=task)
    budget = Budget(**BudgetForm(request.GET).arguments)
    forecast = design_forecast(task=task, design=design, budget=budget)
    if forecast is None or not forecast.counts_pairs:
        return None
    return forecast_table(forecast)


def _measures(_request: HttpRequest, task: Task, judge: Judge) -> Table:
    own = measures_of(judge=judge, task=task)
    everybody = values_by_measure(task_id=task.pk)
    rows = []
    for row in measure_rows(own):
        measured = own.get(row.measure)
        interval: tuple[float | None, ...] = (None,) * 3
        if measured is not None:
            interval = (measured["value"], measured["low"], measured["high"])
        values = everybody.get(row.measure) or []
        ends: tuple[float | None, ...] = (None,) * 3
        if values:
            ends = (min(values), float(np.median(values)), max(values))
        rows.append((row.label, *interval, *ends, len(values)))
    return Table(
        name="measures",
        title=_("Measures of %(who)s") % {"who": judge.pseudonym},
        columns=(
            Column("measure", _("Measure"), is_text=True),
            Column("value", _("Value")),
            *end_columns(),
            Column("least", _("Minimum of all judges")),
            Column("middle", _("Median of all judges")),
            Column("most", _("Maximum of all judges")),
            Column("judges", _("Judges")),
        ),
        rows=rows,
        plot=StripPlot(label="measure", value="value"),
    )


def _hours(_request: HttpRequest, _task: Task, judge: Judge) -> Table:
    worked = hours_worked(judge)
    return Table(
        name="hours",
        title=_("Items by hour of day (%(zone)s)")
        % {"zone": judge.campaign.zone.title},
        columns=(
            Column("time", _("Time"), is_text=True),
            Column("sentences", _("Items")),
        ),
        rows=[(f"{hour:02}:00", worked.get(hour, 0)) for hour in range(24)],
        plot=BarPlot(label="time", value="sentences", is_whole=True),
    )


def _ends(_request: HttpRequest, campaign: Campaign) -> Table:
    rows = []
    for overview in campaign_overview(campaign=campaign):
        task = overview.task
        ends: tuple[float | None, ...] = (None,) * 3
        if overview.end is not None:
            ends = tuple(overview.end)
        rows.append((task.called, overview.counted, task.blocks_wanted, *ends))
    return Table(
        name="ends",
        title=_("Forecast"),
        columns=(
            Column("task", _("Test set"), is_text=True),
            Column("counted", _("Counted")),
            Column("wanted", _("Target blocks")),
            Column("days", _("Days"), decimals=1),
            *end_columns(decimals=1),
        ),
        rows=rows,
        plot=interval_plot("task", "days", start=0),
    )


#: Plots by name, by the name of the address of their files; given the request and what they are of.
PLOTS: Final[Mapping[str, Mapping[str, Callable[..., Table | None]]]] = {
    "campaign-plot": {"ends": _ends},
    "test-set-plot": {
        "ranks": _ranks,
        "history": _history,
        "progress": _progress,
        "agreement": _agreement,
        "forecast": _forecast,
    },
    "judge-plot": {"measures": _measures, "hours": _hours},
}

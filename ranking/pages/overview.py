"""Rows of test sets in the overview of a campaign, and its totals and end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import inf
from typing import Final, cast

from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from annotation.protocols.answer_kinds import answer_kind_of
from ranking.core.rankings.records import RankedRow
from ranking.core.simulation.work_ahead import EndOfWork
from ranking.pages.formats import (
    BarPlotContent,
    RankPlotRow,
    bar_plot,
    percent,
    rank_plots,
)
from ranking.pages.summary import Standing, headline, headline_without_ranking
from ranking.selectors.analyses import kind_in_place_of_ranking
from ranking.selectors.dashboards import (
    DAYS_FORECAST,
    TaskOverview,
    day_after,
)

#: Maximum number of days in plots of forecast ends; later ends have an arrow.
_DAYS_ON_AXIS: Final = 60
#: Height of a system in a small plot.
_LINE_PX: Final = 8


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals over a campaign's test sets.

    Attributes
    ----------
    tasks, running : int
        Test sets, and those that are open.
    judged, excluded, at_work : int
    share : float or None
        Share of the targets that is reached; None without a target.
    pace : float
        Blocks per day of the test sets that are open.
    """

    tasks: int = 0
    running: int = 0
    judged: int = 0
    excluded: int = 0
    at_work: int = 0
    share: float | None = None
    pace: float = 0


def totals_of(overviews: Sequence[TaskOverview]) -> Totals:
    """Return the totals over a campaign's test sets."""
    running = [overview for overview in overviews if overview.is_open]
    # A judge may work on several tasks.
    at_work: set[int] = set()
    for overview in overviews:
        at_work |= overview.judges_at_work
    total_target = 0
    counted = 0
    for overview in overviews:
        target = overview.task.blocks_wanted
        if target:
            total_target += target
            counted += min(overview.counted, target)
    share = None
    if total_target:
        share = counted / total_target
    return Totals(
        tasks=len(overviews),
        running=len(running),
        judged=sum(overview.judged for overview in overviews),
        excluded=sum(overview.excluded for overview in overviews),
        at_work=len(at_work),
        share=share,
        pace=sum(overview.pace for overview in running),
    )


@dataclass(frozen=True, slots=True)
class ExpectedEnd:
    """The day of an end, or the reason why it is unknown, and its interval if there is one."""

    label: str
    interval: str = ""


def campaign_end(overviews: Sequence[TaskOverview], *, today: date) -> ExpectedEnd:
    """Return the expected end of a campaign's last test set."""
    last = _last_to_end(overviews)
    if last is None:
        return ExpectedEnd("–")
    return _expected_end(last, today)


def days_to_end(overviews: Sequence[TaskOverview]) -> float | None:
    """Return the days from the beginning of today to the end of the campaign; None if unknown."""
    last = _last_to_end(overviews)
    if last is None or last.is_done or last.end is None:
        return None
    return last.end.days


def _last_to_end(overviews: Sequence[TaskOverview]) -> TaskOverview | None:
    """Return the test set that determines the campaign's end: one with an unknown end, or the last to end."""
    running = [overview for overview in overviews if overview.is_open]
    if not running:
        return max(overviews, key=_closed_at, default=None)
    with_target = [overview for overview in running if overview.task.blocks_wanted]
    unfinished = [overview for overview in with_target if not overview.is_done]
    return max(unfinished or with_target or running, key=_days_left)


def _days_left(overview: TaskOverview) -> float:
    if overview.end is None:
        return inf
    return overview.end.days


def _closed_at(overview: TaskOverview) -> float:
    closed = overview.task.closed_at
    if closed:
        return closed.timestamp()
    return 0.0


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """A test set in the overview. `bar` is the share of the target, and `bars` are blocks by day."""

    overview: TaskOverview
    headline: str
    plot: "SmallPlot | None"
    bar: str | None
    bars: BarPlotContent
    end: str
    end_range: str
    end_plot: "EndPlot | None"


def overview_rows(
    overviews: Sequence[TaskOverview],
    *,
    today: date,
) -> list[OverviewRow]:
    """Return the rows of test sets, with all ends on one axis."""
    axis = _days_on_axis(overviews)
    return [_overview_row(overview, today, axis) for overview in overviews]


def _overview_row(overview: TaskOverview, today: date, axis: float) -> OverviewRow:
    end = _expected_end(overview, today)
    bar = None
    if overview.share is not None:
        bar = percent(overview.share)
    plot = None
    if _is_ranked(overview) and overview.standing:
        plot = small_plot(overview.standing["systems"])
    end_plot = None
    if overview.end and overview.end.days:
        end_plot = _end_plot(overview.end, axis)
    return OverviewRow(
        overview=overview,
        headline=_headline(overview),
        plot=plot,
        bar=bar,
        bars=bar_plot([(day.start, day.judged) for day in overview.days]),
        end=end.label,
        end_range=end.interval,
        end_plot=end_plot,
    )


def _is_ranked(overview: TaskOverview) -> bool:
    """Return whether there is a ranking; ratings without weights order no outputs, so all systems would be tied."""
    if not answer_kind_of(overview.task).compares_outputs:
        return False
    return bool(overview.standing and overview.standing["systems"])


def _headline(overview: TaskOverview) -> str:
    standing = cast("Standing | None", overview.standing)
    if standing and _is_ranked(overview):
        return headline(standing)
    if overview.judged and kind_in_place_of_ranking(task=overview.task):
        return headline_without_ranking(overview.task)
    if standing:
        return headline(standing)
    return headline_without_ranking()


@dataclass(frozen=True, slots=True)
class SmallPlotLine:
    """A system in a small plot, and the height of the rule above it, if there is one."""

    ranked: RankPlotRow
    y: str
    rule: str


@dataclass(frozen=True, slots=True)
class SmallPlot:
    """Rank ranges without names; vertical lengths are in pixels."""

    lines: list[SmallPlotLine]

    @property
    def height(self) -> str:
        """Height of all lines."""
        return str(_LINE_PX * len(self.lines))


def small_plot(systems: Sequence[RankedRow]) -> SmallPlot:
    """Return a small plot of ranked systems, with rules between clusters and groups."""
    lines: list[SmallPlotLine] = []
    for plot in rank_plots(systems):
        is_first = True
        for row in plot.rows:
            top = _LINE_PX * len(lines)
            rule = ""
            if row.begins_cluster or (is_first and lines):
                rule = str(top)
            lines.append(SmallPlotLine(row, str(top + _LINE_PX // 2), rule))
            is_first = False
    return SmallPlot(lines)


def _expected_end(overview: TaskOverview, today: date) -> ExpectedEnd:
    """Return the expected day of the end with its interval, or why it is unknown."""
    task = overview.task
    end = overview.end
    if not overview.is_open:
        if task.closed_at is None:
            return ExpectedEnd(capfirst(str(task.state.label)))
        closed = localtime(task.closed_at, task.test_set.campaign.zone)
        return ExpectedEnd(_day(closed.date()))
    if overview.is_done:
        return ExpectedEnd(_("All blocks judged"))
    if not task.blocks_wanted:
        return ExpectedEnd(_("No target set"))
    if end is None:
        if overview.days_of_work < DAYS_FORECAST:
            return ExpectedEnd(_("Not enough data yet (needs 7 days of judging)"))
        return ExpectedEnd(_("No judgments in the last week"))
    low = _day(day_after(today, end.low))
    if end.high is None:
        interval = _("from %(first)s (no latest date: daily pace varies too much)") % {
            "first": low,
        }
    else:
        high = _day(day_after(today, end.high))
        interval = f"{low} – {high}"
    return ExpectedEnd(_day(day_after(today, end.days)), interval)


def _day(day: date) -> str:
    return date_format(day, "DATE_FORMAT")


def _days_on_axis(overviews: Sequence[TaskOverview]) -> float:
    """Return the days until the latest end, within limits."""
    days = float(DAYS_FORECAST)
    for overview in overviews:
        if overview.end is not None:
            days = max(days, _latest_days(overview.end))
    return min(_DAYS_ON_AXIS, days)


def _latest_days(end: EndOfWork) -> float:
    if end.high is None:
        return _DAYS_ON_AXIS
    return end.high


@dataclass(frozen=True, slots=True)
class EndPlot:
    """Positions of a forecast and its interval between today and the end of the axis."""

    low: str
    high: str
    dot: str
    is_later: bool


def _end_plot(end: EndOfWork, axis: float) -> EndPlot:
    def position(days: float) -> str:
        return percent(min(1.0, days / axis))

    high = end.high
    is_later = high is None or high > axis
    if high is None:
        high = axis
    return EndPlot(
        low=position(end.low),
        high=position(high),
        dot=position(end.days),
        is_later=is_later,
    )

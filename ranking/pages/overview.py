"""Rows of test sets in the overview of a campaign, and its totals and end."""

from collections.abc import Mapping, Sequence
from datetime import date
from math import inf
from typing import Any, Final

from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from ranking.core.simulation.work_ahead import EndOfWork
from ranking.pages.formats import bar_plot, percent, rank_plots
from ranking.pages.summary import headline, headline_without_ranking
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


def totals_of(overviews: Sequence[TaskOverview]) -> dict[str, Any]:
    """Return the totals over a campaign's test sets.

    `share` covers those with a target, `pace` is in blocks per day over those that are open.
    """
    asked = [overview for overview in overviews if overview.task.blocks_wanted]
    wanted = sum(each.task.blocks_wanted or 0 for each in asked)
    done = sum(min(each.counted, each.task.blocks_wanted or 0) for each in asked)
    return {
        "running": sum(overview.is_open for overview in overviews),
        "tasks": len(overviews),
        "judged": sum(overview.judged for overview in overviews),
        "excluded": sum(overview.excluded for overview in overviews),
        "at_work": sum(overview.at_work for overview in overviews),
        "share": done / wanted if wanted else None,
        "pace": sum(overview.pace for overview in overviews if overview.is_open),
    }


def campaign_end(overviews: Sequence[TaskOverview], *, today: date) -> tuple[str, str]:
    """Return the expected day of the end of a campaign's last test set with its interval, or why it is unknown."""
    last = _last_to_end(overviews)
    if last is None:
        return ("–", "")
    return _end_in_words(last, last.end, today)


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
    asked = [each for each in running if each.task.blocks_wanted]
    unfinished = [each for each in asked if not each.is_done]
    ends = [(each, each.end) for each in unfinished or asked or running]
    return max(ends, key=lambda each: inf if each[1] is None else each[1].days)[0]


def _closed_at(overview: TaskOverview) -> float:
    closed = overview.task.closed_at
    if closed:
        return closed.timestamp()
    return 0.0


def overview_rows(
    overviews: Sequence[TaskOverview], *, today: date
) -> list[dict[str, Any]]:
    """Return the rows of test sets, with all ends on one axis. `end` is a date, or the reason why there is none."""
    ends = [overview.end for overview in overviews]
    axis = _days_on_axis([end for end in ends if end is not None])
    rows = []
    for overview, end in zip(overviews, ends, strict=True):
        standing = overview.standing
        share = overview.share
        words, between = _end_in_words(overview, end, today)
        rows.append(
            {
                "overview": overview,
                "headline": _headline(overview),
                "plot": small_plot(standing)
                if standing and standing["systems"]
                else None,
                "bar": None if share is None else percent(share),
                "bars": bar_plot([(day.start, day.judged) for day in overview.days]),
                "end": words,
                "end_range": between,
                "end_plot": _end_plot(end, axis) if end and end.days else None,
            }
        )
    return rows


def _headline(overview: TaskOverview) -> str:
    standing = overview.standing
    if standing and standing["systems"]:
        return headline(standing)
    if overview.judged and kind_in_place_of_ranking(task=overview.task):
        return headline_without_ranking(overview.task)
    if standing:
        return headline(standing)
    return headline_without_ranking()


def small_plot(standing: Mapping[str, Any]) -> dict[str, Any]:
    """Return a small plot of rank ranges without names; vertical lengths are in pixels."""
    rows = [
        (row, row["begins_cluster"] or (number > 0 and not index))
        for number, plot in enumerate(rank_plots(standing["systems"]))
        for index, row in enumerate(plot["rows"])
    ]
    lines = [
        {
            "ranked": row,
            "y": str(_LINE_PX * index + _LINE_PX // 2),
            "rule": str(_LINE_PX * index) if has_rule else "",
        }
        for index, (row, has_rule) in enumerate(rows)
    ]
    return {"height": str(_LINE_PX * len(rows)), "lines": lines}


def _end_in_words(
    overview: TaskOverview, end: EndOfWork | None, today: date
) -> tuple[str, str]:
    """Return the expected day of the end with its interval, or why it is unknown."""
    if not overview.is_open:
        if overview.task.closed_at is None:
            return capfirst(str(overview.task.state.label)), ""
        closed = localtime(
            overview.task.closed_at, overview.task.test_set.campaign.zone
        )
        return _day(closed.date()), ""
    if overview.is_done:
        return _("All blocks judged"), ""
    if not overview.task.blocks_wanted:
        return _("No target set"), ""
    if end is None:
        if overview.days_of_work < DAYS_FORECAST:
            return _("Not enough data yet (needs 7 days of judging)"), ""
        return _("No judgments in the last week"), ""
    if end.high is None:
        return _day(day_after(today, end.days)), _(
            "from %(first)s (no latest date: daily pace varies too much)"
        ) % {"first": _day(day_after(today, end.low))}
    low = day_after(today, end.low)
    high = day_after(today, end.high)
    return _day(day_after(today, end.days)), f"{_day(low)} – {_day(high)}"


def _day(day: date) -> str:
    return date_format(day, "DATE_FORMAT")


def _days_on_axis(ends: Sequence[EndOfWork]) -> float:
    latest = [_DAYS_ON_AXIS if end.high is None else end.high for end in ends]
    return min(_DAYS_ON_AXIS, max([DAYS_FORECAST, *latest]))


def _end_plot(end: EndOfWork, axis: float) -> dict[str, Any]:
    """Return the positions of a forecast and its interval between today and the end of the axis."""
    high = axis if end.high is None else end.high
    ends = {"low": end.low, "high": high, "dot": end.days}
    found: dict[str, Any] = {
        name: percent(min(1.0, at / axis)) for name, at in ends.items()
    }
    return found | {"is_later": end.high is None or end.high > axis}

"""Ranks as they changed: a line for each name, with a band for its rank range."""

from typing import Final, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.axis import Axis
from ranking.pages.plot_drawing.rows import number_of
from ranking.pages.plot_drawing.svg import MARGIN, NAMES, SHORT_NAMES, TOP, Sheet, joined
from ranking.reports.plots import Plot
from ranking.reports.tables import Table

_ROW: Final = 28
_LEFT: Final = 40
#: Half the height of a range of one rank, in ranks: less than half, so that neighbours stay apart.
_HALF: Final = 0.3
#: Styles of lines, told apart without colour.
_STYLES: Final = 6


class _Point(NamedTuple):
    at: float
    rank: float
    low: float
    high: float


def ranks(table: Table, plot: Plot, sheet: Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height and lines, with the names where they end; None where nothing is ranked."""
    lines = _lines(table, plot)
    points = [point for line in lines.values() for point in line]
    if not points:
        return None
    right = sheet.width - (SHORT_NAMES if sheet.is_narrow else NAMES)
    free = Plot(kind="line", label="", value="")
    x = Axis([point.at for point in points], free, _LEFT, right, steps=sheet.ticks)
    lowest = max(point.high for point in points)
    bottom = int(_down(lowest)) + _ROW // 2
    parts = [
        format_html(
            '<line class="grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
            '<text class="quiet" x="{0}" y="{3}" text-anchor="middle">{4}</text>',
            at,
            TOP,
            bottom,
            bottom + 18,
            words,
        )
        for at, words in x.ticks
    ]
    parts += [_rank(rank) for rank in range(1, int(lowest) + 1)]
    parts += [_band(line, x) for line in lines.values()]
    parts += [
        _line(sheet.named(name), name, line, x, number % _STYLES)
        for number, (name, line) in enumerate(lines.items())
    ]
    heading = next(column.heading for column in table.columns if column.key == plot.label)
    below = format_html(
        '<text class="quiet" x="{}" y="{}" text-anchor="end">{}</text>',
        right,
        bottom + 36,
        heading,
    )
    return sheet.width + (0 if sheet.is_narrow else MARGIN), bottom + 44, joined([*parts, below])


def _lines(table: Table, plot: Plot) -> dict[str, list[_Point]]:
    """Return the points of each name, in the order in which names come."""
    place = {column.key: number for number, column in enumerate(table.columns)}
    named = place[plot.across or plot.label]
    keys = [place[key or plot.value] for key in (plot.label, plot.value, plot.low, plot.high)]
    found: dict[str, list[_Point]] = {}
    for row in table.rows:
        at, rank, low, high = (number_of(row[key]) for key in keys)
        if at is not None and rank is not None:
            point = _Point(at, rank, rank if low is None else low, rank if high is None else high)
            found.setdefault(str(row[named]), []).append(point)
    return found


def _down(rank: float) -> float:
    return TOP + (rank - 0.5) * _ROW


def _rank(rank: int) -> SafeString:
    return format_html(
        '<text class="quiet" x="{}" y="{}" text-anchor="end">{}</text>',
        _LEFT - 12,
        _down(rank) + 4,
        rank,
    )


def _band(line: list[_Point], x: Axis) -> SafeString:
    upper = [f"{x.at(each.at)},{_down(each.low - _HALF):.1f}" for each in line]
    lower = [f"{x.at(each.at)},{_down(each.high + _HALF):.1f}" for each in reversed(line)]
    return format_html('<polygon class="band" points="{}"/>', " ".join(upper + lower))


def _line(short: str, name: str, line: list[_Point], x: Axis, style: int) -> SafeString:
    points = " ".join(f"{x.at(each.at)},{_down(each.rank):.1f}" for each in line)
    last = line[-1]
    return format_html(
        '<g><title>{}</title><polyline class="path path-{}" points="{}"/>'
        '<text x="{}" y="{}">{}</text></g>',
        name,
        style,
        points,
        float(x.at(last.at)) + 10,
        _down(last.rank) + 4,
        short,
    )

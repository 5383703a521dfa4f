"""Values connected by a line, with a band of intervals; and points, each with a name."""

from math import ceil
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.axis import Axis, across, horizontal
from ranking.pages.plot_drawing.rows import Row
from ranking.pages.plot_drawing.svg import (
    HIGHEST,
    LINE_HEIGHT,
    SHORT_NAMES,
    TOP,
    Sheet,
    above,
    below,
    joined,
    room_of,
)
from ranking.reports.plots import Plot
from ranking.reports.tables import Table

#: Room for the names of points at the right, and the height of one.
_NAMES_OF_POINTS: Final = 120
_LINE: Final = 14


def line(table: Table, plot: Plot, rows: list[Row], sheet: Sheet) -> tuple[int, SafeString]:
    """Return height and drawing."""
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    y = Axis(values, plot, LINE_HEIGHT - 40, HIGHEST)
    places = _places(rows, sheet)
    parts = [
        above(table, plot.value),
        horizontal(y, 48, sheet.right),
        across(y, plot, 48, sheet.right),
    ]
    parts += [
        format_html('<polygon class="band" points="{}"/>', each) for each in _bands(places, rows, y)
    ]
    points = [f"{x:.1f},{y.at(row.value)}" for x, row in zip(places, rows, strict=True)]
    parts.append(format_html('<polyline class="curve" points="{}"/>', " ".join(points)))
    parts += _names_below([sheet.named(row.name) for row in rows], places, sheet)
    parts.append(below(table, plot.label, sheet, LINE_HEIGHT))
    return LINE_HEIGHT, joined(parts)


def _names_below(names: list[str], places: list[float], sheet: Sheet) -> list[SafeString]:
    """Return names under their places: as many as have room beside each other, and none beyond the sheet."""
    room = max(map(room_of, names))
    apart = (places[-1] - places[0]) / max(1, len(names) - 1)
    most = 4 if sheet.is_narrow else 10
    every = max(ceil(len(names) / most), ceil((room + 8) / apart) if apart else 1)
    return [
        format_html(
            '<text class="quiet" x="{}" y="{}" text-anchor="middle">{}</text>',
            f"{min(max(x, room_of(name) / 2), sheet.width - room_of(name) / 2):.1f}",
            LINE_HEIGHT - 20,
            name,
        )
        for x, name in list(zip(places, names, strict=True))[::every]
    ]


def _bands(places: list[float], rows: list[Row], y: Axis) -> list[str]:
    """Return the points of a band for each stretch of at least two rows that have both ends."""
    found: list[str] = []
    upper: list[str] = []
    lower: list[str] = []
    for x, row in [*zip(places, rows, strict=True), (0.0, None)]:
        if row is not None and row.low is not None and row.high is not None:
            upper.append(f"{x:.1f},{y.at(row.high)}")
            lower.append(f"{x:.1f},{y.at(row.low)}")
            continue
        if len(upper) > 1:
            found.append(" ".join(upper + lower[::-1]))
        upper, lower = [], []
    return found


def _places(rows: list[Row], sheet: Sheet) -> list[float]:
    """Return where the rows of a line are: by their numbers, or evenly where they have none."""
    left, right = 56, sheet.right - 12
    found = [float(row.label) for row in rows if isinstance(row.label, int | float)]
    if len(found) == len(rows):
        low, high = min(found), max(found)
        if high > low:
            return [left + (each - low) / (high - low) * (right - left) for each in found]
    gap = (right - left) / max(1, len(rows) - 1)
    return [left + number * gap for number in range(len(rows))]


def points(table: Table, plot: Plot, rows: list[Row], sheet: Sheet) -> tuple[int, SafeString]:
    """Return height and drawing."""
    found = [row for row in rows if row.low is not None]
    if not found:
        return TOP, SafeString("")
    y = Axis([row.value for row in found], plot, LINE_HEIGHT - 40, HIGHEST)
    free = Plot(kind="points", label=plot.label, value=plot.value)
    right = sheet.width - (SHORT_NAMES if sheet.is_narrow else _NAMES_OF_POINTS)
    x = Axis([row.low or 0.0 for row in found], free, 64, right, steps=sheet.ticks)
    parts = [above(table, plot.value), horizontal(y, 48, sheet.right)]
    parts += [
        format_html(
            '<text class="quiet" x="{}" y="{}" text-anchor="middle">{}</text>',
            at,
            LINE_HEIGHT - 20,
            words,
        )
        for at, words in x.ticks
    ]
    places = [(float(x.at(row.low or 0.0)), float(y.at(row.value))) for row in found]
    names = [sheet.named(row.name) for row in found]
    parts += [
        format_html(
            '<circle class="dot" cx="{0}" cy="{1}" r="4"/><text x="{0}" y="{2}" dx="8" dy="4">{3}</text>',
            at,
            up,
            height,
            name,
        )
        for (at, up), height, name in zip(places, _apart(places, names), names, strict=True)
    ]
    parts.append(below(table, plot.low or plot.label, sheet, LINE_HEIGHT))
    return LINE_HEIGHT, joined(parts)


def _apart(places: list[tuple[float, float]], names: list[str]) -> list[float]:
    """Return the height of each name: that of its point, or the nearest where no other name or point is."""
    taken = [(left - 12, left - 4, height) for left, height in places]
    found = {}
    for number in sorted(range(len(places)), key=lambda number: places[number]):
        left, height = places[number]
        right = left + room_of(names[number])
        free = (
            tried
            for away in range(len(places) + 1)
            for tried in (height + away * _LINE, height - away * _LINE)
            if all(
                abs(tried - other) >= _LINE or left > their_right or right < their_left
                for their_left, their_right, other in taken
            )
        )
        found[number] = next(free, height)
        taken.append((left, right, found[number]))
    return [found[number] for number in range(len(places))]

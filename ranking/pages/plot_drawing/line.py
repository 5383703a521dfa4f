"""Lines from left to right: values in order or as points, rows from column to column, and ranks with their ranges."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Final, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.svg import (
    HEADS,
    HIGHEST,
    LINE_HEIGHT,
    MARGIN,
    NAMES,
    SHORT_NAMES,
    TOP,
    Axis,
    Row,
    Sheet,
    above,
    across,
    below,
    horizontal,
    joined,
    number_of,
    room_of,
    shortened,
)
from ranking.reports.tables import Plot, Table, Value

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
    across_ends, up_ends = (
        [each for row in found for each in row.bars[part : part + 2] if each is not None]
        for part in (0, 2)
    )
    y = Axis([*(row.value for row in found), *up_ends], plot, LINE_HEIGHT - 40, HIGHEST)
    free = Plot(kind="points", label=plot.label, value=plot.value)
    right = sheet.width - (SHORT_NAMES if sheet.is_narrow else _NAMES_OF_POINTS)
    x = Axis([*(row.low or 0.0 for row in found), *across_ends], free, 64, right, steps=sheet.ticks)
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
    if bars := _crosses(found, x, y):
        parts.append(format_html('<path class="bars" d="{}"/>', bars))
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


def _crosses(rows: list[Row], x: Axis, y: Axis) -> str:
    """Return the path of the bars of points, across and up."""
    parts = []
    for row in rows:
        left, right, down, up = [*row.bars, None, None, None, None][:4]
        if left is not None and right is not None:
            parts.append(f"M{x.at(left)} {y.at(row.value)}H{x.at(right)}")
        if down is not None and up is not None:
            parts.append(f"M{x.at(row.low or 0.0)} {y.at(down)}V{y.at(up)}")
    return "".join(parts)


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


_GAP: Final = 76
_BUMP_ROW: Final = 28
#: With columns nearer than this, heads are vertical and limited to this many letters.
_LEAST_GAP: Final = 60
_UPRIGHT_LETTERS: Final = 18
#: Styles of lines, told apart without colour: solid, dashed, dotted, dash and dot, heavy, heavy dashes.
_BUMP_STYLES: Final = 6


class _Columns(NamedTuple):
    """The columns that hold ranks, where the first is, and how far the next ones are."""

    places: Sequence[int]
    left: float
    gap: float

    def at(self, place: int) -> str:
        return f"{self.left + place * self.gap:.1f}"


def bump(table: Table, sheet: Sheet) -> tuple[int, int, SafeString]:
    """Return width, height and lines, with the names at both ends, at the left one of a narrow sheet; best above."""
    found = [
        number
        for number in range(1, len(table.columns))
        if any(_is_rank(row[number]) for row in table.rows)
    ]
    gaps = max(1, len(found) - 1)
    if sheet.is_narrow:
        columns = _Columns(
            found, SHORT_NAMES, min(_GAP, (sheet.right - SHORT_NAMES) / max(2, gaps))
        )
    else:
        columns = _Columns(found, NAMES, _GAP)
    lowest = max(
        (
            float(value)
            for row in table.rows
            for at in found
            if isinstance(value := row[at], int | float)
        ),
        default=1.0,
    )
    # Upright where columns are too near for heads at an angle.
    angle = -90 if columns.gap < _LEAST_GAP else -40
    parts = [
        format_html(
            '<text transform="translate({} {}) rotate({})">{}</text>'
            '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>',
            columns.at(place),
            HEADS - 14,
            angle,
            shortened(str(table.columns[at].heading), _UPRIGHT_LETTERS)
            if angle == -90
            else shortened(str(table.columns[at].heading)),
            *(columns.at(place),) * 2,
            HEADS,
            _down_bumps(lowest) + 10,
        )
        for place, at in enumerate(found)
    ]
    for number, row in enumerate(table.rows):
        parts.append(_path(row, columns, number % _BUMP_STYLES))
    width = sheet.width
    if found:
        parts += _names(table, found[0], columns.left - 14, "end", sheet)
        if not sheet.is_narrow:
            right = NAMES + (len(found) - 1) * _GAP
            parts += _names(table, found[-1], right + 14, "start", sheet)
            width = right + NAMES
    return width, int(_down_bumps(lowest)) + 24, joined(parts)


def _is_rank(value: Value) -> bool:
    return isinstance(value, int | float)


def _down_bumps(rank: float) -> float:
    return HEADS + 14 + (rank - 1) * _BUMP_ROW


def _path(row: Sequence[Value], columns: _Columns, style: int) -> SafeString:
    found = [
        (columns.at(place), _down_bumps(float(value)))
        for place, at in enumerate(columns.places)
        if isinstance(value := row[at], int | float)
    ]
    lines = [
        format_html(
            '<line class="path path-{}" x1="{}" y1="{}" x2="{}" y2="{}"/>', style, *one, *other
        )
        for one, other in pairwise(found)
    ]
    dots = [format_html('<circle class="dot" cx="{}" cy="{}" r="4"/>', *each) for each in found]
    return format_html("<g><title>{}</title>{}{}</g>", str(row[0]), joined(lines), joined(dots))


def _names(table: Table, at: int, x: float, anchor: str, sheet: Sheet) -> list[SafeString]:
    """Return the names at an end, those of equal rank in one line."""
    by_rank: dict[float, list[str]] = {}
    for row in table.rows:
        value = row[at]
        if isinstance(value, int | float):
            by_rank.setdefault(float(value), []).append(str(row[0]))
    return [
        format_html(
            '<text x="{}" y="{}" text-anchor="{}">{}</text>',
            x,
            _down_bumps(rank) + 4,
            anchor,
            sheet.named(", ".join(names)),
        )
        for rank, names in sorted(by_rank.items())
    ]


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
    names = [sheet.named(name) for name in lines]
    ends = [(float(x.at(line[-1].at)), _down(line[-1].rank)) for line in lines.values()]
    parts += [
        _line(name, line, x, number % _STYLES, short, height)
        for number, ((name, line), short, height) in enumerate(
            zip(lines.items(), names, _apart(ends, names), strict=True)
        )
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


def _line(
    name: str, line: list[_Point], x: Axis, style: int, short: str, height: float
) -> SafeString:
    points = " ".join(f"{x.at(each.at)},{_down(each.rank):.1f}" for each in line)
    return format_html(
        '<g><title>{}</title><polyline class="path path-{}" points="{}"/>'
        '<text x="{}" y="{}">{}</text></g>',
        name,
        style,
        points,
        float(x.at(line[-1].at)) + 10,
        height + 4,
        short,
    )

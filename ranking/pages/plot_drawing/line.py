"""Lines from left to right: values in order or as points, rows from column to column, and ranks with their ranges."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Final, NamedTuple

from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.svg import (
    HIGHEST,
    LETTERS,
    LINE_HEIGHT,
    MARGIN,
    NAMES,
    SHORT_NAMES,
    TOP,
    Axis,
    Row,
    Sheet,
    above,
    below,
    dot,
    heading_of,
    horizontal,
    joined,
    number_of,
    room_of,
    room_of_heads,
    shortened,
    stroke,
    tag,
    text,
)
from ranking.reports.tables import Plot, Table

#: Room for the names of points at the right, and the height of one.
_NAMES_OF_POINTS: Final = 120
_LINE: Final = 14


def line(table: Table, plot: Plot, rows: list[Row], sheet: Sheet) -> tuple[int, SafeString]:
    """Return height and drawing."""
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    y = Axis(values, plot, LINE_HEIGHT - 40, HIGHEST)
    places = _places(rows, sheet)
    parts = [above(table, plot.value), horizontal(y, plot, 48, sheet.right)]
    parts += [tag("polygon", class_="band", points=each) for each in _bands(places, rows, y)]
    curve = " ".join(f"{x:.1f},{y.at(row.value)}" for x, row in zip(places, rows, strict=True))
    parts.append(tag("polyline", class_="curve", points=curve))
    parts += _names_below([sheet.named(row.name) for row in rows], places, sheet)
    parts.append(below(table, plot.label, sheet, LINE_HEIGHT))
    return LINE_HEIGHT, joined(parts)


def _names_below(names: list[str], places: list[float], sheet: Sheet) -> list[SafeString]:
    """Return names under their places: as many as have room beside each other, and none beyond the sheet."""
    room = max(map(room_of, names))
    apart = (places[-1] - places[0]) / max(1, len(names) - 1)
    most = 4 if sheet.is_narrow else 10
    every = max(ceil(len(names) / most), ceil((room + 8) / apart) if apart else 1)
    inside = [
        (min(max(x, room_of(name) / 2), sheet.width - room_of(name) / 2), name)
        for x, name in list(zip(places, names, strict=True))[::every]
    ]
    return [
        text(f"{x:.1f}", LINE_HEIGHT - 20, name, kind="quiet", anchor="middle")
        for x, name in inside
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
    parts = [above(table, plot.value), horizontal(y, plot, 48, sheet.right)]
    parts += [
        text(at, LINE_HEIGHT - 20, words, kind="quiet", anchor="middle") for at, words in x.ticks
    ]
    places = [(float(x.at(row.low or 0.0)), float(y.at(row.value))) for row in found]
    names = [sheet.named(row.name) for row in found]
    if bars := _crosses(found, x, y):
        parts.append(tag("path", class_="bars", d=bars))
    for (at, up), height, name in zip(places, _apart(places, names), names, strict=True):
        parts.append(dot(at, up, 4))
        parts.append(tag("text", name, x=at, y=height, dx=8, dy=4))
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
_ROW: Final = 28
#: With columns nearer than this, heads are vertical and limited to this many letters.
_LEAST_GAP: Final = 60
_UPRIGHT_LETTERS: Final = 18
#: Styles of lines, told apart without colour: solid, dashed, dotted, dash and dot, heavy, heavy dashes.
_STYLES: Final = 6


def bump(table: Table, sheet: Sheet) -> tuple[int, int, SafeString]:
    """Return width, height and lines, with the names at both ends, at the left one of a narrow sheet; best above."""
    names = [str(row[0]) for row in table.rows]
    heads: list[str] = []
    ranks: list[list[float | None]] = []
    for number, column in enumerate(table.columns[1:], 1):
        found = [number_of(row[number]) for row in table.rows]
        if any(rank is not None for rank in found):
            heads.append(column.heading)
            ranks.append(found)
    gaps = len(heads) - 1
    left, gap = NAMES, float(_GAP)
    if sheet.is_narrow:
        left, gap = SHORT_NAMES, min(_GAP, (sheet.right - SHORT_NAMES) / max(2, gaps))
    places = [f"{left + number * gap:.1f}" for number in range(len(heads))]
    lowest = max((rank for column in ranks for rank in column if rank is not None), default=1.0)
    # Upright where columns are too near for heads at an angle.
    angle, most = (-90, _UPRIGHT_LETTERS) if gap < _LEAST_GAP else (-40, LETTERS)
    heads = [shortened(head, most) for head in heads]
    top = room_of_heads(heads, angle)
    bottom = _down(lowest, top) + 10
    parts = []
    for at, head in zip(places, heads, strict=True):
        turned = f"translate({at} {top - 14}) rotate({angle})"
        parts.append(tag("text", head, transform=turned))
        parts.append(stroke("grid", at, at, top, bottom))
    for number, name in enumerate(names):
        points = [
            (at, _down(rank, top))
            for at, column in zip(places, ranks, strict=True)
            if (rank := column[number]) is not None
        ]
        style = f"path path-{number % _STYLES}"
        lines = [stroke(style, x1, x2, y1, y2) for (x1, y1), (x2, y2) in pairwise(points)]
        dots = [dot(x, y, 4) for x, y in points]
        parts.append(tag("g", joined([tag("title", name), *lines, *dots])))
    width = sheet.width
    if ranks:
        parts += _names(names, ranks[0], (left - 14, top), "end", sheet)
    if ranks and not sheet.is_narrow:
        right = NAMES + gaps * _GAP
        parts += _names(names, ranks[-1], (right + 14, top), "start", sheet)
        width = right + NAMES
    return width, int(bottom) + 14, joined(parts)


def _down(rank: float, top: int = TOP) -> float:
    return top + (rank - 0.5) * _ROW


def _names(
    names: Sequence[str],
    ranks: Sequence[float | None],
    at: tuple[int, int],
    anchor: str,
    sheet: Sheet,
) -> list[SafeString]:
    """Return the names at an end, `at` its x and the top of the ranks; those of equal rank in one line."""
    x, top = at
    by_rank: dict[float, list[str]] = {}
    for name, rank in zip(names, ranks, strict=True):
        if rank is not None:
            by_rank.setdefault(rank, []).append(name)
    return [
        text(x, _down(rank, top) + 4, sheet.named(", ".join(alike)), anchor=anchor)
        for rank, alike in sorted(by_rank.items())
    ]


_LEFT: Final = 40
#: Half the height of a range of one rank, in ranks: less than half, so that neighbours stay apart.
_HALF: Final = 0.3


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
    parts = []
    for at, words in x.ticks:
        parts.append(stroke("grid", at, at, TOP, bottom))
        parts.append(text(at, bottom + 18, words, kind="quiet", anchor="middle"))
    parts += [
        text(_LEFT - 12, _down(rank) + 4, rank, kind="quiet", anchor="end")
        for rank in range(1, int(lowest) + 1)
    ]
    parts += [_band(line, x) for line in lines.values()]
    names = [sheet.named(name) for name in lines]
    ends = [(float(x.at(line[-1].at)), _down(line[-1].rank)) for line in lines.values()]
    heights = _apart(ends, names)
    for number, (name, line) in enumerate(lines.items()):
        curve = " ".join(f"{x.at(each.at)},{_down(each.rank):.1f}" for each in line)
        drawn = tag("polyline", class_=f"path path-{number % _STYLES}", points=curve)
        short = text(ends[number][0] + 10, heights[number] + 4, names[number])
        parts.append(tag("g", joined([tag("title", name), drawn, short])))
    parts.append(
        text(right, bottom + 36, heading_of(table, plot.label), kind="quiet", anchor="end")
    )
    return sheet.width + (0 if sheet.is_narrow else MARGIN), bottom + 44, joined(parts)


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


def _band(line: list[_Point], x: Axis) -> SafeString:
    upper = [f"{x.at(each.at)},{_down(each.low - _HALF):.1f}" for each in line]
    lower = [f"{x.at(each.at)},{_down(each.high + _HALF):.1f}" for each in reversed(line)]
    return tag("polygon", class_="band", points=" ".join(upper + lower))

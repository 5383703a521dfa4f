"""Draw the plot of a table as SVG: for a page, with its colours, or as a separate file."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from campaign.models.system import system_label
from campaign.texts.joining import comma_list, labelled, sentence_list
from ranking.pages import svg
from ranking.reports.tables import Plot, Table, Value
from ranking.reports.wording.numbers import decimals, in_figures
from ranking.reports.wording.pair_tests import MARKS


class Row(NamedTuple):
    """The values of a row to draw."""

    label: Value
    value: float
    low: float | None
    high: float | None
    bars: Sequence[float | None]

    @property
    def name(self) -> str:
        """The label; a number in the reader's locale."""
        if isinstance(self.label, float):
            return in_figures(self.label)
        return number_format(self.label) if isinstance(self.label, int) else str(self.label)


def number_of(value: Value) -> float | None:
    """Return a number that can be drawn."""
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def cells_of(table: Table, *keys: str | None) -> Iterator[list[Value]]:
    """Yield the cells of each row in these columns; None for a column that the table does not have."""
    place = {column.key: number for number, column in enumerate(table.columns)}
    for row in table.rows:
        yield [row[place[key]] if key in place else None for key in keys]


def rows_of(table: Table, plot: Plot) -> list[Row]:
    """Return the rows with a value; only the first ones if the plot has a limit."""
    found = []
    for label, *cells in cells_of(
        table, plot.label, plot.value, plot.low, plot.high, *(plot.bars or ())
    ):
        value, low, high, *bars = map(number_of, cells)
        if value is not None:
            found.append(Row(label, value, low, high, bars))
    return found[: plot.most]


_ROW: Final = 24
#: Maximum number of named rows; if there are more, rows are lower and unnamed.
NAMED_ROWS: Final = 60
_LEAST_ROW: Final = 3
#: Space for half of the first tick's label.
_LEFT_NARROW: Final = 20
#: Space between names and the drawing.
_BESIDE_NAME: Final = 14


def intervals(
    table: Table, plot: Plot, rows: list[Row], sheet: svg.Sheet
) -> tuple[int, SafeString]:
    """Return height and drawing."""
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    is_named = len(rows) <= NAMED_ROWS
    names = svg.room_of_names(row.name for row in rows) if is_named else svg.ROOM
    left = _LEFT_NARROW if sheet.is_narrow else names + _BESIDE_NAME
    axis = svg.Axis(values, plot, left, sheet.right, steps=sheet.ticks)
    each_row = _height_of_row(len(rows), sheet)
    height = svg.TOP + each_row * len(rows) + 8 + svg.BELOW
    drawn = (
        _named_rows(rows, axis, sheet, room=sheet.right if sheet.is_narrow else names)
        if is_named
        else _unnamed_rows(rows, axis, each_row)
    )
    ruled = svg.vertical(axis, plot, svg.TOP - 4, height - 8 - svg.BELOW)
    for end in sorted(table.rules) if is_named and len(rows) == len(table.rows) else ():
        y = svg.TOP + each_row * (end + 1)
        ruled += svg.stroke("grid", 0, sheet.right, y, y)
    return height, ruled + svg.joined(drawn) + svg.below(table, plot.value, sheet, height)


def _height_of_row(rows: int, sheet: svg.Sheet) -> int:
    if rows <= NAMED_ROWS:
        return _ROW + (svg.ABOVE if sheet.is_narrow else 0)
    return max(_LEAST_ROW, _ROW * NAMED_ROWS // rows)


#: Length of the tip of a bar that goes on beyond the axis.
_TIP: Final = 5


def _named_rows(
    rows: list[Row], axis: svg.Axis, sheet: svg.Sheet, *, room: int
) -> Iterator[SafeString]:
    """Yield the rows, with labels of this width."""
    each_row = _height_of_row(len(rows), sheet)
    labels = svg.labels((row.name for row in rows), room=room)
    for number, row in enumerate(rows):
        y = svg.TOP + each_row * (number + 1) - _ROW // 2
        left = room + _BESIDE_NAME
        yield _label_of_row(row.name, labels[row.name], y, sheet, left=left)
        ends = _ends(row, axis)
        if ends is not None:
            yield svg.stroke("range", *ends, y, y)
            yield from _arrows(row, ends, y)
        yield svg.dot(axis.at(row.value), y)


def _arrows(row: Row, ends: tuple[str, str], y: int) -> Iterator[SafeString]:
    """Yield the tips of a bar whose ends are beyond the axis."""
    low, high = ends
    if row.low is None:
        yield _tip(low, y, inwards=_TIP)
    if row.high is None:
        yield _tip(high, y, inwards=-_TIP)


def _tip(x: str, y: int, *, inwards: int) -> SafeString:
    across = f"{inwards} {-_TIP}m{-inwards} {_TIP}l{inwards} {_TIP}"
    return svg.tag("path", class_="tip", stroke="currentColor", fill="none", d=f"M{x} {y}l{across}")


def _label_of_row(name: str, label: str, y: int, sheet: svg.Sheet, *, left: int) -> SafeString:
    """Return the label of a row: above it on a narrow sheet, otherwise beside it."""
    if sheet.is_narrow:
        return svg.label(name, label, "", y - 10)
    return svg.label(name, label, left - _BESIDE_NAME, y + 4, anchor="end")


def _unnamed_rows(rows: list[Row], axis: svg.Axis, each_row: int) -> Iterator[SafeString]:
    """Yield one path for all bars and one for all dots: a quarter of the bytes and two thirds of the time."""
    bars, dots = [], []
    for number, row in enumerate(rows):
        y = svg.TOP + each_row * number + each_row // 2
        ends = _ends(row, axis)
        if ends is not None:
            bars.append(f"M{ends[0]} {y}H{ends[1]}")
        dots.append(f"M{axis.at(row.value)} {y}h0")
    yield svg.tag("path", class_="bars", d="".join(bars))
    yield svg.tag("path", class_="dots", d="".join(dots))


def _ends(row: Row, axis: svg.Axis) -> tuple[str, str] | None:
    """Return the ends of the bar of a row; unknown ends are beyond the axis."""
    if row.low is None and row.high is None:
        return None
    low = axis.at(axis.start if row.low is None else row.low)
    return low, axis.at(axis.end if row.high is None else row.high)


_LEFT_OF_BARS: Final = 56
#: Maximum number of date-length labels below the axis.
_LABELS: Final = 7
_LABELS_NARROW: Final = 2
_FILLED: Final = 0.72


def bars(table: Table, plot: Plot, rows: list[Row], sheet: svg.Sheet) -> tuple[int, SafeString]:
    """Return height and drawing."""
    bottom = svg.LINE_HEIGHT - 40
    y = svg.Axis([0.0, *(row.value for row in rows)], plot, bottom, svg.HIGHEST)
    slot = (sheet.right - _LEFT_OF_BARS) / len(rows)
    every = -(-len(rows) // (_LABELS_NARROW if sheet.is_narrow else _LABELS))
    parts = [svg.above(table, plot.value), svg.horizontal(y, plot, _LEFT_OF_BARS - 8, sheet.right)]
    labels = svg.labels(row.name for row in rows)
    for number, row in enumerate(rows):
        left, top = _LEFT_OF_BARS + number * slot, float(y.at(row.value))
        at, width, height = (f"{each:.1f}" for each in (left, slot * _FILLED, bottom - top))
        parts.append(
            svg.tag("rect", class_="dot", x=at, y=f"{top:.1f}", width=width, height=height)
        )
        if number % every == 0:
            label = labels[row.name]
            parts.append(svg.label(row.name, label, at, bottom + 20, class_="quiet"))
    return svg.LINE_HEIGHT, svg.joined(parts)


_STRIP_ROW: Final = 40
#: Width for the long names of measures.
_LEFT_OF_STRIPS: Final = svg.NAMES + 160
_LEFT_OF_STRIPS_NARROW: Final = 8


class _Strip(NamedTuple):
    """The axis of a row, from the smallest to the largest value, at a given height."""

    least: float
    most: float
    y: int
    sheet: svg.Sheet

    @property
    def left(self) -> int:
        return _LEFT_OF_STRIPS_NARROW if self.sheet.is_narrow else _LEFT_OF_STRIPS

    def at(self, value: float) -> str:
        """Return the position of a value, limited to the ends of the axis."""
        share = (value - self.least) / (self.most - self.least) if self.most > self.least else 0.5
        return f"{self.left + min(1.0, max(0.0, share)) * (self.sheet.right - self.left):.1f}"


def strips(table: Table, plot: Plot, sheet: svg.Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height and drawing; None if no row has an axis."""
    keys = (plot.value, plot.low, plot.high, plot.middle, plot.least, plot.most_of_all)
    above = svg.ABOVE if sheet.is_narrow else 0
    parts: list[SafeString] = []
    room = sheet.right if sheet.is_narrow else _LEFT_OF_STRIPS - 14
    labels = svg.labels((str(name) for [name] in cells_of(table, plot.label)), room=room)
    count = 0
    for label, *cells in cells_of(table, plot.label, *keys):
        value, low, high, middle, least, most = map(number_of, cells)
        if value is None or least is None or most is None:
            continue
        strip = _Strip(least, most, svg.TOP + above + (_STRIP_ROW + above) * count, sheet)
        count, y = count + 1, strip.y
        parts += _axis(str(label), labels[str(label)], strip)
        if low is not None and high is not None:
            parts.append(svg.stroke("range", strip.at(low), strip.at(high), y, y))
        if middle is not None:
            parts.append(svg.stroke("mark", strip.at(middle), strip.at(middle), y - 10, y + 10))
        parts.append(svg.dot(strip.at(value), y))
    if not parts:
        return None
    return sheet.width, svg.TOP + (_STRIP_ROW + above) * count, svg.joined(parts)


def _axis(name: str, label: str, strip: _Strip) -> list[SafeString]:
    left, right, y = strip.left, strip.sheet.right, strip.y
    return [
        svg.label(name, label, 0, y - 14)
        if strip.sheet.is_narrow
        else svg.label(name, label, left - 14, y + 4, anchor="end"),
        svg.stroke("grid", left, right, y, y),
        svg.text(left, y + 20, f"{strip.least:.3g}", kind="quiet small"),
        svg.text(right, y + 20, f"{strip.most:.3g}", kind="quiet small", anchor="end"),
    ]


#: Space between a point and its name, and the height of a name.
_BESIDE_POINT: Final = 14
_LINE: Final = 14


def line(table: Table, plot: Plot, rows: list[Row], sheet: svg.Sheet) -> tuple[int, SafeString]:
    """Return height and drawing."""
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    y = svg.Axis(values, plot, svg.LINE_HEIGHT - 40, svg.HIGHEST)
    left, right = 56, sheet.right - 12
    x = _number_axis(rows, left, right, sheet)
    if x is None:
        gap = (right - left) / max(1, len(rows) - 1)
        places = [left + number * gap for number in range(len(rows))]
        names = _names_below([row.name for row in rows], places, sheet)
    else:
        places = [float(x.at(float(row.label or 0))) for row in rows]
        names = _ticks_below(x)
    parts = [svg.above(table, plot.value), svg.horizontal(y, plot, 48, sheet.right)]
    parts += [svg.tag("polygon", class_="band", points=each) for each in _bands(places, rows, y)]
    curve = " ".join(f"{x:.1f},{y.at(row.value)}" for x, row in zip(places, rows, strict=True))
    parts.append(svg.tag("polyline", class_="curve", points=curve))
    parts += names
    parts.append(svg.below(table, plot.label, sheet, svg.LINE_HEIGHT))
    return svg.LINE_HEIGHT, svg.joined(parts)


def _number_axis(rows: list[Row], left: int, right: int, sheet: svg.Sheet) -> svg.Axis | None:
    """Return the axis of a line over numbers; None if it is over names or a single number."""
    numbers = [float(row.label) for row in rows if isinstance(row.label, int | float)]
    if len(numbers) < len(rows) or min(numbers) == max(numbers):
        return None
    is_whole = all(number.is_integer() for number in numbers)
    scale = Plot(kind="line", label="", value="", is_whole=is_whole)
    return svg.Axis(numbers, scale, left, right, steps=sheet.ticks)


def _ticks_below(axis: svg.Axis) -> list[SafeString]:
    """Return the numbers of a horizontal axis, below it."""
    return [
        svg.text(at, svg.LINE_HEIGHT - 20, number, kind="quiet", anchor="middle")
        for at, number in axis.ticks
    ]


def _names_below(names: list[str], places: list[float], sheet: svg.Sheet) -> list[SafeString]:
    """Return names below their positions, as many as fit side by side on the sheet."""
    labels = sheet.labels(names)
    room = max(map(svg.room_of, labels.values()))
    apart = (places[-1] - places[0]) / max(1, len(names) - 1)
    most = 4 if sheet.is_narrow else 10
    every = max(math.ceil(len(names) / most), math.ceil((room + 8) / apart) if apart else 1)
    parts = []
    for x, name in list(zip(places, names, strict=True))[::every]:
        half = svg.room_of(labels[name]) / 2
        inside = f"{min(max(x, half), sheet.width - half):.1f}"
        quiet = {"anchor": "middle", "class_": "quiet"}
        parts.append(svg.label(name, labels[name], inside, svg.LINE_HEIGHT - 20, **quiet))
    return parts


def _bands(places: list[float], rows: list[Row], y: svg.Axis) -> list[str]:
    """Return the points of a band for each run of at least two rows with both ends."""
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


def points(table: Table, plot: Plot, rows: list[Row], sheet: svg.Sheet) -> tuple[int, SafeString]:
    """Return height and drawing."""
    found = [row for row in rows if row.low is not None]
    if not found:
        return svg.TOP, SafeString("")
    across_ends, up_ends = (
        [each for row in found for each in row.bars[part : part + 2] if each is not None]
        for part in (0, 2)
    )
    y = svg.Axis([*(row.value for row in found), *up_ends], plot, svg.LINE_HEIGHT - 40, svg.HIGHEST)
    free = Plot(kind="points", label=plot.label, value=plot.value)
    labels = sheet.labels(row.name for row in found)
    right = sheet.width - _BESIDE_POINT - max(map(svg.room_of, labels.values()))
    x = svg.Axis(
        [*(row.low or 0.0 for row in found), *across_ends], free, 64, right, steps=sheet.ticks
    )
    parts = [svg.above(table, plot.value), svg.horizontal(y, plot, 48, sheet.right)]
    parts += _ticks_below(x)
    places = [(float(x.at(row.low or 0.0)), float(y.at(row.value))) for row in found]
    words = [labels[row.name] for row in found]
    if bars := _crosses(found, x, y):
        parts.append(svg.tag("path", class_="bars", d=bars))
    for (at, up), height, row in zip(places, _apart(places, words), found, strict=True):
        parts.append(svg.dot(at, up, 4))
        parts.append(svg.label(row.name, labels[row.name], at, height, dx=8, dy=4))
    parts.append(svg.below(table, plot.low or plot.label, sheet, svg.LINE_HEIGHT))
    return svg.LINE_HEIGHT, svg.joined(parts)


def _crosses(rows: list[Row], x: svg.Axis, y: svg.Axis) -> str:
    """Return the path of the horizontal and vertical bars of points."""
    parts = []
    for row in rows:
        left, right, down, up = [*row.bars, None, None, None, None][:4]
        if left is not None and right is not None:
            parts.append(f"M{x.at(left)} {y.at(row.value)}H{x.at(right)}")
        if down is not None and up is not None:
            parts.append(f"M{x.at(row.low or 0.0)} {y.at(down)}V{y.at(up)}")
    return "".join(parts)


def _apart(places: list[tuple[float, float]], names: list[str]) -> list[float]:
    """Return the height of each name: that of its point, or the nearest one free of names and points."""
    taken = [(left - 12, left - 4, height) for left, height in places]
    found = {}
    for number in sorted(range(len(places)), key=lambda number: places[number]):
        left, height = places[number]
        right = left + svg.room_of(names[number])
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


_BUMP_GAP: Final = 76
_BUMP_ROW: Final = 28
#: If columns are closer than this, heads are vertical.
_LEAST_GAP: Final = 60
_UPRIGHT: Final = svg.HEADS - 28
#: Number of line styles, distinguishable without colour: solid, dashed, dotted, dash-dotted, heavy, heavy dashed.
_STYLES: Final = 6


def bump(table: Table, _plot: Plot, sheet: svg.Sheet) -> tuple[int, int, SafeString]:
    """Return width, height and lines, best at the top, with names at both ends; on a narrow sheet at the left end."""
    names = [str(row[0]) for row in table.rows]
    heads: list[str] = []
    ranks: list[list[float | None]] = []
    for number, column in enumerate(table.columns[1:], 1):
        found = [number_of(row[number]) for row in table.rows]
        if any(rank is not None for rank in found):
            heads.append(column.heading)
            ranks.append(found)
    gaps = len(heads) - 1
    left, gap = svg.NAMES, float(_BUMP_GAP)
    if sheet.is_narrow:
        left, gap = svg.SHORT_NAMES, min(_BUMP_GAP, (sheet.right - svg.SHORT_NAMES) / max(2, gaps))
    places = [f"{left + number * gap:.1f}" for number in range(len(heads))]
    lowest = max((rank for column in ranks for rank in column if rank is not None), default=1.0)
    # Vertical if columns are too close for slanted heads.
    angle, room = (-90, _UPRIGHT) if gap < _LEAST_GAP else (-40, svg.ROOM)
    labels = svg.labels(heads, room=room)
    top = svg.room_of_heads(labels.values(), angle)
    bottom = _down(lowest, top) + 10
    parts = []
    for at, head in zip(places, heads, strict=True):
        turned = f"translate({at} {top - 14}) rotate({angle})"
        parts.append(svg.label(head, labels[head], "", "", transform=turned))
        parts.append(svg.stroke("grid", at, at, top, bottom))
    for number, name in enumerate(names):
        points = [
            (at, _down(rank, top))
            for at, column in zip(places, ranks, strict=True)
            if (rank := column[number]) is not None
        ]
        style = f"path path-{number % _STYLES}"
        lines = [svg.stroke(style, x1, x2, y1, y2) for (x1, y1), (x2, y2) in pairwise(points)]
        dots = [svg.dot(x, y, 4) for x, y in points]
        parts.append(svg.titled(name, svg.joined([*lines, *dots])))
    width = sheet.width
    if ranks:
        parts += _names(names, ranks[0], (left - 14, top), "end", sheet)
    if ranks and not sheet.is_narrow:
        right = svg.NAMES + gaps * _BUMP_GAP
        parts += _names(names, ranks[-1], (right + 14, top), "start", sheet)
        width = right + svg.NAMES
    return width, int(bottom) + 14, svg.joined(parts)


def _down(rank: float, top: int = svg.TOP) -> float:
    return top + (rank - 0.5) * _BUMP_ROW


def _names(
    names: Sequence[str],
    ranks: Sequence[float | None],
    at: tuple[int, int],
    anchor: str,
    sheet: svg.Sheet,
) -> list[SafeString]:
    """Return the names at one end; `at` is its x coordinate and the top of the ranks. Equal ranks share a line."""
    x, top = at
    by_rank: dict[float, list[str]] = {}
    for name, rank in zip(names, ranks, strict=True):
        if rank is not None:
            by_rank.setdefault(rank, []).append(name)
    lines = {rank: comma_list(alike) for rank, alike in sorted(by_rank.items())}
    labels = sheet.labels(lines.values())
    return [
        svg.label(line, labels[line], x, _down(rank, top) + 4, anchor=anchor)
        for rank, line in lines.items()
    ]


_LEFT: Final = 40
#: Half the height of a range of one rank, in ranks: below 0.5, so that neighbours do not touch.
_HALF: Final = 0.3


class _Point(NamedTuple):
    at: float
    rank: float
    low: float
    high: float


def ranks(table: Table, plot: Plot, sheet: svg.Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height and lines with names at their ends; None if nothing is ranked."""
    lines = _lines(table, plot)
    points = [point for line in lines.values() for point in line]
    if not points:
        return None
    right = sheet.width - (svg.SHORT_NAMES if sheet.is_narrow else svg.NAMES)
    free = Plot(kind="line", label="", value="")
    x = svg.Axis([point.at for point in points], free, _LEFT, right, steps=sheet.ticks)
    lowest = max(point.high for point in points)
    bottom = int(_down(lowest)) + _BUMP_ROW // 2
    parts = []
    for at, words in x.ticks:
        parts.append(svg.stroke("grid", at, at, svg.TOP, bottom))
        parts.append(svg.text(at, bottom + 18, words, kind="quiet", anchor="middle"))
    parts += [
        svg.text(_LEFT - 12, _down(rank) + 4, rank, kind="quiet", anchor="end")
        for rank in range(1, int(lowest) + 1)
    ]
    parts += [_band(line, x) for line in lines.values()]
    labels = sheet.labels(lines)
    ends = [(float(x.at(line[-1].at)), _down(line[-1].rank)) for line in lines.values()]
    heights = _apart(ends, list(labels.values()))
    for number, (name, line) in enumerate(lines.items()):
        curve = " ".join(f"{x.at(each.at)},{_down(each.rank):.1f}" for each in line)
        drawn = svg.tag("polyline", class_=f"path path-{number % _STYLES}", points=curve)
        short = svg.text(ends[number][0] + 10, heights[number] + 4, labels[name])
        parts.append(svg.titled(name, svg.joined([drawn, short])))
    parts.append(
        svg.text(right, bottom + 36, svg.heading_of(table, plot.label), kind="quiet", anchor="end")
    )
    return sheet.width + (0 if sheet.is_narrow else svg.MARGIN), bottom + 44, svg.joined(parts)


def _lines(table: Table, plot: Plot) -> dict[str, list[_Point]]:
    """Return the points of each name, in order of first appearance."""
    keys = (plot.across or plot.label, plot.label, plot.value, plot.low, plot.high)
    found: dict[str, list[_Point]] = {}
    for name, *cells in cells_of(table, *keys):
        at, rank, low, high = map(number_of, cells)
        if at is not None and rank is not None:
            point = _Point(at, rank, rank if low is None else low, rank if high is None else high)
            found.setdefault(str(name), []).append(point)
    return found


def _band(line: list[_Point], x: svg.Axis) -> SafeString:
    upper = [f"{x.at(each.at)},{_down(each.low - _HALF):.1f}" for each in line]
    lower = [f"{x.at(each.at)},{_down(each.high + _HALF):.1f}" for each in reversed(line)]
    return svg.tag("polygon", class_="band", points=" ".join(upper + lower))


#: Returns the address of the judgments in which the first of two systems beat the second, if any.
PairAddress = Callable[[str, str], str | None]

_CELL_WIDTH: Final = 64
_CELL_WIDTH_NARROW: Final = 32
#: Maximum number of columns on a narrow sheet; wider matrices are scrolled.
_MOST_ON_NARROW: Final = 6
CELL_HEIGHT: Final = 44
_STRENGTH: Final = {"": 0, "*": 1, "†": 2, "‡": 3}


class Cells:
    """Geometry of a matrix's cells on a sheet, and the names of its rows and columns."""

    def __init__(self, names: Sequence[str], sheet: svg.Sheet) -> None:
        self.names = names
        self._sheet = sheet
        self.side = _CELL_WIDTH_NARROW if sheet.is_narrow else _CELL_WIDTH
        self.left = svg.SHORT_NAMES if sheet.is_narrow else svg.NAMES
        # Vertical and centred over the column, or slanted from the middle of the column.
        self._angle = -90 if sheet.is_narrow else -40
        self.labels = sheet.labels(names)
        self.top = svg.room_of_heads(self.labels.values(), self._angle)

    @property
    def fit(self) -> bool:
        """True if the sheet is wide enough."""
        return not self._sheet.is_narrow or len(self.names) <= _MOST_ON_NARROW

    @property
    def width(self) -> int:
        """Total width; slanted heads reach beyond the last column."""
        if self._sheet.is_narrow:
            return self._sheet.width
        return self.left + len(self.names) * self.side + svg.HEADS

    @property
    def height(self) -> int:
        """Total height."""
        return self.top + len(self.names) * CELL_HEIGHT + 8

    def cell(
        self, row: int, column: int, title: str, colour: str, *lines: tuple[int, object, str]
    ) -> SafeString:
        """Return a cell; each line has a vertical offset, a text and a class."""
        x, y = self.left + column * self.side, self.top + row * CELL_HEIGHT
        parts = [svg.tag("title", title)]
        if colour:
            size = {"width": self.side - 2, "height": CELL_HEIGHT - 2}
            parts.append(svg.tag("rect", class_=colour, x=x + 1, y=y + 1, **size, rx=3))
        parts += [
            svg.text(x + self.side // 2, y + down, words, kind=kind) for down, words, kind in lines
        ]
        return svg.tag("g", svg.joined(parts))

    def drawn(self, cells: Iterable[SafeString]) -> SafeString:
        """Return the names of rows and columns, dots on the diagonal, and the cells."""
        half = self.side // 2
        shift, gap = (4, 8) if self._sheet.is_narrow else (0, 14)
        rows, columns = [], []
        for number, name in enumerate(self.names):
            x, y = self.left + number * self.side + half, _middle_of(self.top, number)
            label = self.labels[name]
            rows.append(svg.label(name, label, self.left - gap, y, anchor="end"))
            rows.append(svg.text(x, y, "·", kind="quiet", anchor="middle"))
            turned = f"translate({x + shift} {self.top - 10}) rotate({self._angle})"
            columns.append(svg.label(name, label, "", "", transform=turned))
        return svg.joined([*rows, *columns, svg.tag("g", svg.joined(cells), text_anchor="middle")])


def _middle_of(top: int, row: int) -> int:
    """Return the height of text in the middle of a row."""
    return top + row * CELL_HEIGHT + CELL_HEIGHT // 2 + 4


def matrix(
    table: Table, plot: Plot, sheet: svg.Sheet, pair_address: PairAddress | None = None
) -> tuple[int, int, SafeString] | None:
    """Return width, height and cells with share in %, mark and number; colour adds no information.

    None if they do not fit on the sheet.
    """
    keys = (plot.label, plot.across, plot.value, plot.back, plot.count, plot.sign, plot.p)
    pairs = list(cells_of(table, *keys))
    names = list(dict.fromkeys([*(str(row[0]) for row in pairs), *(str(row[1]) for row in pairs)]))
    square = Cells(names, sheet)
    if not square.fit:
        return None
    at = {name: number for number, name in enumerate(names)}
    cells = []
    for one, other, share, back, count, sign, p in pairs:
        shares, strength = (share, back), _strength(str(sign or ""), p, plot.level)
        for row, column, (own, against) in (
            (str(one), str(other), shares),
            (str(other), str(one), shares[::-1]),
        ):
            cell = _cell(square, (at[row], at[column]), (own, against, count, sign), strength)
            leads = pair_address(row, column) if pair_address is not None and own else None
            # Keyboard users reach the same lists from the table, without n² tab stops.
            cells.append(cell if leads is None else svg.tag("a", cell, href=leads, tabindex=-1))
    return square.width, square.height, square.drawn(cells)


def _strength(mark: str, p: Value, level: float | None) -> int:
    """Return the colour strength of a pair: by its mark, 0 if p is above the level, otherwise at least 1."""
    strength = _STRENGTH.get(mark, 0)
    if level is None:
        return strength
    return max(1, strength) if isinstance(p, int | float) and p <= level else 0


def _level_of(mark: str) -> list[str]:
    """Return "p ≤ 0.05" for a mark; nothing without one."""
    levels = {each: level for level, each in MARKS}
    return [f"p ≤ {decimals(levels[mark], 2)}"] if mark else []


def _cell(
    square: Cells, place: tuple[int, int], said: tuple[Value, Value, Value, Value], strength: int
) -> SafeString:
    share, back, count, sign = said
    names = " – ".join(square.names[each] for each in place)
    if not isinstance(share, int | float) or not isinstance(back, int | float):
        return square.cell(
            *place, labelled(names, "n = 0"), "", (CELL_HEIGHT // 2 + 4, "–", "quiet")
        )
    mark = str(sign or "")
    shown = _("%(share)s%%") % {"share": decimals(100 * share, 1)}
    outcome = "won" if share > back else "lost" if share < back else "even"
    return square.cell(
        *place,
        labelled(names, comma_list([shown, f"n = {number_format(str(count))}", *_level_of(mark)])),
        f"{outcome} strength-{strength}",
        (20, f"{100 * share:.0f}{mark}", "more" if outcome == "won" else ""),
        (36, count, "small"),
    )


#: Marks of cells with the classes of values below and above the expected one.
_GRID_CLASSES: Final = {"▼": "lost strength-3", "▲": "won strength-3"}


def grid(table: Table, _plot: Plot, sheet: svg.Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height and cells; None if they do not fit on the sheet.

    Cells are “figure (number) mark”; most have no mark and no colour.
    """
    names = [str(row[0]) for row in table.rows]
    square = Cells(names, sheet)
    if not square.fit:
        return None
    cells = []
    for row, values in enumerate(table.rows):
        for column, value in enumerate(values[1:]):
            if value is not None:
                title = labelled(f"{names[row]} – {table.columns[column + 1].heading}", value)
                figure, _, rest = str(value).partition(" (")
                number, _, mark = rest.partition(")")
                colour = _GRID_CLASSES.get(mark.strip(), "even strength-0")
                lines = (20, f"{figure}{mark}", ""), (36, number, "small")
                cells.append(square.cell(row, column, title, colour, *lines))
    return square.width, square.height, square.drawn(cells)


#: Classes by sign: signs in brackets are faint. In greyscale, the text distinguishes them.
_KNOWN_CLASSES: Final = {
    "+": "won strength-3",
    "(+)": "won strength-0",
    "−": "lost strength-3",
    "(−)": "lost strength-0",
    "?": "even strength-2",
}
#: Number of columns before the matrix: name and ends of the rank range.
_BEFORE: Final = 3
_RANGE: Final = 180
_GAP: Final = 28


def known(table: Table, _plot: Plot, sheet: svg.Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height, a cell for each sign and a bar for each row; None if they do not fit on the sheet.

    The best place is on the left.
    """
    names = [str(row[0]) for row in table.rows]
    square = Cells(names, sheet)
    if not square.fit:
        return None
    cells = [
        square.cell(
            row,
            column,
            labelled(f"{names[row]} – {names[column]}", sign),
            _KNOWN_CLASSES.get(str(sign), "even strength-0"),
            (CELL_HEIGHT // 2 + 5, sign, ""),
        )
        for row, values in enumerate(table.rows)
        for column, sign in enumerate(values[_BEFORE:])
        if sign
    ]
    beside = square.left + len(names) * square.side + _GAP
    left, top = (
        (square.left + _GAP // 2, square.height + _GAP) if sheet.is_narrow else (beside, square.top)
    )
    room = sheet.width - left - _GAP if sheet.is_narrow else _RANGE
    step = room / max(1, len(names) - 1)
    bottom = top + len(names) * CELL_HEIGHT
    parts = [square.drawn(cells)]
    if sheet.is_narrow:
        parts += [
            svg.label(name, square.labels[name], square.left - 8, y, anchor="end")
            for y, name in ((_middle_of(top, number), name) for number, name in enumerate(names))
        ]
    for place in range(len(names)):
        at = left + round(place * step)
        parts.append(svg.stroke("grid", at, at, top, bottom))
        parts.append(svg.text(at, bottom + 18, place + 1, kind="quiet", anchor="middle"))
    for number, values in enumerate(table.rows):
        begin, end = (left + round((int(str(place)) - 1) * step) for place in values[1:_BEFORE])
        y = _middle_of(top, number) - 4
        parts.append(
            svg.dot(begin, y) if values[1] == values[2] else svg.stroke("range", begin, end, y, y)
        )
    width = square.width if sheet.is_narrow else max(square.width, beside + _RANGE + _GAP)
    return width, bottom + 28, svg.joined(parts)


_OF_TABLE: Final = {"bump": bump, "grid": grid, "known": known, "ranks": ranks, "strips": strips}
_OF_ROWS: Final = {"bars": bars, "intervals": intervals, "line": line, "points": points}


def drawn_for_page(table: Table, *, pair_address: PairAddress | None = None) -> SafeString | None:
    """Return the plot of a table for wide screens and paper, followed by that for narrow screens.

    A matrix that does not fit on narrow screens is drawn once and scrolled.
    """
    narrow = drawn(table, sheet=svg.NARROW, pair_address=pair_address)
    wide = drawn(table, pair_address=pair_address, screens="" if narrow is None else " for-wide")
    return wide if wide is None or narrow is None else svg.joined([wide, narrow])


def drawn(
    table: Table,
    *,
    sheet: svg.Sheet = svg.WIDE,
    as_file: bool = False,
    pair_address: PairAddress | None = None,
    screens: str = "",
) -> SafeString | None:
    """Return the plot of a table as SVG; None if it has no plot, no row can be drawn, or it does not fit.

    With `pair_address`, cells of a matrix link to the address that it returns for the two systems, if any.
    """
    table = _read(table)
    plot = table.plot
    found = None if plot is None else _drawn(table, plot, sheet, pair_address)
    if plot is None or found is None:
        return None
    width, height, inside = found
    left = 0 if sheet.is_narrow else _left(table, plot)
    name = f"plot-narrow-{table.name}" if sheet.is_narrow else f"plot-{table.name}"
    # Our own style sheet, so there is nothing to escape.
    style = svg.tag("style", mark_safe(svg.STYLE)) if as_file else ""  # noqa: S308
    return format_html(
        '<svg class="figure{}" xmlns="http://www.w3.org/2000/svg" viewBox="{} 0 {} {}" width="{}" height="{}"'
        ' role="{}" aria-labelledby="{}-title {}-desc"><title id="{}-title">{}</title>'
        '<desc id="{}-desc">{}</desc>{}{}</svg>',
        " for-narrow" if sheet.is_narrow else screens,
        left,
        *(width - left, height) * 2,
        # An image cannot contain links.
        "group" if plot.kind == "matrix" and pair_address is not None else "img",
        *(name,) * 3,
        table.title,
        name,
        _described(table, plot, as_file=as_file),
        style,
        inside,
    )


def _read(table: Table) -> Table:
    """Return a table with the display names of systems."""
    return replace(
        table,
        columns=[replace(column, heading=system_label(column.heading)) for column in table.columns],
        rows=[
            tuple(system_label(value) if isinstance(value, str) else value for value in row)
            for row in table.rows
        ],
    )


def _drawn(
    table: Table, plot: Plot, sheet: svg.Sheet, pair_address: PairAddress | None
) -> tuple[int, int, SafeString] | None:
    if plot.kind in _OF_TABLE:
        return _OF_TABLE[plot.kind](table, plot, sheet) if table.rows else None
    rows = rows_of(table, plot)
    if not rows:
        return None
    if plot.kind == "matrix":
        return matrix(table, plot, sheet, pair_address)
    return (sheet.width, *_OF_ROWS[plot.kind](table, plot, rows, sheet))


def _left(table: Table, plot: Plot) -> int:
    """Return the unused width of the space for names to the left of the rows."""
    if plot.kind not in {"intervals", "grid", "matrix", "known"}:
        return 0
    if plot.kind == "intervals" and len(rows_of(table, plot)) > NAMED_ROWS:
        # Too few for labels.
        return svg.room_left(())
    named = (plot.label, plot.across)
    places = [place for place, column in enumerate(table.columns) if column.key in named]
    return svg.room_left(str(row[place]) for row in table.rows[: plot.most] for place in places)


def _described(table: Table, plot: Plot, *, as_file: bool) -> str:
    """Return the text alternative of a plot. Pages have the table beside the plot; files do not."""
    words = (
        sentence_list(table.notes) if as_file and table.notes else _("The table has the same data.")
    )
    if plot.most is None or plot.most >= len(table.rows):
        return words
    drawn = _("Only the first %(drawn)s of %(all)s rows are drawn.") % {
        "all": number_format(len(table.rows)),
        "drawn": number_format(plot.most),
    }
    return f"{drawn} {words}"

"""Draw values of rows: intervals, bars, lines, points and strips."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from django.utils.safestring import SafeString

from ranking.pages import svg
from ranking.pages.plot_rows import (
    Drawing,
    Point,
    Row,
    cells_of,
    labels_of,
    number_of,
    numbers_of,
    points_of,
    rows_of,
)
from ranking.reports.plots import (
    BarPlot,
    IntervalPlot,
    LinePlot,
    PointPlot,
    Scale,
    StripPlot,
)
from ranking.reports.tables import Table

_ROW: Final = 24
#: Maximum number of named rows; if there are more, rows are lower and unnamed.
NAMED_ROWS: Final = 60
_LEAST_ROW: Final = 3
#: Space for half of the first tick's label.
_LEFT_NARROW: Final = 20
#: Space between names and the drawing.
_BESIDE_NAME: Final = 14


def intervals(table: Table, plot: IntervalPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None without a row to draw."""
    rows = rows_of(table, plot)
    if not rows:
        return None
    return _Intervals(table, plot, sheet, rows).drawing()


@dataclass(frozen=True)
class _Intervals:
    """Rows one below the other, with a common axis above them."""

    table: Table
    plot: IntervalPlot
    sheet: svg.Sheet
    rows: list[Row]

    def drawing(self) -> Drawing:
        parts = [svg.vertical(self.axis, self.plot, svg.TOP - 4, self.bottom)]
        names: list[str] = []
        if self.is_named:
            parts += self._rules()
            parts += self._named_rows()
            names = labels_of(self.table, self.plot.label)
        else:
            parts += self._unnamed_rows()
        height = self.bottom + 8 + svg.BELOW
        parts.append(svg.below(self.table, self.plot.value, self.sheet, height))
        return Drawing(
            width=self.sheet.width,
            height=height,
            inside=svg.joined(parts),
            left=svg.room_left(names[: self.plot.most]),
        )

    @property
    def is_named(self) -> bool:
        return len(self.rows) <= NAMED_ROWS

    @cached_property
    def row_height(self) -> int:
        if not self.is_named:
            return max(_LEAST_ROW, _ROW * NAMED_ROWS // len(self.rows))
        if self.sheet.is_narrow:
            return _ROW + svg.ABOVE
        return _ROW

    @property
    def bottom(self) -> int:
        """Lower end of the last row."""
        return svg.TOP + self.row_height * len(self.rows)

    @cached_property
    def room(self) -> int:
        """Width of the names."""
        if self.sheet.is_narrow:
            return self.sheet.right
        if self.is_named:
            return svg.room_of_names(row.name for row in self.rows)
        return svg.ROOM

    @cached_property
    def axis(self) -> svg.Axis:
        if self.sheet.is_narrow:
            left = _LEFT_NARROW
        else:
            left = self.room + _BESIDE_NAME
        values = numbers_of(self.rows)
        return self.sheet.axis(values, self.plot, left, self.sheet.right)

    def _rules(self) -> Iterator[SafeString]:
        """Yield the lines between clusters, unless rows are left out."""
        if len(self.rows) < len(self.table.rows):
            return
        for end in sorted(self.table.rules):
            y = svg.TOP + self.row_height * (end + 1)
            yield svg.horizontal_stroke("grid", 0, self.sheet.right, y)

    def _named_rows(self) -> Iterator[SafeString]:
        labels = svg.labels((row.name for row in self.rows), room=self.room)
        y = svg.TOP - _ROW // 2
        for row in self.rows:
            y += self.row_height
            name = row.name
            label = labels[name]
            if self.sheet.is_narrow:
                yield svg.label(name, label, "", y - 10)
            else:
                yield svg.label(name, label, self.room, y + 4, anchor="end")
            yield from self._bar(row, y)
            yield svg.dot(self.axis.position(row.value), y)

    def _bar(self, row: Row, y: int) -> Iterator[SafeString]:
        """Yield the bar of a row, with tips at ends that are beyond the axis."""
        ends = _ends(row, self.axis)
        if ends is None:
            return
        yield svg.horizontal_stroke("range", ends.low, ends.high, y)
        if row.low is None:
            yield _tip(ends.low, y, inwards=_TIP)
        if row.high is None:
            yield _tip(ends.high, y, inwards=-_TIP)

    def _unnamed_rows(self) -> Iterator[SafeString]:
        """Yield one path for all bars and one for all dots: a quarter of the bytes and two thirds of the time."""
        bars = []
        dots = []
        y = svg.TOP + self.row_height // 2
        for row in self.rows:
            ends = _ends(row, self.axis)
            if ends is not None:
                bars.append(f"M{ends.low} {y}H{ends.high}")
            dots.append(f"M{self.axis.position(row.value)} {y}h0")
            y += self.row_height
        yield svg.path("bars", bars)
        yield svg.path("dots", dots)


#: Length of the tip of a bar that goes on beyond the axis.
_TIP: Final = 5


def _tip(x: float, y: int, *, inwards: int) -> SafeString:
    start = f"M{x} {y}"
    half = f"l{inwards} {-_TIP}"
    other_half = f"m{-inwards} {_TIP}l{inwards} {_TIP}"
    return svg.tag(
        "path",
        class_="tip",
        stroke="currentColor",
        fill="none",
        d=f"{start}{half}{other_half}",
    )


class _Ends(NamedTuple):
    """Positions of the ends of a bar."""

    low: float
    high: float


def _ends(row: Row, axis: svg.Axis) -> _Ends | None:
    """Return the ends of the bar of a row; unknown ends are beyond the axis."""
    low = row.low
    high = row.high
    if low is None and high is None:
        return None
    if low is None:
        low = axis.start
    if high is None:
        high = axis.end
    return _Ends(axis.position(low), axis.position(high))


_LEFT_OF_BARS: Final = 56
#: Maximum number of date-length labels below the axis.
_LABELS: Final = 7
_LABELS_NARROW: Final = 2
_FILLED: Final = 0.72


def bars(table: Table, plot: BarPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None without a row to draw."""
    rows = rows_of(table, plot)
    if not rows:
        return None
    y = svg.upright_axis([0.0, *(row.value for row in rows)], plot)
    parts = [
        svg.above(table, plot.value),
        svg.horizontal(y, plot, _LEFT_OF_BARS - 8, sheet.right),
        *_bars(rows, y, sheet),
    ]
    return Drawing(sheet.width, svg.LINE_HEIGHT, svg.joined(parts))


def _bars(rows: list[Row], axis: svg.Axis, sheet: svg.Sheet) -> Iterator[SafeString]:
    """Yield the bar of each row, and as many names below them as fit."""
    most = _LABELS
    if sheet.is_narrow:
        most = _LABELS_NARROW
    every = math.ceil(len(rows) / most)
    labels = svg.labels(row.name for row in rows)
    bottom = svg.LINE_HEIGHT - 40
    slot = (sheet.right - _LEFT_OF_BARS) / len(rows)
    width = round(slot * _FILLED, 1)
    for number, row in enumerate(rows):
        left = round(_LEFT_OF_BARS + number * slot, 1)
        top = axis.position(row.value)
        height = round(bottom - top, 1)
        yield svg.tag("rect", class_="dot", x=left, y=top, width=width, height=height)
        if number % every == 0:
            label = labels[row.name]
            yield svg.label(row.name, label, left, bottom + 20, class_="quiet")


_STRIP_ROW: Final = 40
#: Width for the long names of measures.
_LEFT_OF_STRIPS: Final = svg.NAMES + 160
_LEFT_OF_STRIPS_NARROW: Final = 8


@dataclass(frozen=True, slots=True)
class _Strip:
    """A row on its own axis, from the smallest to the largest value."""

    name: str
    value: float
    low: float | None
    high: float | None
    middle: float | None
    least: float
    most: float

    def share(self, value: float) -> float:
        """Return the position of a value as a share of the axis, limited to its ends."""
        if self.most <= self.least:
            return 0.5
        share = (value - self.least) / (self.most - self.least)
        return min(1.0, max(0.0, share))


def _strips_of(table: Table, plot: StripPlot) -> list[_Strip]:
    """Return the rows with an axis and a value."""
    strips = []
    for cells in cells_of(table):
        value = number_of(cells.get(plot.value))
        least = number_of(cells.get(plot.least))
        most = number_of(cells.get(plot.most))
        if value is None or least is None or most is None:
            continue
        strip = _Strip(
            name=str(cells.get(plot.label)),
            value=value,
            low=number_of(cells.get(plot.low)),
            high=number_of(cells.get(plot.high)),
            middle=number_of(cells.get(plot.middle)),
            least=least,
            most=most,
        )
        strips.append(strip)
    return strips


def strips(table: Table, plot: StripPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None if no row has an axis."""
    drawn = _strips_of(table, plot)
    if not drawn:
        return None
    above = 0
    room = _LEFT_OF_STRIPS - _BESIDE_NAME
    if sheet.is_narrow:
        above = svg.ABOVE
        room = sheet.right
    labels = svg.labels(labels_of(table, plot.label), room=room)
    parts: list[SafeString] = []
    y = svg.TOP + above
    for strip in drawn:
        parts += _drawn_strip(strip, labels[strip.name], y, sheet)
        y += _STRIP_ROW + above
    return Drawing(sheet.width, y - above, svg.joined(parts))


def _drawn_strip(
    strip: _Strip,
    label: str,
    y: int,
    sheet: svg.Sheet,
) -> Iterator[SafeString]:
    """Yield the name of a strip, its axis, and its values."""
    right = sheet.right
    if sheet.is_narrow:
        left = _LEFT_OF_STRIPS_NARROW
        yield svg.label(strip.name, label, 0, y - 14)
    else:
        left = _LEFT_OF_STRIPS
        yield svg.label(strip.name, label, left - _BESIDE_NAME, y + 4, anchor="end")
    yield svg.horizontal_stroke("grid", left, right, y)
    least = f"{strip.least:.3g}"
    most = f"{strip.most:.3g}"
    yield svg.text(left, y + 20, least, kind="quiet small")
    yield svg.text(right, y + 20, most, kind="quiet small", anchor="end")

    def position(value: float) -> float:
        return round(left + strip.share(value) * (right - left), 1)

    if strip.low is not None and strip.high is not None:
        low = position(strip.low)
        high = position(strip.high)
        yield svg.horizontal_stroke("range", low, high, y)
    if strip.middle is not None:
        x = position(strip.middle)
        yield svg.vertical_stroke("mark", x, y - 10, y + 10)
    yield svg.dot(position(strip.value), y)


_LEFT_OF_LINE: Final = 56


def line(table: Table, plot: LinePlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None without a row to draw."""
    rows = rows_of(table, plot)
    if not rows:
        return None
    y = svg.upright_axis(numbers_of(rows), plot)
    x = _number_axis(rows, sheet)
    if x is None:
        positions = _even_positions(len(rows), sheet)
        names = [*_names_below([row.name for row in rows], positions, sheet)]
    else:
        positions = [x.position(float(row.label or 0)) for row in rows]
        names = _ticks_below(x)
    parts = [svg.above(table, plot.value), svg.horizontal(y, plot, 48, sheet.right)]
    for band in _bands(positions, rows, y):
        parts.append(svg.tag("polygon", class_="band", points=band))
    corners = []
    for position, row in zip(positions, rows, strict=True):
        corners.append(f"{position:.1f},{y.position(row.value)}")
    parts.append(svg.tag("polyline", class_="curve", points=" ".join(corners)))
    parts += names
    parts.append(svg.below(table, plot.label, sheet, svg.LINE_HEIGHT))
    return Drawing(sheet.width, svg.LINE_HEIGHT, svg.joined(parts))


def _number_axis(rows: list[Row], sheet: svg.Sheet) -> svg.Axis | None:
    """Return the axis of a line over numbers; None if it is over names or a single number."""
    numbers = [float(row.label) for row in rows if isinstance(row.label, int | float)]
    if len(numbers) < len(rows) or min(numbers) == max(numbers):
        return None
    is_whole = all(map(float.is_integer, numbers))
    scale = Scale(is_whole=is_whole)
    return sheet.axis(numbers, scale, _LEFT_OF_LINE, sheet.right - 12)


def _even_positions(count: int, sheet: svg.Sheet) -> list[float]:
    """Return positions at equal distances from each other."""
    gap = (sheet.right - 12 - _LEFT_OF_LINE) / max(1, count - 1)
    return [_LEFT_OF_LINE + number * gap for number in range(count)]


def _ticks_below(axis: svg.Axis) -> list[SafeString]:
    """Return the numbers of a horizontal axis, below it."""
    y = svg.LINE_HEIGHT - 20
    texts = []
    for x, number in axis.ticks:
        texts.append(svg.text(x, y, number, kind="quiet", anchor="middle"))
    return texts


#: Maximum number of names below a line.
_NAMES: Final = 10
_NAMES_NARROW: Final = 4


def _names_below(
    names: list[str],
    positions: list[float],
    sheet: svg.Sheet,
) -> Iterator[SafeString]:
    """Yield names below their positions, as many as fit side by side on the sheet."""
    labels = sheet.labels(names)
    most = _NAMES
    if sheet.is_narrow:
        most = _NAMES_NARROW
    every = math.ceil(len(names) / most)
    gap = (positions[-1] - positions[0]) / max(1, len(names) - 1)
    if gap:
        room = svg.widest_of(labels.values()) + 8
        every = max(every, math.ceil(room / gap))
    y = svg.LINE_HEIGHT - 20
    for number in range(0, len(names), every):
        name = names[number]
        label = labels[name]
        half = svg.room_of(label) / 2
        leftmost = max(positions[number], half)
        x = f"{min(leftmost, sheet.width - half):.1f}"
        yield svg.label(name, label, x, y, anchor="middle", class_="quiet")


def _bands(positions: list[float], rows: list[Row], y: svg.Axis) -> Iterator[str]:
    """Yield the points of a band for each run of at least two rows with both ends."""
    upper: list[str] = []
    lower: list[str] = []
    for x, row in zip(positions, rows, strict=True):
        if row.low is not None and row.high is not None:
            upper.append(f"{x:.1f},{y.position(row.high)}")
            lower.append(f"{x:.1f},{y.position(row.low)}")
            continue
        if len(upper) > 1:
            yield _outline(upper, lower)
        upper = []
        lower = []
    if len(upper) > 1:
        yield _outline(upper, lower)


def _outline(upper: list[str], lower: list[str]) -> str:
    return " ".join(upper + lower[::-1])


#: Space between a point and its name, and the height of a name.
_BESIDE_POINT: Final = 14
_LINE: Final = 14


def points(table: Table, plot: PointPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None without a point to draw."""
    drawn = points_of(table, plot)
    if not drawn:
        return None
    labels = sheet.labels(point.name for point in drawn)
    room = svg.widest_of(labels.values())
    x_values = []
    y_values = []
    for point in drawn:
        x_values += point.horizontal
        y_values += point.vertical
    x = sheet.axis(x_values, Scale(), 64, sheet.width - _BESIDE_POINT - room)
    y = svg.upright_axis(y_values, Scale())
    parts = [svg.above(table, plot.value), svg.horizontal(y, Scale(), 48, sheet.right)]
    parts += _ticks_below(x)
    crosses = _crosses(drawn, x, y)
    if crosses:
        parts.append(svg.path("bars", crosses))
    positions = [Position(x.position(point.x), y.position(point.y)) for point in drawn]
    heights = free_heights(positions, [labels[point.name] for point in drawn])
    for point, position, height in zip(drawn, positions, heights, strict=True):
        label = labels[point.name]
        parts.append(svg.dot(position.x, position.y, 4))
        parts.append(svg.label(point.name, label, position.x, height, dx=8, dy=4))
    parts.append(svg.below(table, plot.x, sheet, svg.LINE_HEIGHT))
    return Drawing(sheet.width, svg.LINE_HEIGHT, svg.joined(parts))


def _crosses(drawn: list[Point], x: svg.Axis, y: svg.Axis) -> list[str]:
    """Return the paths of the horizontal and vertical bars of points."""
    paths = []
    for point in drawn:
        across = x.position(point.x)
        height = y.position(point.y)
        if point.left is not None and point.right is not None:
            paths.append(
                f"M{x.position(point.left)} {height}H{x.position(point.right)}",
            )
        if point.down is not None and point.up is not None:
            paths.append(f"M{across} {y.position(point.down)}V{y.position(point.up)}")
    return paths


class Position(NamedTuple):
    """A position on a sheet."""

    x: float
    y: float


class _Box(NamedTuple):
    """The ends of a point or a name, and its height."""

    left: float
    right: float
    height: float

    def is_apart_from(self, other: "_Box") -> bool:
        """Return whether the two do not overlap."""
        if abs(self.height - other.height) >= _LINE:
            return True
        return self.left > other.right or self.right < other.left


def free_heights(positions: Sequence[Position], labels: Sequence[str]) -> list[float]:
    """Return the height of each label: that of its point, or the nearest one free of labels and points."""
    boxes = [_Box(point.x - 12, point.x - 4, point.y) for point in positions]
    heights = [point.y for point in positions]
    from_left = sorted(range(len(positions)), key=positions.__getitem__)
    for number in from_left:
        left, height = positions[number]
        right = left + svg.room_of(labels[number])
        preferred = _Box(left, right, height)
        box = _nearest_free(preferred, boxes, steps=len(positions))
        heights[number] = box.height
        boxes.append(box)
    return heights


def _nearest_free(preferred: _Box, boxes: Sequence[_Box], *, steps: int) -> _Box:
    """Return the box moved down or up by as few lines as possible; as it is if nothing is free."""
    for step in range(steps + 1):
        for shift in (step * _LINE, -step * _LINE):
            box = preferred._replace(height=preferred.height + shift)
            if all(map(box.is_apart_from, boxes)):
                return box
    return preferred

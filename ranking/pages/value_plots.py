"""Draw values of rows: intervals, bars, lines, points and strips."""

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from django.utils.safestring import SafeString

from ranking.pages import svg
from ranking.pages.plot_rows import (
    Drawing,
    Point,
    Row,
    cells_of,
    number_of,
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
    values = []
    for row in rows:
        for number in row.numbers:
            values.append(number)
    is_named = len(rows) <= NAMED_ROWS
    room = svg.ROOM
    if is_named:
        room = svg.room_of_names(row.name for row in rows)
    if sheet.is_narrow:
        left = _LEFT_NARROW
    else:
        left = room + _BESIDE_NAME
    axis = svg.Axis(values, plot, left, sheet.right, steps=sheet.ticks)
    row_height = _height_of_row(len(rows), sheet)
    height = svg.TOP + row_height * len(rows) + 8 + svg.BELOW
    parts = [svg.vertical(axis, plot, svg.TOP - 4, height - 8 - svg.BELOW)]
    if is_named:
        if len(rows) == len(table.rows):
            parts += _rules(table, row_height, sheet)
        parts += _named_rows(
            rows, axis, sheet, room=sheet.right if sheet.is_narrow else room
        )
    else:
        parts += _unnamed_rows(rows, axis, row_height)
    parts.append(svg.below(table, plot.value, sheet, height))
    names: list[str] = []
    if is_named:
        names = [str(name) for [name] in cells_of(table, plot.label)]
    left = svg.room_left(names[: plot.most])
    return Drawing(sheet.width, height, svg.joined(parts), left=left)


def _height_of_row(rows: int, sheet: svg.Sheet) -> int:
    if rows <= NAMED_ROWS:
        return _ROW + (svg.ABOVE if sheet.is_narrow else 0)
    return max(_LEAST_ROW, _ROW * NAMED_ROWS // rows)


def _rules(table: Table, row_height: int, sheet: svg.Sheet) -> Iterator[SafeString]:
    """Yield the lines between clusters."""
    for end in sorted(table.rules):
        y = svg.TOP + row_height * (end + 1)
        yield svg.stroke("grid", 0, sheet.right, y, y)


#: Length of the tip of a bar that goes on beyond the axis.
_TIP: Final = 5


def _named_rows(
    rows: list[Row], axis: svg.Axis, sheet: svg.Sheet, *, room: int
) -> Iterator[SafeString]:
    """Yield the rows, with labels of this width."""
    row_height = _height_of_row(len(rows), sheet)
    labels = svg.labels((row.name for row in rows), room=room)
    for number, row in enumerate(rows):
        y = svg.TOP + row_height * (number + 1) - _ROW // 2
        if sheet.is_narrow:
            yield svg.label(row.name, labels[row.name], "", y - 10)
        else:
            yield svg.label(row.name, labels[row.name], room, y + 4, anchor="end")
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
    return svg.tag(
        "path", class_="tip", stroke="currentColor", fill="none", d=f"M{x} {y}l{across}"
    )


def _unnamed_rows(
    rows: list[Row], axis: svg.Axis, row_height: int
) -> Iterator[SafeString]:
    """Yield one path for all bars and one for all dots: a quarter of the bytes and two thirds of the time."""
    bar_paths = []
    dot_paths = []
    for number, row in enumerate(rows):
        y = svg.TOP + row_height * number + row_height // 2
        ends = _ends(row, axis)
        if ends is not None:
            bar_paths.append(f"M{ends[0]} {y}H{ends[1]}")
        dot_paths.append(f"M{axis.at(row.value)} {y}h0")
    yield svg.tag("path", class_="bars", d="".join(bar_paths))
    yield svg.tag("path", class_="dots", d="".join(dot_paths))


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


def bars(table: Table, plot: BarPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None without a row to draw."""
    rows = rows_of(table, plot)
    if not rows:
        return None
    bottom = svg.LINE_HEIGHT - 40
    y = svg.Axis([0.0, *(row.value for row in rows)], plot, bottom, svg.HIGHEST)
    slot = (sheet.right - _LEFT_OF_BARS) / len(rows)
    if sheet.is_narrow:
        most = _LABELS_NARROW
    else:
        most = _LABELS
    every = math.ceil(len(rows) / most)
    parts = [
        svg.above(table, plot.value),
        svg.horizontal(y, plot, _LEFT_OF_BARS - 8, sheet.right),
    ]
    labels = svg.labels(row.name for row in rows)
    for number, row in enumerate(rows):
        top = float(y.at(row.value))
        left = f"{_LEFT_OF_BARS + number * slot:.1f}"
        width = f"{slot * _FILLED:.1f}"
        height = f"{bottom - top:.1f}"
        parts.append(
            svg.tag(
                "rect", class_="dot", x=left, y=f"{top:.1f}", width=width, height=height
            )
        )
        if number % every == 0:
            label = labels[row.name]
            parts.append(svg.label(row.name, label, left, bottom + 20, class_="quiet"))
    return Drawing(sheet.width, svg.LINE_HEIGHT, svg.joined(parts))


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
        if self.sheet.is_narrow:
            return _LEFT_OF_STRIPS_NARROW
        return _LEFT_OF_STRIPS

    def at(self, value: float) -> str:
        """Return the position of a value, limited to the ends of the axis."""
        if self.most > self.least:
            share = (value - self.least) / (self.most - self.least)
        else:
            share = 0.5
        return f"{self.left + min(1.0, max(0.0, share)) * (self.sheet.right - self.left):.1f}"


def strips(table: Table, plot: StripPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None if no row has an axis."""
    keys = (plot.value, plot.low, plot.high, plot.middle, plot.least, plot.most)
    above = svg.ABOVE if sheet.is_narrow else 0
    parts: list[SafeString] = []
    if sheet.is_narrow:
        room = sheet.right
    else:
        room = _LEFT_OF_STRIPS - 14
    labels = svg.labels(
        (str(name) for [name] in cells_of(table, plot.label)), room=room
    )
    count = 0
    for label, *cells in cells_of(table, plot.label, *keys):
        value, low, high, middle, least, most = map(number_of, cells)
        if value is None or least is None or most is None:
            continue
        strip = _Strip(
            least, most, svg.TOP + above + (_STRIP_ROW + above) * count, sheet
        )
        count = count + 1
        y = strip.y
        parts += _axis_of_strip(str(label), labels[str(label)], strip)
        if low is not None and high is not None:
            parts.append(svg.stroke("range", strip.at(low), strip.at(high), y, y))
        if middle is not None:
            parts.append(
                svg.stroke("mark", strip.at(middle), strip.at(middle), y - 10, y + 10)
            )
        parts.append(svg.dot(strip.at(value), y))
    if not parts:
        return None
    return Drawing(
        sheet.width, svg.TOP + (_STRIP_ROW + above) * count, svg.joined(parts)
    )


def _axis_of_strip(name: str, label: str, strip: _Strip) -> list[SafeString]:
    left = strip.left
    right = strip.sheet.right
    y = strip.y
    if strip.sheet.is_narrow:
        heading = svg.label(name, label, 0, y - 14)
    else:
        heading = svg.label(name, label, left - 14, y + 4, anchor="end")
    return [
        heading,
        svg.stroke("grid", left, right, y, y),
        svg.text(left, y + 20, f"{strip.least:.3g}", kind="quiet small"),
        svg.text(right, y + 20, f"{strip.most:.3g}", kind="quiet small", anchor="end"),
    ]


def line(table: Table, plot: LinePlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None without a row to draw."""
    rows = rows_of(table, plot)
    if not rows:
        return None
    values = []
    for row in rows:
        for number in row.numbers:
            values.append(number)
    y = svg.Axis(values, plot, svg.LINE_HEIGHT - 40, svg.HIGHEST)
    left = 56
    right = sheet.right - 12
    x = _number_axis(rows, left, right, sheet)
    if x is None:
        gap = (right - left) / max(1, len(rows) - 1)
        positions = [left + number * gap for number in range(len(rows))]
        names = _names_below([row.name for row in rows], positions, sheet)
    else:
        positions = [float(x.at(float(row.label or 0))) for row in rows]
        names = _ticks_below(x)
    parts = [svg.above(table, plot.value), svg.horizontal(y, plot, 48, sheet.right)]
    bands = _bands(positions, rows, y)
    parts += [svg.tag("polygon", class_="band", points=band) for band in bands]
    corners = [
        f"{x:.1f},{y.at(row.value)}" for x, row in zip(positions, rows, strict=True)
    ]
    parts.append(svg.tag("polyline", class_="curve", points=" ".join(corners)))
    parts += names
    parts.append(svg.below(table, plot.label, sheet, svg.LINE_HEIGHT))
    return Drawing(sheet.width, svg.LINE_HEIGHT, svg.joined(parts))


def _number_axis(
    rows: list[Row], left: int, right: int, sheet: svg.Sheet
) -> svg.Axis | None:
    """Return the axis of a line over numbers; None if it is over names or a single number."""
    numbers = [float(row.label) for row in rows if isinstance(row.label, int | float)]
    if len(numbers) < len(rows) or min(numbers) == max(numbers):
        return None
    is_whole = all(number.is_integer() for number in numbers)
    return svg.Axis(numbers, Scale(is_whole=is_whole), left, right, steps=sheet.ticks)


def _ticks_below(axis: svg.Axis) -> list[SafeString]:
    """Return the numbers of a horizontal axis, below it."""
    y = svg.LINE_HEIGHT - 20
    return [
        svg.text(x, y, number, kind="quiet", anchor="middle")
        for x, number in axis.ticks
    ]


def _names_below(
    names: list[str], positions: list[float], sheet: svg.Sheet
) -> list[SafeString]:
    """Return names below their positions, as many as fit side by side on the sheet."""
    labels = sheet.labels(names)
    room = max(map(svg.room_of, labels.values()))
    gap = (positions[-1] - positions[0]) / max(1, len(names) - 1)
    every = math.ceil(len(names) / (4 if sheet.is_narrow else 10))
    if gap:
        every = max(every, math.ceil((room + 8) / gap))
    parts = []
    for number in range(0, len(names), every):
        name = names[number]
        half = svg.room_of(labels[name]) / 2
        x = f"{min(max(positions[number], half), sheet.width - half):.1f}"
        y = svg.LINE_HEIGHT - 20
        parts.append(
            svg.label(name, labels[name], x, y, anchor="middle", class_="quiet")
        )
    return parts


def _bands(positions: list[float], rows: list[Row], y: svg.Axis) -> list[str]:
    """Return the points of a band for each run of at least two rows with both ends."""
    bands: list[str] = []
    upper: list[str] = []
    lower: list[str] = []
    for x, row in [*zip(positions, rows, strict=True), (0.0, None)]:
        if row is not None and row.low is not None and row.high is not None:
            upper.append(f"{x:.1f},{y.at(row.high)}")
            lower.append(f"{x:.1f},{y.at(row.low)}")
            continue
        if len(upper) > 1:
            bands.append(" ".join(upper + lower[::-1]))
        upper = []
        lower = []
    return bands


#: Space between a point and its name, and the height of a name.
_BESIDE_POINT: Final = 14
_LINE: Final = 14


def points(table: Table, plot: PointPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return the drawing; None without a point to draw."""
    drawn = points_of(table, plot)
    if not drawn:
        return None
    xs = [point.x for point in drawn]
    ys = [point.y for point in drawn]
    for point in drawn:
        xs += [end for end in (point.left, point.right) if end is not None]
        ys += [end for end in (point.down, point.up) if end is not None]
    labels = sheet.labels(point.name for point in drawn)
    right = sheet.width - _BESIDE_POINT - max(map(svg.room_of, labels.values()))
    y = svg.Axis(ys, Scale(), svg.LINE_HEIGHT - 40, svg.HIGHEST)
    x = svg.Axis(xs, Scale(), 64, right, steps=sheet.ticks)
    parts = [svg.above(table, plot.value), svg.horizontal(y, Scale(), 48, sheet.right)]
    parts += _ticks_below(x)
    if crosses := _crosses(drawn, x, y):
        parts.append(svg.tag("path", class_="bars", d=crosses))
    positions = [(float(x.at(point.x)), float(y.at(point.y))) for point in drawn]
    heights = free_heights(positions, [labels[point.name] for point in drawn])
    for number, point in enumerate(drawn):
        across, up = positions[number]
        parts.append(svg.dot(across, up, 4))
        label = labels[point.name]
        parts.append(svg.label(point.name, label, across, heights[number], dx=8, dy=4))
    parts.append(svg.below(table, plot.x, sheet, svg.LINE_HEIGHT))
    return Drawing(sheet.width, svg.LINE_HEIGHT, svg.joined(parts))


def _crosses(drawn: list[Point], x: svg.Axis, y: svg.Axis) -> str:
    """Return the path of the horizontal and vertical bars of points."""
    parts = []
    for point in drawn:
        if point.left is not None and point.right is not None:
            parts.append(f"M{x.at(point.left)} {y.at(point.y)}H{x.at(point.right)}")
        if point.down is not None and point.up is not None:
            parts.append(f"M{x.at(point.x)} {y.at(point.down)}V{y.at(point.up)}")
    return "".join(parts)


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


def free_heights(
    positions: Sequence[tuple[float, float]], labels: Sequence[str]
) -> list[float]:
    """Return the height of each label: that of its point, or the nearest one free of labels and points."""
    taken = [_Box(left - 12, left - 4, height) for left, height in positions]
    heights = [height for _left, height in positions]
    for number in sorted(range(len(positions)), key=positions.__getitem__):
        left, height = positions[number]
        wanted = _Box(left, left + svg.room_of(labels[number]), height)
        box = _nearest_free(wanted, taken, steps=len(positions))
        heights[number] = box.height
        taken.append(box)
    return heights


def _nearest_free(wanted: _Box, taken: Sequence[_Box], *, steps: int) -> _Box:
    """Return the box moved down or up by as few lines as possible; as it is if nothing is free."""
    for step in range(steps + 1):
        for shift in (step * _LINE, -step * _LINE):
            box = wanted._replace(height=wanted.height + shift)
            if all(map(box.is_apart_from, taken)):
                return box
    return wanted

"""Draw ranks: in several orders, or over time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from django.utils.safestring import SafeString

from campaign.texts.joining import comma_list
from ranking.pages import svg
from ranking.pages.plot_rows import Drawing, cells_of, number_of, without_none
from ranking.pages.value_plots import Position, free_heights
from ranking.reports.plots import BumpPlot, RankPlot, Scale
from ranking.reports.tables import Table

_BUMP_GAP: Final = 76
_BUMP_ROW: Final = 28
#: Space between names and the ends of lines.
_BESIDE_NAME: Final = 14
#: If columns are closer than this, heads are vertical.
_LEAST_GAP: Final = 60
_UPRIGHT: Final = svg.HEADS - 28
#: Number of line styles, distinguishable without colour: solid, dashed, dotted, dash-dotted, heavy, heavy dashed.
_STYLES: Final = 6


class _Order(NamedTuple):
    """The ranks of a column, by row."""

    heading: str
    ranks: list[float | None]


def bump(table: Table, _plot: BumpPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return lines, best at the top, with names at both ends; on a narrow sheet at the left end."""
    if not table.rows:
        return None
    names = [str(row[0]) for row in table.rows]
    return _Bump(names, _orders(table), sheet).drawing()


@dataclass(frozen=True)
class _Bump:
    """Names, the orders in which they are ranked, and the geometry of their lines."""

    names: list[str]
    orders: list[_Order]
    sheet: svg.Sheet

    def drawing(self) -> Drawing:
        parts = [*self._columns()]
        for number, name in enumerate(self.names):
            line = [*self._line(number)]
            parts.append(svg.titled(name, svg.joined(line)))
        width = self.sheet.width
        if self.orders:
            left = self.left - _BESIDE_NAME
            parts += self._names_at_end(self.orders[0], left, "end")
        if self.orders and not self.sheet.is_narrow:
            right = svg.NAMES + (len(self.orders) - 1) * _BUMP_GAP
            width = right + svg.NAMES
            parts += self._names_at_end(self.orders[-1], right + _BESIDE_NAME, "start")
        return Drawing(width, int(self.bottom) + 14, svg.joined(parts))

    @property
    def left(self) -> int:
        if self.sheet.is_narrow:
            return svg.SHORT_NAMES
        return svg.NAMES

    @property
    def gap(self) -> float:
        """Distance between columns."""
        if not self.sheet.is_narrow:
            return _BUMP_GAP
        gaps = max(2, len(self.orders) - 1)
        return min(_BUMP_GAP, (self.sheet.right - svg.SHORT_NAMES) / gaps)

    @cached_property
    def positions(self) -> list[float]:
        """Horizontal position of each column."""
        left = float(self.left)
        gap = self.gap
        return [round(left + n * gap, 1) for n in range(len(self.orders))]

    @property
    def angle(self) -> int:
        """Angle of the heads in degrees: vertical if columns are too close for slanted ones."""
        if self.gap < _LEAST_GAP:
            return -90
        return -40

    @cached_property
    def heads(self) -> dict[str, str]:
        """Label of each heading."""
        room = svg.ROOM
        if self.gap < _LEAST_GAP:
            room = _UPRIGHT
        return svg.labels((order.heading for order in self.orders), room=room)

    @cached_property
    def top(self) -> int:
        return svg.room_of_heads(self.heads.values(), self.angle)

    @cached_property
    def bottom(self) -> float:
        lowest = 1.0
        for order in self.orders:
            lowest = max(lowest, *without_none(order.ranks))
        return _down(lowest, self.top) + 10

    def _columns(self) -> Iterator[SafeString]:
        """Yield the head of each column, and the line below it."""
        for x, order in zip(self.positions, self.orders, strict=True):
            turned = f"translate({x} {self.top - 14}) rotate({self.angle})"
            head = self.heads[order.heading]
            yield svg.label(order.heading, head, "", "", transform=turned)
            yield svg.vertical_stroke("grid", x, self.top, self.bottom)

    def _line(self, row: int) -> Iterator[SafeString]:
        """Yield the line of a row through its ranks, and their dots."""
        style = f"path path-{row % _STYLES}"
        points = []
        for x, order in zip(self.positions, self.orders, strict=True):
            rank = order.ranks[row]
            if rank is not None:
                points.append(Position(x, _down(rank, self.top)))
        for start, end in pairwise(points):
            yield svg.stroke(style, start.x, end.x, start.y, end.y)
        for point in points:
            yield svg.dot(point.x, point.y, 4)

    def _names_at_end(self, order: _Order, x: int, anchor: str) -> Iterator[SafeString]:
        """Yield the names at one end. Equal ranks share a line."""
        names_by_rank: dict[float, list[str]] = {}
        for name, rank in zip(self.names, order.ranks, strict=True):
            if rank is not None:
                names_by_rank.setdefault(rank, []).append(name)
        lines = {}
        for rank, alike in sorted(names_by_rank.items()):
            lines[rank] = comma_list(alike)
        labels = self.sheet.labels(lines.values())
        for rank, line in lines.items():
            y = _down(rank, self.top) + 4
            yield svg.label(line, labels[line], x, y, anchor=anchor)


def _orders(table: Table) -> list[_Order]:
    """Return the columns with a rank."""
    orders = []
    for number, column in enumerate(table.columns[1:], 1):
        ranks = [number_of(row[number]) for row in table.rows]
        if without_none(ranks):
            orders.append(_Order(column.heading, ranks))
    return orders


def _down(rank: float, top: int = svg.TOP) -> float:
    return top + (rank - 0.5) * _BUMP_ROW


_LEFT: Final = 40
#: Half the height of a range of one rank, in ranks: below 0.5, so that neighbours do not touch.
_HALF: Final = 0.3


class _RankPoint(NamedTuple):
    """A rank and its range at a number on the horizontal axis."""

    number: float
    rank: float
    low: float
    high: float


_Line = list[_RankPoint]
_Lines = dict[str, _Line]


def ranks(table: Table, plot: RankPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return lines with names at their ends; None if nothing is ranked."""
    lines = _lines(table, plot)
    if not lines:
        return None
    numbers = []
    lowest = 0.0
    for line in lines.values():
        numbers += [point.number for point in line]
        lowest = max(lowest, *(point.high for point in line))
    room = svg.NAMES
    width = sheet.width + svg.MARGIN
    if sheet.is_narrow:
        room = svg.SHORT_NAMES
        width = sheet.width
    right = sheet.width - room
    x = sheet.axis(numbers, Scale(), _LEFT, right)
    bottom = int(_down(lowest)) + _BUMP_ROW // 2
    parts = [*_grid(x, int(lowest), bottom)]
    parts += [_band(line, x) for line in lines.values()]
    parts += _named_lines(lines, x, sheet)
    heading = svg.heading_of(table, plot.label)
    parts.append(svg.text(right, bottom + 36, heading, kind="quiet", anchor="end"))
    return Drawing(width, bottom + 44, svg.joined(parts))


def _grid(x: svg.Axis, lowest: int, bottom: int) -> Iterator[SafeString]:
    """Yield the lines and numbers of the horizontal axis, and the ranks."""
    for position, number in x.ticks:
        yield svg.vertical_stroke("grid", position, svg.TOP, bottom)
        yield svg.text(position, bottom + 18, number, kind="quiet", anchor="middle")
    for rank in range(1, lowest + 1):
        y = _down(rank) + 4
        yield svg.text(_LEFT - 12, y, rank, kind="quiet", anchor="end")


def _lines(table: Table, plot: RankPlot) -> _Lines:
    """Return the points of each name, in order of first appearance."""
    lines: _Lines = {}
    for cells in cells_of(table):
        number = number_of(cells.get(plot.label))
        rank = number_of(cells.get(plot.value))
        if number is None or rank is None:
            continue
        low = number_of(cells.get(plot.low))
        if low is None:
            low = rank
        high = number_of(cells.get(plot.high))
        if high is None:
            high = rank
        line = lines.setdefault(str(cells.get(plot.across)), [])
        line.append(_RankPoint(number, rank, low, high))
    return lines


def _band(line: _Line, x: svg.Axis) -> SafeString:
    upper = []
    lower = []
    for point in line:
        position = x.position(point.number)
        best = _down(point.low - _HALF)
        worst = _down(point.high + _HALF)
        upper.append(f"{position},{best:.1f}")
        lower.append(f"{position},{worst:.1f}")
    outline = " ".join(upper + lower[::-1])
    return svg.tag("polygon", class_="band", points=outline)


def _named_lines(lines: _Lines, x: svg.Axis, sheet: svg.Sheet) -> Iterator[SafeString]:
    labels = sheet.labels(lines)
    ends = []
    for line in lines.values():
        last = line[-1]
        ends.append(Position(x.position(last.number), _down(last.rank)))
    heights = free_heights(ends, list(labels.values()))
    for number, (name, line) in enumerate(lines.items()):
        style = f"path path-{number % _STYLES}"
        curve = svg.tag("polyline", class_=style, points=_curve(line, x))
        label = svg.text(ends[number].x + 10, heights[number] + 4, labels[name])
        yield svg.titled(name, svg.joined([curve, label]))


def _curve(line: _Line, x: svg.Axis) -> str:
    """Return the positions of the points of a line."""
    positions = []
    for point in line:
        y = _down(point.rank)
        positions.append(f"{x.position(point.number)},{y:.1f}")
    return " ".join(positions)

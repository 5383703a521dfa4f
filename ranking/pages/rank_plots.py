"""Draw ranks: in several orders, or over time."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from django.utils.safestring import SafeString

from campaign.texts.joining import comma_list
from ranking.pages import svg
from ranking.pages.plot_rows import Drawing, cells_of, number_of
from ranking.pages.value_plots import free_heights
from ranking.reports.plots import BumpPlot, RankPlot, Scale
from ranking.reports.tables import Table

_BUMP_GAP: Final = 76
_BUMP_ROW: Final = 28
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
    orders = _orders(table)
    gaps = len(orders) - 1
    left = svg.NAMES
    gap = float(_BUMP_GAP)
    if sheet.is_narrow:
        left = svg.SHORT_NAMES
        gap = min(_BUMP_GAP, (sheet.right - svg.SHORT_NAMES) / max(2, gaps))
    positions = [f"{left + number * gap:.1f}" for number in range(len(orders))]
    # Vertical if columns are too close for slanted heads.
    if gap < _LEAST_GAP:
        angle = -90
        room = _UPRIGHT
    else:
        angle = -40
        room = svg.ROOM
    labels = svg.labels((order.heading for order in orders), room=room)
    top = svg.room_of_heads(labels.values(), angle)
    bottom = _down(_lowest_rank(orders), top) + 10
    parts = []
    for x, order in zip(positions, orders, strict=True):
        turned = f"translate({x} {top - 14}) rotate({angle})"
        parts.append(
            svg.label(order.heading, labels[order.heading], "", "", transform=turned)
        )
        parts.append(svg.stroke("grid", x, x, top, bottom))
    for number, name in enumerate(names):
        points = []
        for x, order in zip(positions, orders, strict=True):
            rank = order.ranks[number]
            if rank is not None:
                points.append((x, _down(rank, top)))
        style = f"path path-{number % _STYLES}"
        lines = [
            svg.stroke(style, x1, x2, y1, y2) for (x1, y1), (x2, y2) in pairwise(points)
        ]
        dots = [svg.dot(x, y, 4) for x, y in points]
        parts.append(svg.titled(name, svg.joined([*lines, *dots])))
    width = sheet.width
    if orders:
        parts += _names_at_end(names, orders[0], (left - 14, top), "end", sheet)
    if orders and not sheet.is_narrow:
        right = svg.NAMES + gaps * _BUMP_GAP
        parts += _names_at_end(names, orders[-1], (right + 14, top), "start", sheet)
        width = right + svg.NAMES
    return Drawing(width, int(bottom) + 14, svg.joined(parts))


def _orders(table: Table) -> list[_Order]:
    """Return the columns with a rank."""
    orders = []
    for number, column in enumerate(table.columns[1:], 1):
        ranks = [number_of(row[number]) for row in table.rows]
        if any(rank is not None for rank in ranks):
            orders.append(_Order(column.heading, ranks))
    return orders


def _lowest_rank(orders: Sequence[_Order]) -> float:
    ranks = []
    for order in orders:
        for rank in order.ranks:
            if rank is not None:
                ranks.append(rank)
    return max(ranks, default=1.0)


def _down(rank: float, top: int = svg.TOP) -> float:
    return top + (rank - 0.5) * _BUMP_ROW


def _names_at_end(
    names: Sequence[str],
    order: _Order,
    corner: tuple[int, int],
    anchor: str,
    sheet: svg.Sheet,
) -> list[SafeString]:
    """Return the names at one end; `corner` is its x coordinate and the top of the ranks. Equal ranks share a line."""
    x, top = corner
    by_rank: dict[float, list[str]] = {}
    for name, rank in zip(names, order.ranks, strict=True):
        if rank is not None:
            by_rank.setdefault(rank, []).append(name)
    lines = {rank: comma_list(alike) for rank, alike in sorted(by_rank.items())}
    labels = sheet.labels(lines.values())
    parts = []
    for rank, line in lines.items():
        parts.append(
            svg.label(line, labels[line], x, _down(rank, top) + 4, anchor=anchor)
        )
    return parts


_LEFT: Final = 40
#: Half the height of a range of one rank, in ranks: below 0.5, so that neighbours do not touch.
_HALF: Final = 0.3


class _RankPoint(NamedTuple):
    """A rank and its range at a number on the horizontal axis."""

    number: float
    rank: float
    low: float
    high: float


_Lines = dict[str, list[_RankPoint]]


def ranks(table: Table, plot: RankPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return lines with names at their ends; None if nothing is ranked."""
    lines = _lines(table, plot)
    points = []
    for line in lines.values():
        for point in line:
            points.append(point)
    if not points:
        return None
    right = sheet.width - (svg.SHORT_NAMES if sheet.is_narrow else svg.NAMES)
    x = svg.Axis(
        [point.number for point in points], Scale(), _LEFT, right, steps=sheet.ticks
    )
    lowest = max(point.high for point in points)
    bottom = int(_down(lowest)) + _BUMP_ROW // 2
    parts = []
    for position, number in x.ticks:
        parts.append(svg.stroke("grid", position, position, svg.TOP, bottom))
        parts.append(
            svg.text(position, bottom + 18, number, kind="quiet", anchor="middle")
        )
    parts += [
        svg.text(_LEFT - 12, _down(rank) + 4, rank, kind="quiet", anchor="end")
        for rank in range(1, int(lowest) + 1)
    ]
    parts += [_band(line, x) for line in lines.values()]
    parts += _named_lines(lines, x, sheet)
    heading = svg.heading_of(table, plot.label)
    parts.append(svg.text(right, bottom + 36, heading, kind="quiet", anchor="end"))
    if sheet.is_narrow:
        width = sheet.width
    else:
        width = sheet.width + svg.MARGIN
    return Drawing(width, bottom + 44, svg.joined(parts))


def _lines(table: Table, plot: RankPlot) -> _Lines:
    """Return the points of each name, in order of first appearance."""
    lines: _Lines = {}
    for name, *cells in cells_of(
        table, plot.across, plot.label, plot.value, plot.low, plot.high
    ):
        number, rank, low, high = map(number_of, cells)
        if number is None or rank is None:
            continue
        best = rank if low is None else low
        worst = rank if high is None else high
        lines.setdefault(str(name), []).append(_RankPoint(number, rank, best, worst))
    return lines


def _band(line: list[_RankPoint], x: svg.Axis) -> SafeString:
    upper = [f"{x.at(point.number)},{_down(point.low - _HALF):.1f}" for point in line]
    lower = [
        f"{x.at(point.number)},{_down(point.high + _HALF):.1f}"
        for point in reversed(line)
    ]
    return svg.tag("polygon", class_="band", points=" ".join(upper + lower))


def _named_lines(lines: _Lines, x: svg.Axis, sheet: svg.Sheet) -> list[SafeString]:
    labels = sheet.labels(lines)
    ends = [
        (float(x.at(line[-1].number)), _down(line[-1].rank)) for line in lines.values()
    ]
    heights = free_heights(ends, list(labels.values()))
    parts = []
    for number, (name, line) in enumerate(lines.items()):
        curve = " ".join(
            f"{x.at(point.number)},{_down(point.rank):.1f}" for point in line
        )
        drawn = svg.tag(
            "polyline", class_=f"path path-{number % _STYLES}", points=curve
        )
        label = svg.text(ends[number][0] + 10, heights[number] + 4, labels[name])
        parts.append(svg.titled(name, svg.joined([drawn, label])))
    return parts

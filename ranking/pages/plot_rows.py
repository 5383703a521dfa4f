"""Rows of a table as numbers to draw."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.formats import number_format
from django.utils.safestring import SafeString

from ranking.reports.plots import PointPlot, RowPlot
from ranking.reports.tables import Table, Value
from ranking.reports.wording.numbers import in_figures


@dataclass(frozen=True, slots=True)
class Drawing:
    """The inside of an SVG, its size, and the unused width on its left."""

    width: int
    height: int
    inside: SafeString
    left: int = 0


class Row(NamedTuple):
    """The values of a row to draw."""

    label: Value
    value: float
    low: float | None
    high: float | None

    @property
    def name(self) -> str:
        """The label; a number in the reader's locale."""
        return label_in_words(self.label)

    @property
    def numbers(self) -> list[float]:
        """The known ones of the ends and the value."""
        ends = (self.low, self.value, self.high)
        return [number for number in ends if number is not None]


class Point(NamedTuple):
    """A point to draw, with the ends of its bars."""

    name: str
    x: float
    y: float
    left: float | None
    right: float | None
    down: float | None
    up: float | None


def label_in_words(label: Value) -> str:
    """Return a label; a number in the reader's locale."""
    if isinstance(label, float):
        return in_figures(label)
    if isinstance(label, int):
        return number_format(label)
    return str(label)


def number_of(value: Value) -> float | None:
    """Return a number that can be drawn."""
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def cells_of(table: Table, *keys: str | None) -> Iterator[list[Value]]:
    """Yield the cells of each row in these columns; None for a column that the table does not have."""
    positions = {column.key: number for number, column in enumerate(table.columns)}
    for row in table.rows:
        yield [row[positions[key]] if key in positions else None for key in keys]


def rows_of(table: Table, plot: RowPlot) -> list[Row]:
    """Return the rows with a value; only the first ones if the plot has a limit."""
    rows = []
    for label, *cells in cells_of(table, plot.label, plot.value, plot.low, plot.high):
        value, low, high = map(number_of, cells)
        if value is not None:
            rows.append(Row(label, value, low, high))
    return rows[: plot.most]


def points_of(table: Table, plot: PointPlot) -> list[Point]:
    """Return the rows with both values."""
    bars = plot.bars or (None, None, None, None)
    points = []
    for label, *cells in cells_of(table, plot.label, plot.x, plot.value, *bars):
        x, y, *ends = map(number_of, cells)
        if x is not None and y is not None:
            points.append(Point(label_in_words(label), x, y, *ends))
    return points

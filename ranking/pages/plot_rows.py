"""Rows of a table as numbers to draw."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

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
        return without_none([self.low, self.value, self.high])


class Point(NamedTuple):
    """A point to draw, with the ends of its bars."""

    name: str
    x: float
    y: float
    left: float | None
    right: float | None
    down: float | None
    up: float | None

    @property
    def horizontal(self) -> list[float]:
        """The known ones of the value and the ends on the horizontal axis."""
        return without_none([self.x, self.left, self.right])

    @property
    def vertical(self) -> list[float]:
        """The known ones of the value and the ends on the vertical axis."""
        return without_none([self.y, self.down, self.up])


def without_none(numbers: Sequence[float | None]) -> list[float]:
    """Return the numbers that are known."""
    return [number for number in numbers if number is not None]


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


def cells_of(table: Table) -> Iterator[dict[str | None, Value]]:
    """Yield the cells of each row, by the keys of their columns."""
    keys: list[str | None] = [column.key for column in table.columns]
    for row in table.rows:
        yield dict(zip(keys, row, strict=False))


def labels_of(table: Table, key: str) -> list[str]:
    """Return the labels of all rows, as they are written in the table."""
    return [str(cells.get(key)) for cells in cells_of(table)]


def rows_of(table: Table, plot: RowPlot) -> list[Row]:
    """Return the rows with a value; only the first ones if the plot has a limit."""
    rows = []
    for cells in cells_of(table):
        value = number_of(cells.get(plot.value))
        if value is None:
            continue
        low = number_of(cells.get(plot.low))
        high = number_of(cells.get(plot.high))
        rows.append(Row(cells.get(plot.label), value, low, high))
    return rows[: plot.most]


def numbers_of(rows: Sequence[Row]) -> list[float]:
    """Return the values of rows and the known ends of their intervals."""
    numbers = []
    for row in rows:
        numbers += row.numbers
    return numbers


_NO_BARS: Final = (None, None, None, None)


def points_of(table: Table, plot: PointPlot) -> list[Point]:
    """Return the rows with both values."""
    left, right, down, up = plot.bars or _NO_BARS
    points = []
    for cells in cells_of(table):
        x = number_of(cells.get(plot.x))
        y = number_of(cells.get(plot.value))
        if x is None or y is None:
            continue
        point = Point(
            name=label_in_words(cells.get(plot.label)),
            x=x,
            y=y,
            left=number_of(cells.get(left)),
            right=number_of(cells.get(right)),
            down=number_of(cells.get(down)),
            up=number_of(cells.get(up)),
        )
        points.append(point)
    return points

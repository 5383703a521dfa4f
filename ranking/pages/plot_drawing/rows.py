"""The numbers of a table's rows that are drawn."""

import math
from collections.abc import Sequence

from django.utils.formats import number_format

from ranking.reports.plots import Plot
from ranking.reports.tables import Table, Value
from ranking.wording.numbers import in_figures


class Row:
    """What is drawn of a row."""

    __slots__ = ("high", "label", "low", "value")

    def __init__(self, label: Value, value: float, low: float | None, high: float | None) -> None:
        self.label, self.value, self.low, self.high = label, value, low, high

    @property
    def name(self) -> str:
        """The label in words; a number as the language writes it."""
        if isinstance(self.label, float):
            return in_figures(self.label)
        return number_format(self.label) if isinstance(self.label, int) else str(self.label)


def number_of(value: Value) -> float | None:
    """Return a number that can be drawn."""
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def rows_of(table: Table, plot: Plot) -> list[Row]:
    """Return the rows that have a value."""
    place = {column.key: number for number, column in enumerate(table.columns)}

    def number(row: Sequence[Value], key: str | None) -> float | None:
        return None if key is None else number_of(row[place[key]])

    found = []
    for row in table.rows:
        value = number(row, plot.value)
        if value is not None:
            label = row[place[plot.label]]
            found.append(Row(label, value, number(row, plot.low), number(row, plot.high)))
    return found

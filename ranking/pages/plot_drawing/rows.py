"""The numbers of a table's rows that are drawn."""

import math

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
    """Return the rows that have a value; the first ones, where a plot has no room for more."""
    place = {column.key: number for number, column in enumerate(table.columns)}
    label, at = place[plot.label], place[plot.value]
    low, high = (None if key is None else place[key] for key in (plot.low, plot.high))
    found = []
    for row in table.rows:
        value = number_of(row[at])
        if value is not None:
            least = None if low is None else number_of(row[low])
            most = None if high is None else number_of(row[high])
            found.append(Row(row[label], value, least, most))
    return found[: plot.most]

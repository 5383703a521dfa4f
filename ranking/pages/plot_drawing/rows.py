"""The numbers of a table's rows that are drawn."""

import math
from collections.abc import Sequence

from ranking.reports.plots import Plot
from ranking.reports.tables import Table, Value


class Row:
    """What is drawn of a row."""

    __slots__ = ("high", "label", "low", "value")

    def __init__(self, label: Value, value: float, low: float | None, high: float | None) -> None:
        self.label, self.value, self.low, self.high = label, value, low, high


def rows_of(table: Table, plot: Plot) -> list[Row]:
    """Return the rows that have a value."""
    place = {column.key: number for number, column in enumerate(table.columns)}

    def number(row: Sequence[Value], key: str | None) -> float | None:
        value = row[place[key]] if key is not None else None
        is_number = isinstance(value, int | float) and math.isfinite(value)
        return float(value) if is_number and value is not None else None

    found = []
    for row in table.rows:
        value = number(row, plot.value)
        if value is not None:
            label = row[place[plot.label]]
            found.append(Row(label, value, number(row, plot.low), number(row, plot.high)))
    return found

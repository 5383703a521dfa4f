"""A report as a page shows it: figures in the reader's language, and plots."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing import drawn
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.numbers import decimals

_NOTHING = "–"
#: With more rows than this, the rest is in the files.
MOST_ROWS = 500


#: Columns in which nothing is 0.
_P_VALUES = frozenset({"p_value", "adjusted_p", "p_random"})


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell: its words, under which heading, and whether it is a number."""

    words: str
    heading: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row; a rule is drawn below it if `ends`."""

    name: str
    cells: Sequence[ShownCell]
    ends: bool


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table with its plot; `more` rows are not shown."""

    name: str
    title: str
    headings: Sequence[tuple[str, bool]]
    rows: Sequence[ShownRow]
    notes: Sequence[str]
    plot: SafeString | None
    more: int


def shown_tables(report: Report, *, without: frozenset[str] = frozenset()) -> list[ShownTable]:
    """Return the tables of a report but those named in `without`."""
    return [_table(table) for table in report.tables if table.name not in without]


def _table(table: Table) -> ShownTable:
    return ShownTable(
        name=table.name,
        title=table.title,
        headings=[(column.heading, not column.is_text) for column in table.columns],
        rows=[
            ShownRow(
                name=_words(row[0], table.columns[0]),
                cells=[
                    ShownCell(_words(value, column), column.heading, not column.is_text)
                    for value, column in zip(row[1:], table.columns[1:], strict=True)
                ],
                ends=number in table.rules,
            )
            for number, row in enumerate(table.rows[:MOST_ROWS])
        ],
        notes=table.notes,
        plot=drawn(table),
        more=max(0, len(table.rows) - MOST_ROWS),
    )


def _words(value: Value, column: Column) -> str:
    if value is None:
        return _NOTHING
    if isinstance(value, float):
        smallest = 10.0**-column.decimals
        if column.key in _P_VALUES and value < smallest / 2:
            return f"< {number_format(smallest, column.decimals)}"
        return decimals(value, column.decimals)
    if isinstance(value, int):
        return number_format(value)
    return value

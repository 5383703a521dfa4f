"""A report as a page shows it: figures in the reader's language, plots, and what leads to the judgments behind them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape

from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe

from ranking.models import Analysis
from ranking.pages.addresses import Addresses
from ranking.pages.formats import figure
from ranking.pages.plot_drawing import drawn_for_page
from ranking.pages.plot_file import PLOT_FILES
from ranking.reports.tables import BETWEEN, Column, Named, Report, Table, Value
from ranking.reports.writing import FILES, write
from ranking.selectors.analyses import answer_with_data
from ranking.wording.numbers import decimals

#: The addresses of a test set by its name.
OfTask = Callable[[str], Addresses | None]
_NOTHING = "–"
#: With more rows than this, or more cells, a table shows its first rows, as lists do; the rest is in the files.
_MOST_ROWS, _MOST_CELLS, _FIRST_ROWS = 500, 2_400, 100


#: Columns in which nothing is 0.
_P_VALUES = frozenset(
    [
        "p",
        "p_value",
        "adjusted_p",
        "p_random",
        "p_normal",
        "p_exact",
        "p_judges",
        "p_before",
        "p_after",
        "p_next",
    ]
)


@dataclass(frozen=True, slots=True)
class ShownRow:
    """The cells of a row, escaped, each with whether it is a number; a rule is drawn below it if `ends`."""

    cells: Sequence[tuple[str, bool]]
    ends: bool


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table with its plot; `more` rows are not shown. `body` are the rows as they are shown.

    `files` are the plot, and the rows, as files: what each is called and its address.
    """

    name: str
    title: str
    headings: Sequence[tuple[str, bool]]
    rows: Sequence[ShownRow]
    notes: Sequence[str]
    plot: SafeString | None
    more: int
    files: Sequence[tuple[str, str]]

    @property
    def body(self) -> SafeString:
        """The rows; written here, since a template and `format_html` take many times as long for thousands of cells."""
        parts = []
        for row in self.rows:
            parts.append('<tr class="ends">' if row.ends else "<tr>")
            for place, (markup, is_number) in enumerate(row.cells):
                tag, scope = ("td", "") if place else ("th", ' scope="row"')
                kind = ' class="number"' if is_number else ""
                parts.append(f"<{tag}{scope}{kind}>{markup}</{tag}>")
            parts.append("</tr>")
        # Each part is escaped, or one of those above.
        return mark_safe("".join(parts))  # noqa: S308


def shown_tables(
    report: Report,
    *,
    without: frozenset[str] = frozenset(),
    addresses: Addresses | None = None,
    of_task: OfTask | None = None,
    file_address: Callable[[str, str], str] | None = None,
) -> list[ShownTable]:
    """Return the tables of a report but those named in `without`.

    With `addresses`, cells lead there; with `of_task`, to those of the test set that their row is about, which it
    returns by name, None where it is not there any more. `file_address` says of a table's name and an ending where that file is.
    """
    tables = [table for table in report.tables if table.name not in without]
    if addresses is not None:
        addresses.judges_look_up(
            name
            for table in tables
            for at, column in enumerate(table.columns)
            if column.names in ("judge", "judges")
            for row in _first(table)
            for name in str(row[at]).split(BETWEEN if column.names == "judges" else "\n")
        )
    return [_table(table, addresses, of_task, file_address) for table in tables]


def _first(table: Table) -> Sequence[Sequence[Value]]:
    most = min(_MOST_ROWS, _MOST_CELLS // len(table.columns))
    return table.rows if len(table.rows) <= most else table.rows[: min(most, _FIRST_ROWS)]


def _table(
    table: Table,
    addresses: Addresses | None,
    of_task: OfTask | None,
    file_address: Callable[[str, str], str] | None,
) -> ShownTable:
    words = [_words_of(column) for column in table.columns]
    rows = [
        _cells(table, row, words, addresses if of_task is None else _addresses(table, row, of_task))
        for row in _first(table)
    ]
    plot = drawn_for_page(table, pair_address=None if addresses is None else addresses.won)
    return ShownTable(
        name=table.name,
        title=table.title,
        headings=[(column.heading, not column.is_text) for column in table.columns],
        rows=[ShownRow(cells, number in table.rules) for number, cells in enumerate(rows)],
        notes=table.notes,
        plot=plot,
        more=len(table.rows) - len(rows),
        files=[]
        if plot is None or file_address is None
        else [(ending.upper(), file_address(table.name, ending)) for ending in PLOT_FILES],
    )


def _cells(
    table: Table,
    row: Sequence[Value],
    words: Sequence[Callable[[Value], str]],
    addresses: Addresses | None,
) -> list[tuple[str, bool]]:
    about = {} if addresses is None else _about(table, row)
    return [
        (
            escape(said(value))
            if addresses is None or value is None
            else _markup(said(value), value, column, about, addresses),
            not column.is_text,
        )
        for value, column, said in zip(row, table.columns, words, strict=True)
    ]


def linked(words: str, address: str | None) -> str:
    """Return words as a link, or as they are, escaped."""
    return escape(words) if address is None else f'<a href="{escape(address)}">{escape(words)}</a>'


def _addresses(table: Table, row: Sequence[Value], of_task: OfTask) -> Addresses | None:
    """Return the addresses of the test set that a row is about."""
    named = [
        str(value)
        for value, column in zip(row, table.columns, strict=True)
        if column.names == "test_set"
    ]
    name = named[0] if named else table.about.get("test_set")
    return None if name is None else of_task(name)


def _about(table: Table, row: Sequence[Value]) -> dict[Named, str]:
    """Return what a row is about: what all are about, and what its first cells name; its test set apart."""
    found: dict[Named, str] = {
        name: said for name, said in table.about.items() if name != "test_set"
    }
    for value, column in zip(row, table.columns, strict=True):
        if column.names is None:
            break
        if column.names == "systems":
            found |= _two_systems(str(value))
        elif column.names not in ("judges", "test_set") and value is not None:
            found[column.names] = str(value)
    return found


def _two_systems(words: str) -> dict[Named, str]:
    one, _between, other = words.partition(BETWEEN)
    return {"system": one, "other": other}


def _markup(
    words: str, value: Value, column: Column, about: dict[Named, str], addresses: Addresses
) -> str:
    """Return a cell, which leads to what it names or counts."""
    address = None
    if column.names == "judges":
        return BETWEEN.join(linked(name, addresses.judge(name)) for name in words.split(BETWEEN))
    if column.names is not None:
        address = _named(str(value), column.names, addresses)
    elif column.counts == "skipped" and value:
        address = addresses.skips(about.get("judge", ""))
    elif column.counts is not None and value and _is_there(about, addresses):
        outcome = None if column.counts == "judgments" else column.counts
        address = addresses.judgments(**about, outcome=outcome)
    return linked(words, address)


def _named(value: str, names: Named, addresses: Addresses) -> str | None:
    if names in ("system", "other"):
        return addresses.system(value)
    if names == "judge":
        return addresses.judge(value)
    if names == "test_set":
        return addresses.ranking
    if names == "segment":
        return addresses.segment(int(value))
    if names == "systems":
        systems = _two_systems(value)
        return addresses.judgments(**systems) if _is_there(systems, addresses) else None
    return addresses.judgments(**{names: value})


def _is_there(about: dict[Named, str], addresses: Addresses) -> bool:
    """Return whether a row is about something, and its systems are there: one is not in any list by another name."""
    systems = [about[name] for name in ("system", "other") if name in about]
    return (bool(about) or addresses.is_all_listed) and all(
        name in addresses.systems for name in systems
    )


def _words_of(column: Column) -> Callable[[Value], str]:
    """Return what puts a column's values into words: once those that are shown alike.

    Words are remembered across pages, but by the language, and to ask Django for that takes longer than all the rest.
    """
    remembered = lru_cache(maxsize=None, typed=True)(partial(_words, column=column))

    def words(value: Value) -> str:
        return remembered(round(value, column.decimals) if isinstance(value, float) else value)

    return words


def _words(value: Value, column: Column) -> str:
    if value is None:
        return _NOTHING
    if isinstance(value, float):
        smallest = 10.0**-column.decimals
        if column.key in _P_VALUES and value < smallest / 2:
            return f"< {number_format(smallest, column.decimals)}"
        return decimals(value, column.decimals)
    if isinstance(value, int):
        return figure(value)
    return value


def report_file(report: Report, ending: str, *, named: str) -> HttpResponse:
    """Return a report as a file of one of the formats."""
    report_format, content_type = FILES[ending]
    return HttpResponse(
        write(report, report_format),
        content_type=f"{content_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{named}.{ending}"'},
    )


def answer_file(analysis: Analysis, ending: str) -> HttpResponse:
    """Return the answer of an analysis of a task as a file of one of the formats."""
    named = f"{analysis.kind}-{analysis.task_id}-{analysis.watermark}"
    return report_file(answer_with_data(analysis), ending, named=named)

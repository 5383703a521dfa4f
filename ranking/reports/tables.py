"""Reports: tables with notes and plots, and the same as plain data."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import starmap
from typing import Any, Literal

import numpy as np
from django.utils.translation import gettext as _

from campaign.texts.joining import semicolon_list
from ranking.reports.plots import BumpPlot, Plot

Value = str | int | float | None
#: Machine-readable results: dataclasses, arrays and plain values by name, see `plain`.
ReportData = Mapping[str, object]
#: Kind of object named in a column's cells; pairs of systems or judges are joined by `BETWEEN`.
#: In reports on several test sets, a row is about the one named in it or in its table.
Named = Literal[
    "system",
    "other",
    "judge",
    "segment",
    "document",
    "day",
    "words",
    "systems",
    "judges",
    "test_set",
]
BETWEEN = " – "
#: Judgments counted in a column's cells: all those of the row; those in which its system won, lost or
#: tied, against the other system if the row names two; or the skips of the row's judge.
Counted = Literal["judgments", "won", "lost", "tied", "skipped"]

#: Keys of columns of p-values, and of columns that begin like them.
_P_VALUES = frozenset({"p", "adjusted_p", "own_p", "own_adjusted_p"})
_SHARES = frozenset({"p_agree", "p_chance"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `key` is its name in machine-readable files, `heading` in those for people. Floats are shown with
    `decimals` digits; None is shown as a dash, and left empty in CSV. `names` and `counts` tell pages
    what the cells link to. `of` computes the cell from the object of a row, if the key does not name
    it. A mapping without the key has an empty cell.
    """

    key: str
    heading: str
    decimals: int = 3
    is_text: bool = False
    names: Named | None = None
    counts: Counted | None = None
    of: Callable[[Any], Value] | None = field(default=None, compare=False, repr=False)

    @property
    def is_p_value(self) -> bool:
        """Return whether the column has p-values, which are never shown as 0; P(A) and P(E) are shares."""
        if self.key in _SHARES:
            return False
        return self.key in _P_VALUES or self.key.startswith(("p_", "wmt_p_"))

    def cell(self, row: Any) -> Value:
        """Return the value of a row in this column."""
        value: Value
        if self.of is not None:
            value = self.of(row)
        elif isinstance(row, Mapping):
            value = row.get(self.key)
        else:
            value = getattr(row, self.key)
        return value


def itself(row: Any) -> Any:
    """Return a row; for columns of rows that are estimates themselves."""
    return row


def system_column() -> Column:
    """Return the column that names the system of a row."""
    return Column("system", _("System"), is_text=True, names="system")


def order_columns() -> tuple[Column, Column]:
    """Return the columns that name the better and the worse of the two systems of a row."""
    return (
        Column("better", _("Better"), is_text=True, names="system"),
        Column("worse", _("Worse"), is_text=True, names="other"),
    )


def judge_column() -> Column:
    """Return the column that names the judge of a row."""
    return Column("judge", _("Judge"), is_text=True, names="judge")


def test_set_column() -> Column:
    """Return the column that names the test set of a row."""
    return Column("test_set", _("Test set"), is_text=True, names="test_set")


def end_columns(
    key: str = "",
    *,
    decimals: int = 3,
    of: Callable[[Any], Any] | None = None,
) -> tuple[Column, Column]:
    """Return the columns of the ends of an interval; their keys begin with `key`. `of` returns the
    interval of a row, if these are not keys of the row.
    """

    def end(name: str, heading: str) -> Column:
        if of is None:
            return Column(f"{key}{name}", heading, decimals=decimals)

        def cell(row: Any) -> Value:
            value: Value = getattr(of(row), name)
            return value

        return Column(f"{key}{name}", heading, decimals=decimals, of=cell)

    return end("low", _("From")), end("high", _("To"))


def estimate_columns(
    key: str,
    heading: str,
    of: Callable[[Any], Any],
    *,
    ends: str = "",
    decimals: int = 3,
) -> tuple[Column, ...]:
    """Return the columns of a value and of its interval's ends, whose keys begin with `ends`."""

    def value(row: Any) -> Value:
        number: Value = of(row).value
        return number

    return (
        Column(key, heading, decimals=decimals, of=value),
        *end_columns(ends, decimals=decimals, of=of),
    )


def swap_columns(count: str, pairs: str) -> tuple[Column, Column]:
    """Return columns of the `swapped` pairs of a row with these keys: their number, and the pairs in words.

    The better system by the first order is named last.
    """

    def number(row: Any) -> Value:
        return len(row.swapped)

    def in_words(row: Any) -> Value:
        return semicolon_list(f"{worse} > {better}" for better, worse in row.swapped)

    return (
        Column(count, _("Swapped pairs"), of=number),
        Column(pairs, _("Pairs"), is_text=True, of=in_words),
    )


def ranks_in_orders(
    headings: Mapping[str, str],
    ranks: Sequence[Mapping[str, int | None]],
    *,
    systems: Iterable[str],
    title: str = "",
    notes: Sequence[str] = (),
) -> "Table":
    """Return a table of the ranks of `systems` in several orders, whose columns are `headings`."""
    rows: list[list[Value]] = []
    for name in systems:
        rows.append([name, *(rank.get(name) for rank in ranks)])
    return Table(
        name="orders",
        title=title or _("Ranks"),
        columns=[system_column(), *starmap(Column, headings.items())],
        rows=rows,
        notes=notes,
        plot=BumpPlot(),
    )


def yes_no_column(
    key: str,
    heading: str,
    of: Callable[[Any], Value] | None = None,
) -> Column:
    """Return a column of the words "yes" and "no" for true and false cells."""
    labels: dict[Value, str] = {True: _("yes"), False: _("no")}
    column = Column(key, heading, is_text=True, of=of)

    def cell(row: Any) -> Value:
        return labels.get(column.cell(row))

    return replace(column, of=cell)


def of_optional(part: str, name: str) -> Callable[[Any], Value]:
    """Return a function from a row to an attribute of a part of it; None without the part."""

    def cell(row: Any) -> Value:
        optional = getattr(row, part)
        if optional is None:
            return None
        value: Value = getattr(optional, name)
        return value

    return cell


def of_part(
    part: Callable[[Any], Any],
    columns: Iterable[Column],
) -> tuple[Column, ...]:
    """Return columns whose cells are taken from a part of each row."""

    def of_column(column: Column) -> Column:
        def cell(row: Any) -> Value:
            return column.cell(part(row))

        return replace(column, of=cell)

    return tuple(map(of_column, columns))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns. A line is drawn below each row whose index is in `rules`.

    The first `keys` columns name a row. `plot` describes a plot of the rows. `about` has objects that
    all rows are about, besides those named in their cells.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
    rules: frozenset[int] = frozenset()
    keys: int = 1
    plot: Plot | None = None
    about: Mapping[Named, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rows: Iterable[Any],
        *,
        name: str,
        title: str,
        columns: Sequence[Column],
        **more: Any,
    ) -> "Table":
        """Return a table with one row per object or mapping; `more` are the other fields of a table."""
        lines = []
        for row in rows:
            lines.append(tuple(column.cell(row) for column in columns))
        return cls(name=name, title=title, columns=columns, rows=lines, **more)


def with_rows(tables: Iterable[Table]) -> list[Table]:
    """Return the tables that have rows."""
    return [table for table in tables if table.rows]


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a command or an analysis.

    Attributes
    ----------
    about : sequence of str
        Sentences about the input. Files begin with them; pages put them below the tables.
    notes : sequence of str
        Findings and their limits, before the tables.
    tables : sequence of Table
    data : mapping
        Machine-readable content, which may be more detailed; anything that `plain` converts.
    """

    tables: Sequence[Table]
    data: Mapping[str, Any]
    notes: Sequence[str] = field(default=())
    about: Sequence[str] = field(default=())

    @property
    def sentences(self) -> list[str]:
        """All sentences, in the order of files."""
        return [*self.about, *self.notes]


def plain(value: Any) -> Any:
    """Convert dataclasses, arrays, enumerations and NaN to JSON values: NaN becomes null."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        values = {}
        for dataclass_field in dataclasses.fields(value):
            name = dataclass_field.name
            values[name] = plain(getattr(value, name))
        return values
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

"""Tables as written by scripts, pandas and spreadsheets: a header, then one row per line."""

import csv
import re
from collections.abc import Collection, Iterator, Sized
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, TypeVar

from campaign.formats.errors import FormatError, Place
from campaign.formats.quoting import restored
from campaign.formats.records import counted
from campaign.formats.streams import InputFile, text_lines

Row = TypeVar("Row")

UNKNOWN_COLUMN: Final = "remove it; docs/formats.md lists the valid columns"
MAX_INTEGER: Final = 2**31 - 1  # the database's limit
_SEPARATORS: Final = (",", "\t", ";")
_INDEX: Final = re.compile(r"__index_level_[0-9]+__|unnamed: [0-9]+", re.IGNORECASE)
# pandas writes integers as 2.0 if the column has gaps.
_INTEGER: Final = re.compile(r"(-?[0-9]{1,10})(\.0{1,9})?")
_BLANK: Final = re.compile(r"|-1(\.0{1,9})?")


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose header has been read.

    Attributes
    ----------
    file : str
    line : int
        Line of the header.
    names : tuple of str
        Names of all columns, stripped.
    separator : str
    lines : iterator of (int, str)
        Numbered lines that are not blank.
    """

    file: str
    line: int
    names: tuple[str, ...]
    separator: str
    lines: Iterator[tuple[int, str]]

    @property
    def unnamed(self) -> tuple[int, ...]:
        """Columns without a name, which must be empty, except for the first: the index of pandas."""
        return tuple(column for column, name in enumerate(self.names) if column and not name)

    def columns(self) -> Iterator[tuple[int, str]]:
        """Yield the place and name of each column to read."""
        for column, name in enumerate(self.names):
            if name and not is_index(name):
                yield column, name

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and cells of each row. Raises FormatError like `cells`."""
        for line, text in self.lines:
            yield line, self.cells(line, text)

    def places(self, known: Collection[str]) -> dict[str, int]:
        """Return the places of the columns with these names, in any case and order.

        Raises FormatError for unknown, repeated and missing columns.
        """
        ours = {name.lower(): name for name in known}
        places: dict[str, int] = {}
        for column, name in self.columns():
            refused = partial(FormatError, self.file, line=self.line, column=column + 1, field=name)
            if name.lower() not in ours:
                raise refused("the column is unknown", UNKNOWN_COLUMN)
            if ours[name.lower()] in places:
                raise refused("the column appears twice in the header", "remove one of the two")
            places[ours[name.lower()]] = column
        for name in known:
            require_column(self.file, self.line, places, name)
        return places

    def cells(self, line: int, text: str) -> list[str]:
        """Return the cells of a row.

        Raises FormatError for another number of cells than in the header, and for cells in unnamed columns.
        """
        cells = line_cells(self.file, line, text, self.separator)
        refuse_other_width(self.file, line, cells, self.names)
        for column in self.unnamed:
            if cells[column].strip():
                raise Place(self.file, line, column + 1).error(
                    "the cell is in a column without a name",
                    "name the column in the header, or empty the cell",
                )
        return [restored(cell) for cell in cells] if "'" in text else cells


def read_table(file: InputFile) -> Table:
    """Read the header of a table separated by commas, tabs or semicolons.

    Raises FormatError for an empty file.
    """
    numbered = ((line, text) for line, text in enumerate(text_lines(file), 1) if text.strip())
    line, header = first_row(file.name, numbered)
    separator = max(_SEPARATORS, key=header.count)
    cells = line_cells(file.name, line, header, separator)
    return Table(file.name, line, tuple(cell.strip() for cell in cells), separator, numbered)


def first_row(file: str, rows: Iterator[tuple[int, Row]]) -> tuple[int, Row]:
    """Return the header of a table. Raises FormatError if there is none."""
    for row in rows:
        return row
    raise FormatError(
        file, "the file is empty", "provide a table whose first line names the columns"
    )


def require_column(file: str, line: int | None, names: Collection[str], name: str) -> None:
    """Refuse a header without this column, in any case."""
    if name.lower() not in map(str.lower, names):
        raise Place(file, line, field=name).error(
            f"the header has no column {name}", "use the column names listed in docs/formats.md"
        )


def refuse_other_width(file: str, line: int, cells: Sized, names: Sized) -> None:
    """Refuse a row with another number of cells than the header."""
    if len(cells) != len(names):
        raise Place(file, line).error(
            f"the row has {counted(len(cells), 'cell')}, the header {len(names)}",
            "use one cell per column in every row, and quote cells that contain separators",
        )


def line_cells(file: str, line: int, text: str, separator: str) -> list[str]:
    """Return the cells of one line, without quotes around them.

    Raises FormatError for unpaired quotes.
    """
    try:
        # One line at a time: an unclosed quote must not swallow the rest.
        return next(csv.reader((text,), delimiter=separator, strict=True))
    except csv.Error as error:
        raise Place(file, line).error(
            f"the line is not valid CSV ({error})",
            "close every quotation mark on the same line, and double those inside a cell",
        ) from error


def is_index(name: str) -> bool:
    """Return whether a column contains the row numbers of pandas."""
    return _INDEX.fullmatch(name.strip()) is not None


@lru_cache(maxsize=4096)  # ranks and system numbers are repeated often
def integer(text: str, smallest: int) -> int | None:
    """Read a number that fits a database integer; int() alone would accept "１" and "1_0"."""
    found = _INTEGER.fullmatch(text)
    if found and smallest <= int(found.group(1)) <= MAX_INTEGER:
        return int(found.group(1))
    return None


def is_blank(text: str) -> bool:
    """Return whether a cell means “none”: empty, or -1."""
    return _BLANK.fullmatch(text.strip()) is not None

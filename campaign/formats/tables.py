"""Tables as scripts, pandas and spreadsheets write them: a header, then a row a line, with as many cells."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.formulas import restored
from campaign.formats.records import counted
from campaign.formats.streams import InputFile, text_lines

MAX_INTEGER: Final = 2**31 - 1  # what the database has room for
_SEPARATORS: Final = (",", "\t", ";")
_INDEX: Final = re.compile(r"__index_level_[0-9]+__|unnamed: [0-9]+", re.IGNORECASE)
# pandas writes the whole numbers of a column with gaps as 2.0.
_INTEGER: Final = re.compile(r"(-?[0-9]{1,10})(\.0{1,9})?")
_BLANK: Final = re.compile(r"|-1(\.0{1,9})?")


@dataclass(frozen=True, slots=True)
class Table:
    """A table behind its header.

    Attributes
    ----------
    file : str
    line : int
        Where the header stands.
    names : tuple of str
        All columns, without the blanks around their names.
    separator : str
    lines : iterator of (int, str)
        The lines that are not blank, numbered.
    """

    file: str
    line: int
    names: tuple[str, ...]
    separator: str
    lines: Iterator[tuple[int, str]]

    @property
    def unnamed(self) -> tuple[int, ...]:
        """Columns without a name that must be empty; the first would be the index of pandas."""
        return tuple(column for column, name in enumerate(self.names) if column and not name)

    def columns(self) -> Iterator[tuple[int, str]]:
        """Yield the columns with something to read: place and name."""
        for column, name in enumerate(self.names):
            if name and not is_index(name):
                yield column, name

    def cells(self, line: int, text: str) -> list[str]:
        """Return the cells of a row.

        Raises FormatError for a row with fewer or more cells than the header, and for texts below no name.
        """
        cells = line_cells(self.file, line, text, self.separator)
        if len(cells) != len(self.names):
            raise FormatError(
                self.file,
                f"the row has {counted(len(cells), 'cell')}, the header {len(self.names)}",
                "give every row one cell for each column, and put cells with commas in quotes",
                line=line,
            )
        for column in self.unnamed:
            if cells[column].strip():
                raise FormatError(
                    self.file,
                    "the cell stands in a column without a name",
                    "name the column in the header, or empty the cell",
                    line=line,
                    column=column + 1,
                )
        return [restored(cell) for cell in cells]


def read_table(file: InputFile) -> Table:
    """Read the header of a table separated by commas, tabs or semicolons.

    Raises FormatError for an empty file.
    """
    numbered = ((line, text) for line, text in enumerate(text_lines(file), 1) if text.strip())
    line, header = next(numbered, (0, ""))
    if not header:
        raise FormatError(
            file.name, "the file is empty", "give a CSV whose first line names its columns"
        )
    separator = max(_SEPARATORS, key=header.count)
    cells = line_cells(file.name, line, header, separator)
    return Table(file.name, line, tuple(cell.strip() for cell in cells), separator, numbered)


def line_cells(file: str, line: int, text: str, separator: str) -> list[str]:
    """Return the cells of one line, without quotes around them.

    Raises FormatError for quotes that do not pair.
    """
    try:
        # One line at a time: a quote that is never closed must not swallow the rest.
        return next(csv.reader((text,), delimiter=separator, strict=True))
    except csv.Error as error:
        raise FormatError(
            file,
            f"the line is no CSV ({error})",
            "close every quote on the line it opens on, and double quotes inside a cell",
            line=line,
        ) from error


def is_index(name: str) -> bool:
    """Return whether a column is the row numbers that pandas writes along."""
    return _INDEX.fullmatch(name.strip()) is not None


def integer(text: str, smallest: int) -> int | None:
    """Read a number a database integer can hold; int() alone would take "１" and "1_0"."""
    found = _INTEGER.fullmatch(text)
    if found and smallest <= int(found.group(1)) <= MAX_INTEGER:
        return int(found.group(1))
    return None


def is_blank(text: str) -> bool:
    """Return whether a cell says that there is nothing: empty, or -1."""
    return _BLANK.fullmatch(text.strip()) is not None

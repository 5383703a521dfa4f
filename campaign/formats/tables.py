"""CSV and TSV tables: quoting, rows and cells."""

import csv
import io
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import IO, Final, TypeVar

from campaign.formats.errors import FormatError, Location
from campaign.formats.records import counted
from campaign.formats.streams import MAX_LINE_BYTES, InputFile, text_lines

# A line may have one cell; by default, cells of more than 131,072 characters are refused.
csv.field_size_limit(MAX_LINE_BYTES)

_IN_MEMORY: Final = 8_000_000
# Also with a decimal comma, and what pandas writes for a missing number.
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[-+]?[0-9]+)?%?|nan",
    re.IGNORECASE,
)


def separator_of(header: str) -> str:
    """Return the separator of a table by its header: tab, semicolon or comma."""
    if "\t" in header:
        return "\t"
    return max(",;", key=header.count)


_SEPARATOR_LINE: Final = re.compile(r'"?sep=(.)"?[,;\t]*', re.IGNORECASE)


def refuse_separator_line(file: str, line: int, text: str) -> None:
    """Refuse the line ``sep=;`` that is written for Excel above a table."""
    if _SEPARATOR_LINE.fullmatch(text.strip(" \ufeff")):
        raise Location(file, line).error(
            f"the line {text.strip()} is an instruction for Excel, not part of the table",
            "delete this line",
        )


def is_blank_row(text: str) -> bool:
    """Return whether a line has no cell with content; spreadsheets write such lines below a table."""
    return not text.strip(' \t,;"')


def _refuse_repeated_header(file: str, line: int, text: str, header: str) -> None:
    """Refuse a line equal to the header, as in several files that were put together."""
    if text.lstrip("\ufeff") == header:
        raise Location(file, line).error(
            "the line repeats the header, as in files that were joined",
            "delete this line",
        )


@cache
def _quoted_line(separator: str) -> re.Pattern[str]:
    cell = rf'(?:"(?:[^"]|"")*"|[^"{separator}]*)'
    return re.compile(rf"{cell}(?:{separator}{cell})*")


def is_quoted_line(line: str, separator: str) -> bool:
    """Return whether the quotes of a line follow RFC 4180: around a cell, or doubled inside."""
    if '"' not in line:
        return True
    return _quoted_line(separator).fullmatch(line) is not None


def cells_of(line: str, separator: str, *, quoted: bool) -> list[str]:
    """Return the cells of a line, without quotes if it is quoted."""
    if quoted and '"' in line:
        return next(csv.reader((line,), delimiter=separator, strict=True))
    return line.split(separator)


def table_rows(
    file: InputFile,
    numeric: set[int] | None = None,
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank, the header first.

    Quotes enclose cells if this is consistent with every line; otherwise they are text. Since the last line may
    decide, all lines are first written to disk. Quoted cells may have line breaks only if a column ``segment``
    counts the rows, as in exports of texts: elsewhere an unclosed quote could swallow rows. Before the header is yielded, the places of columns with
    only numbers are added to `numeric`. In a table separated by commas or semicolons, apostrophes before formula characters are
    removed (`neutral`), if no cell begins with such a character itself.

    Raises FormatError for a quoted cell that continues on the next line, and like `text_lines`.
    """
    with tempfile.SpooledTemporaryFile(
        _IN_MEMORY,
        "w+",
        encoding="utf-8",
        newline="\n",
    ) as buffer:
        separator = ""
        has_quotes = False
        unpaired: int | None = None
        for line, text in enumerate(text_lines(file), 1):
            if not separator and not is_blank_row(text):
                refuse_separator_line(file.name, line, text)
                separator = separator_of(text)
            if '"' in text:
                has_quotes = True
                if separator and not is_quoted_line(text, separator):
                    unpaired = unpaired or line
            buffer.write(f"{text}\n")
        lines = partial(_lines, buffer)
        whole_rows = partial(_whole_rows, buffer)
        if unpaired is not None and separator == "," and _counts_rows(whole_rows):
            lines = whole_rows
            unpaired = None
        quoted = has_quotes and unpaired is None
        if numeric is not None:
            rows = _buffer_rows(file.name, lines, separator, quoted, unpaired)
            numeric |= _numeric_columns(rows)
        yield from _buffer_rows(file.name, lines, separator, quoted, unpaired)


#: Yields the numbered lines of a table, each time from the beginning.
_Lines = Callable[[], Iterator[tuple[int, str]]]


def _lines(buffer: IO[str]) -> Iterator[tuple[int, str]]:
    buffer.seek(0)
    for line, buffer_line in enumerate(buffer, 1):
        yield line, buffer_line[:-1]


def _whole_rows(buffer: IO[str]) -> Iterator[tuple[int, str]]:
    """Yield rows whose quoted cells may have several lines, each with the number of its first line."""
    parts: list[str] = []
    characters = 0
    first = 0
    is_open = False
    for line, text in _lines(buffer):
        if not parts:
            first = line
        parts.append(text)
        characters += len(text)
        is_open ^= text.count('"') % 2 == 1
        # Beyond the limit, a quote was not closed.
        if not is_open or characters > MAX_LINE_BYTES:
            yield first, "\n".join(parts)
            parts = []
            characters = 0
    if parts:
        yield first, "\n".join(parts)


def _counts_rows(lines: _Lines) -> bool:
    """Return whether a table is of quoted cells between commas, and its column ``segment`` counts the rows."""
    width = 0
    column = 0
    before: int | None = None
    for _line, text in lines():
        if is_blank_row(text):
            continue
        if len(text) > MAX_LINE_BYTES or not is_quoted_line(text, ","):
            return False
        cells = cells_of(text, ",", quoted=True)
        if not width:
            width = len(cells)
            names = [cell.strip(" \ufeff").lower() for cell in cells]
            if "segment" not in names:
                return False
            column = names.index("segment")
            continue
        if len(cells) != width:
            return False
        number = integer(cells[column].strip(), 1)
        if number is None or (before is not None and number != before + 1):
            return False
        if _holds_row(text, column, number + 1):
            return False
        before = number
    return True


def _holds_row(text: str, column: int, number: int) -> bool:
    """Return whether a further line of a row looks like the row with this number, which an unclosed quote swallowed."""
    for line in text.split("\n")[1:]:
        cells = line.split(",")
        if column < len(cells) and cells[column].strip(' "') == str(number):
            return True
    return False


def _buffer_rows(
    file: str,
    lines: _Lines,
    separator: str,
    quoted: bool,
    unpaired: int | None,
) -> Iterator[tuple[int, list[str]]]:
    is_neutral = separator in _RESTORED and not _has_formulas(lines, separator, quoted)
    width = 0
    last = (0, "")
    header = ""
    for line, text in lines():
        if is_blank_row(text):
            continue
        _refuse_repeated_header(file, line, text, header)
        header = header or text
        cells = cells_of(text, separator, quoted=quoted)
        width = width or len(cells)
        if len(cells) != width:
            for short_line in ((line, text), last):
                _refuse_open_quote(file, *short_line, separator)
            if unpaired is not None and any(cells[width:]):
                _refuse_unpaired_quote(file, unpaired, line, text, separator, width)
        last = (line, text)
        if is_neutral:
            cells = [restored(cell) for cell in cells]
        yield line, cells


def _has_formulas(lines: _Lines, separator: str, quoted: bool) -> bool:
    """Return whether a cell begins like a formula; a table that `neutral` wrote has none."""
    for _line, text in lines():
        if _FORMULA_CELL.search(text):
            cells = cells_of(text, separator, quoted=quoted)
            if any(map(_FORMULA_CELL.match, cells)):
                return True
    return False


def _numeric_columns(rows: Iterator[tuple[int, list[str]]]) -> set[int]:
    """Return the places of columns with only numbers below the header."""
    next(rows, None)
    numeric: set[int] | None = None
    for _line, cells in rows:
        if numeric is None:
            numeric = set(range(len(cells)))
        for column in tuple(numeric):
            if column >= len(cells) or not _NUMBER.fullmatch(cells[column].strip()):
                numeric.remove(column)
        if not numeric:
            break
    return numeric or set()


def _refuse_open_quote(file: str, line: int, text: str, separator: str) -> None:
    """Raise FormatError if the last cell of a line opens a quote without closing it."""
    cell = text.rsplit(separator, 1)[-1]
    if cell.startswith('"') and cell.count('"') % 2:
        raise _open_quote(Location(file, line, text.count(separator) + 1))


def _refuse_unpaired_quote(
    file: str,
    unpaired: int,
    line: int,
    text: str,
    separator: str,
    width: int,
) -> None:
    """Raise FormatError if a line is too long only because the quotes of the `unpaired` line make all quotes text."""
    is_as_wide = False
    if is_quoted_line(text, separator):
        is_as_wide = len(cells_of(text, separator, quoted=True)) == width
    if is_as_wide or line == unpaired:
        raise Location(file, unpaired).error(
            "the quotation marks of the line do not enclose whole cells, so those of the whole file are read as text, "
            f"and line {line} has more cells than the header",
            "enclose a cell that contains quotation marks in them, and double those inside",
        )


def _open_quote(location: Location) -> FormatError:
    return location.error(
        "a quoted cell continues on the next line",
        "remove line breaks inside texts, or write JSON Lines, which keep them; double the quotation marks inside a cell",
    )


#: Separators of the tables that we write, also after spreadsheets with a decimal comma. Tables separated by tabs are
#: written by others, whose apostrophes are text.
_RESTORED: Final = (",", ";")
# Some spreadsheets pass over white space before a formula.
_START_OF_FORMULA: Final = r"(?:[\t\r\n]|\s*[=+\-@])"
_FORMULA_CELL: Final = re.compile(_START_OF_FORMULA)
_FORMULA: Final = re.compile(f"'*{_START_OF_FORMULA}")
_NEUTRAL: Final = re.compile(f"'+{_START_OF_FORMULA}")


def neutral(cell: str) -> str:
    """Return the cell with an apostrophe before formula characters, so that spreadsheets do not compute it.

    A formula that already begins with apostrophes gets another one, so that `restored` undoes this exactly.
    """
    if _FORMULA.match(cell):
        return f"'{cell}"
    return cell


def restored(cell: str) -> str:
    """Undo `neutral`."""
    if _NEUTRAL.match(cell):
        return cell[1:]
    return cell


def csv_row(cells: Iterable[object]) -> str:
    r"""Return cells as a CSV line that ends in \n. The caller applies `neutral`."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


Row = TypeVar("Row")

UNKNOWN_COLUMN: Final = "remove it; docs/formats.md lists the valid columns"
MAX_INTEGER: Final = 2**31 - 1  # the database's limit
_SEPARATORS: Final = (",", "\t", ";")
_QUOTED_BY_SPACES: Final = re.compile(r'"[^"]*"( +("[^"]*"|[^ "]+))+ *')
_INDEX: Final = re.compile(r"__index_level_[0-9]+__|unnamed: [0-9]+", re.IGNORECASE)
# pandas writes integers as 2.0 if the column has gaps, and as 2,0 where a comma separates decimals.
_INTEGER: Final = re.compile(r"(-?[0-9]{1,10})(\.0{1,9}|,0)?")
_BLANK: Final = re.compile(r"|-1(\.0{1,9}|,0)?")


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
    header : str
        The line of the header.
    """

    file: str
    line: int
    names: tuple[str, ...]
    separator: str
    lines: Iterator[tuple[int, str]]
    header: str

    @property
    def unnamed(self) -> tuple[int, ...]:
        """Columns without a name, which must be empty, except for the first: the index of pandas."""
        columns = []
        for column, name in enumerate(self.names):
            if column and not name:
                columns.append(column)
        return tuple(columns)

    def columns(self) -> Iterator[tuple[int, str]]:
        """Yield the place and name of each column to read."""
        for column, name in enumerate(self.names):
            if name and not is_index(name):
                yield column, name

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and cells of each row. Raises FormatError like `cells`."""
        for line, text in self.lines:
            yield line, self.cells(line, text)

    def places(self, names: Collection[str]) -> dict[str, int]:
        """Return the places of the columns with these names, in any case and order.

        Raises FormatError for unknown, repeated and missing columns.
        """
        ours = {name.lower(): name for name in names}
        places: dict[str, int] = {}
        for column, name in self.columns():
            location = Location(self.file, self.line, column + 1, name)
            our_name = ours.get(name.lower())
            if our_name is None:
                raise location.error("the column is unknown", UNKNOWN_COLUMN)
            if our_name in places:
                raise location.error(
                    "the column appears twice in the header",
                    "remove one of the two",
                )
            places[our_name] = column
        for name in names:
            require_column(self.file, self.line, places, name)
        return places

    def cells(self, line: int, text: str) -> list[str]:
        """Return the cells of a row.

        Raises FormatError for another number of cells than in the header, for cells in unnamed columns, and for a
        repeated header.
        """
        _refuse_repeated_header(self.file, line, text, self.header)
        cells = line_cells(self.file, line, text, self.separator)
        refuse_other_width(self.file, line, cells, self.names)
        for column in self.unnamed:
            if cells[column].strip():
                raise Location(self.file, line, column + 1).error(
                    "the cell is in a column without a name",
                    "name the column in the header, or empty the cell",
                )
        if "'" in text:
            return [restored(cell) for cell in cells]
        return cells


def read_table(file: InputFile) -> Table:
    """Read the header of a table separated by commas, tabs or semicolons.

    Raises FormatError for an empty file.
    """
    lines = _filled_lines(file)
    line, header = first_row(file.name, lines)
    refuse_separator_line(file.name, line, header)
    separator = max(_SEPARATORS, key=header.count)
    cells = line_cells(file.name, line, header, separator)
    names = tuple(cell.strip() for cell in cells)
    return Table(file.name, line, names, separator, lines, header)


def _filled_lines(file: InputFile) -> Iterator[tuple[int, str]]:
    for line, text in enumerate(text_lines(file), 1):
        if not is_blank_row(text):
            yield line, text


def first_row(file: str, rows: Iterator[tuple[int, Row]]) -> tuple[int, Row]:
    """Return the header of a table. Raises FormatError if there is none."""
    for row in rows:
        return row
    raise FormatError(
        file,
        "the file is empty",
        "provide a table whose first line names the columns",
    )


def require_column(
    file: str,
    line: int | None,
    names: Collection[str],
    name: str,
) -> None:
    """Refuse a header without this column, in any case."""
    if name.lower() not in map(str.lower, names):
        raise Location(file, line, field=name).error(
            f"the header has no column {name}",
            "use the column names listed in docs/formats.md",
        )


def refuse_repeated_columns(
    file: str,
    line: int | None,
    names: Iterable[str],
    read: Collection[str],
) -> None:
    """Refuse a header that names one of the columns to read twice: one of the two would count."""
    earlier_names: set[str] = set()
    for name in names:
        if name in earlier_names and name in read:
            raise Location(file, line, field=name).error(
                "the column appears twice in the header",
                "remove or rename one of the two",
            )
        earlier_names.add(name)


def refuse_other_width(
    file: str,
    line: int,
    cells: Sequence[str],
    names: Sized,
) -> None:
    """Refuse a row with another number of cells than the header."""
    if len(cells) != len(names):
        remedy = "use one cell per column in every row, and quote cells that contain separators"
        if len(cells) == len(names) + 1 and cells[0].isdecimal():
            # write.table of R writes names of rows, but none for their column.
            remedy += "; if every row begins with its name, write the table without names of rows (in R: row.names = FALSE)"
        raise Location(file, line).error(
            f"the row has {counted(len(cells), 'cell')}, the header {len(names)}",
            remedy,
        )


def line_cells(file: str, line: int, text: str, separator: str) -> list[str]:
    """Return the cells of one line, without quotes around them.

    Raises FormatError for unpaired quotes.
    """
    try:
        # One line at a time: an unclosed quote must not swallow the rest.
        return next(csv.reader((text,), delimiter=separator, strict=True))
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise _open_quote(Location(file, line)) from error
        if _QUOTED_BY_SPACES.fullmatch(text):
            raise Location(file, line).error(
                "the cells are separated by spaces",
                "separate them by tabs, commas or semicolons (in R: write.csv, or sep = \\t)",
            ) from error
        raise Location(file, line).error(
            f"the line is not valid CSV ({error})",
            "close every quotation mark on the same line, and double those inside a cell",
        ) from error


def is_index(name: str) -> bool:
    """Return whether a column contains the row numbers of pandas."""
    return _INDEX.fullmatch(name.strip()) is not None


@lru_cache(maxsize=4096)  # ranks and system numbers are repeated often
def integer(text: str, smallest: int) -> int | None:
    """Read a number that fits a database integer; int() alone would accept "１" and "1_0"."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    number = int(match.group(1))
    if smallest <= number <= MAX_INTEGER:
        return number
    return None


def whole_name(text: str) -> str:
    """Return a whole number without the ".0" that pandas adds in columns with gaps; any other text unchanged."""
    number = _INTEGER.fullmatch(text.strip())
    if number:
        return number.group(1)
    return text


def is_blank(text: str) -> bool:
    """Return whether a cell means “none”: empty, or -1."""
    return _BLANK.fullmatch(text.strip()) is not None

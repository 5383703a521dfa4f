"""Tables in text files: what separates their cells, whether quotes are marks or text, and cells that are no formulas."""

import csv
import io
import re
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from typing import IO, Final

from campaign.formats.errors import Place
from campaign.formats.streams import InputFile, text_lines

_IN_MEMORY: Final = 8_000_000
# A decimal comma is one, too, and so is what pandas writes for a number that is missing.
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[-+]?[0-9]+)?%?|nan", re.IGNORECASE
)


def separator_of(header: str) -> str:
    """Return what separates the cells of a table by its header: tab, semicolon or comma."""
    return "\t" if "\t" in header else max(",;", key=header.count)


@cache
def _quoted_line(separator: str) -> re.Pattern[str]:
    cell = rf'(?:"(?:[^"]|"")*"|[^"{separator}]*)'
    return re.compile(rf"{cell}(?:{separator}{cell})*")


def is_quoted_line(line: str, separator: str) -> bool:
    """Return whether all quotes of a line could be those of RFC 4180: around a cell, or doubled inside."""
    return '"' not in line or _quoted_line(separator).fullmatch(line) is not None


def cells_of(line: str, separator: str, *, quoted: bool) -> list[str]:
    """Return the cells of a line, without their quotes if these are marks."""
    if quoted and '"' in line:
        return next(csv.reader((line,), delimiter=separator, strict=True))
    return line.split(separator)


def table_rows(file: InputFile, numeric: set[int] | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank, the header first.

    Quotes are marks if each line that holds one would be right so, and text otherwise: the last
    line may decide, so lines are kept on disk from the first on. Before the header comes,
    `numeric` is given the places of the columns that hold numbers and nothing else below it.

    Raises FormatError for a quoted cell that goes on in the next line, and what `text_lines` raises.
    """
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="\n") as kept:
        separator, quoted, held = "", True, False
        for text in text_lines(file):
            separator = separator or (separator_of(text) if text.strip() else "")
            held = held or '"' in text
            quoted = quoted and (not separator or is_quoted_line(text, separator))
            kept.write(f"{text}\n")
        if numeric is not None:
            numeric |= _numeric_columns(_kept_rows(file.name, kept, separator, quoted and held))
        yield from _kept_rows(file.name, kept, separator, quoted and held)


def _kept_rows(
    file: str, kept: IO[str], separator: str, quoted: bool
) -> Iterator[tuple[int, list[str]]]:
    kept.seek(0)
    width, last = 0, (0, "")
    for line, kept_text in enumerate(kept, 1):
        text = kept_text[:-1]
        if not text.strip():
            continue
        cells = cells_of(text, separator, quoted=quoted)
        width = width or len(cells)
        if len(cells) != width:
            _refuse_open_quote(file, (line, text), last, separator)
        last = line, text
        yield line, cells


def _numeric_columns(rows: Iterator[tuple[int, list[str]]]) -> set[int]:
    next(rows, None)
    numeric: set[int] | None = None
    for _line, cells in rows:
        if numeric is None:
            numeric = set(range(len(cells)))
        numeric = {n for n in numeric if n < len(cells) and _NUMBER.fullmatch(cells[n].strip())}
        if not numeric:
            break
    return numeric or set()


def _refuse_open_quote(
    file: str, short: tuple[int, str], before: tuple[int, str], separator: str
) -> None:
    """Raise FormatError if the last cell of this line, or of the one before it, opens a quote and does not close it."""
    for line, text in (short, before):
        cell = text.rsplit(separator, 1)[-1]
        if cell.startswith('"') and cell.count('"') % 2:
            raise Place(file, line, text.count(separator) + 1).error(
                "a quoted cell continues on the next line", "remove line breaks inside texts"
            )


_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_NEUTRAL: Final = re.compile(r"'+[=+\-@\t\r]")


def neutral(cell: str) -> str:
    """Return a cell that spreadsheets do not compute: with an apostrophe before formula characters.

    A cell that begins with apostrophes and then like a formula gets one more, so that `restored` gives each cell back.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def restored(cell: str) -> str:
    """Return the cell that `neutral` made this of."""
    return cell[1:] if _NEUTRAL.match(cell) else cell


def csv_row(cells: Iterable[object]) -> str:
    r"""Return cells as a CSV line that ends in \n, unchanged: the caller applies `neutral`."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()

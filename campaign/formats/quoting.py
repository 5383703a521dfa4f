"""Tables in text files: separators, quotes that may be text, and cells that look like formulas."""

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
# Also with a decimal comma, and what pandas writes for a missing number.
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[-+]?[0-9]+)?%?|nan", re.IGNORECASE
)


def separator_of(header: str) -> str:
    """Return the separator of a table by its header: tab, semicolon or comma."""
    return "\t" if "\t" in header else max(",;", key=header.count)


@cache
def _quoted_line(separator: str) -> re.Pattern[str]:
    cell = rf'(?:"(?:[^"]|"")*"|[^"{separator}]*)'
    return re.compile(rf"{cell}(?:{separator}{cell})*")


def is_quoted_line(line: str, separator: str) -> bool:
    """Return whether the quotes of a line follow RFC 4180: around a cell, or doubled inside."""
    return '"' not in line or _quoted_line(separator).fullmatch(line) is not None


def cells_of(line: str, separator: str, *, quoted: bool) -> list[str]:
    """Return the cells of a line, without quotes if it is quoted."""
    if quoted and '"' in line:
        return next(csv.reader((line,), delimiter=separator, strict=True))
    return line.split(separator)


def table_rows(file: InputFile, numeric: set[int] | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank, the header first.

    Quotes enclose cells if this is consistent with every line; otherwise they are text. Since the last line may
    decide, all lines are first written to disk. Before the header is yielded, the places of columns with
    only numbers are added to `numeric`.

    Raises FormatError for a quoted cell that continues on the next line, and like `text_lines`.
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
    """Raise FormatError if the last cell of this or the previous line opens a quote without closing it."""
    for line, text in (short, before):
        cell = text.rsplit(separator, 1)[-1]
        if cell.startswith('"') and cell.count('"') % 2:
            raise Place(file, line, text.count(separator) + 1).error(
                "a quoted cell continues on the next line", "remove line breaks inside texts"
            )


_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_NEUTRAL: Final = re.compile(r"'+[=+\-@\t\r]")


def neutral(cell: str) -> str:
    """Return the cell with an apostrophe before formula characters, so that spreadsheets do not compute it.

    A formula that already begins with apostrophes gets another one, so that `restored` undoes this exactly.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def restored(cell: str) -> str:
    """Undo `neutral`."""
    return cell[1:] if _NEUTRAL.match(cell) else cell


def csv_row(cells: Iterable[object]) -> str:
    r"""Return cells as a CSV line that ends in \n. The caller applies `neutral`."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()

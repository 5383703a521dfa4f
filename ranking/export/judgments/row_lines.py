"""Rows of values as JSON Lines and as CSV, some thousands at a time."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from campaign.export.csv_lines import csv_line
from campaign.formats.formulas import neutral

#: What json.dumps calls with `ensure_ascii=False`.
_quoted: Final = json.encoder.encode_basestring
_IN_JSON: Final[Mapping[type, Callable[[Any], str]]] = {
    str: _quoted,
    int: str,
    bool: lambda value: "true" if value else "false",
    object: str,
}


class JsonRows:
    """An object a row; `object` columns hold JSON already."""

    def __init__(self, columns: Mapping[str, type]) -> None:
        self._in_json = [_IN_JSON[kind] for kind in columns.values()]
        names = (json.dumps(name, ensure_ascii=False).replace("%", "%%") for name in columns)
        self._line = "{" + ", ".join(f"{name}: %s" for name in names) + "}\n"

    def head(self) -> bytes:
        """Return how the file begins."""
        return b""

    def body(self, rows: Iterable[Sequence[Any]]) -> bytes:
        """Return the lines of rows."""
        cells = (
            ["null" if cell is None else written(cell) for cell in column]
            for written, column in zip(self._in_json, zip(*rows, strict=True), strict=False)
        )
        return "".join(map(self._line.__mod__, zip(*cells, strict=True))).encode()


class CsvRows:
    """A line a row; no cell is a formula for a spreadsheet."""

    def __init__(self, columns: Mapping[str, type]) -> None:
        self._columns = columns
        self._is_text = [kind in {str, object} for kind in columns.values()]

    def head(self) -> bytes:
        """Return the names of the columns."""
        return csv_line(self._columns).encode()

    def body(self, rows: Iterable[Sequence[Any]]) -> bytes:
        """Return the lines of rows."""
        cells = (
            [neutral(cell) if cell else cell for cell in column] if is_text else column
            for is_text, column in zip(self._is_text, zip(*rows, strict=True), strict=False)
        )
        lines = _Lines()
        # Of what ends a line, a writer puts in quotes only what ends its own; some readers take either.
        csv.writer(lines, lineterminator="\r\n").writerows(zip(*cells, strict=True))
        return "".join(lines.written).encode()


class _Lines:
    """Takes lines, each with its end, and gives them a shorter one."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, line: str) -> int:
        self.written.append(f"{line[:-2]}\n")
        return len(line)

"""Rows as JSON Lines and as CSV, some thousands at a time."""

import csv
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from campaign.database.copied_rows import Rows
from campaign.export.csv_lines import csv_line
from campaign.formats.formulas import neutral

#: How values of each kind stand in JSON: texts as `json.dumps` has them with `ensure_ascii=False`, JSON as it is.
_IN_JSON: Final[Mapping[type, Callable[[Any], str]]] = {
    str: json.encoder.encode_basestring,
    datetime: '"{}"'.format,
    object: str,
    int: str,
    bool: {True: "true", False: "false"}.__getitem__,
}


def json_objects(columns: Mapping[str, type], rows: Rows) -> list[str]:
    """Return an object in JSON for each row."""
    names = [f"{json.dumps(name, ensure_ascii=False)}: ".replace("%", "%%") for name in columns]
    form = "{" + ", ".join(f"{name}%s" for name in names) + "}"
    return [form % cells for cells in zip(*_json_cells(columns, rows), strict=True)]


def _json_cells(columns: Mapping[str, type], rows: Rows) -> list[list[str]]:
    return [
        ["null" if value is None else _IN_JSON[kind](value) for value in rows[name]]
        for name, kind in columns.items()
    ]


class JsonRows:
    """An object a row; `object` columns hold JSON already."""

    def __init__(self, columns: Mapping[str, type]) -> None:
        self._columns = columns

    def head(self) -> bytes:
        """Return how the file begins."""
        return b""

    def body(self, rows: Rows) -> bytes:
        """Return the lines of some rows."""
        return "".join(f"{line}\n" for line in json_objects(self._columns, rows)).encode()


class _Lines(list[str]):
    """What a writer of CSV writes, a line each."""

    write = list.append


class CsvRows:
    """A line a row, as `csv_line` writes it; no cell is a formula for a spreadsheet."""

    def __init__(self, columns: Mapping[str, type]) -> None:
        self._columns = columns

    def head(self) -> bytes:
        """Return the names of the columns."""
        return csv_line(self._columns).encode()

    def body(self, rows: Rows) -> bytes:
        """Return the lines of some rows."""
        cells = [
            [value and neutral(value) for value in rows[name]]
            if kind in {str, object}
            else rows[name]
            for name, kind in self._columns.items()
        ]
        lines = _Lines()
        csv.writer(lines, lineterminator="\r\n").writerows(zip(*cells, strict=True))
        return "".join(f"{line[:-2]}\n" for line in lines).encode()

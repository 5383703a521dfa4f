"""Rows as JSON Lines and as CSV, some thousands at a time."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from campaign.export.csv_lines import csv_line
from ranking.export.judgments.cells import csv_cells, json_quoted_cells
from ranking.export.judgments.lines import text_bytes


def json_objects(columns: Mapping[str, type], rows: Any, *, end: str = "") -> Any:
    """Return a text a row of a record batch: an object in JSON, and `end`."""
    pieces: list[Any] = []
    between = "{"
    for (name, kind), column in zip(columns.items(), rows.columns, strict=True):
        quote, cells = json_quoted_cells(column, kind)
        pieces += [f"{between}{json.dumps(name, ensure_ascii=False)}: {quote}", cells]
        between = f"{quote}, "
    return pc.binary_join_element_wise(*pieces, f"{between.removesuffix(', ')}}}{end}", "")


class JsonRows:
    """An object a row; `object` columns hold JSON already."""

    def __init__(self, columns: Mapping[str, type]) -> None:
        self._columns = columns

    def head(self) -> bytes:
        """Return how the file begins."""
        return b""

    def body(self, rows: Any) -> bytes:
        """Return the lines of a record batch."""
        return text_bytes(json_objects(self._columns, rows, end="\n"))


class CsvRows:
    """A line a row; no cell is a formula for a spreadsheet."""

    def __init__(self, columns: Mapping[str, type]) -> None:
        self._columns = columns

    def head(self) -> bytes:
        """Return the names of the columns."""
        return csv_line(self._columns).encode()

    def body(self, rows: Any) -> bytes:
        """Return the lines of a record batch."""
        first, *others = map(csv_cells, rows.columns, self._columns.values())
        pieces = [piece for cells in others for piece in (",", cells)]
        return text_bytes(pc.binary_join_element_wise(first, *pieces, "\n", ""))

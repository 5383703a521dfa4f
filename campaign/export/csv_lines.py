"""Lines of CSV files that people open in spreadsheets."""

import csv
import io
from collections.abc import Iterable
from typing import Any

from campaign.formats.quoting import neutral


def csv_line(cells: Iterable[Any]) -> str:
    """Return a line; an apostrophe stands before what a spreadsheet would compute."""
    buffer = io.StringIO()
    shown = (neutral(cell) if isinstance(cell, str) else cell for cell in cells)
    # Of what ends a line, a writer puts in quotes only what ends its own; some readers take either.
    csv.writer(buffer, lineterminator="\r\n").writerow(shown)
    return buffer.getvalue().removesuffix("\r\n") + "\n"

"""Cells that a spreadsheet would take for a formula: written so that it does not, and read back as they were."""

import csv
import io
import re
from collections.abc import Iterable
from typing import Final

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_NEUTRAL: Final = re.compile(r"'+[=+\-@\t\r]")


def neutral(cell: str) -> str:
    """Return a cell that no spreadsheet computes: with an apostrophe before what it would take for a formula.

    A cell that begins with apostrophes and then like a formula gets one more, so that `restored` gives each cell back.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def restored(cell: str) -> str:
    """Return the cell that `neutral` made this of."""
    return cell[1:] if _NEUTRAL.match(cell) else cell


def csv_row(cells: Iterable[object]) -> str:
    r"""Return cells as a line of CSV that ends in \n, as they are: `neutral` is for whoever calls."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()

"""Judgments to five-way CSV: the exact reverse of the reader."""

from collections.abc import Iterable, Iterator

from campaign.formats.five_way import BLANK, FIXED_COLUMNS
from campaign.formats.formulas import csv_row, neutral
from campaign.formats.records import FiveWayRow


def write_five_way_csv(rows: Iterable[FiveWayRow], *, slots: int = 5) -> Iterator[str]:
    r"""Yield the header and then one line a row, each ended by \n; `read` gives `rows` back.

    `slots` is the number of systems a row has room for. An apostrophe stands before a text that a
    spreadsheet would take for a formula; the reader takes it away again.

    Raises ValueError for a row of more candidates.
    """
    yield five_way_header(slots)
    for row in rows:
        yield five_way_line(row, slots)


def five_way_line(row: FiveWayRow, slots: int) -> str:
    """Return a row as a line with room for so many systems."""
    empty = slots - len(row.candidates)
    if empty < 0:
        raise ValueError(f"{len(row.candidates)} candidates do not fit a row of {slots}")
    cells = [
        neutral(row.source_language),
        neutral(row.target_language),
        str(row.source_index),
        neutral(row.document),
        neutral(row.segment_id),
        neutral(row.judge),
    ]
    for systems, numbers in zip(row.candidates, row.system_numbers, strict=True):
        cells += [neutral(",".join(map(str, numbers))), neutral(",".join(systems))]
    cells += ["", ""] * empty
    cells += [BLANK if label is None else str(label) for label in row.labels]
    return csv_row([*cells, *[BLANK] * empty])


def five_way_header(slots: int) -> str:
    """Return the line that names the columns."""
    names = [*FIXED_COLUMNS]
    for slot in range(1, slots + 1):
        names += [f"system{slot}Number", f"system{slot}Id"]
    return csv_row([*names, *(f"system{slot}rank" for slot in range(1, slots + 1))])

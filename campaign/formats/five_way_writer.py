"""Judgments to five-way CSV: the exact reverse of the reader."""

from collections.abc import Iterable, Iterator

from campaign.formats.five_way import BLANK, FIXED_COLUMNS
from campaign.formats.formulas import csv_row, neutral
from campaign.formats.records import CONTROL, MAX_JUDGE_NAME, FiveWayRow, system_name_problem
from campaign.formats.tables import MAX_INTEGER


def write_five_way_csv(rows: Iterable[FiveWayRow], *, slots: int = 5) -> Iterator[str]:
    r"""Yield the header and then one line a row, each ended by \n; `read` gives `rows` back.

    `slots` is the number of systems a row has room for. An apostrophe stands before a text that a
    spreadsheet would take for a formula; the reader takes it away again.

    Raises ValueError for a row that the format cannot hold.
    """
    if slots < 2:
        raise ValueError("a five-way CSV has room for two systems or more")
    yield five_way_header(slots)
    for row in rows:
        _refuse_unwritable(row, slots)
        cells = [
            neutral(row.source_language),
            neutral(row.target_language),
            str(row.source_index),
            neutral(row.document),
            neutral(row.segment_id),
            neutral(row.judge),
        ]
        empty = slots - len(row.candidates)
        for systems, numbers in zip(row.candidates, row.system_numbers, strict=True):
            cells += [neutral(",".join(map(str, numbers))), neutral(",".join(systems))]
        cells += ["", ""] * empty
        cells += [BLANK if label is None else str(label) for label in row.labels]
        cells += [BLANK] * empty
        yield csv_row(cells)


def five_way_header(slots: int) -> str:
    """Return the line that names the columns."""
    names = [*FIXED_COLUMNS]
    for slot in range(1, slots + 1):
        names += [f"system{slot}Number", f"system{slot}Id"]
    return csv_row([*names, *(f"system{slot}rank" for slot in range(1, slots + 1))])


def _refuse_unwritable(row: FiveWayRow, slots: int) -> None:
    if not 1 <= len(row.candidates) <= slots:
        raise ValueError(f"{len(row.candidates)} candidates do not fit a row of {slots}")
    if not len(row.candidates) == len(row.labels) == len(row.system_numbers):
        raise ValueError("candidates, labels and system numbers are not aligned")
    if any(label is not None and not 1 <= label <= 5 for label in row.labels):
        raise ValueError(f"labels are 1 to 5 or None, not {row.labels}")
    if not 1 <= row.source_index <= MAX_INTEGER:
        raise ValueError(f"the source index {row.source_index} is out of range")
    _refuse_unwritable_texts(row)
    _refuse_unwritable_systems(row)


def _refuse_unwritable_texts(row: FiveWayRow) -> None:
    texts = (row.source_language, row.target_language, row.document, row.segment_id, row.judge)
    for text in texts:
        if CONTROL.search(text):
            raise ValueError(f"{text!r} contains a line break or control character")
    if len(row.judge) > MAX_JUDGE_NAME:
        raise ValueError(f"the name of the judge is longer than {MAX_JUDGE_NAME} characters")
    for text in (row.source_language, row.target_language, row.judge):
        if not text.strip():
            raise ValueError("languages and judge are never empty")


def _refuse_unwritable_systems(row: FiveWayRow) -> None:
    systems = [system for candidate in row.candidates for system in candidate]
    for system in systems:
        problem = system_name_problem(system)
        if problem:
            raise ValueError(problem)
    if len(set(systems)) != len(systems):
        raise ValueError("a system stands twice in the row")
    for candidate, numbers in zip(row.candidates, row.system_numbers, strict=True):
        if not candidate or (numbers and len(numbers) != len(candidate)):
            raise ValueError("a candidate has one number a system, or none at all")
        if any(abs(number) > MAX_INTEGER for number in numbers):
            raise ValueError(f"the system numbers {numbers} are out of range")

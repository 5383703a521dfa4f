"""The five-way CSV of WMT10–14 and its generalisation to any number of systems a row: read, and written as the exact reverse."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.quoting import csv_row, neutral
from campaign.formats.records import (
    MAX_JUDGE_NAME,
    FiveWayRow,
    counted,
    system_name_problem,
    unseen_problem,
)
from campaign.formats.streams import ByteStream, InputFile
from campaign.formats.tables import (
    MAX_INTEGER,
    UNKNOWN_COLUMN,
    Table,
    integer,
    is_blank,
    read_table,
    require_column,
)

FIXED_COLUMNS: Final = ("srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId")
_FIXED_KEYS: Final = frozenset(map(str.lower, FIXED_COLUMNS))
_MUST_BE_FILLED: Final = frozenset({"srclang", "trglang", "judgeId"})
_SLOT_COLUMN = re.compile(r"system([1-9][0-9]{0,3})(number|id|rank)")
BLANK: Final = "-1"


@dataclass(frozen=True, slots=True)
class _Slot:
    """Columns of one shown system; `number` is None if the column is missing."""

    number: int | None
    id: int
    rank: int


@dataclass(frozen=True, slots=True)
class _Layout:
    """Columns of a file, from its header."""

    names: tuple[str, ...]
    fixed: dict[str, int]
    slots: tuple[_Slot, ...]


def read_five_way_csv(stream: ByteStream, name: str) -> Iterator[FiveWayRow]:
    """Yield the judged blocks of a five-way CSV, one a row, as the file orders them.

    Columns are found by name, whatever their case and order; two systems or more a row. A
    cell `"A,B"` is one candidate that stands for A and B. Empty systems are left out of the
    row, a rank of -1 or nothing is a label left blank.

    Raises FormatError with line, column (the cell's number) and field.
    """
    table = read_table(InputFile(name, stream))
    layout = _layout(table)
    for line, text in table.lines:
        yield _Row(name, line, layout, table.cells(line, text)).read()


def _layout(table: Table) -> _Layout:
    file, line = table.file, table.line
    columns: dict[str, int] = {}
    for column, name in table.columns():
        problem = _column_problem(name.lower(), columns)
        if problem:
            raise FormatError(file, *problem, line=line, column=column + 1, field=name)
        columns[name.lower()] = column
    fixed = {name: _required(file, line, columns, name) for name in FIXED_COLUMNS}
    return _Layout(table.names, fixed, _slots(file, line, columns))


def _column_problem(key: str, earlier: Collection[str]) -> tuple[str, str] | None:
    """Return the problem with a column of the header and its remedy."""
    if key in earlier:
        return "the column appears twice in the header", "remove or rename one of the two"
    if key == "rankingid":
        return (
            "this is the pairwise CSV format of WMT15 and later, with several rows per block",
            "provide the five-way CSV format, with one block per row",
        )
    if key not in _FIXED_KEYS and not _SLOT_COLUMN.fullmatch(key):
        return "the column is unknown", UNKNOWN_COLUMN
    return None


def _required(file: str, line: int, columns: dict[str, int], name: str) -> int:
    require_column(file, line, columns, name)
    return columns[name.lower()]


def _slots(file: str, line: int, columns: dict[str, int]) -> tuple[_Slot, ...]:
    matches = (_SLOT_COLUMN.fullmatch(key) for key in columns)
    last = max((int(found.group(1)) for found in matches if found), default=0)
    return tuple(
        _Slot(
            number=columns.get(f"system{slot}number"),
            id=_required(file, line, columns, f"system{slot}Id"),
            rank=_required(file, line, columns, f"system{slot}rank"),
        )
        for slot in range(1, max(last, 2) + 1)
    )


def document_of(text: str) -> str:
    """Return the name of a document; empty for none, which WMT writes as -1."""
    return "" if is_blank(text) else text


@dataclass(frozen=True, slots=True)
class _Row:
    """One row on its way from cells to FiveWayRow; it knows where to point in errors."""

    file: str
    line: int
    layout: _Layout
    cells: list[str]

    def read(self) -> FiveWayRow:
        fixed = {name: self.cells[column] for name, column in self.layout.fixed.items()}
        for name in _MUST_BE_FILLED:
            if not fixed[name].strip():
                raise self.error(self.layout.fixed[name], "the cell is empty", "fill it in")
        if len(fixed["judgeId"]) > MAX_JUDGE_NAME:
            raise self.error(
                self.layout.fixed["judgeId"],
                f"the name of the judge is longer than {MAX_JUDGE_NAME} characters",
                "use a shorter pseudonym",
            )
        if problem := unseen_problem(fixed["judgeId"], "name of the judge"):
            raise self.error(
                self.layout.fixed["judgeId"], problem, "remove that character from the name"
            )
        filled = [slot for slot in self.layout.slots if self.is_filled(slot)]
        if not filled:
            raise self.error(
                self.layout.slots[0].id,
                "the row names no system",
                "remove the row, or name the systems that were judged",
            )
        candidates = self.candidates(filled)
        return FiveWayRow(
            line=self.line,
            source_language=fixed["srclang"],
            target_language=fixed["trglang"],
            source_index=self.source_index(),
            document=document_of(fixed["documentId"]),
            segment_id=fixed["segmentId"],
            judge=fixed["judgeId"],
            candidates=candidates,
            labels=tuple(self.label(slot) for slot in filled),
            system_numbers=tuple(
                self.numbers(slot, len(systems))
                for slot, systems in zip(filled, candidates, strict=True)
            ),
        )

    def error(self, column: int, problem: str, remedy: str) -> FormatError:
        return FormatError(
            self.file,
            problem,
            remedy,
            line=self.line,
            column=column + 1,
            field=self.layout.names[column],
        )

    def source_index(self) -> int:
        column = self.layout.fixed["srcIndex"]
        text = self.cells[column].strip()
        index = integer(text, 1)
        if index is None:
            raise self.error(
                column,
                f"the source index {text!r} is not an integer of at least 1",
                "number the segments of the test set from 1",
            )
        return index

    def is_filled(self, slot: _Slot) -> bool:
        if self.cells[slot.id].strip():
            return True
        rank = self.cells[slot.rank].strip()
        if not is_blank(rank):
            raise self.error(
                slot.rank,
                f"the rank {rank!r} does not belong to a system",
                f"name the system in {self.layout.names[slot.id]}, or make the rank -1",
            )
        return False

    def candidates(self, filled: list[_Slot]) -> tuple[tuple[str, ...], ...]:
        seen: set[str] = set()
        candidates = []
        for slot in filled:
            systems = tuple(name.strip() for name in self.cells[slot.id].split(","))
            for system in systems:
                self.refuse_system(slot, system, seen)
                seen.add(system)
            candidates.append(systems)
        return tuple(candidates)

    def refuse_system(self, slot: _Slot, system: str, seen: set[str]) -> None:
        problem = system_name_problem(system)
        if problem:
            raise self.error(
                slot.id, problem, 'write the systems of one candidate as "A,B" and leave none empty'
            )
        if system in seen:
            raise self.error(
                slot.id,
                f"the system {system} appears twice in the row",
                "name every system once per row",
            )

    def label(self, slot: _Slot) -> int | None:
        text = self.cells[slot.rank].strip()
        if is_blank(text):
            return None
        rank = integer(text, 1)
        if rank is None or rank > 5:
            raise self.error(
                slot.rank,
                f"the rank {text!r} is not 1, 2, 3, 4, 5 or -1",
                "use a rank from 1 (best) to 5, or -1 for no rank",
            )
        return rank

    def numbers(self, slot: _Slot, systems: int) -> tuple[int, ...]:
        if slot.number is None or not self.cells[slot.number].strip():
            return ()
        texts = [text.strip() for text in self.cells[slot.number].split(",")]
        if len(texts) != systems:
            raise self.error(
                slot.number,
                f"the cell has {counted(len(texts), 'number')} for {counted(systems, 'system')}",
                "use one number per system, in the same order, or leave the cell empty",
            )
        numbers = []
        for text in texts:
            number = integer(text, -MAX_INTEGER)
            if number is None:
                raise self.error(
                    slot.number,
                    f"the system number {text!r} is not an integer",
                    "use an integer, or leave the cell empty",
                )
            numbers.append(number)
        return tuple(numbers)


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
    """Return a row as a line with columns for `slots` systems."""
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

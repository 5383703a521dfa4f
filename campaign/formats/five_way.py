"""Read and write the five-way CSV of WMT10–14, with any number of systems per row."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from campaign.formats.cells import (
    NOT_AVAILABLE,
    Refuse,
    filled,
    judge_of,
    label_of,
    segment_of,
    systems_of,
)
from campaign.formats.errors import FormatError
from campaign.formats.records import JudgedBlock, counted
from campaign.formats.streams import ByteStream, InputFile, StoredFile
from campaign.formats.tables import (
    MAX_INTEGER,
    UNKNOWN_COLUMN,
    Table,
    csv_row,
    integer,
    is_blank,
    neutral,
    read_table,
    require_column,
    whole_name,
)

FIXED_COLUMNS: Final = (
    "srclang",
    "trglang",
    "srcIndex",
    "documentId",
    "segmentId",
    "judgeId",
)
#: Column of best-worst scaling: 1 if equal ranks are no comparison.
BEST_WORST: Final = "bestWorst"
_FIXED_KEYS: Final = frozenset(map(str.lower, (*FIXED_COLUMNS, BEST_WORST)))
_SLOT_COLUMN = re.compile(r"system([1-9][0-9]{0,3})(number|id|rank)")
BLANK: Final = "-1"
#: Written by Appraise in places without a system.
_PLACEHOLDER: Final = "PLACEHOLDER"


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
    best_worst: int | None


def five_way_blocks(file: StoredFile) -> Iterator[JudgedBlock]:
    """Yield the rows of a file, in a process of its own; see `read_five_way_csv`."""
    with file.open() as stream:
        yield from read_five_way_csv(stream, file.name)


def read_five_way_csv(stream: ByteStream, name: str) -> Iterator[JudgedBlock]:
    """Yield the judged blocks of a five-way CSV, one per row, in the order of the file.

    Columns are found by name, in any case and order, with at least two systems per row. A
    cell `"A,B"` is one candidate for both A and B. Empty systems are omitted, and a rank of
    -1 or an empty one is a blank label.

    Raises FormatError with line, column (number of the cell) and field.
    """
    table = read_table(InputFile(name, stream))
    layout = _layout(table)
    for line, text in table.lines:
        yield _row(name, line, layout, table.cells(line, text))


def _layout(table: Table) -> _Layout:
    file = table.file
    line = table.line
    columns: dict[str, int] = {}
    for column, name in table.columns():
        problem = _column_problem(name.lower(), columns)
        if problem:
            raise FormatError(file, *problem, line=line, column=column + 1, field=name)
        columns[name.lower()] = column
    fixed = {
        name: _required_column(file, line, columns, name) for name in FIXED_COLUMNS
    }
    best_worst = columns.get(BEST_WORST.lower())
    return _Layout(table.names, fixed, _slots(file, line, columns), best_worst)


def is_five_way_column(name: str) -> bool:
    """Return whether the format has a column of this name, in any case."""
    key = name.lower()
    return key in _FIXED_KEYS or _SLOT_COLUMN.fullmatch(key) is not None


def _column_problem(key: str, earlier: Collection[str]) -> tuple[str, str] | None:
    """Return the problem of a column in the header and its remedy, or None."""
    if key in earlier:
        return (
            "the column appears twice in the header",
            "remove or rename one of the two",
        )
    if key == "rankingid":
        return (
            "this is the pairwise CSV format of WMT15 and later, with several rows per block",
            "provide the five-way CSV format, with one block per row",
        )
    if not is_five_way_column(key):
        return "the column is unknown", UNKNOWN_COLUMN
    return None


def _required_column(file: str, line: int, columns: dict[str, int], name: str) -> int:
    require_column(file, line, columns, name)
    return columns[name.lower()]


def _slots(file: str, line: int, columns: dict[str, int]) -> tuple[_Slot, ...]:
    last = 2
    for key in columns:
        match = _SLOT_COLUMN.fullmatch(key)
        if match:
            last = max(last, int(match.group(1)))
    slots = []
    for number in range(1, last + 1):
        slot = _Slot(
            number=columns.get(f"system{number}number"),
            id=_required_column(file, line, columns, f"system{number}Id"),
            rank=_required_column(file, line, columns, f"system{number}rank"),
        )
        slots.append(slot)
    return tuple(slots)


def document_of(text: str) -> str:
    """Return the name of a document; empty for -1, by which WMT marks a missing name."""
    if is_blank(text):
        return ""
    return whole_name(text)


def _row(file: str, line: int, layout: _Layout, cells: list[str]) -> JudgedBlock:
    def refuse(field: str | None, problem: str, remedy: str) -> NoReturn:
        column = None
        if field in layout.names:
            column = layout.names.index(field) + 1
        raise FormatError(file, problem, remedy, line=line, column=column, field=field)

    def cell(column: int) -> tuple[str, str]:
        return cells[column], layout.names[column]

    fixed = {name: cells[column] for name, column in layout.fixed.items()}
    filled(*cell(layout.fixed["srclang"]), refuse)
    filled(*cell(layout.fixed["trglang"]), refuse)
    slots = [slot for slot in layout.slots if _is_filled(slot, cell, refuse)]
    if not slots:
        refuse(
            layout.names[layout.slots[0].id],
            "the row has no systems",
            "remove the row, or name the systems that were judged",
        )
    block_systems: set[str] = set()
    candidates = [systems_of(*cell(slot.id), block_systems, refuse) for slot in slots]
    segment = segment_of(*cell(layout.fixed["srcIndex"]), refuse)
    judge = judge_of(*cell(layout.fixed["judgeId"]), refuse)
    labels = [label_of(*cell(slot.rank), refuse) for slot in slots]
    system_numbers = []
    for slot, systems in zip(slots, candidates, strict=True):
        numbers: tuple[int, ...] = ()
        if slot.number is not None:
            numbers = _numbers(*cell(slot.number), len(systems), refuse)
        system_numbers.append(numbers)
    best_worst = False
    if layout.best_worst is not None:
        best_worst = _is_set(*cell(layout.best_worst), refuse)
    return JudgedBlock(
        line=line,
        source_language=fixed["srclang"].strip(),
        target_language=fixed["trglang"].strip(),
        segment=segment,
        document=document_of(fixed["documentId"]),
        segment_id=whole_name(fixed["segmentId"]),
        judge=judge.strip(),
        candidates=tuple(candidates),
        labels=tuple(labels),
        system_numbers=tuple(system_numbers),
        best_worst=best_worst,
    )


def _is_set(text: str, field: str, refuse: Refuse) -> bool:
    if text.strip() not in {"", "0", "1"}:
        refuse(
            field,
            f"{text!r} is neither 0 nor 1",
            "write 1 for best-worst scaling, else 0",
        )
    return text.strip() == "1"


def _is_filled(
    slot: _Slot,
    cell: Callable[[int], tuple[str, str]],
    refuse: Refuse,
) -> bool:
    """Return whether a system is shown in this place of the row."""
    system, column = cell(slot.id)
    rank, field = cell(slot.rank)
    if system.strip() == rank.strip() == NOT_AVAILABLE:
        return False
    if system.strip() == _PLACEHOLDER and is_blank(rank):
        return False
    if not system.strip() and not is_blank(rank):
        refuse(
            field,
            f"the rank {rank.strip()!r} does not belong to a system",
            f"name the system in {column}, or make the rank -1",
        )
    return bool(system.strip())


def _numbers(text: str, field: str, systems: int, refuse: Refuse) -> tuple[int, ...]:
    if not text.strip():
        return ()
    parts = text.split(",")
    if len(parts) != systems:
        refuse(
            field,
            f"the cell has {counted(len(parts), 'number')} for {counted(systems, 'system')}",
            "use one number per system, in the same order, or leave the cell empty",
        )
    numbers = []
    for word in parts:
        number = integer(word.strip(), -MAX_INTEGER)
        if number is None:
            refuse(
                field,
                f"the system number {word.strip()!r} is not an integer",
                "use an integer, or leave the cell empty",
            )
        numbers.append(number)
    return tuple(numbers)


def write_five_way_csv(
    rows: Iterable[JudgedBlock],
    *,
    slots: int = 5,
    best_worst: bool = False,
) -> Iterator[str]:
    r"""Yield the header and one line per row, each ended by \n; `read_five_way_csv` reads them back.

    `slots` is the number of columns for systems; `best_worst` tells that all rows are of best-worst scaling. Texts that a spreadsheet would take for a formula
    get an apostrophe, which the reader removes.

    Raises ValueError for a row with more candidates.
    """
    yield five_way_header(slots, best_worst=best_worst)
    for row in rows:
        yield five_way_line(row, slots)


def five_way_line(row: JudgedBlock, slots: int) -> str:
    """Return a row as a line with columns for `slots` systems."""
    empty = slots - len(row.candidates)
    if empty < 0:
        raise ValueError(
            f"{len(row.candidates)} candidates do not fit into a row of {slots}",
        )
    cells = [
        neutral(row.source_language),
        neutral(row.target_language),
        str(row.segment),
        neutral(row.document),
        neutral(row.segment_id),
        neutral(row.judge),
    ]
    for systems, numbers in zip(row.candidates, row.system_numbers, strict=True):
        cells.append(neutral(",".join(map(str, numbers))))
        cells.append(neutral(",".join(systems)))
    cells += ["", ""] * empty
    for label in row.labels:
        cells.append(BLANK if label is None else str(label))
    cells += [BLANK] * empty
    if row.best_worst:
        cells.append("1")
    return csv_row(cells)


def five_way_header(slots: int, *, best_worst: bool = False) -> str:
    """Return the header line."""
    names = [*FIXED_COLUMNS]
    for slot in range(1, slots + 1):
        names += [f"system{slot}Number", f"system{slot}Id"]
    names += [f"system{slot}rank" for slot in range(1, slots + 1)]
    if best_worst:
        names.append(BEST_WORST)
    return csv_row(names)

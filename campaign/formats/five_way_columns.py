"""The five-way CSV in columns: some thousand rows at a time, and each text of a cell read once."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, islice
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from campaign.formats.errors import FormatError
from campaign.formats.five_way import Layout, Slot, document_of, header_read, row_read
from campaign.formats.formulas import restored
from campaign.formats.records import MAX_JUDGE_NAME, system_name_problem
from campaign.formats.streams import ByteStream
from campaign.formats.tables import MAX_INTEGER, Table, integer, is_blank
from campaign.texts.normalisation import UNSEEN

Integers = npt.NDArray[np.int64]
Key = TypeVar("Key")

_NONE: Final = -1
_WRONG: Final = -2


class _Cells(dict[Key, int]):
    """What each text of a kind of cell means, as a number; `_WRONG` for what is refused."""

    def __init__(self, read: Callable[[Key], int]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: Key) -> int:
        meaning = self[text] = self._read(text)
        return meaning

    def column(self, texts: Iterable[Key], count: int) -> Integers:
        return np.fromiter(map(self.__getitem__, texts), np.int64, count)


class FiveWayNames:
    """The names in five-way CSV files, numbered in the order in which they come; files may share them.

    Attributes
    ----------
    known_systems : collection of str, optional
        Any other system is an error.
    pairs : list of (str, str)
        Source and target language.
    judges : list of str
    candidates : list of tuple of str
        The systems of each candidate.
    """

    def __init__(self, known_systems: Collection[str] | None = None) -> None:
        self.known_systems = known_systems
        self.pairs: list[tuple[str, str]] = []
        self.judges: list[str] = []
        self.candidates: list[tuple[str, ...]] = []
        self._pair_numbers: dict[tuple[str, str], int] = {}
        self._judge_numbers: dict[str, int] = {}
        self._candidate_numbers: dict[tuple[str, ...], int] = {}
        self.pair_cells = _Cells(self._pair)
        self.judge_cells = _Cells(self._judge)
        self.candidate_cells = _Cells(self._candidate)
        self.index_cells = _Cells(_source_index)
        self.rank_cells = _Cells(_rank)
        self.number_cells = _Cells(_count_of_numbers)

    def _pair(self, texts: tuple[str, str]) -> int:
        source, target = (text.strip() for text in texts)
        if not source or not target:
            return _WRONG
        return _numbered(self.pairs, self._pair_numbers, (source, target))

    def _judge(self, text: str) -> int:
        name = text.strip()
        if not name or len(text) > MAX_JUDGE_NAME or UNSEEN.search(text):
            return _WRONG
        return _numbered(self.judges, self._judge_numbers, name)

    def _candidate(self, text: str) -> int:
        if not text.strip():
            return _NONE
        systems = tuple(name.strip() for name in text.split(","))
        is_unknown = self.known_systems is not None and not set(systems) <= set(self.known_systems)
        if is_unknown or len(set(systems)) < len(systems) or any(map(system_name_problem, systems)):
            return _WRONG
        return _numbered(self.candidates, self._candidate_numbers, systems)


def _numbered(names: list[Key], numbers: dict[Key, int], name: Key) -> int:
    number = numbers.setdefault(name, len(names))
    if number == len(names):
        names.append(name)
    return number


@dataclass(frozen=True, slots=True)
class FiveWayColumns:
    """Rows of a five-way CSV, in the file's order: n rows with places for k candidates.

    Attributes
    ----------
    file : str
    names : FiveWayNames
        What the numbers of pairs, judges and candidates stand for.
    lines : array of n integers
        Where the rows stand, from 1.
    source_index : array of n integers
        The number of the segment, from 1.
    pairs, judges : array of n integers
    candidates : array of n × k integers
        As shown; -1 where a place shows none, which may be any place.
    labels : array of n × k integers
        1 (best) to 5; 0 where the judge left the candidate blank, and where there is none.
    documents, segment_ids : sequence of n str
        As the file has them.
    """

    file: str
    names: FiveWayNames = field(repr=False)
    lines: Integers
    source_index: Integers
    pairs: Integers
    judges: Integers
    candidates: Integers
    labels: Integers
    documents: Sequence[str]
    segment_ids: Sequence[str]

    def __len__(self) -> int:
        return len(self.lines)

    def only(self, chosen: npt.NDArray[np.bool_]) -> "FiveWayColumns":
        """Return the rows where `chosen`, an array of n, is True."""
        if chosen.all():
            return self
        return FiveWayColumns(
            file=self.file,
            names=self.names,
            lines=self.lines[chosen],
            source_index=self.source_index[chosen],
            pairs=self.pairs[chosen],
            judges=self.judges[chosen],
            candidates=self.candidates[chosen],
            labels=self.labels[chosen],
            documents=list(compress(self.documents, chosen)),
            segment_ids=list(compress(self.segment_ids, chosen)),
        )

    def error(self, row: int, problem: str, remedy: str, field: str | None = None) -> FormatError:
        """Return the error about a row, by its place in the columns."""
        return FormatError(self.file, problem, remedy, line=int(self.lines[row]), field=field)


def read_five_way_columns(
    stream: ByteStream, name: str, *, names: FiveWayNames, rows_at_once: int = 8_000
) -> Iterator[FiveWayColumns]:
    """Yield the judged blocks of a five-way CSV as columns, `rows_at_once` of them at most.

    Says what `read_five_way_csv` says of a file, and refuses what it refuses with the same FormatError.
    Five times as fast: what a cell means is looked up among the texts that came before.
    """
    layout, table = header_read(stream, name)
    unreadable: FormatError | None = None
    while unreadable is None:
        some: list[tuple[int, str]] = []
        try:
            some.extend(islice(table.lines, rows_at_once))
        except FormatError as error:
            # The rows before it come first, and what is wrong with them.
            unreadable = error
        if not some:
            break
        columns = _columns(table, some, layout, names)
        if columns is None:
            # Read again row by row, which finds the first that is wrong and says what.
            for line, text in some:
                row_read(line, text, layout, table, names.known_systems)
            raise AssertionError(
                f"{name}: rows from line {some[0][0]} are refused without a reason"
            )
        yield columns
    if unreadable is not None:
        raise unreadable


def _columns(
    table: Table, numbered: list[tuple[int, str]], layout: Layout, names: FiveWayNames
) -> FiveWayColumns | None:
    """Return the columns of these lines; None if one of them is wrong."""
    lines, texts = zip(*numbered, strict=True)
    cells = _cells_by_column(texts, table)
    if cells is None or any(map(str.strip, chain(*map(cells.__getitem__, table.unnamed)))):
        return None
    fixed, count = layout.fixed, len(texts)
    columns = FiveWayColumns(
        file=table.file,
        names=names,
        lines=np.array(lines, dtype=np.int64),
        source_index=names.index_cells.column(cells[fixed["srcIndex"]], count),
        pairs=names.pair_cells.column(
            zip(cells[fixed["srclang"]], cells[fixed["trglang"]], strict=True), count
        ),
        judges=names.judge_cells.column(cells[fixed["judgeId"]], count),
        candidates=_stacked(
            names.candidate_cells.column(cells[slot.id], count) for slot in layout.slots
        ),
        labels=_stacked(names.rank_cells.column(cells[slot.rank], count) for slot in layout.slots),
        documents=list(map(document_of, cells[fixed["documentId"]])),
        segment_ids=cells[fixed["segmentId"]],
    )
    numbers = _stacked(_counts(slot, cells, names) for slot in layout.slots)
    return None if _is_wrong(columns, numbers) else columns


def _cells_by_column(texts: Sequence[str], table: Table) -> list[Sequence[str]] | None:
    cells = _written_cells_by_column(texts, table)
    if cells is None or not any("'" in text for text in texts):
        return cells
    return [[restored(cell) for cell in column] for column in cells]


def _written_cells_by_column(texts: Sequence[str], table: Table) -> list[Sequence[str]] | None:
    width, together = len(table.names), table.separator.join(texts)
    if '"' in together or max(map(len, texts)) > csv.field_size_limit():
        return _quoted_cells_by_column(texts, table)
    # Without quotes, each separator ends a cell.
    if {text.count(table.separator) for text in texts} != {width - 1}:
        return None
    cells = together.split(table.separator)
    return [cells[column::width] for column in range(width)]


def _quoted_cells_by_column(texts: Sequence[str], table: Table) -> list[Sequence[str]] | None:
    try:
        rows = list(csv.reader(texts, delimiter=table.separator, strict=True))
    except csv.Error:
        return None
    # Fewer rows than lines: a quote that is not closed has swallowed a line.
    if len(rows) != len(texts) or set(map(len, rows)) != {len(table.names)}:
        return None
    return list(zip(*rows, strict=True))


def _counts(slot: Slot, cells: list[Sequence[str]], names: FiveWayNames) -> Integers:
    """Return how many system numbers a slot's cells hold; 0 for those left empty."""
    if slot.number is None:
        return np.zeros(len(cells[slot.id]), dtype=np.int64)
    return names.number_cells.column(cells[slot.number], len(cells[slot.number]))


def _stacked(columns: Iterable[Integers]) -> Integers:
    return np.stack(list(columns), axis=1)


def _is_wrong(columns: FiveWayColumns, numbers: Integers) -> bool:
    """Return whether any row must be refused."""
    candidates = columns.candidates
    is_shown = candidates >= 0
    one_each = (columns.source_index, columns.pairs, columns.judges)
    if any((column == _WRONG).any() for column in (*one_each, candidates, columns.labels)):
        return True
    # A row without systems, a rank without one.
    if not is_shown.any(axis=1).all() or columns.labels[~is_shown].any():
        return True
    sizes = np.fromiter(map(len, columns.names.candidates), np.int64)
    if (is_shown & (numbers != 0) & (numbers != sizes[candidates])).any():
        return True
    return _has_a_system_twice(columns.names.candidates, candidates)


def _has_a_system_twice(named: list[tuple[str, ...]], candidates: Integers) -> bool:
    systems: dict[str, int] = {}
    # The last row stands for no candidate, -1; empty places are numbers of their own, below 0.
    by_candidate = np.full((len(named) + 1, max(map(len, named))), _NONE, dtype=np.int64)
    for number, names in enumerate(named):
        by_candidate[number, : len(names)] = [
            systems.setdefault(name, len(systems)) for name in names
        ]
    shown = np.sort(by_candidate[candidates].reshape(len(candidates), -1), axis=1)
    return bool(((shown[:, 1:] == shown[:, :-1]) & (shown[:, 1:] >= 0)).any())


def _source_index(text: str) -> int:
    index = integer(text.strip(), 1)
    return _WRONG if index is None else index


def _rank(text: str) -> int:
    if is_blank(text):
        return 0
    rank = integer(text.strip(), 1)
    return _WRONG if rank is None or rank > 5 else rank


def _count_of_numbers(text: str) -> int:
    if not text.strip():
        return 0
    numbers = [integer(number.strip(), -MAX_INTEGER) for number in text.split(",")]
    return _WRONG if None in numbers else len(numbers)

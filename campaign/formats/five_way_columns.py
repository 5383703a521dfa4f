"""The five-way CSV in columns, some thousand rows at a time, as the importers write it."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from campaign.formats.errors import FormatError
from campaign.formats.five_way import read_five_way_csv
from campaign.formats.records import FiveWayRow
from campaign.formats.streams import ByteStream

Integers = npt.NDArray[np.int64]
Key = TypeVar("Key", bound=Hashable)

_NONE: Final = -1


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

    def pair(self, row: FiveWayRow) -> int:
        """Return the number of a row's languages."""
        pair = (row.source_language.strip(), row.target_language.strip())
        return _numbered(self.pairs, self._pair_numbers, pair)

    def judge(self, row: FiveWayRow) -> int:
        """Return the number of a row's judge."""
        return _numbered(self.judges, self._judge_numbers, row.judge.strip())

    def shown(self, row: FiveWayRow) -> list[int]:
        """Return the numbers of a row's candidates."""
        return [
            _numbered(self.candidates, self._candidate_numbers, candidate)
            for candidate in row.candidates
        ]


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
        As shown; -1 after the last of a row.
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

    Raises the FormatError of `read_five_way_csv`.
    """
    rows = read_five_way_csv(stream, name, known_systems=names.known_systems)
    while some := list(islice(rows, rows_at_once)):
        yield FiveWayColumns(
            file=name,
            names=names,
            lines=_numbers(row.line for row in some),
            source_index=_numbers(row.source_index for row in some),
            pairs=_numbers(map(names.pair, some)),
            judges=_numbers(map(names.judge, some)),
            candidates=_padded([names.shown(row) for row in some], _NONE),
            labels=_padded([[label or 0 for label in row.labels] for row in some], 0),
            documents=[row.document for row in some],
            segment_ids=[row.segment_id for row in some],
        )


def _numbers(values: Iterable[int]) -> Integers:
    return np.fromiter(values, np.int64)


def _padded(rows: Sequence[Sequence[int]], filling: int) -> Integers:
    padded = np.full((len(rows), max(map(len, rows))), filling, dtype=np.int64)
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded

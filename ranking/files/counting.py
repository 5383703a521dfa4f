"""Count the judgments of Parquet files in shards of whole segments, on any engine, one shard in memory at a time."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np

from campaign.formats import Location
from campaign.formats.tables import MAX_INTEGER
from ranking.core.rankings.shard_counts import (
    AddedCounts,
    CountOptions,
    ShardCounts,
    count_shard,
)
from ranking.core.sharding import Engine, in_threads, map_shards, take_shards
from ranking.files.arena import holds_votes
from ranking.files.parquet_reading import MAGIC, opened, read_row_groups
from ranking.files.records import (
    NO_JUDGE,
    FileRead,
    InputFormat,
    JudgmentFacts,
    JudgmentSelection,
    LanguagePair,
    ignored_of,
)
from ranking.files.selecting import (
    RowSources,
    Selected,
    one_language_pair,
    pairs_chosen,
    selected,
)
from ranking.files.vocabulary import Columns, Int32Array, Vocabulary, blocks_of, joined

#: A shard ends at the first segment boundary after this many rows: enough to benefit from compiled
#: code.
ROWS_OF_A_SHARD = 250_000
#: Largest share of a shard's rows that the next shard may have to read again.
_MOST_READ_TWICE = 0.25


@dataclass(frozen=True)
class RowGroup:
    """A row group of a file, with the smallest and the largest segment in it."""

    file: str
    number: int
    first: int
    last: int
    rows: int


@dataclass(frozen=True)
class SegmentShard:
    """The judgments of segments `first` … `last`, and the row groups that may hold some.

    Attributes
    ----------
    first, last : int
    groups : tuple of pairs of str and tuple of int
        For each file, the numbers of its row groups.
    rows : int
        Rows of these row groups.
    """

    first: int
    last: int
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    rows: int


def row_groups_of(names: Sequence[str]) -> list[RowGroup]:
    """Return the row groups of files of judgments, from their footers alone.

    Raises
    ------
    FormatError
        If a file is not Parquet, has other columns, or is empty.
    """
    row_groups = []
    for name in names:
        with opened(name, name) as file:
            if not file.starts[-1]:
                raise Location(name, 1).error(
                    "the file has no judgments",
                    "use a file with judgments",
                )
            for number in range(file.row_groups):
                first, last = file.segments_of(number) or (1, MAX_INTEGER)
                rows = int(file.starts[number + 1] - file.starts[number])
                row_groups.append(RowGroup(name, number, first, last, rows))
    return row_groups


def cut_into_shards(
    groups: Sequence[RowGroup],
    rows: int = ROWS_OF_A_SHARD,
) -> list[SegmentShard]:
    """Cut row groups into shards of whole segments.

    Files sorted by segment are cut into shards of about `rows` rows. Where row groups hold segments
    from everywhere, each shard would have to read nearly all of them, so there is only one shard.

    Parameters
    ----------
    groups : sequence of RowGroup
    rows : int
        Rows of a shard, at least.

    Returns
    -------
    list of SegmentShard
        Each segment is in one of them.
    """
    shards: list[SegmentShard] = []
    begin = 0
    inside = list[RowGroup]()
    for group in sorted(groups, key=attrgetter("first", "last")):
        size = _rows_of(inside)
        if size >= rows:
            shared = [earlier for earlier in inside if earlier.last >= group.first]
            if _rows_of(shared) <= _MOST_READ_TWICE * size:
                shards.append(_shard(begin, group.first - 1, inside))
                begin = group.first
                inside = shared
        inside.append(group)
    if inside:
        shards.append(_shard(begin, MAX_INTEGER, inside))
    return shards


def _rows_of(groups: Sequence[RowGroup]) -> int:
    return sum(group.rows for group in groups)


def _shard(first: int, last: int, groups: Sequence[RowGroup]) -> SegmentShard:
    by_file: dict[str, list[int]] = {}
    for group in groups:
        by_file.setdefault(group.file, []).append(group.number)
    numbers_by_file = []
    for file, numbers in by_file.items():
        numbers_by_file.append((file, tuple(sorted(numbers))))
    return SegmentShard(
        first=first,
        last=last,
        groups=tuple(numbers_by_file),
        rows=_rows_of(groups),
    )


@dataclass(frozen=True)
class ShardRequest:
    """The request to each shard.

    Attributes
    ----------
    selection : JudgmentSelection
    leave_out : str or None
        A system to leave out of rankings if it occurs: the reference.
    counts : CountOptions
    copies : mapping of str to int
        How often each file holds its whole content; once if it is not named.
    """

    selection: JudgmentSelection
    leave_out: str | None
    counts: CountOptions
    copies: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ShardContent:
    """The content of a shard.

    Attributes
    ----------
    languages : tuple of pairs of str
        All language pairs in it.
    selected : Selected
        Facts about the selected pair.
    counts : ShardCounts or None
        None if there is no judged block.
    """

    languages: tuple[LanguagePair, ...]
    selected: Selected = field(default_factory=Selected)
    counts: ShardCounts | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgmentsCounted(JudgmentFacts):
    """Content of files, with the counts of their selected judgments.

    Attributes
    ----------
    systems : tuple of str
        All judged systems, including the one that is left out.
    counts : AddedCounts
    """

    systems: tuple[str, ...]
    counts: AddedCounts


def is_counted(name: str) -> bool:
    """Return whether a file holds judgments in Parquet; votes are read as a whole instead."""
    try:
        with Path(name).open("rb") as file:
            is_parquet = file.read(len(MAGIC)) == MAGIC
        return is_parquet and not holds_votes(name, name)
    except OSError:
        return False


def names_documents(names: Sequence[str]) -> bool:
    """Return whether any of the Parquet files has a column of documents.

    Raises
    ------
    FormatError
        If a file is not Parquet, or has other columns.
    """
    for name in names:
        with opened(name, name) as file:
            if "documentid" in file.columns:
                return True
    return False


def count_files(
    names: Sequence[str],
    request: ShardRequest,
    *,
    rows: int = ROWS_OF_A_SHARD,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> JudgmentsCounted:
    """Count the judgments of one language pair in Parquet files.

    Workers on other machines must see the files under the same paths.

    Parameters
    ----------
    names : sequence of str
    request : ShardRequest
    rows : int
        Rows of a shard, at least. Does not affect the result.
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.
    progress : callable, optional
        Called with (rows counted, all rows).

    Returns
    -------
    JudgmentsCounted
        The same as from `read_judgments` and `count_judgments`, bit for bit.

    Raises
    ------
    FormatError
        If a file is malformed, or only one system was judged.
    SelectionError
        As from `read_judgments`.
    """
    shards = cut_into_shards(row_groups_of(names), rows)
    hashes = map_shards(hash_of_file, names, engine=engine)
    files = list(map(FileRead, names, hashes))
    total = _count_shards(request, files, shards, engine, progress)
    # Only all shards together show that a file holds its whole content several times.
    copies = {name: times for name, times in total.copies.items() if times > 1}
    if copies:
        total = _count_shards(
            replace(request, copies=copies),
            files,
            shards,
            engine,
            progress,
        )
    return total.counted()


def _count_shards(
    request: ShardRequest,
    files: Sequence[FileRead],
    shards: Sequence[SegmentShard],
    engine: Engine | None,
    progress: Callable[[int, int], None] | None,
) -> "_Total":
    total = _Total(request, files)
    take_shards(
        total.add,
        partial(count_part, request),
        shards,
        engine=engine,
        progress=progress,
        sizes=[shard.rows for shard in shards],
    )
    return total


@in_threads
def hash_of_file(name: str) -> str:
    """Return the SHA-256 of a file as stored."""
    with Path(name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@in_threads
def count_part(request: ShardRequest, shard: SegmentShard) -> ShardContent:
    """Read a shard, and compute the requested counts."""
    vocabulary = Vocabulary()
    columns, file = _read(shard, vocabulary)
    there = tuple(vocabulary.languages)
    chosen = pairs_chosen(there, request.selection)
    if len(chosen) != 1:
        # Can only be checked once all shards are known.
        return ShardContent(languages=there)
    sources = RowSources(
        tuple(name for name, _groups in shard.groups),
        file,
        request.copies,
    )
    judged, rest = selected(
        columns,
        vocabulary,
        chosen[0],
        request.selection.exclude_judges,
        sources,
    )
    del columns
    counts = None
    if len(judged):
        blocks = blocks_of(judged, rest.systems, vocabulary)
        if request.leave_out in blocks.systems:
            blocks = blocks.without([request.leave_out])
        counts = count_shard(
            blocks,
            judged.document,
            list(vocabulary.documents),
            request.counts,
        )
    return ShardContent(there, rest, counts)


def _read(shard: SegmentShard, vocabulary: Vocabulary) -> tuple[Columns, Int32Array]:
    """Return the rows of a shard, and the number of the file of each."""
    parts = []
    numbers = []
    for number, (name, groups) in enumerate(shard.groups):
        with opened(name, name) as file:
            for columns in read_row_groups(file, vocabulary, groups):
                inside = (columns.segment >= shard.first) & (
                    columns.segment <= shard.last
                )
                parts.append(columns.take(inside))
                numbers.append(np.full(len(parts[-1]), number, dtype=np.int32))
    return joined(parts), np.concatenate([np.empty(0, dtype=np.int32), *numbers])


class _Total:
    """The sum of the shards so far."""

    def __init__(self, request: ShardRequest, files: Sequence[FileRead]) -> None:
        self._request = request
        self._files = tuple(files)
        self._languages: set[LanguagePair] = set()
        self._selected = Selected()
        self._counts = AddedCounts(request.counts)

    @property
    def copies(self) -> Mapping[str, int]:
        """How often each file holds its whole content."""
        return self._selected.copies

    def add(self, _number: int, part: ShardContent) -> None:
        """Add the counts of a shard."""
        self._languages.update(part.languages)
        if len(pairs_chosen(self._languages, self._request.selection)) > 1:
            one_language_pair(
                self._languages,
                self._request.selection,
            )  # raises immediately
        self._selected += part.selected
        if part.counts is not None:
            self._counts.add(part.counts)

    def counted(self) -> JudgmentsCounted:
        selection = self._request.selection
        counts = self._counts
        ignored = None
        if not counts.documents_count:
            ignored = ignored_of(
                counts.naming,
                counts.blocks,
                several=len(counts.documents) > 1,
            )
        return JudgmentsCounted(
            input_format=InputFormat.PARQUET,
            languages=one_language_pair(self._languages, selection),
            judges=sum(name != NO_JUDGE for name in counts.judges),
            ignored_documents=ignored,
            losses=self._selected.losses(self._files),
            systems=self._selected.systems,
            counts=counts,
            **self._selected.facts(self._files, selection),
        )

"""Cut Parquet files into shards of whole segments, by what the files say of their row groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaign.formats import Place
from campaign.formats.tables import MAX_INTEGER
from ranking.files.parquet.opening import opened

#: A shard ends where a segment ends after so many rows: enough for compiled code to pay.
ROWS_OF_A_SHARD = 250_000
#: Row groups that two shards must read may be so much of a shard.
_MOST_READ_TWICE = 0.25


@dataclass(frozen=True)
class RowGroup:
    """A row group of a file, with the least and the largest segment in it."""

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
        If a file is no Parquet, has other columns, or is empty.
    """
    found = []
    for name in names:
        with opened(name, name) as file:
            if not file.starts[-1]:
                raise Place(name, 1).error(
                    "the file holds no judgment", "give a file with judgments"
                )
            for number in range(file.row_groups):
                first, last = file.segments_of(number) or (1, MAX_INTEGER)
                rows = int(file.starts[number + 1] - file.starts[number])
                found.append(RowGroup(name, number, first, last, rows))
    return found


def cut_into_shards(groups: Sequence[RowGroup], rows: int = ROWS_OF_A_SHARD) -> list[SegmentShard]:
    """Cut row groups into shards of whole segments.

    Files sorted by segment are cut into shards of about so many rows. Where row groups hold segments
    from everywhere, a shard would have to read nearly all of them: then there is one shard.

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
    begin, inside = 0, list[RowGroup]()
    for group in sorted(groups, key=lambda group: (group.first, group.last)):
        size = _rows(inside)
        if size >= rows:
            shared = [each for each in inside if each.last >= group.first]
            if _rows(shared) <= _MOST_READ_TWICE * size:
                shards.append(_shard(begin, group.first - 1, inside))
                begin, inside = group.first, shared
        inside.append(group)
    if inside:
        shards.append(_shard(begin, MAX_INTEGER, inside))
    return shards


def _rows(groups: Sequence[RowGroup]) -> int:
    return sum(group.rows for group in groups)


def _shard(first: int, last: int, groups: Sequence[RowGroup]) -> SegmentShard:
    by_file: dict[str, list[int]] = {}
    for group in groups:
        by_file.setdefault(group.file, []).append(group.number)
    return SegmentShard(
        first=first,
        last=last,
        groups=tuple((file, tuple(sorted(numbers))) for file, numbers in by_file.items()),
        rows=_rows(groups),
    )

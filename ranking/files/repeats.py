"""Leave out repeated judgments of ranked blocks, by the rule of all formats (`campaign.formats.repeats`).

A judge may be given a block again on purpose, which measures how well they agree with themselves, so an equal
judgment counts unless its duration is also equal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray
from ranking.files.vocabulary import Columns, Int32Array

#: An odd multiplier whose bits look random; 2^64 divided by the golden ratio.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True)
class RowsWithFiles:
    """N judgments and skips, of which some may be equal.

    Attributes
    ----------
    columns : Columns
    file : int32, shape (N,)
        The number of the file of each.
    """

    columns: Columns
    file: Int32Array

    @cached_property
    def suspects(self) -> npt.NDArray[np.int64]:
        """The rows that may equal another one."""
        return _perhaps_repeated(self.columns)

    def copies(self) -> dict[int, int]:
        """Return how often each file holds its whole content, among its judgments without a duration.

        It is n if each of them stands in the file n times, or a multiple of n. Files without such judgments are left
        out.
        """
        is_untimed = self.columns.duration_ms < 0
        untimed = np.bincount(self.file[is_untimed])
        suspects = self.suspects[is_untimed[self.suspects]]
        suspects_file = self.file[suspects]
        suspected = np.bincount(suspects_file, minlength=len(untimed))
        copies = {}
        for number in untimed.nonzero()[0].tolist():
            copies[number] = 1
            if suspected[number] == untimed[number]:
                rows = self.columns.rows(suspects[suspects_file == number])
                copies[number] = _times_whole(rows)
        return copies

    def counted(self, copies: Mapping[int, int], *, without_judge: int) -> BoolArray:
        """Return which rows count, shape (N,).

        Parameters
        ----------
        copies : mapping of int to int
            How often each file holds its whole content; once if it is not named.
        without_judge : int
            The number of the judge that stands for unknown judges: equal judgments of two files may be two people's.
        """
        counts = np.ones(len(self.columns), dtype=np.bool_)
        suspects = self.suspects
        if not len(suspects):
            return counts
        rows = self.columns.rows(suspects)
        file = self.file[suspects]
        contents = _contents(rows)
        is_timed = rows.duration_ms >= 0
        # Judgments without a duration are numbered within their file; a copy has the number of its original.
        occurrence = _occurrences([contents, rows.duration_ms, file])
        file_count = int(self.file.max()) + 1
        copies_by_file = np.ones(file_count, dtype=np.int64)
        for number, count in copies.items():
            if number < file_count:
                copies_by_file[number] = count
        times = copies_by_file[file]
        is_copy = ~is_timed & (occurrence % times > 0)
        original = np.where(is_timed, 0, occurrence // times)
        is_anonymous = rows.judge == without_judge
        origin = np.where(is_anonymous & ~is_timed, file, -1)
        keys = [contents, rows.duration_ms, original, origin]
        is_again = _occurrences(keys) > 0
        counts[suspects] = ~(is_copy | is_again)
        return counts


def repeats_among(columns: Columns) -> int:
    """Return how many judgments equal an earlier one, whatever their durations."""
    suspects = _perhaps_repeated(columns)
    if not len(suspects):
        return 0
    contents = _contents(columns.rows(suspects))
    return len(suspects) - len(np.unique(contents))


def _times_whole(rows: Columns) -> int:
    """Return how often rows hold their whole content: the greatest common divisor of how often each row appears."""
    counts = np.unique(_contents(rows), return_counts=True)[1]
    return int(np.gcd.reduce(counts))


def _parts(columns: Columns) -> list[npt.NDArray[np.int32]]:
    """Return the columns of a judgment's content."""
    return [
        columns.language,
        columns.judge,
        columns.segment,
        columns.document,
        *columns.candidate.T,
        *columns.label.T.astype(np.int32),
    ]


def _perhaps_repeated(columns: Columns) -> npt.NDArray[np.int64]:
    """Return the rows that may equal another one: those that share a hash."""
    hashed = np.zeros(len(columns), dtype=np.uint64)
    for part in _parts(columns):
        hashed = (hashed ^ part.astype(np.uint64)) * _MULTIPLIER
        hashed ^= hashed >> _SHIFT
    order = np.argsort(hashed, kind="stable")
    in_order = hashed[order]
    is_same = in_order[1:] == in_order[:-1]
    is_shared = np.zeros(len(order), dtype=np.bool_)
    is_shared[1:] |= is_same
    is_shared[:-1] |= is_same
    return np.sort(order[is_shared])


def _contents(columns: Columns) -> npt.NDArray[np.int64]:
    """Return a number for the content of each row, without its duration."""
    table = np.ascontiguousarray(np.column_stack(_parts(columns)).astype(np.int32))
    row_bytes = table.itemsize * table.shape[1]
    whole_rows = table.view(f"V{row_bytes}").ravel()
    return np.unique(whole_rows, return_inverse=True)[1].astype(np.int64)


def _occurrences(keys: Sequence[npt.NDArray[np.integer]]) -> npt.NDArray[np.int64]:
    """Return how many earlier rows have the same keys."""
    order = np.lexsort(keys)
    is_first = np.zeros(len(order), dtype=np.bool_)
    is_first[:1] = True
    for key in keys:
        in_order = key[order]
        is_first[1:] |= in_order[1:] != in_order[:-1]
    starts = np.flatnonzero(is_first)
    run = np.cumsum(is_first) - 1
    position_in_run = np.arange(len(order)) - starts[run]
    occurrences = np.empty(len(order), dtype=np.int64)
    occurrences[order] = position_in_run
    return occurrences

"""Leave out repeated judgments of ranked blocks, by the rule of all formats (`campaign.formats.repeats`).

A judge may be given a block again on purpose, which measures how well they agree with themselves, so an equal
judgment counts unless its duration is also equal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import gcd

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
        suspected = np.bincount(self.file[suspects], minlength=len(untimed))
        found = {}
        for number in untimed.nonzero()[0].tolist():
            found[number] = 1
            if suspected[number] == untimed[number]:
                own = self.columns.rows(suspects[self.file[suspects] == number])
                times = np.unique(_contents(own), return_counts=True)[1]
                found[number] = reduce(gcd, times.tolist())
        return found

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
        of_file = self.file[suspects]
        contents = _contents(rows)
        is_timed = rows.duration_ms >= 0
        # Judgments without a duration are numbered within their file; a copy has the number of its original.
        occurrence = _occurrences([contents, rows.duration_ms, of_file])
        by_file = np.array(
            [copies.get(number, 1) for number in range(int(self.file.max()) + 1)]
        )
        times = by_file[of_file]
        which = np.where(is_timed, 0, occurrence // times)
        is_copy = ~is_timed & (occurrence % times > 0)
        is_anonymous = rows.judge == without_judge
        origin = np.where(is_anonymous & ~is_timed, of_file, -1)
        is_again = _occurrences([contents, rows.duration_ms, which, origin]) > 0
        counts[suspects] = ~(is_copy | is_again)
        return counts


def repeats_among(columns: Columns) -> int:
    """Return how many judgments equal an earlier one, whatever their durations."""
    suspects = _perhaps_repeated(columns)
    if not len(suspects):
        return 0
    return len(suspects) - int(_contents(columns.rows(suspects)).max()) - 1


def _parts(columns: Columns) -> list[npt.NDArray[np.int32]]:
    places = range(columns.candidate.shape[1])
    return [
        columns.language,
        columns.judge,
        columns.segment,
        columns.document,
        *(columns.candidate[:, position] for position in places),
        *(columns.label[:, position].astype(np.int32) for position in places),
    ]


def _perhaps_repeated(columns: Columns) -> npt.NDArray[np.int64]:
    """Return the rows that may equal another one: those that share a hash."""
    hashed = np.zeros(len(columns), dtype=np.uint64)
    for part in _parts(columns):
        hashed = (hashed ^ part.astype(np.uint64)) * _MULTIPLIER
        hashed ^= hashed >> _SHIFT
    order = np.argsort(hashed, kind="stable")
    same = hashed[order[1:]] == hashed[order[:-1]]
    is_shared = np.append(same, False) | np.append(False, same)
    return np.sort(order[is_shared[: len(order)]])


def _contents(columns: Columns) -> npt.NDArray[np.int64]:
    """Return a number for the content of each row, without its duration."""
    table = np.ascontiguousarray(np.column_stack(_parts(columns)).astype(np.int32))
    whole_rows = table.view(f"V{table.itemsize * table.shape[1]}").ravel()
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
    occurrences = np.empty(len(order), dtype=np.int64)
    occurrences[order] = np.arange(len(order)) - starts[run]
    return occurrences

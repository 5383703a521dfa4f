"""Whole-number sums by key, which add up to the same in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]

#: Bits of the first column of every key, the judge.
JUDGE_BITS = 20

_MOST_BITS = 62


@dataclass(frozen=True, eq=False)
class KeyedSums:
    """Sums of whole numbers for each of N keys, in one canonical form.

    A key is a row of small whole numbers, of which the first is the index of a judge. Two sums are
    equal exactly if they hold the same numbers, whatever was added or removed in which order.

    Attributes
    ----------
    bits : tuple of int
        Bits of each column of the keys, at most 62 in all.
    code : int64, shape (N,)
        The keys, each packed into one number; sorted, without duplicates.
    values : int64, shape (N, V)
        V sums for each key, not all of them 0.
    """

    bits: tuple[int, ...]
    code: Int64Array
    values: Int64Array

    @classmethod
    def of(
        cls,
        bits: tuple[int, ...],
        columns: Sequence[npt.NDArray[np.integer]],
        values: npt.NDArray[np.integer],
    ) -> KeyedSums:
        """Return the sums of rows with equal keys.

        Parameters
        ----------
        bits : tuple of int
        columns : sequence of integer, shape (M,)
            The columns of the keys.
        values : integer, shape (M, V)

        Returns
        -------
        KeyedSums

        Raises
        ------
        ValueError
            If a number of a key is negative or needs more bits.
        """
        code = np.zeros(len(values), dtype=np.int64)
        for width, column in zip(bits, columns, strict=True):
            if column.size and not 0 <= int(column.min()) <= int(column.max()) < 1 << width:
                raise ValueError(f"keys: expected numbers from 0 to {(1 << width) - 1}")
            code = (code << width) | column.astype(np.int64)
        return cls._summed(bits, code, values.astype(np.int64))

    @classmethod
    def empty(cls, bits: tuple[int, ...], values: int) -> KeyedSums:
        """Return no sums, with so many values for each key."""
        if sum(bits) > _MOST_BITS:
            raise ValueError(f"keys: expected at most {_MOST_BITS} bits")
        return cls(bits, np.empty(0, dtype=np.int64), np.empty((0, values), dtype=np.int64))

    @classmethod
    def total(cls, parts: Iterable[KeyedSums]) -> KeyedSums:
        """Return the sum of one or more parts."""
        given = list(parts)
        listed = [part for part in given if len(part)]
        if len(listed) <= 1:
            return (listed or given)[0]
        return cls._summed(
            listed[0].bits,
            np.concatenate([part.code for part in listed]),
            np.concatenate([part.values for part in listed]),
        )

    @classmethod
    def _summed(cls, bits: tuple[int, ...], code: Int64Array, values: Int64Array) -> KeyedSums:
        # A stable sort only merges what is in order already, as when few rows are added to many.
        order = np.argsort(code, kind="stable")
        code, values = code[order], values[order]
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        if len(starts) < len(code):
            code, values = code[starts], np.add.reduceat(values, starts, axis=0)
        kept = np.zeros(len(code), dtype=np.bool_)
        for column in values.T:
            kept |= column != 0
        return cls(bits, code, values) if kept.all() else cls(bits, code[kept], values[kept])

    def __add__(self, other: KeyedSums) -> KeyedSums:
        """Return both together."""
        return KeyedSums.total([self, other])

    def __sub__(self, other: KeyedSums) -> KeyedSums:
        """Return these sums without the others; sums can be negative."""
        return KeyedSums.total([self, KeyedSums(other.bits, other.code, -other.values)])

    def __eq__(self, other: object) -> bool:
        """Return whether all keys and sums are the same."""
        if not isinstance(other, KeyedSums):
            return NotImplemented
        return (
            self.bits == other.bits
            and np.array_equal(self.code, other.code)
            and np.array_equal(self.values, other.values)
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        """Return the number of keys, N."""
        return len(self.code)

    def columns(self) -> list[Int64Array]:
        """Return the columns of the keys, each of shape (N,)."""
        found, rest = [], self.code
        for width in reversed(self.bits):
            found.append(rest & ((1 << width) - 1))
            rest = rest >> width
        return found[::-1]

    @property
    def judge(self) -> Int64Array:
        """Index of the judge of each key, shape (N,)."""
        judge: Int64Array = self.code >> sum(self.bits[1:])
        return judge

    def differing_judges(self, other: KeyedSums) -> Int64Array:
        """Return the judges whose sums are others, by index; some more than once."""
        if not np.array_equal(self.code, other.code):
            return (self - other).judge
        differ = (self.values != other.values).any(axis=1)
        return self.judge[np.flatnonzero(differ)]

    def renumbered(self, index: Int64Array) -> KeyedSums:
        """Return the sums of judges under other indices; those with a negative index are left out.

        Parameters
        ----------
        index : int64, shape (J,)
            The new index of each judge, in the order of the old ones.
        """
        rest = sum(self.bits[1:])
        kept = np.flatnonzero(index >= 0)
        starts, ends = np.searchsorted(self.code, np.stack([kept, kept + 1]) << rest)
        lengths = ends - starts
        # The rows from each start to its end, one after the other.
        rows = np.arange(lengths.sum()) + np.repeat(ends - np.cumsum(lengths), lengths)
        code = np.repeat(index[kept], lengths) << rest | self.code[rows] & ((1 << rest) - 1)
        if np.all(np.diff(index[kept]) > 0):
            return KeyedSums(self.bits, code, self.values[rows])
        return KeyedSums._summed(self.bits, code, self.values[rows])

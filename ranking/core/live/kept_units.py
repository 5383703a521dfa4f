"""Counts of units that later judgments may belong to, with the second moments of these counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import chunks
from ranking.core.live.packing import IntArray, small_type

Int64Array = npt.NDArray[np.int64]
#: A judge's name, a document's number, or both.
Key = tuple[str | int, ...]
#: Cells, and their counts.
Entries = tuple[IntArray, IntArray]

#: The number of units up to which changing their moments one by one is fastest.
FEW = 32
#: The number of units whose dense counts are held at a time.
UNITS_AT_A_TIME = 1024
#: The number of units with arrays of their own beyond which all units go into the same arrays again,
#: unless that is less than this part of the others: many units are then not moved for each few.
MOST_APART, MOST_APART_PART = 4096, 8


class KeptUnits:
    """Counts c_u of units by key, and Σ c_u c_uᵀ, for k cells.

    The counts of most units stand in the same two arrays, in small types; those of units that changed, in
    arrays of their own, which take five times the memory and are scattered in it. Their number is bounded.

    Attributes
    ----------
    matrix : int64, shape (k, k)
    """

    def __init__(self, cells: int) -> None:
        self.matrix: Int64Array = np.zeros((cells, cells), dtype=np.int64)
        self._apart: dict[Key, Entries] = {}
        self._together: dict[Key, int] = {}  # where in `_starts`
        self._starts: IntArray = np.zeros(1, dtype=np.int64)
        self._entries_together: Entries = (np.empty(0, dtype=np.int8), np.empty(0, dtype=np.int8))

    def keys(self) -> list[Key]:
        """Return the units with any counts."""
        return [*self._together, *self._apart]

    def dense(self, keys: Sequence[Key]) -> Int64Array:
        """Return the counts of some units, shape (U, k)."""
        found = np.zeros((len(keys), len(self.matrix)), dtype=np.int64)
        for row, key in enumerate(keys):
            cells, counts = self._entries(key)
            found[row, cells] = counts
        return found

    def change(self, keys: Sequence[Key], changes: Int64Array) -> None:
        """Add changes of shape (U, k) to the counts of U units, each named once."""
        before = self.dense(keys)
        change_moments(self.matrix, before, changes)
        self._put(keys, before + changes)

    def merge(self, other: KeptUnits) -> None:
        """Add the counts of other judgments, of the same units or others."""
        keys = other.keys()
        for units in chunks(len(keys), UNITS_AT_A_TIME):
            some = keys[units]
            self.change(some, other.dense(some))

    def arrays(self, judges: tuple[str, ...]) -> dict[str, IntArray]:
        """Return everything as arrays, in an order that does not depend on what came when.

        Parameters
        ----------
        judges : tuple of str
            The judges by name; in arrays they are numbered by their place.

        Returns
        -------
        dict
            "matrix"; "keys", shape (U, parts of a key); "starts", shape (U + 1,), where the entries
            of each unit begin in "cells" and "counts".
        """
        place: dict[str | int, int] = {name: index for index, name in enumerate(judges)}
        coded = sorted(
            (tuple(place[part] if isinstance(part, str) else part for part in key), key)
            for key in self.keys()
        )
        entries = [self._entries(key) for _code, key in coded]
        nothing = np.empty(0, dtype=np.int32)
        keys = np.array([code for code, _key in coded], dtype=np.int64)
        return {
            "matrix": self.matrix,
            "keys": keys.reshape(len(coded), -1) if coded else np.empty((0, 1), dtype=np.int64),
            "starts": np.cumsum([0, *(len(cells) for cells, _counts in entries)], dtype=np.int64),
            "cells": np.concatenate([nothing, *(cells for cells, _counts in entries)]),
            "counts": np.concatenate([nothing, *(counts for _cells, counts in entries)]),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, IntArray], judges: tuple[str, ...], *, with_judges: bool
    ) -> KeptUnits:
        """Return the units of `arrays`; `with_judges` says that keys begin with a judge."""
        found = cls(len(arrays["matrix"]))
        found.matrix = arrays["matrix"].astype(np.int64)
        found._starts = arrays["starts"]
        found._entries_together = arrays["cells"], arrays["counts"]
        for unit, code in enumerate(arrays["keys"].tolist()):
            key: Key = (judges[code[0]], *code[1:]) if with_judges else tuple(code)
            found._together[key] = unit
        return found

    def _entries(self, key: Key) -> Entries:
        """Return the cells of a unit that are not 0, and their counts."""
        if key in self._apart:
            return self._apart[key]
        unit = self._together.get(key)
        some = slice(0) if unit is None else slice(*self._starts[unit : unit + 2].tolist())
        cells, counts = self._entries_together
        return cells[some], counts[some]

    def _put(self, keys: Sequence[Key], counts: Int64Array) -> None:
        for key, row in zip(keys, counts, strict=True):
            self._together.pop(key, None)
            cells = np.flatnonzero(row)
            if len(cells):
                self._apart[key] = cells.astype(np.int32), row[cells].astype(np.int32)
            else:
                self._apart.pop(key, None)
        if len(self._apart) > max(MOST_APART, len(self._together) // MOST_APART_PART):
            self._put_together()

    def _put_together(self) -> None:
        """Put the counts of all units into the same arrays."""
        units = np.fromiter(self._together.values(), dtype=np.int64, count=len(self._together))
        starts, lengths = self._starts[units], self._starts[units + 1] - self._starts[units]
        ends = np.cumsum(lengths)
        # The entries from each start on, one unit after the other.
        places = np.arange(lengths.sum()) + np.repeat(starts - ends + lengths, lengths)
        cells, counts = (
            np.concatenate([together[places], *apart])
            for together, apart in zip(
                self._entries_together, zip(*self._apart.values(), strict=True), strict=True
            )
        )
        more = [len(own) for own, _counts in self._apart.values()]
        self._starts = np.cumsum([0, *lengths.tolist(), *more], dtype=np.int64)
        self._entries_together = cells.astype(small_type(cells)), counts.astype(small_type(counts))
        self._together = {key: unit for unit, key in enumerate(self.keys())}
        self._apart = {}


def change_moments(matrix: Int64Array, before: Int64Array, change: Int64Array) -> None:
    """Add Σ (c + d)(c + d)ᵀ − c cᵀ for units with counts c and changes d, both of shape (U, k)."""
    if len(before) > FEW:
        # Products of doubles are exact up to 2**53, and many times faster than those of integers.
        matrix += _product(change, change)
        if before.any():
            crossed = _product(before, change)
            matrix += crossed + crossed.T
        return
    for counts, added in zip(before, change, strict=True):
        cells = np.flatnonzero(added)
        values = added[cells]
        matrix[cells] += values[:, np.newaxis] * counts
        matrix[:, cells] += counts[:, np.newaxis] * values
        matrix[np.ix_(cells, cells)] += values[:, np.newaxis] * values


def _product(left: Int64Array, right: Int64Array) -> Int64Array:
    return np.rint(left.T.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)

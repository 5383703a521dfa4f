"""Second moments of counts over every kind of unit, updated when judgments change, and their storage as compressed bytes."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import Int64Array
from ranking.core.counting.counts import Layout, chunks, counts_of_units
from ranking.core.counting.moments import AllMoments, ClusterUnit, second_moments, units_of
from ranking.core.judged.blocks import Blocks

IntArray = npt.NDArray[np.integer]
Array = TypeVar("Array", bound=npt.NDArray[Any])
#: Bytes, or a view of some that is not copied.
Buffer: TypeAlias = "bytes | memoryview[Any]"

MAGIC = b"QLS1"
_PERSON = b"quintet-live-sum"
_CHECKSUM = 16
_TYPES = ("|i1", "<i2", "<i4", "<i8")
#: Smaller matrices are not worth halving.
_WORTH_HALVING = 16


class DamagedStateError(ValueError):
    """Bytes that are not a state of this version, whole and as it was packed."""


def packed(header: Mapping[str, Any], arrays: Mapping[str, IntArray]) -> bytes:
    """Return a header and arrays as bytes.

    One bit that changes is enough for `unpacked` to refuse them:

        magic               "QLS1": the format, and its version
        checksum            BLAKE2b, 16 bytes, of all that follows
        length of header    4 bytes, little-endian
        header              JSON: what the state is of, and name, shape, type and length of each array
        arrays              one after the other, each compressed by zlib

    Each array is stored in the smallest type that holds its numbers, with all first bytes before all second ones, because most of
    the higher bytes are 0. Of a symmetric matrix only one half is stored.

    Parameters
    ----------
    header : mapping
        Plain JSON.
    arrays : mapping
        Integer arrays by name.

    Returns
    -------
    bytes
        Those that `unpacked` reads.
    """
    bodies, entries = [], []
    for name, array in arrays.items():
        half = _is_symmetric(array)
        values = array[np.triu_indices(len(array))] if half else array.ravel()
        small = small_type(values)
        rows = values.astype(small).view(np.uint8).reshape(len(values), np.dtype(small).itemsize)
        body = zlib.compress(np.ascontiguousarray(rows.T).tobytes(), 1)
        bodies.append(body)
        entries.append(
            {"name": name, "shape": array.shape, "type": small, "half": half, "length": len(body)}
        )
    said = json.dumps({"header": header, "arrays": entries}, sort_keys=True).encode()
    content = [struct.pack("<I", len(said)), said, *bodies]
    return b"".join([MAGIC, _checksum(*content), *content])


def unpacked(data: Buffer) -> tuple[dict[str, Any], dict[str, IntArray]]:
    """Return the header and the arrays, each of the type it is stored in.

    Raises
    ------
    DamagedStateError
        If the bytes are not as `packed` returned them, or of another version of the format.
    """
    # Views of other formats, as the driver of the database returns them, are equal to no bytes.
    whole = memoryview(data).cast("B")
    if whole[: len(MAGIC)] != MAGIC:
        found = bytes(whole[: len(MAGIC)])
        raise DamagedStateError(f"state: expected the format {MAGIC.decode()}, got {found!r}")
    start = len(MAGIC) + _CHECKSUM
    content = whole[start:]
    if _checksum(content) != whole[len(MAGIC) : start]:
        raise DamagedStateError("state: the checksum does not match, some bytes have changed")
    (length,) = struct.unpack_from("<I", content)
    said = json.loads(bytes(content[4 : 4 + length]))
    at = 4 + length
    arrays = {}
    for entry in said["arrays"]:
        arrays[entry["name"]] = _array(entry, content[at : at + entry["length"]])
        at += entry["length"]
    return said["header"], arrays


def digest_of(header: Mapping[str, Any], arrays: Mapping[str, IntArray]) -> bytes:
    """Return 16 bytes that depend on the names and values alone, for any compression."""
    digest = blake2b(digest_size=16, person=_PERSON)
    digest.update(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"\0{name}{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.digest()


def _checksum(*content: Buffer) -> bytes:
    digest = blake2b(digest_size=_CHECKSUM, person=_PERSON)
    for part in content:
        digest.update(part)
    return digest.digest()


def _is_symmetric(array: IntArray) -> bool:
    return (
        array.ndim == 2
        and array.shape[0] == array.shape[1] >= _WORTH_HALVING
        and bool(np.array_equal(array, array.T))
    )


def small_type(values: IntArray) -> str:
    """Return the name of the smallest signed type that holds these numbers."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    return next(name for name in _TYPES if np.iinfo(name).min <= low and high <= np.iinfo(name).max)


def with_prefix(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays whose names begin with a prefix, by the rest of their names."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _array(entry: Mapping[str, Any], body: Buffer) -> IntArray:
    small = np.dtype(entry["type"])
    columns = np.frombuffer(zlib.decompress(body), dtype=np.uint8).reshape(small.itemsize, -1)
    values: IntArray = np.ascontiguousarray(columns.T).view(small).ravel()
    if not entry["half"]:
        found: IntArray = values.reshape(entry["shape"])
        return found
    whole = np.zeros(entry["shape"], dtype=small)
    upper = np.triu_indices(len(whole))
    whole[upper] = values
    whole.T[upper] = values
    return whole


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
        """Return everything as arrays, in an order independent of the order of arrival.

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
        """Merge the counts of all units into the same arrays."""
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


#: Kinds of units that later judgments may belong to.
JUDGES, DOCUMENTS, JUDGES_OF_DOCUMENTS = KINDS = ("judges", "documents", "judges of documents")


class LiveMoments:
    """Second moments over blocks, segments, judges and documents.

    They equal those of `ranking.core.counting.moments.all_moments`, bit for bit, however the
    judgments came. The counts of segments are not kept: a caller that changes a judgment passes all
    judgments of its segment. One more judgment takes time in proportion to its comparisons times k,
    and to the judgments of its segment. Memory holds five k × k counts, and
    the counts of each judge, each document, and each judge's blocks of each document.

    Parameters
    ----------
    layout : Layout
        With k used cells.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        size = len(layout.used)
        self.blocks: Int64Array = np.zeros((size, size), dtype=np.int64)
        self.segments: Int64Array = np.zeros((size, size), dtype=np.int64)
        self.units = {kind: KeptUnits(size) for kind in KINDS}

    def moments(self) -> AllMoments:
        """Return the moments of the judgments so far, as copies."""
        of_units = (kept.matrix.copy() for kept in self.units.values())
        return AllMoments(self.blocks.copy(), self.segments.copy(), *of_units)

    def refuse(self, removed: Blocks) -> None:
        """Raise ValueError if some judgments cannot be among those counted."""
        for kind, kept in self.units.items():
            keys, own = _keys([removed], kind)
            for some, counts in self._by_unit([(removed, 1)], own, len(keys)):
                if np.any(kept.dense(keys[some]) < counts):
                    raise ValueError(
                        "before: these judgments were never added, or are removed already"
                    )

    def change(self, removed: Blocks, added: Blocks, before: Blocks, after: Blocks) -> None:
        """Remove and add judgments; `before` and `after` are all judgments of their segments."""
        changed = [(removed, -1), (added, 1)]
        if len(removed) + len(added) <= FEW:
            for blocks, sign in changed:
                counts = self._each(blocks)
                gone = counts if sign < 0 else np.zeros_like(counts)
                change_moments(self.blocks, gone, sign * counts)
        else:
            self.blocks += self._moments(added, "blocks") - self._moments(removed, "blocks")
        self._change_segments(removed, added, before, after)
        for kind, kept in self.units.items():
            keys, own = _keys([removed, added], kind)
            for some, changes in self._by_unit(changed, own, len(keys)):
                kept.change(keys[some], changes)

    def merge(self, other: LiveMoments) -> None:
        """Add the moments of other judgments, of other segments."""
        self.blocks += other.blocks
        self.segments += other.segments
        for kind, kept in self.units.items():
            kept.merge(other.units[kind])

    def arrays(self, judges: tuple[str, ...]) -> dict[str, IntArray]:
        """Return everything as arrays, see `KeptUnits.arrays`."""
        found: dict[str, IntArray] = {"blocks": self.blocks, "segments": self.segments}
        for kind, kept in self.units.items():
            found |= {f"{kind}/{name}": array for name, array in kept.arrays(judges).items()}
        return found

    def take_arrays(self, arrays: dict[str, IntArray], judges: tuple[str, ...]) -> None:
        """Restore the state from the result of `arrays`."""
        self.blocks, self.segments = (
            arrays[name].astype(np.int64) for name in ("blocks", "segments")
        )
        for kind in self.units:
            own = with_prefix(f"{kind}/", arrays)
            self.units[kind] = KeptUnits.from_arrays(own, judges, with_judges=kind != DOCUMENTS)

    def _change_segments(
        self, removed: Blocks, added: Blocks, before: Blocks, after: Blocks
    ) -> None:
        numbers = np.unique(np.concatenate([removed.segment, added.segment]))
        if len(numbers) <= FEW:
            whole = before.take(np.isin(before.segment, numbers))
            old, gone, new = (
                self._counts(blocks, np.searchsorted(numbers, blocks.segment), len(numbers))
                for blocks in (whole, removed, added)
            )
            change_moments(self.segments, old, new - gone)
        else:
            self.segments += self._moments(after, "segments") - self._moments(before, "segments")

    def _moments(self, blocks: Blocks, unit: ClusterUnit) -> Int64Array:
        return second_moments(blocks, self.layout, units_of(blocks, unit))

    def _each(self, blocks: Blocks) -> Int64Array:
        """Return the counts of each judgment, shape (B, k)."""
        return self._counts(blocks, np.arange(len(blocks)), len(blocks))

    def _counts(self, blocks: Blocks, own: Int64Array, units: int) -> Int64Array:
        """Return the counts of units, shape (U, k), from the number of each judgment's unit."""
        return counts_of_units(blocks, self.layout, own, units)[:, self.layout.used]

    def _by_unit(
        self, signed: Sequence[tuple[Blocks, int]], own: Int64Array, units: int
    ) -> Iterator[tuple[slice, Int64Array]]:
        """Yield the counts of units, shape (U, k) of some at a time.

        `signed` are judgments, and 1 or −1 for those that are added or removed; `own` are the numbers
        of their units, 0 … `units` − 1, all one after the other.
        """
        ends = np.cumsum([len(blocks) for blocks, _sign in signed])[:-1]
        parts = [
            (blocks, sign, mine, np.argsort(mine, kind="stable"))
            for (blocks, sign), mine in zip(signed, np.split(own, ends), strict=True)
        ]
        for some in chunks(units, UNITS_AT_A_TIME):
            found = np.zeros((some.stop - some.start, len(self.blocks)), dtype=np.int64)
            for blocks, sign, mine, order in parts:
                first, last = np.searchsorted(mine, [some.start, some.stop], sorter=order)
                rows = order[first:last]
                found += sign * self._counts(blocks.take(rows), mine[rows] - some.start, len(found))
            yield some, found


def _keys(parts: Sequence[Blocks], kind: str) -> tuple[list[Key], Int64Array]:
    """Return the units of blocks, and the number of each block's unit."""
    names = sorted({name for blocks in parts for name in blocks.judges})
    place = {name: index for index, name in enumerate(names)}
    judge = np.concatenate(
        [
            np.array([place[name] for name in part.judges], dtype=np.int64)[part.judge]
            for part in parts
        ]
    )
    if kind == JUDGES:
        used, own = np.unique(judge, return_inverse=True)
        return [(names[one],) for one in used.tolist()], own
    documents = [part.document for part in parts if part.document is not None]
    if len(documents) < len(parts):
        raise ValueError("document: these blocks name no documents")
    document = np.concatenate(documents).astype(np.int64)
    if kind == DOCUMENTS:
        used, own = np.unique(document, return_inverse=True)
        return [(one,) for one in used.tolist()], own
    used, own = np.unique(document * len(names) + judge, return_inverse=True)
    pairs = (divmod(code, len(names)) for code in used.tolist())
    return [(names[one], number) for number, one in pairs], own

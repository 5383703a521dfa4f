"""Second moments of counts over all kinds of units, updated when judgments change, and stored as
compressed bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import Int64Array
from ranking.core.counting.counts import Layout, chunks, counts_of_units
from ranking.core.counting.moments import (
    AllMoments,
    ClusterUnit,
    second_moments,
    units_of,
)
from ranking.core.grouping import distinct_pairs
from ranking.core.judged.blocks import Blocks
from ranking.core.live.encoding import EncodingError, decode, encode

IntArray = npt.NDArray[np.integer]
#: Bytes, or a view of bytes that is not copied.
Buffer: TypeAlias = "bytes | memoryview[Any]"

_CHECKSUM = 16


class DamagedStateError(ValueError):
    """The bytes are damaged, or not a packed state of this version."""


def packed(definition: bytes, content: object) -> bytes:
    """Pack content into bytes: a BLAKE2b checksum of 16 bytes, and the compressed content as encoded
    by `ranking.core.live.encoding`.

    Parameters
    ----------
    definition : bytes
        Digest of the definition of the content; key of the checksum.
    content : mapping or dataclass
        Names, numbers, dataclasses and integer arrays; each array is stored in the smallest
        sufficient type.
    """
    body = zlib.compress(encode(_cast_arrays(content, _small_type)), 1)
    return _checksum(definition, body) + body


def unpacked(definition: bytes, data: Buffer) -> Any:
    """Return the content, with arrays of int64.

    Raises
    ------
    DamagedStateError
        If the bytes are damaged, or are from another definition or version of the code.
    """
    # Views of other formats, as returned by the database driver, never compare equal to bytes.
    whole = memoryview(data).cast("B")
    body = whole[_CHECKSUM:]
    if _checksum(definition, body) != whole[:_CHECKSUM]:
        raise DamagedStateError(
            "state: damaged, or of another definition, or by other code",
        )
    try:
        content = decode(zlib.decompress(body))
    except EncodingError as error:  # encoded by another version of the code
        raise DamagedStateError(f"state: {error}") from error
    return _cast_arrays(content, _int64)


def _checksum(definition: bytes, body: Buffer) -> bytes:
    person = b"quintet-live-sum"
    return blake2b(body, key=definition, digest_size=_CHECKSUM, person=person).digest()


def _cast_arrays(
    value: Any,
    type_of: Callable[[IntArray], type[np.integer[Any]]],
) -> Any:
    """Return the same value with its arrays in other types."""
    if isinstance(value, np.ndarray):
        return value.astype(type_of(value))
    if isinstance(value, Mapping):
        return {name: _cast_arrays(part, type_of) for name, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {}
        for field in fields(value):
            parts[field.name] = _cast_arrays(getattr(value, field.name), type_of)
        return replace(value, **parts)
    return value


def _int64(_values: IntArray) -> type[np.signedinteger[Any]]:
    return np.int64


def _small_type(values: IntArray) -> type[np.signedinteger[Any]]:
    """Return the smallest signed integer type that can hold these numbers."""
    low = int(values.min(initial=0))
    high = int(values.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return kind
    return np.int64


#: Key of a unit: a judge's name, a document's number, or both.
Key = tuple[str | int, ...]

#: Number of units whose dense counts are held at a time.
UNITS_AT_A_TIME = 1024


class UnitArrays(TypedDict):
    """State of `LiveUnits` as arrays.

    `matrix` has shape (k, k). `keys`, shape (U, parts of a key), has judges as indices. `entries`, shape
    (2, …), has cells and counts of one unit after the other, and `starts`, shape (U + 1,), the index in
    `entries` at which each unit starts.
    """

    matrix: Int64Array
    keys: Int64Array
    starts: Int64Array
    entries: IntArray


class LiveUnits:
    """Counts c_u of units by key, and Σ c_u c_uᵀ, for k cells.

    Attributes
    ----------
    matrix : int64, shape (k, k)
    """

    def __init__(self, cells: int) -> None:
        self.matrix: Int64Array = np.zeros((cells, cells), dtype=np.int64)
        #: Nonzero cells of each unit and their counts, shape (2, …).
        self._entries: dict[Key, IntArray] = {}

    def keys(self) -> list[Key]:
        """Return the keys of the units with any counts."""
        return [*self._entries]

    def dense(self, keys: Sequence[Key]) -> Int64Array:
        """Return the counts of some units, shape (U, k)."""
        counts_by_key = np.zeros((len(keys), len(self.matrix)), dtype=np.int64)
        for row, key in enumerate(keys):
            if key in self._entries:
                cells, counts = self._entries[key]
                counts_by_key[row, cells] = counts
        return counts_by_key

    def change(self, keys: Sequence[Key], changes: Int64Array) -> None:
        """Add changes of shape (U, k) to the counts of U distinct units."""
        before = self.dense(keys)
        # Σ (c + d)(c + d)ᵀ − c cᵀ; products of doubles are exact up to 2**53.
        crossed = _product(before, changes)
        self.matrix += _product(changes, changes) + crossed + crossed.T
        for key, row in zip(keys, before + changes, strict=True):
            cells = np.flatnonzero(row)
            if len(cells):
                entries = np.stack([cells, row[cells]])
                self._entries[key] = entries.astype(np.int32)
            else:
                self._entries.pop(key, None)

    def arrays(self, judges: tuple[str, ...]) -> UnitArrays:
        """Return the state as arrays, in an order independent of the order of arrival.

        Parameters
        ----------
        judges : tuple of str
            The judges, sorted by name; arrays contain their indices.
        """
        number_of_judge = numbered(judges)
        entries_by_code = {}
        for key, entries in self._entries.items():
            entries_by_code[_code(key, number_of_judge)] = entries
        codes = sorted(entries_by_code)
        keys = np.empty((0, 1), dtype=np.int64)
        if codes:
            keys = np.array(codes, dtype=np.int64)
        listed = [entries_by_code[code] for code in codes]
        sizes = [entries.shape[1] for entries in listed]
        return UnitArrays(
            matrix=self.matrix,
            keys=keys,
            starts=np.cumsum([0, *sizes], dtype=np.int64),
            entries=np.concatenate([_NO_ENTRIES, *listed], axis=1),
        )

    @classmethod
    def from_arrays(
        cls,
        arrays: UnitArrays,
        judges: tuple[str, ...],
        *,
        with_judges: bool,
    ) -> LiveUnits:
        """Restore units from the result of `arrays`; with `with_judges`, keys start with a
        judge.
        """
        units = cls(len(arrays["matrix"]))
        units.matrix = arrays["matrix"]
        entries = arrays["entries"].astype(np.int32)
        codes = arrays["keys"].tolist()
        bounds = pairwise(arrays["starts"].tolist())
        for code, (start, end) in zip(codes, bounds, strict=True):
            key: Key = tuple(code)
            if with_judges:
                key = (judges[code[0]], *code[1:])
            units._entries[key] = entries[:, start:end].copy()
        return units


#: Entries of no units, so that arrays of any number of units can be concatenated.
_NO_ENTRIES = np.empty((2, 0), dtype=np.int32)


def _code(key: Key, number_of_judge: Mapping[str, int]) -> tuple[int, ...]:
    """Return a key with the number of its judge, if it has one."""
    code = []
    for part in key:
        if isinstance(part, str):
            code.append(number_of_judge[part])
        else:
            code.append(part)
    return tuple(code)


def _product(left: Int64Array, right: Int64Array) -> Int64Array:
    product = left.T.astype(np.float64) @ right.astype(np.float64)
    return np.rint(product).astype(np.int64)


#: Kinds of units to which later judgments may be added.
JUDGES, DOCUMENTS, JUDGES_OF_DOCUMENTS = KINDS = (
    "judges",
    "documents",
    "judges of documents",
)


@dataclass(frozen=True, eq=False)
class MomentsContent:
    """State of `LiveMoments` to pack: moments over blocks and segments, and units by kind."""

    blocks: Int64Array
    segments: Int64Array
    units: Mapping[str, UnitArrays]


class LiveMoments:
    """Second moments over blocks, segments, judges and documents.

    They are bit-identical to those of `ranking.core.counting.moments.all_moments`, regardless of
    the order in which judgments arrive. The counts of segments are not kept: a caller that changes
    a judgment passes all judgments of its segment. Kept in memory are five k × k matrices, and the
    counts of each judge, each document, and each judge's blocks of each document.

    Parameters
    ----------
    layout : Layout
        Layout with k used cells.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        size = len(layout.used)
        self.blocks: Int64Array = np.zeros((size, size), dtype=np.int64)
        self.segments: Int64Array = np.zeros((size, size), dtype=np.int64)
        self.units = {kind: LiveUnits(size) for kind in KINDS}

    def moments(self) -> AllMoments:
        """Return the moments of the judgments so far, as copies."""
        unit_moments = (live_units.matrix.copy() for live_units in self.units.values())
        return AllMoments(self.blocks.copy(), self.segments.copy(), *unit_moments)

    def change(
        self,
        removed: Blocks,
        added: Blocks,
        before: Blocks,
        after: Blocks,
    ) -> None:
        """Remove and add judgments; `before` and `after` contain all judgments of the affected
        segments.
        """
        self.blocks += self._moments(added, "blocks")
        self.blocks -= self._moments(removed, "blocks")
        self.segments += self._moments(after, "segments")
        self.segments -= self._moments(before, "segments")
        for kind, live_units in self.units.items():
            keys, own = _keys(removed, added, kind)
            own_removed, own_added = np.split(own, [len(removed)])
            for units in chunks(len(keys), UNITS_AT_A_TIME):
                changes = self._counts(added, own_added, units)
                changes -= self._counts(removed, own_removed, units)
                live_units.change(keys[units], changes)

    def content(self, judges: tuple[str, ...]) -> MomentsContent:
        """Return the state to pack."""
        units = {
            kind: live_units.arrays(judges) for kind, live_units in self.units.items()
        }
        return MomentsContent(self.blocks, self.segments, units)

    def restore(self, content: MomentsContent, judges: tuple[str, ...]) -> None:
        """Restore the state from the result of `content`."""
        self.blocks = content.blocks
        self.segments = content.segments
        for kind, arrays in content.units.items():
            self.units[kind] = LiveUnits.from_arrays(
                arrays,
                judges,
                with_judges=kind != DOCUMENTS,
            )

    def _moments(self, blocks: Blocks, unit: ClusterUnit) -> Int64Array:
        return second_moments(blocks, self.layout, units_of(blocks, unit))

    def _counts(self, blocks: Blocks, own: Int64Array, units: slice) -> Int64Array:
        """Return the counts of some units, shape (U, k), given the index of each judgment's
        unit.
        """
        rows = np.flatnonzero((own >= units.start) & (own < units.stop))
        unit = own[rows] - units.start
        number = units.stop - units.start
        counts = counts_of_units(blocks.take(rows), self.layout, unit, number)
        return counts[:, self.layout.used]


def _keys(removed: Blocks, added: Blocks, kind: str) -> tuple[list[Key], Int64Array]:
    """Return the units of blocks with known documents, and the index of each block's unit, those of
    removed blocks first.
    """
    names = sorted({*removed.judges, *added.judges})
    numbers = numbered(names)
    judge = np.append(
        judges_renumbered(removed, numbers),
        judges_renumbered(added, numbers),
    )
    document = np.append(_documents(removed), _documents(added))
    keys: list[Key] = []
    if kind == JUDGES:
        judges, own = np.unique(judge, return_inverse=True)
        keys += [(names[number],) for number in judges.tolist()]
    elif kind == DOCUMENTS:
        documents, own = np.unique(document, return_inverse=True)
        keys += [(number,) for number in documents.tolist()]
    else:
        documents, judges, own = distinct_pairs(document, judge)
        for number, judge_number in zip(
            documents.tolist(),
            judges.tolist(),
            strict=True,
        ):
            keys.append((names[judge_number], number))
    return keys, own


def _documents(blocks: Blocks) -> Int64Array:
    if blocks.document is None:
        raise ValueError("document: blocks do not name their documents")
    return blocks.document.astype(np.int64)


def numbered(names: Sequence[str]) -> dict[str, int]:
    """Return the positions of names, by name."""
    return dict(zip(names, range(len(names)), strict=True))


def judges_renumbered(blocks: Blocks, numbers: Mapping[str, int]) -> Int64Array:
    """Return the number of each block's judge, given the numbers of judges by name."""
    own_numbers = [numbers[name] for name in blocks.judges]
    return np.array(own_numbers, dtype=np.int64)[blocks.judge]

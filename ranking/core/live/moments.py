"""Second moments of counts over all kinds of units, updated when judgments change, and stored as
compressed bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from hashlib import blake2b
from typing import Any, TypeAlias

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
from ranking.core.judged.blocks import Blocks
from ranking.core.live.encoding import EncodingError, decode, encode

IntArray = npt.NDArray[np.integer]
#: Bytes, or a view of bytes that is not copied.
Buffer: TypeAlias = "bytes | memoryview[Any]"

_CHECKSUM = 16


class DamagedStateError(ValueError):
    """The bytes are damaged, or not a packed state of this version."""


def packed(definition: bytes, content: Mapping[str, Any]) -> bytes:
    """Pack content into bytes: a BLAKE2b checksum of 16 bytes, and the compressed content as encoded
    by `ranking.core.live.encoding`.

    Parameters
    ----------
    definition : bytes
        Digest of the definition of the content; key of the checksum.
    content : mapping
        Names, numbers, dataclasses and integer arrays; each array is stored in the smallest
        sufficient type.
    """
    body = zlib.compress(encode(_retyped(content, _small_type)), 1)
    return _checksum(definition, body) + body


def unpacked(definition: bytes, data: Buffer) -> dict[str, Any]:
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
            "state: damaged, or of another definition, or by other code"
        )
    try:
        content: dict[str, Any] = decode(zlib.decompress(body))
    except EncodingError as error:  # encoded by another version of the code
        raise DamagedStateError(f"state: {error}") from error
    wide: dict[str, Any] = _retyped(content, lambda _array: np.int64)
    return wide


def _checksum(definition: bytes, body: Buffer) -> bytes:
    person = b"quintet-live-sum"
    return blake2b(body, key=definition, digest_size=_CHECKSUM, person=person).digest()


def _retyped(value: Any, type_of: Callable[[IntArray], type[np.integer[Any]]]) -> Any:
    """Return the same value with its arrays in other types."""
    if isinstance(value, np.ndarray):
        return value.astype(type_of(value))
    if isinstance(value, Mapping):
        return {name: _retyped(each, type_of) for name, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: getattr(value, part.name) for part in fields(value)}
        return replace(value, **_retyped(parts, type_of))
    return value


def _small_type(values: IntArray) -> type[np.signedinteger[Any]]:
    """Return the smallest signed integer type that can hold these numbers."""
    low = int(values.min(initial=0))
    high = int(values.max(initial=0))
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return next(
        kind
        for kind in kinds
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max
    )


#: Key of a unit: a judge's name, a document's number, or both.
Key = tuple[str | int, ...]

#: Number of units whose dense counts are held at a time.
UNITS_AT_A_TIME = 1024


class KeptUnits:
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
                self._entries[key] = np.stack([cells, row[cells]]).astype(np.int32)
            else:
                self._entries.pop(key, None)

    def arrays(self, judges: tuple[str, ...]) -> dict[str, IntArray]:
        """Return the state as arrays, in an order independent of the order of arrival.

        Parameters
        ----------
        judges : tuple of str
            The judges, sorted by name; arrays contain their indices.

        Returns
        -------
        dict
            "matrix"; "keys", shape (U, parts of a key); "entries", shape (2, …), with cells and
            counts; "starts", shape (U + 1,), with the index in "entries" at which each unit starts.
        """
        place: dict[str | int, int] = {name: index for index, name in enumerate(judges)}
        coded = sorted(
            (tuple(place[part] if isinstance(part, str) else part for part in key), key)
            for key in self._entries
        )
        entries = [self._entries[key] for _code, key in coded]
        keys = np.array([code for code, _key in coded], dtype=np.int64)
        return {
            "matrix": self.matrix,
            "keys": keys.reshape(len(coded), -1)
            if coded
            else np.empty((0, 1), dtype=np.int64),
            "starts": np.cumsum(
                [0, *(entry.shape[1] for entry in entries)], dtype=np.int64
            ),
            "entries": np.concatenate(
                [np.empty((2, 0), dtype=np.int32), *entries], axis=1
            ),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Any], judges: tuple[str, ...], *, with_judges: bool
    ) -> KeptUnits:
        """Restore units from the result of `arrays`; with `with_judges`, keys start with a
        judge.
        """
        moments = cls(len(arrays["matrix"]))
        moments.matrix = arrays["matrix"]
        entries = np.split(
            arrays["entries"].astype(np.int32), arrays["starts"][1:-1], axis=1
        )
        for code, own in zip(arrays["keys"].tolist(), entries, strict=False):
            key: Key = (judges[code[0]], *code[1:]) if with_judges else tuple(code)
            moments._entries[key] = own.copy()
        return moments


def _product(left: Int64Array, right: Int64Array) -> Int64Array:
    return np.rint(left.T.astype(np.float64) @ right.astype(np.float64)).astype(
        np.int64
    )


#: Kinds of units to which later judgments may be added.
JUDGES, DOCUMENTS, JUDGES_OF_DOCUMENTS = KINDS = (
    "judges",
    "documents",
    "judges of documents",
)


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
        self.units = {kind: KeptUnits(size) for kind in KINDS}

    def moments(self) -> AllMoments:
        """Return the moments of the judgments so far, as copies."""
        of_units = (kept.matrix.copy() for kept in self.units.values())
        return AllMoments(self.blocks.copy(), self.segments.copy(), *of_units)

    def change(
        self, removed: Blocks, added: Blocks, before: Blocks, after: Blocks
    ) -> None:
        """Remove and add judgments; `before` and `after` contain all judgments of the affected
        segments.
        """
        self.blocks += self._moments(added, "blocks") - self._moments(removed, "blocks")
        self.segments += self._moments(after, "segments") - self._moments(
            before, "segments"
        )
        for kind, kept in self.units.items():
            keys, own = _keys([removed, added], kind)
            gone, new = np.split(own, [len(removed)])
            for some in chunks(len(keys), UNITS_AT_A_TIME):
                changes = self._counts(added, new, some) - self._counts(
                    removed, gone, some
                )
                kept.change(keys[some], changes)

    def content(self, judges: tuple[str, ...]) -> dict[str, Any]:
        """Return the state to pack, see `KeptUnits.arrays`."""
        of_units = {kind: kept.arrays(judges) for kind, kept in self.units.items()}
        return {"blocks": self.blocks, "segments": self.segments, **of_units}

    def restore(self, content: Mapping[str, Any], judges: tuple[str, ...]) -> None:
        """Restore the state from the result of `content`."""
        self.blocks = content["blocks"]
        self.segments = content["segments"]
        for kind in self.units:
            with_judges = kind != DOCUMENTS
            self.units[kind] = KeptUnits.from_arrays(
                content[kind], judges, with_judges=with_judges
            )

    def _moments(self, blocks: Blocks, unit: ClusterUnit) -> Int64Array:
        return second_moments(blocks, self.layout, units_of(blocks, unit))

    def _counts(self, blocks: Blocks, own: Int64Array, units: slice) -> Int64Array:
        """Return the counts of some units, shape (U, k), given the index of each judgment's
        unit.
        """
        rows = np.flatnonzero((own >= units.start) & (own < units.stop))
        some = own[rows] - units.start
        counts = counts_of_units(
            blocks.take(rows), self.layout, some, units.stop - units.start
        )
        return counts[:, self.layout.used]


def _keys(parts: Sequence[Blocks], kind: str) -> tuple[list[Key], Int64Array]:
    """Return the units of blocks with known documents, and the index of each block's unit."""
    names = sorted({name for blocks in parts for name in blocks.judges})
    place = {name: index for index, name in enumerate(names)}
    judge = np.concatenate(
        [
            np.array([place[name] for name in part.judges], dtype=np.int64)[part.judge]
            for part in parts
        ]
    )
    documents = [part.document for part in parts if part.document is not None]
    document = np.concatenate(documents).astype(np.int64)
    code = {JUDGES: judge, DOCUMENTS: document}.get(kind, document * len(names) + judge)
    used, own = np.unique(code, return_inverse=True)
    codes = used.tolist()
    if kind == DOCUMENTS:
        return [(number,) for number in codes], own
    if kind == JUDGES:
        return [(names[one],) for one in codes], own
    return [(names[one % len(names)], one // len(names)) for one in codes], own

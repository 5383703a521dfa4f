"""Judged blocks as columns, the input of every method of the core, with their content keys and documents.

The content key of a block determines its resampling weights, so an exported file gives the same ranking as its campaign;
see `content_key`. It is computed from the block as judged, before the reference or any other system is left out,
so rankings with and without the reference give a block the same weights.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, Int8Array, Int32Array, Int64Array, UInt64Array

CONTENT_KEY_VERSION = 1
PERSON = f"quintet-key-v{CONTENT_KEY_VERSION}".encode()


def encoded_text(value: str) -> bytes:
    """Return a text as encoded: its length in bytes, and its UTF-8."""
    encoded = value.encode()
    return struct.pack("<I", len(encoded)) + encoded


def judgment_content(segment: int, judge: str, candidates: Sequence[Sequence[str]]) -> bytes:
    """Return the encoding of the judged block and the judge, without the occurrence.

    It is, with integers little-endian and a text as its length in bytes (4 bytes) followed by its UTF-8,

        segment number                      8 bytes, signed
        judge's pseudonym                   text
        number of candidates                4 bytes
        for each candidate, in shown order:
            number of systems               4 bytes
            for each system, sorted by name (by code point): text

    Every part is preceded by its length or number, so different judgments never have the same encoding. The test set is not in
    it: renaming a test set, or importing its judgments under another name, must not change a bit of the ranking. Labels are not
    in it: correcting a label changes no weight.

    Parameters
    ----------
    segment : int
        Number of the segment in its test set.
    judge : str
        The judge's pseudonym.
    candidates : sequence of sequences of str
        The candidates in shown order, including the reference; each is the names, in any order, of
        the systems it stands for.

    Returns
    -------
    bytes
        The encoding above.
    """
    parts = [struct.pack("<q", segment), encoded_text(judge), struct.pack("<I", len(candidates))]
    for systems in candidates:
        parts.append(struct.pack("<I", len(systems)))
        parts.extend(encoded_text(name) for name in sorted(systems))
    return b"".join(parts)


def content_key(content: bytes, occurrence: int = 0) -> int:
    """Return the 64-bit hash of an encoded judgment and its occurrence.

    It is BLAKE2b, 8 bytes, person "quintet-key-v1", read little-endian, of the content and of the occurrence in 4 bytes.
    Occurrences number judgments with equal content (a judge who saw the same block twice) in the order of their labels as
    shown, with 0 for a blank label, so that the order of the rows in a file never matters. This definition is version 1.
    Changing it changes every published range: then raise `CONTENT_KEY_VERSION`, which ranking runs record.

    Parameters
    ----------
    content : bytes
        From `judgment_content`.
    occurrence : int
        0, 1, 2 … among the judgments with the same content.

    Returns
    -------
    int
        The key, 0 ≤ key < 2**64.
    """
    digest = blake2b(content + struct.pack("<I", occurrence), digest_size=8, person=PERSON)
    return int.from_bytes(digest.digest(), "little")


def number_occurrences(
    keys: UInt64Array, describe: Callable[[int], tuple[bytes, Sequence[int]]]
) -> UInt64Array:
    """Return keys in which the second, third … judgment of equal content has its own key.

    Parameters
    ----------
    keys : uint64, shape (B,)
        Keys of all judgments of a test set, each with occurrence 0.
    describe : callable
        Returns the content of the judgment in a row, and its labels in shown order, 0 for blank.
        Only called for repeated judgments.

    Returns
    -------
    uint64, shape (B,)
        The keys with their occurrences.
    """
    ordered = np.sort(keys)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    numbered = keys.copy()
    rows_of: dict[int, list[int]] = {}
    for row in np.flatnonzero(np.isin(keys, repeated)).tolist() if len(repeated) else ():
        rows_of.setdefault(int(keys[row]), []).append(row)
    for rows in rows_of.values():
        described = [(*describe(row), row) for row in rows]
        described.sort(key=lambda content_labels_row: tuple(content_labels_row[1]))
        for occurrence, (content, _, row) in enumerate(described):
            numbered[row] = content_key(content, occurrence)
    return numbered


#: Labels run from 1 (best) to 5 (worst); 0 means "no label".
MAX_LABEL = 5
_INT32_MAX = np.iinfo(np.int32).max
_MAX_CANDIDATES = np.iinfo(np.int8).max


@dataclass(frozen=True, eq=False)
class Blocks:
    """B judged blocks of one test set over n systems, one row per block.

    Results never depend on the order of the rows. Code that needs an order takes it from `systems`
    (sorted by name by `blocks_from_rows`) or from `key`.

    Attributes
    ----------
    systems : tuple of str, length n
        Names of the systems, in the order of the columns of `labels` and `candidates`.
    labels : int8, shape (B, n)
        Rank label of each system in each block, 1 best … 5 worst; 0 if the system was not shown or
        its label was left blank.
    candidates : int8, shape (B, n)
        Shown position (from 0) of the candidate that stands for the system in the block; -1 if the
        system was not shown. Systems with identical outputs share a candidate and its label.
    judge : int32, shape (B,)
        Judge of the block: an index into `judges`.
    judges : tuple of str
        Pseudonyms of the judges.
    segment : int32, shape (B,)
        Number of the block's segment in the test set.
    key : uint64, shape (B,)
        Content key of each judgment, see `ranking.core.judged.blocks`.
    document : int32, shape (B,), or None
        Number of the document of each block's segment, if documents are known. Results only depend
        on which segments belong to one document, not on its number.

    Raises
    ------
    ValueError
        If a column has the wrong type or shape, or impossible values. The message names the column
        and the first invalid row.
    """

    systems: tuple[str, ...]
    labels: Int8Array
    candidates: Int8Array
    judge: Int32Array
    judges: tuple[str, ...]
    segment: Int32Array
    key: UInt64Array
    document: Int32Array | None = None

    def __post_init__(self) -> None:
        if len(set(self.systems)) != len(self.systems):
            raise ValueError(f"systems: a name occurs twice in {self.systems!r}")
        if len(set(self.judges)) != len(self.judges):
            raise ValueError("judges: a pseudonym occurs twice")
        blocks, systems = len(self.judge), len(self.systems)
        self._freeze("labels", np.int8, (blocks, systems))
        self._freeze("candidates", np.int8, (blocks, systems))
        self._freeze("judge", np.int32, (blocks,))
        self._freeze("segment", np.int32, (blocks,))
        self._freeze("key", np.uint64, (blocks,))
        if self.document is not None:
            self._freeze("document", np.int32, (blocks,))
        self._validate()

    def _with(self, **columns: Any) -> Blocks:
        """Return a copy with columns that select values of this one, which need no second check."""
        made = copy(self)
        for name, column in columns.items():
            object.__setattr__(made, name, _frozen(column))
        return made

    def _freeze(self, name: str, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
        column = getattr(self, name)
        if not isinstance(column, np.ndarray) or column.dtype != dtype:
            found = getattr(column, "dtype", type(column).__name__)
            raise ValueError(f"{name}: expected an array of {dtype.__name__}, got {found}")
        if column.shape != shape:
            raise ValueError(f"{name}: expected shape {shape}, got {column.shape}")
        object.__setattr__(self, name, _frozen(column))

    def _validate(self) -> None:
        stray = (self.judge < 0) | (self.judge >= len(self.judges))
        _refuse("judge", "is not an index into judges", stray)
        wrong = (self.labels < 0) | (self.labels > MAX_LABEL)
        _refuse("labels", f"is not between 0 and {MAX_LABEL}", wrong)
        _refuse("candidates", "is below -1", self.candidates < -1)
        unseen = (self.labels > 0) & (self.candidates < 0)
        _refuse("labels", "labels a system that was not shown", unseen)
        self._refuse_split_candidates()

    def _refuse_split_candidates(self) -> None:
        """Refuse two labels of one candidate; most blocks have no candidate of several systems."""
        in_order = np.sort(self.candidates, axis=1)
        shared = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)
        rows = np.flatnonzero(shared.any(axis=1))
        labels, candidates = self.labels[rows], self.candidates[rows]
        for position in range(int(candidates.max(initial=-1)) + 1):
            here = candidates == position
            highest = np.max(labels, axis=1, where=here, initial=0)
            split = np.zeros(len(self), dtype=np.bool_)
            split[rows] = (here & (labels != highest[:, np.newaxis])).any(axis=1)
            _refuse("labels", f"gives candidate {position} two different labels", split)

    def __len__(self) -> int:
        """Return the number of blocks, B."""
        return len(self.judge)

    @property
    def positions(self) -> int:
        """Number of shown positions: one more than the highest in `candidates`."""
        return int(self.candidates.max(initial=-1)) + 1

    def without(self, systems: Collection[str]) -> Blocks:
        """Return the blocks without some systems, for instance without the reference.

        A candidate that stands for a removed system and another one remains, and stands for the
        other one. All blocks remain, with their keys and shown positions, even those without
        comparisons.

        Parameters
        ----------
        systems : collection of str
            Names of the systems to remove.

        Returns
        -------
        Blocks
            The same B blocks over the remaining systems.

        Raises
        ------
        ValueError
            If a name is not among `systems`, so that a misspelt reference is not ranked silently.
        """
        names = {systems} if isinstance(systems, str) else set(systems)
        unknown = sorted(names.difference(self.systems))
        if unknown:
            raise ValueError(f"cannot leave out unknown systems: {', '.join(unknown)}")
        kept = [index for index, name in enumerate(self.systems) if name not in names]
        return self._with(
            systems=tuple(self.systems[index] for index in kept),
            labels=np.ascontiguousarray(self.labels[:, kept]),
            candidates=np.ascontiguousarray(self.candidates[:, kept]),
        )

    def without_judges(self, judges: Collection[str]) -> Blocks:
        """Return the blocks of the other judges, over all systems and with unchanged keys.

        Parameters
        ----------
        judges : collection of str
            Pseudonyms of the judges to leave out, whether or not they judged anything here.

        Returns
        -------
        Blocks
            The remaining blocks in their order; `judges` lists only those who are left.
        """
        kept = [index for index, name in enumerate(self.judges) if name not in judges]
        if len(kept) == len(self.judges):
            return self
        new_index = np.full(len(self.judges), -1, dtype=np.int32)
        new_index[kept] = np.arange(len(kept))
        judge = new_index[self.judge]
        names = tuple(self.judges[index] for index in kept)
        # The judges' numbers change with the rows: only both together are valid.
        columns = self._rows(judge >= 0)
        return self._with(**columns | {"judge": judge[judge >= 0], "judges": names})

    def with_judges_in_order(self) -> Blocks:
        """Return the blocks with only the judges who judged one of them, in the order of their names."""
        present = np.bincount(self.judge, minlength=len(self.judges)).nonzero()[0].tolist()
        order = sorted(present, key=lambda index: self.judges[index])
        if order == list(range(len(self.judges))):
            return self
        place = np.zeros(len(self.judges), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return self._with(
            judge=place[self.judge], judges=tuple(self.judges[index] for index in order)
        )

    def take(self, rows: slice | npt.NDArray[Any] | Sequence[int]) -> Blocks:
        """Return selected blocks, for instance one shard or the blocks of some judges.

        Parameters
        ----------
        rows : slice, sequence of int, or array of bool of shape (B,)
            Rows of the blocks, in the order wanted.

        Returns
        -------
        Blocks
            The selected blocks, with all systems and judges and unchanged keys.
        """
        # An empty list would become an array of floats.
        index = rows if isinstance(rows, slice | np.ndarray) else np.asarray(rows, dtype=np.intp)
        return self._with(**self._rows(index))

    def _rows(self, index: slice | npt.NDArray[Any]) -> dict[str, Any]:
        return {
            "labels": self.labels[index],
            "candidates": self.candidates[index],
            "judge": self.judge[index],
            "segment": self.segment[index],
            "key": self.key[index],
            "document": None if self.document is None else self.document[index],
        }


def _frozen(column: Any) -> Any:
    if not isinstance(column, np.ndarray):
        return column
    view = column.view()
    view.flags.writeable = False
    return view


def _refuse(column: str, problem: str, wrong: BoolArray) -> None:
    if np.any(wrong):
        raise ValueError(f"{column}: row {int(np.argwhere(wrong)[0, 0])} {problem}")


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One judged block, with names.

    Attributes
    ----------
    judge : str
        The judge's pseudonym.
    segment : int
        Number of the segment in the test set.
    candidates : sequence of sequences of str
        The candidates in shown order; each is the names of the systems it stands for.
    labels : sequence of int or None
        Label of each candidate, 1 best … 5 worst; None where it was left blank.
    """

    judge: str
    segment: int
    candidates: Sequence[Sequence[str]]
    labels: Sequence[int | None]


@dataclass
class _Columns:
    """Columns under construction: flat arrays of numbers instead of lists of objects."""

    judge: array[int] = field(default_factory=lambda: array("i"))
    segment: array[int] = field(default_factory=lambda: array("i"))
    key: array[int] = field(default_factory=lambda: array("Q"))
    # One entry per shown system: its block, index, candidate and label.
    block: array[int] = field(default_factory=lambda: array("q"))
    system: array[int] = field(default_factory=lambda: array("i"))
    position: array[int] = field(default_factory=lambda: array("b"))
    label: array[int] = field(default_factory=lambda: array("b"))


def blocks_from_rows(rows: Iterable[BlockRow], systems: Iterable[str]) -> Blocks:
    """Return rows as columns, in one pass over the rows.

    Rows may come from a generator: only compact columns are kept, about 2 n bytes per block plus 14
    per shown system. Systems and judges are sorted by name, so that results depend neither on the
    order of the rows nor on that of `systems`.

    Parameters
    ----------
    rows : iterable of BlockRow
        The judged blocks of one test set as they were shown, including the reference if it was
        shown, without superseded judgments and skipped blocks.
    systems : iterable of str
        Names of all systems to be ranked, including all systems of the rows.

    Returns
    -------
    Blocks
        One row per judged block, in the order of `rows`.

    Raises
    ------
    ValueError
        If a row names an unknown system, shows a system twice, has a candidate that stands for no
        system, has not one label per candidate, or a label outside 1 … 5. The message counts rows
        from 1.
    """
    names = tuple(sorted(systems))
    index_of = {name: index for index, name in enumerate(names)}
    judge_of: dict[str, int] = {}
    columns = _Columns()
    for number, row in enumerate(rows, start=1):
        try:
            _append(columns, row, index_of, judge_of)
        except ValueError as error:
            raise ValueError(f"row {number}: {error}") from error

    count = len(columns.judge)
    labels = np.zeros((count, len(names)), dtype=np.int8)
    candidates = np.full((count, len(names)), -1, dtype=np.int8)
    block = np.asarray(columns.block, dtype=np.int64)
    system = np.asarray(columns.system, dtype=np.int64)
    labels[block, system] = np.asarray(columns.label, dtype=np.int8)
    candidates[block, system] = np.asarray(columns.position, dtype=np.int8)

    blocks = Blocks(
        systems=names,
        labels=labels,
        candidates=candidates,
        judge=np.asarray(columns.judge, dtype=np.int32),
        judges=tuple(judge_of),
        segment=np.asarray(columns.segment, dtype=np.int32),
        key=np.asarray(columns.key, dtype=np.uint64),
    )
    key = number_occurrences(blocks.key, lambda row: _describe(blocks, row))
    return replace(blocks, key=key).with_judges_in_order()


def _append(
    columns: _Columns, row: BlockRow, index_of: dict[str, int], judge_of: dict[str, int]
) -> None:
    if len(row.labels) != len(row.candidates):
        raise ValueError(f"{len(row.labels)} labels for {len(row.candidates)} candidates")
    if len(row.candidates) > _MAX_CANDIDATES:
        raise ValueError(f"more than {_MAX_CANDIDATES} candidates")
    if not 0 <= row.segment <= _INT32_MAX:
        raise ValueError(f"segment number {row.segment} is out of range")
    block = len(columns.judge)
    seen: set[str] = set()
    for position, (shown, label) in enumerate(zip(row.candidates, row.labels, strict=True)):
        if label is not None and not 1 <= label <= MAX_LABEL:
            raise ValueError(f"label {label} is not between 1 and {MAX_LABEL}")
        if not shown:
            raise ValueError(f"candidate {position + 1} stands for no system")
        for name in shown:
            if name not in index_of:
                raise ValueError(f"unknown system {name!r}")
            if name in seen:
                raise ValueError(f"system {name!r} is shown twice")
            seen.add(name)
            columns.block.append(block)
            columns.system.append(index_of[name])
            columns.position.append(position)
            columns.label.append(label or 0)
    columns.judge.append(judge_of.setdefault(row.judge, len(judge_of)))
    columns.segment.append(row.segment)
    columns.key.append(content_key(judgment_content(row.segment, row.judge, row.candidates)))


def _describe(blocks: Blocks, row: int) -> tuple[bytes, list[int]]:
    """Return the encoded content of a row, and its labels in shown order, 0 for blank."""
    positions = blocks.candidates[row]
    count = int(positions.max(initial=-1)) + 1
    candidates: list[list[str]] = [[] for _ in range(count)]
    labels = [0] * count
    for system in np.flatnonzero(positions >= 0).tolist():
        candidates[int(positions[system])].append(blocks.systems[system])
        labels[int(positions[system])] = int(blocks.labels[row, system])
    judge = blocks.judges[int(blocks.judge[row])]
    return judgment_content(int(blocks.segment[row]), judge, candidates), labels


def shown_labels(blocks: Blocks) -> Int8Array:
    """Return the labels by shown position.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown: a candidate without remaining systems is missing.

    Returns
    -------
    int8, shape (B, positions)
        1 best … 5 worst; 0 if the label was left blank or no candidate was shown.
    """
    found = np.zeros((len(blocks), blocks.positions), dtype=np.int8)
    for position, label in zip(blocks.candidates.T, blocks.labels.T, strict=True):
        # All systems of a candidate have its label.
        rows = np.flatnonzero(position >= 0)
        found[rows, position[rows]] = label[rows]
    return found


def several_documents(document: Int32Array, segment: Int32Array) -> Int32Array | None:
    """Return the documents of blocks if they are known and there are several.

    Parameters
    ----------
    document : int32, shape (B,)
        Number of the document of each block's segment; negative if none is named.
    segment : int32, shape (B,)

    Returns
    -------
    int32, shape (B,), or None
        None unless every block has a document, there are at least two documents, and each segment
        is in only one.
    """
    if not len(document) or int(document.min()) < 0 or bool((document == document[0]).all()):
        return None
    numbers, first = np.unique(segment, return_index=True)
    alike = document[first][np.searchsorted(numbers, segment)] == document
    return document if bool(alike.all()) else None


def first_segments(blocks: Blocks) -> Int64Array:
    """Return the number of the first segment of each block's document.

    Parameters
    ----------
    blocks : Blocks
        B blocks whose documents are known.

    Returns
    -------
    int64, shape (B,)
        The smallest segment number among the blocks of that document. It does not depend on the
        numbers of documents, so it is the same for a file and for the database.

    Raises
    ------
    ValueError
        If documents are not known.
    """
    if blocks.document is None:
        raise ValueError("document: these blocks name no documents")
    numbers, of_block = np.unique(blocks.document, return_inverse=True)
    first = np.full(len(numbers), np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(first, of_block, blocks.segment)
    return first[of_block]

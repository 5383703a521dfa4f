"""Judged blocks as columns, with content keys and documents: the input of all methods.

The content key of a block determines its resampling weights, so an exported file gives the same
ranking as its campaign; see `_content_keys`. It is computed from the block as judged, before the
reference or any other system is removed, so a block has the same weights in rankings with and
without the reference.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import repeat
from numbers import Integral
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import (
    BoolArray,
    Int8Array,
    Int32Array,
    Int64Array,
    UInt64Array,
    as_column,
)

CONTENT_KEY_VERSION = 1
_PERSON = f"quintet-key-v{CONTENT_KEY_VERSION}".encode()


#: Labels run from 1 (best) to 5 (worst); 0 means "no label".
MAX_LABEL = 5
_INT32_MAX = np.iinfo(np.int32).max
_MAX_CANDIDATES = np.iinfo(np.int8).max


@dataclass(frozen=True, eq=False, repr=False)
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
        Content key of each judgment, see `_content_keys`.
    document : int32, shape (B,), or None
        Number of the document of each block's segment, if documents are known. Results depend only
        on which segments share a document, not on its number.
    best_worst : bool
        Whether judges chose the best and the worst of each block, with the labels 1 and 3 (Kiritchenko
        & Mohammad 2017). The others have the label 2 and are not compared with each other, so that
        equal labels are no ties.

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
    best_worst: bool = False

    def __post_init__(self) -> None:
        if len(set(self.systems)) != len(self.systems):
            raise ValueError(f"systems: a name occurs twice in {self.systems!r}")
        if len(set(self.judges)) != len(self.judges):
            raise ValueError("judges: a pseudonym occurs twice")
        blocks = len(self.judge)
        systems = len(self.systems)
        self._freeze("labels", np.int8, (blocks, systems))
        self._freeze("candidates", np.int8, (blocks, systems))
        self._freeze("judge", np.int32, (blocks,))
        self._freeze("segment", np.int32, (blocks,))
        self._freeze("key", np.uint64, (blocks,))
        if self.document is not None:
            self._freeze("document", np.int32, (blocks,))
        self._validate()

    def _replace_columns(self, **columns: Any) -> Blocks:
        """Return a copy with columns that are selections of this one's, without checking them
        again.
        """
        blocks = copy(self)
        for name, column in columns.items():
            object.__setattr__(blocks, name, _frozen(column))
        return blocks

    def _freeze(
        self,
        name: str,
        dtype: type[np.generic],
        shape: tuple[int, ...],
    ) -> None:
        column = getattr(self, name)
        if not isinstance(column, np.ndarray) or column.dtype != dtype:
            actual = getattr(column, "dtype", type(column).__name__)
            raise ValueError(
                f"{name}: expected an array of {dtype.__name__}, got {actual}",
            )
        if column.shape != shape:
            raise ValueError(f"{name}: expected shape {shape}, got {column.shape}")
        object.__setattr__(self, name, _frozen(column))

    def _validate(self) -> None:
        is_unknown_judge = (self.judge < 0) | (self.judge >= len(self.judges))
        _refuse("judge", "is not an index into judges", is_unknown_judge)
        is_out_of_range = (self.labels < 0) | (self.labels > MAX_LABEL)
        _refuse("labels", f"is not between 0 and {MAX_LABEL}", is_out_of_range)
        _refuse("candidates", "is below -1", self.candidates < -1)
        is_unseen = (self.labels > 0) & (self.candidates < 0)
        _refuse("labels", "labels a system that was not shown", is_unseen)
        self._refuse_split_candidates()

    def _refuse_split_candidates(self) -> None:
        """Refuse different labels of one candidate; most blocks have no candidate with several
        systems.
        """
        ordered = np.sort(self.candidates, axis=1)
        later = ordered[:, 1:]
        is_repeated = (later == ordered[:, :-1]) & (later >= 0)
        rows = np.flatnonzero(is_repeated.any(axis=1))
        labels = self.labels[rows]
        candidates = self.candidates[rows]
        for position in range(int(candidates.max(initial=-1)) + 1):
            is_here = candidates == position
            highest = np.max(labels, axis=1, where=is_here, initial=0)
            is_different = is_here & (labels != as_column(highest))
            split = np.zeros(len(self), dtype=np.bool_)
            split[rows] = is_different.any(axis=1)
            _refuse("labels", f"gives candidate {position} two different labels", split)

    def __len__(self) -> int:
        """Return the number of blocks, B."""
        return len(self.judge)

    def __repr__(self) -> str:
        """Return the numbers of blocks, systems and judges, for notebooks."""
        return f"<Blocks: {len(self)} blocks, {len(self.systems)} systems, {len(self.judges)} judges>"

    @property
    def positions(self) -> int:
        """Number of shown positions, one more than the highest in `candidates`."""
        return int(self.candidates.max(initial=-1)) + 1

    def compares(self, one: Int64Array | int, other: Int64Array | int) -> BoolArray:
        """Return where systems are compared: both have a label, and different candidates.

        Parameters
        ----------
        one, other : int or int64, shape (k,)
            Indices of systems.

        Returns
        -------
        bool, shape (B,) or (B, k)
        """
        labels = self.labels[:, one]
        other_labels = self.labels[:, other]
        is_compared: BoolArray = (labels > 0) & (other_labels > 0)
        is_compared &= self.candidates[:, one] != self.candidates[:, other]
        if self.best_worst:
            is_compared &= labels != other_labels
        return is_compared

    def without(self, systems: Collection[str]) -> Blocks:
        """Return the blocks without some systems, for instance without the reference.

        A candidate that stands for a removed system and another one remains for the other one. All
        blocks remain, with their keys and shown positions, even those without comparisons.

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
            If a name is not among the blocks' systems, so that a misspelt reference is not ranked
            silently.
        """
        if isinstance(systems, str):
            names = {systems}
        else:
            names = set(systems)
        unknown = sorted(names.difference(self.systems))
        if unknown:
            raise ValueError(f"cannot leave out unknown systems: {', '.join(unknown)}")
        indices = []
        for index, name in enumerate(self.systems):
            if name not in names:
                indices.append(index)
        return self.of_systems(indices)

    def of_systems(self, indices: npt.ArrayLike) -> Blocks:
        """Return the same blocks over the systems with these indices, in this order."""
        index = np.asarray(indices, dtype=np.intp)
        return self._replace_columns(
            systems=tuple(self.systems[system] for system in index.tolist()),
            labels=np.ascontiguousarray(self.labels[:, index]),
            candidates=np.ascontiguousarray(self.candidates[:, index]),
        )

    def without_judges(self, judges: Collection[str]) -> Blocks:
        """Return the blocks of the other judges, with all systems and unchanged keys.

        Parameters
        ----------
        judges : collection of str
            Pseudonyms of the judges to leave out, whether or not they judged anything here.

        Returns
        -------
        Blocks
            The remaining blocks in the same order; `judges` lists only the remaining judges.
        """
        indices = []
        names = []
        for index, name in enumerate(self.judges):
            if name not in judges:
                indices.append(index)
                names.append(name)
        if len(indices) == len(self.judges):
            return self
        new_index = np.full(len(self.judges), -1, dtype=np.int32)
        new_index[indices] = np.arange(len(indices))
        # Judges who are left out get -1, and their rows go with the next step.
        renumbered = self._replace_columns(
            judge=new_index[self.judge],
            judges=tuple(names),
        )
        return renumbered.take(renumbered.judge >= 0)

    def with_judges_in_order(self) -> Blocks:
        """Return the blocks with `judges` reduced to those with a block, sorted by name."""
        blocks_of_judge = np.bincount(self.judge, minlength=len(self.judges))
        present = np.flatnonzero(blocks_of_judge).tolist()
        order = sorted(present, key=self.judges.__getitem__)
        if order == list(range(len(self.judges))):
            return self
        new_index = np.zeros(len(self.judges), dtype=np.int32)
        new_index[order] = np.arange(len(order), dtype=np.int32)
        names = [self.judges[index] for index in order]
        return self._replace_columns(judge=new_index[self.judge], judges=tuple(names))

    def take(self, rows: slice | npt.NDArray[Any] | Sequence[int]) -> Blocks:
        """Return selected blocks, for instance one shard or the blocks of some judges.

        Parameters
        ----------
        rows : slice, sequence of int, or array of bool of shape (B,)
            Rows of the blocks, in the desired order.

        Returns
        -------
        Blocks
            The selected blocks, with all systems and judges and unchanged keys.
        """
        # An empty list would become an array of floats.
        index = rows
        if not isinstance(rows, slice | np.ndarray):
            index = np.asarray(rows, dtype=np.intp)
        document = self.document
        if document is not None:
            document = document[index]
        return self._replace_columns(
            labels=self.labels[index],
            candidates=self.candidates[index],
            judge=self.judge[index],
            segment=self.segment[index],
            key=self.key[index],
            document=document,
        )


def blocks_required(function: str, blocks: object) -> None:
    """Refuse an argument of a public function that is not `Blocks`, such as the name of a file.

    Raises
    ------
    TypeError
        With the call that would read it.
    """
    if isinstance(blocks, Blocks):
        return
    actual = type(blocks).__name__
    argument = "…"
    if isinstance(blocks, str | PathLike):
        actual = repr(str(blocks))
        argument = actual
    raise TypeError(
        f"{function} takes judged blocks, not {actual}. Read a file or a DataFrame: {function}(read_judgments({argument})). "
        "Any other table: build the blocks with blocks_from_rows.",
    )


def _frozen(column: Any) -> Any:
    if not isinstance(column, np.ndarray):
        return column
    view = column.view()
    view.flags.writeable = False
    return view


def _refuse(column: str, problem: str, is_wrong: BoolArray) -> None:
    if np.any(is_wrong):
        row = int(np.argwhere(is_wrong)[0, 0])
        raise ValueError(f"{column}: row {row} {problem}")


Candidate = tuple[str, ...]
#: Rows of a table: their indices in the desired order, a mask, or a slice.
Rows = slice | Int64Array | BoolArray


@dataclass(frozen=True, eq=False)
class CodedJudgments:
    """B judgments with numbers instead of names, and up to S candidates each.

    Attributes
    ----------
    judge : int32, shape (B,)
        An index into `judges`.
    judges : sequence of str
        Pseudonyms, including those of judges without judgments.
    segment : int32, shape (B,)
        Number of the segment in the test set.
    candidate : int32, shape (B, S)
        The candidates in display order, each an index into `candidates`; -1 where there is none. No
        row shows a system twice.
    candidates : sequence of tuples of str
        The systems that each candidate stands for.
    label : int8, shape (B, S)
        1 best … 5 worst, 0 where blank.
    best_worst : bool
        As in `Blocks`.
    """

    judge: Int32Array
    judges: Sequence[str]
    segment: Int32Array
    candidate: Int32Array
    candidates: Sequence[Candidate]
    label: Int8Array
    best_worst: bool = False

    def __len__(self) -> int:
        """Return the number of judgments, B."""
        return len(self.judge)

    def take(self, rows: Rows) -> CodedJudgments:
        """Return some judgments, in the order of `rows`, with all judges and candidates."""
        return replace(
            self,
            judge=self.judge[rows],
            segment=self.segment[rows],
            candidate=self.candidate[rows],
            label=self.label[rows],
        )


def blocks_of_codes(
    coded: CodedJudgments,
    systems: Iterable[str],
    *,
    document: Int32Array | None = None,
) -> Blocks:
    """Build `Blocks` without creating an object for each judgment.

    Parameters
    ----------
    coded : CodedJudgments
        B judgments.
    systems : iterable of str
        All systems to be ranked. A candidate with any other system counts as not shown.
    document : int32, shape (B,), or None
        As in `Blocks`.

    Returns
    -------
    Blocks
        Bit-identical to the result of `blocks_from_rows` for the same judgments in the same order.
    """
    [blocks] = blocks_of_parts(coded, [slice(None)], systems, document=document)
    return blocks


def blocks_of_parts(
    coded: CodedJudgments,
    parts: Iterable[Rows],
    systems: Iterable[str],
    *,
    document: Int32Array | None = None,
) -> list[Blocks]:
    """Build `Blocks` of several, possibly overlapping, parts of the judgments, hashing each
    judgment once.

    Parameters
    ----------
    coded : CodedJudgments
        B judgments.
    parts : iterable of slice or array
        The rows of each part.
    systems, document
        As for `blocks_of_codes`.

    Returns
    -------
    list of Blocks
        The result of `blocks_of_codes` for each part.
    """
    names = tuple(sorted(systems))
    shape = (len(coded), len(names))
    labels = np.zeros(shape, dtype=np.int8)
    candidates = np.full(shape, -1, dtype=np.int8)
    systems_of = systems_table(coded.candidates, names)
    _spread(coded, systems_of, labels, candidates)
    key = _content_keys(coded)
    blocks_of_part = []
    for rows in parts:
        part = coded.take(rows)
        part_document = document
        if document is not None:
            part_document = document[rows]
        blocks = Blocks(
            systems=names,
            labels=labels[rows],
            candidates=candidates[rows],
            judge=part.judge,
            judges=tuple(part.judges),
            segment=part.segment,
            key=_keys_with_occurrences(part, key[rows]),
            document=part_document,
            best_worst=coded.best_worst,
        )
        blocks_of_part.append(blocks.with_judges_in_order())
    return blocks_of_part


def _keys_with_occurrences(coded: CodedJudgments, keys: UInt64Array) -> UInt64Array:
    """Return keys in which repeated judgments with equal content have separate keys."""
    _keys, index, times = np.unique(keys, return_inverse=True, return_counts=True)
    rows = np.flatnonzero(times[index] > 1)
    if not len(rows):
        return keys
    repeated = coded.take(rows)
    content = index[rows]
    is_shown = repeated.candidate >= 0
    shown_first = np.argsort(~is_shown, axis=1, kind="stable")
    labels = np.where(is_shown, repeated.label, 0)
    labels = np.take_along_axis(labels, shown_first, axis=1)
    order = np.lexsort((*labels.T[::-1], content))
    ordered = content[order]
    first_of_content = np.searchsorted(ordered, ordered)
    occurrence = np.empty(len(rows), dtype=np.int64)
    occurrence[order] = np.arange(len(rows)) - first_of_content
    numbered = keys.copy()
    numbered[rows] = _content_keys(repeated, occurrence.tolist())
    return numbered


def systems_table(
    candidates: Sequence[Candidate],
    systems: Sequence[str],
) -> Int32Array:
    """Return the systems of each candidate by index, padded with -1.

    The shape is (candidates, maximum number of systems in one). A candidate with a system that is
    not in `systems` gets none: it belongs to another language pair.
    """
    index_of = {}
    for index, name in enumerate(systems):
        index_of[name] = index
    most = max(map(len, candidates), default=0)
    table = np.full((len(candidates), most), -1, dtype=np.int32)
    for row, candidate in enumerate(candidates):
        if index_of.keys() >= set(candidate):
            table[row, : len(candidate)] = [index_of[name] for name in candidate]
    return table


def _spread(
    coded: CodedJudgments,
    systems_of: Int32Array,
    labels: Int8Array,
    positions: Int8Array,
) -> None:
    """Write each candidate's label and position into the columns of its systems."""
    position = np.zeros(len(coded), dtype=np.int8)
    for candidate, label in zip(coded.candidate.T, coded.label.T, strict=True):
        rows = np.flatnonzero(candidate >= 0)
        for column in systems_of[candidate[rows]].T:
            is_system = column >= 0
            row = rows[is_system]
            system = column[is_system]
            labels[row, system] = label[row]
            positions[row, system] = position[row]
        position[rows] += 1


def _content_keys(
    coded: CodedJudgments,
    occurrences: Iterable[int] = repeat(0),
) -> UInt64Array:
    """Return the 64-bit hash of each judgment and its occurrence, shape (B,).

    It is BLAKE2b (8 bytes, person "quintet-key-v1", read as little-endian) of the judged block and
    the judge. With little-endian integers, and texts as their length in bytes (4 bytes) followed by
    UTF-8, the encoding is

        segment number                      8 bytes, signed
        judge's pseudonym                   text
        number of candidates                4 bytes
        for each candidate, in shown order:
            number of systems               4 bytes
            for each system, sorted by name (by code point): text
        occurrence                          4 bytes

    Every part is preceded by its length or number, so different judgments never have the same
    encoding. It does not include the test set, because renaming a test set, or importing its
    judgments under another name, must not change the ranking at all. It does not include labels, so
    correcting a label changes no weight.

    Occurrences number judgments with equal content (a judge who saw the same block twice) in the
    order of their labels in display order, with 0 for a blank label, so that the order of the rows
    in a file never matters. This definition is version 1. Changing it changes every published
    range: if you do, increase `CONTENT_KEY_VERSION`, which ranking runs record.
    """
    judges = [_length_prefixed_bytes(name) for name in coded.judges]
    candidates = [_encoded_candidate(candidate) for candidate in coded.candidates]
    candidates.append(b"")  # for index -1
    counts = (coded.candidate >= 0).sum(axis=1)
    start = blake2b(digest_size=8, person=_PERSON)
    encoded_number = struct.Struct("<q").pack
    encoded_count = struct.Struct("<I").pack
    digests = bytearray()
    rows = zip(
        coded.segment.tolist(),
        coded.judge.tolist(),
        counts.tolist(),
        coded.candidate.tolist(),
        occurrences,
        strict=False,
    )
    for segment, judge, count, row_candidates, occurrence in rows:
        parts = [encoded_number(segment), judges[judge], encoded_count(count)]
        parts += [candidates[candidate] for candidate in row_candidates]
        parts.append(encoded_count(occurrence))
        hashed = start.copy()
        hashed.update(b"".join(parts))
        digests += hashed.digest()
    return np.frombuffer(bytes(digests), dtype="<u8").astype(np.uint64)


def _encoded_candidate(candidate: Candidate) -> bytes:
    systems = b"".join(map(_length_prefixed_bytes, sorted(candidate)))
    return struct.pack("<I", len(candidate)) + systems


def _length_prefixed_bytes(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<I", len(encoded)) + encoded


class CandidateSets:
    """Numbered sets of systems: single systems in the given order, then larger sets in order of
    first occurrence.

    Attributes
    ----------
    candidates : list of tuples of str
        The systems of each set.
    """

    def __init__(self, systems: Sequence[str]) -> None:
        self._systems = tuple(systems)
        self.candidates: list[tuple[str, ...]] = [(name,) for name in systems]
        self._number_of: dict[tuple[int, ...], int] = {}

    def numbered(self, system: Int32Array, size: npt.NDArray[Any]) -> Int32Array:
        """Return the number of each candidate of B blocks with S candidates of L outputs.

        Parameters
        ----------
        system : int32, shape (B, L)
            The system of each output; outputs of one candidate are adjacent.
        size : int, shape (B, S)
            Number of outputs that each candidate stands for, at least one; each row sums to L.
        """
        start = np.cumsum(size, axis=1) - size
        number = np.take_along_axis(system, start, axis=1).astype(np.int32)
        row, position = np.nonzero(size > 1)
        offset = np.arange(int(size.max(initial=1)))
        first_output = as_column(start[row, position])
        output = np.minimum(first_output + offset, system.shape[1] - 1)
        is_member = offset < as_column(size[row, position])
        outputs_system = system[as_column(row), output]
        members = np.where(is_member, outputs_system, -1)
        members.sort(axis=1)
        sets, index = np.unique(members, axis=0, return_inverse=True)
        numbers = []
        for padded in sets.tolist():
            members_of_set = tuple(one for one in padded if one >= 0)
            numbers.append(self._number(members_of_set))
        number_of_set = np.array(numbers, dtype=np.int32)
        number[row, position] = number_of_set[index.reshape(-1)]
        return number

    def _number(self, members: tuple[int, ...]) -> int:
        if members not in self._number_of:
            self._number_of[members] = len(self.candidates)
            self.candidates.append(tuple(self._systems[one] for one in members))
        return self._number_of[members]


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
        The candidates in display order; each is a sequence of the names of the systems it stands
        for.
    labels : sequence of int or None
        Label of each candidate, 1 best … 5 worst; None if it was left blank.
    """

    judge: str
    segment: int
    candidates: Sequence[Sequence[str]]
    labels: Sequence[int | None]


def blocks_from_rows(rows: Iterable[BlockRow], systems: Iterable[str]) -> Blocks:
    """Convert rows to columns, in one pass.

    Rows may come from a generator. Systems and judges are sorted by name, so that results do not
    depend on the order of the rows or of `systems`.

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
        system, has a different number of labels than candidates, or has a label outside 1 … 5; or
        if a name is not a text. The message counts rows from 1.
    """
    names = set(systems)
    for name in names:
        _refuse_name("system", name)
    judge_of: dict[str, int] = {}
    candidate_of: dict[Candidate, int] = {}
    judge = array("i")
    segment = array("i")
    size = array("b")
    candidate = array("i")
    label = array("b")
    for number, row in enumerate(rows, start=1):
        try:
            _refuse_row(row, names)
        except ValueError as error:
            raise ValueError(f"row {number}: {error}") from error
        judge.append(judge_of.setdefault(row.judge, len(judge_of)))
        segment.append(row.segment)
        size.append(len(row.candidates))
        for candidate_systems in map(tuple, row.candidates):
            candidate.append(
                candidate_of.setdefault(candidate_systems, len(candidate_of)),
            )
        for row_label in row.labels:
            label.append(row_label or 0)
    sizes = np.asarray(size, dtype=np.int64)
    positions = np.arange(int(sizes.max(initial=0)))
    is_filled = positions < as_column(sizes)
    candidates = np.full(is_filled.shape, -1, np.int32)
    labels = np.zeros(is_filled.shape, np.int8)
    candidates[is_filled] = candidate
    labels[is_filled] = label
    coded = CodedJudgments(
        judge=np.asarray(judge, dtype=np.int32),
        judges=tuple(judge_of),
        segment=np.asarray(segment, dtype=np.int32),
        candidate=candidates,
        candidates=tuple(candidate_of),
        label=labels,
    )
    return blocks_of_codes(coded, names)


def _refuse_row(row: BlockRow, systems: Collection[str]) -> None:
    if not isinstance(row, BlockRow):
        raise ValueError(f"expected a BlockRow, got {type(row).__name__}")
    if len(row.labels) != len(row.candidates):
        raise ValueError(
            f"{len(row.labels)} labels for {len(row.candidates)} candidates",
        )
    if len(row.candidates) > _MAX_CANDIDATES:
        raise ValueError(f"more than {_MAX_CANDIDATES} candidates")
    if not 0 <= row.segment <= _INT32_MAX:
        raise ValueError(f"segment number {row.segment} is out of range")
    _refuse_name("judge", row.judge)
    names: set[str] = set()
    for position, (candidate, label) in enumerate(
        zip(row.candidates, row.labels, strict=True),
    ):
        _refuse_label(label)
        if not candidate:
            raise ValueError(f"candidate {position + 1} stands for no system")
        for name in candidate:
            if name not in systems:
                raise ValueError(f"unknown system {name!r}")
            if name in names:
                raise ValueError(f"system {name!r} is shown twice")
            names.add(name)


def _refuse_name(what: str, name: object) -> None:
    if not isinstance(name, str):
        raise ValueError(
            f"the {what} {name!r} is not a text; pandas reads names such as NA and None as missing, "
            "unless keep_default_na=False",
        )


def _refuse_label(label: object) -> None:
    if label is None:
        return
    # pandas makes whole numbers with gaps floats, and the gaps NaN.
    if not isinstance(label, Integral):
        raise ValueError(
            f"label {label} is not a whole number; use None for a blank label",
        )
    if not 1 <= int(label) <= MAX_LABEL:
        raise ValueError(f"label {label} is not between 1 and {MAX_LABEL}")


def shown_labels(blocks: Blocks) -> Int8Array:
    """Return the labels by shown position.

    Parameters
    ----------
    blocks : Blocks
        Blocks with every system that was shown: a candidate without remaining systems would be
        missing.

    Returns
    -------
    int8, shape (B, positions)
        1 best … 5 worst; 0 if the label was left blank or no candidate was shown.
    """
    labels = np.zeros((len(blocks), blocks.positions), dtype=np.int8)
    for position, label in zip(blocks.candidates.T, blocks.labels.T, strict=True):
        # All systems of a candidate share its label.
        rows = np.flatnonzero(position >= 0)
        labels[rows, position[rows]] = label[rows]
    return labels


def several_documents(document: Int32Array, segment: Int32Array) -> Int32Array | None:
    """Return the documents of blocks if they are all known and there are several.

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
    if not len(document) or document.min() < 0:
        return None
    if (document == document[0]).all():
        return None
    numbers, first = np.unique(segment, return_index=True)
    document_of_segment = document[first]
    alike = document_of_segment[np.searchsorted(numbers, segment)] == document
    if alike.all():
        return document
    return None


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
        If documents are unknown.
    """
    if blocks.document is None:
        raise ValueError("document: these blocks name no documents")
    numbers, of_block = np.unique(blocks.document, return_inverse=True)
    first = np.full(len(numbers), np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(first, of_block, blocks.segment)
    return first[of_block]

"""Blocks from judgments whose judges and candidates are numbers.

From judgments as numbers, of files or of the database, to `Blocks` with their content keys.

Numbers for the candidates of blocks: one for each set of systems that shares an output.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, Int8Array, Int32Array, Int64Array, UInt64Array
from ranking.core.judged.blocks import (
    PERSON,
    Blocks,
    encoded_text,
    judgment_content,
    number_occurrences,
)

Candidate = tuple[str, ...]
#: Rows of a table, in the order wanted: their numbers, which of all they are, or a slice.
Rows = slice | Int64Array | BoolArray


@dataclass(frozen=True, eq=False)
class CodedJudgments:
    """B judgments with numbers instead of names, with S places for candidates.

    Attributes
    ----------
    judge : int32, shape (B,)
        An index into `judges`.
    judges : sequence of str
        Pseudonyms; also of judges without a judgment.
    segment : int32, shape (B,)
        Number of the segment in the test set.
    candidate : int32, shape (B, S)
        The candidates in shown order, each an index into `candidates`; -1 where there is none. No
        row shows a system twice.
    candidates : sequence of tuples of str
        The systems that each candidate stands for.
    label : int8, shape (B, S)
        1 best … 5 worst, 0 where blank.
    """

    judge: Int32Array
    judges: Sequence[str]
    segment: Int32Array
    candidate: Int32Array
    candidates: Sequence[Candidate]
    label: Int8Array

    def __len__(self) -> int:
        """Return the number of judgments, B."""
        return len(self.judge)

    def take(self, rows: Rows) -> CodedJudgments:
        """Return some judgments, in the order of `rows`; with all judges and candidates."""
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
    """Build the core's columns, without an object for each judgment.

    Parameters
    ----------
    coded : CodedJudgments
        B judgments.
    systems : iterable of str
        All systems to be ranked. A candidate with another system is not shown.
    document : int32, shape (B,), or None
        As in `Blocks`.

    Returns
    -------
    Blocks
        What `blocks_from_rows` builds of the same judgments, bit for bit, in the same order.
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
    """Build the columns of parts of the judgments, which may share some: each is hashed once.

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
        What `blocks_of_codes` builds of each part alone.
    """
    names = tuple(sorted(systems))
    labels = np.zeros((len(coded), len(names)), dtype=np.int8)
    shown = np.full((len(coded), len(names)), -1, dtype=np.int8)
    systems_of = systems_table(coded.candidates, names)
    _spread(coded, systems_of, labels, shown)
    key = _keys(coded)
    found = []
    for rows in parts:
        part = coded.take(rows)
        blocks = Blocks(
            systems=names,
            labels=labels[rows],
            candidates=shown[rows],
            judge=part.judge,
            judges=tuple(part.judges),
            segment=part.segment,
            key=number_occurrences(key[rows], partial(_described, part)),
            document=None if document is None else document[rows],
        )
        found.append(blocks.with_judges_in_order())
    return found


def _described(coded: CodedJudgments, row: int) -> tuple[bytes, list[int]]:
    """Return the content of a judgment, and its labels in shown order."""
    places = np.flatnonzero(coded.candidate[row] >= 0)
    content = judgment_content(
        int(coded.segment[row]),
        coded.judges[coded.judge[row]],
        [coded.candidates[one] for one in coded.candidate[row, places].tolist()],
    )
    return content, coded.label[row, places].tolist()


def systems_table(candidates: Sequence[Candidate], systems: Sequence[str]) -> Int32Array:
    """Return the systems of each candidate by index, padded with -1.

    Shape (candidates, most systems of one). A candidate with a system that is not among `systems`
    has none: it belongs to another language pair.
    """
    index_of = {name: index for index, name in enumerate(systems)}
    table = np.full((len(candidates), max(map(len, candidates), default=0)), -1, dtype=np.int32)
    for row, candidate in enumerate(candidates):
        if all(name in index_of for name in candidate):
            table[row, : len(candidate)] = [index_of[name] for name in candidate]
    return table


def _spread(
    coded: CodedJudgments, systems_of: Int32Array, labels: Int8Array, shown: Int8Array
) -> None:
    """Write each candidate's label and place under each of its systems."""
    position = np.zeros(len(coded), dtype=np.int8)
    for candidate, label in zip(coded.candidate.T, coded.label.T, strict=True):
        rows = np.flatnonzero(candidate >= 0)
        for system in systems_of[candidate[rows]].T:
            is_system = system >= 0
            there, of_there = rows[is_system], system[is_system]
            labels[there, of_there] = label[there]
            shown[there, of_there] = position[there]
        position[rows] += 1


def _pieces(coded: CodedJudgments) -> tuple[list[bytes], list[bytes]]:
    """Return the encoding of each judge and of each candidate, see `content_key`."""
    of_candidates = [
        struct.pack("<I", len(one)) + b"".join(map(encoded_text, sorted(one)))
        for one in coded.candidates
    ]
    return [encoded_text(name) for name in coded.judges], of_candidates


def _keys(coded: CodedJudgments) -> UInt64Array:
    """Hash the contents one by one, with occurrence 0."""
    of_judges, of_candidates = _pieces(coded)
    of_candidates.append(b"")  # where the index is -1
    counts = (coded.candidate >= 0).sum(axis=1).tolist()
    start = blake2b(digest_size=8, person=PERSON)
    head, count_of = struct.Struct("<q").pack, struct.Struct("<I").pack
    digests = bytearray()
    for segment, judge, count, shown in zip(
        coded.segment.tolist(),
        coded.judge.tolist(),
        counts,
        coded.candidate.tolist(),
        strict=True,
    ):
        parts = [head(segment), of_judges[judge], count_of(count)]
        parts += [of_candidates[one] for one in shown]
        parts.append(b"\0\0\0\0")  # the occurrence
        hashed = start.copy()
        hashed.update(b"".join(parts))
        digests += hashed.digest()
    return np.frombuffer(bytes(digests), dtype="<u8").astype(np.uint64)


class CandidateSets:
    """Sets of systems by number: each system alone in the given order, then others as met.

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
            The system of each output, those of one candidate side by side.
        size : int, shape (B, S)
            How many of the outputs each candidate stands for, at least one; L in each row.
        """
        start = np.cumsum(size, axis=1) - size
        number = np.take_along_axis(system, start, axis=1).astype(np.int32)
        row, place = np.nonzero(size > 1)
        within = np.arange(int(size.max(initial=1)))
        output = np.minimum(start[row, place][:, np.newaxis] + within, system.shape[1] - 1)
        inside = within < size[row, place][:, np.newaxis]
        members = np.where(inside, system[row[:, np.newaxis], output], -1)
        sets, which = np.unique(np.sort(members, axis=1), axis=0, return_inverse=True)
        numbers = [self._number(tuple(one for one in each if one >= 0)) for each in sets.tolist()]
        number[row, place] = np.array(numbers, dtype=np.int32)[which.reshape(-1)]
        return number

    def _number(self, members: tuple[int, ...]) -> int:
        if members not in self._number_of:
            self._number_of[members] = len(self.candidates)
            self.candidates.append(tuple(self._systems[one] for one in members))
        return self._number_of[members]

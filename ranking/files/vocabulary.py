"""Columns of judgments read from files, with numbers for names, and their conversion to the core's `Blocks`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from campaign.formats.five_way import document_of
from campaign.formats.records import JudgedBlock
from ranking.core.judged.blocks import (
    Blocks,
    Candidate,
    CodedJudgments,
    blocks_of_codes,
    several_documents,
)
from ranking.files.records import LanguagePair, SelectionError

Int32Array = npt.NDArray[np.int32]


@dataclass
class Vocabulary:
    """Numbers for the names in all files, from 0 in order of first occurrence."""

    languages: dict[LanguagePair, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)
    candidates: dict[Candidate, int] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)
    #: Whether judgments are of best-worst scaling; both values if only some are.
    best_worst: set[bool] = field(default_factory=set)

    def language(self, pair: LanguagePair) -> int:
        return self.languages.setdefault(pair, len(self.languages))

    def judge(self, name: str) -> int:
        return self.judges.setdefault(name, len(self.judges))

    def candidate(self, systems: Candidate) -> int:
        return self.candidates.setdefault(systems, len(self.candidates))

    def document(self, name: str) -> int:
        """Return the number of a document by its trimmed name; -1 for an empty name."""
        name = document_of(name).strip()
        if name:
            return self.documents.setdefault(name, len(self.documents))
        return -1


def systems_by_row(
    rows: Sequence[Sequence[str]],
) -> tuple[tuple[str, ...], npt.NDArray[np.bool_]]:
    """Return the names of the systems of all rows, sorted, and whether each row has each system, shape (rows, systems)."""
    systems = sorted(set(chain.from_iterable(rows)))
    numbers = {name: number for number, name in enumerate(systems)}
    is_of = np.zeros((len(rows), len(systems)), dtype=np.bool_)
    for row, names in enumerate(rows):
        for name in names:
            is_of[row, numbers[name]] = True
    return tuple(systems), is_of


@dataclass(frozen=True, eq=False)
class Columns:
    """N judgments and skips, as numbers of a `Vocabulary`, with S places for candidates.

    Attributes
    ----------
    language, judge, segment : int32, shape (N,)
    candidate : int32, shape (N, S)
        The candidates in shown order, then -1.
    label : int8, shape (N, S)
        1 … 5, or 0 if blank.
    duration_ms : int64, shape (N,)
        -1 if unknown.
    document : int32, shape (N,)
        -1 if none is named.
    """

    language: Int32Array
    judge: Int32Array
    segment: Int32Array
    candidate: Int32Array
    label: npt.NDArray[np.int8]
    duration_ms: npt.NDArray[np.int64]
    document: Int32Array

    def __len__(self) -> int:
        return len(self.judge)

    def take(self, rows: npt.NDArray[np.bool_]) -> Columns:
        """Return the selected rows, in order."""
        if rows.all():
            return self
        return self.rows(rows)

    def rows(
        self,
        rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_] | slice,
    ) -> Columns:
        """Return the rows selected by a numpy index."""
        return Columns(
            language=self.language[rows],
            judge=self.judge[rows],
            segment=self.segment[rows],
            candidate=self.candidate[rows],
            label=self.label[rows],
            duration_ms=self.duration_ms[rows],
            document=self.document[rows],
        )

    def widened(self, places: int) -> Columns:
        """Return the rows with this number of places, new ones without a candidate."""
        missing = places - self.candidate.shape[1]
        if not missing:
            return self
        padding = ((0, 0), (0, missing))
        candidate = np.pad(self.candidate, padding, constant_values=-1)
        return replace(self, candidate=candidate, label=np.pad(self.label, padding))


def columns_of(
    rows: Iterator[JudgedBlock],
    vocabulary: Vocabulary,
) -> Iterator[Columns]:
    """Yield the rows as columns of numbers, a few thousand at a time."""
    while batch := list(islice(rows, _BATCH)):
        yield _numbered_columns(batch, vocabulary)


_BATCH = 8192


def _numbered_columns(rows: list[JudgedBlock], vocabulary: Vocabulary) -> Columns:
    places = max((len(row.candidates) for row in rows), default=0)
    candidate = np.full((len(rows), places), -1, dtype=np.int32)
    label = np.zeros((len(rows), places), dtype=np.int8)
    languages = []
    judges = []
    segments = []
    durations = []
    documents = []
    for number, row in enumerate(rows):
        vocabulary.best_worst.add(row.best_worst)
        candidates = list(map(vocabulary.candidate, row.candidates))
        candidate[number, : len(candidates)] = candidates
        label[number, : len(candidates)] = [rank or 0 for rank in row.labels]
        pair = (row.source_language, row.target_language)
        languages.append(vocabulary.language(pair))
        judges.append(vocabulary.judge(row.judge))
        segments.append(row.segment)
        documents.append(vocabulary.document(row.document))
        if row.duration_ms is None:
            durations.append(-1)
        else:
            durations.append(row.duration_ms)
    return Columns(
        language=np.array(languages, dtype=np.int32),
        judge=np.array(judges, dtype=np.int32),
        segment=np.array(segments, dtype=np.int32),
        candidate=candidate,
        label=label,
        duration_ms=np.array(durations, dtype=np.int64),
        document=np.array(documents, dtype=np.int32),
    )


def joined(parts: list[Columns]) -> Columns:
    """Concatenate the columns of several files and batches."""
    if not parts:
        return _numbered_columns([], Vocabulary())
    places = max(part.candidate.shape[1] for part in parts)
    wide = [part.widened(places) for part in parts]
    return Columns(
        language=np.concatenate([part.language for part in wide]),
        judge=np.concatenate([part.judge for part in wide]),
        segment=np.concatenate([part.segment for part in wide]),
        candidate=np.concatenate([part.candidate for part in wide]),
        label=np.concatenate([part.label for part in wide]),
        duration_ms=np.concatenate([part.duration_ms for part in wide]),
        document=np.concatenate([part.document for part in wide]),
    )


def votes_in_order(columns: Columns, vocabulary: Vocabulary) -> Columns:
    """Return votes of an arena with segments numbered by what was voted, not by the order of the rows.

    Each vote is a segment of its own, also among those of several files. It is numbered by the
    names of its models, whichever was shown first, their labels and the judge.
    """
    model = _alphabetical_positions(vocabulary.candidates)[columns.candidate]
    judge = _alphabetical_positions(vocabulary.judges)[columns.judge]
    by_name = np.argsort(model, axis=1, kind="stable")
    models = np.take_along_axis(model, by_name, axis=1)
    labels = np.take_along_axis(columns.label, by_name, axis=1)
    order = np.lexsort((model[:, 0], judge, *labels.T, *models.T))
    segment = np.empty(len(columns), dtype=np.int32)
    segment[order] = np.arange(1, len(columns) + 1, dtype=np.int32)
    return replace(columns, segment=segment)


def _alphabetical_positions(numbers: Mapping[Any, int]) -> Int32Array:
    """Return the position of each numbered name when sorted by name."""
    positions = np.empty(len(numbers), dtype=np.int32)
    for position, name in enumerate(sorted(numbers)):
        positions[numbers[name]] = position
    return positions


def coded_judgments(columns: Columns, vocabulary: Vocabulary) -> CodedJudgments:
    """Return the judgments of columns with their names, as the core takes them. Raises SelectionError."""
    if len(vocabulary.best_worst) > 1:
        raise SelectionError(
            "Some judgments are of best-worst scaling and others are not. Use them separately.",
        )
    return CodedJudgments(
        judge=columns.judge,
        judges=list(vocabulary.judges),
        segment=columns.segment,
        candidate=columns.candidate,
        candidates=list(vocabulary.candidates),
        label=columns.label,
        best_worst=True in vocabulary.best_worst,
    )


def blocks_of(
    columns: Columns,
    systems: Sequence[str],
    vocabulary: Vocabulary,
) -> Blocks:
    """Convert columns to the core's `Blocks`.

    Parameters
    ----------
    columns : Columns
        N judged blocks.
    systems : sequence of str
        All systems to be ranked.
    vocabulary : Vocabulary

    Returns
    -------
    Blocks
        Documents are known if the files name several.
    """
    coded = coded_judgments(columns, vocabulary)
    document = several_documents(columns.document, columns.segment)
    return blocks_of_codes(coded, systems, document=document)

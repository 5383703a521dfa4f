"""The columns of files while they are read: numbers for names, the same in all files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from campaign.formats.five_way import document_of
from ranking.core.judged.coded_blocks import Candidate
from ranking.files.records import JudgedBlock, LanguagePair

Int32Array = npt.NDArray[np.int32]


@dataclass
class Vocabulary:
    """Numbers for the names of all files, from 0 in the order in which they first occur."""

    languages: dict[LanguagePair, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)
    candidates: dict[Candidate, int] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)

    def language(self, pair: LanguagePair) -> int:
        return self.languages.setdefault(pair, len(self.languages))

    def judge(self, name: str) -> int:
        return self.judges.setdefault(name, len(self.judges))

    def candidate(self, systems: Candidate) -> int:
        return self.candidates.setdefault(systems, len(self.candidates))

    def document(self, name: str) -> int:
        """Return the number of a document by its trimmed name; -1 if it is not named."""
        name = document_of(name).strip()
        return self.documents.setdefault(name, len(self.documents)) if name else -1


@dataclass(frozen=True, eq=False)
class Columns:
    """N judgments and skips, as numbers of a `Vocabulary`, with S places for candidates.

    Attributes
    ----------
    language, judge, segment : int32, shape (N,)
    candidate : int32, shape (N, S)
        The candidates in shown order, then -1.
    label : int8, shape (N, S)
        1 … 5, 0 where blank.
    duration_ms : int64, shape (N,)
        -1 where unknown.
    document : int32, shape (N,)
        -1 where none is named.
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
        """Return some of the rows, in order."""
        return self if rows.all() else self.rows(rows)

    def rows(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_] | slice) -> Columns:
        """Return rows as numpy indexes them."""
        return Columns(
            language=self.language[rows],
            judge=self.judge[rows],
            segment=self.segment[rows],
            candidate=self.candidate[rows],
            label=self.label[rows],
            duration_ms=self.duration_ms[rows],
            document=self.document[rows],
        )


def columns_of(rows: Iterable[JudgedBlock], vocabulary: Vocabulary) -> Iterator[Columns]:
    """Assign numbers to the rows, some thousands at a time."""
    batch: list[JudgedBlock] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield _numbered(batch, vocabulary)
            batch = []
    if batch:
        yield _numbered(batch, vocabulary)


_BATCH = 8192


def _numbered(rows: list[JudgedBlock], vocabulary: Vocabulary) -> Columns:
    places = max(len(row.candidates) for row in rows)
    candidates, labels = [], []
    for row in rows:
        padding = [0] * (places - len(row.candidates))
        candidates.append([*map(vocabulary.candidate, row.candidates), *(-1 for _ in padding)])
        labels.append([*(label or 0 for label in row.labels), *padding])
    durations = [-1 if row.duration_ms is None else row.duration_ms for row in rows]
    languages = [vocabulary.language((row.source_language, row.target_language)) for row in rows]
    return Columns(
        language=np.array(languages, dtype=np.int32),
        judge=np.array([vocabulary.judge(row.judge) for row in rows], dtype=np.int32),
        segment=np.array([row.segment for row in rows], dtype=np.int32),
        candidate=np.array(candidates, dtype=np.int32).reshape(len(rows), places),
        label=np.array(labels, dtype=np.int8).reshape(len(rows), places),
        duration_ms=np.array(durations, dtype=np.int64),
        document=np.array([vocabulary.document(row.document) for row in rows], dtype=np.int32),
    )


def joined(parts: list[Columns]) -> Columns:
    """Put the columns of several files and batches below each other."""
    places = max((part.candidate.shape[1] for part in parts), default=0)

    def wide(column: npt.NDArray[np.generic], fill: int) -> npt.NDArray[np.generic]:
        missing = places - column.shape[1]
        return np.pad(column, ((0, 0), (0, missing)), constant_values=fill) if missing else column

    if len(parts) == 1:
        return parts[0]
    empty = np.empty(0, dtype=np.int32)
    return Columns(
        language=np.concatenate([empty, *(part.language for part in parts)]),
        judge=np.concatenate([empty, *(part.judge for part in parts)]),
        segment=np.concatenate([empty, *(part.segment for part in parts)]),
        candidate=np.concatenate(
            [np.empty((0, places), np.int32), *(wide(part.candidate, -1) for part in parts)]
        ).astype(np.int32, copy=False),
        label=np.concatenate(
            [np.empty((0, places), np.int8), *(wide(part.label, 0) for part in parts)]
        ).astype(np.int8, copy=False),
        duration_ms=np.concatenate(
            [np.empty(0, dtype=np.int64), *(part.duration_ms for part in parts)]
        ),
        document=np.concatenate([empty, *(part.document for part in parts)]),
    )

"""N scores of n systems on S segments by judges, one row per score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ranking.core.arrays import FloatArray, Int32Array, Int64Array


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """N scores of n systems on S segments, one row per score.

    Outputs without a score are left out. An output by several systems has a row for each.

    Attributes
    ----------
    systems, judges, documents : tuples of str
        Sorted.
    segments : tuple of (str, str)
        Document and segment, sorted.
    system, segment, judge : int32, shape (N,)
        Indices into `systems`, `segments` and `judges`.
    round : int32, shape (N,)
        Number of earlier scores of this system on this segment.
    score : float64, shape (N,)
        Higher is better.
    document : int32, shape (S,)
        The document of each segment.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    documents: tuple[str, ...]
    segments: tuple[tuple[str, str], ...]
    system: Int32Array
    segment: Int32Array
    judge: Int32Array
    round: Int32Array
    score: FloatArray
    document: Int32Array

    @property
    def document_of_score(self) -> Int64Array | None:
        """The document of each score, shape (N,); None unless every segment is of a named document,
        and there are at least two.
        """
        if len(self.documents) < 2 or not all(self.documents):
            return None
        return self.document[self.segment].astype(np.int64)

    @classmethod
    def of_rows(
        cls,
        rows: Sequence[tuple[str, tuple[str, str], str, float]],
    ) -> ScoreColumns:
        """Build from rows of system, (document, segment), judge and score, whose order determines
        `round`.
        """
        system_of_row = [row[0] for row in rows]
        segment_of_row = [row[1] for row in rows]
        judge_of_row = [row[2] for row in rows]
        systems = tuple(sorted(set(system_of_row)))
        segments = tuple(sorted(set(segment_of_row)))
        judges = tuple(sorted(set(judge_of_row)))
        document_of_segment = [document for document, _segment in segments]
        documents = tuple(sorted(set(document_of_segment)))
        times: Counter[tuple[str, tuple[str, str]]] = Counter()
        rounds = []
        for system, segment in zip(system_of_row, segment_of_row, strict=True):
            rounds.append(times[system, segment])
            times[system, segment] += 1
        return cls(
            systems=systems,
            judges=judges,
            documents=documents,
            segments=segments,
            system=_places(system_of_row, systems),
            segment=_places(segment_of_row, segments),
            judge=_places(judge_of_row, judges),
            round=np.array(rounds, dtype=np.int32),
            score=np.array([row[3] for row in rows], dtype=np.float64),
            document=_places(document_of_segment, documents),
        )

    def __len__(self) -> int:
        """Return the number of scores, N."""
        return len(self.score)


def _places(column: Sequence[Any], names: Sequence[Any]) -> Int32Array:
    index = {}
    for number, name in enumerate(names):
        index[name] = number
    return np.array([index[name] for name in column], dtype=np.int32)

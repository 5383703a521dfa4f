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
        cls, rows: Sequence[tuple[str, tuple[str, str], str, float]]
    ) -> ScoreColumns:
        """Build from rows of system, (document, segment), judge and score, whose order determines
        `round`.
        """
        names: list[tuple[Any, ...]] = [
            tuple(sorted({row[part] for row in rows})) for part in range(3)
        ]
        systems, segments, judges = names
        documents = tuple(sorted({document for document, _segment in segments}))
        system, segment, judge = (
            _places([row[part] for row in rows], own) for part, own in enumerate(names)
        )
        seen: Counter[tuple[int, int]] = Counter()
        rounds = []
        for pair in zip(system.tolist(), segment.tolist(), strict=True):
            rounds.append(seen[pair])
            seen[pair] += 1
        return cls(
            systems=systems,
            judges=judges,
            documents=documents,
            segments=segments,
            system=system,
            segment=segment,
            judge=judge,
            round=np.array(rounds, dtype=np.int32),
            score=np.array([row[3] for row in rows], dtype=np.float64),
            document=_places([document for document, _segment in segments], documents),
        )

    def __len__(self) -> int:
        """Return the number of scores, N."""
        return len(self.score)


def _places(column: Sequence[Any], names: Sequence[Any]) -> Int32Array:
    index = {}
    for number, name in enumerate(names):
        index[name] = number
    return np.array([index[each] for each in column], dtype=np.int32)

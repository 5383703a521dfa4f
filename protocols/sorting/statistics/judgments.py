"""The judgments of one comparison as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from protocols.sorting.statistics.preference import Preference
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

Int8Array = npt.NDArray[np.int8]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Labels of two candidates by the answer r.
_LABELS = {1: (1, 2), 0: (1, 1), -1: (2, 1)}


@dataclass(frozen=True, eq=False)
class PairJudgments:
    """m judgments on two systems.

    Attributes
    ----------
    first, second : str
    judges : sequence of str, length m
        Pseudonyms.
    segments : int64, shape (m,)
        Numbers of segments, from 0.
    answers : int8, shape (m,)
        +1 where the first system is better, −1 where the second is, 0 for the same quality.
    identical : bool, shape (m,)
        Whether the outputs are the same text and so were not shown; none if not given.

    Raises
    ------
    ValueError
        If the columns differ in length, an answer is none of −1, 0 and 1, identical outputs have another answer than 0, or a
        judge judges a segment twice.
    """

    first: str
    second: str
    judges: Sequence[str]
    segments: Int64Array
    answers: Int8Array
    identical: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def __post_init__(self) -> None:
        m = len(self.judges)
        if not len(self.identical):
            object.__setattr__(self, "identical", np.zeros(m, dtype=np.bool_))
        if not m == len(self.segments) == len(self.answers) == len(self.identical):
            raise ValueError("judges, segments, answers and identical differ in length")
        if not np.isin(self.answers, (-1, 0, 1)).all():
            raise ValueError("answers: expected -1, 0 or 1")
        if np.any(self.answers[self.identical]):
            raise ValueError("answers: identical outputs cannot be of different quality")
        if len(set(zip(self.judges, self.segments.tolist(), strict=True))) < m:
            raise ValueError("a judge judges a segment twice")

    def __len__(self) -> int:
        """Return m."""
        return len(self.judges)

    def preference(self, rows: BoolArray | None = None) -> Preference:
        """Count all judgments, or those of some rows (bool, shape (m,))."""
        every = np.ones(len(self), dtype=np.bool_) if rows is None else rows
        answers, identical = self.answers[every], int(np.count_nonzero(self.identical[every]))
        wins, losses = (int(np.count_nonzero(answers == answer)) for answer in (1, -1))
        return Preference(wins, losses, len(answers) - wins - losses - identical, identical)

    def of_judge(self, judge: str) -> Preference:
        """Count the judgments of one judge."""
        return self.preference(np.array([name == judge for name in self.judges], dtype=np.bool_))

    def is_shared(self) -> bool:
        """Return whether several judges judged any segment."""
        return len(np.unique(self.segments)) < len(self)

    def reversed(self) -> PairJudgments:
        """Return the same with the systems the other way round."""
        answers = (-self.answers).astype(np.int8)
        return PairJudgments(
            self.second, self.first, self.judges, self.segments, answers, self.identical
        )

    def rows(self) -> list[BlockRow]:
        """Return the judgments as blocks of two candidates in the order of their names, for the methods that rank."""
        names, sign = sorted((self.first, self.second)), 1 if self.first < self.second else -1
        return [
            BlockRow(judge, segment, [names], [1])
            if same
            else BlockRow(judge, segment, [[name] for name in names], _LABELS[sign * answer])
            for judge, segment, answer, same in zip(
                self.judges,
                self.segments.tolist(),
                self.answers.tolist(),
                self.identical.tolist(),
                strict=True,
            )
        ]


def blocks_of(comparisons: Sequence[PairJudgments], systems: Sequence[str]) -> Blocks:
    """Return the judgments of several comparisons as the columns that `ranking.core` ranks."""
    return blocks_from_rows((row for each in comparisons for row in each.rows()), systems)

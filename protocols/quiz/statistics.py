"""Share of correct answers of each system's readers, with intervals that account for snippets and
readers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ranking.core.arrays import BoolArray, Int64Array
from ranking.core.judges.shares import Share, two_way_share
from ranking.core.scores import Scores, shared_ranks

#: Fewer snippets say nothing about others, so shares have no interval.
FEWEST_SNIPPETS = 2


@dataclass(frozen=True, eq=False)
class Readings:
    """R readings by judges, each of a snippet by one of K systems (or several with the same text).

    Attributes
    ----------
    systems, snippets, judges : tuple of str
    wrote : bool, shape (R, K)
        Whether each system wrote the text; if several did, the answers count for each.
    snippet, judge : int64, shape (R,)
        Indices in `snippets` and `judges`.
    questions, right, unanswered : int64, shape (R,)
        Questions about the snippet, correct answers, and unanswered questions, which count as
        incorrect.
    """

    systems: tuple[str, ...]
    snippets: tuple[str, ...]
    judges: tuple[str, ...]
    wrote: BoolArray
    snippet: Int64Array
    judge: Int64Array
    questions: Int64Array
    right: Int64Array
    unanswered: Int64Array

    def __post_init__(self) -> None:
        columns = (self.snippet, self.judge, self.questions, self.right, self.unanswered)
        if any(len(each) != len(self.wrote) for each in columns):
            raise ValueError("expected columns of one length")
        if self.wrote.shape[1] != len(self.systems) or not self.wrote.any(axis=1).all():
            raise ValueError("wrote: expected a column of each system, and a system in each row")
        if np.any(self.right + self.unanswered > self.questions) or np.any(self.right < 0):
            raise ValueError("right and unanswered: more than there are questions")

    def __len__(self) -> int:
        return len(self.wrote)

    @property
    def met_again(self) -> int:
        """Number of readings by judges who had already read the snippet, of any system, and so knew
        it.
        """
        pairs = self.snippet * max(1, len(self.judges)) + self.judge
        return len(pairs) - len(np.unique(pairs))


@dataclass(frozen=True)
class QuizScore:
    """Correct answers of one system's readers, or of one reader.

    Attributes
    ----------
    name : str
    readings, snippets : int
    unanswered : int
    share : Share
        Share of all questions, with an interval from `FEWEST_SNIPPETS` snippets on.
    rank : int or None
        1 for the best system; equal shares have the same rank. None for readers.
    """

    name: str
    readings: int
    snippets: int
    unanswered: int
    share: Share
    rank: int | None = None


@dataclass(frozen=True)
class QuizScores:
    """Scores of systems and of readers, with the confidence of their intervals."""

    systems: tuple[QuizScore, ...]
    readers: tuple[QuizScore, ...]
    confidence: float


def scores_of_readings(readings: Readings, *, confidence: float = 0.95) -> QuizScores:
    """Score systems and readers by their shares of correct answers."""
    return QuizScores(
        systems=quiz_scores(readings, confidence=confidence),
        readers=reader_scores(readings, confidence=confidence),
        confidence=confidence,
    )


def quiz_scores(readings: Readings, *, confidence: float = 0.95) -> tuple[QuizScore, ...]:
    """Score systems by the share of correct answers, highest first.

    Intervals treat the answers about one snippet, and those by one reader, as correlated, because
    snippets differ in difficulty and readers in ability. Guessing gives 50% correct answers.

    Parameters
    ----------
    readings : Readings
    confidence : float
        Between 0 and 1.

    Returns
    -------
    tuple of QuizScore
        Systems with readings; those with equal shares share a rank and are listed by name.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.

    References
    ----------
    J. Berka, M. Černý, O. Bojar (2011), Quiz-Based Evaluation of Machine Translation, PBML 95.
    """
    rows = _scores(readings, readings.systems, readings.wrote.T, confidence)
    rows.sort(key=lambda row: (-(row.share.value or 0.0), row.name))
    shares = np.array([row.share.value for row in rows], dtype=np.float64)
    ranks, _last = shared_ranks(Scores(shares, np.isfinite(shares)))
    return tuple(
        replace(row, rank=rank or None) for row, rank in zip(rows, ranks.tolist(), strict=True)
    )


def reader_scores(readings: Readings, *, confidence: float = 0.95) -> tuple[QuizScore, ...]:
    """Score readers, sorted by name, over all systems they read, with snippets as clusters."""
    own = readings.judge == np.arange(len(readings.judges))[:, np.newaxis]
    return tuple(_scores(readings, readings.judges, own, confidence))


def _scores(
    readings: Readings, names: tuple[str, ...], of_each: BoolArray, confidence: float
) -> list[QuizScore]:
    """Return the score of each name from its readings; leave out names without readings."""
    found = []
    for name, own in zip(names, of_each, strict=True):
        if own.any():
            snippets = len(np.unique(readings.snippet[own]))
            share = two_way_share(
                readings.right[own],
                readings.questions[own],
                segment=readings.snippet[own],
                judge=readings.judge[own],
                confidence=confidence,
            )
            found.append(
                QuizScore(
                    name=name,
                    readings=int(own.sum()),
                    snippets=snippets,
                    unanswered=int(readings.unanswered[own].sum()),
                    share=replace(share, low=None, high=None)
                    if snippets < FEWEST_SNIPPETS
                    else share,
                )
            )
    return found

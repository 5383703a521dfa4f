"""Share of correct answers of each system's readers, with intervals that account for snippets and
readers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.judges.shares import Share, two_way_share
from ranking.core.scores import Scores, shared_ranks

#: Fewer snippets say nothing about others, so shares have no interval.
FEWEST_SNIPPETS = 2


@dataclass(frozen=True, slots=True)
class Reading:
    """One judge's reading of a snippet by `systems`, whose outputs are identical.

    `segment` is the number of its last segment in the test set; 0 for files, which do not have it.
    """

    snippet: str
    systems: tuple[str, ...]
    judge: str
    answers: tuple[bool | None, ...]
    expected: tuple[bool, ...]
    segment: int = 0
    duration_ms: int | None = None

    @property
    def right(self) -> int:
        """Number of correct answers; unanswered questions count as incorrect."""
        return sum(a == b for a, b in zip(self.answers, self.expected, strict=True))


def met_again(readings: Sequence[Reading]) -> int:
    """Return the number of readings by judges who had already read the snippet, of any system, and
    so knew it.
    """
    return len(readings) - len(
        {(reading.snippet, reading.judge) for reading in readings},
    )


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


def scores_of_readings(
    readings: Sequence[Reading],
    *,
    confidence: float = 0.95,
) -> QuizScores:
    """Score systems and readers by their shares of correct answers."""
    return QuizScores(
        systems=quiz_scores(readings, confidence=confidence),
        readers=reader_scores(readings, confidence=confidence),
        confidence=confidence,
    )


def quiz_scores(
    readings: Sequence[Reading],
    *,
    confidence: float = 0.95,
) -> tuple[QuizScore, ...]:
    """Score systems by the share of correct answers, highest first.

    Intervals treat the answers about one snippet, and those by one reader, as correlated, because
    snippets differ in difficulty and readers in ability. Guessing gives 50% correct answers.

    Parameters
    ----------
    readings : sequence of Reading
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
    systems: set[str] = set()
    for reading in readings:
        systems.update(reading.systems)
    rows = []
    for name in systems:
        own = []
        for reading_of_system in readings:
            if name in reading_of_system.systems:
                own.append(reading_of_system)
        rows.append(_score(name, own, confidence))
    rows.sort(key=lambda row: (-(row.share.value or 0.0), row.name))
    shares = np.array([row.share.value for row in rows], dtype=np.float64)
    ranks, _last = shared_ranks(Scores(shares, np.isfinite(shares)))
    return tuple(
        replace(row, rank=rank or None)
        for row, rank in zip(rows, ranks.tolist(), strict=True)
    )


def reader_scores(
    readings: Sequence[Reading],
    *,
    confidence: float = 0.95,
) -> tuple[QuizScore, ...]:
    """Score readers, sorted by name, over all systems they read, with snippets as clusters."""
    return tuple(
        _score(
            name,
            [reading for reading in readings if reading.judge == name],
            confidence,
        )
        for name in sorted({reading.judge for reading in readings})
    )


def _score(name: str, own: Sequence[Reading], confidence: float) -> QuizScore:
    snippets, of_snippet = np.unique(
        [reading.snippet for reading in own],
        return_inverse=True,
    )
    _judges, of_judge = np.unique(
        [reading.judge for reading in own],
        return_inverse=True,
    )
    share = two_way_share(
        np.array([reading.right for reading in own]),
        np.array([len(reading.expected) for reading in own]),
        segment=of_snippet,
        judge=of_judge,
        confidence=confidence,
    )
    return QuizScore(
        name=name,
        readings=len(own),
        snippets=len(snippets),
        unanswered=sum(reading.answers.count(None) for reading in own),
        share=replace(share, low=None, high=None)
        if len(snippets) < FEWEST_SNIPPETS
        else share,
    )

"""Scored judgments as arrays, and scores that are derived from errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity
from ranking.core.arrays import FloatArray, Int32Array

#: Weights of errors in MQM (Freitag et al. 2021).
MINOR: Final = 1.0
MAJOR: Final = 5.0
#: A minor error of punctuation, and an output that is no translation at all.
MINOR_PUNCTUATION: Final = 0.1
NON_TRANSLATION: Final = 25.0


class Measure(StrEnum):
    """Definition of an output's score."""

    SCORE = "score"
    """Score by the judge, from 0 to 100."""

    MQM = "mqm"
    """Minus the weights of the errors, as in MQM; 0 is best."""


def mqm_score(output: ScoredOutput) -> float | None:
    """Return minus the weighted errors of an output (Freitag et al. 2021); None if errors were not annotated.

    A major error weighs 5, a minor one 1, a minor one of punctuation 0.1, and a non-translation 25. Google's files and
    papers print it without the minus. Categories are compared as Google spells them.
    """
    if output.spans is None:
        return None
    # Added to 0.0, so that no error is 0 and not -0.
    return 0.0 - sum(_weight(span.severity, span.category) for span in output.spans)


def score_of(output: ScoredOutput, measure: Measure) -> float | None:
    """Return the score of an output; None if it has none of this measure."""
    return output.score if measure is Measure.SCORE else mqm_score(output)


def _weight(severity: Severity, category: str) -> float:
    name = category.lower()
    if name.startswith("non-translation"):
        return NON_TRANSLATION
    if severity is Severity.MAJOR:
        return MAJOR
    return MINOR_PUNCTUATION if name.endswith("/punctuation") else MINOR


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """N scores of n systems on S segments, one row a score.

    Outputs without a score are left out. An output of several systems has a row for each.

    Attributes
    ----------
    systems, judges, documents : tuples of str
        Sorted.
    segments : tuple of (str, str)
        Document and segment, sorted.
    system, segment, judge : int32, shape (N,)
        Indices into these.
    screen : int32, shape (N,)
        Number of the judgment: rows of one screen were shown side by side.
    round : int32, shape (N,)
        How many scores of this system on this segment came before it.
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
    screen: Int32Array
    round: Int32Array
    score: FloatArray
    document: Int32Array

    def __len__(self) -> int:
        """Return the number of scores, N."""
        return len(self.score)


def given_measure(judgments: Iterable[ScoredJudgment]) -> Measure:
    """Return the measure that judgments have: scores, or where no output has any, the weights of errors, as in MQM."""
    has_score = any(output.score is not None for each in judgments for output in each.outputs)
    return Measure.SCORE if has_score else Measure.MQM


def score_columns(
    judgments: Iterable[ScoredJudgment], *, measure: Measure = Measure.SCORE
) -> ScoreColumns:
    """Return the scores of judgments as columns.

    Parameters
    ----------
    judgments : iterable of ScoredJudgment
        Of one test set; their order decides `screen` and `round` and nothing else.
    measure : Measure

    Raises
    ------
    ValueError
        If no output has such a score.
    """
    rows = [
        (system, (judgment.document, judgment.segment), judgment.judge, screen, score)
        for screen, judgment in enumerate(judgments)
        for output in judgment.outputs
        if (score := score_of(output, measure)) is not None
        for system in output.systems
    ]
    if not rows:
        what = "a score" if measure is Measure.SCORE else "errors marked, or none asked for"
        raise ValueError(f"no output has {what}")
    names = [tuple(sorted({row[part] for row in rows})) for part in range(3)]
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
    return ScoreColumns(
        systems=systems,
        judges=judges,
        documents=documents,
        segments=segments,
        system=system,
        segment=segment,
        judge=judge,
        screen=np.array([row[3] for row in rows], dtype=np.int32),
        round=np.array(rounds, dtype=np.int32),
        score=np.array([row[4] for row in rows], dtype=np.float64),
        document=_places([document for document, _segment in segments], documents),
    )


def _places(column: Sequence[Any], names: Sequence[Any]) -> Int32Array:
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[each] for each in column], dtype=np.int32)

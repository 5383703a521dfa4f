"""Scored judgments as arrays, and scores that are derived from errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity

FloatArray = npt.NDArray[np.float64]
Int32Array = npt.NDArray[np.int32]

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
        if (score := output.score if measure is Measure.SCORE else mqm_score(output)) is not None
        for system in output.systems
    ]
    if not rows:
        what = "a score" if measure is Measure.SCORE else "errors marked, or none asked for"
        raise ValueError(f"no output has {what}")
    systems = tuple(sorted({row[0] for row in rows}))
    segments = tuple(sorted({row[1] for row in rows}))
    judges = tuple(sorted({row[2] for row in rows}))
    documents = tuple(sorted({document for document, _segment in segments}))
    system_of, segment_of, judge_of, document_of = (
        {name: place for place, name in enumerate(names)}
        for names in (systems, segments, judges, documents)
    )
    seen: dict[tuple[str, tuple[str, str]], int] = {}
    rounds = []
    for system, segment, *_rest in rows:
        rounds.append(seen.get((system, segment), 0))
        seen[system, segment] = rounds[-1] + 1
    return ScoreColumns(
        systems=systems,
        judges=judges,
        documents=documents,
        segments=segments,
        system=np.array([system_of[row[0]] for row in rows], dtype=np.int32),
        segment=np.array([segment_of[row[1]] for row in rows], dtype=np.int32),
        judge=np.array([judge_of[row[2]] for row in rows], dtype=np.int32),
        screen=np.array([row[3] for row in rows], dtype=np.int32),
        round=np.array(rounds, dtype=np.int32),
        score=np.array([row[4] for row in rows], dtype=np.float64),
        document=np.array([document_of[document] for document, _ in segments], dtype=np.int32),
    )

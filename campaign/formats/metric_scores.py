"""Scores of a metric, or of people, for outputs of systems: a number for each segment and system."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from campaign.formats.errors import Location
from campaign.formats.records import counted
from campaign.formats.segment_identity import KnownSegments, SegmentName, SegmentProblem
from campaign.formats.tables import integer

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricScores:
    """The scores that one metric, or one kind of human scores, gives outputs.

    Attributes
    ----------
    name : str
        Name in the file, without its signature and reference.
    systems : tuple of str
        Names of the n systems, sorted.
    segments : tuple of SegmentName
        The S segments, as the file names them; `segment_rows` finds them in a test set. Empty if the file only scores
        whole systems.
    values : float64, shape (S, n)
        Scores of outputs, as in the file; NaN if missing.
    of_systems : float64, shape (n,)
        Scores of whole systems in the file; NaN if missing.
    signature : str
        Version and settings, as sacrebleu writes them; empty if not known.
    higher_is_better : bool
        False for metrics that count errors, such as TER.
    direction_at : Location or None
        Where the file says first whether higher scores are better; None if it does not.
    uses_reference : bool or None
        None if not known.
    is_human : bool
        True for human scores of an EvalSet folder.
    is_by_line : bool
        True if the lines of a file are segments in order; then there is one for each segment of the test set.
    places : tuple of Location
        First mention of each segment.
    """

    name: str
    systems: tuple[str, ...]
    values: FloatArray
    of_systems: FloatArray
    segments: tuple[SegmentName, ...]
    places: tuple[Location, ...]
    signature: str = ""
    higher_is_better: bool = True
    direction_at: Location | None = None
    uses_reference: bool | None = None
    is_human: bool = False
    is_by_line: bool = False

    @property
    def sign(self) -> float:
        """Factor applied to scores before they are compared: 1 if higher is better, −1 if lower is."""
        if self.higher_is_better:
            return 1.0
        return -1.0


def with_lower_better(scores: MetricScores) -> MetricScores:
    """Return scores of which lower ones are better. Raises FormatError if their file says the opposite."""
    if scores.direction_at is not None and scores.higher_is_better:
        raise scores.direction_at.error(
            f"higher scores of {scores.name} are better according to the file, but you chose that lower ones are",
            "correct the file, or import it without this choice",
        )
    return replace(scores, higher_is_better=False)


#: Names of metrics that count errors, in lower case, as they begin.
_ERROR_RATES: Final = frozenset(
    {
        "ter",
        "hter",
        "cter",
        "terp",
        "character",
        "wer",
        "per",
        "cer",
        "mer",
        "cder",
        "eed",
        "metricx",
        "perplexity",
        "ppl",
    },
)
_FIRST_WORD: Final = re.compile(r"[a-z]+")
_ERROR_RATE: Final = re.compile(r"error[ _-]?rate")


def is_named_as_error_rate(name: str) -> bool:
    """Return whether a metric has the name of one whose lower scores are better, such as TER."""
    called = name.lower()
    first = _FIRST_WORD.match(called)
    if first is not None and first.group() in _ERROR_RATES:
        return True
    return _ERROR_RATE.search(called) is not None


def segment_rows(
    scores: MetricScores,
    test_set_segments: KnownSegments | None = None,
    *,
    there: Container[int] | None = None,
    last: int = 0,
) -> dict[int, int]:
    """Return the row of each segment by its number within the test set, ascending.

    Parameters
    ----------
    scores : MetricScores
    test_set_segments : KnownSegments, optional
        The test set. Without it, segments must be named by their numbers already.
    there : container of int, optional
        The segment numbers of a test set with gaps. Other numbers are left out, unless no segment would remain.
    last : int
        The number of the last segment of the test set, or of the last judged one. A file with a line for each segment
        must reach it.

    Raises
    ------
    FormatError
        If a segment is not in the test set, if two names mean the same segment, or if a file with a line for each
        segment has too few; with the line.
    """
    if scores.is_by_line and len(scores.segments) < last:
        raise scores.places[-1].error(
            f"{scores.name} has {counted(len(scores.segments), 'score')} of each system, and segments count up to {last:,}",
            "write one line per segment of the test set, with None for a missing score",
        )
    rows_in_test_set = []
    for row, name in enumerate(scores.segments):
        number = _bare_segment_number(name)
        if there is None or number is None or number in there:
            rows_in_test_set.append(row)
    rows: dict[int, int] = {}
    for row in rows_in_test_set or range(len(scores.segments)):
        location = replace(scores.places[row], field="segment")
        number = _segment_number(scores.segments[row], location, test_set_segments)
        if number in rows:
            raise location.error(
                f"segment {number} is named in two ways",
                "name each segment in one way, by its number or by document and position",
            )
        rows[number] = row
    return dict(sorted(rows.items()))


def _segment_number(
    name: SegmentName,
    location: Location,
    test_set_segments: KnownSegments | None,
) -> int:
    """Return the number of a segment within the test set."""
    if test_set_segments is not None:
        try:
            return test_set_segments.choose(
                name,
                test_set_segments.candidates(name),
                {},
            ).number
        except SegmentProblem as error:
            raise location.error(error.problem, error.remedy) from error
    number = integer(name.segment, 1)
    if number is None:
        raise location.error(
            f"{name.segment} is not a segment number",
            "number segments through the test set, as the judgments do",
        )
    return number


def _bare_segment_number(name: SegmentName) -> int | None:
    """Return the number of a segment that only its number names."""
    if name.document:
        return None
    return integer(name.segment, 1)

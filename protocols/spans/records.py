"""A scored judgment: a judge's marks and scores on one screen, and checks that spans fit their text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import Final, NotRequired, TypedDict

#: Maximum number of outputs on a screen, as in a block of the five-way ranking.
MAX_OUTPUTS: Final = 5
MAX_SCORE: Final = 100
#: Times in milliseconds are larger; in seconds, it is the year 5138.
_NO_SECONDS: Final = 10**11
#: Maximum number of spans that a judge can mark in one output.
MAX_SPANS: Final = 100
#: Maximum number of characters of an output.
MAX_CHARACTERS: Final = 4_000_000
# Characters not allowed in names: all formats can encode and store the others on one line.
_NO_NAME: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class Severity(StrEnum):
    """Severity of an error (Kocmi et al. 2024, ESA; Freitag et al. 2021, MQM), from the least."""

    NEUTRAL = "neutral"
    """A difference that is not an error; has no weight."""

    MINOR = "minor"
    """Style, grammar or choice of words could be better."""

    MAJOR = "major"
    """The meaning is changed, or the part is really hard to understand."""

    CRITICAL = "critical"
    """The text is unusable or does harm."""


#: Kinds of marks: a part of the output, missing content, and a part of the source. All other kinds are
#: special marks of a task, which have no position.
ERROR: Final = "error"
MISSING: Final = "missing"
SOURCE: Final = "source"
#: Kinds with a position in a text.
PLACED: Final = (ERROR, SOURCE)
#: Kind of a special mark that a file names only by its number after `[missing]`, as in "special 1".
NUMBERED: Final = "special "
#: What readers leave out.
UNKNOWN_SEVERITY: Final = (
    "errors with a severity other than neutral, minor, major or critical"
)
#: Between the two levels of a category.
LEVELS: Final = "/"


@dataclass(frozen=True, slots=True)
class Span:
    """One error.

    Attributes
    ----------
    start, end : int or None
        Start (from 0) and exclusive end of the span in Unicode code points of the output, or of the
        source. Both are None for missing content and special marks, which have no position.
    severity : Severity
    category : str
        For instance "Accuracy/Mistranslation"; empty if categories were not annotated.
    kind : str
        "error", "missing", "source" or the name of a special mark. A span without a position is
        missing content unless it is a special mark.

    Raises
    ------
    ValueError
        If only one of the two is given, they do not enclose a character, or they exceed the length
        limit.
    """

    start: int | None
    end: int | None
    severity: Severity
    category: str = ""
    kind: str = ERROR

    def __post_init__(self) -> None:
        if self.kind == ERROR and self.start is None:
            object.__setattr__(self, "kind", MISSING)
        if self.start is not None and self.kind not in PLACED:
            raise ValueError(f"“{self.kind}” has neither start nor end")
        if self.start is None and self.kind == SOURCE:
            raise ValueError("a span of the source has a start and an end")
        if (self.start is None) != (self.end is None):
            raise ValueError("a span has a start and an end, or neither")
        if (
            self.start is not None
            and self.end is not None
            and not 0 <= self.start < self.end
        ):
            raise ValueError(
                f"the span from {self.start} to {self.end} encloses no character",
            )
        if self.end is not None and self.end > MAX_CHARACTERS:
            raise ValueError(f"the span ends after {MAX_CHARACTERS:,} characters")

    def overlaps(self, other: "Span") -> bool:
        """Return whether both share characters of the output or of the source."""
        if (
            self.start is None
            or self.end is None
            or other.start is None
            or other.end is None
        ):
            return False
        return (
            self.kind == other.kind
            and self.start < other.end
            and other.start < self.end
        )

    @property
    def is_missing_content(self) -> bool:
        """True if content is missing rather than wrong."""
        return self.kind == MISSING


@dataclass(frozen=True, slots=True)
class Start:
    """Errors that were suggested in an output before a judge saw it.

    Attributes
    ----------
    spans : tuple of Span
    is_shown : bool
        False if the judge saw the output without them, for comparison.
    planted : int or None
        The place in `spans`, from 0, of a span on a random word that the judge should remove.
    """

    spans: tuple[Span, ...]
    is_shown: bool = True
    planted: int | None = None

    def __post_init__(self) -> None:
        if self.planted is not None and self.planted >= len(self.spans):
            raise ValueError(f"span {self.planted}, which was planted, is missing")


class SpanJSON(TypedDict):
    """A span in answers, files and stored suggestions."""

    start: NotRequired[int | None]
    end: NotRequired[int | None]
    severity: str
    kind: NotRequired[str]
    category: NotRequired[str]


class StartJSON(TypedDict):
    """A start in files and stored suggestions."""

    spans: list[SpanJSON]
    is_shown: NotRequired[bool]
    planted: NotRequired[int | None]


class OutputJSON(TypedDict):
    """Answer about one output. `start` is for organisers only."""

    score: int | None
    spans: list[SpanJSON]
    start: NotRequired[StartJSON | None]


class SpansAnswerJSON(TypedDict):
    """Answer about the outputs of a block, in display order."""

    outputs: list[OutputJSON]


@dataclass(frozen=True, slots=True)
class ScoredOutput:
    """A judge's score and error spans of one output.

    Attributes
    ----------
    systems : tuple of str
        The systems that wrote exactly this text, at least one.
    score : float or None
        From 0 (no meaning preserved) to 100 (perfect); None if not given, as in MQM.
    spans : tuple of Span, or None
        () if the judge marked no error; None if errors were not annotated, as in direct assessment.
    text : str or None
        None if the file does not contain it.
    start : Start or None
        What the judge started from; None if no errors had been suggested in the output.
    in_utf16 : bool
        True if positions are UTF-16 units of a text that the file does not contain.

    Raises
    ------
    ValueError
        If no system is named, a system is named twice, the score is out of range, or a span ends
        after the text.
    """

    systems: tuple[str, ...]
    score: float | None
    spans: tuple[Span, ...] | None = None
    text: str | None = None
    start: Start | None = None
    in_utf16: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if not self.systems or len(set(self.systems)) != len(self.systems):
            raise ValueError("an output needs at least one system, each named once")
        if self.score is not None and not 0 <= self.score <= MAX_SCORE:
            raise ValueError(
                f"the score {self.score:g} is not between 0 and {MAX_SCORE}",
            )
        for number, span in enumerate(self.spans or (), 1):
            is_outside = self.text is not None and (span.end or 0) > len(self.text)
            if is_outside and span.kind == ERROR:
                raise ValueError(
                    f"span {number} ends at {span.end}, but the output has {len(self.text or '')} characters",
                )

    def count(self, *severities: Severity) -> int:
        """Return the number of spans of these severities; 0 if errors were not annotated."""
        marked = [span.severity for span in self.spans or ()]
        return sum(map(marked.count, severities))


@dataclass(frozen=True, slots=True)
class ScoredJudgment:
    """A judge's answers on one screen, about one output or two to five side by side.

    Attributes
    ----------
    source_language, target_language : str
        As spelled in the file; empty if not given.
    document, segment : str
        Names; a segment's name is unique within its document. The document is empty if not given.
    judge : str
        The judge's pseudonym.
    outputs : tuple of ScoredOutput
        In display order, if the file has it.
    source : str or None
        The source text.
    started_at, ended_at : float or None
        Seconds since 1970, UTC.
    duration_ms : int or None
        The judge's working time without breaks.
    comment : str
    document_segments : int or None
        Number of segments in the whole document if the segment's name is a place that was counted
        there; ignored in comparisons.
    repeat : int
        Which of the judge's intended judgments of these outputs it is, from 1. A later answer with the same number
        replaces an earlier one.
    line : int
        Line in its file, or the number of its segment in the test set; ignored in comparisons.

    Raises
    ------
    ValueError
        If a name has a control character, the segment has no name, there are no outputs or more
        than five, a system wrote two of them, a span of the source is outside it, a time is before 1970, or the end is before the
        start.
    """

    source_language: str
    target_language: str
    document: str
    segment: str
    judge: str
    outputs: tuple[ScoredOutput, ...]
    source: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    duration_ms: int | None = None
    comment: str = ""
    document_segments: int | None = field(default=None, compare=False)
    repeat: int = 1
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        for name in (
            self.source_language,
            self.target_language,
            self.document,
            self.segment,
        ):
            if _NO_NAME.search(name):
                raise ValueError(
                    f"the name {name!r} has a tab, a line break, a control character or half of one",
                )
        if not self.segment.strip():
            raise ValueError("the segment name is empty")
        if not 1 <= len(self.outputs) <= MAX_OUTPUTS:
            raise ValueError(
                f"there are {len(self.outputs)} outputs, not 1 to {MAX_OUTPUTS}",
            )
        self._outputs_check()
        for moment in (self.started_at, self.ended_at):
            if moment is not None and not 0 <= moment < _NO_SECONDS:
                raise ValueError("a time is not a number of seconds since 1970")
        if (
            self.started_at is not None
            and self.ended_at is not None
            and self.ended_at < self.started_at
        ):
            raise ValueError("it ended before it started")

    def _outputs_check(self) -> None:
        systems: list[str] = []
        for output in self.outputs:
            systems.extend(output.systems)
            for span in output.spans or ():
                end = span.end or 0
                if span.kind == SOURCE and end > len(self.source or ""):
                    raise ValueError(
                        f"a span of the source ends at {end}, after its text",
                    )
        if len(set(systems)) != len(systems):
            raise ValueError("a system wrote two of the outputs")

    @property
    def is_contrastive(self) -> bool:
        """True if outputs were shown side by side."""
        return len(self.outputs) > 1


def spans_overlapping(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return the indices of each pair of spans that share characters of the output or of the
    source.
    """
    pairs = combinations(enumerate(spans), 2)
    overlapping = []
    for (one, span), (other, later) in pairs:
        if span.overlaps(later):
            overlapping.append((one, other))
    return overlapping

"""Records returned by the readers, and rules for names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from campaign.texts.normalisation import UNSEEN

# Column sizes in the database, in characters. Checked here, where an error can name the line.
MAX_SYSTEM_NAME: Final = 200
MAX_DOCUMENT_NAME: Final = 300
MAX_JUDGE_NAME: Final = 100
# Of a machine judge; its settings may be as long.
MAX_PROMPT: Final = 100_000

# Tabs are white space. C1 controls (U+0080–U+009F) are allowed: they occur in released MT
# output, are invisible and can be stored.
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class SegmentTexts:
    """One segment of a test set with everything written for it.

    `number` counts from 1 within the test set, `position` from 1 within the document. Texts are stripped.
    `references[i]` is empty if reference i + 1 does not cover the segment; `source` and the outputs are
    never empty. Every segment of a test set has outputs of the same systems, in the same order. `trimmed` names systems
    whose output had blanks around it, each with whether positions in the output changed when they were removed.
    """

    document: str
    position: int
    number: int
    source: str
    references: tuple[str, ...]
    outputs: Mapping[str, str]
    trimmed: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A picture, recording or video without metadata; `name` is a digest of its content with the ending of its type.

    `seconds` is None for pictures.
    """

    name: str
    content: bytes
    seconds: float | None


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """A judge's answer to a question of another tool; `stage` is a value of `campaign.models.questions.QuestionStage`."""

    line: int
    judge: str
    stage: str
    question: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMachine:
    """A machine judge that a file describes; None for terms that it does not state."""

    line: int
    name: str
    version: str
    prompt: str | None = None
    settings: str | None = None
    asked_twice: bool | None = None

    @property
    def called(self) -> str:
        """Its name as that of a judge."""
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBlock:
    """A judgment or skip of a file, or a stored one for a file: `candidates` and `labels` are aligned.

    A candidate is the tuple of systems that produced the same text. Labels are from 1 (best) to 5, or None
    if the judge left the candidate blank; a block without labels or candidates was skipped. Names are
    empty, and `duration_ms` (wall-clock time) is None, if the file does not give them; so are `segment_id`, the
    position in the document, and `system_numbers`, which only five-way CSV has. `best_worst` tells that the best output has
    the label 1, the worst 3, and the others 2, which is no comparison between them. `line` is the line of the file or
    the number of a stored judgment, and is ignored in comparisons.
    """

    line: int = field(default=0, compare=False)
    source_language: str
    target_language: str
    segment: int
    judge: str
    candidates: tuple[tuple[str, ...], ...]
    labels: tuple[int | None, ...]
    duration_ms: int | None = field(default=None, compare=False)
    document: str = ""
    segment_id: str = ""
    system_numbers: tuple[tuple[int, ...], ...] = ()
    best_worst: bool = False


def counted(count: int, noun: str) -> str:
    """Return "1 line", "2 lines", "3,003 lines"."""
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}s"


def one_line(text: str) -> str:
    """Join the lines of a wrapped text: each line break and the spaces around it become one space."""
    if "\n" not in text and "\r" not in text:
        return text
    pieces = (piece.strip(" \t") for piece in text.replace("\r", "\n").split("\n"))
    return " ".join(piece for piece in pieces if piece)


def unseen_problem(name: str, kind: str) -> str | None:
    """Return a message about an invisible character in a name, or None; `kind` describes the name."""
    match = UNSEEN.search(name)
    if match is None:
        return None
    return f"the {kind} {name!r} contains the invisible character U+{ord(match.group()):04X}"


@lru_cache(maxsize=4096)
def system_name_problem(name: str) -> str | None:
    """Return the reason why `name` is not allowed as a system's name, or None.

    Commas separate the systems of a collapsed candidate in files ("A,B").
    """
    if not name.strip():
        return "the name of a system is empty"
    if name != name.strip():
        return f"the system name {name!r} begins or ends with white space"
    if "," in name:
        return f"the system name {name!r} contains a comma"
    if "\t" in name:
        return f"the system name {name!r} contains a tab"
    if "\n" in name or "\r" in name:
        return f"the system name {name!r} contains a line break"
    if CONTROL.search(name):
        return f"the system name {name!r} contains a control character"
    if problem := unseen_problem(name, "system name"):
        return problem
    if len(name) > MAX_SYSTEM_NAME:
        return f'the system name "{name[:20]}…" is longer than {MAX_SYSTEM_NAME} characters'
    return None

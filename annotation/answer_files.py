"""Registry of readers for files of answers, filled by the protocols that have one.

An import knows files, judges, segments, outputs and blocks, and no protocol
(`annotation.importing.answers`). Each protocol's `AnswerFiles` convert file content into answers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from annotation.protocols import Answer
from campaign.formats import InputFile
from campaign.formats.errors import Loss
from campaign.models import Task


class AnswerRefusedError(Exception):
    """Refusal: an answer in a file does not fit the task.

    `problem` and `remedy` are phrases without a full stop, like FormatError's.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAnswer:
    """Answer of a judge on one screen, as read from a file.

    Attributes
    ----------
    line : int
    judge : str
    segment, document : str
        Names; a segment's may be its number through the test set. The document is empty where the file has none.
    candidates : tuple of tuple of str
        The systems behind each output, in shown order.
    said : object
        What `AnswerFiles.answer` makes an answer of; of a skip, the ranks that are missing.
    texts : tuple of str or None
        Of each candidate, as the file has it; None where it does not.
    source : str, optional
    languages : tuple of str
        Source and target, as the file spells them; empty where it does not say.
    submitted_at : float, optional
        Seconds since 1970, UTC.
    duration_ms, active_ms : int, optional
        The time on the clock, and that without breaks.
    comment : str
    about : int, optional
        The place among the answers of the file, from 0, of an earlier one that this one is about.
    is_number : bool
        Whether `segment` is a number through the test set, also beside a document.
    is_skip : bool
        Whether the judge declined to answer.
    """

    line: int
    judge: str
    segment: str
    candidates: tuple[tuple[str, ...], ...]
    said: Any
    document: str = ""
    texts: tuple[str | None, ...] = ()
    source: str | None = None
    languages: tuple[str, str] = ("", "")
    submitted_at: float | None = None
    duration_ms: int | None = None
    active_ms: int | None = None
    comment: str = ""
    about: int | None = None
    is_number: bool = False
    is_skip: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """Content of a file: its format, its answers in order, and, after these are read, its remaining facts."""

    file_format: str
    answers: Iterable[FileAnswer]
    losses: Iterable[Loss]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWritten:
    """A file of the answers of a task: its lines with their ends, and what it cannot carry of them."""

    lines: Sequence[str]
    losses: Sequence[Loss] = ()
    #: The number of the last judgment that was read.
    watermark: int = 0


#: Counts something that an answer cannot carry, by a phrase as in errors of files.
Lose = Callable[[str], None]


#: Raises the error of an answer of a file: for what field, which problem, and what to do.
RefuseAnswer = Callable[[FileAnswer, str | None, str, str], NoReturn]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFiles:
    """The files that answers of a protocol are read from and written to.

    Attributes
    ----------
    formats : tuple of str
        Those that are read.
    read : callable
        Reads a file of a format; of None, of that which the file begins like. Raises FormatError.
    answer : callable
        Returns the answer, as `AnswerKind.serializer` has it, of what a file says, the candidates' texts in the
        test set (None where it has none), and the task's rules. Raises AnswerRefusedError.
    of_task : callable
        Returns the answers of a file as those of a task: where a line is about several segments, one for each. Is given
        what raises the error of an answer, too.
    why : callable
        Returns what HITs of a task say of their answers beside the file they came with, by the systems of the candidates;
        a HIT holds answers that say the same.
    part : callable
        Returns the pass that an answer is of, as `HIT.part` has it; 0 for protocols without passes.
    written : sequence of str
        The formats that are written.
    write : callable, optional
        Returns a file of a format with what judges of a task said: current judgments by number, without controls and judges
        who are excluded. None: nothing is written.
    """

    formats: tuple[str, ...]
    read: Callable[[InputFile, str | None], FileContent]
    answer: Callable[[Any, Sequence[str | None], Mapping[str, Any], Lose], Answer]
    of_task: Callable[[Task, Iterable[FileAnswer], RefuseAnswer], Iterable[FileAnswer]] = (
        lambda _task, answers, _refuse: answers
    )
    why: Callable[[Sequence[Sequence[str]]], dict[str, Any]] = lambda _candidates: {}
    part: Callable[[Answer], int] = lambda _answer: 0
    written: Sequence[str] = ()
    write: Callable[[Task, str], FileWritten] | None = None


_FILES: Final[dict[str, AnswerFiles]] = {}


def answer_files_register(protocol: str, files: AnswerFiles) -> None:
    """Let answers of a protocol be imported and written; for `AppConfig.ready`."""
    _FILES[protocol] = files


def answer_files(protocol: str) -> AnswerFiles | None:
    """Return the files that answers of a protocol are read from and written to; None where there are none."""
    return _FILES.get(protocol)


def protocols_with_files() -> list[str]:
    """Return the protocols whose answers can be imported."""
    return list(_FILES)

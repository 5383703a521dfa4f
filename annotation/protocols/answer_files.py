"""Registry of file formats for answers; each protocol registers its own.

The import (`annotation.importing.answers`) handles files, judges, segments, outputs and blocks for
every protocol. The `AnswerFiles` of a protocol convert file content into answers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NoReturn

from annotation.protocols.answer_kinds import Answer, CompleteRules
from campaign.formats.errors import Loss, ProblemError
from campaign.formats.isolation import Watch, isolated_items
from campaign.formats.json_text import JSONObject
from campaign.formats.records import FileMachine, FormAnswer
from campaign.formats.streams import StoredFile
from campaign.models import Task


class AnswerRefusedError(ProblemError):
    """An answer in a file does not fit the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAnswer:
    """A judge's answer on one screen, as read from a file.

    Attributes
    ----------
    line : int
        0 if the file has no lines.
    judge : str
    segment, document : str
        Names; a segment may be named by its number in the test set. The document is empty if the file names none.
    candidates : tuple of tuple of str
        The systems behind each output, in display order.
    content : object
        The input of `AnswerFiles.answer`; for a skip, the missing ranks.
    texts : tuple of str or None
        The text of each candidate; None if the file does not give it.
    source : str, optional
    languages : tuple of str
        Source and target, as the file spells them; empty if it does not name them.
    submitted_at : float, optional
        Seconds since 1970, UTC.
    duration_ms, active_ms : int, optional
        Elapsed time, and time without breaks.
    comment : str
    placed : frozenset of int
        Indexes of the candidates in whose texts the answer has positions.
    document_segments : int, optional
        Number of segments that the document has in the file, if `segment` is a place that was counted in it.
    about : int, optional
        Index of the earlier answer in the file that this one is about.
    is_number : bool
        Whether `segment` is a number in the test set, even if a document is named.
    is_skip : bool
        Whether the judge declined to answer.
    skip_reason : str
        The reason, if the file gives it.
    repeat : int or None
        Which of the judge's intended answers about these outputs it is, from 1; None if the format does not tell
        intended repeats from others, so that all of them count.
    """

    line: int
    judge: str
    segment: str
    candidates: tuple[tuple[str, ...], ...]
    content: Any
    document: str = ""
    texts: tuple[str | None, ...] = ()
    placed: frozenset[int] = frozenset()
    source: str | None = None
    languages: tuple[str, str] = ("", "")
    submitted_at: float | None = None
    duration_ms: int | None = None
    active_ms: int | None = None
    comment: str = ""
    document_segments: int | None = None
    about: int | None = None
    is_number: bool = False
    is_skip: bool = False
    skip_reason: str = ""
    repeat: int | None = 1


@dataclass(frozen=True, slots=True)
class FileRecords:
    """Records of a file as `AnswerFiles.parse` yields them.

    `losses` and `forms` are complete only once all records have been read; `machines` has those of the records read
    so far.
    """

    name: str
    file_format: str
    records: Iterator[Any]
    losses: list[Loss]
    forms: list[FormAnswer]
    machines: list[FileMachine] = field(default_factory=list)

    @classmethod
    def of(cls, name: str, parts: Iterable[Any]) -> "FileRecords":
        """Sort what `AnswerFiles.parse` yields."""
        parts = iter(parts)
        file_format = str(next(parts))
        losses: list[Loss] = []
        forms: list[FormAnswer] = []
        machines: list[FileMachine] = []

        def records() -> Iterator[Any]:
            for part in parts:
                if isinstance(part, Loss):
                    losses.append(part)
                elif isinstance(part, FormAnswer):
                    forms.append(part)
                elif isinstance(part, FileMachine):
                    machines.append(part)
                else:
                    yield part

        return cls(name, file_format, records(), losses, forms, machines)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """Content of a file. `losses` and `forms` are complete only once all answers have been read.

    `machines` has the machine judges of the answers read so far.
    """

    file_format: str
    answers: Iterable[FileAnswer]
    losses: Iterable[Loss]
    forms: Iterable[FormAnswer] = ()
    machines: Sequence[FileMachine] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWritten:
    """A file with the answers of a task: lines including their endings, and the data that the format cannot hold."""

    lines: Sequence[str]
    losses: Sequence[Loss] = ()


#: Counts a loss: data that an answer cannot hold, described by a phrase like those in FormatError.
Lose = Callable[[str], None]


#: Raises the error for an answer in a file; the arguments are the answer, field, problem and
#: remedy.
RefuseAnswer = Callable[[FileAnswer, str | None, str, str], NoReturn]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFiles:
    """Formats and functions for reading and writing the answers of a protocol.

    Attributes
    ----------
    formats : tuple of str
        The formats that can be read.
    parse : callable
        Reads a file in a format; None detects the format from the file's beginning. Yields the format, then records,
        then answers to forms and losses; a machine judge before its first record. It runs in a process of its own, so its module does not import Django. Raises FormatError.
    content : callable
        Converts the records into answers. Raises FormatError.
    answer : callable
        Converts `FileAnswer.said` into an answer as `AnswerKind.serializer` returns it, given the candidates'
        texts in the test set (None if it has none) and the task's rules, completed with defaults. Raises AnswerRefusedError.
    of_task : callable
        Converts the answers of a file into answers of a task: a line about several segments becomes
        one for each. Also receives the function that raises the error for an answer.
    why : callable
        Returns additional content of `HIT.why`, given the systems of the candidates; answers share
        a HIT only if this content is the same.
    part : callable
        Returns the pass of an answer, as in `HIT.part`, given the task's rules; 0 without passes.
    as_requested : callable
        Returns an answer that a file has in the form of requests, with the values that all files may have otherwise.
    writers : mapping of str to callable
        The protocol's own formats, each with a function that returns a file with the current
        answers among the judgments 1…`watermark` of a task by number, without those of excluded
        judges and those to controls. Formats of ranked blocks are exports of every protocol.
    """

    formats: tuple[str, ...]
    parse: Callable[[StoredFile, str | None], Iterable[Any]]
    content: Callable[[FileRecords], FileContent]
    answer: Callable[[Any, Sequence[str | None], CompleteRules, Lose], Answer]
    of_task: Callable[
        [Task, Iterable[FileAnswer], RefuseAnswer],
        Iterable[FileAnswer],
    ] = lambda _task, answers, _refuse: answers
    why: Callable[[Sequence[Sequence[str]]], dict[str, object]] = lambda _candidates: {}
    part: Callable[[Answer, CompleteRules], int] = lambda _answer, _rules: 0
    as_requested: Callable[[JSONObject, Lose], JSONObject] = lambda answer, _lose: (
        answer
    )
    writers: Mapping[str, Callable[[Task, int], FileWritten]] = field(
        default_factory=dict,
    )


@contextmanager
def file_content(
    files: AnswerFiles,
    file: StoredFile,
    file_format: str | None,
    watch: Watch | None = None,
) -> Iterator[FileContent]:
    """Yield the content of a file, which is read in a process of its own; `watch` is that of `isolated_items`."""
    parse = partial(files.parse, file, file_format)
    with isolated_items(file.name, file.size(), parse, watch=watch) as parts:
        records = FileRecords.of(file.name, parts)
        yield replace(
            files.content(records),
            forms=records.forms,
            machines=records.machines,
        )


_FILES: Final[dict[str, AnswerFiles]] = {}


def answer_files_register(protocol: str, files: AnswerFiles) -> None:
    """Register the file formats of a protocol; called by `AppConfig.ready`."""
    _FILES[protocol] = files


def answer_files(protocol: str) -> AnswerFiles | None:
    """Return the file formats of a protocol, or None if it has none."""
    return _FILES.get(protocol)


def formats_read(task: Task) -> Sequence[str]:
    """Return the formats from which answers of a task can be imported."""
    files = answer_files(task.protocol)
    if files is None:
        return ()
    return files.formats


def protocols_with_files() -> list[str]:
    """Return the protocols whose answers can be imported."""
    return list(_FILES)

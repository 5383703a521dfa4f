"""The error raised by every reader of this package, and the losses of a conversion."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

#: Maximum length of a quotation in an error: a cell may have millions of characters.
MOST_QUOTED: Final = 1_000


class ProblemError(Exception):
    """Something is wrong at a place that only the caller knows.

    `problem` and `remedy` are phrases without a full stop, like FormatError's.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy


class FormatError(Exception):
    """A file violates its format; nothing was read beyond this place.

    `line` and `column` count from 1. Columns are cells in CSV and TSV, characters in plain text, SGML and
    JSONL, and bytes if the text is not UTF-8. `problem` and `remedy` are phrases without a full stop;
    `str()` forms the sentence for people.
    """

    # Also positional: workers pass exceptions on by pickling their args.
    def __init__(
        self,
        file: str,
        problem: str,
        remedy: str,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
    ) -> None:
        problem = _shorten_text(problem)
        field = field and _shorten_text(field)
        super().__init__(file, problem, remedy, line, column, field)
        self.file = file
        self.problem = problem
        self.remedy = remedy
        self.line = line
        self.column = column
        self.field = field

    def __str__(self) -> str:
        location = self.file
        if self.line is not None:
            location += f", line {self.line}"
        if self.column is not None:
            location += f", column {self.column}"
        if self.field is not None:
            location += f' (field "{self.field}")'
        return f"{location}: {self.problem}. What to do: {self.remedy}."


@dataclass(frozen=True, slots=True)
class Location:
    """Location in a file; `line`, `column` and `field` are those of FormatError."""

    file: str
    line: int | None = None
    column: int | None = None
    field: str | None = None

    def error(self, problem: str, remedy: str) -> FormatError:
        """Return an error at this location."""
        return FormatError(
            self.file,
            problem,
            remedy,
            self.line,
            self.column,
            self.field,
        )


class SurplusError(FormatError):
    """A file contains something that the source lacks."""


def _shorten_text(text: str) -> str:
    if len(text) <= MOST_QUOTED:
        return text
    return f"{text[: MOST_QUOTED // 2]} … {text[-MOST_QUOTED // 2 :]}"


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that was left out or changed.

    Attributes
    ----------
    what : str
        A phrase, as in FormatError.
    count : int
        Number of occurrences.
    first : str
        Location of the first one: a line of the input, or the judgment to be written.
    """

    what: str
    count: int
    first: str


#: Counts a loss: takes a phrase and, optionally, the number of occurrences.
Lose = Callable[..., None]


class Losses:
    """Counts losses by kind, in the order in which they first occur."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, str]] = {}

    def add(self, what: str, location: str, count: int = 1) -> None:
        """Count a loss."""
        if count:
            before, first = self._counts.get(what, (0, location))
            self._counts[what] = (before + count, first)

    def counter_for(self, location: str) -> Lose:
        """Return a function that counts losses at a location."""

        def lose(what: str, count: int = 1) -> None:
            self.add(what, location, count)

        return lose

    def __iter__(self) -> Iterator[Loss]:
        return iter(self.counted())

    def counted(self) -> tuple[Loss, ...]:
        """Return the losses counted so far."""
        return tuple(
            Loss(what, count, first) for what, (count, first) in self._counts.items()
        )

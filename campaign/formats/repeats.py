"""Decide which answers of files count if a judge answers about the same thing more than once.

`docs/formats.md` states the rule ("Repeated answers"). Readers of every format call this module, so that
pages, REST and commands report the same numbers in the same words.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import gcd
from operator import attrgetter
from typing import Final

from campaign.formats.errors import FormatError, Losses

#: The same answer to the same question was submitted once, for instance with a double click.
COUNTED_ONCE: Final = "exact repeats of an answer, which counts once"
REPLACED: Final = "answers that the same judge replaced later"
UNDECIDED: Final = "further answers by the same judge without times, so all count"
#: Answers without a start that were submitted within this time are one submission.
_DOUBLE_CLICK: Final = 1.0


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer of a file, and what identifies it.

    Attributes
    ----------
    about : Hashable
        Judge, segment, outputs, and whatever else an answer is about.
    answer : Hashable
    file : str
    line : int
    started_at, ended_at : float or None
        Seconds since 1970.
    is_logged : bool
        Whether later lines of the file were written later.
    """

    about: Hashable
    answer: Hashable
    file: str
    line: int
    started_at: float | None = None
    ended_at: float | None = None
    is_logged: bool = False

    @property
    def time(self) -> float | None:
        """The time of the answer; None if unknown."""
        if self.ended_at is None:
            return self.started_at
        return self.ended_at

    def is_same_as(self, other: "Submission") -> bool:
        """Return whether the two are one submission, as far as the file tells."""
        if self.answer != other.answer:
            return False
        if self.started_at is not None and other.started_at is not None:
            return self.started_at == other.started_at
        if self.time is None or other.time is None:
            return True
        return abs(self.time - other.time) <= _DOUBLE_CLICK


def counted_submissions(
    submissions: Sequence[Submission],
    losses: Losses,
    describe: Callable[[Submission], str] | None,
    *,
    is_one_file: bool = False,
) -> list[bool]:
    """Return which of the answers count, and count the others as losses, whose places name no file if `is_one_file`.

    A repeat counts once; of different answers about the same thing, the latest counts.

    Raises
    ------
    FormatError
        If two answers differ and without times it is unclear which is later. `describe` names judge and subject; without it, both
        count.
    """
    by_subject: dict[Hashable, list[int]] = defaultdict(list)
    for number, submission in enumerate(submissions):
        by_subject[submission.about].append(number)
    counts = [True] * len(submissions)
    left_out: list[tuple[int, str]] = []
    for numbers in by_subject.values():
        if len(numbers) > 1:
            left_out += _left_out(submissions, numbers, describe)
    for number, reason in sorted(left_out):
        counts[number] = reason == UNDECIDED
        losses.add(reason, _location(submissions[number], is_one_file=is_one_file))
    return counts


def _location(answer: "Submission | Repeatable", *, is_one_file: bool) -> str:
    if is_one_file:
        return f"line {answer.line}"
    return f"{answer.file}, line {answer.line}"


def _left_out(
    submissions: Sequence[Submission],
    numbers: Sequence[int],
    describe: Callable[[Submission], str] | None,
) -> list[tuple[int, str]]:
    """Return the numbers of the answers about one thing that are to be reported, and what they are."""

    def time_of(number: int) -> float:
        return submissions[number].time or 0

    reported: list[tuple[int, str]] = []
    different: dict[int, Submission] = {}
    for number in sorted(numbers, key=time_of):
        submission = submissions[number]
        if any(submission.is_same_as(other) for other in different.values()):
            reported.append((number, COUNTED_ONCE))
        else:
            different[number] = submission
    if len(different) == 1:
        return reported
    last = _last(list(different.values()))
    in_order = sorted(different)
    if last is not None:
        for number, submission in different.items():
            if submission is not last:
                reported.append((number, REPLACED))
    elif describe is None:
        for number in in_order[1:]:
            reported.append((number, UNDECIDED))
    else:
        first = different[in_order[0]]
        second = different[in_order[1]]
        raise FormatError(
            second.file,
            f"{describe(second)} differs from that in {first.file}, line {first.line},"
            " and without times it is unclear which is later",
            "keep the answer that counts",
            line=second.line,
        )
    return reported


def _last(different: Sequence[Submission]) -> Submission | None:
    """Return the last of several different answers; None if that is unknown."""
    files = {submission.file for submission in different}
    is_one_log = len(files) == 1 and all(
        submission.is_logged for submission in different
    )
    times: list[float] = []
    for submission in different:
        time = submission.time
        if is_one_log:
            time = submission.line
        if time is None:
            return None
        times.append(time)
    latest = max(times)
    if times.count(latest) > 1:
        return None
    return different[times.index(latest)]


def copies_of_content(contents: Iterable[Hashable]) -> int:
    """Return how often a file holds its whole content: n if every answer stands in it n times, or a multiple of n."""
    return gcd(*Counter(contents).values()) or 1


@dataclass(frozen=True, slots=True)
class Repeatable:
    """An answer that its judge may repeat on purpose; `content` is everything but its duration."""

    file: str
    line: int
    content: Hashable
    duration_ms: int | None = None


def counted_repeatable(
    answers: Sequence[Repeatable],
    losses: Losses,
    *,
    is_one_file: bool = False,
) -> list[bool]:
    """Return which answers count if judges repeat some on purpose, and count the others as losses.

    An answer is left out if it also has the duration of an earlier one. Without durations, an answer that a file has
    once more is a repeat on purpose, except in a file that holds its whole content several times; and an answer
    that another file also has is the same.
    """
    by_file: dict[str, list[Hashable]] = defaultdict(list)
    for answer in answers:
        if answer.duration_ms is None:
            by_file[answer.file].append(answer.content)
    copies = {file: copies_of_content(contents) for file, contents in by_file.items()}
    times_in_file: Counter[Hashable] = Counter()
    keys: set[Hashable] = set()
    counts = []
    for answer in answers:
        key: Hashable = answer.content, answer.duration_ms
        is_copy = False
        if answer.duration_ms is None:
            occurrence = times_in_file[answer.file, key]
            times_in_file[answer.file, key] += 1
            which, copy = divmod(occurrence, copies[answer.file])
            key = (answer.content, None, which)
            is_copy = copy > 0
        counts.append(not is_copy and (key not in keys))
        keys.add(key)
        if not counts[-1]:
            losses.add(COUNTED_ONCE, _location(answer, is_one_file=is_one_file))
    return counts


#: Fewer answers may all consist of equal parts by chance.
_MANY_ANSWERS: Final = 10


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A row with a part of an answer, such as one error; `about` is what the answer is about, including its judge."""

    about: Hashable
    content: Hashable


def counted_parts(rows: Sequence[AnswerPart]) -> list[bool]:
    """Return which rows of a file count if an answer may have equal parts, such as two omissions.

    Equal rows that follow each other are as many parts. A row of an answer that comes again after rows of other
    answers is a repeat, except in a file whose rows are not in the order of answers. Of a file of many answers that
    holds each row n times, only one copy counts.
    """
    runs: dict[Hashable, list[Counter[Hashable]]] = defaultdict(list)
    for about, run in groupby(rows, key=attrgetter("about")):
        runs[about].append(Counter(row.content for row in run))
    copies = 1
    if len(runs) >= _MANY_ANSWERS:
        copies = copies_of_content(rows)
    remaining: dict[Hashable, Counter[Hashable]] = {}
    is_in_order = _are_in_order(runs.values())
    for about, own in runs.items():
        remaining[about] = Counter()
        for content, times in sum(own, Counter()).items():
            most = times // copies
            if is_in_order:
                most = min(most, max(run[content] for run in own))
            remaining[about][content] = most
    counts = []
    for row in rows:
        left = remaining[row.about]
        counts.append(left[row.content] > 0)
        left[row.content] -= 1
    return counts


def _are_in_order(answers: Iterable[Sequence[Counter[Hashable]]]) -> bool:
    """Return whether answers that are in several runs of rows were submitted again rather than scattered by sorting."""
    again = 0
    scattered = 0
    for runs in answers:
        if len(runs) > 1:
            is_scattered = any(not (run & runs[0]) for run in runs)
            scattered += is_scattered
            again += not is_scattered
    return again >= scattered

"""Rules that the cells and JSON objects of all formats share: ranks, names of systems and judges, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn, TypeVar

from campaign.formats import FormatError, InputFile, system_name_problem
from campaign.formats.json_stream import object_lines, refuse_damage
from campaign.formats.records import MAX_JUDGE_NAME, unseen_problem
from campaign.formats.tables import MAX_INTEGER, integer, is_blank
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress, Sources

LARGEST_LABEL = 5

#: Raises the error for (field, problem, remedy); knows the file and the line.
Refuse = Callable[[str | None, str, str], NoReturn]


def refuse_at(file: str, line: int) -> Refuse:
    """Return a function that raises the error for (field, problem, remedy) at a line."""
    return partial(_refuse, file, line)


def _refuse(file: str, line: int, field: str | None, problem: str, remedy: str) -> NoReturn:
    raise FormatError(file, problem, remedy, line=line, field=field)


def label_of(text: str, field: str, refuse: Refuse) -> int | None:
    """Read a rank: 1 … 5, or None for -1 and nothing."""
    stripped = text.strip()
    if is_blank(stripped):
        return None
    label = integer(stripped, 1)
    if label is None or label > LARGEST_LABEL:
        refuse(
            field,
            f"the rank {stripped!r} is not 1, 2, 3, 4, 5 or -1",
            "give a rank from 1 (best) to 5, or -1 where the judge gave none",
        )
    return label


def systems_of(text: str, field: str, seen: set[str], refuse: Refuse) -> tuple[str, ...]:
    """Read the systems of one candidate, "A,B", and add them to those seen in the block."""
    systems = tuple(name.strip() for name in text.split(","))
    for system in systems:
        problem = system_name_problem(system)
        if problem:
            refuse(
                field, problem, 'write the systems of one candidate as "A,B", none of them empty'
            )
        if system in seen:
            refuse(
                field,
                f"the system {system} appears twice in the block",
                "name each system once per block",
            )
        seen.add(system)
    return systems


def segment_of(text: str, field: str, refuse: Refuse) -> int:
    """Read the number of a segment, from 1 through the test set."""
    stripped = text.strip()
    number = integer(stripped, 1)
    if number is None:
        refuse(
            field,
            f"the segment number {stripped!r} is not a whole number of 1 or more",
            "count the segments of the test set from 1",
        )
    return number


def filled(text: str, field: str, refuse: Refuse) -> str:
    """Take a cell that must not be empty, as it is."""
    if not text.strip():
        refuse(field, "the cell is empty", "fill it in")
    return text


def judge_of(text: str, field: str, refuse: Refuse) -> str:
    """Take a judge's pseudonym as it is."""
    filled(text, field, refuse)
    if len(text) > MAX_JUDGE_NAME:
        refuse(
            field,
            f"the name of the judge is longer than {MAX_JUDGE_NAME} characters",
            "give the judge a shorter pseudonym",
        )
    if problem := unseen_problem(text, "name of the judge"):
        refuse(field, problem, "write the name without that character")
    return text


#: Larger ones are no measurements, and those with hundreds of digits cannot be computed with.
MAX_NUMBER = 10**15

Taken = TypeVar("Taken")


def json_objects(
    file: InputFile, *, shape: str = "one object per line"
) -> Iterator[tuple[int, dict[str, Any], Refuse]]:
    """Yield each line's number and object, with a function that raises an error at the line.

    Empty lines are passed over. `shape` shows in errors how an object looks.

    Raises
    ------
    FormatError
        If a line is no JSON object, with the column where it is not; if there is none.
    """
    empty = True
    for line, values in object_lines(file, shape):
        empty = False
        yield line, values, refuse_at(file.name, line)
    if empty:
        raise FormatError(file.name, "the file is empty", "give one object per line")


def json_lines(
    file: InputFile, take: Callable[[dict[str, Any], Refuse], Taken]
) -> Iterator[tuple[int, Taken]]:
    """Yield the number of each line, and the result of `take` for its object."""
    for line, values, refuse in json_objects(file):
        yield line, take(values, refuse)


def keys_check(
    values: Mapping[str, Any],
    required: Sequence[str],
    optional: Sequence[str],
    refuse: Refuse,
    place: str = "",
) -> None:
    """Refuse an object with missing or unknown keys; `place` locates it in the line."""
    known = [*required, *optional]
    for key in required:
        if key not in values:
            refuse(f"{place}{key}", "the key is missing", f"give it the keys {', '.join(required)}")
    for key in values:
        if key not in known:
            refuse(
                f"{place}{key}", "the key is unknown", f"remove it; there are {', '.join(known)}"
            )


def word_of(key: str, value: object, words: Iterable[str], refuse: Refuse, remedy: str = "") -> str:
    """Take one of some words."""
    known = list(words)
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(known)
        refuse(key, f"{value!r} is not one of {listed}", remedy or f"write one of {listed}")
    return value


def list_of(key: str, value: object, refuse: Refuse) -> list[Any]:
    """Take a list."""
    if not isinstance(value, list):
        refuse(key, "the value is not a list", "write it in square brackets")
    return value


def object_of(key: str, value: object, refuse: Refuse) -> dict[str, Any]:
    """Take an object."""
    if not isinstance(value, dict):
        refuse(key, "the value is not an object", "write it in curly brackets")
    return value


def text_of(
    key: str, value: object, refuse: Refuse, *, empty: bool = False, lines: bool = False
) -> str:
    """Take a text, which may be `empty` or have several `lines` where these say so."""
    if not isinstance(value, str) or not (empty or value.strip()):
        refuse(key, "the value is not a text or is empty", "write a text in double quotes")
    refuse_broken_text(key, value, refuse, lines=lines)
    return value


def refuse_broken_text(key: str, text: str, refuse: Refuse, *, lines: bool = True) -> None:
    """Refuse characters not allowed in texts; line breaks are allowed where it may have several `lines`."""
    try:
        refuse_damage(text.replace("\n", " ") if lines else text, file="", line=None, field=key)
    except FormatError as error:
        refuse(key, error.problem, error.remedy)


def name_of(key: str, value: object, refuse: Refuse) -> str:
    """Take a name, which may be written as a whole number."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number else text_of(key, value, refuse)


def system_of(key: str, value: object, refuse: Refuse) -> str:
    """Take the name of one system."""
    name = text_of(key, value, refuse)
    if problem := system_name_problem(name):
        refuse(
            key, problem, 'write the name of one system, and ["A", "B"] for two with the same text'
        )
    return name


def systems_in(key: str, value: object, refuse: Refuse) -> tuple[str, ...]:
    """Take a list of systems that wrote the same, in its order."""
    systems: list[str] = []
    for each in list_of(key, value, refuse):
        if (name := system_of(key, each, refuse)) in systems:
            refuse(key, f"{name} appears twice", "name each system once")
        systems.append(name)
    if not systems:
        refuse(key, "the list is empty", "name at least one system")
    return tuple(systems)


def candidate_of(key: str, value: object, refuse: Refuse) -> tuple[str, ...]:
    """Take a system, or a list of those that wrote the same, in its order."""
    return systems_in(key, [value] if isinstance(value, str) else value, refuse)


def integer_of(
    key: str, value: object, smallest: int, refuse: Refuse, largest: int = MAX_INTEGER
) -> int:
    """Take a whole number from `smallest` (to `largest`)."""
    if not isinstance(value, int) or isinstance(value, bool):
        refuse(key, f"{value!r} is not a whole number", "write a whole number, without quotes")
    if not smallest <= value <= largest:
        upto = "" if largest >= MAX_INTEGER else f" to {largest}"
        refuse(key, f"{value} is out of range", f"write a whole number from {smallest}{upto}")
    return value


def count_of(
    key: str, values: Mapping[str, Any], refuse: Refuse, largest: int = MAX_INTEGER
) -> int | None:
    """Take a whole number from 0 from an object that need not have it."""
    value = values.get(key)
    return None if value is None else integer_of(key, value, 0, refuse, largest)


def number_of(key: str, value: object, refuse: Refuse) -> float:
    """Take a finite number."""
    # An integer of many digits cannot be a float, so check the size first.
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        refuse(key, f"{value!r} is not a number", "write a number, without quotes")
    if abs(value) > MAX_NUMBER:
        refuse(key, "the number is too large", f"write a number up to {MAX_NUMBER:,}")
    return float(value)


def boolean_of(key: str, value: object, refuse: Refuse) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        refuse(key, f"{value!r} is not true or false", "write true or false, without quotes")
    return value


def read_objects(
    names: Sequence[str],
    read: Callable[[dict[str, Any], Refuse], object],
    progress: ReadingProgress,
) -> tuple[FileRead, ...]:
    """Pass each object of some files to `read`, with a function that raises an error at its line.

    Parameters
    ----------
    names : sequence of str
        Files, plain or gzip whatever they are called; ``-`` is standard input.
    read : callable
    progress : callable
        Called with the bytes read so far, and those of all files.

    Returns
    -------
    tuple of FileRead

    Raises
    ------
    FormatError
        If a file cannot be read, is empty or is no JSON Lines.
    """
    sources = Sources(names, progress=progress)
    found = []
    for name in sources.names:
        with sources.input(name) as (file, stream):
            for _taken in json_lines(file, read):
                pass
            found.append(FileRead(name, stream.sha256()))
    return tuple(found)

"""Check the values of JSON objects by rules shared by all formats: names of systems, numbers, texts."""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from campaign.formats import FormatError, InputFile, system_name_problem
from campaign.formats.cells import Refuse, judge_of, refuse_at, segment_of
from campaign.formats.json_text import (
    JSONObject,
    object_array,
    object_lines,
    refuse_damage,
)
from campaign.formats.tables import MAX_INTEGER
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress, Sources

#: Larger numbers are not measurements, and those with hundreds of digits do not fit a float.
MAX_NUMBER = 10**15

#: Returns the checked value of a key, or refuses it.
Take = Callable[[str, Any, Refuse], Any]
#: Objects of a file with their lines, and functions that raise an error there.
Objects = Iterator[tuple[int, JSONObject, Refuse]]


def json_objects(
    file: InputFile,
    *,
    shape: str = "one object per line",
) -> Iterator[tuple[int, JSONObject, Refuse]]:
    """Yield each line's number and object, with a function that raises an error at the line.

    Empty lines are skipped. `shape` describes a valid object in error messages.

    Raises
    ------
    FormatError
        If a line is not a JSON object, with the column of the error; if there are no objects.
    """
    empty = True
    for line, values in object_lines(file, shape):
        empty = False
        yield line, values, refuse_at(file.name, line)
    if empty:
        raise FormatError(file.name, "the file is empty", "write one object per line")


def lines_of(name: str) -> Callable[[InputFile], Objects]:
    """Return a function that reads JSON Lines in this format, which its errors name."""
    return partial(json_objects, shape=f"one object per line, in the format {name}")


def array_objects(file: InputFile) -> Iterator[tuple[int, JSONObject, Refuse]]:
    """Yield the number of each object of a JSON array, the object, and a function that raises an error at it.

    Errors give the number, counted from 1, as line.

    Raises
    ------
    FormatError
        If the file is not an array of objects, or empty.
    """
    empty = True
    for number, values in object_array(file):
        empty = False
        yield number, values, refuse_at(file.name, number)
    if empty:
        raise FormatError(file.name, "the array is empty", "write at least one object")


def keys_check(
    values: JSONObject,
    required: Sequence[str],
    optional: Sequence[str],
    refuse: Refuse,
    prefix: str = "",
) -> None:
    """Refuse an object with missing or unknown keys; `prefix` is its location in the line."""
    all_keys = [*required, *optional]
    for key in required:
        if key not in values:
            refuse(
                f"{prefix}{key}",
                "the key is missing",
                f"add the keys {', '.join(required)}",
            )
    for key in values:
        if key not in all_keys:
            refuse(
                f"{prefix}{key}",
                "the key is unknown",
                f"remove it; known keys: {', '.join(all_keys)}",
            )


def values_taken(
    values: JSONObject,
    keys: Mapping[str, Take | None],
    optional: Collection[str],
    refuse: Refuse,
    prefix: str = "",
) -> JSONObject:
    """Return the checked values of an object; refuse missing and unknown keys.

    Keys whose function is None are not read, nor are `optional` ones that are missing or null. `prefix` is the
    object's location in the line.
    """
    keys_check(
        values,
        [key for key in keys if key not in optional],
        [*optional],
        refuse,
        prefix,
    )
    checked_values = {}
    for key, take in keys.items():
        is_missing = key in optional and values.get(key) is None
        if take and not is_missing:
            checked_values[key] = take(f"{prefix}{key}", values[key], refuse)
    return checked_values


def word_of(
    key: str,
    value: object,
    choices: Iterable[str],
    refuse: Refuse,
    remedy: str = "",
) -> str:
    """Return the value if it is one of the given words; refuse others."""
    allowed = list(choices)
    if not isinstance(value, str) or value not in allowed:
        listed = ", ".join(allowed)
        refuse(
            key,
            f"{value!r} is not one of {listed}",
            remedy or f"write one of {listed}",
        )
    return value


def list_of(key: str, value: object, refuse: Refuse) -> list[Any]:
    """Return the value if it is a list; refuse others."""
    if not isinstance(value, list):
        refuse(key, "the value is not a list", "write it in square brackets")
    return value


def object_of(key: str, value: object, refuse: Refuse) -> JSONObject:
    """Return the value if it is an object; refuse others."""
    if not isinstance(value, dict):
        refuse(key, "the value is not an object", "write it in curly brackets")
    return value


def text_of(
    key: str,
    value: object,
    refuse: Refuse,
    *,
    empty: bool = False,
    lines: bool = False,
) -> str:
    """Return the value if it is a text, which may be blank if `empty` and have several lines if `lines`."""
    if not isinstance(value, str) or not (empty or value.strip()):
        refuse(
            key,
            "the value is not a text or is empty",
            "write a text in double quotes",
        )
    refuse_broken_text(key, value, refuse, lines=lines)
    return value


def any_text(key: str, value: object, refuse: Refuse) -> str:
    """Return the value if it is a text, which may be empty or have several lines."""
    return text_of(key, value, refuse, empty=True, lines=True)


def refuse_broken_text(
    key: str,
    text: str,
    refuse: Refuse,
    *,
    lines: bool = True,
) -> None:
    """Refuse characters that are not allowed in texts; line breaks are allowed if `lines`."""
    if lines:
        text = text.replace("\n", " ")
    try:
        refuse_damage(text, file="", line=None, field=key)
    except FormatError as error:
        refuse(key, error.problem, error.remedy)


def name_of(key: str, value: object, refuse: Refuse) -> str:
    """Return a name, which may be written as a whole number; refuse other values."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number:
        return str(value)
    return text_of(key, value, refuse)


def system_of(key: str, value: object, refuse: Refuse) -> str:
    """Return the name of one system, once in memory for all its lines; refuse other values."""
    name = text_of(key, value, refuse)
    problem = system_name_problem(name)
    if problem:
        refuse(
            key,
            problem,
            'write the name of one system, and ["A", "B"] for two with the same text',
        )
    return sys.intern(name)


def systems_in(key: str, value: object, refuse: Refuse) -> tuple[str, ...]:
    """Return a list of systems that wrote the same text, in the given order; refuse other values."""
    systems: list[str] = []
    for item in list_of(key, value, refuse):
        name = system_of(key, item, refuse)
        if name in systems:
            refuse(key, f"{name} appears twice", "name each system once")
        systems.append(name)
    if not systems:
        refuse(key, "the list is empty", "name at least one system")
    return tuple(systems)


def candidate_of(key: str, value: object, refuse: Refuse) -> tuple[str, ...]:
    """Return the systems that wrote the same text: one system, or a list in the given order."""
    if isinstance(value, str):
        value = [value]
    return systems_in(key, value, refuse)


def integer_of(
    key: str,
    value: object,
    smallest: int,
    refuse: Refuse,
    largest: int = MAX_INTEGER,
) -> int:
    """Return the value if it is a whole number from `smallest` (to `largest`); refuse others."""
    if not isinstance(value, int) or isinstance(value, bool):
        refuse(
            key,
            f"{value!r} is not a whole number",
            "write a whole number, without quotes",
        )
    if not smallest <= value <= largest:
        remedy = f"write a whole number from {smallest}"
        if largest < MAX_INTEGER:
            remedy = f"{remedy} to {largest}"
        refuse(key, f"{value} is out of range", remedy)
    return value


def judge_named(key: str, value: object, refuse: Refuse) -> str:
    """Take the pseudonym of a judge, once in memory for all its lines."""
    return sys.intern(judge_of(text_of(key, value, refuse), key, refuse))


def whole(smallest: int, largest: int = MAX_INTEGER) -> Take:
    """Return a function that takes a whole number from `smallest` to `largest`."""

    def take(key: str, value: object, refuse: Refuse) -> int:
        return integer_of(key, value, smallest, refuse, largest)

    return take


def segment_number(key: str, value: object, refuse: Refuse) -> int:
    """Take the number of a segment in the test set, from 1, which may be written as a text."""
    if isinstance(value, str):
        return segment_of(value, key, refuse)
    return integer_of(key, value, 1, refuse)


def each_of(take: Take) -> Take:
    """Return a function that takes a list of values, each accepted by `take`."""

    def take_all(key: str, value: object, refuse: Refuse) -> tuple[Any, ...]:
        return tuple(take(key, item, refuse) for item in list_of(key, value, refuse))

    return take_all


def number_of(key: str, value: object, refuse: Refuse) -> float:
    """Return the value if it is a finite number; refuse others."""
    # An integer of many digits cannot be a float, so check the size first.
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        refuse(key, f"{value!r} is not a number", "write a number, without quotes")
    if abs(value) > MAX_NUMBER:
        refuse(key, "the number is too large", f"write a number up to {MAX_NUMBER:,}")
    return float(value)


def boolean_of(key: str, value: object, refuse: Refuse) -> bool:
    """Return the value if it is true or false; refuse others."""
    if not isinstance(value, bool):
        refuse(
            key,
            f"{value!r} is not true or false",
            "write true or false, without quotes",
        )
    return value


def read_objects(
    names: Sequence[str],
    read: Callable[[str, int, JSONObject, Refuse], object],
    progress: ReadingProgress,
    objects: Callable[[InputFile], Objects] = json_objects,
) -> tuple[FileRead, ...]:
    """Pass each object of some files to `read`, with its file, its line and a function that raises an error there.

    Parameters
    ----------
    names : sequence of str
        Plain or gzip files, whatever their names; ``-`` is standard input.
    read : callable
    progress : callable
        Called with the bytes read so far and the bytes of all files.
    objects : callable
        Reads the objects of a file; JSON Lines by default.

    Returns
    -------
    tuple of FileRead

    Raises
    ------
    FormatError
        If a file cannot be read, is empty, or is not JSON Lines.
    """
    sources = Sources(names, progress=progress)
    files = []
    for name in sources.names:
        with sources.input(name) as (file, stream):
            for line, values, refuse in objects(file):
                read(file.name, line, values, refuse)
            files.append(FileRead(name, stream.sha256()))
    return tuple(files)

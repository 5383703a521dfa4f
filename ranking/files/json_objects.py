"""Objects of JSON Lines and the values of their keys, with errors that name line and key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from campaign.formats import FormatError, InputFile
from campaign.formats.json_objects import decode_object
from campaign.formats.records import CONTROL
from campaign.formats.streams import text_lines
from campaign.formats.tables import MAX_INTEGER
from ranking.files.labels import Refuse, refuse_at
from ranking.files.records import FileRead
from ranking.files.sources import STANDARD_INPUT, STANDARD_INPUT_NAME, ReadingProgress, Sources


def json_objects(file: InputFile) -> Iterator[tuple[int, dict[str, Any], Refuse]]:
    """Yield each line's number and object, and what raises an error that names the line.

    Empty lines are passed over.

    Raises
    ------
    FormatError
        If a line is no JSON object, with the column where it is not; if there is none.
    """
    empty = True
    for line, text in enumerate(text_lines(file), 1):
        if text.strip():
            empty = False
            values = decode_object(text, file=file.name, shape="an object a line", line=line)
            yield line, values, refuse_at(file.name, line)
    if empty:
        raise FormatError(file.name, "the file is empty", "give an object a line")


def keys_check(
    values: Mapping[str, Any], required: Sequence[str], optional: Sequence[str], refuse: Refuse
) -> None:
    """Refuse an object with missing or with other keys."""
    for key in required:
        if key not in values:
            refuse(key, "the key is missing", f"give every line the keys {', '.join(required)}")
    for key in values:
        if key not in required and key not in optional:
            refuse(
                key,
                "the key is unknown",
                f"remove it; there are {', '.join([*required, *optional])}",
            )


def list_of(key: str, value: object, refuse: Refuse) -> list[Any]:
    """Take a list."""
    if not isinstance(value, list):
        refuse(key, "the value is no list", "write it in square brackets")
    return value


def text_of(key: str, value: object, refuse: Refuse) -> str:
    """Take a text of one line that is not empty."""
    if not isinstance(value, str) or not value.strip():
        refuse(key, "the value is no text, or an empty one", "write a text in double quotes")
    if CONTROL.search(value):
        refuse(key, "the text contains a control character", "remove it")
    try:
        value.encode()
    except UnicodeEncodeError:
        refuse(key, "the text contains half of a surrogate pair", "write the whole character")
    return value


def integer_of(
    key: str, value: object, smallest: int, refuse: Refuse, largest: int = MAX_INTEGER
) -> int:
    """Take a whole number from `smallest` (to `largest`)."""
    if not isinstance(value, int) or isinstance(value, bool):
        refuse(key, f"{value!r} is no whole number", "write a whole number, without quotes")
    if not smallest <= value <= largest:
        upto = "" if largest == MAX_INTEGER else f" to {largest}"
        refuse(key, f"{value} is out of range", f"write a whole number from {smallest}{upto}")
    return value


def boolean_of(key: str, value: object, refuse: Refuse) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        refuse(key, f"{value!r} is neither true nor false", "write true or false, without quotes")
    return value


def read_objects(
    names: Sequence[str],
    read: Callable[[dict[str, Any], Refuse], object],
    progress: ReadingProgress,
) -> tuple[FileRead, ...]:
    """Hand each object of some files to `read`, with what raises an error for its line.

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
        called = STANDARD_INPUT_NAME if name == STANDARD_INPUT else name
        with sources.opened(name) as stream:
            for _line, values, refuse in json_objects(InputFile(called, stream)):
                read(values, refuse)
            found.append(FileRead(name, stream.sha256()))
    return tuple(found)

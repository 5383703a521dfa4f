"""Decode JSON in files, with errors in words, and check its texts."""

import codecs
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from campaign.formats.errors import FormatError, Location
from campaign.formats.records import CONTROL
from campaign.formats.streams import MAX_LINE_BYTES, InputFile, byte_chunks, text_lines

#: A JSON object of a file, before its values are checked.
JSONObject = dict[str, Any]

_LONGEST_KEY_IN_ERRORS: Final = 200


class RepeatedKeyError(ValueError):
    """A key appears twice in one object; json would silently keep the last value.

    `line` is that of the second appearance, if known.
    """

    def __init__(self, key: str, line: int | None = None) -> None:
        quoted = key[:_LONGEST_KEY_IN_ERRORS].encode(errors="backslashreplace").decode()
        super().__init__(f'the key "{quoted}" appears twice in one object')
        self.line = line


def _object(pairs: list[tuple[str, Any]]) -> JSONObject:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                raise RepeatedKeyError(key)
            keys.add(key)
    return values


_ZEROS: Final = frozenset({"0", "00"})
# Characters not allowed in texts: control characters (line breaks are allowed here) and lone
# surrogates.
_NO_TEXT: Final = re.compile(f"{CONTROL.pattern}|[\ud800-\udfff]")


def _number(text: str) -> int | float:
    """Read a number with a fraction or an exponent; pandas writes the integers of a column with gaps as 2.0."""
    digits, point, zeros = text.partition(".")
    if point and zeros in _ZEROS:
        return int(digits)
    return float(text)


DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number)


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


_STRICT_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_constant=_refuse_constant,
)


def decode_json(text: str) -> Any:
    """Return the value of JSON that came from outside, with numbers as they are written.

    Raises ValueError if it is not JSON or has NaN or an infinity, RepeatedKeyError with the line of a key that is
    twice in one object, and RecursionError if it is nested too deeply.
    """
    try:
        return _STRICT_DECODER.decode(text)
    except RepeatedKeyError as error:
        raise _first_repeated_key(text) or error from None


# Texts may contain brackets and line breaks, so that they are tokens of their own.
_TOKEN: Final = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{}]', re.DOTALL)


def _first_repeated_key(text: str) -> RepeatedKeyError | None:
    """Return an error about the first key that its object already has; the text is JSON until there."""
    open_objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        quoted, colon = token.groups()
        if token.group() == "{":
            open_objects.append(set())
        elif token.group() == "}":
            open_objects.pop()
        elif colon:
            key = json.loads(quoted)
            if key in open_objects[-1]:
                return RepeatedKeyError(key, text.count("\n", 0, token.start()) + 1)
            open_objects[-1].add(key)
    return None


def decode_file(text: str, *, file: str) -> Any:
    """Return the value of a file. Raises FormatError if it is not JSON, or has a key twice in one object."""
    try:
        return DECODER.decode(text)
    except RepeatedKeyError as error:
        first = _first_repeated_key(text) or error
        raise _repeated_key_refusal(first, file=file, line=first.line) from None
    except (RecursionError, ValueError) as error:
        raise json_refusal(
            error,
            file=file,
            part="file",
            remedy="write one JSON object",
            line=getattr(error, "lineno", None),
            column=getattr(error, "colno", None),
        ) from error


def decode_object(text: str, *, file: str, shape: str, line: int) -> JSONObject:
    """Return the object in a line; `shape` is an example for errors.

    Raises FormatError if the line is not JSON, not an object, or has a key twice in one object.
    """
    try:
        values = DECODER.decode(text)
    except (RecursionError, ValueError) as error:
        if line == 1 and not text.lstrip("\ufeff \t").startswith(("{", "[")):
            raise FormatError(
                file,
                "the file is not JSON Lines",
                f"write {shape}",
                line=line,
            ) from error
        raise json_refusal(
            error,
            file=file,
            part="line",
            remedy=_remedy_for_line(text, error),
            line=line,
            column=getattr(error, "pos", 0) + 1,
        ) from error
    if not isinstance(values, dict):
        raise FormatError(
            file,
            "the line is not a JSON object",
            f"write {shape}",
            line=line,
        )
    if line == 1:
        _refuse_columns(values, file)
    return values


#: Keys of tables that pandas writes as one object (orient "split" and "table").
_KEYS_OF_TABLES: Final = ({"columns", "data"}, {"schema", "data"})


def _refuse_columns(values: JSONObject, file: str) -> None:
    """Refuse an object with all rows: a table, or an object for each column, whose keys are the numbers of rows."""
    columns = list(values.values())
    if any(keys <= values.keys() for keys in _KEYS_OF_TABLES):
        problem = "the file has all rows in one object, as pandas writes it"
    elif columns and all(map(_is_column, columns)):
        problem = "the file has an object for each column, as pandas writes it"
    else:
        return
    remedy = 'write one object per line, with: frame.to_json(path, orient="records", lines=True)'
    raise FormatError(file, problem, remedy, line=1)


def _is_column(value: object) -> bool:
    return isinstance(value, dict) and "0" in value


def _remedy_for_line(text: str, error: Exception) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "write one flat JSON object on every line"
    if error.pos >= len(text.rstrip()):
        return "write an object that continues on the next line on one, with: jq -c . OLD > NEW"
    if text[error.pos :].strip() == ",":
        return "remove the comma at the end of the line"
    if text.startswith("\ufeff"):
        return "remove the byte order mark at the beginning of the line, as joined files have it"
    return "write one complete JSON object on every line"


def object_lines(file: InputFile, shape: str) -> Iterator[tuple[int, JSONObject]]:
    """Yield the number and object of each line that is not blank. Raises FormatError like `decode_object`."""
    for line, text in enumerate(text_lines(file), 1):
        if text.strip():
            yield line, decode_object(text, file=file.name, shape=shape, line=line)


_BETWEEN: Final = re.compile(r"[\s,]*")
_REST: Final = re.compile(r"\]?\s*\Z")


def object_array(file: InputFile) -> Iterator[tuple[int, JSONObject]]:
    """Yield the number, from 1, and the value of each object in an array, which may be one long line.

    A chunk of the file is in memory at a time. Raises FormatError like `decode_object`, with the number as line.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    number = 0
    text = ""
    is_begun = False
    for chunk in chain(byte_chunks(file), [b""]):
        text += _decode_chunk(decoder, chunk, file.name, number)
        if not is_begun and text.strip():
            text = text.lstrip().removeprefix("[")
            is_begun = True
        position = _next_object(text, 0)
        while not _REST.match(text, position):
            decoded = _decoded_object(
                text,
                position,
                file.name,
                number + 1,
                is_last=not chunk,
            )
            if decoded is None:
                break
            number += 1
            yield number, decoded[0]
            position = _next_object(text, decoded[1])
        text = text[position:]
    if text.strip() != "]":
        raise FormatError(
            file.name,
            "the array has no end",
            "provide the whole file",
            line=number + 1,
        )


def _next_object(text: str, position: int) -> int:
    match = _BETWEEN.match(text, position)
    if match:
        return match.end()
    return position


def _decoded_object(
    text: str,
    position: int,
    file: str,
    number: int,
    *,
    is_last: bool,
) -> tuple[JSONObject, int] | None:
    """Return the object at a position and its end; None if it continues in the next chunk."""
    try:
        values, end = DECODER.raw_decode(text, position)
    except (RecursionError, ValueError) as error:
        is_cut = not is_last and isinstance(error, json.JSONDecodeError)
        if is_cut and len(text) - position < MAX_LINE_BYTES:
            return None
        remedy = "write an array of complete objects"
        raise json_refusal(
            error,
            file=file,
            part="array",
            remedy=remedy,
            line=number,
            column=None,
        ) from error
    if not isinstance(values, dict):
        raise FormatError(
            file,
            "the array contains no objects",
            "write [{…}, {…}]",
            line=number,
        )
    return values, end


def _decode_chunk(
    decoder: codecs.IncrementalDecoder,
    chunk: bytes,
    file: str,
    number: int,
) -> str:
    try:
        return decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        raise FormatError(
            file,
            "the array is not UTF-8",
            "convert the file to UTF-8",
            line=number + 1,
        ) from error


def json_refusal(
    error: Exception,
    *,
    file: str,
    part: str,
    remedy: str,
    line: int | None,
    column: int | None,
) -> FormatError:
    """Return an error in words for an exception of json; only invalid JSON has a column."""
    if isinstance(error, json.JSONDecodeError):
        problem = f"the {part} is not valid JSON ({error.msg})"
        return FormatError(file, problem, remedy, line=line, column=column)
    if isinstance(error, RepeatedKeyError):
        return _repeated_key_refusal(error, file=file, line=line)
    # Nesting too deep, or thousands of digits.
    return FormatError(file, f"the {part} is not readable JSON", remedy, line=line)


def _repeated_key_refusal(
    error: RepeatedKeyError,
    *,
    file: str,
    line: int | None,
) -> FormatError:
    return FormatError(file, str(error), "remove one of the two", line=line)


def refuse_damage(text: str, *, file: str, line: int | None, field: str) -> None:
    """Raise FormatError for an escaped character that is not allowed in text."""
    damage = _NO_TEXT.search(text)
    if damage:
        remedy = (
            r"remove it; an emoji is written as itself or as both halves (\ud83d\ude00)"
        )
        if damage.group() == "\r":
            remedy = r"write a line break as \n"
        raise Location(file, line, field=field).error(
            f"the character U+{ord(damage.group()):04X}, written with a backslash, is not allowed in text",
            remedy,
        )


def text_value(value: object, location: Location) -> str:
    """Return a value, which must be a text, as `whole_text` does. Raises FormatError."""
    return whole_text(raw_text_value(value, location))


def raw_text_value(value: object, location: Location) -> str:
    """Return a value, which must be a text, with the blanks around it. Raises FormatError."""
    if not isinstance(value, str):
        if value is None:
            called = "missing"
        else:
            called = "not a text"
        raise location.error(f"the value is {called}", "write a text in double quotes")
    if len(value) > MAX_LINE_BYTES:
        raise location.error(
            f"the text is longer than {MAX_LINE_BYTES:,} characters",
            "shorten it",
        )
    refuse_damage(
        whole_text(value).replace("\n", " "),
        file=location.file,
        line=location.line,
        field=location.field or "",
    )
    return value


_BREAKS: Final = re.compile(r"\r\n?|\n")
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n\s*")


def paragraphs(text: str) -> list[str]:
    """Split a text at blank lines into stripped paragraphs; other line breaks stay."""
    return [piece.strip() for piece in _BLANK_LINES.split(whole_text(text))]


def whole_text(text: str) -> str:
    r"""Return the stripped text with its line breaks (all as \n) and blank lines."""
    return _BREAKS.sub("\n", text).strip()


def place_in_whole_text(text: str, place: int) -> int:
    """Return the place of a character of a text, counted from 0, in what `whole_text` makes of it."""
    before = _BREAKS.sub("\n", text[:place]).lstrip()
    return min(len(before), len(whole_text(text)))

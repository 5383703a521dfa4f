"""JSON files: read in order, one element of a long list in memory at a time; and what their objects must hold."""

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from campaign.formats.errors import FormatError, Place
from campaign.formats.records import CONTROL
from campaign.formats.streams import InputFile, byte_chunks, text_lines

#: A value that is taken whole: an item with the outputs of all its models.
MAX_VALUE: Final = 2 * 1024 * 1024
#: Maximum over all lists that are read by element: each takes time, though no memory.
MAX_ELEMENTS: Final = 500_000
_MOST_KEYS: Final = 1_000
_DEEPEST: Final = 8
_NO_SPACE: Final = re.compile(r"[^ \t\n\r]")
#: A number may go on after the buffer's end: "1" as 1.5 or 1e-5.
_OF_NUMBER: Final = 4
#: json reports an error in "\\ud83d\\ud" up to this many characters before its end.
_OF_ESCAPE: Final = 16


@dataclass(frozen=True, slots=True)
class _Place:
    line: int = 1
    column: int = 1

    def after(self, text: str) -> "_Place":
        breaks = text.count("\n")
        if breaks:
            return _Place(self.line + breaks, len(text) - text.rfind("\n"))
        return _Place(self.line, self.column + len(text))


class JsonStream:
    """Incremental reader of a JSON file, for callers that know its structure.

    Memory holds one piece of the file and the value that was taken last, of MAX_VALUE characters at most.
    Raises FormatError, with line and column, for what is no JSON, no UTF-8, or longer than that.
    """

    def __init__(self, file: InputFile, *, remedy: str) -> None:
        self._file = file.name
        self._remedy = remedy
        self._chunks = byte_chunks(file)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_over = False
        self._is_begun = False
        self._text = ""
        self._at = 0
        self._elements = 0
        self._begins = _Place()
        self._ends = _Place()

    def peek(self) -> str:
        """Return the next character that is no space; empty at the end of the file."""
        while True:
            found = _NO_SPACE.search(self._text, self._at)
            self._at = found.start() if found else len(self._text)
            if found:
                return found.group()
            if self._is_over:
                return ""
            self._fill()

    def value(self) -> object:
        """Return the next value, whole."""
        self.peek()
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if self._is_over or not self._may_be_cut_off(error):
                    raise self._refusal(error) from error
            else:
                if self._is_over or end + _OF_NUMBER <= len(self._text):
                    self._at = end
                    return value
            if len(self._text) - self._at > MAX_VALUE:
                raise self._error(
                    f"a value is longer than {MAX_VALUE:,} characters",
                    "split it, or remove everything but text to rank",
                )
            # Twice as much, so that a long value is tried a few times only.
            wanted = 2 * (len(self._text) - self._at)
            self._fill()
            while len(self._text) < wanted and not self._is_over:
                self._fill()

    def _may_be_cut_off(self, error: Exception) -> bool:
        """Return whether the value may be whole once more of the file is read."""
        return isinstance(error, json.JSONDecodeError) and (
            error.msg.startswith("Unterminated string") or error.pos + _OF_ESCAPE >= len(self._text)
        )

    def elements(self) -> Iterator[int]:
        """Yield the place of each element of the list that is next, for the caller to take."""
        self._take("[")
        if self.peek() != "]":
            for index in count():
                self._elements += 1
                if self._elements > MAX_ELEMENTS:
                    raise self._error(
                        f"the file has more than {MAX_ELEMENTS:,} documents and items",
                        "split it into several files",
                    )
                yield index
                if self.peek() != ",":
                    break
                self._take(",")
        self._take("]")

    def entries(self) -> Iterator[str]:
        """Yield each key of the object that is next, for the caller to take the value."""
        self._take("{")
        seen: set[str] = set()
        if self.peek() != "}":
            while True:
                if self.peek() != '"':
                    raise self._damaged("Expecting property name enclosed in double quotes")
                key = str(self.value())
                if key in seen:
                    raise self._error(
                        f'the key "{key}" appears twice in one object', "remove one of the two"
                    )
                if len(seen) == _MOST_KEYS:
                    raise self._error(f"the object has more than {_MOST_KEYS:,} keys", self._remedy)
                seen.add(key)
                self._take(":")
                yield key
                if self.peek() != ",":
                    break
                self._take(",")
        self._take("}")

    def skip(self, depth: int = 0) -> None:
        """Pass over the next value; a list may have any length."""
        if self.peek() == "[" and depth < _DEEPEST:
            for _index in self.elements():
                self.skip(depth + 1)
        else:
            self.value()

    def end(self) -> None:
        """Refuse anything after the value."""
        if self.peek():
            raise self._damaged("Extra data")

    def _take(self, character: str) -> None:
        if self.peek() != character:
            raise self._damaged(f"Expecting '{character}' delimiter")
        self._at += 1

    def _fill(self) -> None:
        """Read on, and discard the consumed part."""
        self._begins = self._begins.after(self._text[: self._at])
        self._text, self._at = self._text[self._at :], 0
        chunk = next(self._chunks, b"")
        self._is_over = not chunk
        before, _state = self._decoder.getstate()
        try:
            more = self._decoder.decode(chunk, final=self._is_over)
        except UnicodeDecodeError as error:
            content = before + chunk
            place = self._ends.after(content[: error.start].decode("utf-8"))
            raise Place(self._file, place.line, place.column).error(
                f"the byte 0x{content[error.start]:02X} is not UTF-8", "save the file as UTF-8"
            ) from error
        self._ends = self._ends.after(more)
        if more and not self._is_begun:
            self._is_begun = True
            more = more.removeprefix("\ufeff")
        self._text += more

    def _refusal(self, error: Exception) -> FormatError:
        at = getattr(error, "pos", self._at)
        place = self._begins.after(self._text[:at])
        return json_refusal(
            error,
            file=self._file,
            what="file",
            remedy=self._remedy,
            line=place.line,
            column=place.column,
        )

    def _damaged(self, problem: str) -> FormatError:
        return self._error(f"the file is not valid JSON ({problem})", self._remedy)

    def _error(self, problem: str, remedy: str) -> FormatError:
        place = self._begins.after(self._text[: self._at])
        return FormatError(self._file, problem, remedy, line=place.line, column=place.column)


class RepeatedKeyError(ValueError):
    """A key appears twice in one object, and json would silently keep the last."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RepeatedKeyError(key)
            seen.add(key)
    return values


# Characters not allowed in texts: control characters (line breaks are allowed here) and lone
# surrogates.
_NO_TEXT: Final = re.compile(f"{CONTROL.pattern}|[\ud800-\udfff]")
DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)


def decode_object(text: str, *, file: str, shape: str, line: int) -> dict[str, Any]:
    """Return the object that the line is; `shape` shows in an error how one looks.

    Raises FormatError for what is no JSON, no object, or has a key twice in one object.
    """
    try:
        values = DECODER.decode(text)
    except (RecursionError, ValueError) as error:
        is_damage = isinstance(error, json.JSONDecodeError)
        raise json_refusal(
            error,
            file=file,
            what="line",
            remedy=f"write one {'complete' if is_damage else 'flat'} JSON object on every line",
            line=line,
            column=getattr(error, "pos", 0) + 1,
        ) from error
    if not isinstance(values, dict):
        raise FormatError(file, "the line is not a JSON object", f"write {shape}", line=line)
    return values


def object_lines(file: InputFile, shape: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line that is not blank. Raises FormatError as `decode_object` does."""
    for line, text in enumerate(text_lines(file), 1):
        if text.strip():
            yield line, decode_object(text, file=file.name, shape=shape, line=line)


def json_refusal(
    error: Exception, *, file: str, what: str, remedy: str, line: int, column: int
) -> FormatError:
    """Return the error in words for what json could not read; only damage has a column."""
    if isinstance(error, json.JSONDecodeError):
        problem = f"the {what} is not valid JSON ({error.msg})"
        return FormatError(file, problem, remedy, line=line, column=column)
    if isinstance(error, RepeatedKeyError):
        problem = f'the key "{error}" appears twice in one object'
        return FormatError(file, problem, "remove one of the two", line=line)
    # Nesting too deep, or thousands of digits.
    return FormatError(file, f"the {what} is not readable JSON", remedy, line=line)


def refuse_damage(text: str, *, file: str, line: int | None, field: str) -> None:
    """Raise FormatError for a character that was written with a backslash and is no text."""
    damage = _NO_TEXT.search(text)
    if damage:
        raise Place(file, line, field=field).error(
            f"the character U+{ord(damage.group()):04X}, written with a backslash, is not allowed in text",
            r"remove it; an emoji is written as itself or as both halves (\ud83d\ude00)",
        )


_BREAKS: Final = re.compile(r"\r\n?|\n")
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n\s*")


def paragraphs(text: str) -> list[str]:
    """Return what blank lines separate, stripped; other line breaks stay inside a paragraph."""
    return [piece.strip() for piece in _BLANK_LINES.split(whole_text(text))]


def whole_text(text: str) -> str:
    r"""Return the text stripped, with its line breaks (all as \n) and blank lines."""
    return _BREAKS.sub("\n", text).strip()

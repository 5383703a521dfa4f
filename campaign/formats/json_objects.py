"""JSON as the readers of test sets take it: no key twice, no half of a character, errors with a place."""

import json
import re
from typing import Any, Final

from campaign.formats.errors import FormatError
from campaign.formats.records import CONTROL


class _RepeatedKeyError(ValueError):
    """A key stands twice in one object, and json would silently keep the last."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(key)
            seen.add(key)
    return values


# What no text holds: control characters (a line break is no damage here) and halves of pairs.
_NO_TEXT: Final = re.compile(f"{CONTROL.pattern}|[\ud800-\udfff]")
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)


def decode_object(
    text: str,
    *,
    file: str,
    shape: str,
    line: int | None = None,
    what: str = "line",
    remedy: str = "write one complete JSON object on every line",
) -> dict[str, Any]:
    """Return the object that the text is; `shape` shows in an error how one looks.

    `line` is where the text stands; None for a whole file, whose errors name their own line.

    Raises FormatError for what is no JSON, no object, or has a key twice in one object.
    """
    try:
        values = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            file,
            f"the {what} is no JSON ({error.msg})",
            remedy,
            line=error.lineno if line is None else line,
            column=error.colno if line is None else error.pos + 1,
        ) from error
    except _RepeatedKeyError as error:
        raise FormatError(
            file,
            f'the key "{error}" stands twice in one object',
            "remove one of the two",
            line=line,
        ) from error
    except (RecursionError, ValueError) as error:  # nesting too deep, or thousands of digits
        raise FormatError(
            file,
            f"the {what} is no JSON that can be read",
            "write one flat JSON object on every line" if what == "line" else remedy,
            line=line,
        ) from error
    if not isinstance(values, dict):
        raise FormatError(file, f"the {what} is no JSON object", f"write {shape}", line=line)
    return values


def refuse_damage(text: str, *, file: str, line: int | None, field: str) -> None:
    """Raise FormatError for a character that was written with a backslash and is no text."""
    damage = _NO_TEXT.search(text)
    if damage:
        raise FormatError(
            file,
            f"the character U+{ord(damage.group()):04X}, written with a backslash, is no text",
            r"remove it; an emoji is written as itself or as both halves (\ud83d\ude00)",
            line=line,
            field=field,
        )


_BREAKS: Final = re.compile(r"\r\n?|\n")
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n\s*")


def paragraphs(text: str) -> list[str]:
    """Return what blank lines separate, stripped; other line breaks stay inside a paragraph."""
    return [piece.strip() for piece in _BLANK_LINES.split(whole_text(text))]


def whole_text(text: str) -> str:
    r"""Return the text stripped, with its line breaks (all as \n) and blank lines."""
    return _BREAKS.sub("\n", text).strip()

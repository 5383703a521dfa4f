"""Invisible characters of each language: spaces at which a line must not end, and marks of direction.

Translators write plain spaces and signs; compiling a catalogue adds them by these rules.
"""

import re
from collections.abc import Callable

_NO_BREAK = "\N{NO-BREAK SPACE}"
_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]


def _use_no_break_spaces(match: re.Match[str]) -> str:
    return match[0].replace(" ", _NO_BREAK)


def _left_to_right(match: re.Match[str]) -> str:
    return _LEFT_TO_RIGHT + match[0]


def _unbroken(pattern: str) -> Rule:
    return re.compile(pattern), _use_no_break_spaces


# After a number or placeholder, and not before a placeholder.
_BEFORE_PERCENT = _unbroken(r"(?<=[\d}sd]) (?=%%|%(?![(\w]))")
# One-letter prepositions and conjunctions: at the beginning, and after a space, bracket, dash or quotation mark.
_AFTER_ONE_LETTER = _unbroken(r"(?i)(?:(?<=[\s(\[„‚–—])|^)[aikosuvz] (?=\S)")
_BEFORE_ELLIPSIS = _unbroken(r"(?<=\S) (?=…)")
_IN_ABBREVIATION = _unbroken(r"(?<=\b[zZdDuU]\.) (?=[BhaÄä]\.)")
# Otherwise it would stand at the right of its number.
_MINUS = (re.compile(r"(?<![\w\u200e])−(?=\d)"), _left_to_right)

_RULES: dict[str, tuple[Rule, ...]] = {
    "ar": (_MINUS,),
    "cs": (_BEFORE_PERCENT, _AFTER_ONE_LETTER),
    "de": (_BEFORE_PERCENT, _BEFORE_ELLIPSIS, _IN_ABBREVIATION),
    "es": (_BEFORE_PERCENT,),
}


def typeset(text: str, locale: str) -> str:
    """Return a translation with the invisible characters of its language."""
    for pattern, replaced in _RULES.get(locale, ()):
        text = pattern.sub(replaced, text)
    return text

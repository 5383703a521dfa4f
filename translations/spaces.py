"""Spaces of each language at which a line must not end.

Translators write plain spaces; compiling a catalogue makes those of these rules no-break spaces.
"""

import re

_NO_BREAK = "\N{NO-BREAK SPACE}"

# After a number or placeholder, and not before a placeholder.
_BEFORE_PERCENT = re.compile(r"(?<=[\d}sd]) (?=%%|%(?![(\w]))")
# One-letter prepositions and conjunctions: at the beginning, and after a space, bracket, dash or quotation mark.
_AFTER_ONE_LETTER = re.compile(r"(?:(?<=[\s(\[„‚–—])|^)([aikosuvz]) (?=\S)", re.IGNORECASE)
_BEFORE_ELLIPSIS = re.compile(r"(?<=\S) (?=…)")
_IN_ABBREVIATION = re.compile(r"(?<=\b[zZdDuU]\.) (?=[BhaÄä]\.)")

_RULES: dict[str, tuple[re.Pattern[str], ...]] = {
    "cs": (_BEFORE_PERCENT, _AFTER_ONE_LETTER),
    "de": (_BEFORE_PERCENT, _BEFORE_ELLIPSIS, _IN_ABBREVIATION),
    "es": (_BEFORE_PERCENT,),
}


def spaces_kept(text: str, locale: str) -> str:
    """Return a translation with no-break spaces where its language has them."""
    for rule in _RULES.get(locale, ()):
        text = rule.sub(lambda match: match[0].replace(" ", _NO_BREAK), text)
    return text

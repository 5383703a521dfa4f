"""Names on a line: one, and after a colon those below it, separated by commas.

A name with a colon or comma of its own is in double quotes, as in CSV: `Fluency: "Grammar, spelling", Register`.
"""

import re
from collections.abc import Iterable
from typing import Final

_PIECES: Final = re.compile(r'(?:^|(?<=[:,]))\s*"(?:[^"]|"")*"(?=\s*(?:[:,]|$))|[^"]|"')
_NEEDS_QUOTES: Final = re.compile('[:,"]')


def names_line(name: str, below: Iterable[str]) -> str:
    """Return the line of a name and those below it."""
    names = [_quoted(name_below) for name_below in below]
    return f"{_quoted(name)}: {', '.join(names)}" if names else _quoted(name)


def names_of_line(line: str) -> tuple[str, list[str]]:
    """Return the name of a line, and those below it."""
    parts = [""]
    for piece in _PIECES.findall(line):
        separator = ":" if len(parts) == 1 else ","
        if piece == separator:
            parts.append("")
        else:
            parts[-1] += piece
    names = [_unquoted(part.strip()) for part in parts]
    return names[0], [name for name in names[1:] if name]


def _quoted(name: str) -> str:
    name = " ".join(name.split())
    if _NEEDS_QUOTES.search(name):
        return '"' + name.replace('"', '""') + '"'
    return name


def _unquoted(part: str) -> str:
    """Return a name without its quotes, which stay if it does not need them."""
    if len(part) > 1 and part[0] == part[-1] == '"':
        name = part[1:-1].replace('""', '"').strip()
        if _NEEDS_QUOTES.search(name):
            return name
    return part

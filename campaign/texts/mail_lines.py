"""Lines of plain-text mails that mail programs show as written."""

import unicodedata
from typing import Final

#: Outlook joins a line with the next one, unless it ends in three spaces.
_KEEPS_THE_BREAK: Final = "   "
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL"})
_EMBEDDING: Final = "\N{RIGHT-TO-LEFT EMBEDDING}{}\N{POP DIRECTIONAL FORMATTING}"


def mail_lines(body: str) -> str:
    """Return a body whose lines keep their breaks in Outlook, and their direction in programs that show all from left to right.

    Lines with links keep their characters, since programs would take marks of direction as part of the link.
    """
    lines = body.split("\n")
    marked_lines = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        text = line
        if _is_right_to_left(line) and "://" not in line:
            text = _EMBEDDING.format(line)
        if line.strip() and following.strip():
            text += _KEEPS_THE_BREAK
        marked_lines.append(text)
    return "\n".join(marked_lines)


def _is_right_to_left(line: str) -> bool:
    """Return whether most letters of a line are of scripts that run from right to left."""
    directions = [unicodedata.bidirectional(character) for character in line]
    from_right = sum(direction in _RIGHT_TO_LEFT for direction in directions)
    return from_right > directions.count("L")

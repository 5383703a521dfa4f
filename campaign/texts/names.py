"""Names of people, and passwords, as they are stored."""

import unicodedata
from hashlib import sha256
from typing import Final

#: Joiners between letters and between emoji, which change how they look.
_JOINERS: Final = "\u200c\u200d"
_DIGITS: Final = 8


def visible_name(name: str) -> str:
    """Return a name on one line, in composed form, without invisible and direction-changing characters.

    A name of joiners only becomes empty.
    """
    visible = ""
    for character in composed(" ".join(name.split())):
        is_invisible = unicodedata.category(character) in {"Cc", "Cf"}
        if character in _JOINERS or not is_invisible:
            visible += character
    return " ".join(visible.split()).strip(_JOINERS)


def name_within(name: str, most: int) -> str:
    """Return a name of at most `most` characters; longer ones end in a digest, so that equal beginnings stay apart."""
    if len(name) <= most:
        return name
    digest = sha256(name.encode()).hexdigest()[:_DIGITS]
    return f"{name[: most - _DIGITS - 1]}…{digest}"


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC)."""
    return unicodedata.normalize("NFC", text)


def decomposed(text: str) -> str:
    """Return a text in Unicode's decomposed form (NFD)."""
    return unicodedata.normalize("NFD", text)

"""Names of people, and passwords, as they are stored."""

import unicodedata
from typing import Final

#: Joiners between letters and between emoji, which change how they look.
_JOINERS: Final = "\u200c\u200d"


def visible_name(name: str) -> str:
    """Return a name on one line, in composed form, without invisible and direction-changing characters.

    A name of joiners only becomes empty.
    """
    kept = [
        character
        for character in composed(" ".join(name.split()))
        if character in _JOINERS or unicodedata.category(character) not in {"Cc", "Cf"}
    ]
    return " ".join("".join(kept).split()).strip(_JOINERS)


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC)."""
    return unicodedata.normalize("NFC", text)


def decomposed(text: str) -> str:
    """Return a text in Unicode's decomposed form (NFD)."""
    return unicodedata.normalize("NFD", text)

"""Names of people, and passwords, as they are stored."""

import unicodedata
from typing import Final

#: Joiners between letters and between emoji, which change how they look.
_JOINERS: Final = "\u200c\u200d"


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


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC)."""
    return unicodedata.normalize("NFC", text)


def decomposed(text: str) -> str:
    """Return a text in Unicode's decomposed form (NFD)."""
    return unicodedata.normalize("NFD", text)

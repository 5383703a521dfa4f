"""Normalise texts before they are compared."""

import unicodedata


def normalise_text(text: str) -> str:
    """Return the text in Unicode NFC, with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())

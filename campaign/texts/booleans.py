"""Booleans in addresses."""

from typing import Final

_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}


def boolean_of(text: str) -> bool | None:
    """Return the boolean that a text such as “true”, “True” or “0” stands for; None if it is none."""
    return _BOOLEANS.get(text.lower())

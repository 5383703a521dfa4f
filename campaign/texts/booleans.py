"""Booleans in addresses."""

from typing import Final

from rest_framework.fields import BooleanField

#: The spellings that requests with a body may use, too.
_TRUE: Final = {str(value).lower() for value in BooleanField.TRUE_VALUES}
_FALSE: Final = {str(value).lower() for value in BooleanField.FALSE_VALUES}


def boolean_of(text: str) -> bool | None:
    """Return the boolean that a text such as “true”, “0” or “Yes” stands for; None if it is none."""
    lowered = text.lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    return None

"""Translated sentences about a number of things."""

from django.utils.translation import ngettext


def counted(one: str, many: str, count: int, **others: object) -> str:
    """Return the form of a text for a number, which stands in it as `count`; `others` are its other values."""
    return ngettext(one, many, count) % {"count": count, **others}


def counted_if_any(one: str, many: str, count: int) -> list[str]:
    """Return a list of the text for a number; an empty one for 0."""
    return [counted(one, many, count)] if count else []

"""Translated sentences about a number of things."""

from django.utils.translation import ngettext


def counted(one: str, many: str, count: int, **others: object) -> str:
    """Return the plural form of a text for a number, its placeholder `count`; `others` fill its other placeholders."""
    return ngettext(one, many, count) % {"count": count, **others}


def counted_if_any(one: str, many: str, count: int) -> list[str]:
    """Return the text for a number as a list; an empty list for 0."""
    return [counted(one, many, count)] if count else []

"""Translated sentences about a number of things."""

from django.utils.formats import number_format
from django.utils.translation import ngettext


class _Figure(int):
    """A number that `%s` writes with the separators of the language and `%d` without."""

    def __str__(self) -> str:
        return number_format(int(self))


def filled(text: str, **values: object) -> str:
    """Return a text with its placeholders filled."""
    written = dict(values)
    for name, value in values.items():
        if isinstance(value, int):
            written[name] = _Figure(value)
    return text % written


def counted(one: str, many: str, count: int, **others: object) -> str:
    """Return the plural form of a text for a number, its placeholder `count`; `others` fill its other placeholders."""
    return filled(ngettext(one, many, count), count=count, **others)


def counted_if_any(one: str, many: str, count: int) -> list[str]:
    """Return the text for a number as a list; an empty list for 0."""
    if count:
        return [counted(one, many, count)]
    return []

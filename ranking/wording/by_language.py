"""Words that many rows of a page share are looked up and put together once, and remembered for their language."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVarTuple

from django.utils.translation import get_language

_Arguments = TypeVarTuple("_Arguments")
# Of each function: fifty judges have some four hundred figures, most of them the same from page to page.
_REMEMBERED = 4096


def by_language(function: Callable[[*_Arguments], str]) -> Callable[[*_Arguments], str]:
    """Remember what a function returns, for each language and arguments.

    For functions whose text follows from the language in force and hashable arguments, and from nothing else:
    no clock, no user, no database.
    """

    # typed: 1 and 1.0 are equal, but not written alike.
    @lru_cache(maxsize=_REMEMBERED, typed=True)
    def remembered(language: str | None, *args: *_Arguments) -> str:  # noqa: ARG001 - part of the key
        return function(*args)

    @wraps(function)
    def words(*args: *_Arguments) -> str:
        return remembered(get_language(), *args)

    return words

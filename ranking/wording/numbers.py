"""Numbers as the language in force writes them, and a cache of words by language."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVarTuple

from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

_Arguments = TypeVarTuple("_Arguments")
# Cache size of each function: fifty judges have some four hundred figures, most of them the same
# from page to page.
_REMEMBERED = 4096


def by_language(function: Callable[[*_Arguments], str]) -> Callable[[*_Arguments], str]:
    """Cache the results of a function, for each language and arguments.

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


def in_figures(number: float) -> str:
    """Return a number with as many decimals as it has, six figures at most."""
    return number_format(f"{number:g}")


def percent_in_figures(share: float) -> str:
    """Return 0.95 as "95" and 0.975 as "97.5"."""
    return number_format(f"{round(100 * share, 3):g}")


def percent(share: float) -> str:
    """Return 0.95 as "95%", or as the language writes it."""
    return _("%(share)s%%") % {"share": percent_in_figures(share)}


def decimals(value: float, places: int) -> str:
    """Return a number rounded to `places` decimals: `number_format` alone truncates."""
    # Readers do not know "-0".
    return _rounded(round(value, places) + 0.0, places)


@by_language
def _rounded(value: float, places: int) -> str:
    return number_format(value, places)


def p_in_figures(p: float) -> str:
    """Return "0.034", or "< 0.001"."""
    if p < 0.001:
        return f"< {number_format(0.001, decimal_pos=3)}"
    return decimals(p, 3)


def place_in_words(place: int) -> str:
    """Return "number 3"."""
    return _("number %(place)s") % {"place": number_format(place)}

"""Plural forms of languages, and the numbers each form is for."""

from functools import cache
from gettext import c2py

from babel.messages.plurals import get_plural

# Babel has Arabic's last two the other way round than CLDR, Django and every translator's manual:
# the fifth is for 11 to 99, the last for 100, 101, 102.
_ELSEWHERE = {
    "ar": (
        6,
        "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)",
    ),
}
# Enough to meet every form of every language.
_NUMBERS = range(1001)


def plural_forms(locale: str) -> str:
    """Return the plural forms for a catalogue's header."""
    count, expression = _rule(locale)
    return f"nplurals={count}; plural={expression};"


def form_count(locale: str) -> int:
    return _rule(locale)[0]


@cache
def numbers_of_forms(locale: str) -> tuple[tuple[int, ...], ...]:
    """Return the numbers up to 1000 that each plural form of the language is for."""
    count, expression = _rule(locale)
    form = c2py(expression)
    return tuple(tuple(n for n in _NUMBERS if form(n) == number) for number in range(count))


def _rule(locale: str) -> tuple[int, str]:
    if locale in _ELSEWHERE:
        return _ELSEWHERE[locale]
    plural = get_plural(locale)
    return plural.num_plurals, plural.plural_expr

"""Numbers in words, for sentences."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ranking.wording.by_language import by_language


def number_in_words(number: int) -> str:
    """Return a small number in words, as in a headline, and a larger one in figures."""
    words = (
        pgettext("number", "one"),
        pgettext("number", "two"),
        pgettext("number", "three"),
        pgettext("number", "four"),
        pgettext("number", "five"),
        pgettext("number", "six"),
        pgettext("number", "seven"),
        pgettext("number", "eight"),
        pgettext("number", "nine"),
        pgettext("number", "ten"),
        pgettext("number", "eleven"),
        pgettext("number", "twelve"),
    )
    return words[number - 1] if 1 <= number <= len(words) else number_format(number)


def in_figures(number: float) -> str:
    """Return a number with as many decimals as it has, six figures at most."""
    return number_format(f"{number:g}")


def percent_in_figures(share: float) -> str:
    """Return 0.95 as "95" and 0.975 as "97.5"."""
    return number_format(f"{round(100 * share, 3):g}")


def percent(share: float) -> str:
    """Return 0.95 as "95 %", as the language writes it."""
    return _("%(share)s %%") % {"share": percent_in_figures(share)}


def decimals(value: float, places: int) -> str:
    """Return a number with so many decimals, rounded: `number_format` alone cuts the others off."""
    # Readers do not know "-0".
    return _rounded(round(value, places) + 0.0, places)


@by_language
def _rounded(value: float, places: int) -> str:
    return number_format(value, places)


def p_in_figures(p: float) -> str:
    """Return "0.034", or "< 0.001"."""
    if p < 0.001:
        return _("< %(number)s") % {"number": number_format(0.001, decimal_pos=3)}
    return decimals(p, 3)

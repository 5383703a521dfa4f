"""Numbers in the reader's locale."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _


def in_figures(number: float) -> str:
    """Return a number with all its decimals, at most six significant digits."""
    return number_format(f"{number:g}")


def all_in_figures(**numbers: float) -> dict[str, str]:
    """Return whole numbers by name, for a sentence."""
    return {name: number_format(number) for name, number in numbers.items()}


def percent_in_figures(share: float) -> str:
    """Return 0.95 as "95" and 0.975 as "97.5"."""
    return number_format(f"{round(100 * share, 3):g}")


def percent(share: float) -> str:
    """Return 0.95 as "95%" in the current locale."""
    return _("%(share)s%%") % {"share": percent_in_figures(share)}


def decimals(value: float, places: int) -> str:
    """Return a number rounded to `places` decimals, with a true minus sign: `number_format` alone truncates."""
    # Avoid "-0".
    return number_format(round(value, places) + 0.0, places).replace("-", "−")


def p_in_words(p: float) -> str:
    """Return "p = 0.034", or "p < 0.001"."""
    if p < 0.001:
        return f"p < {number_format(0.001, decimal_pos=3)}"
    return f"p = {decimals(p, 3)}"

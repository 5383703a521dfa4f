"""Numbers as CLDR and browsers write them, where Django's formats cannot express it.

Spanish separates thousands from five digits on (1234, 12.345); in right-to-left languages, a mark of direction keeps the
minus sign at the left of its number.
"""

from functools import wraps
from typing import Any

from django.utils import numberformat
from django.utils.translation import get_language_bidi

_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"


class FromFiveDigits(int):
    """Size of the groups of a `NUMBER_GROUPING` that leaves numbers of four digits whole."""


_format = numberformat.format


def _has_up_to_four_digits(number: Any) -> bool:
    return len(str(number).lstrip("-").partition(".")[0]) <= 4


@wraps(_format)
def _format_as_cldr(
    number: Any,
    decimal_sep: str,
    decimal_pos: int | None = None,
    grouping: Any = 0,
    *arguments: Any,
    **options: Any,
) -> str:
    if isinstance(grouping, FromFiveDigits) and _has_up_to_four_digits(number):
        grouping = 0
    written = _format(number, decimal_sep, decimal_pos, grouping, *arguments, **options)
    if str(written).startswith("-") and get_language_bidi():
        return _LEFT_TO_RIGHT + written
    return written


numberformat.format = _format_as_cldr

"""Thousands that are separated from five digits on.

Spanish writes 1234 and 12.345 (`minimumGroupingDigits` of CLDR), which Django's formats cannot express.
"""

from functools import wraps
from typing import Any

from django.utils import numberformat


class FromFiveDigits(int):
    """Size of the groups of a `NUMBER_GROUPING` that leaves numbers of four digits whole."""


_format = numberformat.format


def _has_up_to_four_digits(number: Any) -> bool:
    return len(str(number).lstrip("-").partition(".")[0]) <= 4


@wraps(_format)
def _format_grouped(
    number: Any,
    decimal_sep: str,
    decimal_pos: int | None = None,
    grouping: Any = 0,
    *arguments: Any,
    **options: Any,
) -> str:
    if isinstance(grouping, FromFiveDigits) and _has_up_to_four_digits(number):
        grouping = 0
    return _format(number, decimal_sep, decimal_pos, grouping, *arguments, **options)


numberformat.format = _format_grouped

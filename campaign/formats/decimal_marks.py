"""Decimal marks of the numbers in a column, which are points or commas throughout."""

import re
from dataclasses import dataclass, field
from typing import Final

from campaign.formats.cells import Refuse

#: A number with one point or comma.
_WITH_MARK: Final = re.compile(r"\s*[-+]?[0-9]*([.,])[0-9]*([eE][-+]?[0-9]+)?\s*")
_NAMES: Final = {".": "point", ",": "comma"}


@dataclass(slots=True)
class DecimalMarks:
    """The decimal mark of each column of a file so far, with the line that has it first."""

    first: dict[str, tuple[str, int]] = field(default_factory=dict)

    def with_point(self, text: str, column: str, line: int, refuse: Refuse) -> str:
        """Return a number with a decimal point; other text unchanged.

        A column with both marks is refused: one of the two stands between thousands, so 1.084 may be 1,084.
        """
        number = _WITH_MARK.fullmatch(text)
        if number is None:
            return text
        mark = number[1]
        first_mark, first_line = self.first.setdefault(column, (mark, line))
        if mark != first_mark:
            refuse(
                column,
                f"{text.strip()} has a {_NAMES[mark]}, but the number in line {first_line:,} has a {_NAMES[first_mark]}",
                "use one decimal mark in the whole column, and nothing between thousands",
            )
        return text.replace(",", ".")

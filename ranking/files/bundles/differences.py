"""Where two results differ."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

#: Processors of different kinds add in different orders; whatever is of more than that is a difference.
LAST_DIGITS: Final = 1e-12


class Absent(Enum):
    """What stands for a value that is not there: null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Difference:
    """A number or text that a published result has otherwise than it was computed; `ABSENT` where it has none."""

    where: str
    published: Any
    computed: Any

    @property
    def is_in_last_digits(self) -> bool:
        """Whether both are numbers, no whole ones, that differ by less than `LAST_DIGITS` of them, or of 1."""
        if not (isinstance(self.published, float) and isinstance(self.computed, float)):
            return False
        return math.isclose(self.published, self.computed, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)

    def plain(self) -> dict[str, Any]:
        """Return it for JSON, without what is not there."""
        sides = {"published": self.published, "computed": self.computed}
        told = {name: value for name, value in sides.items() if value is not ABSENT}
        return {"where": self.where, **told}

"""Where two results differ."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final


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

    def plain(self) -> dict[str, Any]:
        """Return it for JSON, without what is not there."""
        sides = {"published": self.published, "computed": self.computed}
        told = {name: value for name, value in sides.items() if value is not ABSENT}
        return {"where": self.where, **told}

"""How rank ranges are made: one choice for page, REST and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from django.utils.translation import gettext as _

from ranking.core.levels import LEVELS, Level
from ranking.core.significance import Correction, Sides

Ranges = Literal["percentile", "sign_test", "confidence_set", "anytime"]
RANGES: tuple[Ranges, ...] = get_args(Ranges)


class RangeChoiceError(ValueError):
    """Rank ranges cannot be made like this; `field` names the part at fault."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeChoice:
    """How rank ranges are made.

    Attributes
    ----------
    resample : "two_way", "segments", "judges", "blocks" or "pairs"
        What is taken for independent; counts for percentile ranges only.
    ranges : "percentile", "sign_test", "confidence_set" or "anytime"
    correction : Correction
        What sign tests do about the number of pairs.
    sides : 1 or 2
        Of sign tests.
    confidence : float
        Between 0 and 1.
    """

    resample: Level = "two_way"
    ranges: Ranges = "percentile"
    correction: Correction = Correction.NONE
    sides: Sides = 1
    confidence: float = 0.95

    def check(self) -> None:
        """Raise `RangeChoiceError` if no ranges can be made like this."""
        if self.resample not in LEVELS:
            raise RangeChoiceError(_one_of(LEVELS), field="resample")
        if self.ranges not in RANGES:
            raise RangeChoiceError(_one_of(RANGES), field="ranges")
        if self.sides not in get_args(Sides):
            raise RangeChoiceError(_("Tests have one side or two."), field="sides")
        if not 0 < self.confidence < 1:
            raise RangeChoiceError(
                _("The confidence is a number between 0 and 1."), field="confidence"
            )
        if self.ranges == "sign_test":
            return
        if self.correction is not Correction.NONE:
            raise RangeChoiceError(
                _("Only sign tests are corrected for their number; the others need no correction."),
                field="correction",
            )
        if self.sides != 1:
            raise RangeChoiceError(_("Only sign tests have a second side."), field="sides")

    @property
    def accounts_for_segments(self) -> bool:
        """Whether segments are taken for units that may be others next time."""
        if self.ranges == "percentile":
            return self.resample in ("two_way", "segments")
        return self.ranges != "sign_test"

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `ranking.core.ranking.rank`."""
        if self.ranges == "percentile":
            return {"resample": self.resample, "confidence": self.confidence}
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values for the parameters of a ranking run; see `recorded_choice`."""
        return {**asdict(self), "correction": self.correction.value}


def recorded_choice(parameters: Mapping[str, Any]) -> RangeChoice:
    """Read the choice from the parameters of a ranking run.

    Runs from before there was a choice recorded their level and confidence alone; their ranges
    are percentiles.
    """
    values = {
        part.name: parameters[part.name]
        for part in fields(RangeChoice)
        if parameters.get(part.name) is not None
    }
    if "correction" in values:
        values["correction"] = Correction(values["correction"])
    return RangeChoice(**values)


def _one_of(values: tuple[str, ...]) -> str:
    return _("Choose one of %(values)s.") % {"values": ", ".join(values)}

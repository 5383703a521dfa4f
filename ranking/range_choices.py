"""How rank ranges are made: one choice for page, REST and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ranking.core.counting.resampling import Level
from ranking.core.ranges.sign_tests import Correction, Sides
from ranking.core.rankings.range_kinds import RangeKind, RangeOptions
from ranking.core.rankings.rank import Ranking


class RangeChoiceError(ValueError):
    """Rank ranges cannot be made like this; `field` names the part at fault."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeChoice:
    """How rank ranges are made, and the tests of pairs; as `ranking.core.rankings.range_kinds.RangeOptions`.

    Every part has its value: what a run records does not depend on the defaults of later code.
    """

    resample: Level = "two_way"
    ranges: RangeKind = "percentile"
    correction: Correction = Correction.NONE
    sides: Sides = 2
    confidence: float = 0.95

    @property
    def accounts_for_segments(self) -> bool:
        """Whether segments are taken for units that may be others next time."""
        return self.resample in ("two_way", "segments")

    @property
    def accounts_for_documents(self) -> bool:
        """Whether documents take the place of segments where they are known."""
        return self.resample == "two_way" or self.ranges == "anytime"

    @property
    def level(self) -> float:
        """The largest corrected p-value that is significant."""
        return RangeOptions(confidence=self.confidence).level

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `ranking.core.rankings.rank.rank`."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def options(self, *, resamples: int = 1000) -> RangeOptions:
        """Return the same for functions that take all options of ranges in one."""
        return RangeOptions(
            kind=self.ranges,
            resample=self.resample,
            resamples=resamples,
            confidence=self.confidence,
            correction=self.correction,
            sides=self.sides,
        )

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values for the parameters of a ranking run; see `recorded_choice`."""
        return {**asdict(self), "correction": self.correction.value}


def completed_choice(parts: Mapping[str, Any]) -> RangeChoice:
    """Complete a choice, given as plain values, with the defaults of its kind of ranges.

    Raises
    ------
    RangeChoiceError
        If the parts do not go together.
    """
    correction = parts.get("correction")
    try:
        options = RangeOptions(
            kind=parts.get("ranges", "percentile"),
            resample=parts.get("resample", "two_way"),
            confidence=parts.get("confidence", 0.95),
            correction=None if correction is None else Correction(correction),
            sides=parts.get("sides"),
        )
    except ValueError as error:
        raise RangeChoiceError(str(error), field=_field(str(error))) from error
    if options.independent != parts.get("resample", options.independent):
        raise RangeChoiceError(
            f"resample: {options.kind} ranges always use {options.independent}",
            field="resample",
        )
    return RangeChoice(
        resample=options.independent,
        ranges=options.kind,
        correction=options.chosen_correction,
        sides=options.chosen_sides,
        confidence=options.confidence,
    )


def _field(message: str) -> str:
    """Return the part that a message of the core begins with."""
    named = message.partition(":")[0]
    return named if named in {part.name for part in fields(RangeChoice)} else "ranges"


def choice_of(ranking: Ranking) -> RangeChoice:
    """Return how the ranges of a ranking were made."""
    return RangeChoice(**{part.name: getattr(ranking, part.name) for part in fields(RangeChoice)})


def recorded_choice(parameters: Mapping[str, Any]) -> RangeChoice:
    """Read the choice from the parameters of a ranking run."""
    values = {part.name: parameters[part.name] for part in fields(RangeChoice)}
    return RangeChoice(**{**values, "correction": Correction(values["correction"])})

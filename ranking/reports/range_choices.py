"""Settings of rank ranges, shared by pages, REST and commands, and the limits of ranges for given data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from campaign.texts.refusals import RefusedError
from ranking.core.anytime import Refusal
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.counting.resampling import Level
from ranking.core.ranges import ComparedPair, Correction, Sides
from ranking.core.rankings.counted_judgments import EffectiveUnits
from ranking.core.rankings.range_kinds import RangeKind, RangeOptions
from ranking.core.rankings.rank import Ranking
from ranking.core.uncertainty import RangeLimit


class RangeChoiceError(RefusedError, ValueError):
    """Invalid settings of rank ranges; `field` names the invalid part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeChoice:
    """Settings of rank ranges and pairwise tests; see `ranking.core.rankings.range_kinds.RangeOptions`.

    All parts have values, so that recorded settings do not depend on the defaults of later versions.
    """

    resample: Level = "two_way"
    ranges: RangeKind = "percentile"
    correction: Correction = Correction.NONE
    sides: Sides = 2
    confidence: float = 0.95

    @property
    def accounts_for_segments(self) -> bool:
        """True if segments are treated as a sample of units."""
        return self.resample in ("two_way", "segments")

    @property
    def accounts_for_documents(self) -> bool:
        """True if documents, if known, replace segments as units."""
        return self.resample == "two_way" or self.ranges == "anytime"

    @property
    def level(self) -> float:
        """The largest corrected p-value that is significant."""
        return RangeOptions(confidence=self.confidence).level

    @property
    def correction_of_pairs(self) -> Correction:
        """The correction by which pairs are told apart: that of the settings, otherwise Holm."""
        return Correction.HOLM if self.correction is Correction.NONE else self.correction

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `ranking.core.rankings.rank.rank`."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def options(self, *, resamples: int = 1000) -> RangeOptions:
        """Return the settings as one object, for functions of the core."""
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
        If the parts are inconsistent.
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
    """Return the part named at the start of a message from the core."""
    named = message.partition(":")[0]
    return named if named in {part.name for part in fields(RangeChoice)} else "ranges"


def choice_of(ranking: Ranking) -> RangeChoice:
    """Return the settings of the ranges of a ranking."""
    return RangeChoice(**{part.name: getattr(ranking, part.name) for part in fields(RangeChoice)})


def recorded_choice(parameters: Mapping[str, Any]) -> RangeChoice:
    """Read the choice from the parameters of a ranking run."""
    values = {part.name: parameters[part.name] for part in fields(RangeChoice)}
    return RangeChoice(**{**values, "correction": Correction(values["correction"])})


@dataclass(frozen=True, slots=True)
class ToldApart:
    """Pairs told apart by the tests of a ranking, corrected for the number of pairs.

    Attributes
    ----------
    pairs : int
        All pairs of ranked systems that comparisons connect.
    told_apart : int
    correction : Correction
        See `RangeChoice.correction_of_pairs`.
    level : float
        Largest significant corrected p-value.
    """

    pairs: int
    told_apart: int
    correction: Correction
    level: float


def count_told_apart(pairs: Sequence[ComparedPair], choice: RangeChoice) -> ToldApart:
    """Count the pairs told apart among those of `ranking.core.ranges.corrected_pairs`."""
    return ToldApart(
        pairs=len(pairs),
        told_apart=sum(pair.significant is True for pair in pairs),
        correction=choice.correction_of_pairs,
        level=choice.level,
    )


#: An additional limit: the core does not know whether all segments are in one document.
ONE_DOCUMENT = "one_document"
#: All codes, each once.
LIMITS = tuple(
    dict.fromkeys(
        [*(one.value for one in Refusal), *(one.value for one in RangeLimit), ONE_DOCUMENT]
    )
)


def range_limits(
    choice: RangeChoice,
    found: Sequence[str],
    effective: EffectiveUnits,
    *,
    one_document: bool = False,
) -> list[str]:
    """Return the limits of ranges, as codes.

    `found` has the codes of the ranking itself. With the levels "segments" and "judges" it has
    none, because any number of units can be resampled; codes for too few units are added here.
    `one_document` tells whether all judged segments are in one document.
    """
    limits = set(found)
    if choice.resample == "judges" and effective.judges < MIN_UNITS:
        limits.add(RangeLimit.FEW_JUDGES.value)
    if choice.resample == "segments" and effective.segments < MIN_UNITS:
        limits.add(RangeLimit.FEW_SEGMENTS.value)
    if one_document and choice.accounts_for_segments and RangeLimit.FEW_SEGMENTS not in limits:
        limits.add(ONE_DOCUMENT)
    return sorted(limits)

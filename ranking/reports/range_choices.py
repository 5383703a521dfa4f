"""Settings of rank ranges, shared by pages, REST and commands, and the limits of ranges for given data."""

from collections.abc import Sequence
from dataclasses import dataclass

from campaign.texts.refusals import RefusedError
from ranking.core.anytime import Refusal
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.ranges import ComparedPair, Correction
from ranking.core.rankings.counted_judgments import EffectiveUnits
from ranking.core.rankings.range_kinds import RangeOptions, RangeParts
from ranking.core.uncertainty import RangeLimit


class RangeChoiceError(RefusedError, ValueError):
    """Invalid settings of rank ranges; `field` names the invalid part."""


def completed_ranges(parts: RangeParts) -> RangeOptions:
    """Complete options of rank ranges with the defaults of their kind.

    Raises
    ------
    RangeChoiceError
        If the parts are inconsistent.
    """
    try:
        return RangeOptions.completed(**parts)
    except ValueError as error:
        raise RangeChoiceError(str(error), field=_field(str(error))) from error


def _field(message: str) -> str:
    """Return the part named at the start of a message from the core."""
    part = message.partition(":")[0]
    if part in RangeParts.__annotations__:
        return part
    return "ranges"


@dataclass(frozen=True, slots=True)
class ToldApart:
    """Pairs told apart by the tests of a ranking, corrected for the number of pairs.

    Attributes
    ----------
    pairs : int
        All pairs of ranked systems that comparisons connect.
    told_apart : int
    correction : Correction
        See `RangeOptions.correction_of_pairs`.
    level : float
        Largest significant corrected p-value.
    """

    pairs: int
    told_apart: int
    correction: Correction
    level: float


def count_told_apart(pairs: Sequence[ComparedPair], options: RangeOptions) -> ToldApart:
    """Count the pairs told apart among those of `ranking.core.ranges.corrected_pairs`."""
    return ToldApart(
        pairs=len(pairs),
        told_apart=sum(pair.significant is True for pair in pairs),
        correction=options.correction_of_pairs,
        level=options.level,
    )


#: An additional limit: the core does not know whether all segments are in one document.
ONE_DOCUMENT = "one_document"
#: All codes, each once.
LIMITS = tuple(dict.fromkeys([*map(str, (*Refusal, *RangeLimit)), ONE_DOCUMENT]))


def range_limits(
    options: RangeOptions,
    ranking_limits: Sequence[str],
    effective: EffectiveUnits,
    *,
    one_document: bool = False,
) -> list[str]:
    """Return the limits of ranges, as codes.

    `ranking_limits` has the codes of the ranking itself. With the levels "segments" and "judges" it has
    none, because any number of units can be resampled; codes for too few units are added here.
    `one_document` tells whether all judged segments are in one document.
    """
    limits = set(ranking_limits)
    if options.resample == "judges" and effective.judges < MIN_UNITS:
        limits.add(RangeLimit.FEW_JUDGES.value)
    if options.resample == "segments" and effective.segments < MIN_UNITS:
        limits.add(RangeLimit.FEW_SEGMENTS.value)
    if (
        one_document
        and options.accounts_for_segments
        and RangeLimit.FEW_SEGMENTS not in limits
    ):
        limits.add(ONE_DOCUMENT)
    return sorted(limits)

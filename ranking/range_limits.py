"""What the rank ranges of a ranking do not account for although they were meant to."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.core.effective_units import EffectiveUnits
from ranking.core.two_way import FEWEST_UNITS, RangeLimit
from ranking.range_choices import RangeChoice

#: Beside the codes of `RangeLimit`: a test set knows of documents, the core does not.
ONE_DOCUMENT = "one_document"


def range_limits(
    choice: RangeChoice,
    found: Sequence[RangeLimit],
    effective: EffectiveUnits,
    *,
    one_document: bool = False,
) -> list[str]:
    """Return what ranges do not account for, as codes.

    `found` is what the ranking says itself. It says nothing of the levels "segments" and "judges",
    which resample three judges as they do thirty: ranges of so few are not ranges over judges.
    `one_document` says that all judged segments are of one.
    """
    limits = {limit.value for limit in found}
    if choice.ranges == "percentile":
        if choice.resample == "judges" and effective.judges < FEWEST_UNITS:
            limits.add(RangeLimit.FEW_JUDGES)
        if choice.resample == "segments" and effective.segments < FEWEST_UNITS:
            limits.add(RangeLimit.FEW_SEGMENTS)
    if one_document and choice.accounts_for_segments and RangeLimit.FEW_SEGMENTS not in limits:
        limits.add(ONE_DOCUMENT)
    return sorted(map(str, limits))

"""What the rank ranges of a ranking do not account for although they were meant to."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.core.anytime import Refusal
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.rankings.counted_judgments import EffectiveUnits
from ranking.core.uncertainty.two_way import RangeLimit
from ranking.range_choices import RangeChoice

#: Beside the codes of the core: a test set without documents has one, of which the core is not told.
ONE_DOCUMENT = "one_document"
#: All codes there are, each once.
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
    """Return what ranges do not account for, as codes.

    `found` are the codes of the ranking itself. With the levels "segments" and "judges" it has
    none, because any number of units can be resampled; the codes for too few units are added here.
    `one_document` says that all judged segments are of one document.
    """
    limits = set(found)
    if choice.resample == "judges" and effective.judges < MIN_UNITS:
        limits.add(RangeLimit.FEW_JUDGES.value)
    if choice.resample == "segments" and effective.segments < MIN_UNITS:
        limits.add(RangeLimit.FEW_SEGMENTS.value)
    if one_document and choice.accounts_for_segments and RangeLimit.FEW_SEGMENTS not in limits:
        limits.add(ONE_DOCUMENT)
    return sorted(limits)

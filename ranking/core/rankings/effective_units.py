"""Effective numbers of segments, judges and documents that a ranking rests on."""

from __future__ import annotations

from dataclasses import dataclass

from ranking.core.counting.effective_numbers import counts_per_block, effective_number_of_units
from ranking.core.counting.moments import units_of
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import Method


@dataclass(frozen=True)
class EffectiveUnits:
    """Effective numbers of units, see `ranking.core.counting.effective_numbers`.

    Attributes
    ----------
    segments, judges : float
        0 without any comparison.
    documents : float or None
        None if documents are not known.
    """

    segments: float
    judges: float
    documents: float | None = None


def effective_units(blocks: Blocks, method: Method) -> EffectiveUnits:
    """Compute the effective numbers of segments, judges and documents.

    They equal those of `ranking.core.counting.moments.Moments.effective`, but need no moments.

    Parameters
    ----------
    blocks : Blocks
    method : Method
        The size of a unit is the number of its comparisons that this method counts: tied ones
        only if the method uses ties.

    Returns
    -------
    EffectiveUnits
    """
    sizes = counts_per_block(blocks, method.layout(len(blocks.systems)))
    segments, judges = (
        effective_number_of_units(units_of(blocks, unit), sizes) for unit in ("segments", "judges")
    )
    if blocks.document is None:
        return EffectiveUnits(segments, judges)
    return EffectiveUnits(segments, judges, effective_number_of_units(blocks.document, sizes))

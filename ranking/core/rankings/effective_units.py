"""Effective numbers of segments, judges and documents that a ranking rests on."""

from __future__ import annotations

from dataclasses import dataclass

from ranking.core.counting.effective_numbers import (
    UnitSizes,
    counts_per_block,
    effective_number_from,
    unit_sizes,
)
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
    return effective_units_of_sizes(unit_sizes(blocks, sizes))


def effective_units_of_sizes(sizes: UnitSizes) -> EffectiveUnits:
    """Compute the effective numbers of segments, judges and documents from their sizes."""
    documents = sizes.documents
    return EffectiveUnits(
        segments=effective_number_from(sizes.total, sizes.segments),
        judges=effective_number_from(sizes.total, sizes.judges),
        documents=None if documents is None else effective_number_from(sizes.total, documents),
    )

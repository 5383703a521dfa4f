"""Effective numbers of segments, documents and judges: of equal shares, with the same information."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.moments import units_of
from ranking.core.counting.tallies import chunks
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import Method

FloatArray = npt.NDArray[np.float64]

_BLOCKS_AT_A_TIME = 1024


@dataclass(frozen=True)
class EffectiveUnits:
    """Effective numbers; 0 without any comparison, and None of documents that are not known."""

    segments: float
    judges: float
    documents: float | None = None


def effective_units(blocks: Blocks, method: Method) -> EffectiveUnits:
    """Compute the effective numbers (Σ a_u)² / Σ a_u² of segments, of judges and of documents.

    The same as `ranking.core.counting.moments.Moments.effective`, without the moments.

    Parameters
    ----------
    blocks : Blocks
    method : Method
        It decides which comparisons a_u of a unit count: ties only if it uses them.

    Returns
    -------
    EffectiveUnits
    """
    layout = method.layout(len(blocks.systems))
    counted = np.zeros(len(blocks))
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        counted[rows] = layout.of_blocks(blocks.take(rows)).astype(np.int64).sum(axis=0)
    return EffectiveUnits(
        segments=_effective(units_of(blocks, "segments"), counted),
        judges=_effective(units_of(blocks, "judges"), counted),
        documents=None if blocks.document is None else _effective(blocks.document, counted),
    )


def _effective(unit: npt.NDArray[np.integer], counted: FloatArray) -> float:
    of_unit = np.bincount(np.unique(unit, return_inverse=True)[1], weights=counted)
    squares = float(of_unit @ of_unit)
    return float(of_unit.sum()) ** 2 / squares if squares else 0.0

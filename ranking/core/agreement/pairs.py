"""Pairs of judgments that agreement is measured on, counted segment by segment."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.counts import shards_of_whole_segments
from ranking.core.agreement.statistics import Ties
from ranking.core.agreement.units import (
    Cells,
    Units,
    cells_of_comparisons,
    cells_of_labels,
    inter_units,
    intra_units,
    pooled_units,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import (
    CollapsedComparisons,
    Outcome,
    Pairing,
    collapsed_comparisons,
    collapsed_labels,
)

Int64Array = npt.NDArray[np.int64]
Columns = TypeVar("Columns", Units, Ties)


@dataclass(frozen=True, eq=False)
class Compared:
    """Pairs of judgments to measure agreement on.

    Attributes
    ----------
    units : Units
        Items with at least two judgments.
    ties : Ties
        Judgments whose ties determine the agreement expected by chance.
    """

    units: Units
    ties: Ties


@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """Pairs of judgments between judges, and of judges with themselves."""

    inter: Compared
    intra: Compared


def compared_pairs(blocks: Blocks, pairing: Pairing) -> ComparedPairs:
    """Count the pairs of comparisons of the same item, a shard of segments at a time.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems by J judges.
    pairing : Pairing
        See `ranking.core.agreement.measures.measure_agreement`.

    Returns
    -------
    ComparedPairs
        Memory grows with the segments, not with the comparisons.
    """
    judges = len(blocks.judges)
    shards = [
        _of_shard(collapsed_comparisons(shard, pairing), judges, pairing)
        for shard in shards_of_whole_segments(blocks)
    ]
    return _joined_pairs(shards)


def compared_labels(blocks: Blocks) -> ComparedPairs:
    """Count the labels of each candidate of a segment, a shard of segments at a time.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems by J judges.

    Returns
    -------
    ComparedPairs
        `inter` is of different judges, `intra` of judges with themselves. There are no ties.
    """
    shards = []
    for shard in shards_of_whole_segments(blocks):
        cells = cells_of_labels(collapsed_labels(shard), len(blocks.judges))
        inter, intra = inter_units(cells), intra_units(cells)
        shards.append(
            ComparedPairs(
                inter=Compared(units=inter, ties=_no_ties()),
                intra=Compared(units=intra, ties=_no_ties()),
            )
        )
    return _joined_pairs(shards)


def _no_ties() -> Ties:
    none = np.empty(0, dtype=np.int64)
    return Ties(segment=none, ties=none, labels=none)


def _of_shard(comparisons: CollapsedComparisons, judges: int, pairing: Pairing) -> ComparedPairs:
    cells = cells_of_comparisons(comparisons, judges)
    segment = comparisons.item_segment[comparisons.item]
    tied = comparisons.outcome == Outcome.TIE
    everything = _ties(segment, tied)
    themselves = intra_units(cells)
    if pairing is Pairing.UNORDERED:
        return ComparedPairs(
            inter=Compared(units=inter_units(cells), ties=everything),
            intra=Compared(units=themselves, ties=everything),
        )
    repeated = _repeats_by_judge(cells, comparisons, judges)
    return ComparedPairs(
        inter=Compared(units=pooled_units(cells), ties=everything),
        intra=Compared(units=themselves, ties=_ties(segment[repeated], tied[repeated])),
    )


def _repeats_by_judge(
    cells: Cells, comparisons: CollapsedComparisons, judges: int
) -> npt.NDArray[np.bool_]:
    """Return for each comparison whether its judge repeated a comparison of that segment."""
    again = cells.counts.sum(axis=1) > 1
    theirs = comparisons.item_segment[comparisons.item] * judges + comparisons.judge
    return np.isin(theirs, cells.item_segment[cells.item[again]] * judges + cells.judge[again])


def _ties(segment: Int64Array, tied: npt.NDArray[np.bool_]) -> Ties:
    numbers, which = np.unique(segment, return_inverse=True)
    return Ties(
        segment=numbers,
        ties=np.bincount(which[tied], minlength=len(numbers)),
        labels=np.bincount(which, minlength=len(numbers)),
    )


def _joined_pairs(parts: list[ComparedPairs]) -> ComparedPairs:
    return ComparedPairs(
        inter=_joined_compared([part.inter for part in parts]),
        intra=_joined_compared([part.intra for part in parts]),
    )


def _joined_compared(parts: list[Compared]) -> Compared:
    return Compared(
        units=_joined([part.units for part in parts]),
        ties=_joined([part.ties for part in parts]),
    )


def _joined(parts: list[Columns]) -> Columns:
    kind = type(parts[0])
    columns = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(kind)
    }
    return kind(**columns)

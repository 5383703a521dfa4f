"""Cohen's κ over all pairs of judges, without each segment and without each judge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement.cohen import PairsOfJudges, SegmentTables, pairs_of_judges
from ranking.core.agreement.kappa_intervals import Spread
from ranking.core.agreement.left_out import LeftOutSums, leave_one_out_spread, sums_by_place
from ranking.core.agreement.shared_items import PairMoments
from ranking.core.agreement.spread import squared_changes_of_pairs
from ranking.core.agreement.statistics import cohen_of_tables, share
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Outcome, Pairing

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_CATEGORIES = len(Outcome)


@dataclass(frozen=True, eq=False)
class _Tables:
    """T tables of outcomes, each of a pair of judges on a segment.

    Attributes
    ----------
    pair : int64, shape (T,)
        Index of the pair in `PairsOfJudges`.
    segment : int64, shape (T,)
    outcomes : int64, shape (T, 3, 3)
    """

    pair: Int64Array
    segment: Int64Array
    outcomes: Int64Array


@dataclass(frozen=True, eq=False)
class _Changes:
    """Changes of sums when the judgments of a pair of judges on a segment are left out.

    Attributes
    ----------
    pair, segment : int64, shape (T,)
    sums : float64, shape (3, T)
    counted : int64, shape (2, T)
        Comparable and agreeing pairs of the two judges on that segment.
    """

    pair: Int64Array
    segment: Int64Array
    sums: FloatArray
    counted: Int64Array


def cohen_spreads(blocks: Blocks, *, pairing: Pairing, symmetric: bool) -> tuple[Spread, Spread]:
    """Return how Cohen's κ changes without each segment and without each judge.

    κ is averaged as in `ranking.core.agreement.cohen.cohen_shares`. Every pair of judges has its
    own P(E), from its own table. Leaving out a judge removes the judge's pairs; leaving out a
    segment changes all tables that it is part of.

    Parameters
    ----------
    blocks : Blocks
    pairing : Pairing
    symmetric : bool

    Returns
    -------
    inter, intra : Spread
    """
    pairs = pairs_of_judges(blocks)
    by_segment = SegmentTables(blocks, pairs, pairing, keep=True)
    count = len(pairs.first)
    totals = np.zeros((_CATEGORIES**2 * count,), dtype=np.int64)
    for _, found in by_segment:
        totals += found.sum(axis=1)
    whole = totals.reshape(_CATEGORIES, _CATEGORIES, count).transpose(2, 0, 1)
    # The table of one judge with themselves holds each pair in both orders.
    ways = 1 + (np.arange(count) < pairs.own)
    parts = [_changes(_tables(shard, count), whole, ways, symmetric) for shard in by_segment]
    changes = _Changes(
        pair=np.concatenate([part.pair for part in parts]),
        segment=np.concatenate([part.segment for part in parts]),
        sums=np.concatenate([part.sums for part in parts], axis=1),
        counted=np.concatenate([part.counted for part in parts], axis=1),
    )
    place = np.arange(count)
    inter = place >= (pairs.own if pairing is Pairing.UNORDERED else 0)
    contributions = _contributions(whole, ways, symmetric=symmetric)
    counted = _counted(whole)
    return (
        _spread(pairs, contributions, counted, changes, inter),
        _spread(pairs, contributions, counted, changes, place < pairs.own),
    )


def _tables(found: tuple[Int64Array, sparse.csc_array[np.int64]], pairs: int) -> _Tables:
    """Return the tables of a shard's segments, given as columns of shape (9 G, S)."""
    segments, counted = found
    cells = counted.tocoo()
    row, column = (index.astype(np.int64) for index in cells.coords)
    outcome, pair = np.divmod(row, max(pairs, 1))
    codes, place = np.unique(column * max(pairs, 1) + pair, return_inverse=True)
    outcomes = np.zeros((len(codes), _CATEGORIES**2), dtype=np.int64)
    outcomes[place, outcome] = cells.data
    segment, pair = np.divmod(codes, max(pairs, 1))
    return _Tables(pair, segments[segment], outcomes.reshape(-1, _CATEGORIES, _CATEGORIES))


def _changes(tables: _Tables, whole: Int64Array, ways: Int64Array, symmetric: bool) -> _Changes:
    before, own_ways = whole[tables.pair], ways[tables.pair]
    left = _contributions(before - tables.outcomes, own_ways, symmetric=symmetric)
    return _Changes(
        pair=tables.pair,
        segment=tables.segment,
        sums=left - _contributions(before, own_ways, symmetric=symmetric),
        counted=_counted(tables.outcomes),
    )


def _contributions(tables: Int64Array, ways: Int64Array, *, symmetric: bool) -> FloatArray:
    """Return weight · P(A), weight · P(E) and weight of each table, shape (3, T)."""
    compared, p_agree, p_chance = cohen_of_tables(tables, symmetric=symmetric)
    weight = compared / ways
    return np.nan_to_num(np.stack([p_agree * weight, p_chance * weight, weight]))


def _counted(tables: Int64Array) -> Int64Array:
    return np.stack([tables.sum(axis=(1, 2)), np.trace(tables, axis1=1, axis2=2)])


def _spread(
    pairs: PairsOfJudges,
    contributions: FloatArray,
    counted: Int64Array,
    changes: _Changes,
    kept: npt.NDArray[np.bool_],
) -> Spread:
    """Return how κ over the kept pairs of judges changes without each segment and each judge."""
    judges = len(pairs.row)
    here = kept[changes.pair]
    pair, sums = changes.pair[here], changes.sums[:, here]
    segments, segment = np.unique(changes.segment[here], return_inverse=True)
    both = pairs.first != pairs.second
    # A pair of two judges is left out with either of them; a judge's pair with themselves only
    # once.
    cell = np.concatenate(
        [
            segment * judges + pairs.first[pair],
            (segment * judges + pairs.second[pair])[both[pair]],
        ]
    )
    cells, place = np.unique(cell, return_inverse=True)
    of_cells = np.concatenate([sums, sums[:, both[pair]]], axis=1)
    first, second = pairs.first[kept], pairs.second[kept & both]
    of_judges = sums_by_place(contributions[:, kept], first, judges)
    of_judges += sums_by_place(contributions[:, kept & both], second, judges)
    compared = np.bincount(first, counted[0, kept], judges)
    compared += np.bincount(second, counted[0, kept & both], judges)
    found = LeftOutSums(
        whole=contributions[:, kept].sum(axis=1),
        segments=sums_by_place(sums, segment, len(segments)),
        judges=-of_judges[:, compared > 0],
        cells=sums_by_place(of_cells, place, len(cells)),
        pairs=compared.astype(np.int64),
    )
    # Pairs compared by two judges, in total and on a segment.
    in_all, on_segment = counted[:, kept & both], changes.counted[:, (kept & both)[changes.pair]]
    moments = PairMoments(both=in_all @ in_all.T, in_segments=on_segment @ on_segment.T)
    # Pairs of one judge with themselves are held in both orders.
    comparable, agreeing = (counted[:, kept] / (2 - both[kept])).sum(axis=1)
    pairs_of = partial(squared_changes_of_pairs, moments, int(comparable), int(agreeing))
    return leave_one_out_spread(found, _evaluate, pairs_of)


def _evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    return share(sums[0], sums[2]), share(sums[1], sums[2])

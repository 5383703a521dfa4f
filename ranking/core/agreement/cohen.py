"""Cohen's κ over all pairs of judges, in bootstrap resamples of segments, and with segments or
judges left out.

Each pair of judges has a table of outcomes for each segment that both judged. Resamples are processed `_CELLS_AT_A_TIME`
cells at a time, because their tables grow with judges² × resamples.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ranking.core.agreement.intervals import VarianceParts
from ranking.core.agreement.left_out import LeftOutSums, leave_one_out
from ranking.core.agreement.statistics import (
    Shares,
    cohen_of_cells,
    cohen_of_tables,
    sums_by_place,
)
from ranking.core.agreement.units import PairCounts, shards_of_whole_segments
from ranking.core.arrays import BoolArray, FloatArray, Int64Array, share
from ranking.core.counting.counts import chunks
from ranking.core.counting.resampling import bootstrap_sums
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import (
    CollapsedComparisons,
    Outcome,
    Pairing,
    collapsed_comparisons,
)
from ranking.core.words import member_of

_Counted = tuple[Int64Array, sparse.csc_array[np.int64]]

_CATEGORIES = len(Outcome)
_TABLE = _CATEGORIES * _CATEGORIES
#: Maximum number of resampled cells, of 8 bytes each, held at a time.
_CELLS_AT_A_TIME = 1 << 22


@dataclass(frozen=True, eq=False)
class PairsOfJudges:
    """The G pairs of judges of one test set who may both have judged an item.

    Attributes
    ----------
    first, second : int64, shape (G,)
        Indices of the judges. The first pairs are each judge with themselves; in the others,
        first < second.
    row : int64, shape (J, J)
        ``row[first, second]`` is the index of the pair; -1 if there is none.
    """

    first: Int64Array
    second: Int64Array
    row: Int64Array

    @property
    def ways(self) -> Int64Array:
        """Times that each pair's table holds a pair of ratings: 2 for a judge with themselves."""
        ways: Int64Array = 1 + (self.first == self.second)
        return ways

    def sides(self, pairing: Pairing) -> tuple[BoolArray, BoolArray]:
        """Return the pairs for agreement between judges, and of judges with themselves."""
        intra = self.first == self.second
        return (~intra if pairing is Pairing.UNORDERED else np.ones_like(intra)), intra


def pairs_of_judges(blocks: Blocks) -> PairsOfJudges:
    """List the pairs of judges with a common segment, including each judge paired with
    themselves.
    """
    judges = len(blocks.judges)
    segments, segment = np.unique(blocks.segment, return_inverse=True)
    met = np.unique(segment * max(judges, 1) + blocks.judge)
    where = np.divmod(met, max(judges, 1))
    judged = sparse.coo_array(
        (np.ones(len(met), dtype=np.int64), where), shape=(len(segments), judges)
    ).tocsr()
    together = (judged.T @ judged).toarray()
    own = np.flatnonzero(np.diagonal(together))
    one, other = np.nonzero(np.triu(together, k=1))
    first = np.concatenate([own, one])
    second = np.concatenate([own, other])
    row = np.full((judges, judges), -1, dtype=np.int64)
    row[first, second] = np.arange(len(first))
    return PairsOfJudges(first=first, second=second, row=row)


def segment_tables(blocks: Blocks, pairs: PairsOfJudges, pairing: Pairing) -> _Counted:
    """Return the segments, and the tables of each pair of judges on each segment, shape (9 G,
    S).
    """
    pairing = member_of(Pairing, "pairing", pairing)
    parts = []
    for shard in shards_of_whole_segments(blocks):
        parts.append(_tables_by_segment(collapsed_comparisons(shard, pairing), pairs))
    tables: Any = sparse.hstack([tables for _segments, tables in parts], format="csc")
    return np.concatenate([segments for segments, _tables in parts]), tables


def _tables_by_segment(
    comparisons: CollapsedComparisons, pairs: PairsOfJudges
) -> _Counted:
    """Return the S segments, and the tables of each segment, shape (9 G, S)."""
    judges = max(len(pairs.row), 1)
    segments, segment_of_item = np.unique(comparisons.item_segment, return_inverse=True)
    raters, rater = np.unique(
        segment_of_item[comparisons.item] * judges + comparisons.judge,
        return_inverse=True,
    )
    one = np.ones(len(rater), dtype=np.int64)
    rated = sparse.coo_array(
        (one, (comparisons.item, rater * _CATEGORIES + comparisons.outcome)),
        shape=(comparisons.items, len(raters) * _CATEGORIES),
    ).tocsr()
    # All pairs of ratings of an item, except each rating with itself. An item has only one
    # segment.
    alone = sparse.diags_array(rated.sum(axis=0), dtype=np.int64)
    counts = (rated.T @ rated - alone).tocoo()
    (one_rater, category), (other_rater, other_category) = (
        np.divmod(index.astype(np.int64), _CATEGORIES) for index in counts.coords
    )
    segment, first = np.divmod(raters[one_rater], judges)
    second = raters[other_rater] % judges
    once = first <= second
    table = category[once] * _CATEGORIES + other_category[once]
    cell = table * len(pairs.first) + pairs.row[first[once], second[once]]
    shape = (len(pairs.first) * _TABLE, len(segments))
    return segments, sparse.coo_array(
        (counts.data[once], (cell, segment[once])), shape
    ).tocsc()


def cohen_shares(
    blocks: Blocks, *, pairing: Pairing, symmetric: bool, resamples: int, seed: int
) -> tuple[Shares, Shares]:
    """Return Cohen's P(A) and P(E), averaged over pairs of judges with the numbers of compared
    pairs as weights.

    Parameters
    ----------
    blocks : Blocks
    pairing, symmetric, resamples, seed
        As for `ranking.core.agreement.measures.measure_agreement`.

    Returns
    -------
    inter, intra : Shares
        For `Pairing.PRESENTED`, `inter` includes each judge with themselves.
    """
    pairing = member_of(Pairing, "pairing", pairing)
    pairs = pairs_of_judges(blocks)
    segments, tables = segment_tables(blocks, pairs, pairing)
    count = len(pairs.first)
    counted: list[Int64Array] = [np.asarray(tables.sum(axis=1)).reshape(-1, 1)]
    counted += [
        bootstrap_sums(
            tables,
            segments.astype(np.uint64),
            resamples=ids.stop - ids.start,
            seed=seed,
            first_resample=ids.start,
        )
        for ids in chunks(resamples, max(1, _CELLS_AT_A_TIME // max(1, count * _TABLE)))
    ]
    of_inter, of_intra = (
        [
            _weighted_mean(
                each.reshape(_CATEGORIES, _CATEGORIES, count, each.shape[1])[
                    :, :, kept
                ],
                pairs.ways[kept],
                symmetric=symmetric,
            )
            for each in counted
        ]
        for kept in pairs.sides(pairing)
    )
    return Shares(*np.concatenate(of_inter, axis=1)), Shares(
        *np.concatenate(of_intra, axis=1)
    )


def _weighted_mean(
    tables: Int64Array, ways: Int64Array, *, symmetric: bool
) -> FloatArray:
    """Return P(A) and P(E), averaged over pairs of judges, weighted by their compared pairs."""
    pairs, p_agree, p_chance = cohen_of_cells(tables, symmetric=symmetric)
    weight = pairs / ways[:, np.newaxis]
    weighted = []
    for each in (p_agree, p_chance):
        weighted.append(_sum(np.where(pairs > 0, each * weight, 0)))
    return share(np.stack(weighted), _sum(weight))


def _sum(values: FloatArray) -> FloatArray:
    """Return the sum over pairs, bit-identical for any number of resamples processed at a time."""
    total: FloatArray = np.ascontiguousarray(values.T).sum(axis=1)
    return total


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


def cohen_variances(
    blocks: Blocks, *, pairing: Pairing, symmetric: bool
) -> tuple[VarianceParts, VarianceParts]:
    """Return the changes of Cohen's κ when each segment and each judge is left out.

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
    inter, intra : VarianceParts
    """
    pairing = member_of(Pairing, "pairing", pairing)
    pairs = pairs_of_judges(blocks)
    tables = segment_tables(blocks, pairs, pairing)
    totals: Int64Array = np.asarray(tables[1].sum(axis=1))
    whole = totals.reshape(_CATEGORIES, _CATEGORIES, -1).transpose(2, 0, 1)
    changes = _changes(found=tables, whole=whole, ways=pairs.ways, symmetric=symmetric)
    contributions = _contributions(whole, pairs.ways, symmetric=symmetric)
    inter, intra = (
        _variance(
            pairs=pairs,
            contributions=contributions,
            counted=_counted(whole),
            changes=changes,
            kept=kept,
        )
        for kept in pairs.sides(pairing)
    )
    return inter, intra


def _changes(
    found: _Counted, whole: Int64Array, ways: Int64Array, symmetric: bool
) -> _Changes:
    """Return the changes when each segment's tables, columns of shape (9 G, S), are left out."""
    segments, counted = found
    cells = counted.tocoo()
    row, column = (index.astype(np.int64) for index in cells.coords)
    outcome, pair = np.divmod(row, max(len(ways), 1))
    codes, position = np.unique(column * max(len(ways), 1) + pair, return_inverse=True)
    outcomes = np.zeros((len(codes), _TABLE), dtype=np.int64)
    outcomes[position, outcome] = cells.data
    tables = outcomes.reshape(-1, _CATEGORIES, _CATEGORIES)
    segment, pair = np.divmod(codes, max(len(ways), 1))
    before = whole[pair]
    own_ways = ways[pair]
    left = _contributions(before - tables, own_ways, symmetric=symmetric)
    return _Changes(
        pair=pair,
        segment=segments[segment],
        sums=left - _contributions(before, own_ways, symmetric=symmetric),
        counted=_counted(tables),
    )


def _contributions(
    tables: Int64Array, ways: Int64Array, *, symmetric: bool
) -> FloatArray:
    """Return weight · P(A), weight · P(E) and weight of each table, shape (3, T)."""
    compared, p_agree, p_chance = cohen_of_tables(tables, symmetric=symmetric)
    weight = compared / ways
    return np.nan_to_num(np.stack([p_agree * weight, p_chance * weight, weight]))


def _counted(tables: Int64Array) -> Int64Array:
    return np.stack([tables.sum(axis=(1, 2)), np.trace(tables, axis1=1, axis2=2)])


def _variance(
    pairs: PairsOfJudges,
    contributions: FloatArray,
    counted: Int64Array,
    changes: _Changes,
    kept: BoolArray,
) -> VarianceParts:
    """Return the changes of κ over the kept pairs of judges when each segment and each judge is
    left out.
    """
    judges = len(pairs.row)
    here = kept[changes.pair]
    pair = changes.pair[here]
    sums = changes.sums[:, here]
    segments, segment = np.unique(changes.segment[here], return_inverse=True)
    both = pairs.first != pairs.second
    # A pair of two judges is left out with either of them; a judge's pair with themselves, only
    # once.
    cell = np.concatenate(
        [
            segment * judges + pairs.first[pair],
            (segment * judges + pairs.second[pair])[both[pair]],
        ]
    )
    cells, index = np.unique(cell, return_inverse=True)
    of_cells = np.concatenate([sums, sums[:, both[pair]]], axis=1)
    first = pairs.first[kept]
    second = pairs.second[kept & both]
    of_judges = sums_by_place(contributions[:, kept], first, judges)
    of_judges += sums_by_place(contributions[:, kept & both], second, judges)
    compared = np.bincount(first, counted[0, kept], judges)
    compared += np.bincount(second, counted[0, kept & both], judges)
    # Pairs of one judge with themselves are held in both orders.
    comparable, agreeing = (counted[:, kept] / (2 - both[kept])).sum(axis=1)
    found = LeftOutSums(
        whole=contributions[:, kept].sum(axis=1),
        numbers=segments,
        segments=-sums_by_place(sums, segment, len(segments)),
        judges=-of_judges[:, compared > 0],
        cells=sums_by_place(of_cells, index, len(cells)),
        pairs=compared.astype(np.int64),
        comparable=int(comparable),
        agreeing=int(agreeing),
        tied=np.empty(0),
        raters=np.empty((4, 0), dtype=np.int64),
    )
    # Pairs compared by two judges, in total and on a segment.
    in_all = counted[:, kept & both]
    on_segment = changes.counted[:, (kept & both)[changes.pair]]
    _p_agree, by_chance, weight = contributions[:, kept & both]
    counts = PairCounts(
        comparable=in_all[0],
        agreeing=in_all[1],
        chance=np.nan_to_num(share(by_chance, weight)),
        in_segments=on_segment @ on_segment.T,
    )
    return leave_one_out(found, _evaluate, counts)


def _evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    return share(sums[0], sums[2]), share(sums[1], sums[2])

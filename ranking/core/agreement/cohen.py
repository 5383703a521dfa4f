"""Cohen's κ over all pairs of judges, in bootstrap resamples of segments, and with segments or
judges left out.

Each pair of judges has a table of outcomes for each segment that both judged. Resamples are processed `_CELLS_AT_A_TIME`
cells at a time, because their tables grow with judges² × resamples.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ranking.core.agreement.intervals import VarianceParts
from ranking.core.agreement.left_out import LeftOutSums, leave_one_out
from ranking.core.agreement.statistics import (
    Shares,
    cohen_of_cells,
    cohen_of_tables,
)
from ranking.core.agreement.units import (
    Cells,
    PairCounts,
    comparison_cells,
    rater_tables,
    raters_of,
)
from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column, share
from ranking.core.counting.counts import chunks
from ranking.core.counting.resampling import bootstrap_sums
from ranking.core.grouping import column_sums_by_group, distinct_pairs, sums_by_group
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import (
    Outcome,
    Pairing,
)
from ranking.core.words import member_of

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
        if pairing is Pairing.UNORDERED:
            return ~intra, intra
        return np.ones_like(intra), intra


def pairs_of_judges(blocks: Blocks) -> PairsOfJudges:
    """List the pairs of judges with a common segment, including each judge paired with
    themselves.
    """
    judges = len(blocks.judges)
    segments, segment = np.unique(blocks.segment, return_inverse=True)
    raters = distinct_pairs(segment, blocks.judge)
    ones = np.ones(len(raters.first), dtype=np.int64)
    judged = sparse.coo_array(
        (ones, (raters.first, raters.second)),
        shape=(len(segments), judges),
    ).tocsr()
    common_segments = (judged.T @ judged).toarray()
    own = np.flatnonzero(np.diagonal(common_segments))
    one, other = np.nonzero(np.triu(common_segments, k=1))
    first = np.concatenate([own, one])
    second = np.concatenate([own, other])
    row = np.full((judges, judges), -1, dtype=np.int64)
    row[first, second] = np.arange(len(first))
    return PairsOfJudges(first=first, second=second, row=row)


class SegmentTables(NamedTuple):
    """Tables of outcomes of G pairs of judges on S segments.

    Attributes
    ----------
    segments : int64, shape (S,)
        Numbers of the segments.
    tables : int64, shape (9 G, S)
        A column for each segment.
    """

    segments: Int64Array
    tables: sparse.csc_array[np.int64]


def segment_tables(
    blocks: Blocks,
    pairs: PairsOfJudges,
    pairing: Pairing,
) -> SegmentTables:
    """Return the tables of each pair of judges on each segment."""
    pairing = member_of(Pairing, "pairing", pairing)
    segments = []
    tables = []
    for cells in comparison_cells(blocks, pairing):
        part = _tables_by_segment(cells, pairs)
        segments.append(part.segments)
        tables.append(part.tables)
    return SegmentTables(
        segments=np.concatenate(segments),
        tables=sparse.hstack(tables, format="csc"),
    )


def _tables_by_segment(cells: Cells, pairs: PairsOfJudges) -> SegmentTables:
    raters = raters_of(cells)
    segments, segment = np.unique(raters.segment, return_inverse=True)
    one, other, tables = rater_tables(cells, raters)
    # Raters are sorted by judge. Each pair of judges is counted once.
    once = one <= other
    one = one[once]
    other = other[once]
    tables = tables[once]
    # A comparison is not paired with itself.
    own = np.flatnonzero(one == other)
    comparisons_of_raters = sums_by_group(
        cells.counts,
        raters.of_cell,
        len(raters.judge),
    )
    category = np.arange(_CATEGORIES)
    tables[as_column(own), category, category] -= comparisons_of_raters[one[own]]

    pair = pairs.row[raters.judge[one], raters.judge[other]]
    table, category, other_category = np.nonzero(tables)
    entry = category * _CATEGORIES + other_category
    row = entry * len(pairs.first) + pair[table]
    column = segment[one[table]]
    counts = tables[table, category, other_category]
    by_segment = sparse.coo_array(
        (counts, (row, column)),
        shape=(len(pairs.first) * _TABLE, len(segments)),
    )
    return SegmentTables(segments=segments, tables=by_segment.tocsc())


def cohen_shares(
    blocks: Blocks,
    *,
    pairing: Pairing,
    symmetric: bool,
    resamples: int,
    seed: int,
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
    cells = len(pairs.first) * _TABLE
    totals: Int64Array = np.asarray(tables.sum(axis=1))
    counted: list[Int64Array] = [totals.reshape(-1, 1)]
    resamples_at_a_time = max(1, _CELLS_AT_A_TIME // max(1, cells))
    for ids in chunks(resamples, resamples_at_a_time):
        drawn = bootstrap_sums(
            tables,
            segments.astype(np.uint64),
            resamples=ids.stop - ids.start,
            seed=seed,
            first_resample=ids.start,
        )
        counted.append(drawn)
    inter, intra = pairs.sides(pairing)
    return (
        _shares_of_pairs(counted, pairs.ways, inter, symmetric=symmetric),
        _shares_of_pairs(counted, pairs.ways, intra, symmetric=symmetric),
    )


def _shares_of_pairs(
    counted: list[Int64Array],
    ways: Int64Array,
    pair_mask: BoolArray,
    *,
    symmetric: bool,
) -> Shares:
    """Return P(A) and P(E) of the kept pairs of judges, from parts of the resampled cells."""
    means = []
    for cells in counted:
        shape = (_CATEGORIES, _CATEGORIES, len(ways), cells.shape[1])
        tables = cells.reshape(shape)[:, :, pair_mask]
        means.append(_weighted_mean(tables, ways[pair_mask], symmetric=symmetric))
    p_agree, p_chance = np.concatenate(means, axis=1)
    return Shares(p_agree, p_chance)


def _weighted_mean(
    tables: Int64Array,
    ways: Int64Array,
    *,
    symmetric: bool,
) -> FloatArray:
    """Return P(A) and P(E), averaged over pairs of judges, weighted by their compared pairs."""
    pairs, p_agree, p_chance = cohen_of_cells(tables, symmetric=symmetric)
    weight = pairs / as_column(ways)
    has_pairs = pairs > 0
    agreeing = _sum_over_pairs(np.where(has_pairs, p_agree * weight, 0))
    by_chance = _sum_over_pairs(np.where(has_pairs, p_chance * weight, 0))
    return share(np.stack([agreeing, by_chance]), _sum_over_pairs(weight))


def _sum_over_pairs(values: FloatArray) -> FloatArray:
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
    blocks: Blocks,
    *,
    pairing: Pairing,
    symmetric: bool,
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
    by_segment = segment_tables(blocks, pairs, pairing)
    totals: Int64Array = np.asarray(by_segment.tables.sum(axis=1))
    whole = totals.reshape(_CATEGORIES, _CATEGORIES, -1).transpose(2, 0, 1)
    sums = _PairSums(
        pairs=pairs,
        contributions=_contributions(whole, pairs.ways, symmetric=symmetric),
        counted=_agreement_counts(whole),
        changes=_changes(by_segment, whole, pairs.ways, symmetric=symmetric),
    )
    inter, intra = pairs.sides(pairing)
    return sums.variance(inter), sums.variance(intra)


def _changes(
    by_segment: SegmentTables,
    whole: Int64Array,
    ways: Int64Array,
    *,
    symmetric: bool,
) -> _Changes:
    """Return the changes when each segment's tables are left out."""
    cells = by_segment.tables.tocoo()
    row, segment_of_cell = cells.coords
    entry, pair_of_cell = np.divmod(row.astype(np.int64), max(len(ways), 1))
    # A table of outcomes for each pair of judges on a segment.
    segment, pair, table = distinct_pairs(segment_of_cell, pair_of_cell)
    outcomes = np.zeros((len(pair), _TABLE), dtype=np.int64)
    outcomes[table, entry] = cells.data
    tables = outcomes.reshape(-1, _CATEGORIES, _CATEGORIES)
    before = whole[pair]
    own_ways = ways[pair]
    contributions = _contributions(before, own_ways, symmetric=symmetric)
    remaining = _contributions(before - tables, own_ways, symmetric=symmetric)
    return _Changes(
        pair=pair,
        segment=by_segment.segments[segment],
        sums=remaining - contributions,
        counted=_agreement_counts(tables),
    )


@dataclass(frozen=True, eq=False)
class _PairSums:
    """Sums of G pairs of judges.

    Attributes
    ----------
    pairs : PairsOfJudges
    contributions : float64, shape (3, G)
        See `_contributions`.
    counted : int64, shape (2, G)
        Comparable and agreeing pairs of ratings.
    changes : _Changes
    """

    pairs: PairsOfJudges
    contributions: FloatArray
    counted: Int64Array
    changes: _Changes

    def variance(self, pair_mask: BoolArray) -> VarianceParts:
        """Return the changes of κ over the kept pairs of judges when each segment and each judge is
        left out.
        """
        different = pair_mask & (self.pairs.first != self.pairs.second)
        # Pairs compared by two judges, in total and on a segment.
        total = self.counted[:, different]
        on_segment = self.changes.counted[:, different[self.changes.pair]]
        _p_agree, by_chance, weight = self.contributions[:, different]
        counts = PairCounts(
            comparable=total[0],
            agreeing=total[1],
            chance=np.nan_to_num(share(by_chance, weight)),
            in_segments=on_segment @ on_segment.T,
        )
        return leave_one_out(self._left_out(pair_mask), _evaluate, counts)

    def _left_out(self, pair_mask: BoolArray) -> LeftOutSums:
        pairs = self.pairs
        is_kept = pair_mask[self.changes.pair]
        pair = self.changes.pair[is_kept]
        changes = self.changes.sums[:, is_kept]
        segments, segment = np.unique(
            self.changes.segment[is_kept],
            return_inverse=True,
        )
        # A pair of two judges is left out with either of them; a judge's pair with themselves, only
        # once.
        different = pairs.first[pair] != pairs.second[pair]
        raters = distinct_pairs(
            np.concatenate([segment, segment[different]]),
            np.concatenate([pairs.first[pair], pairs.second[pair][different]]),
        )
        changes_of_raters = column_sums_by_group(
            np.concatenate([changes, changes[:, different]], axis=1),
            raters.inverse,
            len(raters.first),
        )
        contributions_of_judges = self._sums_by_judge(self.contributions, pair_mask)
        [compared] = self._sums_by_judge(self.counted[:1], pair_mask)
        # Pairs of one judge with themselves are held in both orders.
        counted_once = self.counted[:, pair_mask] / pairs.ways[pair_mask]
        comparable, agreeing = counted_once.sum(axis=1)
        return LeftOutSums(
            whole=self.contributions[:, pair_mask].sum(axis=1),
            numbers=segments,
            segments=-column_sums_by_group(changes, segment, len(segments)),
            judges=-contributions_of_judges[:, compared > 0],
            cells=changes_of_raters,
            pairs=compared.astype(np.int64),
            comparable=int(comparable),
            agreeing=int(agreeing),
            tied=np.empty(0),
            raters=np.empty((4, 0), dtype=np.int64),
        )

    def _sums_by_judge(
        self,
        values: FloatArray | Int64Array,
        pair_mask: BoolArray,
    ) -> FloatArray:
        """Sum values of the kept pairs by judge, from shape (m, G) to (m, J).

        The pair of a judge with themselves counts once.
        """
        pairs = self.pairs
        judges = len(pairs.row)
        different = pair_mask & (pairs.first != pairs.second)
        first = pairs.first[pair_mask]
        second = pairs.second[different]
        sums = column_sums_by_group(values[:, pair_mask], first, judges)
        sums += column_sums_by_group(values[:, different], second, judges)
        return sums


def _contributions(
    tables: Int64Array,
    ways: Int64Array,
    *,
    symmetric: bool,
) -> FloatArray:
    """Return weight · P(A), weight · P(E) and weight of each table, shape (3, T)."""
    compared, p_agree, p_chance = cohen_of_tables(tables, symmetric=symmetric)
    weight = compared / ways
    sums = np.stack([p_agree * weight, p_chance * weight, weight])
    return np.nan_to_num(sums)


def _agreement_counts(tables: Int64Array) -> Int64Array:
    comparable = tables.sum(axis=(1, 2))
    agreeing = np.trace(tables, axis1=1, axis2=2)
    return np.stack([comparable, agreeing])


def _evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    agreeing, by_chance, weight = sums
    return share(agreeing, weight), share(by_chance, weight)

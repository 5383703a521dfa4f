"""Sums from which agreement is computed, and their changes when a segment or a judge is left
out.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ranking.core.agreement.intervals import VarianceParts, jackknife
from ranking.core.agreement.statistics import (
    TIE_ROWS,
    Evaluate,
    OfUnits,
    TieSums,
    kappa_of,
    squared_changes_of_pairs,
)
from ranking.core.agreement.units import (
    Cells,
    LeftOut,
    PairCounts,
    Raters,
    SharedItemCounts,
    comparison_cells,
    count_shared_items,
    inter_left_out,
    intra_left_out,
    label_cells,
    no_shared_items,
    pooled_left_out,
    raters_of,
)
from ranking.core.arrays import FloatArray, Int64Array, as_column, share
from ranking.core.counting.counts import effective_number
from ranking.core.grouping import column_sums_by_group
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import (
    Outcome,
    Pairing,
)
from ranking.core.words import member_of

#: Smaller sums are rounding errors of zero: even the smallest weight of a pair is much larger.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class LeftOutSums:
    """m sums over all judgments, and their changes when some judgments are left out.

    The last rows are those of `TieSums`; squares are not sums over segments.

    Attributes
    ----------
    whole : float64, shape (m,)
    numbers : int64, shape (S,)
        Numbers of the segments.
    segments : float64, shape (m, S)
        Decrease without each segment.
    judges : float64, shape (m, J)
        Change without each judge.
    cells : float64, shape (m, R)
        Change without a judge's ratings of one segment, for each judge of each segment.
    pairs : int64, shape (J,)
        Compared pairs of each judge with others.
    comparable, agreeing : int
        Compared pairs of ratings, and those in the same category.
    tied : float64, shape (J,)
        Share of ties of each judge; NaN without comparisons.
    raters : int64, shape (4, R)
        Index of the segment, judge, ties and comparisons of each judge of each segment.
    """

    whole: FloatArray
    numbers: Int64Array
    segments: FloatArray
    judges: FloatArray
    cells: FloatArray
    pairs: Int64Array
    comparable: int
    agreeing: int
    tied: FloatArray
    raters: Int64Array

    def ties_of_judges(self) -> sparse.csc_array[np.int64]:
        """Return each judge's ties, then each judge's comparisons, by segment, shape (2 J, S)."""
        segment, judge, ties, comparisons = self.raters
        judges = len(self.tied)
        row = np.concatenate([judge, judges + judge])
        column = np.tile(segment, 2)
        values = np.concatenate([ties, comparisons])
        shape = (2 * judges, len(self.numbers))
        return sparse.coo_array((values, (row, column)), shape=shape).tocsc()

    @property
    def ties(self) -> TieSums:
        """Ties and comparisons from which P(E) is estimated."""
        return TieSums(*self.whole[-TIE_ROWS:])


@dataclass(frozen=True, eq=False)
class _Part:
    """Sums of a shard over its S segments and its R (segment, judge) pairs."""

    segment: Int64Array
    of_segment: FloatArray
    rater: Int64Array
    of_rater: FloatArray
    pairs: Int64Array
    by_category: Int64Array


def left_out_of_comparisons(
    blocks: Blocks,
    pairing: Pairing,
    of_units: OfUnits,
    chance_from: Blocks | None = None,
) -> tuple[LeftOutSums, LeftOutSums, SharedItemCounts]:
    """Return the changes of the sums for agreement on comparisons when each segment and judge is
    left out.

    Parameters
    ----------
    blocks : Blocks
    pairing : Pairing
    of_units : callable
        Computes the sums, see `Additive`.
    chance_from : Blocks or None
        Blocks in which to count ties, if not `blocks`. Judges are left out of both.

    Returns
    -------
    tuple of LeftOutSums, LeftOutSums and SharedItemCounts
        Sums between judges and of judges with themselves, and the items that judges share.
    """
    pairing = member_of(Pairing, "pairing", pairing)
    all_names = set(blocks.judges)
    if chance_from is not None:
        all_names.update(chance_from.judges)
    names = tuple(sorted(all_names))
    judges = len(names)
    inter = []
    intra = []
    ties = []
    shared = no_shared_items(judges)
    leave_out = pooled_left_out
    if pairing is Pairing.UNORDERED:
        leave_out = inter_left_out
    for cells in comparison_cells(_renumber_judges(blocks, names), pairing):
        shard = _Shard(cells, raters_of(cells), judges)
        inter.append(shard.part(leave_out(cells), of_units))
        intra.append(shard.part(intra_left_out(cells), of_units))
        ties.append(shard.ties())
        shared += count_shared_items(cells, shard.raters, judges)
    if chance_from is not None:
        ties = []
        for cells in comparison_cells(_renumber_judges(chance_from, names), pairing):
            shard = _Shard(cells, raters_of(cells), judges)
            ties.append(shard.ties())
    all_ties = np.concatenate(ties, axis=1)
    repeated = all_ties
    if pairing is not Pairing.UNORDERED:
        repeated = all_ties[:, all_ties[3] > 0]
    return (
        _sums_of_shards(inter, judges, all_ties[:3]),
        _sums_of_shards(intra, judges, repeated[:3]),
        shared,
    )


def left_out_of_labels(
    blocks: Blocks,
    of_units: OfUnits,
) -> tuple[LeftOutSums, LeftOutSums]:
    """Return the changes of the sums for agreement on labels when each segment and judge is left
    out.
    """
    judges = len(blocks.judges)
    inter = []
    intra = []
    for cells in label_cells(blocks):
        shard = _Shard(cells, raters_of(cells), judges)
        inter.append(shard.part(inter_left_out(cells), of_units))
        intra.append(shard.part(intra_left_out(cells), of_units))
    no_ties = np.empty((3, 0), dtype=np.int64)
    return _sums_of_shards(inter, judges, no_ties), _sums_of_shards(
        intra,
        judges,
        no_ties,
    )


def leave_one_out(
    sums: LeftOutSums,
    evaluate: Evaluate,
    counts: PairCounts | None = None,
) -> VarianceParts:
    """Return the parts of the variance of κ, from κ without each segment, each judge, and each
    judge's ratings of a segment.

    V_judges is a delete-one jackknife, and so is V_segments; `ranking.core.agreement.tallies` has
    its linearised form.

    Parameters
    ----------
    sums : LeftOutSums
    evaluate : callable
        Turns sums, shape (m, R), into P(A) and P(E).
    counts : PairCounts or None
        None if no pair consists of two judges, or if pairs can agree in part.
    """
    whole = as_column(sums.whole)

    def kappas(changes: FloatArray) -> FloatArray:
        remaining = whole + changes
        remaining[np.abs(remaining) < _NOTHING] = 0
        return kappa_of(*evaluate(remaining))

    p_agree, p_chance = evaluate(whole)
    kappa = float(kappa_of(p_agree, p_chance)[0])
    changes = kappas(sums.cells) - kappa
    pairs = 0.0
    pairs_in_segments = 0.0
    if counts is not None:
        pairs, pairs_in_segments = squared_changes_of_pairs(counts, float(p_chance[0]))
    return VarianceParts(
        kappa=kappa,
        of_segments=jackknife(kappa, kappas(-sums.segments)),
        segments=sums.segments.shape[1],
        of_judges=jackknife(kappa, kappas(sums.judges)),
        overlap=float(np.nansum(changes**2)),
        judges=effective_number(sums.pairs),
        pairs=pairs,
        pairs_in_segments=pairs_in_segments,
    )


def _renumber_judges(blocks: Blocks, names: tuple[str, ...]) -> Blocks:
    """Return the blocks with judges numbered by their index in `names`."""
    if not blocks.judges:
        return blocks
    index_by_name = {}
    for index, name in enumerate(names):
        index_by_name[name] = index
    indices = [index_by_name[name] for name in blocks.judges]
    new = np.array(indices, dtype=np.int32)
    return replace(blocks, judge=new[blocks.judge], judges=names)


@dataclass(frozen=True, eq=False)
class _Shard:
    """Ratings of some segments by J judges."""

    cells: Cells
    raters: Raters
    judges: int

    @property
    def rater(self) -> Int64Array:
        """Number of each (segment, judge) pair, shape (R,)."""
        return self.raters.segment * self.judges + self.raters.judge

    def part(self, left_out: LeftOut, of_units: OfUnits) -> _Part:
        """Sum up the units of the shard."""
        cells = self.cells
        raters = self.raters
        once = left_out.once
        values = of_units(left_out.values, left_out.pairs)
        others = of_units(left_out.values_without, left_out.pairs_without)
        numbers, index = np.unique(cells.segment, return_inverse=True)
        pairs_of_cell = left_out.pairs - left_out.pairs_without
        compared_by_cell = pairs_of_cell.sum(axis=(1, 2))
        pairs = np.bincount(cells.judge, compared_by_cell, self.judges)
        return _Part(
            segment=numbers.astype(np.int64),
            of_segment=column_sums_by_group(values[:, once], index[once], len(numbers)),
            rater=self.rater,
            of_rater=column_sums_by_group(
                others - values,
                raters.of_cell,
                len(raters.judge),
            ),
            pairs=pairs.astype(np.int64),
            by_category=left_out.pairs[once].sum(axis=0),
        )

    def ties(self) -> Int64Array:
        """Return each rater's number, ties, comparisons, and items compared more than once."""
        counts = self.cells.counts
        tied = counts[:, Outcome.TIE]
        compared = counts.sum(axis=1)
        columns = np.stack([tied, compared, compared > 1])
        raters = self.raters
        sums = column_sums_by_group(columns, raters.of_cell, len(raters.judge))
        return np.vstack([self.rater, sums.astype(np.int64)])


def _sums_of_shards(parts: list[_Part], judges: int, ties: Int64Array) -> LeftOutSums:
    """Return the sums of all shards, with those of `TieSums` in the last rows.

    Parameters
    ----------
    parts : list of _Part
    judges : int
    ties : int64, shape (3, T)
        Number, ties and comparisons of T (segment, judge) pairs.
    """
    divisor = max(judges, 1)
    part_segments = np.concatenate([part.segment for part in parts])
    part_raters = np.concatenate([part.rater for part in parts])
    tie_raters = ties[0]
    own_ties = ties[1:]
    tie_segment: Int64Array = tie_raters // divisor
    tie_judge: Int64Array = tie_raters % divisor
    segments = np.union1d(part_segments, tie_segment)
    raters = np.union1d(part_raters, tie_raters)
    rater_judge = raters % divisor

    ties_of_judges, comparisons = column_sums_by_group(own_ties, tie_judge, judges)
    tie_sums = TieSums.of(ties_of_judges, comparisons)
    decrease = _decrease(own_ties, ties_of_judges[tie_judge], comparisons[tie_judge])
    tie_column = np.searchsorted(segments, tie_segment)

    segment_sums = np.concatenate([part.of_segment for part in parts], axis=1)
    rater_sums = np.concatenate([part.of_rater for part in parts], axis=1)
    count = len(segment_sums)
    by_segment = np.vstack(
        [
            _align_columns(segment_sums, part_segments, segments),
            column_sums_by_group(decrease, tie_column, len(segments)),
        ],
    )
    by_rater = np.vstack(
        [
            _align_columns(rater_sums, part_raters, raters),
            _align_columns(-decrease, tie_raters, raters),
        ],
    )
    by_judge = column_sums_by_group(by_rater, rater_judge, judges)
    # Squares are not sums over segments.
    whole_ties = np.stack(tie_sums)
    without_judge = np.stack(tie_sums.without_each(ties_of_judges, comparisons))
    by_judge[count:] = without_judge - as_column(whole_ties)
    has_ratings = np.bincount(rater_judge, minlength=judges) > 0
    by_category = np.sum([part.by_category for part in parts], axis=0)
    return LeftOutSums(
        whole=np.concatenate([by_segment[:count].sum(axis=1), whole_ties]),
        numbers=segments,
        segments=by_segment,
        judges=by_judge[:, has_ratings],
        cells=by_rater,
        pairs=np.sum([part.pairs for part in parts], axis=0),
        # Pairs are held in both orders.
        comparable=int(by_category.sum()) // 2,
        agreeing=int(np.trace(by_category)) // 2,
        tied=share(ties_of_judges, comparisons),
        raters=np.stack([tie_column, tie_judge, *own_ties]),
    )


def _align_columns(
    columns: FloatArray,
    numbers: Int64Array,
    all_numbers: Int64Array,
) -> FloatArray:
    """Return the columns of some numbers among those of all numbers, which ascend; 0 elsewhere."""
    aligned = np.zeros((len(columns), len(all_numbers)))
    aligned[:, np.searchsorted(all_numbers, numbers)] = columns
    return aligned


def _decrease(own: Int64Array, ties: FloatArray, comparisons: FloatArray) -> FloatArray:
    """Return the decrease of `TieSums` without a judge's comparisons of a segment, shape (5, R).

    Parameters
    ----------
    own : int64, shape (2, R)
        The judge's ties and comparisons on the segment.
    ties, comparisons : float64, shape (R,)
        All of this judge.
    """
    own_ties, own_comparisons = own
    ties_left = ties - own_ties
    comparisons_left = comparisons - own_comparisons
    rows = (
        own_ties,
        own_comparisons,
        ties**2 - ties_left**2,
        ties * comparisons - ties_left * comparisons_left,
        comparisons**2 - comparisons_left**2,
    )
    return np.stack(rows)

"""Cohen's κ over all pairs of judges, in bootstrap resamples of segments, a few segments at a time.

Each pair of judges has a table of outcomes on each segment both judged: many times more numbers
than judgments. They are made for a shard of segments at a time and added to the resampled tables
at once, so that memory grows with (judges² × resamples) at most, and never beyond
`_CELLS_AT_A_TIME`: where the resamples do not fit together, the judgments are read again for the
next of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement_counts import shards_of_whole_segments
from ranking.core.agreement_statistics import Shares, cohen_of_tables, share
from ranking.core.blocks import Blocks
from ranking.core.collapsed import CollapsedComparisons, Outcome, Pairing, collapsed_comparisons
from ranking.core.resampling import MAX_WEIGHT, poisson_weights

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_CATEGORIES = len(Outcome)
_TABLE = _CATEGORIES * _CATEGORIES
#: Resampled cells held at a time, of 8 bytes.
_CELLS_AT_A_TIME = 1 << 24
#: Resamples multiplied at a time: what that takes is small beside the cells.
_RESAMPLES_AT_A_TIME = 128
#: A dense product does about eight cells in the time a sparse one does one.
_WORTH_FILLING = 8
#: Whole numbers are exact in floating point up to here.
_EXACT = 1 << 53


@dataclass(frozen=True, eq=False)
class PairsOfJudges:
    """The G pairs of judges of one test set who may have judged an item both.

    Attributes
    ----------
    first, second : int64, shape (G,)
        Indices of the judges, first ≤ second, in order. Of one judge with himself, too.
    row : int64, shape (J, J)
        ``row[first, second]`` is the place of the pair; -1 where there is none.
    """

    first: Int64Array
    second: Int64Array
    row: Int64Array


def pairs_of_judges(blocks: Blocks) -> PairsOfJudges:
    """List the pairs of judges who judged a segment both, and each judge with himself."""
    judges = len(blocks.judges)
    segments, segment = np.unique(blocks.segment, return_inverse=True)
    met = np.unique(segment * max(judges, 1) + blocks.judge)
    where = np.divmod(met, max(judges, 1))
    judged = sparse.coo_array(
        (np.ones(len(met), dtype=np.int64), where), shape=(len(segments), judges)
    ).tocsr()
    together = np.triu((judged.T @ judged).toarray())
    first, second = np.nonzero(together)
    row = np.full((judges, judges), -1, dtype=np.int64)
    row[first, second] = np.arange(len(first))
    return PairsOfJudges(first=first, second=second, row=row)


def resampled_tables(
    blocks: Blocks,
    pairs: PairsOfJudges,
    *,
    pairing: Pairing,
    resamples: int,
    seed: int,
    first_resample: int = 0,
) -> Int64Array:
    """Count the outcomes of each pair of judges on the items both judged, in resamples of segments.

    Parameters
    ----------
    blocks : Blocks
        B blocks of J judges.
    pairs : PairsOfJudges
        Of these blocks, or of the whole they are a shard of.
    pairing : Pairing
    resamples, seed, first_resample : int
        As for `ranking.core.resampling.poisson_weights`; the key of a segment is its number.

    Returns
    -------
    int64, shape (1 + R, G, 3, 3)
        Entry 0 counts the segments as they are, entry 1 + r those of resample
        ``first_resample + r``: pairs of an outcome by the first (row) and one by the second judge
        (column); of one judge with himself each pair both ways. Tables of shards that share no
        segment add up to those of the whole, bit for bit.
    """
    totals = np.zeros((len(pairs.first) * _TABLE, 1 + resamples), dtype=np.int64)
    for shard in shards_of_whole_segments(blocks):
        found = collapsed_comparisons(shard, pairing)
        segments, counts = _tables_by_segment(found, pairs)
        totals[:, 0] += counts.sum(axis=1)
        for first in range(0, resamples, _RESAMPLES_AT_A_TIME):
            count = min(_RESAMPLES_AT_A_TIME, resamples - first)
            weights = poisson_weights(
                segments.astype(np.uint64),
                seed=seed,
                resamples=count,
                first_resample=first_resample + first,
            )
            totals[:, 1 + first : 1 + first + count] += _product(counts, weights)
    return totals.T.reshape(1 + resamples, len(pairs.first), _CATEGORIES, _CATEGORIES)


def _tables_by_segment(
    comparisons: CollapsedComparisons, pairs: PairsOfJudges
) -> tuple[Int64Array, sparse.csc_array[np.int64]]:
    """Return the S segments, and the tables of each: shape (9 G, S)."""
    judges = max(len(pairs.row), 1)
    segments, segment_of_item = np.unique(comparisons.item_segment, return_inverse=True)
    raters, rater = np.unique(
        segment_of_item[comparisons.item] * judges + comparisons.judge, return_inverse=True
    )
    one = np.ones(len(rater), dtype=np.int64)
    rated = sparse.coo_array(
        (one, (comparisons.item, rater * _CATEGORIES + comparisons.outcome)),
        shape=(comparisons.items, len(raters) * _CATEGORIES),
    ).tocsr()
    # All pairs of ratings of an item, except each rating with itself. No item is of two segments.
    alone = sparse.diags_array(rated.sum(axis=0), dtype=np.int64)
    counts = (rated.T @ rated - alone).tocoo()
    (one_rater, category), (other_rater, other_category) = (
        np.divmod(index.astype(np.int64), _CATEGORIES) for index in counts.coords
    )
    segment, first = np.divmod(raters[one_rater], judges)
    second = raters[other_rater] % judges
    once = first <= second
    table = pairs.row[first[once], second[once]]
    cell = (table * _CATEGORIES + category[once]) * _CATEGORIES + other_category[once]
    shape = (len(pairs.first) * _TABLE, len(segments))
    return segments, sparse.coo_array((counts.data[once], (cell, segment[once])), shape).tocsc()


def _product(counts: sparse.csc_array[np.int64], weights: npt.NDArray[np.int16]) -> Int64Array:
    """Multiply exactly; in floating point where that is faster and exact, too."""
    filled = counts.nnz * _WORTH_FILLING > counts.shape[0] * counts.shape[1]
    if filled and int(counts.data.sum()) * MAX_WEIGHT < _EXACT:
        product = counts.toarray().astype(np.float64) @ weights.astype(np.float64)
        return product.astype(np.int64)
    return np.asarray(counts @ weights.astype(np.int64))


def cohen_shares(
    blocks: Blocks, *, pairing: Pairing, symmetric: bool, resamples: int, seed: int
) -> tuple[Shares, Shares]:
    """Cohen's P(A) and P(E), averaged over pairs of judges with the weight of their compared pairs.

    Parameters
    ----------
    blocks : Blocks
    pairing, symmetric, resamples, seed
        As for `ranking.core.agreement_measures.measure_agreement`.

    Returns
    -------
    inter, intra : Shares
        `inter` with each judge himself for `Pairing.PRESENTED`.
    """
    pairs = pairs_of_judges(blocks)
    own = pairs.first == pairs.second
    between = ~own if pairing is Pairing.UNORDERED else np.ones_like(own)
    at_a_time = max(1, _CELLS_AT_A_TIME // max(1, len(pairs.first) * _TABLE))
    parts: list[tuple[Shares, Shares]] = []
    for first in range(0, resamples, at_a_time):
        tables = resampled_tables(
            blocks,
            pairs,
            pairing=pairing,
            resamples=min(at_a_time, resamples - first),
            seed=seed,
            first_resample=first,
        )
        parts.append((_mean(tables, own, between, symmetric), _mean(tables, own, own, symmetric)))
    return _joined([inter for inter, _ in parts]), _joined([intra for _, intra in parts])


def _mean(
    tables: Int64Array, own: npt.NDArray[np.bool_], which: npt.NDArray[np.bool_], symmetric: bool
) -> Shares:
    """Average over the pairs chosen; the table of one judge with himself has each pair twice."""
    ways = np.where(own[which], 2, 1)
    found = []
    for first in range(0, len(tables), _RESAMPLES_AT_A_TIME):
        # Contiguous, so that the sums over pairs do not depend on how many resamples there are.
        table = np.ascontiguousarray(tables[first : first + _RESAMPLES_AT_A_TIME, which])
        pairs, p_agree, p_chance = cohen_of_tables(table, symmetric=symmetric)
        weight = pairs / ways
        total = weight.sum(axis=1)
        agreeing = np.where(pairs > 0, p_agree * weight, 0).sum(axis=1)
        by_chance = np.where(pairs > 0, p_chance * weight, 0).sum(axis=1)
        found.append(Shares(p_agree=share(agreeing, total), p_chance=share(by_chance, total)))
    return Shares(
        p_agree=np.concatenate([part.p_agree for part in found]),
        p_chance=np.concatenate([part.p_chance for part in found]),
    )


def _joined(parts: list[Shares]) -> Shares:
    """Put ranges of resamples behind each other; each has the segments as they are in front."""
    return Shares(
        p_agree=np.concatenate([parts[0].p_agree[:1], *(part.p_agree[1:] for part in parts)]),
        p_chance=np.concatenate([parts[0].p_chance[:1], *(part.p_chance[1:] for part in parts)]),
    )

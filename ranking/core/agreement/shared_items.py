"""Counts of items that two judges both compared, by pair of judges and segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement.units import Cells
from ranking.core.judged.collapsed_candidates import Outcome

Int64Array = npt.NDArray[np.int64]

#: Columns of the counts of two judges on a segment, see `SharedItemCounts`.
COMPARABLE, AGREEING, OWN_TIES, OTHER_TIES = range(4)
_COUNTS = 4


@dataclass(frozen=True, eq=False)
class SharedItemCounts:
    """Counts over the segments shared by each two of J judges.

    Two judges share a segment when both compared an item of it. Four numbers are counted for each
    shared segment: pairs of a comparison by the judge and one by the other judge of the same item,
    pairs with the same outcome, pairs in which the judge tied, and pairs in which the other judge
    tied. They are integers, so they add up to the same bits in any order and in shards.

    Attributes
    ----------
    others : int64, shape (J, J, 4)
        The numbers of each judge with each other judge, summed over segments. Memory grows with the
        square of the number of judges, as in `ranking.core.agreement.judge_pairs`.
    moments : int64, shape (J, 4, 4)
        Products of two of the numbers of a shared segment, summed over the judge's shared segments.
    """

    others: Int64Array
    moments: Int64Array

    def with_others(self, judge: int) -> Int64Array:
        """Return the numbers with each of the M judges who share items, shape (M, 4)."""
        row = self.others[judge]
        met: Int64Array = row[row[:, COMPARABLE] > 0]
        return met

    def pair_moments(self) -> PairMoments:
        """Return products of comparable and agreeing pairs, each pair of judges once."""
        numbers = self.others[:, :, [COMPARABLE, AGREEING]].reshape(-1, 2)
        # Each pair of judges is held in both orders.
        return PairMoments(
            both=numbers.T @ numbers // 2,
            in_segments=self.moments[:, : AGREEING + 1, : AGREEING + 1].sum(axis=0) // 2,
        )


@dataclass(frozen=True, eq=False)
class PairMoments:
    """Products of the comparable and the agreeing pairs of two different judges.

    Attributes
    ----------
    both : int64, shape (2, 2)
        Products of their pairs on all segments, summed over pairs of judges.
    in_segments : int64, shape (2, 2)
        Products of their pairs on one segment, summed over pairs of judges and segments.
    """

    both: Int64Array
    in_segments: Int64Array


@dataclass(frozen=True, eq=False)
class Raters:
    """The R pairs of a segment and one of its judges in a shard.

    Attributes
    ----------
    segment, judge : int64, shape (R,)
        Number of the segment, and index of the judge; sorted, without duplicates.
    of_cell : int64, shape (N,)
        Index of the pair that each of the N `Cells` belongs to.
    """

    segment: Int64Array
    judge: Int64Array
    of_cell: Int64Array


def raters_of(cells: Cells, judges: int) -> Raters:
    """Return the judges who compared items of each segment."""
    segment = cells.item_segment[cells.item].astype(np.int64)
    codes, of_cell = np.unique(segment * max(judges, 1) + cells.judge, return_inverse=True)
    numbers, judge = np.divmod(codes, max(judges, 1))
    return Raters(segment=numbers, judge=judge, of_cell=of_cell)


def no_shared_items(judges: int) -> SharedItemCounts:
    """Return counts of 0."""
    return SharedItemCounts(
        others=np.zeros((judges, judges, _COUNTS), dtype=np.int64),
        moments=np.zeros((judges, _COUNTS, _COUNTS), dtype=np.int64),
    )


def count_shared_items(cells: Cells, raters: Raters, judges: int) -> SharedItemCounts:
    """Count the comparisons of items that two judges share, for each two judges.

    Parameters
    ----------
    cells : Cells
        Comparisons of each item by each judge, by `Outcome`.
    raters : Raters
        The pairs of segment and judge of these cells.
    judges : int

    Returns
    -------
    SharedItemCounts
    """
    judge, other, tables = shared_tables(cells, raters)
    columns = (
        tables.sum(axis=(1, 2)),
        np.trace(tables, axis1=1, axis2=2),
        tables[:, Outcome.TIE].sum(axis=1),
        tables[:, :, Outcome.TIE].sum(axis=1),
    )
    found = no_shared_items(judges)
    two = judge * judges + other
    for one, column in enumerate(columns):
        # Whole numbers, exact in floating point up to 2**53.
        sums = np.bincount(two, column, judges * judges)
        found.others[:, :, one] = sums.reshape(judges, judges)
        for again in range(one, _COUNTS):
            products = np.bincount(judge, column * columns[again], judges)
            found.moments[:, one, again] = found.moments[:, again, one] = products
    return found


def shared_tables(cells: Cells, raters: Raters) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return judge, other judge and outcomes (M, 3, 3) on each shared segment, in both orders.

    The outcomes are a product of sparse matrices. The matrices have a block of 1 × 3 numbers for
    each item and rater; the product has a block of 3 × 3 for each two raters. An item has only one
    segment, so the raters of a block in the product share a segment.
    """
    outcomes = len(Outcome)
    starts = np.searchsorted(cells.item, np.arange(len(cells.item_segment) + 1))
    rated = sparse.bsr_array(
        (cells.counts[:, np.newaxis, :], raters.of_cell, starts),
        shape=(len(cells.item_segment), outcomes * len(raters.judge)),
    )
    product = rated.T @ rated
    own = np.repeat(np.arange(len(raters.judge)), np.diff(product.indptr))
    others = own != product.indices
    return (
        raters.judge[own[others]],
        raters.judge[product.indices[others]],
        product.data[others].astype(np.int64),
    )

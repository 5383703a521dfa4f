"""Counts of the items that two judges both compared, by pair of judges and segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement.units import Cells
from ranking.core.judged.collapsed_candidates import Outcome

Int64Array = npt.NDArray[np.int64]

#: What is counted of two judges on a segment, see `SharedItemCounts`.
COMPARABLE, AGREEING, OWN_TIES, OTHER_TIES = range(4)
_COUNTS = 4


@dataclass(frozen=True, eq=False)
class SharedItemCounts:
    """Counts over the segments that J judges share, for each two of them.

    Two judges share a segment when both compared an item of it. Four numbers are counted for each
    shared segment: pairs of a comparison by the judge and one by the other of the same item,
    those of them with the same outcome, those in which the judge tied, and those in which the other
    did. Integers, so that they add up to the same bits in any order and in shards.

    Attributes
    ----------
    others : int64, shape (J, J, 4)
        The numbers of each judge with each other, summed over segments. Grows with the square of
        the number of judges, like `ranking.core.agreement.judge_pairs`.
    moments : int64, shape (J, 4, 4)
        Products of two of the numbers of a shared segment, summed over the judge's shared segments.
    """

    others: Int64Array
    moments: Int64Array

    def with_others(self, judge: int) -> Int64Array:
        """Return what was counted with each of the M judges they share items with, shape (M, 4)."""
        row = self.others[judge]
        met: Int64Array = row[row[:, COMPARABLE] > 0]
        return met

    def pair_moments(self) -> PairMoments:
        """Multiply comparable and agreeing pairs of each two judges, each two once."""
        numbers = self.others[:, :, [COMPARABLE, AGREEING]].reshape(-1, 2)
        # Each two judges are there both ways.
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
        Of all they compared, summed over pairs of judges.
    in_segments : int64, shape (2, 2)
        Of what they compared on one segment, summed over pairs of judges and segments.
    """

    both: Int64Array
    in_segments: Int64Array


@dataclass(frozen=True, eq=False)
class Raters:
    """The judges of the segments of a shard: R pairs of a segment and a judge.

    Attributes
    ----------
    segment, judge : int64, shape (R,)
        Number of the segment, index of the judge; sorted, no pair twice.
    of_cell : int64, shape (N,)
        Which of them each of the N `Cells` is of.
    """

    segment: Int64Array
    judge: Int64Array
    of_cell: Int64Array


def raters_of(cells: Cells, judges: int) -> Raters:
    """Return which judges compared items of which segments."""
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
    """Count the comparisons of shared items of each two judges.

    Parameters
    ----------
    cells : Cells
        Comparisons of each item by each judge, by `Outcome`.
    raters : Raters
        Of these cells.
    judges : int

    Returns
    -------
    SharedItemCounts
    """
    judge, other, tables = _tables(cells, raters)
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


def _tables(cells: Cells, raters: Raters) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return judge, other and their outcomes (M, 3, 3) of each shared segment, each two judges both ways.

    One product of sparse matrices: its blocks are of an item and a rater, 1 × 3 numbers each, and
    those of the product of two raters, 3 × 3. No item is of two segments, so neither is a product.
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

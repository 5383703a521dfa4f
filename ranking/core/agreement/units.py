"""Ratings of items by judges, as the units that agreement measures compare, and counted by segment
and judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column, as_row
from ranking.core.grouping import distinct_pairs, sums_by_group
from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judged.collapsed_candidates import (
    CollapsedComparisons,
    CollapsedLabels,
    Outcome,
    Pairing,
    collapsed_comparisons,
    collapsed_labels,
)
from ranking.core.words import member_of


@dataclass(frozen=True, eq=False)
class Cells:
    """Ratings of each item by each judge, for N (item, judge) pairs.

    Attributes
    ----------
    item, judge : int64, shape (N,)
        Sorted by item, then judge, without duplicates.
    counts : int64, shape (N, K)
        Number of the judge's ratings of the item in each of K categories.
    item_segment : int64, shape (items,)
        Segment number of each item.
    """

    item: Int64Array
    judge: Int64Array
    counts: Int64Array
    item_segment: Int64Array

    @property
    def segment(self) -> Int64Array:
        """Segment number of each cell's item, shape (N,)."""
        return self.item_segment[self.item]

    def ratings_of_items(self) -> Int64Array:
        """Return the number of ratings of each item in each category, shape (items, K)."""
        return sums_by_group(self.counts, self.item, len(self.item_segment))

    def ratings_of_others(self) -> Int64Array:
        """Return the ratings of each cell's item by other judges in each category, shape (N, K)."""
        others: Int64Array = self.ratings_of_items()[self.item] - self.counts
        return others


def comparison_cells(
    blocks: Blocks,
    pairing: Pairing = Pairing.UNORDERED,
) -> Iterator[Cells]:
    """Yield the ratings of comparisons, with the outcomes as categories, some segments at a time."""
    pairing = member_of(Pairing, "pairing", pairing)
    for shard in shards_of_whole_segments(blocks):
        compared = collapsed_comparisons(shard, pairing)
        yield _cells(
            rated=compared,
            category=compared.outcome,
            categories=len(Outcome),
        )


def label_cells(blocks: Blocks) -> Iterator[Cells]:
    """Yield the ratings of candidates, with the labels as categories, some segments at a time."""
    for shard in shards_of_whole_segments(blocks):
        labels = collapsed_labels(shard)
        yield _cells(
            rated=labels,
            category=labels.label - 1,
            categories=MAX_LABEL,
        )


def _cells(
    rated: CollapsedComparisons | CollapsedLabels,
    category: Int64Array,
    categories: int,
) -> Cells:
    item, judge, cell = distinct_pairs(rated.item, rated.judge)
    counts = np.bincount(
        cell * categories + category,
        minlength=len(item) * categories,
    )
    return Cells(
        item=item,
        judge=judge,
        counts=counts.reshape(-1, categories),
        item_segment=rated.item_segment,
    )


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The unit of each of N cells, with and without the ratings of the cell's judge.

    A unit is compared if it has pairs. One with several judges occurs several times.

    Attributes
    ----------
    values, values_without : int64, shape (N, K)
        Ratings of the unit in each of K categories.
    pairs, pairs_without : int64, shape (N, K, K)
        Compared ordered pairs of ratings by their two categories; symmetric.
    once : bool, shape (N,)
        Selects each unit once.
    """

    values: Int64Array
    pairs: Int64Array
    values_without: Int64Array
    pairs_without: Int64Array
    once: BoolArray


def inter_left_out(cells: Cells) -> LeftOut:
    """Return one unit for each item, with each of its judges left out.

    A judge's own repeated ratings are not compared with each other, but each is compared with those
    of the other judges.
    """
    return _left_out(cells, cells.item, _products(cells.counts))


def pooled_left_out(cells: Cells) -> LeftOut:
    """Return one unit for each item, in which all ratings are compared, with each of its judges
    left out.
    """
    return _left_out(cells, cells.item, _pairs_with_itself(cells.counts))


def intra_left_out(cells: Cells) -> LeftOut:
    """Return one unit for each item and judge, left out one by one."""
    return _left_out(
        cells,
        np.arange(len(cells.item)),
        _pairs_with_itself(cells.counts),
    )


def _left_out(cells: Cells, unit: Int64Array, apart: Int64Array) -> LeftOut:
    """Return the units of cells; the pairs `apart`, of shape (N, K, K), are not compared."""
    _units, starts, index = np.unique(unit, return_index=True, return_inverse=True)
    values = cells.counts
    not_compared = apart
    # `reduceat` raises an error for empty input.
    if len(starts):
        values = np.add.reduceat(cells.counts, starts, axis=0)[index]
        not_compared = np.add.reduceat(apart, starts, axis=0)[index]
    once = np.zeros(len(unit), dtype=np.bool_)
    once[starts] = True
    others = values - cells.counts
    others_not_compared = not_compared - apart
    return LeftOut(
        values=values,
        pairs=_products(values) - not_compared,
        values_without=others,
        pairs_without=_products(others) - others_not_compared,
        once=once,
    )


def _products(counts: Int64Array) -> Int64Array:
    return _products_of(counts, counts)


def _products_of(one: Int64Array, other: Int64Array) -> Int64Array:
    """Return the products of each two numbers of a row, shape (N, m, m')."""
    return as_column(one) * as_row(other)


def _pairs_with_itself(counts: Int64Array) -> Int64Array:
    """Return the pairs of each rating with itself."""
    same_category = np.eye(counts.shape[1], dtype=np.int64)
    return as_column(counts) * same_category


#: Columns of the counts of two judges on a segment, see `SharedItemCounts`.
_SHARED_COUNTS = 4


@dataclass(frozen=True, eq=False)
class SharedItemCounts:
    """Counts over the segments shared by each pair of J judges.

    Two judges share a segment if both compared one of its items. Four numbers are counted for each
    shared segment: pairs of comparisons of the same item, one by each judge; pairs with the same
    outcome; pairs with a tie by the judge; and pairs with a tie by the other judge. They are
    integers, so sums do not depend on order or sharding.

    Attributes
    ----------
    others : int64, shape (J, J, 4)
        The numbers of each judge with each other judge, summed over segments. Memory grows with the
        square of the number of judges.
    moments : int64, shape (J, 4, 4)
        Products of two of the numbers of a shared segment, summed over the judge's shared segments.
    """

    others: Int64Array
    moments: Int64Array

    def of_pairs(
        self,
        chance_of: Callable[[Int64Array, Int64Array], FloatArray],
    ) -> PairCounts:
        """Return the pairs of judges with shared comparisons, each once.

        Parameters
        ----------
        chance_of : callable
            Returns the agreement expected by chance of judges i and j, given as arrays of indices.
        """
        # Few of a thousand judges share items. Each pair is held in both orders.
        comparable = self.others[:, :, COMPARABLE]
        one, other = np.nonzero(np.triu(comparable, k=1))
        numbers = self.others[one, other]
        moments = self.moments.sum(axis=0)
        return PairCounts(
            comparable=numbers[:, COMPARABLE],
            agreeing=numbers[:, AGREEING],
            chance=chance_of(one, other),
            in_segments=moments[: AGREEING + 1, : AGREEING + 1] // 2,
        )

    def __add__(self, other: SharedItemCounts) -> SharedItemCounts:
        """Return the counts of both."""
        return SharedItemCounts(
            others=self.others + other.others,
            moments=self.moments + other.moments,
        )


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Shared comparisons of P pairs of different judges.

    Attributes
    ----------
    comparable, agreeing : int64, shape (P,)
        Pairs of comparisons of one item, one by each of the two judges; and those that agree.
    chance : float64, shape (P,)
        Agreement of the two judges expected by chance.
    in_segments : int64, shape (2, 2)
        Products of comparable and agreeing pairs on one segment, summed over pairs of judges and
        segments.
    """

    comparable: Int64Array
    agreeing: Int64Array
    chance: FloatArray
    in_segments: Int64Array


@dataclass(frozen=True, eq=False)
class Raters:
    """The R (segment, judge) pairs of a shard.

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


def raters_of(cells: Cells) -> Raters:
    """Return the judges who compared items of each segment."""
    pairs = distinct_pairs(cells.segment, cells.judge)
    return Raters(segment=pairs.first, judge=pairs.second, of_cell=pairs.inverse)


def no_shared_items(judges: int) -> SharedItemCounts:
    """Return counts of 0."""
    return SharedItemCounts(
        others=np.zeros((judges, judges, _SHARED_COUNTS), dtype=np.int64),
        moments=np.zeros((judges, _SHARED_COUNTS, _SHARED_COUNTS), dtype=np.int64),
    )


def count_shared_items(cells: Cells, raters: Raters, judges: int) -> SharedItemCounts:
    """Count the comparisons of items that two judges share, for each pair of judges.

    Parameters
    ----------
    cells : Cells
        Comparisons of each item by each judge, by `Outcome`.
    raters : Raters
        The (segment, judge) pairs of these cells.
    judges : int

    Returns
    -------
    SharedItemCounts
    """
    shared = shared_tables(cells, raters)
    counts = counts_of_tables(shared.tables)
    pair = shared.judge * judges + shared.other
    others = sums_by_group(counts, pair, judges * judges)
    return SharedItemCounts(
        others=others.reshape(judges, judges, _SHARED_COUNTS),
        moments=sums_of_products(counts, counts, shared.judge, judges),
    )


def sums_of_products(
    one: Int64Array,
    other: Int64Array,
    group: Int64Array,
    groups: int,
) -> Int64Array:
    """Sum the products of two numbers of each row by group, shape (groups, m, m')."""
    return sums_by_group(_products_of(one, other), group, groups)


class SharedTables(NamedTuple):
    """Outcomes of two judges on M shared segments.

    Attributes
    ----------
    judge, other : int64, shape (M,)
    tables : int64, shape (M, 3, 3)
    """

    judge: Int64Array
    other: Int64Array
    tables: Int64Array


def counts_of_tables(tables: Int64Array) -> Int64Array:
    """Return comparable and agreeing pairs, and pairs with a tie by either judge, of tables of
    outcomes (M, 3, 3), shape (M, 4).
    """
    columns = (
        tables.sum(axis=(1, 2)),
        np.trace(tables, axis1=1, axis2=2),
        tables[:, Outcome.TIE].sum(axis=1),
        tables[:, :, Outcome.TIE].sum(axis=1),
    )
    return np.stack(columns, axis=1)


def shared_tables(cells: Cells, raters: Raters) -> SharedTables:
    """Return judge, other judge and outcomes (M, 3, 3) on each shared segment, in both orders."""
    one, other, tables = rater_tables(cells, raters)
    is_other = one != other
    return SharedTables(
        judge=raters.judge[one[is_other]],
        other=raters.judge[other[is_other]],
        tables=tables[is_other],
    )


class RaterTables(NamedTuple):
    """Pairs of comparisons of an item by two raters of a segment, by their outcomes.

    Attributes
    ----------
    one, other : int64, shape (M,)
        Indices of the raters, in both orders. A rater is also paired with themselves, where each
        comparison is paired with itself, too.
    tables : int64, shape (M, 3, 3)
    """

    one: Int64Array
    other: Int64Array
    tables: Int64Array


def rater_tables(cells: Cells, raters: Raters) -> RaterTables:
    """Return the tables of all pairs of raters of a segment, as a product of sparse matrices.

    The matrices have a block of 1 × 3 numbers for each item and rater; the product has a block of
    3 × 3 for each pair of raters. An item has only one segment, so the raters of a block in the
    product share a segment.
    """
    items = len(cells.item_segment)
    starts = np.searchsorted(cells.item, np.arange(items + 1))
    rated = sparse.bsr_array(
        (as_row(cells.counts), raters.of_cell, starts),
        shape=(items, len(Outcome) * len(raters.judge)),
    )
    product = rated.T @ rated
    blocks_in_row = np.diff(product.indptr)
    return RaterTables(
        one=np.repeat(np.arange(len(raters.judge)), blocks_in_row),
        other=product.indices.astype(np.int64),
        tables=product.data.astype(np.int64),
    )


#: Approximate number of blocks whose comparisons are listed at a time.
_BLOCKS_AT_A_TIME = 1 << 14
#: Columns of the counts of a judge on a segment, see `AgreementCounts`.
COMPARABLE, AGREEING, OWN_TIES, OTHER_TIES, TIES, COMPARISONS = range(6)
_COUNTS = 6


@dataclass(frozen=True, eq=False)
class AgreementCounts:
    """Counts for computing agreement, for J judges and the S segments with comparisons.

    Attributes
    ----------
    segments : int64, shape (S,)
        Numbers of the segments.
    segment, judge : int64, shape (R,)
        Each judge who compared outputs of a segment: an index into `segments`, and the index of the
        judge. Sorted, without duplicates.
    counts : int64, shape (R, 6)
        For a judge on a segment: pairs with others' comparisons of the same item; pairs that agree;
        pairs with a tie by the judge; pairs with a tie by the other judge; the judge's ties; the
        judge's comparisons.
    shared_items : SharedItemCounts or None
        The first four of these by pair of judges, if they were requested.
    """

    segments: Int64Array
    segment: Int64Array
    judge: Int64Array
    counts: Int64Array
    shared_items: SharedItemCounts | None

    def by_judge(self, judges: int) -> Int64Array:
        """Return the counts summed over segments, shape (J, 6)."""
        return sums_by_group(self.counts, self.judge, judges)

    def by_segment(self, judges: int) -> sparse.csc_array[np.int64]:
        """Return the counts of each judge, shape (6 J, S): count k of judge j is in row k J + j."""
        first_rows = np.arange(_COUNTS) * judges
        rows = np.add.outer(first_rows, self.judge).ravel()
        columns = np.tile(self.segment, _COUNTS)
        counts = self.counts.T.ravel()
        shape = (_COUNTS * judges, len(self.segments))
        return sparse.coo_array((counts, (rows, columns)), shape=shape).tocsc()


def count_agreement(blocks: Blocks, *, shared_items: bool = False) -> AgreementCounts:
    """Count pairs of comparisons of one item by different judges, on collapsed outputs.

    Groups are counted instead of single pairs, one shard of segments at a time (an item never spans
    two segments), so memory does not grow with the number of comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems by J judges.
    shared_items : bool
        Whether to count by pair of judges as well.

    Returns
    -------
    AgreementCounts
    """
    judges = len(blocks.judges)
    segments = []
    raters = []
    counts = []
    shared = None
    if shared_items:
        shared = no_shared_items(judges)
    for cells in comparison_cells(blocks):
        rater = raters_of(cells)
        segment_of_item = cells.item_segment  # in order, so that no sorting is needed
        is_first = np.diff(segment_of_item, prepend=segment_of_item[:1] - 1) > 0
        segments.append(segment_of_item[is_first])
        raters.append(np.stack([rater.segment, rater.judge]))
        counts.append(_counts_of_raters(cells, rater.of_cell, len(rater.judge)))
        if shared is not None:
            shared += count_shared_items(cells, rater, judges)
    numbers = np.concatenate(segments).astype(np.int64)
    segment, judge = np.concatenate(raters, axis=1)
    return AgreementCounts(
        segments=numbers,
        segment=np.searchsorted(numbers, segment),
        judge=judge,
        counts=np.concatenate(counts),
        shared_items=shared,
    )


def shards_of_whole_segments(blocks: Blocks) -> Iterator[Blocks]:
    """Yield the blocks in shards that share no segment; at least one shard, which may be empty.

    No item spans two shards, so counts of items add up.
    """
    order = np.argsort(blocks.segment, kind="stable")
    segment = blocks.segment[order]
    is_new = segment[1:] != segment[:-1]
    starts = 1 + np.flatnonzero(is_new)
    begins_shard = np.diff(starts // _BLOCKS_AT_A_TIME) > 0
    for rows in np.split(order, starts[1:][begins_shard]):
        yield blocks.take(rows)


def _counts_of_raters(cells: Cells, of_cell: Int64Array, raters: int) -> Int64Array:
    """Return `AgreementCounts.counts`, with every comparison of an item paired with all others."""
    others = cells.ratings_of_others()
    own_count = cells.counts.sum(axis=1)
    others_count = others.sum(axis=1)
    ties = cells.counts[:, Outcome.TIE]
    others_ties = others[:, Outcome.TIE]
    agreeing = (cells.counts * others).sum(axis=1)
    columns = (
        own_count * others_count,
        agreeing,
        ties * others_count,
        own_count * others_ties,
        ties,
        own_count,
    )
    return sums_by_group(np.stack(columns, axis=1), of_cell, raters)

"""Pairs of comparisons of one item by different judges, counted by segment and judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement.shared_items import (
    SharedItemCounts,
    count_shared_items,
    no_shared_items,
    raters_of,
)
from ranking.core.agreement.units import Cells, cells_of_comparisons
from ranking.core.compiling import kernel_if_worth
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import (
    CollapsedComparisons,
    Outcome,
    collapsed_comparisons,
)

Int64Array = npt.NDArray[np.int64]

#: About the number of blocks whose comparisons are listed at a time.
_BLOCKS_AT_A_TIME = 1 << 14
_KERNEL = "ranking.core.agreement.counts_kernel"
#: What numpy takes for a block of five, in the steps of `kernel_if_worth`.
_STEPS_A_BLOCK = 2000
#: Counts of the judges on the segments of a shard: segment and judge (2, R), counts (R, 6), shared items.
_Counted = tuple[Int64Array, Int64Array, SharedItemCounts]


#: Columns of the counts of a judge on a segment, see `AgreementCounts`.
COMPARABLE, AGREEING, OWN_TIES, OTHER_TIES, TIES, COMPARISONS = range(6)
_COUNTS = 6


@dataclass(frozen=True, eq=False)
class AgreementCounts:
    """Counts to compute agreement from, for J judges and the S segments with comparisons.

    Attributes
    ----------
    segments : int64, shape (S,)
        Numbers of the segments.
    segment, judge : int64, shape (R,)
        Each judge who compared outputs of a segment: an index into `segments`, and the index of the
        judge. Sorted, without duplicates.
    counts : int64, shape (R, 6)
        For a judge on a segment: pairs with comparisons of the same item by others; pairs that
        agree; pairs in which the judge tied; pairs in which the other judge tied; the judge's ties;
        the judge's comparisons.
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
        found = np.zeros((judges, _COUNTS), dtype=np.int64)
        np.add.at(found, self.judge, self.counts)
        return found

    def by_segment(self, judges: int, *, own_chance: bool) -> sparse.csc_array[np.int64]:
        """Return the counts as one column for each segment, for resampling.

        Returns
        -------
        sparse int64, shape (2 J + 2, S), or (4 J + 2, S) with `own_chance`
            Comparable pairs of each judge, agreeing pairs of each judge, with `own_chance` also
            pairs in which the judge tied and pairs in which the other judge tied; then ties and
            comparisons of all judges.
        """
        kinds = [COMPARABLE, AGREEING, *([OWN_TIES, OTHER_TIES] if own_chance else [])]
        rows = [place * judges + self.judge for place in range(len(kinds))]
        rows += [np.full_like(self.judge, len(kinds) * judges + place) for place in range(2)]
        values = self.counts[:, [*kinds, TIES, COMPARISONS]]
        return sparse.coo_array(
            (values.T.ravel(), (np.concatenate(rows), np.tile(self.segment, len(rows)))),
            shape=(len(kinds) * judges + 2, len(self.segments)),
        ).tocsc()


def count_agreement(
    blocks: Blocks, *, shared_items: bool = False, compiled: bool | None = None
) -> AgreementCounts:
    """Count pairs of comparisons of one item by different judges, on collapsed outputs.

    Numbered groups are counted, not single pairs, and a shard of segments at a time (an item never
    spans two segments), so memory does not grow with the number of comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems by J judges.
    shared_items : bool
        Whether to count by pair of judges as well.
    compiled : bool or None
        Whether to use compiled code; None decides by the number of blocks. The counts are the same.

    Returns
    -------
    AgreementCounts
    """
    judges = len(blocks.judges)
    count = _count_compiled if _is_compiled(len(blocks), compiled) else _count_by_columns
    segments, raters, counts = [], [], []
    met = no_shared_items(judges)
    for shard in shards_of_whole_segments(blocks):
        compared = collapsed_comparisons(shard)
        rater, of_raters, here = count(compared, judges, shared_items=shared_items)
        of_items = compared.item_segment  # in order, so that no sorting is needed
        segments.append(of_items[np.diff(of_items, prepend=of_items[:1] - 1) > 0])
        raters.append(rater)
        counts.append(of_raters)
        met = SharedItemCounts(others=met.others + here.others, moments=met.moments + here.moments)
    numbers = np.concatenate(segments).astype(np.int64)
    segment, judge = np.concatenate(raters, axis=1)
    return AgreementCounts(
        segments=numbers,
        segment=np.searchsorted(numbers, segment),
        judge=judge,
        counts=np.concatenate(counts),
        shared_items=met if shared_items else None,
    )


def _is_compiled(blocks: int, asked: bool | None) -> bool:
    if asked is not None:
        return asked
    return kernel_if_worth(_KERNEL, _STEPS_A_BLOCK * blocks) is not None


def _count_compiled(compared: CollapsedComparisons, judges: int, *, shared_items: bool) -> _Counted:
    found, comparisons = no_shared_items(judges), len(compared.item)
    raters = np.zeros((comparisons, 2), dtype=np.int64)
    counts = np.zeros((comparisons, _COUNTS), dtype=np.int64)
    columns = (compared.item, compared.judge, compared.outcome, compared.item_segment)
    rows = [np.ascontiguousarray(column, np.int64) for column in columns]
    total = _kernel()(*rows, raters, counts, found.others, found.moments)
    shared = found if shared_items else no_shared_items(judges)
    return raters[:total].T, counts[:total], shared


@cache
def _kernel() -> Callable[..., int]:
    # Imported here, because the compiler takes a second to load and most callers do not need it.
    from ranking.core.agreement.counts_kernel import count_pairs

    return count_pairs


def _count_by_columns(
    compared: CollapsedComparisons, judges: int, *, shared_items: bool
) -> _Counted:
    cells = cells_of_comparisons(compared, judges)
    rater = raters_of(cells, judges)
    counts = _counts_of_raters(cells, rater.of_cell, len(rater.judge))
    shared = count_shared_items(cells, rater, judges) if shared_items else no_shared_items(judges)
    return np.stack([rater.segment, rater.judge]), counts, shared


def shards_of_whole_segments(blocks: Blocks) -> Iterator[Blocks]:
    """Yield the blocks in shards that share no segment; at least one shard, which may be empty.

    No item spans two shards, so counts of items add up.
    """
    order = np.argsort(blocks.segment, kind="stable")
    segment = blocks.segment[order]
    starts = 1 + np.flatnonzero(segment[1:] != segment[:-1])
    cuts = starts[1:][np.diff(starts // _BLOCKS_AT_A_TIME) > 0]
    for rows in np.split(order, cuts):
        yield blocks.take(rows)


def _counts_of_raters(cells: Cells, of_cell: Int64Array, raters: int) -> Int64Array:
    """Return `AgreementCounts.counts`, with every comparison of an item paired with all others."""
    # Whole numbers, exact in floating point up to 2**53.
    items = len(cells.item_segment)
    totals = [np.bincount(cells.item, column, items) for column in cells.counts.T]
    others = np.stack(totals, axis=1).astype(np.int64)[cells.item] - cells.counts
    own, theirs = cells.counts.sum(axis=1), others.sum(axis=1)
    ties = cells.counts[:, Outcome.TIE]
    columns = (
        own * theirs,
        (cells.counts * others).sum(axis=1),
        ties * theirs,
        own * others[:, Outcome.TIE],
        ties,
        own,
    )
    sums = [np.bincount(of_cell, column, raters).astype(np.int64) for column in columns]
    return np.stack(sums, axis=1)

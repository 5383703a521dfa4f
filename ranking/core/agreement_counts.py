"""Pairs of comparisons of one item by different judges, counted by segment and judge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.collapsed import CollapsedComparisons, Outcome

Int64Array = npt.NDArray[np.int64]


def counts_by_segment(
    comparisons: CollapsedComparisons, judges: int
) -> tuple[Int64Array, sparse.csc_array[np.int64]]:
    """Count agreement in each segment, by numbered groups instead of pairs of judgments.

    Parameters
    ----------
    comparisons : CollapsedComparisons
    judges : int
        Number J of judges.

    Returns
    -------
    segments : int64, shape (S,)
        Numbers of the segments compared.
    counts : sparse int64, shape (2 J + 2, S)
        For each segment: comparable pairs of each of J judges, agreeing pairs of each, ties,
        comparisons. All are sums over segments, so they can be resampled by segment.
    """
    segments, segment_of_item = np.unique(comparisons.item_segment, return_inverse=True)
    outcomes = len(Outcome)
    judge, item, comparable = _pairs_with_others(comparisons.item, comparisons.judge)
    # Pairs that agree are pairs within one outcome of an item.
    cell = comparisons.item * outcomes + comparisons.outcome
    agreeing_judge, agreeing_cell, agreeing = _pairs_with_others(cell, comparisons.judge)
    tie = (comparisons.outcome == Outcome.TIE).astype(np.int64)
    one = np.ones_like(tie)
    rows = [judge, judges + agreeing_judge, 2 * judges * one, (2 * judges + 1) * one]
    items = [item, agreeing_cell // outcomes, comparisons.item, comparisons.item]
    counts = sparse.coo_array(
        (
            np.concatenate([comparable, agreeing, tie, one]),
            (np.concatenate(rows), segment_of_item[np.concatenate(items)]),
        ),
        shape=(2 * judges + 2, len(segments)),
    )
    return segments, counts.tocsc()


def _pairs_with_others(
    group: Int64Array, judge: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Count pairs of rows of one group by different judges, for each judge of each group.

    A judge with c of the T rows of a group makes c (T − c) pairs with others.

    Returns
    -------
    judge, group, pairs : int64, shape (G,) each
        One entry for each judge of each group.
    """
    judges = int(judge.max(initial=0)) + 1
    codes, own = np.unique(group * judges + judge, return_counts=True)
    group_of_code, judge_of_code = np.divmod(codes, judges)
    rows_in_group = np.bincount(group)
    return judge_of_code, group_of_code, own * (rows_in_group[group_of_code] - own)

"""Pairs of comparisons of one item by different judges, counted by segment and judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.blocks import Blocks
from ranking.core.collapsed import CollapsedComparisons, Outcome, collapsed_comparisons

Int64Array = npt.NDArray[np.int64]

#: About how many blocks' comparisons are listed at a time.
_BLOCKS_AT_A_TIME = 1 << 14


@dataclass(frozen=True, eq=False)
class AgreementCounts:
    """What agreement is computed from, for J judges and the S segments they compared outputs of.

    Attributes
    ----------
    segments : int64, shape (S,)
        Numbers of the segments.
    by_segment : sparse int64, shape (2 J + 2, S)
        For each segment: comparable pairs of each judge (with all others), agreeing pairs of each
        judge, ties, comparisons. All are sums over segments, so they can be resampled by segment.
    comparisons : int64, shape (J,)
        Comparisons by each judge.
    ties : int64, shape (J,)
        Those that were tied.
    """

    segments: Int64Array
    by_segment: sparse.csc_array[np.int64]
    comparisons: Int64Array
    ties: Int64Array


def count_agreement(blocks: Blocks) -> AgreementCounts:
    """Count pairs of comparisons of one item by different judges, on collapsed outputs.

    Counted by numbered groups, never pair by pair, and some segments at a time (an item never
    spans two), so that memory does not grow with the number of comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems by J judges.

    Returns
    -------
    AgreementCounts
    """
    judges = len(blocks.judges)
    segments, by_segment = [], []
    comparisons = np.zeros(judges, dtype=np.int64)
    ties = np.zeros(judges, dtype=np.int64)
    for shard in shards_of_whole_segments(blocks):
        compared = collapsed_comparisons(shard)
        numbers, counts = _counts_by_segment(compared, judges)
        segments.append(numbers)
        by_segment.append(counts)
        comparisons += np.bincount(compared.judge, minlength=judges)
        tied = compared.judge[compared.outcome == Outcome.TIE]
        ties += np.bincount(tied, minlength=judges)
    return AgreementCounts(
        segments=np.concatenate(segments),
        by_segment=sparse.csc_array(sparse.hstack(by_segment)),
        comparisons=comparisons,
        ties=ties,
    )


def shards_of_whole_segments(blocks: Blocks) -> Iterator[Blocks]:
    """Cut the blocks into shards that share no segment; at least one, maybe empty.

    No item spans two shards, so what is counted item by item can be added up.
    """
    order = np.argsort(blocks.segment, kind="stable")
    segment = blocks.segment[order]
    starts = 1 + np.flatnonzero(segment[1:] != segment[:-1])
    cuts = starts[1:][np.diff(starts // _BLOCKS_AT_A_TIME) > 0]
    for rows in np.split(order, cuts):
        yield blocks.take(rows)


def _counts_by_segment(
    comparisons: CollapsedComparisons, judges: int
) -> tuple[Int64Array, sparse.csc_array[np.int64]]:
    """Return `segments` and `by_segment` of `AgreementCounts`."""
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

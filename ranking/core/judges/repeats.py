"""Agreement of judges with themselves, and items on which all judges agree.

A judge repeats a comparison when they have compared the item before. P(E) of κ is estimated from
each judge's own labels.
"""

from dataclasses import dataclass

import numpy as np

from ranking.core.agreement.intervals import Agreement, Interval, agreement_fields
from ranking.core.agreement.statistics import kappa_of, scott_chance
from ranking.core.agreement.units import (
    comparison_cells,
    raters_of,
)
from ranking.core.arrays import BoolArray, Int64Array, share
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Outcome, collapsed_comparisons
from ranking.core.judges.patterns import JUDGE_BITS, KeyedSums
from ranking.core.judges.shares import (
    Share,
    cluster_sums,
    clustered_share,
    shares_of_sums,
)

#: Sums of `cluster_sums` over segments, by judge.
NO_REPEATS = KeyedSums.empty((JUDGE_BITS,), 6)


def tally_repeats(blocks: Blocks) -> KeyedSums:
    """Count pairs of comparisons of one item by one judge, and those with the same outcome.

    An item is a segment and an unordered pair of its candidates, as in `collapsed_comparisons`.
    The pairs of a segment are a cluster.

    Parameters
    ----------
    blocks : Blocks
        All blocks of a judge on a segment, with every system that was shown.

    Returns
    -------
    KeyedSums
        Sums by judge of the `cluster_sums` of agreeing pairs among all pairs of each segment.
    """
    judges = len(blocks.judges)
    segment_and_judge = blocks.segment.astype(np.int64) * judges + blocks.judge
    _keys, group, times = np.unique(
        segment_and_judge,
        return_inverse=True,
        return_counts=True,
    )
    parts = [NO_REPEATS]
    # Most judges see most segments only once, so their blocks have no such pairs.
    for cells in comparison_cells(blocks.take(times[group] > 1)):
        raters = raters_of(cells)
        count = len(raters.judge)
        pairs_of_cell = _pairs(cells.counts.sum(axis=1))
        agreeing_in_cell = _pairs(cells.counts).sum(axis=1)
        pairs = np.bincount(raters.of_cell, pairs_of_cell, count)
        agreeing = np.bincount(raters.of_cell, agreeing_in_cell, count)
        sums = cluster_sums(agreeing.astype(np.int64), pairs.astype(np.int64))
        parts.append(KeyedSums.of((JUDGE_BITS,), [raters.judge], sums))
    return KeyedSums.total(parts)


def _pairs(counts: Int64Array) -> Int64Array:
    return counts * (counts - 1) // 2


def repeat_sums(repeats: KeyedSums, judges: int) -> Int64Array:
    """Return the sums of each judge, shape (J, 6), for `shares_of_sums`."""
    sums = np.zeros((judges, 6), dtype=np.int64)
    sums[repeats.judge] = repeats.values
    return sums


@dataclass(frozen=True, kw_only=True)
class SelfAgreement(Agreement):
    """Agreement of a judge with themselves on items compared more than once.

    P(E) is that of the judge's own labels: t² + 2 ((1 − t) / 2)², with t the judge's share of ties.
    The interval of κ treats P(E) as known and segments as independent.

    Attributes
    ----------
    judge : str
    comparisons, ties : int
        All comparisons of the judge, and tied ones.
    """

    judge: str
    comparisons: int
    ties: int


def agreement_with_themselves(
    blocks: Blocks,
    *,
    confidence: float = 0.95,
) -> tuple[SelfAgreement, ...]:
    """Measure κ of each judge with themselves, with P(E) from the judge's own labels.

    A judge who often ties agrees with themselves more often by chance than one who never does. P(E)
    is therefore estimated from the judge's own comparisons (all of them, not only repeated ones),
    as Scott's π does for all judges (Bojar et al. 2011, §2.2.2).

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set, with every system that was shown.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    tuple of SelfAgreement
        In the order of `Blocks.judges`.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    judges = len(blocks.judges)
    compared = collapsed_comparisons(blocks)
    comparisons = np.bincount(compared.judge, minlength=judges).tolist()
    tied = compared.judge[compared.outcome == Outcome.TIE]
    ties = np.bincount(tied, minlength=judges).tolist()
    sums = repeat_sums(tally_repeats(blocks), judges)
    shares = shares_of_sums(sums, confidence=confidence)
    agreements = []
    for index, name in enumerate(blocks.judges):
        agreements.append(
            _agreement(
                judge=name,
                again=shares[index],
                comparisons=comparisons[index],
                ties=ties[index],
            ),
        )
    return tuple(agreements)


def _agreement(judge: str, again: Share, comparisons: int, ties: int) -> SelfAgreement:
    p_chance = scott_chance(share(np.array(ties), np.array(comparisons)))
    ends = np.array([again.low, again.high], dtype=np.float64)
    low, high = kappa_of(ends, p_chance).tolist()
    p_agree = np.nan
    if again.value is not None:
        p_agree = again.value
    return SelfAgreement(
        **agreement_fields(
            comparable=again.trials,
            agreeing=again.successes,
            p_agree=p_agree,
            p_chance=float(p_chance),
            interval=Interval(low, high, None),
        ),
        judge=judge,
        comparisons=comparisons,
        ties=ties,
    )


@dataclass(frozen=True)
class Unanimity:
    """Items on which all their judges agree.

    Attributes
    ----------
    judges : int or None
        Number of judges of the items; None for two or more.
    share : Share
        Share of those items, with its interval over segments.
    """

    judges: int | None
    share: Share


def unanimity(blocks: Blocks, *, confidence: float = 0.95) -> tuple[Unanimity, ...]:
    """Count the items, compared by two or more judges, on which all judges agree.

    Bojar et al. (2011, §2.5) found that all six annotators gave the same label on 24% of items. If
    a judge compared an item twice with different outcomes, the item is not unanimous. The share
    naturally decreases with the number of judges, so only compare items with equal numbers of
    judges.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    tuple of Unanimity
        All such items first, then by number of judges, ascending; empty without such items.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    segments = []
    judges = []
    agreed = []
    for cells in comparison_cells(blocks):
        by_outcome = cells.ratings_of_items()
        judges_of_item = np.bincount(cells.item, minlength=len(by_outcome))
        is_shared = judges_of_item > 1
        outcomes = np.count_nonzero(by_outcome[is_shared], axis=1)
        segments.append(cells.item_segment[is_shared])
        judges.append(judges_of_item[is_shared])
        agreed.append(outcomes == 1)
    segment = np.concatenate(segments)
    count = np.concatenate(judges)
    is_agreed = np.concatenate(agreed)
    if not len(segment):
        return ()
    every = np.ones(len(segment), dtype=np.bool_)
    unanimities = [
        Unanimity(None, _share_agreed(segment, is_agreed, every, confidence)),
    ]
    for number in np.unique(count).tolist():
        rows = count == number
        share_agreed = _share_agreed(segment, is_agreed, rows, confidence)
        unanimities.append(Unanimity(number, share_agreed))
    return tuple(unanimities)


def _share_agreed(
    segment: Int64Array,
    is_agreed: BoolArray,
    rows: BoolArray,
    confidence: float,
) -> Share:
    """Return the share of some items on which all agree, clustered by segment."""
    segments, index = np.unique(segment[rows], return_inverse=True)
    trials = np.bincount(index, minlength=len(segments))
    successes = np.bincount(index[is_agreed[rows]], minlength=len(segments))
    return clustered_share(successes, trials, confidence=confidence)

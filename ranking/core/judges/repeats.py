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
from ranking.core.arrays import Int64Array, share
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
    _, group, times = np.unique(
        blocks.segment.astype(np.int64) * judges + blocks.judge,
        return_inverse=True,
        return_counts=True,
    )
    parts = [NO_REPEATS]
    # Most judges see most segments only once, so their blocks have no such pairs.
    for cells in comparison_cells(blocks.take(times[group] > 1)):
        raters = raters_of(cells, judges)
        pairs = np.bincount(
            raters.of_cell, _pairs(cells.counts.sum(axis=1)), len(raters.judge)
        ).astype(np.int64)
        agreeing = np.bincount(
            raters.of_cell, _pairs(cells.counts).sum(axis=1), len(raters.judge)
        ).astype(np.int64)
        parts.append(
            KeyedSums.of((JUDGE_BITS,), [raters.judge], cluster_sums(agreeing, pairs))
        )
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
    blocks: Blocks, *, confidence: float = 0.95
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
    shares = shares_of_sums(
        repeat_sums(tally_repeats(blocks), judges), confidence=confidence
    )
    return tuple(
        _agreement(name, again, of, own)
        for name, again, of, own in zip(
            blocks.judges, shares, comparisons, ties, strict=True
        )
    )


def _agreement(judge: str, again: Share, comparisons: int, ties: int) -> SelfAgreement:
    p_chance = scott_chance(share(np.array(ties), np.array(comparisons)))
    p_agree, *ends = (
        np.nan if one is None else one for one in (again.value, again.low, again.high)
    )
    low, high = kappa_of(np.array(ends), p_chance).tolist()
    return SelfAgreement(
        **agreement_fields(
            again.trials,
            again.successes,
            p_agree,
            float(p_chance),
            Interval(low, high, None),
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
        items = len(cells.item_segment)
        by_outcome = np.zeros((items, cells.counts.shape[1]), dtype=np.int64)
        np.add.at(by_outcome, cells.item, cells.counts)
        of_item = np.bincount(cells.item, minlength=items)
        shared = of_item > 1
        segments.append(cells.item_segment[shared])
        judges.append(of_item[shared])
        agreed.append(np.count_nonzero(by_outcome[shared], axis=1) == 1)
    segment = np.concatenate(segments)
    count = np.concatenate(judges)
    is_agreed = np.concatenate(agreed)
    shares = []
    for number in (None, *np.unique(count).tolist()):
        if number is None:
            rows = slice(None)
        else:
            rows = count == number
        numbers, index = np.unique(segment[rows], return_inverse=True)
        trials = np.bincount(index, minlength=len(numbers))
        successes = np.bincount(index[is_agreed[rows]], minlength=len(numbers))
        share = clustered_share(successes, trials, confidence=confidence)
        shares.append(Unanimity(number, share))
    if len(segment):
        return tuple(shares)
    return ()

"""Agreement of judges with themselves, and items that all judges judge alike.

How often a judge's comparison of an item that they compared before came out the same.

κ of judges with themselves, by chance as each judge's own labels give it.

How often all judges of an item agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ranking.core.agreement.statistics import scott_chance
from ranking.core.agreement.units import cells_of_comparisons, shards_of_whole_segments
from ranking.core.arrays import Int8Array, Int64Array
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Outcome, collapsed_comparisons
from ranking.core.judges.patterns import JUDGE_BITS, KeyedSums
from ranking.core.judges.shares import Share, cluster_sums, clustered_share, shares_of_sums
from ranking.core.scores import NotEstimable

#: Sums of `cluster_sums` over segments by judge.
NO_REPEATS = KeyedSums.empty((JUDGE_BITS,), 6)

_BLOCKS_AT_A_TIME = 1 << 15


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
        By judge, the `cluster_sums` of agreeing pairs among all pairs of each segment.
    """
    judges = len(blocks.judges)
    parts = [NO_REPEATS]
    for rows, group in _repeated(blocks):
        judge, pairs, agreeing = _pairs(blocks, rows, group)
        parts.append(KeyedSums.of((JUDGE_BITS,), [judge % judges], cluster_sums(agreeing, pairs)))
    return KeyedSums.total(parts)


def repeat_sums(repeats: KeyedSums, judges: int) -> Int64Array:
    """Return the sums of each judge, shape (J, 6), for `shares_of_sums`."""
    sums = np.zeros((judges, 6), dtype=np.int64)
    sums[repeats.judge] = repeats.values
    return sums


def _repeated(blocks: Blocks) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield the rows of blocks whose judge has another one of the segment, and their groups.

    A group, the segment and the judge as one number, is never in two parts.
    """
    group = blocks.segment.astype(np.int64) * len(blocks.judges) + blocks.judge
    order = np.argsort(group, kind="stable")
    group = group[order]
    repeated = np.zeros(len(group), dtype=np.bool_)
    same = group[1:] == group[:-1]
    repeated[1:] |= same
    repeated[:-1] |= same
    order, group = order[repeated], group[repeated]
    starts = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
    cuts = starts[1:][np.diff(starts // _BLOCKS_AT_A_TIME) > 0]
    if len(order):
        yield from zip(np.split(order, cuts), np.split(group, cuts), strict=True)


def _pairs(
    blocks: Blocks, rows: Int64Array, group: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return the groups with pairs of comparisons of one item, their pairs, and those that agree."""
    candidate, label = _candidates(blocks.labels[rows], blocks.candidates[rows])
    sets = int(candidate.max(initial=0)) + 1
    numbers, place = np.unique(group, return_inverse=True)
    parts = [np.empty(0, dtype=np.int64)]
    for p, q in combinations(range(label.shape[1]), 2):
        both = np.flatnonzero((label[:, p] > 0) & (label[:, q] > 0))
        first, second = candidate[both, p], candidate[both, q]
        outcome = 1 + np.sign(label[both, p] - label[both, q], dtype=np.int64)
        # The candidate with the smaller code is the first, in any position.
        swapped = first > second
        item = (place[both] * sets + np.minimum(first, second)) * sets + np.maximum(first, second)
        parts.append(item * len(Outcome) + np.where(swapped, 2 - outcome, outcome))
    code = np.sort(np.concatenate(parts))
    agreeing = _pairs_of_equal(code)
    pairs = _pairs_of_equal(code // len(Outcome))
    of_group = code // (len(Outcome) * sets**2)
    counts = [
        np.bincount(of_group, each, len(numbers)).astype(np.int64) for each in (pairs, agreeing)
    ]
    return numbers, counts[0], counts[1]


def _pairs_of_equal(ordered: Int64Array) -> Int64Array:
    """Return for each number how many before it are equal; the sum of these is that of the pairs."""
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    lengths = np.diff(np.append(starts, len(ordered)))
    return np.arange(len(ordered)) - np.repeat(starts, lengths)


def _candidates(labels: Int8Array, candidates: Int8Array) -> tuple[Int64Array, Int8Array]:
    """Return a number for the set of systems of each shown candidate, and its label.

    Both arrays have shape (B, positions); equal sets have equal numbers.
    """
    count, systems = candidates.shape
    positions = int(candidates.max(initial=-1)) + 1
    code = np.full((count, positions), -1, dtype=np.int64)
    label = np.zeros((count, positions), dtype=np.int8)
    row, system = np.nonzero(candidates >= 0)
    position = candidates[row, system]
    label[row, position] = labels[row, system]
    # A candidate that stands for a single system has the number of the system.
    code[row, position] = system
    several = code[row, position] != system
    row, position = row[several], position[several]
    is_there = candidates[row] == position[:, np.newaxis]
    _, number = np.unique(np.packbits(is_there, axis=1), axis=0, return_inverse=True)
    code[row, position] = systems + number.reshape(-1)
    return code, label


@dataclass(frozen=True)
class SelfAgreement:
    """Agreement of a judge with themselves, where they compared an item more than once.

    Attributes
    ----------
    judge : str
    comparable, agreeing : int
        Pairs of the judge's comparisons of one item, and pairs with the same outcome.
    comparisons, ties : int
        All comparisons of the judge, and tied ones.
    p_agree : float or None
        P(A): agreeing / comparable.
    p_chance : float or None
        P(E) of the judge's own labels: t² + 2 ((1 − t) / 2)², with t the judge's share of ties.
    kappa, low, high : float or None
        κ with its interval, which takes P(E) for known and segments for independent.
    reason : NotEstimable or None
        Why `kappa` is None.
    """

    judge: str
    comparable: int
    agreeing: int
    comparisons: int
    ties: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None
    low: float | None
    high: float | None
    reason: NotEstimable | None


def agreement_with_themselves(
    blocks: Blocks, *, confidence: float = 0.95
) -> tuple[SelfAgreement, ...]:
    """Measure κ of each judge with themselves, by the judge's own labels.

    A judge who often ties agrees with themselves more often by chance than one who never does. P(E)
    is therefore estimated from the judge's own comparisons, all of them and not the repeated ones
    alone, as Scott's π does for all judges (Bojar et al. 2011, §2.2.2).

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
    shares = shares_of_sums(repeat_sums(tally_repeats(blocks), judges), confidence=confidence)
    return tuple(
        _agreement(name, again, of, own)
        for name, again, of, own in zip(blocks.judges, shares, comparisons, ties, strict=True)
    )


def _agreement(judge: str, again: Share, comparisons: int, ties: int) -> SelfAgreement:
    chance = float(scott_chance(np.asarray(ties / comparisons))) if comparisons else None
    reason = None
    if again.value is None or chance is None:
        reason = NotEstimable.NO_COMPARISON
    elif chance >= 1:
        reason = NotEstimable.CHANCE_IS_CERTAIN
    kappa, low, high = (
        None if reason is not None or chance is None or share is None else _kappa(share, chance)
        for share in (again.value, again.low, again.high)
    )
    return SelfAgreement(
        judge=judge,
        comparable=again.trials,
        agreeing=again.successes,
        comparisons=comparisons,
        ties=ties,
        p_agree=again.value,
        p_chance=chance,
        kappa=kappa,
        low=low,
        high=high,
        reason=reason,
    )


def _kappa(share: float, chance: float) -> float:
    return (share - chance) / (1 - chance)


@dataclass(frozen=True)
class Unanimity:
    """Items on which all their judges agree.

    Attributes
    ----------
    judges : int or None
        Judges of the items; None for two or more.
    share : Share
        Of those items, with its interval over segments.
    """

    judges: int | None
    share: Share


def unanimity(blocks: Blocks, *, confidence: float = 0.95) -> tuple[Unanimity, ...]:
    """Count the items, compared by two judges or more, on which all judges agree.

    Bojar et al. (2011, §2.5) found one label of all six annotators on 24 % of items. A judge who
    compared an item twice with two outcomes contradicts themselves, so the item is not unanimous.
    The share falls with the number of judges by itself: compare items with as many judges.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    tuple of Unanimity
        Of all such items first, then by the number of judges, ascending; empty without such an item.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    segments, judges, agreed = [], [], []
    for shard in shards_of_whole_segments(blocks):
        cells = cells_of_comparisons(collapsed_comparisons(shard), len(blocks.judges))
        items = len(cells.item_segment)
        by_outcome = np.zeros((items, cells.counts.shape[1]), dtype=np.int64)
        np.add.at(by_outcome, cells.item, cells.counts)
        of_item = np.bincount(cells.item, minlength=items)
        shared = of_item > 1
        segments.append(cells.item_segment[shared])
        judges.append(of_item[shared])
        agreed.append(np.count_nonzero(by_outcome[shared], axis=1) == 1)
    segment, count, is_agreed = (np.concatenate(each) for each in (segments, judges, agreed))
    found = []
    for number in (None, *np.unique(count).tolist()):
        rows = slice(None) if number is None else count == number
        numbers, place = np.unique(segment[rows], return_inverse=True)
        trials = np.bincount(place, minlength=len(numbers))
        successes = np.bincount(place[is_agreed[rows]], minlength=len(numbers))
        share = clustered_share(successes, trials, confidence=confidence)
        found.append(Unanimity(number, share))
    return tuple(found) if len(segment) else ()

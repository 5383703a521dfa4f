"""How often a judge's comparison of an item that they compared before came out the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks, Int8Array
from ranking.core.judged.collapsed_candidates import Outcome
from ranking.core.judges.clustered_share import cluster_sums
from ranking.core.judges.keyed_sums import JUDGE_BITS, KeyedSums

Int64Array = npt.NDArray[np.int64]

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
    """Return the sums of each of so many judges, shape (J, 6), for `shares_of_sums`."""
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

"""Comparisons and labels of candidates, with identical outputs collapsed."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ranking.core.arrays import Int64Array
from ranking.core.judged.blocks import Blocks
from ranking.core.words import member_of

_BITS = 64
#: Maximum length of a table of codes, see `_distinct_codes`.
_TABLE_FOR_EACH = 4
_SMALL_TABLE = 1 << 16


class Outcome(IntEnum):
    """Outcome of a comparison between the first and the second candidate of an item."""

    FIRST = 0
    TIE = 1
    SECOND = 2


class Pairing(StrEnum):
    """Definition of the item that two comparisons have in common."""

    UNORDERED = "unordered"
    """A segment and an unordered pair of candidates (Bojar et al. 2011)."""

    PRESENTED = "presented"
    """A segment and a pair of candidates in shown order: the same pair in the other order is
    another item, as in the script of WMT15 and WMT16."""


@dataclass(frozen=True, eq=False)
class CollapsedComparisons:
    """C pairwise comparisons of distinct candidates.

    An *item*, on which judges can agree, is a segment and a pair of its candidates (see `Pairing`).
    A candidate is identified by the set of systems it stands for. Items are numbered from 0 in an
    order that depends only on their contents.

    Attributes
    ----------
    items : int
        Number of distinct items.
    item : int64, shape (C,)
        The item compared.
    item_segment : int64, shape (items,)
        Segment number of each item.
    outcome : int64, shape (C,)
        An `Outcome`, with the candidates of the item in canonical order, or for
        `Pairing.PRESENTED` in shown order.
    block : int64, shape (C,)
        Row of the block the comparison comes from.
    judge : int64, shape (C,)
        The judge, as in `Blocks.judge`.
    """

    items: int
    item: Int64Array
    item_segment: Int64Array
    outcome: Int64Array
    block: Int64Array
    judge: Int64Array


def collapsed_comparisons(
    blocks: Blocks,
    pairing: Pairing = Pairing.UNORDERED,
) -> CollapsedComparisons:
    """Return the comparisons between labelled candidates of each block.

    Unlike in `ranking.core.counting.counts`, a candidate that stands for several systems counts
    once, because it was judged once. Systems removed by `Blocks.without` are not in the set of
    systems of a candidate.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    pairing : Pairing
        Whether the same candidates in the opposite order are a different item.

    Returns
    -------
    CollapsedComparisons
        C = the sum over blocks of k (k − 1) / 2 for k labelled candidates; of 2 k − 3 in best-worst scaling.
    """
    pairing = member_of(Pairing, "pairing", pairing)
    candidate, label = _candidates(blocks)
    compared = _compared_candidates(candidate, label, blocks, pairing)
    # An item is a segment and two of at most 5 B candidate sets: numbering each of these before
    # combining them keeps codes within 64 bits.
    sets = int(candidate.max(initial=0)) + 1
    both = compared.first * sets + compared.second
    pair_codes, pair = _distinct_codes(both, sets * sets)
    pairs = max(1, len(pair_codes))
    segments = _segments_of(blocks)
    segment_and_pair = segments.offset[compared.block] * pairs + pair
    codes, item = _distinct_codes(segment_and_pair, segments.range * pairs)
    return CollapsedComparisons(
        items=len(codes),
        item=item,
        item_segment=segments.lowest + codes // pairs,
        outcome=compared.outcome,
        block=compared.block,
        judge=blocks.judge[compared.block].astype(np.int64),
    )


class _ComparedCandidates(NamedTuple):
    """The C comparisons of two candidates of a block, each of shape (C,); candidates are sets as codes."""

    block: Int64Array
    first: Int64Array
    second: Int64Array
    outcome: Int64Array


def _compared_candidates(
    candidate: Int64Array,
    label: Int64Array,
    blocks: Blocks,
    pairing: Pairing,
) -> _ComparedCandidates:
    """Compare the labelled candidates of each block, given the results of `_candidates`."""
    block_parts = []
    first_parts = []
    second_parts = []
    outcome_parts = []
    for p, q in combinations(range(blocks.positions), 2):
        is_compared = (label[:, p] > 0) & (label[:, q] > 0)
        if blocks.best_worst:
            is_compared &= label[:, p] != label[:, q]
        rows = np.flatnonzero(is_compared)
        # In unordered pairs, the candidate with the smaller code is first, regardless of position.
        is_swapped = candidate[rows, p] > candidate[rows, q]
        if pairing is Pairing.PRESENTED:
            is_swapped = np.zeros_like(is_swapped)
        first = (rows, np.where(is_swapped, q, p))
        second = (rows, np.where(is_swapped, p, q))
        block_parts.append(rows)
        first_parts.append(candidate[first])
        second_parts.append(candidate[second])
        difference = label[first] - label[second]
        outcome_parts.append(1 + np.sign(difference))
    return _ComparedCandidates(
        block=_concatenate_parts(block_parts),
        first=_concatenate_parts(first_parts),
        second=_concatenate_parts(second_parts),
        outcome=_concatenate_parts(outcome_parts),
    )


@dataclass(frozen=True, eq=False)
class CollapsedLabels:
    """L labels of candidates.

    An item is a segment and a candidate, identified by the set of systems it stands for.

    Attributes
    ----------
    items : int
        Number of distinct items.
    item : int64, shape (L,)
        The item labelled.
    item_segment : int64, shape (items,)
        Segment number of each item.
    label : int64, shape (L,)
        1 best … 5 worst.
    judge : int64, shape (L,)
        As in `Blocks.judge`.
    """

    items: int
    item: Int64Array
    item_segment: Int64Array
    label: Int64Array
    judge: Int64Array


def collapsed_labels(blocks: Blocks) -> CollapsedLabels:
    """Return the labels of all labelled candidates, each once regardless of the number of its
    systems.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.

    Returns
    -------
    CollapsedLabels
    """
    candidate, label = _candidates(blocks)
    block, position = np.nonzero(label)
    sets = int(candidate.max(initial=0)) + 1
    segments = _segments_of(blocks)
    code = segments.offset[block] * sets + candidate[block, position]
    codes, item = _distinct_codes(code, segments.range * sets)
    return CollapsedLabels(
        items=len(codes),
        item=item,
        item_segment=segments.lowest + codes // sets,
        label=label[block, position],
        judge=blocks.judge[block].astype(np.int64),
    )


class _Segments(NamedTuple):
    """The lowest segment number, the size of the range of numbers, and each block's number minus the lowest."""

    lowest: int
    range: int
    offset: Int64Array


def _segments_of(blocks: Blocks) -> _Segments:
    if not len(blocks):
        return _Segments(lowest=0, range=0, offset=np.empty(0, dtype=np.int64))
    lowest = int(blocks.segment.min())
    offset = blocks.segment.astype(np.int64) - lowest
    return _Segments(lowest=lowest, range=int(offset.max()) + 1, offset=offset)


def _candidates(blocks: Blocks) -> tuple[Int64Array, Int64Array]:
    """Return the set of systems of each shown candidate as a code, and its label (0 if blank).

    Both arrays have shape (B, positions). Equal sets have equal codes in all blocks. Codes are
    ordered like the sets read as bits, first system first, so they do not depend on the order of
    the blocks.
    """
    shape = (len(blocks), blocks.positions)
    systems = len(blocks.systems)
    label = np.zeros(shape, dtype=np.int64)
    code = np.zeros(shape, dtype=np.int64)
    for start in range(0, systems, _BITS):
        bits = np.zeros(shape, dtype=np.uint64)
        for bit in range(min(_BITS, systems - start)):
            system = start + bit
            position = blocks.candidates[:, system]
            rows = np.flatnonzero(position >= 0)
            cell = (rows, position[rows])
            # A system has only one position in a block, so nothing is added twice.
            bits[cell] += np.uint64(1 << (_BITS - 1 - bit))
            label[cell] = blocks.labels[rows, system]
        sets = np.unique(bits)
        set_number = np.searchsorted(sets, bits)
        combined = code * max(1, len(sets)) + set_number
        code = np.searchsorted(np.unique(combined), combined)
    return code, label


def _distinct_codes(codes: Int64Array, bound: int) -> tuple[Int64Array, Int64Array]:
    """Return the distinct codes in order, and the index of each code among them.

    Codes are at least 0 and less than `bound`. If `bound` is not much larger than the number of
    codes, a table of all possible codes is faster than sorting.
    """
    if bound > _TABLE_FOR_EACH * len(codes) + _SMALL_TABLE:
        numbers, number = np.unique(codes, return_inverse=True)
        return numbers, number
    occurs = np.zeros(bound, dtype=np.bool_)
    occurs[codes] = True
    number_of_code = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), number_of_code[codes]


def _concatenate_parts(parts: list[Int64Array]) -> Int64Array:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])

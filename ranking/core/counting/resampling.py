"""Bootstrap of comparisons, blocks, segments, judges, or both segments and judges, with stateless
weights.

Instead of drawing B blocks with replacement, each (block, resample) gets its own weight from the
Poisson distribution with mean 1 (the limit of the multinomial weights of the ordinary bootstrap).
The weight is a pure function of (seed, resample ID, content key): nothing is drawn in sequence, so
blocks may arrive in any order and on any number of workers, and resampled counts of shards simply
add up. Removing a judgment subtracts its counts exactly.

The generator: SplitMix64 (Steele, Lea & Flood 2014) started at ``mix(key ^ mix(seed + γ))``; its
g-th output serves resamples 4g … 4g+3, with sixteen bits each. These are the leading bits of a
uniform number, which is turned into a Poisson weight by inverting the distribution function.
Sixteen bits determine all but about one weight in 6,000; the others use 48 further bits from a
second hash. Weights are thus exact to 2**-64, at a quarter of the cost of one hash per weight.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from hashlib import blake2b
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.arrays import (
    FloatArray,
    Int16Array,
    Int64Array,
    UInt64Array,
    as_column,
)
from ranking.core.counting.counts import Layout, Tallies, chunks, tally
from ranking.core.judged.blocks import Blocks, first_segments
from ranking.core.words import confidence_check, word_check

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_LANES = 4
_UNDECIDED = np.int16(-1)
#: A weight of 21 has a probability below 2**-64, the resolution of the uniform numbers, so it never
#: occurs.
MAX_WEIGHT = 20


def _mix(state: UInt64Array) -> UInt64Array:
    """Scramble 64-bit states in place with the finaliser of SplitMix64, a bijection."""
    for shift, multiplier in zip(_SHIFTS, _MULTIPLIERS, strict=False):
        state ^= state >> shift
        state *= multiplier
    state ^= state >> _SHIFTS[2]
    return state


@cache
def poisson_thresholds() -> UInt64Array:
    """Return floor(2**64 · P(X ≤ k)) for k = 0, 1 … while it is below 2**64; X ~ Poisson(1).

    Decimal arithmetic is the same on all platforms, unlike the math library's exp.
    """
    with localcontext() as context:
        context.prec = 60
        probability = Decimal(-1).exp()
        below = Decimal(0)
        thresholds = []
        for k in range(MAX_WEIGHT):
            below += probability
            thresholds.append(int(below * 2**64))
            probability /= k + 1
    return np.array(thresholds, dtype=np.uint64)


@cache
def _weight_by_leading_bits() -> Int16Array:
    """Return the weight for each value of the 16 leading bits, or `_UNDECIDED`."""
    thresholds = poisson_thresholds()
    lowest = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
    highest = lowest | np.uint64((1 << 48) - 1)
    weight = np.searchsorted(thresholds, lowest, side="right")
    decided = weight == np.searchsorted(thresholds, highest, side="right")
    return np.where(decided, weight, _UNDECIDED).astype(np.int16)


def poisson_weights(
    key: UInt64Array,
    *,
    seed: int,
    resamples: int,
    first_resample: int = 0,
) -> Int16Array:
    """Return weights of B units in consecutive resamples: Poisson with mean 1.

    Parameters
    ----------
    key : uint64, shape (B,)
        Content keys of the resampled units.
    seed : int
        0 ≤ seed < 2**64.
    resamples : int
        Number R of resamples.
    first_resample : int
        ID of the first resample; the others follow. Different workers may compute different ranges
        of IDs.

    Returns
    -------
    int16, shape (B, R)
        Entry (b, r) depends only on `key[b]`, `seed` and ``first_resample + r``.

    Raises
    ------
    ValueError
        If `seed`, `resamples` or `first_resample` is out of range.
    """
    start = generator_states(key, seed=seed)
    first_group, offset = divmod(first_resample, _LANES)
    group_count = -(-(offset + resamples) // _LANES)
    groups = np.arange(first_group, first_group + group_count, dtype=np.uint64)
    bits = random_bits(start, groups)
    # "<u8" before "<u2", so that lane 0 is the low sixteen bits on every platform.
    lanes = bits.astype("<u8", copy=False).view("<u2")
    lanes = lanes[:, offset : offset + resamples]
    weights = np.take(_weight_by_leading_bits(), lanes)
    rows, columns = np.nonzero(weights == _UNDECIDED)
    if len(rows):
        ids = columns.astype(np.uint64) + np.uint64(first_resample)
        # Complementing the state separates this second stream from the first.
        low_bits = _nth_numbers(~start[rows], ids) >> np.uint64(16)
        leading_bits = lanes[rows, columns].astype(np.uint64) << np.uint64(48)
        uniform = leading_bits | low_bits
        thresholds = poisson_thresholds()
        weights[rows, columns] = np.searchsorted(thresholds, uniform, "right")
    return weights


def uniform_numbers(
    key: UInt64Array,
    *,
    seed: int,
    resamples: int,
    first_resample: int = 0,
) -> FloatArray:
    """Return a uniform random number for each of B units in consecutive resamples.

    The numbers are independent of the units' `poisson_weights`.

    Parameters
    ----------
    key, seed, resamples, first_resample
        As for `poisson_weights`.

    Returns
    -------
    float64, shape (B, R)
        At least 0 and below 1, in steps of 2**-53.
    """
    start = generator_states(~key, seed=seed)
    ids = np.arange(first_resample, first_resample + resamples, dtype=np.uint64)
    bits = random_bits(start, ids)
    return np.asarray((bits >> np.uint64(11)) * 2.0**-53)


def generator_states(key: UInt64Array, *, seed: int) -> UInt64Array:
    """Return the initial state of each unit's generator, shape (B,).

    Raises ValueError if the seed is out of range.
    """
    if not 0 <= seed < 1 << 64:
        raise ValueError("seed: expected 0 ≤ seed < 2**64")
    mixed_seed = _mix(np.array([seed], dtype=np.uint64) + _GAMMA)
    return _mix(key ^ mixed_seed)


def random_bits(start: UInt64Array, index: UInt64Array) -> UInt64Array:
    """Return numbers of some generators, given their initial states, shape (B, I)."""
    return _nth_numbers(as_column(start), index)


def _nth_numbers(start: UInt64Array, index: UInt64Array) -> UInt64Array:
    """Return the numbers with an index, from 0, of generators with these initial states."""
    steps = index + np.uint64(1)
    return _mix(start + steps * _GAMMA)


def shuffled(key: UInt64Array, *, seed: int, run: int) -> UInt64Array:
    """Return numbers for sorting units, each depending only on (seed, run, key of the unit)."""
    run_key = np.array([run], dtype=np.uint64)
    return _mix(key ^ generator_states(run_key, seed=seed))


#: Number of units resampled at a time: their weights take two megabytes per 1,000 resamples.
UNITS_AT_A_TIME = 1024


def bootstrap_wins(
    blocks: Blocks,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Int64Array:
    """Count wins in bootstrap resamples of whole blocks.

    Blocks are resampled because comparisons of one block are not independent. Koehn (2012, §5.1)
    resamples single comparisons, which gives narrower ranges. Blocks with equal keys get equal
    weights.

    Returns
    -------
    int64, shape (R, n, n)
        ``result[r, a, b]`` is the number of comparisons won by a against b in resample r.
    """
    n = len(blocks.systems)
    totals = Resampling("blocks", seed).counts(blocks, Layout(n), range(resamples))
    return totals.reshape(resamples, n, n)


def bootstrap_sums(
    values: sparse.csc_array[Any],
    key: UInt64Array,
    *,
    resamples: int,
    seed: int,
    first_resample: int = 0,
) -> npt.NDArray[Any]:
    """Return sums of statistics of units in bootstrap resamples of those units.

    Parameters
    ----------
    values : sparse int64 or float64, shape (m, U)
        m statistics of each of U units, for instance segments.
    key : uint64, shape (U,)
        Key of each unit: its content key or its number.
    resamples : int
        Number R of resamples.
    seed : int
        0 ≤ seed < 2**64.
    first_resample : int
        ID of the first resample.

    Returns
    -------
    int64 or float64, shape (m, R)
        Weighted sums; exact for integers.
    """
    totals = np.zeros((values.shape[0], resamples), dtype=values.dtype)
    for units in chunks(len(key), UNITS_AT_A_TIME):
        weights = poisson_weights(
            key[units],
            seed=seed,
            resamples=resamples,
            first_resample=first_resample,
        )
        totals += np.asarray(values[:, units] @ weights.astype(values.dtype))
    return totals


def trim_count(resamples: int, confidence: float) -> int:
    """Return the number of resampled values to trim at each end for a percentile interval.

    It is ``floor(resamples · (1 − confidence) / 2)``: 25 at each end for 1,000 resamples at 95%
    (Koehn 2012, §5.1).

    Raises
    ------
    ValueError
        If there are no resamples, or the confidence is not between 0 and 1 (exclusive).
    """
    if resamples < 1:
        raise ValueError("resamples: expected at least one")
    confidence_check(confidence)
    # Round first: 1,000 · (1 − 0.9) / 2 is 49.99…97 in floating point, but should be 50.
    return math.floor(round(resamples * (1 - confidence) / 2, 9))


Level = Literal["pairs", "blocks", "segments", "judges", "two_way"]
LEVELS: tuple[Level, ...] = get_args(Level)

_MASK = (1 << 64) - 1
#: Outcomes of a comparison in the order of `Resampling.draw_pairs`; the third is a tie.
_FIRST_WON = 0
_SECOND_WON = 1


def unit_keys(blocks: Blocks, level: Level, *, documents: bool = False) -> UInt64Array:
    """Return the key of the resampled unit that each block belongs to.

    Blocks of one segment (judge) are resampled together: they share the unit's key, and so their
    weights. Like the content key, a unit's key depends only on the contents of the file: BLAKE2b, 8
    bytes, little-endian, of the segment's number (8 bytes, signed, little-endian; person
    "quintet-segment") or of the judge's pseudonym (UTF-8; person "quintet-judge").

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    level : "blocks", "segments" or "judges"
    documents : bool
        Whether documents replace segments if they are known. The key of a document is computed like
        that of its first segment among these blocks, but with person "quintet-document".

    Returns
    -------
    uint64, shape (B,)
    """
    word_check("level", level, Level)
    if level == "blocks":
        return blocks.key
    if level == "segments" and documents and blocks.document is not None:
        return _keys_of_numbers(first_segments(blocks), b"quintet-document")
    if level == "segments":
        return segment_keys(blocks.segment)
    if level == "judges":
        return _judge_keys(blocks)
    raise ValueError(f"there are no units of level {level!r}")


def segment_keys(segments: npt.NDArray[np.integer]) -> UInt64Array:
    """Return the keys of segments from their numbers, shape (B,); a segment's judgments do not
    affect its key.
    """
    return _keys_of_numbers(segments, b"quintet-segment")


def keys_without_names(blocks: Blocks, order: Int64Array) -> UInt64Array:
    """Return a key of each block that names of systems, and their sides, do not change.

    It is a hash of the segment's number, the judge's pseudonym, and the number of the block among
    those of this segment by this judge, which are numbered by their labels.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    order : int64, shape (n,)
        Order of the systems that does not depend on their names.

    Returns
    -------
    uint64, shape (B,)
    """
    segment = _mix(blocks.segment.astype(np.uint64) + _GAMMA)
    key = _mix(segment ^ _judge_keys(blocks))
    _keys, unit, times = np.unique(key, return_inverse=True, return_counts=True)
    rows = np.flatnonzero(times[unit] > 1)
    if not len(rows):
        return key
    candidates = blocks.candidates[rows][:, order]
    labels = blocks.labels[rows][:, order]
    columns = (*candidates.T, *labels.T, unit[rows])
    rows = rows[np.lexsort(columns)]
    unit = unit[rows]
    first_of_unit = np.searchsorted(unit, unit)
    number = np.arange(len(rows)) - first_of_unit
    key[rows] = _mix(key[rows] + number.astype(np.uint64))
    return key


def _judge_keys(blocks: Blocks) -> UInt64Array:
    """Return the key of each block's judge, shape (B,)."""
    names = [name.encode() for name in blocks.judges]
    return _keys_of(names, b"quintet-judge")[blocks.judge]


def _keys_of_numbers(column: npt.NDArray[np.integer], person: bytes) -> UInt64Array:
    numbers, unit = np.unique(column, return_inverse=True)
    contents = [struct.pack("<q", number) for number in numbers.tolist()]
    return _keys_of(contents, person)[unit]


def _keys_of(contents: list[bytes], person: bytes) -> UInt64Array:
    keys = np.empty(len(contents), dtype=np.uint64)
    for row, content in enumerate(contents):
        digest = blake2b(content, digest_size=8, person=person).digest()
        keys[row] = int.from_bytes(digest, "little")
    return keys


@dataclass(frozen=True)
class Resampling:
    """The units to resample, and the seed.

    Each resample depends only on (level, seed, ID, data), so workers can draw resamples in any
    order.

    Attributes
    ----------
    level : "pairs", "blocks", "segments", "judges" or "two_way"
        "pairs" draws as many comparisons as there are, including ties, with replacement (Koehn
        2012, §5.1). "blocks", "segments" and "judges" give each unit a Poisson weight, see
        `ranking.core.counting.resampling`. "two_way" gives each block the product of a segment
        weight and a judge weight, each a Poisson weight with probability `share` and otherwise 1.
    seed : int
        0 ≤ seed < 2**64.
    share : float
        Used by "two_way", between 0 and 1. With 1 it is the product bootstrap of Owen & Eckles
        (2012), which makes ranges too wide; `ranking.core.rankings.range_kinds` finds the
        share that gives the right variance.
    documents : bool
        Whether to give weights to documents instead of segments if documents are known.

    References
    ----------
    A. B. Owen, D. Eckles (2012), Bootstrapping Data Arrays of Arbitrary Order, Ann. Appl. Stat. 6.
    """

    level: Level = "two_way"
    seed: int = 0
    share: float = 1.0
    documents: bool = False

    def __post_init__(self) -> None:
        word_check("resample", self.level, Level)
        if not 0 <= self.share <= 1:
            raise ValueError("share: expected a number between 0 and 1")
        if not 0 <= self.seed <= _MASK:
            raise ValueError("seed: expected 0 ≤ seed < 2**64")

    def counts(self, blocks: Blocks, layout: Layout, ids: range) -> Int64Array:
        """Return counts in resamples.

        Parameters
        ----------
        blocks : Blocks
        layout : Layout
            The m cells to count; without `outright` for pairs, which are not drawn by block.
        ids : range
            The resamples, with step 1.

        Returns
        -------
        int64, shape (len(ids), m)

        Raises
        ------
        ValueError
            If blocks won outright are to be counted in resamples of pairs.
        """
        if self.level == "pairs":
            if layout.outright:
                raise ValueError(
                    "resample: blocks won outright cannot be counted in pairs",
                )
            return self.pair_counts(tally(blocks), layout, ids)
        totals = np.zeros((layout.size, len(ids)), dtype=np.int64)
        keys = self._keys(blocks)
        for rows in chunks(len(blocks), UNITS_AT_A_TIME):
            # A block adds to few of the m cells, so a sparse product is faster than a dense one
            # (tenfold for 15 systems). Chunks are exact in 32 bits, and are added up in 64 bits.
            weights = self._weights(keys[:, rows], ids).astype(np.int32)
            cells = layout.of_blocks(blocks.take(rows))
            totals += np.asarray(cells @ weights)
        return np.ascontiguousarray(totals.T)

    def weights(self, blocks: Blocks, ids: range) -> Int16Array:
        """Return weights of B blocks in resamples, shape (B, len(ids)); not for pairs."""
        return self._weights(self._keys(blocks), ids)

    def _keys(self, blocks: Blocks) -> UInt64Array:
        """Return the keys of the units whose weights are multiplied for each block, shape (1 or 2,
        B).
        """
        # For all blocks at once, because the key of a document depends on its first segment.
        if self.level != "two_way":
            keys = unit_keys(blocks, self.level, documents=self.documents)
            return keys[np.newaxis]
        segments = unit_keys(blocks, "segments", documents=self.documents)
        return np.stack([segments, unit_keys(blocks, "judges")])

    def _weights(self, keys: UInt64Array, ids: range) -> Int16Array:
        """Return weights of blocks from `_keys`."""
        if self.level == "two_way":
            segment_weights = self._thinned_weights(keys[0], ids)
            judge_weights = self._thinned_weights(keys[1], ids)
            return segment_weights * judge_weights
        return poisson_weights(
            keys[0],
            seed=self.seed,
            resamples=len(ids),
            first_resample=ids.start,
        )

    def _thinned_weights(self, key: UInt64Array, ids: range) -> Int16Array:
        """Return weights of units that are drawn with probability `share`, and otherwise count once."""
        drawn = {"seed": self.seed, "resamples": len(ids), "first_resample": ids.start}
        is_drawn = uniform_numbers(key, **drawn) < self.share
        return np.where(is_drawn, poisson_weights(key, **drawn), np.int16(1))

    def seed_of(self, resample: int) -> int:
        """Return a separate seed for a method that draws random numbers itself."""
        digest = blake2b(struct.pack("<QQ", self.seed, resample), digest_size=8)
        return int.from_bytes(digest.digest(), "little")

    def pair_counts(self, tallies: Tallies, layout: Layout, ids: range) -> Int64Array:
        """Return `counts` for the level "pairs" from tallies: int64, shape (len(ids), m) for the
        layout's m cells.
        """
        n = layout.systems
        first, second = np.triu_indices(n, 1)
        forward = first * n + second
        backward = second * n + first
        drawn = self.draw_pairs(tallies, ids)
        cells = np.zeros((len(ids), layout.size), dtype=np.int64)
        cells[:, forward] = drawn[:, 0]
        cells[:, backward] = drawn[:, 1]
        if layout.ties:
            cells[:, n * n + forward] = drawn[:, 2]
        return cells

    def draw_pairs(self, tallies: Tallies, ids: range) -> Int64Array:
        """Draw as many comparisons as there are, with replacement, and return their counts.

        Only the number of draws of each of the n (n − 1) / 2 · 3 outcomes (for a before b: won,
        lost or tied) matters, and these numbers are multinomial. So there is one draw per resample
        for any number of comparisons, with the same distribution as drawing them one by one.

        Parameters
        ----------
        tallies : Tallies of n systems
        ids : range
            The resamples.

        Returns
        -------
        int64, shape (len(ids), 3, n (n − 1) / 2)
            Wins of the first system, wins of the second, and ties, of each pair in the order of
            ``np.triu_indices(n, 1)``.
        """
        above = np.triu_indices(len(tallies.systems), 1)
        outcomes = (tallies.wins, tallies.wins.T, tallies.ties)
        counts = np.stack([outcome[above] for outcome in outcomes])
        observed = np.flatnonzero(counts)
        total = int(counts.sum())
        drawn = np.zeros((len(ids), counts.size), dtype=np.int64)
        if total:
            shares = counts.ravel()[observed] / total
            for row, random in enumerate(_generators(self.seed, ids)):
                drawn[row, observed] = random.multinomial(total, shares)
        return drawn.reshape(len(ids), *counts.shape)

    def pair_blocks(self, blocks: Blocks, resample: int) -> Blocks:
        """Draw comparisons for a method that needs blocks, and return a block of two candidates for
        each.

        Parameters
        ----------
        blocks : Blocks
        resample : int
            Id of the resample.

        Returns
        -------
        Blocks
            As many blocks as there are comparisons in `blocks`, with new keys.
        """
        tallies = tally(blocks)
        n = len(tallies.systems)
        first, second = np.triu_indices(n, 1)
        drawn = self.draw_pairs(tallies, range(resample, resample + 1))[0]
        kind = np.repeat(np.arange(drawn.size), drawn.ravel())
        outcome, pair = np.divmod(kind, max(1, len(first)))
        rows = np.arange(len(kind))
        one = first[pair]
        other = second[pair]
        # The loser has label 2, and all others have label 1.
        labels = np.zeros((len(kind), n), dtype=np.int8)
        labels[rows, one] = 1 + (outcome == _SECOND_WON)
        labels[rows, other] = 1 + (outcome == _FIRST_WON)
        candidates = np.full((len(kind), n), -1, dtype=np.int8)
        candidates[rows, one] = 0
        candidates[rows, other] = 1
        zeros = np.zeros(len(kind), dtype=np.int32)
        return Blocks(
            systems=blocks.systems,
            labels=labels,
            candidates=candidates,
            judge=zeros,
            judges=("resampled",),
            segment=zeros,
            key=rows.astype(np.uint64),
        )


def _generators(seed: int, ids: range) -> Iterator[np.random.Generator]:
    """Yield a generator, that of ``Philox(key=[seed, id])``, for each resample, valid until the
    next.

    Resetting the key of one generator is faster than creating another.
    """
    bits = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64))
    random = np.random.Generator(bits)
    start = bits.state
    for id_ in ids:
        start["state"]["key"] = np.array([seed, id_], dtype=np.uint64)
        bits.state = start
        yield random

"""Bootstrap resampling with stateless weights: the same bits in any order, shard and machine.

Instead of drawing B blocks with replacement, each (block, resample) gets its own weight from the
Poisson distribution with mean 1 (the limit of the multinomial weights of the ordinary bootstrap).
The weight is a pure function of (seed, resample id, content key): nothing is drawn in sequence, so
blocks may arrive in any order and on any number of workers, and resampled counts of shards simply
add up. Removing a judgment subtracts it exactly.

The generator: SplitMix64 (Steele, Lea & Flood 2014) started at ``mix(key ^ mix(seed + γ))``; its
g-th output serves resamples 4g … 4g+3, with sixteen bits each. These are the leading bits of a
uniform number, which becomes a Poisson weight by inversion of the distribution function. Sixteen
bits decide all but about one weight in 6,000; the others take 48 further bits from a second hash.
So weights are exact to 2**-64, at a quarter of the cost of one hash each.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.counting.compiled import resampling_kernel
from ranking.core.counting.counts import Layout
from ranking.core.counting.tallies import chunks
from ranking.core.judged.blocks import Blocks, UInt64Array

Int16Array = npt.NDArray[np.int16]
Int64Array = npt.NDArray[np.int64]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_LANES = 4
_UNDECIDED = np.int16(-1)
#: A weight of 21 is less likely than 2**-64, the resolution of the uniform numbers, so it never
#: occurs.
MAX_WEIGHT = 20


def _mix(state: UInt64Array) -> UInt64Array:
    """Scramble 64-bit states in place with the finaliser of SplitMix64, a bijection."""
    scratch = np.empty_like(state)
    np.right_shift(state, _SHIFTS[0], out=scratch)
    state ^= scratch
    state *= _MULTIPLIERS[0]
    np.right_shift(state, _SHIFTS[1], out=scratch)
    state ^= scratch
    state *= _MULTIPLIERS[1]
    np.right_shift(state, _SHIFTS[2], out=scratch)
    state ^= scratch
    return state


@cache
def poisson_thresholds() -> UInt64Array:
    """Return floor(2**64 · P(X ≤ k)) for k = 0, 1 … as long as it is below 2**64; X ~ Poisson(1).

    Decimal arithmetic is the same everywhere, unlike the mathematical library's exp.
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
    key: UInt64Array, *, seed: int, resamples: int, first_resample: int = 0
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
        Id of the first resample; the others follow. Ranges of ids may be computed by different
        workers.

    Returns
    -------
    int16, shape (B, R)
        Entry (b, r) depends only on `key[b]`, `seed` and ``first_resample + r``.

    Raises
    ------
    ValueError
        If `seed`, `resamples` or `first_resample` is out of range.
    """
    start = generator_states(key, seed=seed, resamples=resamples, first=first_resample)
    first_group = first_resample // _LANES
    groups = np.arange(first_group, -(-(first_resample + resamples) // _LANES), dtype=np.uint64)
    bits = _mix(start[:, np.newaxis] + (groups + np.uint64(1)) * _GAMMA)
    # "<u8" before "<u2" so that lane 0 is the low sixteen bits on every machine.
    lanes = bits.astype("<u8", copy=False).view("<u2")
    offset = first_resample - first_group * _LANES
    lanes = lanes[:, offset : offset + resamples]
    weights = np.take(_weight_by_leading_bits(), lanes)
    rows, columns = np.nonzero(weights == _UNDECIDED)
    if len(rows):
        ids = columns.astype(np.uint64) + np.uint64(first_resample)
        # Complementing the state keeps this second stream apart from the first.
        low = _mix(~start[rows] + (ids + np.uint64(1)) * _GAMMA) >> np.uint64(16)
        uniform = (lanes[rows, columns].astype(np.uint64) << np.uint64(48)) | low
        weights[rows, columns] = np.searchsorted(poisson_thresholds(), uniform, side="right")
    return weights


def uniform_numbers(
    key: UInt64Array, *, seed: int, resamples: int, first_resample: int = 0
) -> npt.NDArray[np.float64]:
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
    start = generator_states(~key, seed=seed, resamples=resamples, first=first_resample)
    ids = np.arange(first_resample, first_resample + resamples, dtype=np.uint64)
    bits = _mix(start[:, np.newaxis] + (ids + np.uint64(1)) * _GAMMA)
    return np.asarray((bits >> np.uint64(11)) * 2.0**-53)


def generator_states(key: UInt64Array, *, seed: int, resamples: int, first: int) -> UInt64Array:
    """Return the initial state of each unit's generator.

    Parameters
    ----------
    key : uint64, shape (B,)
    seed, resamples, first : int
        As for `poisson_weights`.

    Returns
    -------
    uint64, shape (B,)

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 0 <= seed < 1 << 64:
        raise ValueError("seed: expected 0 ≤ seed < 2**64")
    if resamples < 0 or first < 0:
        raise ValueError("resamples and first_resample must not be negative")
    return _mix(key ^ _mix(np.array([seed], dtype=np.uint64) + _GAMMA))


#: Units resampled at a time: their weights take two megabytes per 1,000 resamples, and 1,024 is the
#: largest power of two for which 16 bits hold a count, see `bootstrap_counts`.
UNITS_AT_A_TIME = 1024


def bootstrap_wins(
    blocks: Blocks,
    *,
    resamples: int = 1000,
    seed: int = 0,
    first_resample: int = 0,
    chunk: int = UNITS_AT_A_TIME,
) -> Int64Array:
    """Count wins in bootstrap resamples of whole blocks.

    Blocks are resampled because comparisons of one block are not independent. Koehn (2012, §5.1)
    resamples single comparisons, which gives narrower ranges.

    Parameters, errors and sharding are those of `bootstrap_counts`.

    Returns
    -------
    int64, shape (R, n, n)
        ``result[r, a, b]``: comparisons won by a against b in resample ``first_resample + r``.
    """
    n = len(blocks.systems)
    totals = bootstrap_counts(
        blocks,
        Layout(n),
        resamples=resamples,
        seed=seed,
        first_resample=first_resample,
        chunk=chunk,
    )
    return totals.reshape(resamples, n, n)


def bootstrap_counts(
    blocks: Blocks,
    layout: Layout,
    *,
    resamples: int = 1000,
    seed: int = 0,
    first_resample: int = 0,
    chunk: int = UNITS_AT_A_TIME,
) -> Int64Array:
    """Count the cells of a layout in bootstrap resamples of whole blocks, or of larger units.

    Blocks of equal key get equal weights: to resample segments or judges, give their blocks the
    keys of the segments or judges (`ranking.core.counting.resampling.unit_keys`).

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    layout : Layout
        The m cells to count.
    resamples : int
        Number R of resamples.
    seed : int
        0 ≤ seed < 2**64.
    first_resample : int
        Id of the first resample.
    chunk : int
        Blocks at a time, at most `UNITS_AT_A_TIME`. Does not affect the result.

    Returns
    -------
    int64, shape (R, m)
        Results of shards of the blocks add up to the whole result, and results of shards of the
        resamples concatenate to it, bit for bit. Memory is O(R m) for any B.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 1 <= chunk <= UNITS_AT_A_TIME:
        raise ValueError(f"chunk: expected 1 … {UNITS_AT_A_TIME}")
    kernel = resampling_kernel(len(blocks) * resamples)
    if kernel is not None:
        counted = kernel.resample_cells(
            blocks.labels,
            blocks.candidates,
            generator_states(blocks.key, seed=seed, resamples=resamples, first=first_resample),
            poisson_thresholds(),
            ties=layout.ties,
            outright=layout.outright,
            size=layout.size,
            first_resample=first_resample,
            resamples=resamples,
        )
        return np.ascontiguousarray(counted.T)
    totals = np.zeros((layout.size, resamples), dtype=np.int64)
    for rows in chunks(len(blocks), chunk):
        weights = poisson_weights(
            blocks.key[rows], seed=seed, resamples=resamples, first_resample=first_resample
        )
        # A block adds to few of the m cells, so a sparse product beats a dense one (tenfold at
        # 15 systems). It is exact in 16-bit integers: a cell of a chunk counts a block at most
        # once with a weight of at most MAX_WEIGHT, and UNITS_AT_A_TIME × MAX_WEIGHT < 2**15.
        # Chunks are then added up in 64 bits. Integers add up to the same bits in any order.
        totals += np.asarray(layout.of_blocks(blocks.take(rows)) @ weights)
    return np.ascontiguousarray(totals.T)


def bootstrap_sums(
    values: sparse.csc_array[np.int64],
    key: UInt64Array,
    *,
    resamples: int,
    seed: int,
) -> Int64Array:
    """Return sums of integer statistics of units in bootstrap resamples of those units.

    Parameters
    ----------
    values : sparse int64, shape (m, U)
        m statistics of each of U units, for instance segments.
    key : uint64, shape (U,)
        A key for each unit: its content key, or its number.
    resamples : int
        Number R of resamples.
    seed : int
        0 ≤ seed < 2**64.

    Returns
    -------
    int64, shape (m, R)
        Weighted sums, exact.
    """
    totals = np.zeros((values.shape[0], resamples), dtype=np.int64)
    for units in chunks(len(key), UNITS_AT_A_TIME):
        weights = poisson_weights(key[units], seed=seed, resamples=resamples)
        totals += np.asarray(values[:, units] @ weights.astype(np.int64))
    return totals


def trim_count(resamples: int, confidence: float) -> int:
    """Return the number of resampled values to trim at each end for a percentile interval.

    It is ``floor(resamples · (1 − confidence) / 2)``: 25 at each end of 1,000 at 95 % (Koehn 2012,
    §5.1).

    Raises
    ------
    ValueError
        If there is no resample, or the confidence is not between 0 and 1 (exclusively).
    """
    if resamples < 1:
        raise ValueError("resamples: expected at least one")
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    # Round first: 1,000 · (1 − 0.9) / 2 is 49.99…97 in binary, but 50 is meant.
    return math.floor(round(resamples * (1 - confidence) / 2, 9))

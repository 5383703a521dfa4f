"""Counting and resampling in compiled code: the same bits as in numpy, ten times as fast.

Importing this module imports numba, and compiles on the very first time; it is imported where
there is much to count (`ranking.core.counting.counts`, `ranking.core.counting.bootstrap`) and nowhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import boolean, int8, int16, int32, int64, njit, types, uint16, uint64, void

from ranking.core.counting.bootstrap import MAX_WEIGHT, poisson_thresholds

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1, _MULTIPLY_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_ONE, _SIXTEEN, _FORTY_EIGHT = np.uint64(1), np.uint64(16), np.uint64(48)
#: Blocks at a time, at most; and how often a cell may be listed, so that 16 bits hold its weighted
#: count: fewer totals are then brought up to date than with a fixed number of blocks.
_BLOCKS = 16384
_MOST = (2**15 - 1) // MAX_WEIGHT
# Sixteen bits each, so that the compiler does not widen them.
_W0, _W1, _W2, _W3, _W4, _W5, _W6, _W7 = (np.int16(weight) for weight in range(8))
#: Marks weights that sixteen bits do not decide; no weight has this bit.
_UNDECIDED, _ANY_UNDECIDED = np.int16(256), 0x0100_0100_0100_0100

# Leading sixteen bits of 2**64 · P(X ≤ k), k = 0 … 7; they are all ones from 7 on.
_T0, _T1, _T2, _T3, _T4, _T5, _T6, _T7 = (int(t) >> 48 for t in poisson_thresholds()[:8])

# The columns of `Blocks` are read-only.
_TABLE = types.Array(int8, 2, "C", readonly=True)
_STATES = types.Array(uint64, 1, "C", readonly=True)
_INTS = types.Array(int64, 1, "C", readonly=True)


@njit(
    int64(_TABLE, _TABLE, boolean, boolean, int64, int32[::1], int64[::1], int64[::1]),
    cache=True,
    nogil=True,
)
def _list_cells(  # noqa: C901
    labels: Any,
    candidates: Any,
    ties: bool,
    outright: bool,
    begin: int,
    cells: Any,
    starts: Any,
    counts: Any,
) -> int:
    """List the cells that blocks from `begin` on add to, as `Layout` numbers them.

    Stops after the block with which a cell was listed `_MOST` times, or `_BLOCKS` blocks; returns
    the next one.
    """
    blocks, n = labels.shape
    present = np.empty(n, dtype=np.int64)
    square = n * n
    total = 0
    outright_start = square * 2 if ties else square
    counts[:] = 0
    for block in range(begin, min(begin + _BLOCKS, blocks)):
        starts[block - begin] = total
        count = 0
        for system in range(n):
            if labels[block, system] > 0:
                present[count] = system
                count += 1
        for p in range(count):
            a = present[p]
            shown, lost, drew = False, False, False
            for q in range(count):
                b = present[q]
                if labels[block, a] < labels[block, b]:
                    cells[total] = a * n + b
                    total += 1
                    shown = True
                elif labels[block, a] > labels[block, b]:
                    shown = lost = True
                elif candidates[block, a] != candidates[block, b]:
                    shown = drew = True
                    if ties and a < b:
                        cells[total] = square + a * n + b
                        total += 1
            if outright and shown:
                cells[total] = outright_start + a
                total += 1
                if not lost:
                    cells[total] = outright_start + n + a
                    total += 1
                    if not drew:
                        cells[total] = outright_start + 2 * n + a
                        total += 1
        full = False
        for at in range(starts[block - begin], total):
            counts[cells[at]] += 1
            full |= counts[cells[at]] == _MOST
        if full:
            break
    starts[block + 1 - begin] = total
    return block + 1


@njit(
    void(_TABLE, _TABLE, boolean, boolean, _INTS, int64[::1]),
    cache=True,
    nogil=True,
)
def _count(
    labels: Any, candidates: Any, ties: bool, outright: bool, weights: Any, totals: Any
) -> None:
    """Add each block's weight to the cells it adds to. `weights` is empty if all are 1."""
    blocks, n = labels.shape
    cells = np.empty(min(blocks, _BLOCKS) * n * (n + 5) // 2, dtype=np.int32)
    starts = np.empty(_BLOCKS + 1, dtype=np.int64)
    counts = np.empty(len(totals), dtype=np.int64)
    end = 0
    while end < blocks:
        begin = end
        end = _list_cells(labels, candidates, ties, outright, begin, cells, starts, counts)
        for block in range(begin, end):
            weight = weights[block] if len(weights) else 1
            for at in range(starts[block - begin], starts[block - begin + 1]):
                totals[cells[at]] += weight


@njit(
    void(_TABLE, _TABLE, boolean, boolean, _INTS, _INTS, int64[:, ::1]),
    cache=True,
    nogil=True,
)
def _add_moments(
    labels: Any, candidates: Any, ties: bool, outright: bool, unit: Any, place: Any, moments: Any
) -> None:
    """Add the products of the counts of each unit, whose blocks stand together, to `moments`."""
    blocks, n = labels.shape
    cells = np.empty(min(blocks, _BLOCKS) * n * (n + 5) // 2, dtype=np.int32)
    starts = np.empty(_BLOCKS + 1, dtype=np.int64)
    counts = np.empty(len(place), dtype=np.int64)
    row = np.zeros(len(moments), dtype=np.int64)
    touched = np.empty(len(moments), dtype=np.int64)
    count = 0
    end = 0
    while end < blocks:
        begin = end
        end = _list_cells(labels, candidates, ties, outright, begin, cells, starts, counts)
        for block in range(begin, end):
            for at in range(starts[block - begin], starts[block - begin + 1]):
                cell = place[cells[at]]
                if row[cell] == 0:
                    touched[count] = cell
                    count += 1
                row[cell] += 1
            if block + 1 == blocks or unit[block + 1] != unit[block]:
                for i in range(count):
                    for j in range(count):
                        moments[touched[i], touched[j]] += row[touched[i]] * row[touched[j]]
                for i in range(count):
                    row[touched[i]] = 0
                count = 0


@njit(uint64(uint64), cache=True, nogil=True, inline="always")
def _mixed(state: Any) -> Any:
    state = (state ^ (state >> _SHIFT_1)) * _MULTIPLY_1
    state = (state ^ (state >> _SHIFT_2)) * _MULTIPLY_2
    return state ^ (state >> _SHIFT_3)


@njit(
    void(uint64, uint64, uint64[::1], uint16[::1], _STATES, int16[::1], int64[::1]),
    cache=True,
    nogil=True,
)
def _weights_of_tile(  # noqa: C901
    start: Any,
    first_group: Any,
    bits: Any,
    lanes: Any,
    thresholds: Any,
    weights: Any,
    words: Any,
) -> None:
    """Weights of one block in a tile of resamples; `lanes` is another view of `bits`, `words` of `weights`.

    Written for the compiler to do 32 lanes at a time: no table, no branch but the rare one.
    """
    for group in range(len(bits)):
        bits[group] = _mixed(start + (first_group + np.uint64(group) + _ONE) * _GAMMA)
    for i in range(len(weights)):
        lane = lanes[i]
        weight = _W0
        if lane > _T0:
            weight = _W1
        if lane > _T1:
            weight = _W2
        if lane > _T2:
            weight = _W3
        if lane > _T3:
            weight = _W4
        if lane > _T4:
            weight = _W5
        if lane > _T5:
            weight = _W6
        if lane > _T6:
            weight = _W7
        if (
            (lane == _T0)
            | (lane == _T1)
            | (lane == _T2)
            | (lane == _T3)
            | (lane == _T4)
            | (lane == _T5)
            | (lane == _T6)
            | (lane == _T7)
        ):
            weight = _UNDECIDED
        weights[i] = weight
    undecided = np.int64(0)
    for i in range(len(words)):
        undecided |= words[i]
    if undecided & _ANY_UNDECIDED:
        for i in range(len(weights)):
            if weights[i] == _UNDECIDED:
                lane = lanes[i]
                resample = first_group * np.uint64(4) + np.uint64(i)
                low = _mixed(~start + (resample + _ONE) * _GAMMA) >> _SIXTEEN
                uniform = (np.uint64(lane) << _FORTY_EIGHT) | low
                count = 0
                while count < len(thresholds) and uniform >= thresholds[count]:
                    count += 1
                weights[i] = count


def _resampler(tile_size: int) -> Any:
    """Compile for a number of resamples at a time: a constant makes the inner loops tight."""

    @njit(
        void(_TABLE, _TABLE, boolean, boolean, _STATES, uint64, _STATES, int64[:, ::1]),
        cache=True,
        nogil=True,
    )
    def _resample(
        labels: Any,
        candidates: Any,
        ties: bool,
        outright: bool,
        starts_of: Any,
        first_group: Any,
        thresholds: Any,
        totals: Any,
    ) -> None:
        blocks, n = labels.shape
        size, columns = totals.shape
        cells = np.empty(min(blocks, _BLOCKS) * n * (n + 5) // 2, dtype=np.int32)
        starts = np.empty(_BLOCKS + 1, dtype=np.int64)
        counts = np.empty(size, dtype=np.int64)
        bits = np.empty(tile_size // 4, dtype=np.uint64)
        lanes = bits.view(np.uint16)
        weights = np.empty(tile_size, dtype=np.int16)
        words = weights.view(np.int64)
        tile = np.empty((size, tile_size), dtype=np.int16)
        end = 0
        while end < blocks:
            begin = end
            end = _list_cells(labels, candidates, ties, outright, begin, cells, starts, counts)
            for column in range(0, columns, tile_size):
                tile[:] = 0
                group = first_group + np.uint64(column // 4)
                for block in range(begin, end):
                    _weights_of_tile(
                        starts_of[block], group, bits, lanes, thresholds, weights, words
                    )
                    for at in range(starts[block - begin], starts[block - begin + 1]):
                        row = tile[cells[at]]
                        for i in range(tile_size):
                            row[i] += weights[i]
                for cell in range(size):
                    for i in range(tile_size):
                        totals[cell, column + i] += tile[cell, i]

    return _resample


_RESAMPLERS = {tile_size: _resampler(tile_size) for tile_size in (128, 1024)}


def cells_of(
    labels: npt.NDArray[np.int8],
    candidates: npt.NDArray[np.int8],
    *,
    ties: bool,
    outright: bool,
    weights: npt.NDArray[np.integer] | None = None,
) -> npt.NDArray[np.int64]:
    """Count cells: `ranking.core.counting.counts.count`, compiled.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
    ties, outright : bool
        Of the `Layout`.
    weights : integer, shape (B,), optional

    Returns
    -------
    int64, shape (m,)
    """
    n = labels.shape[1]
    times = np.empty(0, dtype=np.int64) if weights is None else weights.astype(np.int64)
    totals = np.zeros(n * n * (1 + ties) + 3 * n * outright, dtype=np.int64)
    _count(
        np.ascontiguousarray(labels),
        np.ascontiguousarray(candidates),
        ties,
        outright,
        np.ascontiguousarray(times),
        totals,
    )
    return totals


def moments_of(
    labels: npt.NDArray[np.int8],
    candidates: npt.NDArray[np.int8],
    unit: npt.NDArray[np.int64],
    used: npt.NDArray[np.int64],
    *,
    ties: bool,
    outright: bool,
    size: int,
) -> npt.NDArray[np.int64]:
    """Sum products of counts over units: `ranking.core.counting.moments.second_moments`, compiled.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
        The blocks of each unit in consecutive rows.
    unit : int64, shape (B,)
    used : int64, shape (k,)
        The cells of the `Layout` that blocks can add to.
    ties, outright, size
        Of the `Layout`.

    Returns
    -------
    int64, shape (k, k)
    """
    place = np.full(size, -1, dtype=np.int64)
    place[used] = np.arange(len(used))
    moments = np.zeros((len(used), len(used)), dtype=np.int64)
    place.flags.writeable = False
    unit = np.ascontiguousarray(unit)
    unit.flags.writeable = False
    _add_moments(
        np.ascontiguousarray(labels),
        np.ascontiguousarray(candidates),
        ties,
        outright,
        unit,
        place,
        moments,
    )
    return moments


def resample_cells(
    labels: npt.NDArray[np.int8],
    candidates: npt.NDArray[np.int8],
    starts: npt.NDArray[np.uint64],
    thresholds: npt.NDArray[np.uint64],
    *,
    ties: bool,
    outright: bool,
    size: int,
    first_resample: int,
    resamples: int,
) -> npt.NDArray[np.int64]:
    """Count cells in resamples: `ranking.core.counting.bootstrap.bootstrap_counts`, compiled.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
    starts : uint64, shape (B,)
        State of each unit's generator.
    thresholds : uint64, shape (20,)
        Of the Poisson distribution function.
    ties, outright, size
        Of the `Layout`.
    first_resample, resamples : int

    Returns
    -------
    int64, shape (m, R)
    """
    first_group = first_resample // 4
    offset = first_resample - 4 * first_group
    # Long inner loops are fast, but the last tile is computed whole.
    tile_size = 1024 if resamples >= 512 else 128
    columns = -(-(offset + resamples) // tile_size) * tile_size
    totals = np.zeros((size, columns), dtype=np.int64)
    _RESAMPLERS[tile_size](
        np.ascontiguousarray(labels),
        np.ascontiguousarray(candidates),
        ties,
        outright,
        starts,
        np.uint64(first_group),
        thresholds,
        totals,
    )
    return totals[:, offset : offset + resamples]

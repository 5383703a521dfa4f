"""Count and resample in compiled code: the same bits as in numpy, ten times as fast.

Importing this module imports numba, and compiles the first time. It is only imported where there is
much to count, see `ranking.core.counting.compiled`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import boolean, int8, int32, int64, njit, types, uint64, void

from ranking.core.counting.bootstrap import MAX_WEIGHT
from ranking.core.counting.weights_kernel import weights_of_tile

#: The largest number of blocks listed at a time.
_BLOCKS = 16384
#: How often a cell may be listed, so that 16 bits hold its weighted count. This allows more blocks at a
#: time than a fixed number would, so that the totals are updated less often.
_MOST = (2**15 - 1) // MAX_WEIGHT

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

    Stop after the block with which a cell was listed `_MOST` times, or after `_BLOCKS` blocks.
    Return the row of the next block.
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
    """Add the weight of each block to its cells in `totals`; no `weights` stand for weights of 1."""
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
    """Add the products of the counts of each unit to `moments`; blocks of a unit are consecutive."""
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


def _resampler(tile_size: int) -> Any:
    """Return a function that counts `tile_size` resamples at a time.

    The compiler makes the inner loops tight because their length is a constant.
    """

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
                    weights_of_tile(
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
    """Count cells, as `ranking.core.counting.counts.count` does.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
    ties, outright : bool
        As in `Layout`.
    weights : integer, shape (B,), optional
        How often each block counts; once if not given.

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
    """Sum products of counts over units, as `ranking.core.counting.moments.second_moments` does.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
        The blocks of each unit in consecutive rows.
    unit : int64, shape (B,)
        Number of the unit of each block.
    used : int64, shape (k,)
        The cells of the `Layout` that blocks can add to.
    ties, outright, size
        As in `Layout`.

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
    """Count cells in resamples, as `ranking.core.counting.bootstrap.bootstrap_counts` does.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
    starts : uint64, shape (B,)
        State of each block's generator, see `generator_states`.
    thresholds : uint64, shape (20,)
        See `poisson_thresholds`.
    ties, outright, size
        As in `Layout`.
    first_resample, resamples : int

    Returns
    -------
    int64, shape (m, R)
    """
    first_group = first_resample // 4
    offset = first_resample - 4 * first_group
    # Long inner loops are faster, but even the last tile is computed in full.
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

"""Resample in compiled code: the same bits as `ranking.core.counting.resampling`, ten times as fast.

Some hundred blocks at a time: their weights are drawn into a table that stays in the second cache, a byte
each; their comparisons are sorted by cell; and each cell adds up the rows of its blocks, six at a time and
eight weights in a word. So a sum is loaded and stored once for six additions, and nothing is added that is
wider than needed. Weights above `MOST_COMMON`, one in 100,000, are added apart, so that a byte holds the sum
of `_ROWS_OF_A_SUM` weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from optional_packages.numba import boolean, int8, int32, int64, njit, types, uint8, uint64, void
from ranking.core.counting.kernel import list_cells
from ranking.core.counting.resampling import MAX_WEIGHT
from ranking.core.counting.weights_kernel import MOST_COMMON, weights_of_tile

#: Blocks whose weights are in the table at a time: 512 kB with 1,024 resamples.
_BLOCKS = 512
#: Rows added in one step, and before bytes are added to wider numbers.
_ROWS_OF_A_STEP = 6
_ROWS_OF_A_SUM = 255 // MOST_COMMON // _ROWS_OF_A_STEP * _ROWS_OF_A_STEP
#: So many blocks that totals of 32 bits hold their counts.
_MOST_BLOCKS = (2**31 - 1) // MAX_WEIGHT

_TABLE = types.Array(int8, 2, "C", readonly=True)
_STATES = types.Array(uint64, 1, "C", readonly=True)


@njit(
    void(int32[::1], int64[::1], int64, int64[::1], int64[::1], int32[::1]),
    cache=True,
    nogil=True,
)
def _sort_by_cell(cells: Any, starts: Any, blocks: int, ends: Any, firsts: Any, rows: Any) -> None:
    """List the blocks of each cell in `rows` from `firsts` on, filled up to whole steps.

    What fills up is `_BLOCKS`, whose weights are 0. `ends` is scratch, one for each cell.
    """
    ends[:] = 0
    for at in range(starts[blocks]):
        ends[cells[at]] += 1
    place = 0
    for cell in range(len(ends)):
        firsts[cell] = place
        place += (ends[cell] + _ROWS_OF_A_STEP - 1) // _ROWS_OF_A_STEP * _ROWS_OF_A_STEP
        ends[cell] = firsts[cell]
    firsts[len(ends)] = place
    rows[:place] = _BLOCKS
    for block in range(blocks):
        for at in range(starts[block], starts[block + 1]):
            rows[ends[cells[at]]] = block
            ends[cells[at]] += 1


@njit(
    void(
        *(_STATES, uint64, _STATES, int64, uint64[::1], uint8[:, ::1], uint64[:, ::1]),
        *(int32[::1], int64[::1], int64, int32[:, ::1]),
    ),
    cache=True,
    nogil=True,
)
def _draw(
    starts_of: Any,
    group: Any,
    thresholds: Any,
    begin: int,
    bits: Any,
    weights: Any,
    words: Any,
    cells: Any,
    starts: Any,
    column: int,
    totals: Any,
) -> None:
    """Draw the weights of the blocks from `begin` on, and add what is above `MOST_COMMON` to `totals`."""
    lanes = bits.view(np.uint16)
    for block in range(min(_BLOCKS, len(starts_of) - begin)):
        row = weights[block]
        state = starts_of[begin + block]
        if weights_of_tile(state, group, bits, lanes, thresholds, row, words[block]):
            for i in range(len(row)):
                if row[i] > MOST_COMMON:
                    for at in range(starts[block], starts[block + 1]):
                        totals[cells[at], column + i] += row[i] - MOST_COMMON
                    row[i] = MOST_COMMON


def _adder(tile_size: int) -> Any:
    """Return a function that adds up rows of `tile_size` weights, eight of them in a word.

    The compiler makes the inner loop tight because its length is a constant.
    """
    words_of_a_row = tile_size // 8

    @njit(void(uint64[:, ::1], int32[::1], int64, int64, uint64[::1]), cache=True, nogil=True)
    def _add_rows(words: Any, rows: Any, first: int, last: int, sums: Any) -> None:
        """Set `sums` to the sum of the rows listed from `first` to before `last`."""
        sums[:] = 0
        for at in range(first, last, _ROWS_OF_A_STEP):
            a, b, c = words[rows[at]], words[rows[at + 1]], words[rows[at + 2]]
            d, e, f = words[rows[at + 3]], words[rows[at + 4]], words[rows[at + 5]]
            for i in range(words_of_a_row):
                sums[i] += a[i] + b[i] + c[i] + d[i] + e[i] + f[i]

    return _add_rows


_FEW, _MANY = 128, 1024
_add_rows_of_few = _adder(_FEW)
_add_rows_of_many = _adder(_MANY)


def _resampler(tile_size: int) -> Any:
    """Return a function that counts `tile_size` resamples at a time.

    It encloses numbers alone. Compiled code is found again by what a function encloses, and an enclosed
    function is another one in each process, so that each would compile this anew.
    """
    words_of_a_row = tile_size // 8

    @njit(
        void(_TABLE, _TABLE, boolean, boolean, _STATES, uint64, _STATES, int32[:, ::1]),
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
        listed = _BLOCKS * n * (n + 5) // 2
        cells = np.empty(listed, dtype=np.int32)
        starts = np.empty(_BLOCKS + 1, dtype=np.int64)
        ends = np.empty(size, dtype=np.int64)
        firsts = np.empty(size + 1, dtype=np.int64)
        rows = np.empty(listed + size * _ROWS_OF_A_STEP, dtype=np.int32)
        bits = np.empty(tile_size // 4, dtype=np.uint64)
        weights = np.zeros((_BLOCKS + 1, tile_size), dtype=np.uint8)
        words = weights.view(np.uint64)
        sums = np.empty(words_of_a_row, dtype=np.uint64)
        bytes_of_sums = sums.view(np.uint8)
        for begin in range(0, blocks, _BLOCKS):
            here = min(_BLOCKS, blocks - begin)
            list_cells(labels, candidates, ties, outright, begin, begin + here, cells, starts)
            _sort_by_cell(cells, starts, here, ends, firsts, rows)
            for column in range(0, columns, tile_size):
                group = first_group + np.uint64(column // 4)
                _draw(
                    starts_of,
                    group,
                    thresholds,
                    begin,
                    bits,
                    weights,
                    words,
                    cells,
                    starts,
                    column,
                    totals,
                )
                for cell in range(size):
                    # A part of its own, so that indices are known not to be negative.
                    totals_here = totals[cell, column : column + tile_size]
                    for first in range(firsts[cell], firsts[cell + 1], _ROWS_OF_A_SUM):
                        last = min(first + _ROWS_OF_A_SUM, firsts[cell + 1])
                        # Decided by the compiler: the size is a constant.
                        if tile_size == _FEW:
                            _add_rows_of_few(words, rows, first, last, sums)
                        else:
                            _add_rows_of_many(words, rows, first, last, sums)
                        for i in range(tile_size):
                            totals_here[i] += bytes_of_sums[i]

    return _resample


_RESAMPLERS = {tile_size: _resampler(tile_size) for tile_size in (_FEW, _MANY)}


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
    """Count cells in resamples, as `ranking.core.counting.resampling.bootstrap_counts` does.

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
    tile_size = _MANY if resamples >= 512 else _FEW
    columns = -(-(offset + resamples) // tile_size) * tile_size
    counted = np.zeros((size, resamples), dtype=np.int64)
    for begin in range(0, len(labels), _MOST_BLOCKS):
        rows = slice(begin, begin + _MOST_BLOCKS)
        totals = np.zeros((size, columns), dtype=np.int32)
        _RESAMPLERS[tile_size](
            np.ascontiguousarray(labels[rows]),
            np.ascontiguousarray(candidates[rows]),
            ties,
            outright,
            starts[rows],
            np.uint64(first_group),
            thresholds,
            totals,
        )
        counted += totals[:, offset : offset + resamples]
    return counted

"""Count in compiled code: the same numbers as in numpy, ten times as fast.

Importing this module imports numba, and compiles the first time. It is only imported where there is
much to count, see `ranking.core.counting.compiled`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from optional_packages.numba import boolean, int8, int32, int64, njit, types, void

#: The largest number of blocks listed at a time.
_BLOCKS = 16384
# The columns of `Blocks` are read-only.
_TABLE = types.Array(int8, 2, "C", readonly=True)
_ROW = types.Array(int8, 1, "C", readonly=True)
_INTS = types.Array(int64, 1, "C", readonly=True)


@njit(int64(_ROW, _ROW, int64[::1], int64, int32[::1], int64), cache=True, nogil=True)
def _list_outright(
    labels: Any, candidates: Any, present: Any, start: int, cells: Any, total: int
) -> int:
    """List the cells for blocks that a system was compared in, did not lose, and won.

    Return the number of cells listed so far.
    """
    n = len(labels)
    for a in present:
        shown, lost, drew = False, False, False
        for b in present:
            if labels[a] < labels[b]:
                shown = True
            elif labels[a] > labels[b]:
                shown = lost = True
            elif candidates[a] != candidates[b]:
                shown = drew = True
        if shown:
            cells[total] = start + a
            total += 1
            if not lost:
                cells[total] = start + n + a
                total += 1
                if not drew:
                    cells[total] = start + 2 * n + a
                    total += 1
    return total


@njit(
    void(_TABLE, _TABLE, boolean, boolean, int64, int64, int32[::1], int64[::1]),
    cache=True,
    nogil=True,
)
def list_cells(
    labels: Any,
    candidates: Any,
    ties: bool,
    outright: bool,
    begin: int,
    end: int,
    cells: Any,
    starts: Any,
) -> None:
    """List the cells that the blocks from `begin` to before `end` add to, as `Layout` numbers them.

    Those of each block begin in `cells` where `starts`, which has one entry more, says.
    """
    n = labels.shape[1]
    present = np.empty(n, dtype=np.int64)
    square = n * n
    total = 0
    outright_start = square * 2 if ties else square
    for block in range(begin, end):
        starts[block - begin] = total
        # Without branches, which the processor could not foresee: what does not count is overwritten.
        count = 0
        for system in range(n):
            present[count] = system
            count += labels[block, system] > 0
        for p in range(count):
            a = present[p]
            for q in range(p + 1, count):
                b = present[q]
                apart = int64(labels[block, a]) - int64(labels[block, b])
                won = a * n + b if apart < 0 else b * n + a
                cells[total] = won if apart != 0 else square + a * n + b
                drew = ties & (candidates[block, a] != candidates[block, b])
                total += (apart != 0) | drew
        if outright:
            total = _list_outright(
                labels[block], candidates[block], present[:count], outright_start, cells, total
            )
    starts[end - begin] = total


@njit(
    void(_TABLE, _TABLE, boolean, boolean, _INTS, _INTS, int64[:, ::1]),
    cache=True,
    nogil=True,
)
def _count(
    labels: Any,
    candidates: Any,
    ties: bool,
    outright: bool,
    weights: Any,
    unit: Any,
    all_totals: Any,
) -> None:
    """Add the weight of each block to its cells in the totals of its unit.

    No `weights` stand for weights of 1, no `unit` for a single one. The cells are those of
    `list_cells`, which need not be listed to be counted once.
    """
    blocks, n = labels.shape
    present = np.empty(n, dtype=np.int64)
    cells = np.empty(3 * n, dtype=np.int32)
    square = n * n
    tie_start = square if ties else 0
    for block in range(blocks):
        weight = weights[block] if len(weights) else 1
        totals = all_totals[unit[block] if len(unit) else 0]
        count = 0
        for system in range(n):
            present[count] = system
            count += labels[block, system] > 0
        for p in range(count):
            a = present[p]
            for q in range(p + 1, count):
                b = present[q]
                apart = int64(labels[block, a]) - int64(labels[block, b])
                won = a * n + b if apart < 0 else b * n + a
                drew = ties & (candidates[block, a] != candidates[block, b])
                cell = won if apart != 0 else tie_start + a * n + b
                totals[cell] += weight * int64((apart != 0) | drew)
        if outright:
            total = _list_outright(
                labels[block], candidates[block], present[:count], tie_start + square, cells, 0
            )
            for at in range(total):
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
    row = np.zeros(len(moments), dtype=np.int64)
    touched = np.empty(len(moments), dtype=np.int64)
    count = 0
    for begin in range(0, blocks, _BLOCKS):
        end = min(begin + _BLOCKS, blocks)
        list_cells(labels, candidates, ties, outright, begin, end, cells, starts)
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


def cells_of(
    labels: npt.NDArray[np.int8],
    candidates: npt.NDArray[np.int8],
    *,
    ties: bool,
    outright: bool,
    weights: npt.NDArray[np.integer] | None = None,
    unit: npt.NDArray[np.int64] | None = None,
    units: int = 1,
) -> npt.NDArray[np.int64]:
    """Count cells, as `ranking.core.counting.counts.count` does, for each unit apart.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
    ties, outright : bool
        As in `Layout`.
    weights : integer, shape (B,), optional
        How often each block counts; once if not given.
    unit : int64, shape (B,), optional
        Number of each block's unit, 0 … U − 1; all are of one if not given.
    units : int
        U.

    Returns
    -------
    int64, shape (U, m)
    """
    n = labels.shape[1]
    none = np.empty(0, dtype=np.int64)
    times = none if weights is None else weights.astype(np.int64)
    totals = np.zeros((units, n * n * (1 + ties) + 3 * n * outright), dtype=np.int64)
    _count(
        np.ascontiguousarray(labels),
        np.ascontiguousarray(candidates),
        ties,
        outright,
        np.ascontiguousarray(times),
        none if unit is None else np.ascontiguousarray(unit),
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

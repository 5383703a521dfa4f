"""The compiled inner loops of `annotation.sampling.cycles`; import it where it is used.

Whole numbers throughout, but for random numbers of `pairing_kernel.luck`: the same blocks on every
machine and in every version.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from annotation.sampling.pairing_kernel import choose_balanced, luck
from optional_packages.numba import float64, int64, njit, uint64, void

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Chance to accept a change that costs 2, the least that a change for the worse can cost.
_UPHILL = 0.02
_NEXT = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def meet(counts: Int64Array, block: Int64Array, times: int) -> None:
    """Count a block's meetings so many times."""
    for i in range(1, len(block)):
        for j in range(i):
            counts[block[i], block[j]] += times
            counts[block[j], block[i]] += times


@njit(cache=True, nogil=True)
def squares(counts: Int64Array) -> int:
    """Sum of the squares over all pairs: for a given sum, least where none differ by more than 1."""
    total = 0
    for a in range(1, len(counts)):
        for b in range(a):
            total += counts[a, b] * counts[a, b]
    return total


@njit(cache=True, nogil=True)
def apart(counts: Int64Array) -> int:
    """Return the largest count of a pair minus the smallest."""
    most = least = counts[1, 0]
    for a in range(1, len(counts)):
        for b in range(a):
            most, least = max(most, counts[a, b]), min(least, counts[a, b])
    return int(most - least)


@njit(void(int64[:, ::1], int64[:, ::1], uint64), cache=True, nogil=True)
def lay_out(counts: Int64Array, blocks: Int64Array, key: int) -> None:
    """Fill `blocks` one after the other, each as `choose_balanced` does; adds them to `counts`."""
    everybody = np.arange(len(counts))
    for b in range(len(blocks)):
        choose_balanced(
            counts, everybody, blocks.shape[1], int(key + np.uint64(b) * _NEXT), blocks[b]
        )
        meet(counts, blocks[b], 1)


@njit(cache=True, nogil=True)
def _change(counts: Int64Array, block: Int64Array, place: int, system: int) -> int:
    """Return how much the sum of squares grows when `system` takes another's place in `block`."""
    out = block[place]
    total = len(block) - 1
    for j in range(len(block)):
        if j != place:
            total += counts[system, block[j]] - counts[out, block[j]]
    return int(2 * total)


@njit(int64(int64[:, ::1], int64[:, ::1], uint64, int64, int64), cache=True, nogil=True)
def even_out(counts: Int64Array, blocks: Int64Array, key: int, target: int, steps: int) -> int:
    """Exchange single systems of `blocks` until the squares of `counts` are down to `target`.

    `counts` hold the blocks. An exchange is made if it costs nothing, or by a small chance if it
    costs the least there is: plateaus are wide, and few of their ways out lead downhill only.
    Returns what is missing, at most after so many steps.
    """
    m, size, n = len(blocks), blocks.shape[1], len(counts)
    shown = np.zeros((m, n), np.bool_)
    for b in range(m):
        for i in range(size):
            shown[b, blocks[b, i]] = True
    total = squares(counts)
    for step in range(steps):
        if total <= target:
            break
        drawn = luck(key, step) * (m * size * n)
        at = int(drawn)
        b, place, system = at // (size * n), at // n % size, at % n
        if shown[b, system]:
            continue
        change = _change(counts, blocks[b], place, system)
        if change > 2 or (change == 2 and drawn - at >= _UPHILL):
            continue
        out = blocks[b, place]
        meet(counts, blocks[b], -1)
        blocks[b, place] = system
        meet(counts, blocks[b], 1)
        shown[b, out], shown[b, system] = False, True
        total += change
    return int(total - target)


@njit(void(int64[:, ::1], int64[:, ::1], uint64, float64), cache=True, nogil=True)
def _shuffle_by_cost(counts: Int64Array, blocks: Int64Array, key: int, chance: float) -> None:
    """Order `blocks`: next comes the one whose pairs met least, and more or less of chance."""
    for done in range(len(blocks)):
        best, lowest = done, np.inf
        for b in range(done, len(blocks)):
            cost = chance * luck(key, done * len(blocks) + b)
            for i in range(1, blocks.shape[1]):
                for j in range(i):
                    cost += counts[blocks[b, i], blocks[b, j]]
            if cost < lowest:
                best, lowest = b, cost
        for i in range(blocks.shape[1]):
            blocks[done, i], blocks[best, i] = blocks[best, i], blocks[done, i]
        meet(counts, blocks[done], 1)


@njit(int64(int64[:, ::1], int64[:, ::1], uint64, int64), cache=True, nogil=True)
def put_in_order(counts: Int64Array, blocks: Int64Array, key: int, tries: int) -> int:
    """Order `blocks` so that counts stay close on the way; how far apart they are at most.

    `counts` are those before the blocks, and are left alone.
    """
    best = blocks.copy()
    lowest = np.iinfo(np.int64).max
    for attempt in range(tries):
        ordered = blocks.copy()
        _shuffle_by_cost(
            counts.copy(), ordered, int(key + np.uint64(attempt) * _NEXT), float(1 + attempt % 5)
        )
        met = counts.copy()
        worst = 0
        for b in range(len(ordered)):
            meet(met, ordered[b], 1)
            worst = max(worst, apart(met))
        if worst < lowest:
            lowest = worst
            best[:] = ordered
        if lowest <= 2:
            break
    blocks[:] = best
    return lowest

"""How many blocks it takes at least to change first place: bounds that are proven."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.firmness.counted_blocks import CountedBlocks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Rounding errors of sums of this size must not make a bound too high.
_ROUNDING = 1e-9
#: Weights of the second condition tried for each interval of thresholds.
_WEIGHTS = (0.0, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0, 3.0, 5.0)
#: Intervals of thresholds looked at.
_INTERVALS = 300


def at_least(counted: CountedBlocks, first: int, limit: int | None = None) -> int:
    """Return a number of blocks so that no fewer change first place.

    Parameters
    ----------
    counted : CountedBlocks
        Of n systems, one of which is first alone.
    first : int
    limit : int, optional
        A number of blocks that is known to change it; the result is at most that.

    Returns
    -------
    int
        At least 1. There are bounds for Expected Wins and for shares of comparisons and of blocks;
        1 for other methods.
    """
    most = counted.cells.shape[1] if limit is None else limit
    name, n = counted.method.name, counted.layout.systems
    for rival in range(n):
        if rival == first or most <= 1:
            continue
        if name == "expected_wins":
            most = min(most, _expected_wins(counted, first, rival, most))
        elif name in _SHARES:
            most = min(most, _shares(counted, first, rival, most))
        else:
            most = 1
    return max(1, most)


# --- Expected Wins ------------------------------------------------------------------------------


def _expected_wins(counted: CountedBlocks, first: int, rival: int, most: int) -> int:
    """Return a bound for Expected Wins, at most `most`.

    Of a pair with w wins and l losses, N = w + l, let x wins and y losses be removed, x + y ≤ K.
    The share won changes by

        (w − x) / (N − x − y) − w / N = (−x l + y w) / (N (N − x − y))

    which is at least −x l / (N (N − K)) + y w / N², and at most −x l / N² + y w / (N (N − K)). So a
    block removed shrinks the lead by no more than a sum over its comparisons, and K blocks by no
    more than the K largest of these sums. This holds as long as no pair of the two loses all its
    comparisons (K < N): beyond that, nothing is proven.
    """
    n = counted.layout.systems
    wins = counted.total[: n * n].reshape(n, n).astype(np.float64)
    decided = wins + wins.T
    met = (decided > 0) & ~np.eye(n, dtype=np.bool_)
    if not met[rival].any():
        return most  # it has no score, and gets none by removals
    share = np.divide(wins, decided, out=np.zeros_like(wins), where=met)
    mean = np.where(met, share, 0.0).sum(axis=1) / np.maximum(1, met.sum(axis=1))
    lead = float(mean[first] - mean[rival])
    of_pairs = decided[[first, rival]][met[[first, rival]]]
    low, high = 0, min(most, int(of_pairs.min())) - 1
    # The sum of the largest grows with K: find the largest K that cannot be enough.
    while low < high:
        middle = (low + high + 1) // 2
        weights = _weights(wins, decided, met, (first, rival), middle)
        gains = np.asarray(weights @ counted.cells[: n * n])
        largest = np.partition(gains, len(gains) - middle)[len(gains) - middle :]
        if float(np.maximum(largest, 0).sum()) <= lead - _ROUNDING:
            low = middle
        else:
            high = middle - 1
    return low + 1


def _weights(
    wins: FloatArray,
    decided: FloatArray,
    met: npt.NDArray[np.bool_],
    pair: tuple[int, int],
    removed: int,
) -> FloatArray:
    """Return by how much at most one comparison shrinks the lead, by its cell, shape (n²,)."""
    n = len(wins)
    weights = np.zeros((n, n))
    for system, sign in zip(pair, (1, -1), strict=True):
        opponents = np.flatnonzero(met[system])
        won, lost = wins[system, opponents], wins[opponents, system]
        every, fewer = decided[system, opponents], decided[system, opponents] - removed
        # Wins of the first are worth removing, and losses of the rival; the others grow the lead.
        win_over, loss_over = (fewer, every) if sign > 0 else (every, fewer)
        weights[system, opponents] += sign * lost / (every * win_over) / len(opponents)
        weights[opponents, system] -= sign * won / (every * loss_over) / len(opponents)
    return weights.ravel()


# --- Shares -------------------------------------------------------------------------------------

_SHARES = frozenset({"bojar", "geq_others", "gt_others", "geq_all_in_block", "gt_all_in_block"})


@dataclass(frozen=True, eq=False)
class _Parts:
    """What blocks add to the parts and wholes of the shares of the first and of a rival.

    `added` has a row for each kind of block, with four columns: part and whole of the first, part
    and whole of the rival. `many` are the blocks of each kind.
    """

    added: FloatArray
    many: FloatArray

    def needed(self, threshold: float, weight: float) -> float:
        """Return how many blocks it takes at least until a sum over the rest is positive."""
        first = self.added[:, 0] - threshold * self.added[:, 1]
        rival = self.added[:, 2] - threshold * self.added[:, 3]
        worth = rival - weight * first
        total = float(worth @ self.many)
        if total > -_ROUNDING:
            return 0.0
        order = np.argsort(worth)
        order = order[worth[order] < 0]
        gained = np.cumsum(-worth[order] * self.many[order])
        place = int(np.searchsorted(gained, -total - _ROUNDING))
        if place == len(gained):
            return np.inf
        before = float(gained[place - 1]) if place else 0.0
        kind = order[place]
        rest = (-total - _ROUNDING - before) / -float(worth[kind])
        return float(self.many[order[:place]].sum() + max(1.0, np.ceil(rest - _ROUNDING)))


def _shares(counted: CountedBlocks, first: int, rival: int, most: int) -> int:
    """Return a bound for shares part / whole, at most `most`.

    If the rival's share is higher after a removal, then with the first's share t then

        Σ (part − t whole of the rival) − λ Σ (part − t whole of the first) > 0

    over the blocks that are left, for each λ ≥ 0, because the second sum is 0. For given t and λ,
    the fewest removals that make it positive are those of the most negative terms. The largest such
    sum after K removals is a maximum of functions linear in t, so on an interval of t it is largest
    at one of its ends. Intervals are halved where the bound is lowest.
    """
    columns = [
        np.asarray(each @ counted.cells)
        for system in (first, rival)
        for each in _part_and_whole(counted.method.name, counted.layout, system)
    ]
    stacked: Int64Array = np.stack(columns, axis=1)
    added, many = np.unique(stacked, axis=0, return_counts=True)
    parts = _Parts(added.astype(np.float64), many.astype(np.float64))
    if not parts.added[:, 3].any():
        return most  # it has no score, and gets none by removals
    # Without a share of the first, the sums say nothing.
    most = min(most, int(parts.many[parts.added[:, 1] > 0].sum()))
    ratio = float(parts.added[:, 3] @ parts.many) / float(parts.added[:, 1] @ parts.many)
    weights = [weight * ratio for weight in _WEIGHTS]

    def bound(low: float, high: float) -> float:
        return max(min(parts.needed(low, each), parts.needed(high, each)) for each in weights)

    heap = [(bound(0.0, 1.0), 0.0, 1.0)]
    for _interval in range(_INTERVALS):
        least, low, high = heapq.heappop(heap)
        if least >= most:
            return most
        middle = (low + high) / 2
        for ends in ((low, middle), (middle, high)):
            # A part of an interval needs no fewer than the whole.
            heapq.heappush(heap, (max(least, bound(*ends)), *ends))
    return int(min(most, heap[0][0]))


def _part_and_whole(name: str, layout: Layout, system: int) -> tuple[Int64Array, Int64Array]:
    """Return which cells count for the part and for the whole of a system's share, shape (m,)."""
    n = layout.systems
    part, whole = (np.zeros(layout.size, dtype=np.int64) for _ in range(2))
    others = np.array([other for other in range(n) if other != system], dtype=np.int64)
    if name in ("geq_all_in_block", "gt_all_in_block"):
        start = layout.size - 3 * n
        whole[start + system] = 1
        part[start + (n if name == "geq_all_in_block" else 2 * n) + system] = 1
        return part, whole
    won, lost = system * n + others, others * n + system
    part[won] = 1
    whole[won] = whole[lost] = 1
    if name != "bojar":
        tied = n * n + np.minimum(system, others) * n + np.maximum(system, others)
        whole[tied] = 1
        part[tied] = name == "geq_others"
    return part, whole

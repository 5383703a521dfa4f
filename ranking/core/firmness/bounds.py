"""Proven lower bounds on the number of blocks whose removal changes first place.

For Expected Wins, branch and bound proves that removing a number of blocks cannot change first
place.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ranking.core.arrays import (
    FloatArray,
    Int64Array,
    UInt64Array,
    off_diagonal,
)
from ranking.core.counting.counts import Layout, chunks
from ranking.core.firmness.without_each import overtaken_by
from ranking.core.grouping import distinct_pairs
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.shares import SHARES, part_and_whole
from ranking.core.scores import Scores

_BLOCKS_AT_A_TIME = 1024


@dataclass(frozen=True, eq=False)
class CountedBlocks:
    """B blocks by their contributions to the m cells of a method's layout.

    Attributes
    ----------
    method : CountsMethod
    layout : Layout
        Layout for n systems.
    cells : sparse int64, shape (m, B)
    key : uint64, shape (B,)
        Content keys, for ordering blocks with equal contributions.
    """

    method: CountsMethod
    layout: Layout
    cells: sparse.csc_array[np.int64]
    key: UInt64Array

    @cached_property
    def total(self) -> Int64Array:
        """Counts of all blocks, shape (m,)."""
        return _row_sums(self.cells)

    def of(self, rows: Int64Array) -> Int64Array:
        """Return the counts of some blocks, shape (m,)."""
        return _row_sums(self.cells[:, rows])

    def scores(self, counts: Int64Array) -> Scores:
        """Return scores of shape (R, n) from counts of shape (R, m)."""
        return self.method.score_counted(counts, self.layout)

    def overtaken_without(self, removed: Int64Array, first: int) -> Int64Array:
        """Return the system ahead of the first after removing counts of shape (R, m), see
        `overtaken_by`.
        """
        return overtaken_by(self.scores(self.total - removed), first)

    def gains(self, counts: Int64Array, first: int, rival: int) -> FloatArray:
        """Return the decrease of the first's lead over a rival without each block, shape (B,).

        This is a first-order approximation at `counts`, of shape (m,) for the m cells of the
        layout, in units of the score. Raises ValueError if the method has no influence values.
        """
        if self.method.influence is None:
            raise ValueError(f"{self.method.name} has no influence values")
        unpacked = self.layout.unpack(counts)
        influence = self.method.influence(unpacked)
        on_lead = influence[first] - influence[rival]
        return np.asarray(on_lead @ self.cells)

    @cached_property
    def kinds(self) -> BlockKinds:
        """The blocks that contribute to the counts, grouped by contribution."""
        cells = self.cells
        by_content: dict[bytes, list[int]] = {}
        # Sorted by key, independently of the order of the rows.
        for row in np.argsort(self.key, kind="stable").tolist():
            start, end = cells.indptr[row : row + 2]
            added = cells.indices[start:end]
            if len(added):
                content = np.sort(added).tobytes()
                by_content.setdefault(content, []).append(row)
        kinds = [by_content[content] for content in sorted(by_content)]
        first_rows = np.array([rows[0] for rows in kinds], dtype=np.int64)
        contributions = cells[:, first_rows].toarray().T
        return BlockKinds(np.ascontiguousarray(contributions), kinds)


def _row_sums(cells: sparse.csc_array[np.int64]) -> Int64Array:
    sums: Int64Array = np.asarray(cells.sum(axis=1))
    return sums.ravel().astype(np.int64)


@dataclass(frozen=True, eq=False)
class BlockKinds:
    """Blocks grouped by their contribution to the counts: V kinds.

    Attributes
    ----------
    cells : int64, shape (V, m)
    rows : list of list of int
        Blocks of each kind.
    """

    cells: Int64Array
    rows: Sequence[Sequence[int]]

    def __len__(self) -> int:
        """Return the number of kinds, V."""
        return len(self.rows)


def counted_blocks(blocks: Blocks, method: CountsMethod) -> CountedBlocks:
    """Count the contribution of each of B blocks.

    Memory grows with the number of comparisons, about 12 bytes each.
    """
    layout = method.layout(len(blocks.systems))
    parts = [sparse.csc_array((layout.size, 0), dtype=np.int16)]
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        parts.append(layout.of_blocks(blocks.take(rows)))
    cells = sparse.hstack(parts, format="csc")
    return CountedBlocks(
        method=method,
        layout=layout,
        cells=sparse.csc_array(cells, dtype=np.int64),
        key=blocks.key,
    )


#: Margin for rounding errors of sums, which must not make a bound too high.
_ROUNDING = 1e-9
#: Weights of the second condition, tried for each interval of thresholds.
_WEIGHTS = (0.0, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0, 3.0, 5.0)
#: Number of intervals of thresholds to examine.
_INTERVALS = 300


def at_least(counted: CountedBlocks, first: int, limit: int | None = None) -> int:
    """Return a lower bound on the number of blocks whose removal changes first place.

    Parameters
    ----------
    counted : CountedBlocks
        Blocks over n systems, of which only one is in first place.
    first : int
    limit : int, optional
        Number of blocks known to change first place; the result is at most that.

    Returns
    -------
    int
        At least 1. There are bounds for Expected Wins, and for shares of comparisons and of blocks;
        for other methods, the result is 1.
    """
    if limit is None:
        most = counted.cells.shape[1]
    else:
        most = limit
    name = counted.method.name
    n = counted.layout.systems
    for rival in range(n):
        if rival == first or most <= 1:
            continue
        if name == "expected_wins":
            most = min(most, _expected_wins(counted, first, rival, most))
        elif name in SHARES:
            most = min(most, _bound_for_shares(counted, first, rival, most))
        else:
            most = 1
    return max(1, most)


# --- Expected Wins ------------------------------------------------------------------------------


def _expected_wins(counted: CountedBlocks, first: int, rival: int, most: int) -> int:
    """Return a bound for Expected Wins, at most `most`.

    For a pair with w wins and l losses, N = w + l, let x wins and y losses be removed, x + y ≤ K.
    The share won changes by

        (w − x) / (N − x − y) − w / N = (−x l + y w) / (N (N − x − y))

    which is at least −x l / (N (N − K)) + y w / N², and at most −x l / N² + y w / (N (N − K)). So
    removing a block shrinks the lead by no more than a sum over its comparisons, and removing K
    blocks by no more than the K largest of these sums. This holds as long as no pair with either
    system loses all its comparisons (K < N); beyond that, nothing is proven.
    """
    terms = _terms(counted, first, rival)
    if terms is None:
        return most  # the rival has no score, and removals cannot give it one
    fewest_comparisons = int(terms.decided.min())
    low = 0
    high = min(most, fewest_comparisons) - 1
    # The sum of the largest grows with K; find the largest K that cannot suffice.
    while low < high:
        middle = (low + high + 1) // 2
        if _most_gained(counted, terms, middle) <= terms.lead - _ROUNDING:
            low = middle
        else:
            high = middle - 1
    return low + 1


def _most_gained(counted: CountedBlocks, terms: _Terms, removed: int) -> float:
    """Return the most by which removing this number of blocks, K, can shrink the lead."""
    pairs = len(terms.firsts)
    term_weights = terms.weights(np.zeros(pairs), np.full(pairs, float(removed)))
    win_and_loss_weights = np.concatenate(term_weights)
    weights = np.bincount(terms.cells, win_and_loss_weights, counted.layout.size)
    gains = np.asarray(weights @ counted.cells)
    smaller = len(gains) - removed
    largest = np.partition(gains, smaller)[smaller:]
    return float(np.maximum(largest, 0).sum())


# --- Shares -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Parts:
    """Contributions of kinds of blocks to numerators and denominators of the shares of the first and of a rival.

    `many` has the number of blocks of each kind; all have shape (V,).
    """

    first_part: FloatArray
    first_whole: FloatArray
    rival_part: FloatArray
    rival_whole: FloatArray
    many: FloatArray

    def needed(self, threshold: float, weight: float) -> float:
        """Return the minimum number of removals that makes a sum over the remaining blocks
        positive.
        """
        first = self.first_part - threshold * self.first_whole
        rival = self.rival_part - threshold * self.rival_whole
        worth = rival - weight * first
        total = float(worth @ self.many)
        if total > -_ROUNDING:
            return 0.0
        order = np.argsort(worth)
        order = order[worth[order] < 0]
        lost = -worth[order]
        many = self.many[order]
        gained = np.append(0.0, np.cumsum(lost * many))
        missing = -total - _ROUNDING
        # Number of kinds of which all blocks are removed, and blocks of the next kind.
        kinds = int(np.searchsorted(gained[1:], missing))
        if kinds == len(order):
            return np.inf
        rest = (missing - gained[kinds]) / lost[kinds]
        blocks_of_next_kind = max(1.0, np.ceil(rest - _ROUNDING))
        return float(many[:kinds].sum() + blocks_of_next_kind)


def _bound_for_shares(counted: CountedBlocks, first: int, rival: int, most: int) -> int:
    """Return a bound for shares part / whole, at most `most`.

    If the rival's share is higher after a removal, then for the first's share t after the removal

        Σ (part − t whole of the rival) − λ Σ (part − t whole of the first) > 0

    over the remaining blocks, for each λ ≥ 0, because the second sum is 0. For given t and λ, the
    smallest set of removals that makes it positive has the most negative terms. The largest such
    sum after K removals is a maximum of functions linear in t, so on an interval of t it is largest
    at one of the ends. Intervals are halved where the bound is lowest.
    """
    parts = _contribution_kinds(counted, first, rival)
    if not parts.rival_whole.any():
        return most  # it has no score, and removals cannot give it one
    # If the first has no share, the sums prove nothing.
    has_first = parts.first_whole > 0
    most = min(most, int(parts.many[has_first].sum()))
    first_total = float(parts.first_whole @ parts.many)
    rival_total = float(parts.rival_whole @ parts.many)
    ratio = rival_total / first_total
    weights = [weight * ratio for weight in _WEIGHTS]

    def bound(low: float, high: float) -> float:
        best = 0.0
        for weight in weights:
            needed = min(parts.needed(low, weight), parts.needed(high, weight))
            best = max(best, needed)
        return best

    heap = [(bound(0.0, 1.0), 0.0, 1.0)]
    for _interval in range(_INTERVALS):
        least, low, high = heapq.heappop(heap)
        if least >= most:
            return most
        middle = (low + high) / 2
        for start, end in ((low, middle), (middle, high)):
            # A part of an interval has at least the bound of the whole.
            part_bound = max(least, bound(start, end))
            heapq.heappush(heap, (part_bound, start, end))
    return int(min(most, heap[0][0]))


def _contribution_kinds(counted: CountedBlocks, first: int, rival: int) -> _Parts:
    """Group blocks by their contributions to the shares of the first and of a rival."""
    part, whole = part_and_whole(counted.method.name, counted.layout.systems)
    masks = np.stack([part[first], whole[first], part[rival], whole[rival]])
    added = np.asarray(masks @ counted.cells)
    kinds, many = np.unique(added, axis=1, return_counts=True)
    first_part, first_whole, rival_part, rival_whole = kinds.astype(np.float64)
    return _Parts(
        first_part=first_part,
        first_whole=first_whole,
        rival_part=rival_part,
        rival_whole=rival_whole,
        many=many.astype(np.float64),
    )


#: Maximum number of linear programs to solve before giving up, and of kinds of blocks in all of
#: them: a program with some hundreds takes a few milliseconds.
_PROGRAMS = 2000
_KINDS = 2_000_000
#: With more blocks than this, no proof is attempted.
_BLOCKS = 20_000
#: Status of `linprog` if no solution is feasible.
_INFEASIBLE = 2
#: Tolerance larger than the rounding errors of a solved program.
_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class _Terms:
    """The T terms of the lead of the first over a rival, each a share.

    Attributes
    ----------
    sign : float64, shape (T,)
        1 for shares of the first, −1 for those of the rival, each divided by the opponents met.
    won, lost : float64, shape (T,)
        Comparisons of the share before any removals.
    pair : int64, shape (T,)
        Index of the pair of systems; the first and the rival are one pair with two terms.
    cells : int64, shape (2 T,)
        Cells of the layout that count the wins, and those that count the losses.
    """

    sign: FloatArray
    won: FloatArray
    lost: FloatArray
    pair: Int64Array
    cells: Int64Array

    @property
    def decided(self) -> FloatArray:
        """Comparisons that were won or lost before any removals, shape (T,)."""
        return self.won + self.lost

    @property
    def lead(self) -> float:
        share = self.won / self.decided
        return float(self.sign @ share)

    @property
    def firsts(self) -> Int64Array:
        """The first term of each of P pairs, shape (P,)."""
        _pairs, firsts = np.unique(self.pair, return_index=True)
        return firsts.astype(np.int64)

    def weights(
        self,
        low: FloatArray,
        high: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the maximum decrease of the lead by removing a win and a loss, each of shape (T,).

        `low` and `high` are the minimum and maximum numbers of removed comparisons of each pair;
        see `_expected_wins`.
        """
        every = self.decided
        fewer = every - high[self.pair]
        more = every - low[self.pair]
        is_first = self.sign > 0
        left_of_win = np.where(is_first, fewer, more)
        left_of_loss = np.where(is_first, more, fewer)
        win_weight = self.sign * self.lost / (every * left_of_win)
        loss_weight = -self.sign * self.won / (every * left_of_loss)
        return win_weight, loss_weight

    def shrunk(self, wins: FloatArray, losses: FloatArray) -> FloatArray:
        """Return the decrease of the lead by each term, in units of the score, when wins and losses
        are removed.

        `wins` and `losses` have one entry per term, like `won` and `lost`; each term must keep some
        comparison.
        """
        remaining = self.decided - wins - losses
        shift = self.sign * (wins * self.lost - losses * self.won)
        return shift / (self.decided * remaining)


def cannot_overtake(
    counted: CountedBlocks,
    first: int,
    rival: int,
    removed: int,
) -> bool:
    """Return True if a rival provably is not ahead after at most this number of removals.

    The shares of Expected Wins are bounded by linear functions of the removed comparisons, as in
    `_expected_wins`, which are tight if the number of removed comparisons of a pair is known.
    Linear programs over the kinds of blocks give the maximum number of comparisons of each pair
    that can be removed if the bounds are to reach the lead, which tightens the bounds. If they
    still reach it, the range of one pair is split in two, and both halves are examined in turn.

    Parameters
    ----------
    counted : CountedBlocks
        Blocks scored by Expected Wins; the first has a higher score than the rival.
    first, rival : int
    removed : int

    Returns
    -------
    bool
        False if there is no proof, if a pair with either system could lose all its comparisons, or
        if there is too much to compute.
    """
    terms = _terms(counted, first, rival)
    if len(counted.key) > _BLOCKS or terms is None:
        return False
    if removed >= float(terms.decided.min()):
        return False
    pairs = len(terms.firsts)
    programs = _Programs(counted, terms, removed)
    waiting = [_Part(np.zeros(pairs), np.full(pairs, float(removed)))]
    while waiting:
        part = programs.tightened(waiting.pop())
        if part is None:
            continue
        removals = programs.best(part)
        if removals is None:
            continue
        halves = programs.halves(part, removals)
        if not halves or programs.are_spent:
            return False
        waiting += halves
    return True


def _terms(counted: CountedBlocks, first: int, rival: int) -> _Terms | None:
    """Return the terms of the lead; None if the rival was not compared."""
    n = counted.layout.systems
    wins = counted.total[: n * n].reshape(n, n)
    decided = (wins + wins.T) * off_diagonal(n)
    met_first = np.flatnonzero(decided[first])
    met_rival = np.flatnonzero(decided[rival])
    if not len(met_rival):
        return None
    counts = [len(met_first), len(met_rival)]
    systems = np.repeat([first, rival], counts)
    others = np.concatenate([met_first, met_rival])
    lower = np.minimum(systems, others)
    upper = np.maximum(systems, others)
    # One term for each opponent of the first system, then of the rival.
    sign = np.repeat([1.0, -1.0], counts)
    opponents = np.repeat(counts, counts)
    win_cells = systems * n + others
    loss_cells = others * n + systems
    return _Terms(
        sign=sign / opponents,
        won=wins[systems, others].astype(np.float64),
        lost=wins[others, systems].astype(np.float64),
        pair=distinct_pairs(lower, upper).inverse,
        cells=np.concatenate([win_cells, loss_cells]),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """Minimum and maximum numbers of removed comparisons of each pair, each of shape (P,)."""

    low: FloatArray
    high: FloatArray


class _Solution(NamedTuple):
    """Numbers of blocks of each kind to remove, and the value of what they contribute."""

    worth: float
    removals: FloatArray


class _Programs:
    """Linear programs for the number of blocks of each kind to remove, up to a total."""

    def __init__(self, counted: CountedBlocks, terms: _Terms, removed: int) -> None:
        self._terms = terms
        self._removed = removed
        added = sparse.csr_array(counted.cells)[terms.cells].toarray()
        contents, many = np.unique(added.astype(np.float64), axis=1, return_counts=True)
        kinds = len(many)
        # Contribution of a block of each kind to the terms' wins and losses.
        wins, losses = np.split(contents, 2)
        self._wins = sparse.csr_array(wins)
        self._losses = sparse.csr_array(losses)
        decided = sparse.csr_array(wins + losses)
        self._decided = decided[terms.firsts]
        any_kind = sparse.csr_array(np.ones((1, kinds)))
        limits = [self._decided, -self._decided, any_kind]
        self._limits = sparse.vstack(limits, format="csr")
        self._bounds: Any = np.stack([np.zeros(kinds), many], axis=1)
        self._remaining = min(_PROGRAMS, _KINDS // max(1, kinds))

    @property
    def are_spent(self) -> bool:
        return self._remaining <= 0

    def best(self, part: _Part) -> FloatArray | None:
        """Return the numbers of blocks of each kind that shrink the lead most; None if that is not
        enough.
        """
        solution = self._best_removal(self._gains(part), part)
        if solution is None or solution.worth <= self._terms.lead - _TOLERANCE:
            return None
        return solution.removals

    def tightened(self, part: _Part) -> _Part | None:
        """Return the part with lower maximum numbers of comparisons; None if nothing is enough."""
        high = part.high.copy()
        for pair in np.flatnonzero(part.high > part.low).tolist():
            if self.are_spent:
                break
            within = _Part(part.low, high)
            gains = self._gains(within)
            comparisons = self._decided[[pair]].toarray().ravel()
            solution = self._best_removal(comparisons, within, enough=gains)
            if solution is None:
                return None
            most = np.floor(solution.worth + _TOLERANCE)
            high[pair] = min(high[pair], most)
        return _Part(part.low, np.maximum(high, part.low))

    def _gains(self, part: _Part) -> FloatArray:
        win_weight, loss_weight = self._terms.weights(part.low, part.high)
        return np.asarray(win_weight @ self._wins + loss_weight @ self._losses)

    def _best_removal(
        self,
        worth: FloatArray,
        part: _Part,
        *,
        enough: FloatArray | None = None,
    ) -> _Solution | None:
        """Return the removal with the highest value; None if none gains enough."""
        self._remaining -= 1
        limits: Any = self._limits
        most = part.high.tolist()
        most += (-part.low).tolist()
        most.append(float(self._removed))
        if enough is not None:
            losses = sparse.csr_array(-enough[np.newaxis])
            limits = sparse.vstack([limits, losses], format="csr")
            most.append(_TOLERANCE - self._terms.lead)
        from scipy.optimize import linprog  # slow to import, not needed at start-up

        solution = linprog(
            -worth,
            A_ub=limits,
            b_ub=most,
            bounds=self._bounds,
            method="highs",
        )
        if solution.status == _INFEASIBLE:
            return None
        if solution.status != 0 or solution.fun is None:  # nothing is ruled out
            return _Solution(np.inf, np.zeros(len(worth)))
        return _Solution(float(-solution.fun), np.asarray(solution.x))

    def halves(self, part: _Part, removals: FloatArray) -> list[_Part]:
        """Return two halves of a part, split where the bound is loosest; none if splitting does not
        help.
        """
        terms = self._terms
        wins = np.asarray(self._wins @ removals)
        losses = np.asarray(self._losses @ removals)
        shrunk = terms.shrunk(wins, losses)
        if float(shrunk.sum()) > terms.lead - _TOLERANCE or not removals.any():
            return []  # no tighter bound of the shares can rule this out
        win_weight, loss_weight = terms.weights(part.low, part.high)
        excess = win_weight * wins + loss_weight * losses - shrunk
        pair_excess = np.bincount(terms.pair, weights=excess, minlength=len(part.low))
        open_pair_excess = np.where(part.high > part.low, pair_excess, -np.inf)
        pair = int(np.argmax(open_pair_excess))
        if part.high[pair] <= part.low[pair]:
            return []
        position = terms.firsts[pair]
        middle = np.floor(wins[position] + losses[position])
        middle = min(max(middle, part.low[pair]), part.high[pair] - 1)
        below = part.high.copy()
        above = part.low.copy()
        below[pair] = middle
        above[pair] = middle + 1
        return [_Part(part.low, below), _Part(above, part.high)]

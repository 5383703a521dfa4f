"""Prove by branch and bound that so many blocks cannot change first place by Expected Wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.firmness.counted_blocks import CountedBlocks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Linear programs solved before the proof is given up, and kinds of blocks in all of them: a program
#: takes a few milliseconds for some hundreds.
_PROGRAMS = 2000
_KINDS = 2_000_000
#: With more blocks than this, no proof is tried.
_BLOCKS = 20_000
#: What `linprog` says where no solution fits.
_INFEASIBLE = 2
#: More than the errors of a solved program.
_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class _Terms:
    """The shares that make up the lead of the first over a rival, one for each of T terms.

    Attributes
    ----------
    sign : float64, shape (T,)
        1 for shares of the first, −1 for those of the rival, each divided by the opponents met.
    won, lost : float64, shape (T,)
        Comparisons of the share, before any is removed.
    pair : int64, shape (T,)
        Number of the pair of systems; the first and the rival have two terms and are one pair.
    wins, losses : sparse float64, shape (T, V)
        What a block of each of V kinds adds to them.
    many : float64, shape (V,)
        Blocks of each kind.
    """

    sign: FloatArray
    won: FloatArray
    lost: FloatArray
    pair: Int64Array
    wins: sparse.csr_array[np.float64]
    losses: sparse.csr_array[np.float64]
    many: FloatArray

    @property
    def lead(self) -> float:
        return float(self.sign @ (self.won / (self.won + self.lost)))

    @property
    def firsts(self) -> Int64Array:
        """The first term of each of P pairs, shape (P,)."""
        return np.unique(self.pair, return_index=True)[1].astype(np.int64)

    def weights(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return by how much at most a win and a loss removed shrink the lead, shape (T,) each.

        `low` and `high` are the fewest and the most comparisons of each pair that are removed, see
        `ranking.core.firmness.fewest_bounds`.
        """
        every = self.won + self.lost
        fewer, more = every - high[self.pair], every - low[self.pair]
        is_first = self.sign > 0
        of_win = self.sign * self.lost / (every * np.where(is_first, fewer, more))
        of_loss = -self.sign * self.won / (every * np.where(is_first, more, fewer))
        return of_win, of_loss

    def shrunk(self, wins: FloatArray, losses: FloatArray) -> FloatArray:
        """Return by how much each term shrinks the lead, in units of the score, if wins and losses are removed.

        `wins` and `losses` have an entry a term, as `won` and `lost` do; some comparison of each term must be left.
        """
        every = self.won + self.lost
        left = every - wins - losses
        return self.sign * (wins * self.lost - losses * self.won) / (every * left)


def cannot_overtake(counted: CountedBlocks, first: int, rival: int, removed: int) -> bool:
    """Return whether it is proven that a rival is not ahead after so many removals, or fewer.

    The shares of Expected Wins are bounded by linear functions of what is removed as in
    `ranking.core.firmness.fewest_bounds`, which are close where the number of comparisons removed
    of a pair is known. Linear programs over the kinds of blocks say how many comparisons of each
    pair can be removed at most if the bounds are to reach the lead, which makes the bounds closer.
    Where they still reach it, the numbers of one pair are split in two, and both halves are looked
    at in turn.

    Parameters
    ----------
    counted : CountedBlocks
        Of Expected Wins; the first has a higher score than the rival.
    first, rival : int
    removed : int

    Returns
    -------
    bool
        False if a pair of the two could lose all its comparisons, or if there is too much to
        compute, or simply no proof.
    """
    terms = _terms(counted, first, rival)
    if terms is None or removed >= float((terms.won + terms.lost).min()):
        return False
    pairs, programs = len(terms.firsts), _Programs(terms, removed)
    waiting = [_Part(np.zeros(pairs), np.full(pairs, float(removed)))]
    while waiting:
        part = programs.tightened(waiting.pop())
        taken = None if part is None else programs.best(part)
        if part is None or taken is None:
            continue
        halves = _halves(terms, part, taken)
        if not halves or programs.are_spent:
            return False
        waiting += halves
    return True


def _sparse(dense: npt.NDArray[Any]) -> sparse.csr_array[np.float64]:
    found: sparse.csr_array[np.float64] = sparse.csr_array(dense.astype(np.float64))
    return found


def _terms(counted: CountedBlocks, first: int, rival: int) -> _Terms | None:
    if len(counted.key) > _BLOCKS:
        return None
    n = counted.layout.systems
    wins = counted.total[: n * n].reshape(n, n)
    rows = []
    for system, sign in ((first, 1.0), (rival, -1.0)):
        met = [k for k in range(n) if k != system and wins[system, k] + wins[k, system]]
        rows += [(system, other, sign / len(met)) for other in met]
    if not rows:
        return None
    systems, others, signs = (np.array(column) for column in zip(*rows, strict=True))
    cells = np.concatenate([systems * n + others, others * n + systems])
    added = sparse.csr_array(counted.cells)[cells].toarray()
    kinds, many = np.unique(added, axis=1, return_counts=True)
    pairs = np.minimum(systems, others) * n + np.maximum(systems, others)
    return _Terms(
        sign=signs.astype(np.float64),
        won=wins[systems, others].astype(np.float64),
        lost=wins[others, systems].astype(np.float64),
        pair=np.unique(pairs, return_inverse=True)[1].astype(np.int64),
        wins=_sparse(kinds[: len(rows)]),
        losses=_sparse(kinds[len(rows) :]),
        many=many.astype(np.float64),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """Fewest and most comparisons of each pair that are removed, shape (P,) each."""

    low: FloatArray
    high: FloatArray


class _Programs:
    """Linear programs for how many blocks of each kind to remove, at most so many together."""

    def __init__(self, terms: _Terms, removed: int) -> None:
        kinds = len(terms.many)
        self._terms, self._removed = terms, removed
        self._decided = sparse.csr_array((terms.wins + terms.losses)[terms.firsts])
        self._limits = sparse.vstack(
            [self._decided, -self._decided, sparse.csr_array(np.ones((1, kinds)))], format="csr"
        )
        self._bounds: Any = np.stack([np.zeros(kinds), terms.many], axis=1)
        self._left = min(_PROGRAMS, _KINDS // max(1, kinds))

    @property
    def are_spent(self) -> bool:
        return self._left <= 0

    def best(self, part: _Part) -> FloatArray | None:
        """Return how many blocks of each kind shrink the lead most; None if that is not enough."""
        found = self._solved(self._gains(part), part)
        if found is None:
            return None
        return None if found.value <= self._terms.lead - _TOLERANCE else found.taken

    def tightened(self, part: _Part) -> _Part | None:
        """Return the part with fewer comparisons of each pair at most; None if nothing is enough."""
        high = part.high.copy()
        for pair in np.flatnonzero(part.high > part.low).tolist():
            if self.are_spent:
                break
            within = _Part(part.low, high)
            gains = self._gains(within)
            found = self._solved(self._decided[[pair]].toarray().ravel(), within, enough=gains)
            if found is None:
                return None
            high[pair] = min(high[pair], np.floor(found.value + _TOLERANCE))
        return _Part(part.low, np.maximum(high, part.low))

    def _gains(self, part: _Part) -> FloatArray:
        of_win, of_loss = self._terms.weights(part.low, part.high)
        return np.asarray(of_win @ self._terms.wins + of_loss @ self._terms.losses)

    def _solved(
        self, worth: FloatArray, part: _Part, *, enough: FloatArray | None = None
    ) -> _Solved | None:
        """Return the removal of most worth; None if there is none whose gains are enough."""
        self._left -= 1
        limits: Any = self._limits
        most = [*part.high.tolist(), *(-part.low).tolist(), float(self._removed)]
        if enough is not None:
            limits = sparse.vstack([limits, sparse.csr_array(-enough[np.newaxis])], format="csr")
            most.append(_TOLERANCE - self._terms.lead)
        from scipy.optimize import linprog  # Quintet starts without it

        found = linprog(-worth, A_ub=limits, b_ub=most, bounds=self._bounds, method="highs")
        if found.status == _INFEASIBLE:
            return None
        if found.status != 0 or found.fun is None:  # nothing is known, and nothing is ruled out
            return _Solved(np.inf, np.zeros(len(worth)))
        return _Solved(float(-found.fun), np.asarray(found.x))


@dataclass(frozen=True, eq=False)
class _Solved:
    """How much a removal is worth, and how many blocks of each kind it takes."""

    value: float
    taken: FloatArray


def _halves(terms: _Terms, part: _Part, taken: FloatArray) -> list[_Part]:
    """Return two parts of a part, split where the bound is worst; none if that is no use."""
    wins, losses = np.asarray(terms.wins @ taken), np.asarray(terms.losses @ taken)
    shrunk = terms.shrunk(wins, losses)
    if float(shrunk.sum()) > terms.lead - _TOLERANCE or not taken.any():
        return []  # no better bound of the shares rules this out
    of_win, of_loss = terms.weights(part.low, part.high)
    excess = of_win * wins + of_loss * losses - shrunk
    of_pairs = np.bincount(terms.pair, weights=excess, minlength=len(part.low))
    pair = int(np.argmax(np.where(part.high > part.low, of_pairs, -np.inf)))
    if part.high[pair] <= part.low[pair]:
        return []
    place = terms.firsts[pair]
    middle = np.floor(wins[place] + losses[place])
    middle = min(max(middle, part.low[pair]), part.high[pair] - 1)
    below, above = part.high.copy(), part.low.copy()
    below[pair], above[pair] = middle, middle + 1
    return [_Part(part.low, below), _Part(above, part.high)]

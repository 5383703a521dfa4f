"""The smallest set of blocks whose removal puts another system in first place.

Finding it exactly is a combinatorial problem. An upper bound is found quickly: the blocks whose
removal shrinks the lead most according to its derivative (Broderick, Giordano & Meager 2020), which
is updated at the counts where the lead is lost (recursively, as Huang et al. 2025 recommend),
verified by scoring the rest. Proven lower bounds (`ranking.core.firmness.bounds`), and a search
through all smaller sets if there are few, limit the possible error of this number.

References
----------
T. Broderick, R. Giordano, R. Meager (2020), An Automatic Finite-Sample Robustness Metric: When Can
Dropping a Little Data Make a Big Difference? arXiv:2011.14999.
J. Y. Huang, D. R. Burt, Y. Shen, T. D. Nguyen, T. Broderick (2025), Approximations to Worst-Case
Data Dropping: Unmasking Failure Modes, TMLR.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations_with_replacement, islice
from math import comb

import numpy as np

from ranking.core.arrays import Int64Array, as_column
from ranking.core.firmness.bounds import (
    CountedBlocks,
    at_least,
    cannot_overtake,
    counted_blocks,
)
from ranking.core.firmness.without_each import NOBODY, leaders, overtaken_by
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod

#: Number of times that the derivative is updated at the counts where the lead was lost.
_ROUNDS = 8
#: Number of prefix lengths tried at a time.
_TRIED_AT_A_TIME = 32
#: Maximum number of removals scored, one kind of block after another, to improve on a prefix.
_STEPS_SCORED = 20_000
#: Maximum number of cells of blocks that are put back one by one, to check whether they are needed.
_SPARE_CELLS = 4_000_000
#: Maximum number of sets scored to prove that no smaller set changes first place.
_SETS_SCORED = 50_000
_SETS_AT_A_TIME = 2048


class Proof(StrEnum):
    """Reason why no smaller set changes first place; callers put the code into words."""

    BOUND = "bound"
    """A bound proves it."""

    SEARCH = "search"
    """All smaller sets that no bound rules out were scored."""

    NONE = "none"
    """It is not proven: at most so many decide."""


@dataclass(frozen=True, eq=False)
class FewestBlocks:
    """Smallest set found of blocks whose removal changes first place.

    Attributes
    ----------
    blocks : int
        Number of all blocks.
    first : tuple of str
        Systems that are first with all blocks: several if their scores are equal, in which case no
        search is made; empty if no system has a score.
    rows : int64, shape (k,), or None
        The blocks of the smallest set found, most influential first; None if no set was found.
    new_first : str or None
        System that is ahead after their removal.
    at_least : int
        Proven lower bound: no smaller set changes first place.
    proof : Proof
        Why `rows` is the smallest set, or why there is none.
    """

    blocks: int
    first: tuple[str, ...]
    rows: Int64Array | None
    new_first: str | None
    at_least: int
    proof: Proof

    @property
    def size(self) -> int | None:
        """Number of blocks found; None if there are none."""
        if self.rows is None:
            return None
        return len(self.rows)


def fewest_blocks(blocks: Blocks, method: CountsMethod) -> FewestBlocks:
    """Find the smallest set of blocks whose removal changes first place.

    First place changes if another system has a higher score than the first, or if the first no
    longer has a score; an equal score is not a change.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    method : CountsMethod
        A method with influence values.

    Returns
    -------
    FewestBlocks
        `rows` is verified by scoring the other blocks. All blocks in it are needed, unless there
        were too many to check.

    Raises
    ------
    ValueError
        If the method has no influence values.
    """
    counted = counted_blocks(blocks, method)
    scores = method.score(blocks)
    ahead = leaders(scores)
    named = tuple(blocks.systems[index] for index in ahead)
    if len(ahead) != 1:
        return FewestBlocks(len(blocks), named, None, None, 0, Proof.NONE)
    first = ahead[0]
    candidate = _upper_bound(counted, first)
    if candidate is None:
        least = at_least(counted, first)
    else:
        least = at_least(counted, first, len(candidate))
    candidate, least, proof = _proven(counted, first, candidate, least)
    new_first = None
    if candidate is not None:
        new_first = blocks.systems[_new_first(blocks, counted, first, candidate)]
    return FewestBlocks(
        blocks=len(blocks),
        first=named,
        rows=candidate,
        new_first=new_first,
        at_least=least,
        proof=proof,
    )


def _new_first(
    blocks: Blocks,
    counted: CountedBlocks,
    first: int,
    candidate: Int64Array,
) -> int:
    """Score the remaining blocks from scratch, and return the system in first place."""
    rest = np.ones(len(blocks), dtype=np.bool_)
    rest[candidate] = False
    scores = counted.method.score(blocks.take(rest))
    new = int(overtaken_by(scores.rows(np.newaxis), first)[0])
    if new == NOBODY:
        raise AssertionError("counts of blocks do not add up")
    return new


# --- An upper bound -----------------------------------------------------------------------------


def _upper_bound(counted: CountedBlocks, first: int) -> Int64Array | None:
    """Return a set of blocks whose removal changes first place, as small as can be found
    quickly.
    """
    rivals = [rival for rival in range(counted.layout.systems) if rival != first]
    candidates = [_most_influential_blocks(counted, first, rival) for rival in rivals]
    candidates.append(_all_of(counted, first))
    sufficient = [candidate for candidate in candidates if candidate is not None]
    if not sufficient:
        return None
    best = min(sufficient, key=len)
    for rival in rivals:
        stepwise = _step_by_step(counted, first, rival, len(best))
        if stepwise is not None:
            best = stepwise
    return _drop_spare_blocks(counted, first, best)


def _most_influential_blocks(
    counted: CountedBlocks,
    first: int,
    rival: int,
) -> Int64Array | None:
    """Return the shortest sufficient prefix of the blocks, sorted by influence on the lead over a
    rival.
    """
    remaining = counted.total
    best = None
    for _round in range(_ROUNDS):
        gains = counted.gains(remaining, first, rival)
        # Equal gains are ordered by key, independently of the order of the rows.
        order = np.lexsort((counted.key, -gains))
        order = order[: np.count_nonzero(gains > 0)]
        length = _shortest_prefix(counted, first, order)
        if length is None or (best is not None and length >= len(best)):
            break
        best = order[:length].astype(np.int64)
        remaining = counted.total - counted.of(best)
    return best


def _shortest_prefix(
    counted: CountedBlocks,
    first: int,
    order: Int64Array,
) -> int | None:
    """Return the length of the shortest prefix of these blocks that changes first place."""
    low = 0
    removed = np.zeros(counted.layout.size, dtype=np.int64)
    high = len(order)
    while high > low:
        lengths = np.linspace(low + 1, high, _TRIED_AT_A_TIME).round()
        ends = np.unique(lengths.astype(np.int64))
        steps = np.split(order[:high], ends[:-1])
        steps[0] = steps[0][low:]
        counts = [counted.of(step) for step in steps]
        sums = removed + np.cumsum(counts, axis=0)
        overtaken = counted.overtaken_without(sums, first)
        changed = np.flatnonzero(overtaken != NOBODY)
        if not len(changed):
            return None
        position = int(changed[0])
        high = int(ends[position])
        if position:
            low = int(ends[position - 1])
            removed = sums[position - 1]
        if high - low == 1:
            return high
    return None


def _all_of(counted: CountedBlocks, first: int) -> Int64Array | None:
    """Return all blocks that count for the first system if another system has a score without
    them.
    """
    own = counted.layout.takes_part[first].astype(np.int64)
    comparisons = own @ counted.cells[counted.layout.used]
    rows = np.flatnonzero(comparisons).astype(np.int64)
    removed = counted.of(rows)
    overtaken = counted.overtaken_without(removed[np.newaxis], first)
    if overtaken[0] == NOBODY:
        return None
    return rows


def _step_by_step(
    counted: CountedBlocks,
    first: int,
    rival: int,
    limit: int,
) -> Int64Array | None:
    """Repeatedly remove the block that shrinks the lead over a rival most.

    Return a set of fewer than `limit` blocks; None if there is none, or too much to score.
    """
    if counted.cells.shape[1] > _STEPS_SCORED or limit < 2:
        return None
    kinds = counted.kinds
    if len(kinds) * limit > _STEPS_SCORED:
        return None
    remaining = np.array([len(rows) for rows in kinds.rows])
    removed = np.zeros(counted.layout.size, dtype=np.int64)
    removed_kinds = list[int]()
    while len(removed_kinds) < limit - 1:
        # Kinds without remaining blocks have no gain.
        has_blocks = remaining > 0
        sums = removed + kinds.cells * as_column(has_blocks)
        scores = counted.scores(counted.total - sums)
        is_overtaken = overtaken_by(scores, first) != NOBODY
        values = scores.values.T
        lead = values[first] - values[rival]
        lead[np.isnan(lead)] = np.inf
        lead[is_overtaken] = -np.inf
        lead[~has_blocks] = np.inf
        kind = int(np.argmin(lead))
        if lead[kind] == np.inf:
            return None
        remaining[kind] -= 1
        removed_kinds.append(kind)
        removed = sums[kind]
        if is_overtaken[kind]:
            return _rows_of(counted, removed_kinds)
    return None


def _rows_of(counted: CountedBlocks, kinds: list[int]) -> Int64Array:
    """Return as many blocks of each kind as are listed."""
    rows_by_kind = [iter(rows) for rows in counted.kinds.rows]
    return np.array([next(rows_by_kind[kind]) for kind in kinds], dtype=np.int64)


def _drop_spare_blocks(
    counted: CountedBlocks,
    first: int,
    candidate: Int64Array,
) -> Int64Array:
    """Return the set without unnecessary blocks, checked from the least influential on."""
    if len(candidate) * counted.layout.size > _SPARE_CELLS:
        return candidate
    while len(candidate) > 1:
        removed = counted.of(candidate)
        own = counted.cells[:, candidate].toarray().T
        overtaken = counted.overtaken_without(removed - own, first)
        changed = np.flatnonzero(overtaken != NOBODY)
        if not len(changed):
            break
        candidate = np.delete(candidate, int(changed[-1]))
    return candidate


# --- The proof ----------------------------------------------------------------------------------


def _proven(
    counted: CountedBlocks,
    first: int,
    candidate: Int64Array | None,
    least: int,
) -> tuple[Int64Array | None, int, Proof]:
    """Search the cases that no bound rules out, if there are few; return a set, its bound and its
    proof.
    """
    if candidate is not None:
        size = len(candidate)
        if least >= size or _is_least(counted, first, size):
            return candidate, size, Proof.BOUND
    if counted.cells.shape[1] > _SETS_SCORED or least > 8:
        return candidate, least, Proof.NONE
    kinds = counted.kinds
    if candidate is None:
        size = sum(len(rows) for rows in kinds.rows) + 1
    else:
        size = len(candidate)
    budget = _SETS_SCORED
    while least < size:
        budget -= comb(len(kinds) + least - 1, least)
        if budget < 0:
            return candidate, least, Proof.NONE
        smaller = _set_of(counted, first, least)
        if smaller is not None:
            return smaller, least, Proof.SEARCH
        least += 1
    return candidate, least, Proof.SEARCH


def _is_least(counted: CountedBlocks, first: int, size: int) -> bool:
    """Return whether branch and bound proves that no smaller set changes first place."""
    if counted.method.name != "expected_wins":
        return False
    comparisons = counted.layout.takes_part @ counted.total[counted.layout.used]
    for rival in np.flatnonzero(comparisons).tolist():
        if rival != first and not cannot_overtake(counted, first, rival, size - 1):
            return False
    return True


def _set_of(counted: CountedBlocks, first: int, size: int) -> Int64Array | None:
    """Return a set of blocks of a given size that changes first place, if there is one."""
    for sets in _sets(counted, size):
        removed = counted.kinds.cells[sets].sum(axis=1)
        overtaken = counted.overtaken_without(removed, first)
        changed = np.flatnonzero(overtaken != NOBODY)
        if len(changed):
            return _rows_of(counted, sets[changed[0]].tolist())
    return None


def _sets(counted: CountedBlocks, size: int) -> Iterator[Int64Array]:
    """Yield all sets of a given size as kinds, a few thousand at a time, shape (R, size)."""
    blocks_per_kind = np.array([len(rows) for rows in counted.kinds.rows])
    all_of_them = combinations_with_replacement(range(len(blocks_per_kind)), size)
    while listed := list(islice(all_of_them, _SETS_AT_A_TIME)):
        sets = np.array(listed, dtype=np.int64)
        # Kinds ascend in a set: if an entry equals the one as many places before it as its kind has
        # blocks, the kind occurs too often.
        is_possible = np.ones(len(sets), dtype=np.bool_)
        for many in np.unique(blocks_per_kind[blocks_per_kind < size]).tolist():
            kind = sets[:, many:]
            is_repeated = kind == sets[:, : size - many]
            too_many = is_repeated & (blocks_per_kind[kind] == many)
            is_possible &= ~too_many.any(axis=1)
        if is_possible.any():
            yield sets[is_possible]

"""Merge insertion: the systems to compare next, as a function of the verdicts so far.

D. Vilar, G. Leusch, H. Ney, R. E. Banchs (2007), Human Evaluation of Machine Translation Through
Binary System Comparisons, WMT, order systems by a sort whose steps are expensive. Among known
sorting algorithms, merge insertion needs the fewest comparisons, or nearly so (L. R. Ford, S. M.
Johnson 1959, A Tournament Problem, Amer. Math. Monthly 66; D. E. Knuth, The Art of Computer
Programming 3, §5.3.1, for the steps, which Vilar et al. only sketch):

1. Compare the systems in pairs. One may be left over.
2. Sort the winners a₁ < a₂ < …, in the same way. Their losers are b₁, b₂, …, with the one left over as the last b.
3. b₁ a₁ a₂ … is a chain. Insert b₃ b₂, b₅ b₄, b₁₁ … b₆, … into it by binary search, each below its own a: in
   this order, each search is among at most 2ᵏ − 1 systems.

The verdicts are the only state. Replaying them takes microseconds, so the sort can always continue,
even if some were lost or late. A comparison implied by others is never requested, so any verdicts
result in an order: a sort cannot contradict itself, and therefore cannot reveal that judges do.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from ranking.core.arrays import BoolArray


def draw(seed: int, *purpose: str) -> int:
    """Return a uniform 64-bit integer that depends only on the seed and the purpose of the draw."""
    # Existing sorts were drawn with this root, so it must never change.
    content = "\x1f".join(("quintet-sorting-1", str(seed), *purpose))
    return int.from_bytes(blake2b(content.encode(), digest_size=8).digest(), "big")


def shuffled(systems: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the systems in an order that depends only on the seed and their names."""
    return tuple(sorted(systems, key=lambda name: (draw(seed, "start", name), name)))


def drawn_winner(one: str, other: str, seed: int) -> str:
    """Return one of two systems, each with probability 1/2, independent of argument order."""
    pair = sorted((one, other))
    return pair[draw(seed, "undecided", *pair) >> 63]


Pair = tuple[str, str]
#: Winners of closed comparisons, by their two systems in the order of `pair_of`.
_Winners = Mapping[Pair, str]


def pair_of(one: str, other: str) -> Pair:
    """Return two systems in alphabetical order, which identifies their comparison."""
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A closed comparison of two systems."""

    winner: str
    loser: str


@dataclass(frozen=True, slots=True)
class SortState:
    """Progress of sorting n systems.

    Attributes
    ----------
    open : tuple of (str, str)
        Pairs to compare next, in any order or in parallel: the sort needs all of them, whatever the
        other verdicts will be. Empty if and only if there is an order.
    order : tuple of str or None
        All systems, best first.
    done : int
        Comparisons closed so far.
    left_at_most : int
        Comparisons still to be closed in the worst case, including open ones; 0 if there is an
        order.
    """

    open: tuple[Pair, ...]
    order: tuple[str, ...] | None
    done: int
    left_at_most: int


def most_comparisons(systems: int) -> int:
    """Return F(n) = Σ ⌈log₂(3k/4)⌉ over k = 1 … n, the worst-case number of comparisons (Knuth,
    §5.3.1, eq. 17).

    7 for 5 systems and 19 for 9, as Vilar et al. say.
    """
    return sum(((3 * k + 3) // 4 - 1).bit_length() for k in range(1, systems + 1))


def next_comparisons(systems: Iterable[str], verdicts: Iterable[Verdict], seed: int) -> SortState:
    """Replay closed comparisons, and return the next ones to open or, if none is missing, the
    order.

    Parameters
    ----------
    systems : iterable of str
        Two or more names, in any order.
    verdicts : iterable of Verdict
        Verdicts on comparisons that this sort requested; their order does not matter.
    seed : int
        Determines the start order, and thus which systems are compared first.

    Returns
    -------
    SortState

    Raises
    ------
    ValueError
        If there are fewer than two systems, or duplicates.
    """
    names = tuple(systems)
    if len(names) < 2:
        raise ValueError("systems: a sort needs two or more")
    if len(set(names)) < len(names):
        raise ValueError("systems: a name stands twice")
    winners = {pair_of(each.winner, each.loser): each.winner for each in verdicts}
    start = shuffled(names, seed)
    open_, order = _undecided(start, winners), None
    if not open_:
        pair, places, chain = _inserted(start, winners)
        if pair is None:
            order = tuple(reversed(chain))
        else:
            # Also the next pair, if it is the same wherever this system is inserted.
            after = {_inserted(start, winners, place)[0] for place in places}
            open_ = (pair, *(each for each in after if each and len(after) == 1))
    left = 0 if order else most_comparisons(len(names)) - len(winners)
    return SortState(open_, order, len(winners), left)


def _undecided(places: Sequence[str | None], winners: _Winners) -> tuple[Pair, ...]:
    """Return the pairs of steps 1 and 2 whose systems, but not winner, are known; None marks an
    unknown system.
    """
    if len(places) < 2:
        return ()
    pairs = list(zip(places[::2], places[1::2], strict=False))
    known = [(one, other) for one, other in pairs if one and other]
    won = [winners.get(pair_of(one, other)) if one and other else None for one, other in pairs]
    return (
        *(pair for pair in known if pair_of(*pair) not in winners),
        *_undecided(won, winners),
    )


def _inserted(
    start: Sequence[str], winners: _Winners, *guessed: int
) -> tuple[Pair | None, range, list[str]]:
    """Return the pair that step 3 waits for and the possible places of its first system; else all
    systems, worst first.

    The first unfinished searches are assumed to end at the `guessed` places.
    """
    guesses, insertions = iter(guessed), _insertions(start, winners)
    place = None
    while True:
        try:
            system, chain = insertions.send(place)
        except StopIteration as end:
            return None, range(0), end.value
        low, high = 0, len(chain)
        while low < high:
            middle = (low + high) // 2
            winner = winners.get(pair_of(system, chain[middle]))
            if winner is None:
                break
            low, high = (middle + 1, high) if winner == system else (low, middle)
        place = low if low == high else next(guesses, None)
        if place is None:
            return (system, chain[middle]), range(low, high + 1), []


def _insertions(
    names: Sequence[str], winners: _Winners
) -> Generator[tuple[str, list[str]], int | None, list[str]]:
    """Yield each system of step 3 with the sorted systems it is inserted among, and receive its
    place; return all, worst first.
    """
    if len(names) < 2:
        return [*names]
    pairs = [*zip(names[::2], names[1::2], strict=False)]
    won = [winners[pair_of(*pair)] for pair in pairs]
    chain = yield from _insertions(won, winners)
    loser_to = {winner: pair[winner == pair[0]] for winner, pair in zip(won, pairs, strict=True)}
    losers: list[tuple[str, str | None]] = [(loser_to[name], name) for name in chain]
    if len(names) % 2:
        losers.append((names[-1], None))
    # The first loser is below the worst winner, and so below all systems: it needs no search.
    chain.insert(0, losers[0][0])
    for number in _insertion_order(len(losers)):
        system, bound = losers[number - 1]
        place = yield system, chain if bound is None else chain[: chain.index(bound)]
        chain.insert(place or 0, system)
    return chain


def _insertion_order(losers: int) -> list[int]:
    """Return 3 2, 5 4, 11 … 6, …: the numbers 2 … `losers` in groups up to t_k = (2ᵏ⁺¹ + (−1)ᵏ)/3,
    each reversed.
    """
    order: list[int] = []
    done, k = 1, 2
    while done < losers:
        last = (2 ** (k + 1) + (-1) ** k) // 3
        order += range(min(last, losers), done, -1)
        done, k = last, k + 1
    return order


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """The order of n systems as far as it is known.

    Attributes
    ----------
    systems : tuple of str, length n
        By the middle of the possible places of each, best first.
    won : bool, shape (n, n)
        ``won[a, b]`` if there is a verdict that a is better than b.
    better : bool, shape (n, n)
        The same, including what verdicts imply: a is better than some c that is better than b.
    """

    systems: tuple[str, ...]
    won: BoolArray
    better: BoolArray

    def places(self, system: int) -> tuple[int, int]:
        """Return the best and the worst possible place of a system, from 1."""
        above, below = self.better[:, system].sum(), self.better[system].sum()
        return 1 + int(above), len(self.systems) - int(below)


def partial_order(systems: Sequence[str], verdicts: Iterable[Verdict]) -> PartialOrder:
    """Return the partial order implied by the verdicts of a sort."""
    names = sorted(systems)
    index = {name: place for place, name in enumerate(names)}
    won = np.zeros((len(names), len(names)), dtype=np.bool_)
    for verdict in verdicts:
        won[index[verdict.winner], index[verdict.loser]] = True
    better = won.copy()
    for middle in range(len(names)):
        better |= better[:, [middle]] & better[[middle]]
    # Twice the middle of its places, minus a constant.
    middles = better.sum(axis=0) - better.sum(axis=1)
    order = sorted(range(len(names)), key=lambda place: (int(middles[place]), names[place]))
    return PartialOrder(
        tuple(names[place] for place in order),
        won[np.ix_(order, order)],
        better[np.ix_(order, order)],
    )

"""Merge insertion: which systems to compare next, as a function of the verdicts so far.

D. Vilar, G. Leusch, H. Ney, R. E. Banchs (2007), Human Evaluation of Machine Translation Through Binary System
Comparisons, WMT, take the order of systems from a sort whose single steps are expensive. Of the sorts that are known, merge
insertion needs the fewest comparisons or nearly so (L. R. Ford, S. M. Johnson 1959, A Tournament Problem, Amer. Math.
Monthly 66; D. E. Knuth, The Art of Computer Programming 3, §5.3.1, for the steps, which Vilar et al. only sketch):

1. Compare the systems in pairs. One may be left over.
2. Sort the winners a₁ < a₂ < …, in the same way. Their losers are b₁, b₂, …, with the one left over as the last b.
3. b₁ a₁ a₂ … is a chain. Insert b₃ b₂, b₅ b₄, b₁₁ … b₆, … into it by binary search, each below its own a: in
   this order, each search is among at most 2ᵏ − 1 systems.

There is no state but the verdicts. To replay them costs microseconds, so whatever was lost or came late, the sort goes on
from what is there. No comparison is asked that others imply, so any verdicts at all end in an order: a sort cannot
contradict itself, and therefore cannot show that judges do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt


def draw(seed: int, *purpose: str) -> int:
    """Return a uniform integer of 64 bits, a function of the seed and of the purpose of the draw."""
    # Sorts that have begun were drawn with this root: it never changes.
    content = "\x1f".join(("quintet-sorting-1", str(seed), *purpose))
    return int.from_bytes(blake2b(content.encode(), digest_size=8).digest(), "big")


def shuffled(systems: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the systems in an order that only the seed and their names decide."""
    return tuple(sorted(systems, key=lambda name: (draw(seed, "start", name), name)))


def drawn_winner(one: str, other: str, seed: int) -> str:
    """Return one of two systems, each with probability 1/2, whichever is named first."""
    pair = sorted((one, other))
    return pair[draw(seed, "undecided", *pair) >> 63]


Pair = tuple[str, str]
#: Winners of closed comparisons, by their two systems in any order.
_Winners = Mapping[frozenset[str], str]
#: The systems of one round of pairs in their places, None where a pair is not decided.
_Places = tuple[str | None, ...]


class VerdictError(ValueError):
    """The verdicts are not those of one sort; the message names the pair."""


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
        The pairs to compare now, in any order or at once: the sort needs all of them, whatever the verdicts on the others
        will be. Empty if and only if there is an order.
    order : tuple of str or None
        All systems, best first.
    done : int
        Comparisons closed so far.
    left_at_most : int
        Comparisons still to be closed in the worst case, open ones among them; 0 if there is an order.
    """

    open: tuple[Pair, ...]
    order: tuple[str, ...] | None
    done: int
    left_at_most: int


def most_comparisons(systems: int) -> int:
    """Return F(n) = Σ ⌈log₂(3k/4)⌉ over k = 1 … n, the comparisons of the worst case (Knuth, §5.3.1, eq. 17).

    7 for 5 systems and 19 for 9, as Vilar et al. say.

    Raises
    ------
    ValueError
        If `systems` is negative.
    """
    if systems < 0:
        raise ValueError("systems: expected a number from 0")
    return sum(((3 * k + 3) // 4 - 1).bit_length() for k in range(1, systems + 1))


def next_comparisons(systems: Iterable[str], verdicts: Iterable[Verdict], seed: int) -> SortState:
    """Replay closed comparisons, and return which to open or, if none is missing, the order.

    Parameters
    ----------
    systems : iterable of str
        Two or more names, in any order.
    verdicts : iterable of Verdict
        In any order: the state is that of the set.
    seed : int
        Decides the start order, and so who meets whom first.

    Returns
    -------
    SortState

    Raises
    ------
    VerdictError
        If a verdict names an unknown system or a system against itself, if a pair stands twice, or if it is not one that
        this sort asks for after the others.
    ValueError
        If there are fewer than two systems, or one twice.
    """
    names = tuple(systems)
    if len(names) < 2:
        raise ValueError("systems: a sort needs two or more")
    if len(set(names)) < len(names):
        raise ValueError("systems: a name stands twice")
    start, given = shuffled(names, seed), _by_pair(names, verdicts)
    accepted: dict[frozenset[str], str] = {}
    while True:
        questions, order = _asked(start, accepted)
        closed = {key: given[key] for pair in questions if (key := frozenset(pair)) in given}
        if not closed:
            break
        accepted |= closed
    if stray := sorted(sorted(key) for key in given.keys() - accepted.keys()):
        one, other = stray[0]
        raise VerdictError(f"{one} : {other} is no comparison that this sort asks for")
    left = 0 if order else most_comparisons(len(names)) - len(accepted)
    return SortState(questions, order, len(accepted), left)


def _by_pair(systems: Sequence[str], verdicts: Iterable[Verdict]) -> dict[frozenset[str], str]:
    winners: dict[frozenset[str], str] = {}
    for verdict in verdicts:
        named = f"{verdict.winner} : {verdict.loser}"
        if unknown := {verdict.winner, verdict.loser}.difference(systems):
            raise VerdictError(f"{named}: there is no system {min(unknown)}")
        if verdict.winner == verdict.loser:
            raise VerdictError(f"{named}: a system against itself")
        pair = frozenset((verdict.winner, verdict.loser))
        if pair in winners:
            same = winners[pair] == verdict.winner
            raise VerdictError(
                f"{named}: the comparison is closed twice{'' if same else ', with both as the winner'}"
            )
        winners[pair] = verdict.winner
    return winners


def _asked(
    start: Sequence[str], winners: _Winners
) -> tuple[tuple[Pair, ...], tuple[str, ...] | None]:
    """Return the open pairs, and the order if there are none."""
    rounds, questions = _paired(start, winners)
    if questions:
        return questions, None
    *rounds, top = rounds
    reached = _Insertion(tuple(name for name in top if name), (), tuple(rounds)).advanced(winners)
    if reached.waiting:
        return reached.questions(winners), None
    return (), reached.chain[::-1]


def _paired(start: Sequence[str], winners: _Winners) -> tuple[list[_Places], tuple[Pair, ...]]:
    """Return the rounds of pairs down to a single winner, and the pairs whose systems are known but not their winner."""
    rounds: list[_Places] = [tuple(start)]
    questions: list[Pair] = []
    while len(rounds[-1]) > 1:
        won: list[str | None] = []
        for one, other in zip(rounds[-1][::2], rounds[-1][1::2], strict=False):
            if one is None or other is None:
                won.append(None)
                continue
            won.append(winners.get(frozenset((one, other))))
            if won[-1] is None:
                questions.append((one, other))
        rounds.append(tuple(won))
    return rounds, tuple(questions)


@dataclass(frozen=True, slots=True)
class _Insertion:
    """Step 3, of one round after the other: the last round's winners are sorted first.

    `chain` is sorted, worst first. `waiting` are the systems to insert into it, each with the system that it is known to be
    below, if any. `rounds` are those whose losers come after.
    """

    chain: tuple[str, ...]
    waiting: tuple[tuple[str, str | None], ...]
    rounds: tuple[_Places, ...]

    def advanced(self, winners: _Winners) -> _Insertion:
        """Go on as far as the verdicts reach; nothing waits if all is sorted."""
        state = self
        while state.waiting or state.rounds:
            if not state.waiting:
                state = state._next_round(winners)
                continue
            low, high = state.places(winners)
            if low < high:
                return state
            state = state.inserted(low)
        return state

    def places(self, winners: _Winners) -> tuple[int, int]:
        """Return the first and the last place that the next system may take, by the verdicts there are."""
        system, bound = self.waiting[0]
        low, high = 0, len(self.chain) if bound is None else self.chain.index(bound)
        while low < high:
            middle = (low + high) // 2
            winner = winners.get(frozenset((system, self.chain[middle])))
            if winner is None:
                break
            low, high = (middle + 1, high) if winner == system else (low, middle)
        return low, high

    def question(self, winners: _Winners) -> Pair | None:
        """Return the pair to compare next; None if all is sorted."""
        if not self.waiting:
            return None
        low, high = self.places(winners)
        return self.waiting[0][0], self.chain[(low + high) // 2]

    def questions(self, winners: _Winners) -> tuple[Pair, ...]:
        """Return the next pair, and the one after this insertion if that is the same wherever the system goes."""
        pair = self.question(winners)
        if pair is None:
            return ()
        low, high = self.places(winners)
        after = {
            self.inserted(place).advanced(winners).question(winners)
            for place in range(low, high + 1)
        }
        following = after.pop()
        return (pair,) if after or following is None else (pair, following)

    def inserted(self, place: int) -> _Insertion:
        """Insert the next system at its place."""
        chain = (*self.chain[:place], self.waiting[0][0], *self.chain[place:])
        return _Insertion(chain, self.waiting[1:], self.rounds)

    def _next_round(self, winners: _Winners) -> _Insertion:
        """Begin with the losers of an earlier round, whose winners are the chain."""
        *rounds, places = self.rounds
        names = [name for name in places if name is not None]
        loser_to: dict[str, str] = {}
        for one, other in zip(names[::2], names[1::2], strict=False):
            winner = winners[frozenset((one, other))]
            loser_to[winner] = other if winner == one else one
        losers: list[tuple[str, str | None]] = [(loser_to[name], name) for name in self.chain]
        if len(names) % 2:
            losers.append((names[-1], None))
        # The first loser is below the worst winner, and so below all: it needs no search.
        chain = (losers[0][0], *self.chain)
        return _Insertion(
            chain, tuple(losers[b - 1] for b in _insertion_order(len(losers))), tuple(rounds)
        )


def _insertion_order(losers: int) -> list[int]:
    """Return 3 2, 5 4, 11 … 6, …: the numbers 2 … `losers` in groups that end at t_k = (2ᵏ⁺¹ + (−1)ᵏ)/3, backwards."""
    order: list[int] = []
    done, k = 1, 2
    while done < losers:
        last = (2 ** (k + 1) + (-1) ** k) // 3
        order += range(min(last, losers), done, -1)
        done, k = last, k + 1
    return order


BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """The order of n systems as far as it is known.

    Attributes
    ----------
    systems : tuple of str, length n
        By the middle of the places that each may take, best first.
    won : bool, shape (n, n)
        ``won[a, b]``: a verdict says that a is better than b.
    better : bool, shape (n, n)
        The same, or it follows from verdicts: a is better than some c that is better than b.
    """

    systems: tuple[str, ...]
    won: BoolArray
    better: BoolArray

    def places(self, system: int) -> tuple[int, int]:
        """Return the first and the last place, from 1, that a system may take."""
        above, below = self.better[:, system].sum(), self.better[system].sum()
        return 1 + int(above), len(self.systems) - int(below)


def partial_order(systems: Sequence[str], verdicts: Iterable[Verdict]) -> PartialOrder:
    """Return the partial order implied by consistent verdicts, such as those of a sort.

    Raises
    ------
    ValueError
        If they go round in a circle.
    """
    names = sorted(systems)
    index = {name: place for place, name in enumerate(names)}
    won = np.zeros((len(names), len(names)), dtype=np.bool_)
    for verdict in verdicts:
        won[index[verdict.winner], index[verdict.loser]] = True
    better = won.copy()
    for middle in range(len(names)):
        better |= better[:, [middle]] & better[[middle]]
    if better.diagonal().any():
        raise ValueError("verdicts: they go round in a circle")
    # Twice the middle of its places, less a constant.
    middles = better.sum(axis=0) - better.sum(axis=1)
    order = sorted(range(len(names)), key=lambda place: (int(middles[place]), names[place]))
    return PartialOrder(
        tuple(names[place] for place in order),
        won[np.ix_(order, order)],
        better[np.ix_(order, order)],
    )

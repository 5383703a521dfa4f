"""Merge insertion: the numbers of the papers, two other implementations, and any verdicts in any order."""

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise, permutations
from random import Random
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merge_insertion import merge_insertion_max_comparisons, merge_insertion_sort

from ranking.core.sorting import (
    Pair,
    SortState,
    Verdict,
    most_comparisons,
    next_comparisons,
    shuffled,
)
from tests.properties import examples
from tests.some_now import some_now

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Winner = Callable[[str, str], str]


def by_order(order: Sequence[str]) -> Winner:
    """Return the judge to whom systems have this order."""
    return lambda one, other: min(one, other, key=order.index)


def at_random(seed: int) -> Winner:
    """Return a judge with an answer for each pair, who may go round in circles."""

    def winner(one: str, other: str) -> str:
        pair = sorted((one, other))
        return pair[sha256(f"{seed}{pair}".encode()).digest()[0] % 2]

    return winner


def sorted_by(
    winner: Winner,
    systems: str,
    *,
    seed: int = 0,
    arriving: Random | None = None,
) -> tuple[SortState, list[Verdict], int]:
    """Sort; return the end, the verdicts, and how often one had to wait for some of them.

    All open comparisons are closed at once or, with `arriving`, one that it draws.
    """
    verdicts: list[Verdict] = []
    waits = 0
    while not (state := next_comparisons(systems, verdicts, seed)).order:
        waits += 1
        for one, other in [arriving.choice(state.open)] if arriving else state.open:
            best = winner(one, other)
            verdicts.append(Verdict(best, other if best == one else one))
    return state, verdicts, waits


def textbook(
    start: Sequence[str],
    winner: Winner,
) -> tuple[list[str], set[frozenset[str]]]:
    """Sort as Wikipedia describes it: groups whose sizes add up to powers of two. A second implementation."""
    asked: set[frozenset[str]] = set()

    @dataclass
    class Placed:
        name: str

        def __lt__(self, other: "Placed") -> bool:
            """Return whether this one is worse."""
            asked.add(frozenset((self.name, other.name)))
            return winner(self.name, other.name) == other.name

    def chain_of(items: list[Placed]) -> list[Placed]:
        if len(items) < 2:
            return items
        pairs = [
            (b, a) if a < b else (a, b)
            for a, b in zip(items[::2], items[1::2], strict=False)
        ]
        loser = {better.name: worse for better, worse in pairs}
        above: list[Placed | None] = [*chain_of([better for better, _worse in pairs])]
        below = [loser[each.name] for each in above if each]
        if len(items) % 2:
            above.append(None)
            below.append(items[-1])
        chain = [below[0], *(each for each in above if each)]
        begin = 1
        for size in group_sizes(len(below)):
            for place in reversed(range(begin, min(begin + size, len(below)))):
                bound = above[place]
                end = len(chain) if bound is None else chain.index(bound)
                chain.insert(bisect_left(chain, below[place], 0, end), below[place])
            begin += size
        return chain

    return [
        each.name for each in reversed(chain_of([Placed(name) for name in start]))
    ], asked


def group_sizes(total: int) -> list[int]:
    """Return 2, 2, 6, 10, 22 …: two that follow each other add up to 4, 8, 16, 32 …"""
    sizes = [2, 2]
    while sum(sizes) < total:
        sizes.append(2 ** (len(sizes) + 1) - sizes[-1])
    return sizes


def test_the_worst_case_of_every_number_of_systems() -> None:
    assert [most_comparisons(n) for n in range(2, 16)] == [
        *(1, 3, 5, 7, 10, 13, 16, 19, 22, 26, 30, 34, 38, 42),
    ]
    assert (most_comparisons(0), most_comparisons(1), most_comparisons(20)) == (
        0,
        0,
        62,
    )
    assert most_comparisons(26) == 91


def test_all_orders_of_five_systems() -> None:
    numbers = []
    for order in permutations("ABCDE"):
        state, verdicts, _waits = sorted_by(by_order(order), "ABCDE")
        assert state == SortState((), order, len(verdicts), 0)
        numbers.append(len(verdicts))
    assert max(numbers) == 7
    assert sum(numbers) / len(numbers) == pytest.approx(6.93, abs=0.005)


@examples(40)
@given(systems=st.integers(2, 16), judge=st.integers(0, 999), seed=st.integers(0, 99))
def test_any_verdicts_end_in_the_order_of_the_textbook(
    systems: int,
    judge: int,
    seed: int,
) -> None:
    names, winner = LETTERS[:systems], at_random(judge)
    state, verdicts, _waits = sorted_by(
        winner,
        names,
        seed=seed,
        arriving=Random(judge),
    )
    assert state.order is not None
    assert state.closed == len(verdicts) <= most_comparisons(systems)
    made = {frozenset((each.winner, each.loser)) for each in verdicts}
    assert (list(state.order), made) == textbook(shuffled(names, seed), winner)
    # Neighbours of the order were compared with each other, and the better one won.
    for better, worse in pairwise(state.order):
        assert Verdict(better, worse) in verdicts


@examples(60)
@given(systems=st.integers(2, 13), judge=st.integers(0, 999), data=st.data())
def test_a_sort_goes_on_from_any_verdicts(
    systems: int,
    judge: int,
    data: st.DataObject,
) -> None:
    names = LETTERS[:systems]
    end, verdicts, _waits = sorted_by(at_random(judge), names, arriving=Random(judge))
    kept = verdicts[: data.draw(st.integers(0, len(verdicts)))]
    state = next_comparisons(reversed(names), data.draw(st.permutations(kept)), 0)
    made: set[frozenset[str]] = {
        frozenset((each.winner, each.loser)) for each in verdicts
    }
    assert state.closed == len(kept)
    assert (state.order is None) == bool(state.open) == (len(kept) < len(verdicts))
    assert {frozenset(pair) for pair in state.open} <= made
    assert (
        end.closed - state.closed
        <= state.left_at_most
        <= most_comparisons(systems) - state.closed
    )


def test_comparisons_always_needed_are_open_at_once() -> None:
    assert len(next_comparisons("ABCDEFGH", [], 0).open) == 4
    # Of nine systems with 19 comparisons or so, one at a time would be 19 waits.
    waits = [sorted_by(at_random(judge), LETTERS[:9])[2] for judge in range(20)]
    assert max(waits) <= 14


def test_a_pair_of_winners_opens_as_soon_as_both_are_known() -> None:
    start = next_comparisons("ABCDEFGH", [], 0).open
    verdicts = [Verdict(*pair) for pair in start[:2]]
    state = next_comparisons("ABCDEFGH", verdicts, 0)
    assert set(state.open) == {*start[2:], (start[0][0], start[1][0])}


def test_the_seed_decides_who_meets_first_and_the_names_order_does_not() -> None:
    def met(systems: str, seed: int) -> set[Pair]:
        return set(next_comparisons(systems, [], seed).open)

    assert met("ABCDEFGHI", 3) == met("IHGFEDCBA", 3)
    assert len({frozenset(met("ABCDEFGHI", seed)) for seed in range(10)}) > 5


def test_the_start_order_of_a_seed_never_changes() -> None:
    assert shuffled("ABCDE", 7) == ("E", "A", "D", "C", "B")


@pytest.mark.parametrize("systems", ["", "A", "ABA"])
def test_a_sort_is_of_two_systems_or_more(systems: str) -> None:
    with pytest.raises(ValueError, match="systems: "):
        next_comparisons(systems, [], 0)


def published(
    start: Sequence[str],
    winner: Winner,
) -> tuple[list[str], set[frozenset[str]]]:
    """Sort by the package `merge-insertion`, another author's: the order, best first, and the comparisons it made."""
    asked: set[frozenset[str]] = set()

    async def compared(pair: tuple[str, str]) -> Literal[0, 1]:
        asked.add(frozenset(pair))
        return 0 if winner(*pair) == pair[0] else 1

    # In a thread of its own: that of tests may have a loop of the browser's that runs.
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(
            asyncio.run,
            merge_insertion_sort(start, compared),
        ).result()
    return list(reversed(found)), asked


@pytest.mark.parametrize("systems", some_now(range(2, 7), most=4))
def test_every_order_of_six_or_fewer_is_sorted_as_the_package_does(
    systems: int,
) -> None:
    """Which of two middles a search begins with differs, and so the number for an order, but not how many take how many."""
    names = LETTERS[:systems]
    made, of_the_package = [], []
    for order in permutations(names):
        state, verdicts, _waits = sorted_by(by_order(order), names)
        found, asked = published(shuffled(names, 0), by_order(order))
        assert state.order == tuple(found) == order
        made.append(len(verdicts))
        of_the_package.append(len(asked))
    assert Counter(made) == Counter(of_the_package)
    assert (
        max(made)
        == merge_insertion_max_comparisons(systems)
        == most_comparisons(systems)
    )

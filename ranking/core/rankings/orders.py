"""The orders that several methods put the same systems in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ranking.core.judged.blocks import Blocks
from ranking.core.methods.davidson.likelihood import NotConvergedError
from ranking.core.methods.registry import method_named
from ranking.core.scores import TIE_DECIMALS, shared_ranks


@dataclass(frozen=True)
class MethodOrder:
    """The order of n systems by a method.

    Attributes
    ----------
    method : str
    ranks : dict of str to int
        1 for the best; without systems that the method cannot score.
    scores : dict of str to float
    swapped : tuple of (str, str)
        Pairs of systems in another order than by the first method, the better by the first method
        first.
    reason : str
        Why there is no order; empty if there is one.
    """

    method: str
    ranks: dict[str, int]
    scores: dict[str, float]
    swapped: tuple[tuple[str, str], ...] = ()
    reason: str = ""


def orders_by_methods(
    blocks: Blocks,
    methods: Sequence[str],
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[MethodOrder, ...]:
    """Rank systems by several methods, without rank ranges.

    Parameters
    ----------
    blocks : Blocks
    methods : sequence of str
        Names in the registry. The others are compared with the first.
    seed : int
        Of methods that draw random numbers.
    progress : callable, optional
        Called with (methods done, all methods).

    Returns
    -------
    tuple of MethodOrder
        In the order of `methods`.
    """
    found: list[MethodOrder] = []
    for number, name in enumerate(methods, 1):
        found.append(_order(blocks, name, seed, found[0] if found else None))
        if progress is not None:
            progress(number, len(methods))
    return tuple(found)


def _order(blocks: Blocks, name: str, seed: int, first: MethodOrder | None) -> MethodOrder:
    method = method_named(name)
    try:
        scores = method.score(blocks, seed=seed, **method.complete(None))
    except NotConvergedError:
        return MethodOrder(name, {}, {}, reason="not_converged")
    ranks, _last = shared_ranks(scores)
    kept = sorted(np.flatnonzero(scores.estimable).tolist(), key=lambda index: int(ranks[index]))
    found = {blocks.systems[index]: float(scores.values[index]) for index in kept}
    return MethodOrder(
        method=name,
        ranks={blocks.systems[index]: int(ranks[index]) for index in kept},
        scores=found,
        swapped=_swapped(first.scores, found) if first is not None else (),
    )


def _swapped(first: Mapping[str, float], other: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    """Return the pairs in another order; systems with equal scores are in none."""
    both = [name for name in first if name in other]
    return tuple(
        (one, two)
        for one, two in combinations(both, 2)
        if _is_ahead(first, one, two) and _is_ahead(other, two, one)
    )


def _is_ahead(scores: Mapping[str, float], one: str, two: str) -> bool:
    return round(scores[one], TIE_DECIMALS) > round(scores[two], TIE_DECIMALS)

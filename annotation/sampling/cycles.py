"""Blocks planned together, so that pairs have met equally often at the end of each cycle of them.

Whoever chooses one block at a time can only avoid what is uneven already; a block of five raises ten
counts at once, and pairs drift up to four apart. Here some blocks ahead are chosen together. A cycle
ends where about half of the pairs are to have met once more than the others: there many
arrangements have no two pairs more than one apart, and a short search finds one. From one such
end, where pairs met q or q + 1 times, to the next, where they met q + 1 or q + 2 times, none can be
more than two apart at any moment, whatever the order of the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

import numpy as np
import numpy.typing as npt

from annotation.sampling.known_designs import known_design
from campaign.texts.hash_draw import HashDraw

Int64Array = npt.NDArray[np.int64]
CycleBlocks = tuple[tuple[int, ...], ...]

#: Exchanges tried in one attempt, from even counts and from uneven ones.
_STEPS_FROM_EVEN, _STEPS = 30_000, 6_000
#: Attempts for each lap: a pair's count is to grow by so much. Where counts are uneven before the
#: cycle they will be so again, and good is good enough.
_ATTEMPTS_FROM_EVEN = (60, 8, 8, 8)
_ATTEMPTS = (1, 2)
#: Orders of the blocks that are tried.
_ORDERS = 40
#: Ends of a lap that are tried.
_ENDS = 5


@lru_cache(maxsize=64)
def plan_cycle(counts: bytes, systems: int, size: int, key: int) -> CycleBlocks:
    """Plan the next blocks together.

    Parameters
    ----------
    counts : bytes
        How often two systems have met: int64, shape (systems, systems), symmetric.
    systems : int
        How many there are, more than `size`.
    size : int
        Systems in a block, at least 3.
    key : int
        64 random bits.

    Returns
    -------
    tuple of tuple of int
        Systems of each block, in the order in which the blocks are to be shown.

    References
    ----------
    J. A. John, T. J. Mitchell (1977), Optimal Incomplete Block Designs, JRSS B 39 (regular graph
    designs: counts differ by one at most). J. A. John, E. R. Williams (1995), Cyclic and Computer
    Generated Designs, ch. 4 (exchange algorithms).
    """
    met = np.frombuffer(counts, dtype=np.int64).reshape(systems, systems).copy()
    pairs = met[np.triu_indices(systems, 1)]
    if pairs.min() == pairs.max():
        known = known_design(systems, size)
        if known:
            names = HashDraw(seed=key, number=0).shuffled(range(systems), str, "systems")
            return tuple(tuple(names[place] for place in block) for block in known)
    return _searched(met, pairs, size, key)


def _searched(met: Int64Array, pairs: Int64Array, size: int, key: int) -> CycleBlocks:
    from annotation.sampling.cycle_kernel import even_out, lay_out, put_in_order

    is_even = pairs.max() - pairs.min() <= 1
    steps = _STEPS_FROM_EVEN if is_even else _STEPS
    per_block = size * (size - 1) // 2
    best: tuple[tuple[int, int], Int64Array] | None = None
    for attempt, length in enumerate(_lengths(pairs, per_block, is_even=is_even)):
        luck = HashDraw(seed=key, number=attempt)
        counts, blocks = met.copy(), np.empty((length, size), dtype=np.int64)
        lay_out(counts, blocks, luck.integer("lay out"))
        target = _least_squares(int(pairs.sum()) + length * per_block, len(pairs))
        missing = even_out(counts, blocks, luck.integer("even out"), target, steps)
        orders = _ORDERS if is_even and missing == 0 else 1
        worst = put_in_order(met, blocks, luck.integer("order"), orders)
        if best is None or (missing, worst) < best[0]:
            best = (missing, worst), blocks
        if missing == 0 and (worst <= 2 or not is_even):
            break
    assert best is not None  # noqa: S101  there is an attempt
    return tuple(tuple(block) for block in best[1].tolist())


def _lengths(pairs: Int64Array, per_block: int, *, is_even: bool) -> Iterator[int]:
    """Yield the length of the cycle for each attempt, lap by lap, the middle ends first."""
    total, least, n = int(pairs.sum()), int(pairs.min()), len(pairs)
    for lap, attempts in enumerate(_ATTEMPTS_FROM_EVEN if is_even else _ATTEMPTS, start=1):
        first, last = (
            max(1, ceil(((least + end) * n - total) / per_block)) for end in (lap, lap + 1)
        )
        middle = (least + lap + 0.5) * n - total
        ends = sorted(range(first, last + 1), key=lambda length: abs(length * per_block - middle))[
            :_ENDS
        ]
        yield from (ends[attempt % len(ends)] for attempt in range(attempts))


def _least_squares(total: int, pairs: int) -> int:
    """Sum of the squares of so many whole numbers with this sum, no two more than one apart."""
    each, more = divmod(total, pairs)
    return pairs * each * each + more * (2 * each + 1)

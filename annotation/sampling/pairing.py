"""Which systems meet: the choosing kernels of every design, shared with its simulation.

Arrays in, indices out; a function of its arguments alone. Randomness comes as a *key*, 64 random
bits: `HashDraw.integer("systems", segment)` in a campaign, anything in a simulation. Counts are those
*planned*: what waits in the pool has as good as happened, or it would be planned again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_PAIR = 2


def choose_uniform(eligible: Sequence[int], size: int, key: int) -> tuple[int, ...]:
    """Choose systems with equal chances (WMT 2008–2011).

    Parameters
    ----------
    eligible : sequence of int
        Different indices of systems.
    size : int
        How many; all of them where there are not so many.
    key : int
        64 random bits.

    Returns
    -------
    tuple of int
        In random order.

    References
    ----------
    C. Callison-Burch et al. (2010), Findings of the 2010 Joint Workshop on SMT, WMT, §3.
    """
    # Without the compiled kernel, which makes the same choice: the demo need not wait for it.
    order = list(eligible)
    size = max(0, min(size, len(order)))
    for i, share in enumerate(_luck(key, size).tolist()):
        j = i + int(share * (len(order) - i))
        order[i], order[j] = order[j], order[i]
    return tuple(order[:size])


def choose_balanced(
    counts: npt.NDArray[np.integer], eligible: Sequence[int], size: int, key: int
) -> tuple[int, ...]:
    """Choose systems so that all pairs meet equally often.

    Starts from a pair that met least, adds systems and exchanges them while that lowers the sum
    over the pairs of the block of (count − lowest count)². Ties are decided by the key. With blocks
    of two, and with blocks of all, counts never differ by more than one; in between they stay
    within a few of each other. `annotation.sampling.cycles` plans blocks together and does better.

    Parameters
    ----------
    counts : integer, shape (n, n)
        How often two systems meet in what is planned so far; symmetric, the diagonal is ignored.
    eligible, size, key
        As for `choose_uniform`.

    Returns
    -------
    tuple of int
    """
    systems, size, chosen = _prepared(eligible, size)
    if size == _PAIR:
        return _rarest_pair(counts, systems, key)
    from annotation.sampling.pairing_kernel import choose_balanced as kernel

    kernel(np.ascontiguousarray(counts, dtype=np.int64), systems, size, key, chosen)
    return tuple(chosen.tolist())


def _rarest_pair(counts: npt.NDArray[np.integer], systems: Int64Array, key: int) -> tuple[int, ...]:
    """Choose a pair as the compiled kernel does, without the seconds of its first compilation."""
    later, earlier = np.tril_indices(len(systems), -1)
    met = counts[systems[later], systems[earlier]]
    rarest = np.flatnonzero(met == met.min())
    pair = rarest[int(_luck(key, 1)[0] * len(rarest))]
    return int(systems[later[pair]]), int(systems[earlier[pair]])


def choose_active(
    priorities: Float64Array, eligible: Sequence[int], size: int, key: int
) -> tuple[int, ...]:
    """Choose systems whose pairs tell most about the order.

    The first pair is drawn with chances as the priorities, every further system with chances as
    the sum of its priorities with those drawn already: a block is a group of systems that are hard
    to tell apart. Drawn, not the best taken: a hundred HITs planned from one state are different,
    and no pair of a priority above 0 starves.

    Parameters
    ----------
    priorities : float64, shape (n, n)
        Of `priorities.active_priorities`: symmetric, not negative. All 0: everything has the same chance.
    eligible, size, key
        As for `choose_uniform`.

    Returns
    -------
    tuple of int
    """
    from annotation.sampling.pairing_kernel import choose_weighted as kernel

    systems, size, chosen = _prepared(eligible, size)
    kernel(np.ascontiguousarray(priorities, dtype=np.float64), systems, size, key, chosen)
    return tuple(chosen.tolist())


def _prepared(eligible: Sequence[int], size: int) -> tuple[Int64Array, int, Int64Array]:
    systems = np.array(eligible, dtype=np.int64)
    size = max(0, min(size, len(systems)))
    return systems, size, np.empty(size, dtype=np.int64)


def order_balanced(
    chosen: Sequence[int], position_counts: npt.NDArray[np.integer], key: int
) -> tuple[int, ...]:
    """Order systems so that each stands equally often in every position.

    The assignment of systems to positions with the least sum of (count − lowest count of the
    system)²; ties are decided by the key.

    Parameters
    ----------
    chosen : sequence of int
        Different indices of systems.
    position_counts : integer, shape (n, p)
        How often each system stands in each position in what is planned so far; p is at least the
        number of the chosen.
    key : int
        64 random bits.

    Returns
    -------
    tuple of int
        The chosen in shown order.
    """
    size = len(chosen)
    counts = position_counts[list(chosen), :size].astype(np.float64)
    excess = counts - counts.min(axis=1, keepdims=True, initial=np.inf)
    # Luck below 1 / size: all of it together never outweighs a step of the cost.
    decided = excess**2 + _luck(key, size * size).reshape(size, size) / max(1, size)
    from scipy.optimize import linear_sum_assignment  # Quintet starts without it

    systems, positions = linear_sum_assignment(decided)
    shown = np.empty(size, dtype=np.int64)
    shown[positions] = np.asarray(chosen, dtype=np.int64)[systems]
    return tuple(shown.tolist())


@lru_cache(maxsize=32)
def _steps(count: int) -> npt.NDArray[np.uint64]:
    return np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def _luck(key: int, count: int) -> Float64Array:
    """Return random numbers of a key in [0, 1), as `pairing_kernel.luck` does (SplitMix64)."""
    z = np.uint64(key) + _steps(count)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.asarray((z >> np.uint64(11)) * 2.0**-53, dtype=np.float64)

"""Which systems meet: the choosing kernels of every design, shared with its simulation.

Arrays in, indices out; a function of its arguments alone. Randomness comes as a *key*, 64 random
bits: `Draw.integer("systems", segment)` in a campaign, anything in a simulation. Counts are those
*planned*: what waits in the pool has as good as happened, or it would be planned again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isqrt

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Abilities are natural logarithms of odds; systems that differ by more are rare, and soon known.
_PRIOR_DEVIATION = 1.0
_NEWTON_STEPS = 12
_LEAST_VARIANCE = 1e-12
#: Normal quantiles of one-sided tests at 0.05 and 0.01, and what finishing a pair there is worth.
_LEVELS = ((1.645, 1.0), (2.326, 0.1))
#: Priorities are the same on every machine to this many decimals.
_DECIMALS = 9


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
    from annotation.sampling.pairing_kernel import choose_balanced as kernel

    systems, size, chosen = _prepared(eligible, size)
    kernel(np.ascontiguousarray(counts, dtype=np.int64), systems, size, key, chosen)
    return tuple(chosen.tolist())


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
        Of `active_priorities`: symmetric, not negative. All 0: everything has the same chance.
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


def active_priorities(
    wins: npt.NDArray[np.floating] | Int64Array,
    ties: npt.NDArray[np.floating] | Int64Array,
    planned: npt.NDArray[np.integer],
) -> Float64Array:
    """Say which pairs are next to be told apart, and so worth most judgments now.

    The differences of abilities d and their variances s² are estimated by Bradley and Terry's model
    with a normal prior, a tie being half a win of each: all comparisons count, also those with third
    systems. The sign test tells a pair apart when its lead (wins − losses) reaches c √(decided).
    One comparison adds to the lead, on average,

        e = tanh(√(d² + s²) / 2),

    where s² gives a pair its chance whose difference is not known yet. The comparisons still needed
    are the least m with  lead + e m ≥ c √(decided + m),  and a pair's priority is 1 / m: to finish
    as many as possible as soon as possible, finish first what takes least. Pairs told apart already
    cost nothing more; pairs that are as good as equal do not swallow the campaign.

    Whoever stops asking as soon as a difference is significant believes too many of them. A pair
    told apart at the first level therefore goes on at a stricter one, with a tenth of the weight;
    the floor of balanced blocks does the rest.

    Parameters
    ----------
    wins : number, shape (n, n)
        ``wins[a, b]`` recorded comparisons won by a against b.
    ties : number, shape (n, n)
        Symmetric.
    planned : integer, shape (n, n)
        Comparisons planned, judged ones among them; symmetric. What waits is done already.

    Returns
    -------
    float64, shape (n, n)
        Symmetric, in [0, 1], the largest 1; 0 on the diagonal. All alike where nothing is left.

    References
    ----------
    R. A. Bradley, M. E. Terry (1952), Rank Analysis of Incomplete Block Designs, Biometrika 39.
    W. E. Smith (1956), Various Optimizers for Single-Stage Production, Nav. Res. Logist. Q. 3
    (shortest first). R. Heckel, N. B. Shah, K. Ramchandran, M. J. Wainwright (2019), Active Ranking
    from Pairwise Comparisons and When Parametric Assumptions Do Not Help, Ann. Stat. 47.
    """
    apart = 1.0 - np.eye(len(wins))
    won = np.asarray(wins, dtype=np.float64) * apart
    tied = np.asarray(ties, dtype=np.float64) * apart
    decided = won + won.T
    half_won = won + tied / 2
    gap, variance = _differences(half_won.tobytes())
    lead = (won - won.T) * np.sign(gap)
    step = np.tanh(np.sqrt(gap**2 + variance) / 2)
    waiting = np.maximum(0.0, np.asarray(planned) * apart - decided - tied)
    # Nobody knows the end of a pair to the comparison; nor does a state that is a little old.
    grain = 5 + decided / 50
    priority = np.zeros_like(won)
    for critical, weight in _LEVELS:
        needed = _still_needed(decided, lead, step, critical) - waiting
        is_open = (needed > 0) & np.isfinite(needed)
        priority += np.where(is_open, weight / (np.where(is_open, needed, 0.0) + grain), 0.0)
    priority *= apart
    most = priority.max(initial=0.0)
    return np.round(priority / most, _DECIMALS) if most > 0 else apart


def _still_needed(
    decided: Float64Array, lead: Float64Array, step: Float64Array, critical: float
) -> Float64Array:
    """Least m with lead + step m ≥ critical √(decided + m); 0 where m = 0 does."""
    # With u = √(decided + m): step u² − critical u + lead − step decided = 0.
    root = np.maximum(0.0, critical**2 - 4 * step * (lead - step * decided))
    there = (critical + np.sqrt(root)) / (2 * step)
    reached = (lead >= critical * np.sqrt(decided)) & (decided > 0)
    return np.where(reached, 0.0, np.maximum(0.0, there**2 - decided))


@lru_cache(maxsize=16)
def _differences(half_won: bytes) -> tuple[Float64Array, Float64Array]:
    """Differences of all abilities, and their variances; above 0, also on the diagonal.

    Of a square matrix of float64 as bytes, wins with a tie as half of one: hundreds of HITs are
    planned from what was recorded once, and this is the same for all of them. Do not write to it.
    """
    n = isqrt(len(half_won) // 8)
    won = np.frombuffer(half_won, dtype=np.float64).reshape(n, n)
    judged = won + won.T
    ability = _abilities(won, judged)
    covariance = _covariance(ability, judged)
    own = np.diagonal(covariance)
    variance = own[:, np.newaxis] + own - 2 * covariance
    return ability[:, np.newaxis] - ability, np.maximum(variance, _LEAST_VARIANCE)


def _abilities(won: Float64Array, judged: Float64Array) -> Float64Array:
    """Abilities that maximise the posterior of Bradley and Terry's model, by Newton's method."""
    ability = np.zeros(len(won))
    for _ in range(_NEWTON_STEPS):
        expected = judged / (1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis]))
        slope = won.sum(axis=1) - expected.sum(axis=1) - ability / _PRIOR_DEVIATION**2
        step = _covariance(ability, judged) @ slope
        # The likelihood is concave, but a step from far away may go too far.
        ability = ability + np.clip(step, -1.0, 1.0)
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return ability


def _covariance(ability: Float64Array, judged: Float64Array) -> Float64Array:
    """Inverse of the information of so many comparisons of each pair, and of the prior."""
    rate = 1 / (1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis]))
    information = judged * rate * (1 - rate)
    precision = np.diag(information.sum(axis=1) + 1 / _PRIOR_DEVIATION**2) - information
    return np.asarray(np.linalg.inv(precision))


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
    counts = np.asarray(position_counts, dtype=np.float64)[list(chosen), :size]
    excess = counts - counts.min(axis=1, keepdims=True, initial=np.inf)
    # Luck below 1 / size: all of it together never outweighs a step of the cost.
    decided = excess**2 + _luck(key, size * size).reshape(size, size) / max(1, size)
    systems, positions = linear_sum_assignment(decided)
    shown = np.empty(size, dtype=np.int64)
    shown[positions] = np.asarray(chosen, dtype=np.int64)[systems]
    return tuple(shown.tolist())


def _luck(key: int, count: int) -> Float64Array:
    """Return random numbers of a key in [0, 1), as `pairing_kernel.luck` does (SplitMix64)."""
    z = np.uint64(key) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.asarray((z >> np.uint64(11)) * 2.0**-53, dtype=np.float64)

"""Priorities of pairs of systems in active designs.

Arrays in, arrays out; shared with the simulation of designs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

import numpy as np
import numpy.typing as npt

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


def active_priorities(
    wins: npt.NDArray[np.floating] | Int64Array,
    ties: npt.NDArray[np.floating] | Int64Array,
    planned: npt.NDArray[np.integer],
) -> Float64Array:
    """Return the priority of each pair of systems: how much its next judgment contributes to the order.

    The differences of abilities d and their variances s² are estimated by Bradley and Terry's model
    with a normal prior, a tie being half a win of each: all comparisons count, also those with third
    systems. The sign test tells a pair apart when its lead (wins − losses) reaches c √(decided).
    One comparison adds to the lead, on average,

        e = tanh(√(d² + s²) / 2),

    where s² gives a pair its chance whose difference is not known yet. The comparisons still needed
    are the least m with  lead + e m ≥ c √(decided + m),  and a pair's priority is 1 / m: to finish
    as many as possible as soon as possible, finish first what takes least. Pairs told apart already
    cost nothing more; pairs that are as good as equal do not swallow the campaign.

    Stopping as soon as a difference is significant produces too many false differences. A pair told
    apart at the first level therefore goes on at a stricter one, with a tenth of the weight; the
    floor of balanced blocks does the rest.

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
    known = _known(*(np.asarray(each, dtype=np.float64).tobytes() for each in (wins, ties)))
    waiting = np.maximum(0.0, np.asarray(planned) * known.apart - known.decided - known.tied)
    priority = _priority([still - waiting for still in known.needed], known.decided) * known.apart
    most = priority.max(initial=0.0)
    return np.round(priority / most, _DECIMALS) if most > 0 else known.apart.copy()


def active_priorities_of_many(
    wins: Float64Array, abilities: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Return the priorities of many campaigns at once, and the abilities they follow from: a step of Newton's method on.

    For campaigns that are simulated in small steps, where abilities of the last step are nearly those of this one.
    No ties, and nothing waits.

    Parameters
    ----------
    wins : float64, shape (E, n, n)
    abilities : float64, shape (E, n)
        0, or those of fewer comparisons.

    Returns
    -------
    priorities : float64, shape (E, n, n)
        0 everywhere where nothing is left.
    abilities : float64, shape (E, n)
    """
    decided = wins + wins.swapaxes(-1, -2)
    ability, _step, covariance = _stepped(wins, decided, abilities)
    # Covariance of the abilities before the step: saves an inverse.
    gap, variance = _of_pairs(ability, covariance)
    priority = _priority(_still_needed(wins, gap, variance), decided)
    return priority * (1.0 - np.eye(wins.shape[-1])), ability


@dataclass(frozen=True, slots=True)
class _Known:
    """Quantities derived from the judged comparisons, each of shape (n, n).

    Attributes
    ----------
    apart : 1 off the diagonal, 0 on it
    decided, tied : comparisons
    needed : comparisons still needed at each level
    """

    apart: Float64Array
    decided: Float64Array
    tied: Float64Array
    needed: list[Float64Array]


@lru_cache(maxsize=16)
def _known(wins: bytes, ties: bytes) -> _Known:
    """Return the result for square matrices of float64, given as bytes. Do not write to it.

    Hundreds of HITs are planned from one recorded state, and this is the same for all of them.
    """
    n = isqrt(len(wins) // 8)
    apart = 1.0 - np.eye(n)
    won = np.frombuffer(wins, dtype=np.float64).reshape(n, n) * apart
    tied = np.frombuffer(ties, dtype=np.float64).reshape(n, n) * apart
    decided = won + won.T
    gap, variance = _differences(won + tied / 2)
    return _Known(apart=apart, decided=decided, tied=tied, needed=_still_needed(won, gap, variance))


def _priority(needed: Sequence[Float64Array], decided: Float64Array) -> Float64Array:
    """Return the sum over the levels of their weight divided by the comparisons still needed."""
    # A pair's end cannot be predicted to the exact comparison, nor from a slightly outdated state.
    grain = 5 + decided / 50
    priority = np.zeros_like(decided)
    for each, (_critical, weight) in zip(needed, _LEVELS, strict=True):
        is_open = (each > 0) & np.isfinite(each)
        priority += np.where(is_open, weight / (np.where(is_open, each, 0.0) + grain), 0.0)
    return priority


def _still_needed(
    won: Float64Array, gap: Float64Array, variance: Float64Array
) -> list[Float64Array]:
    """Return for each level the least m with lead + step m ≥ critical √(decided + m), which may be 0."""
    lost = won.swapaxes(-1, -2)
    decided, lead = won + lost, (won - lost) * np.sign(gap)
    step = np.tanh(np.sqrt(gap**2 + variance) / 2)
    found = []
    for critical, _weight in _LEVELS:
        # With u = √(decided + m): step u² − critical u + lead − step decided = 0.
        root = np.maximum(0.0, critical**2 - 4 * step * (lead - step * decided))
        there = (critical + np.sqrt(root)) / (2 * step)
        reached = (lead >= critical * np.sqrt(decided)) & (decided > 0)
        found.append(np.where(reached, 0.0, np.maximum(0.0, there**2 - decided)))
    return found


def _differences(won: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the differences of all abilities and their variances, positive on the diagonal too.

    Of wins, a tie being half of one.
    """
    judged = won + won.T
    ability = _abilities(won, judged)
    return _of_pairs(ability, _covariance(ability, judged))


def _of_pairs(ability: Float64Array, covariance: Float64Array) -> tuple[Float64Array, Float64Array]:
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    variance = own[..., :, np.newaxis] + own[..., np.newaxis, :] - 2 * covariance
    gap = ability[..., :, np.newaxis] - ability[..., np.newaxis, :]
    return gap, np.maximum(variance, _LEAST_VARIANCE)


def _abilities(won: Float64Array, judged: Float64Array) -> Float64Array:
    """Return the abilities that maximise the posterior of Bradley and Terry's model (Newton's method)."""
    ability = np.zeros(len(won))
    for _ in range(_NEWTON_STEPS):
        ability, step, _covariance_before = _stepped(won, judged, ability)
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return ability


def _stepped(
    won: Float64Array, judged: Float64Array, ability: Float64Array
) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Return the abilities a step nearer to those of most posterior density, the step, and the covariance before it."""
    expected = judged / (1 + np.exp(ability[..., np.newaxis, :] - ability[..., :, np.newaxis]))
    slope = won.sum(axis=-1) - expected.sum(axis=-1) - ability / _PRIOR_DEVIATION**2
    covariance = _covariance(ability, judged)
    step = (covariance @ slope[..., np.newaxis])[..., 0]
    # The likelihood is concave, but a step from far away may go too far.
    return ability + np.clip(step, -1.0, 1.0), step, covariance


def _covariance(ability: Float64Array, judged: Float64Array) -> Float64Array:
    """Return the inverse of the information in the comparisons of each pair and in the prior."""
    rate = 1 / (1 + np.exp(ability[..., np.newaxis, :] - ability[..., :, np.newaxis]))
    information = judged * rate * (1 - rate)
    own = information.sum(axis=-1) + 1 / _PRIOR_DEVIATION**2
    precision = np.eye(judged.shape[-1]) * own[..., np.newaxis] - information
    return np.asarray(np.linalg.inv(precision))

"""Priorities of pairs of systems in active designs.

Functions take and return arrays, and are shared with the simulation of designs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Standard deviation of abilities, in natural log-odds. Larger differences are rare, and soon
#: detected.
_PRIOR_DEVIATION = 1.0
_NEWTON_STEPS = 12
_LEAST_VARIANCE = 1e-12
#: Normal quantiles of one-sided tests at 0.05 and 0.01, and the weight of finishing a pair at each.
_LEVELS = ((1.645, 1.0), (2.326, 0.1))
#: Decimals to which priorities are the same on every machine.
_DECIMALS = 9


def active_priorities(
    wins: npt.NDArray[np.floating] | Int64Array,
    ties: npt.NDArray[np.floating] | Int64Array,
    planned: npt.NDArray[np.integer],
) -> Float64Array:
    """Return the priority of each pair of systems: how much its next judgment contributes to the order.

    The differences of abilities d and their variances s² are estimated with the Bradley–Terry model
    with a normal prior; a tie is half a win for each system. All comparisons count, including those
    with third systems. The sign test separates a pair when its lead (wins − losses) reaches c
    √(decided). On average, one comparison adds to the lead

        e = tanh(√(d² + s²) / 2),

    where s² favours pairs whose difference is still uncertain. The number of comparisons still
    needed is the smallest m with lead + e m ≥ c √(decided + m), and a pair's priority is 1 / m:
    finishing the shortest jobs first finishes as many as possible as soon as possible. Pairs
    already separated cost nothing more, and nearly equal pairs do not consume the campaign.

    Stopping as soon as a difference is significant produces too many false differences. A pair
    separated at the first level therefore continues at a stricter one, with a tenth of the weight;
    the minimum share of balanced blocks does the rest.

    Parameters
    ----------
    wins : number, shape (n, n)
        ``wins[a, b]`` recorded comparisons won by a against b.
    ties : number, shape (n, n)
        Symmetric.
    planned : integer, shape (n, n)
        Comparisons judged or awaited; symmetric. Waiting comparisons count as done.

    Returns
    -------
    float64, shape (n, n)
        Symmetric, in [0, 1], with maximum 1; 0 on the diagonal. All equal if no comparisons are
        needed.

    References
    ----------
    R. A. Bradley, M. E. Terry (1952), Rank Analysis of Incomplete Block Designs, Biometrika 39.
    W. E. Smith (1956), Various Optimizers for Single-Stage Production, Nav. Res. Logist. Q. 3
    (shortest first). R. Heckel, N. B. Shah, K. Ramchandran, M. J. Wainwright (2019), Active Ranking
    from Pairwise Comparisons and When Parametric Assumptions Do Not Help, Ann. Stat. 47.
    """
    won = np.asarray(wins, dtype=np.float64)
    tied = np.asarray(ties, dtype=np.float64)
    judged = _derived_quantities(won.tobytes(), tied.tobytes())
    comparisons = np.asarray(planned) * judged.apart
    unjudged = comparisons - judged.decided - judged.tied
    waiting = np.maximum(0.0, unjudged)
    needed = [still_needed - waiting for still_needed in judged.needed]
    priority = _priority(needed, judged.decided) * judged.apart
    most = priority.max(initial=0.0)
    if most > 0:
        return np.asarray(np.round(priority / most, _DECIMALS))
    return judged.apart.copy()


def active_priorities_of_many(
    wins: Float64Array,
    abilities: Float64Array,
) -> tuple[Float64Array, Float64Array]:
    """Return the priorities of many campaigns at once, and their abilities after one step of Newton's method.

    For campaigns that are simulated in small steps, between which abilities hardly change. Assumes
    no ties and no waiting comparisons.

    Parameters
    ----------
    wins : float64, shape (E, n, n)
    abilities : float64, shape (E, n)
        0, or abilities estimated from fewer comparisons.

    Returns
    -------
    priorities : float64, shape (E, n, n)
        All 0 for campaigns in which no comparisons are needed.
    abilities : float64, shape (E, n)
    """
    decided = wins + wins.swapaxes(-1, -2)
    ability, _step, covariance = _newton_step(wins, decided, abilities)
    # Covariance of the abilities before the step: saves an inverse.
    gap, variance = _ability_differences(ability, covariance)
    needed = _still_needed(wins, gap, variance)
    apart = 1.0 - np.eye(wins.shape[-1])
    return _priority(needed, decided) * apart, ability


@dataclass(frozen=True, slots=True)
class _Judged:
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
def _derived_quantities(wins: bytes, ties: bytes) -> _Judged:
    """Return the derived quantities for square float64 matrices given as bytes. Do not modify the result.

    Cached, because hundreds of HITs are planned from one recorded state.
    """
    n = isqrt(len(wins) // 8)
    apart = 1.0 - np.eye(n)
    won = np.frombuffer(wins, dtype=np.float64).reshape(n, n) * apart
    tied = np.frombuffer(ties, dtype=np.float64).reshape(n, n) * apart
    decided = won + won.T
    points = won + tied / 2
    gap, variance = _differences(points)
    return _Judged(
        apart=apart,
        decided=decided,
        tied=tied,
        needed=_still_needed(won, gap, variance),
    )


def _priority(needed: Sequence[Float64Array], decided: Float64Array) -> Float64Array:
    """Return the sum over the levels of their weight divided by the comparisons still needed."""
    # A pair's end cannot be predicted to the exact comparison, nor from a slightly outdated state.
    grain = 5 + decided / 50
    priority = np.zeros_like(decided)
    for still_needed, (_critical, weight) in zip(needed, _LEVELS, strict=True):
        is_open = (still_needed > 0) & np.isfinite(still_needed)
        job = np.where(is_open, still_needed, 0.0) + grain
        priority += np.where(is_open, weight / job, 0.0)
    return priority


def _still_needed(
    won: Float64Array,
    gap: Float64Array,
    variance: Float64Array,
) -> list[Float64Array]:
    """Return for each level the least m with lead + step m ≥ critical √(decided + m), which may be 0."""
    lost = won.swapaxes(-1, -2)
    decided = won + lost
    lead = (won - lost) * np.sign(gap)
    size_of_gap = np.sqrt(gap**2 + variance)
    step = np.tanh(size_of_gap / 2)
    needed = []
    for critical, _weight in _LEVELS:
        # With u = √(decided + m): step u² − critical u + lead − step decided = 0.
        constant = lead - step * decided
        discriminant = np.maximum(0.0, critical**2 - 4 * step * constant)
        u = (critical + np.sqrt(discriminant)) / (2 * step)
        m = np.maximum(0.0, u**2 - decided)
        critical_lead = critical * np.sqrt(decided)
        is_reached = (lead >= critical_lead) & (decided > 0)
        needed.append(np.where(is_reached, 0.0, m))
    return needed


def _differences(won: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the differences of all abilities and their variances; these are positive on the diagonal, too.

    They are estimated from wins; a tie is half a win.
    """
    judged = won + won.T
    ability = _abilities(won, judged)
    return _ability_differences(ability, _covariance(ability, judged))


def _ability_differences(
    ability: Float64Array,
    covariance: Float64Array,
) -> tuple[Float64Array, Float64Array]:
    """Return the differences of the abilities of each two systems, and their variances."""
    own_variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    sum_of_variances = _column(own_variance) + _row(own_variance)
    variance = np.maximum(sum_of_variances - 2 * covariance, _LEAST_VARIANCE)
    return _gap(ability), variance


def _gap(ability: Float64Array) -> Float64Array:
    return _column(ability) - _row(ability)


def _win_rate(ability: Float64Array) -> Float64Array:
    """Return the probability that each system wins against each other one."""
    odds_of_loss = np.exp(-_gap(ability))
    return 1 / (1 + odds_of_loss)


def _column(values: Float64Array) -> Float64Array:
    return values[..., np.newaxis]


def _row(values: Float64Array) -> Float64Array:
    return values[..., np.newaxis, :]


def _abilities(won: Float64Array, judged: Float64Array) -> Float64Array:
    """Return the abilities that maximise the posterior of the Bradley–Terry model (Newton's method)."""
    ability = np.zeros(len(won))
    for _ in range(_NEWTON_STEPS):
        ability, step, _covariance_before = _newton_step(won, judged, ability)
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return ability


def _newton_step(
    won: Float64Array,
    judged: Float64Array,
    ability: Float64Array,
) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Take one Newton step towards the posterior mode; return abilities, step, and covariance before it."""
    expected_wins = judged / (1 + np.exp(-_gap(ability)))
    surplus = won.sum(axis=-1) - expected_wins.sum(axis=-1)
    slope = surplus - ability / _PRIOR_DEVIATION**2
    covariance = _covariance(ability, judged)
    steps = covariance @ _column(slope)
    step = steps[..., 0]
    # The log-likelihood is concave, but a step from far away may overshoot.
    stepped = ability + np.clip(step, -1.0, 1.0)
    return stepped, step, covariance


def _covariance(ability: Float64Array, judged: Float64Array) -> Float64Array:
    """Return the inverse of the information from the comparisons and the prior."""
    rate = _win_rate(ability)
    information = judged * rate * (1 - rate)
    own_precision = information.sum(axis=-1) + 1 / _PRIOR_DEVIATION**2
    diagonal = np.eye(judged.shape[-1]) * _column(own_precision)
    return np.asarray(np.linalg.inv(diagonal - information))

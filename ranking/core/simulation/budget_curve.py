"""How many pairs and clusters so many judgments will show: quickly, for a page that follows a slider.

Systems' abilities are drawn: before the first judgment from Koehn's (2012) model, afterwards from their
posterior; systems may be equally good, as in `ranking.core.simulation.futures`. The comparisons to come follow from them, as normal variables with the correlation that
comparisons of one block have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from ranking.core.simulation.equal_groups import GroupsPosterior
from ranking.core.simulation.measures import critical_wins
from ranking.core.simulation.model import QUALITY_RANGE

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Noises of campaigns, for qualities from 0 to 10: those fitted to WMT10 and WMT12, and Koehn's 7 to 12.
NOISES = (4.0, 12.0)
#: Share of comparisons that are not tied, in the same campaigns.
DECIDED_SHARE = 0.83
#: Standard deviations of abilities (log odds) that the judgments choose among; the least: nearly equal.
_SPREADS = np.geomspace(0.05, 2.0, 12)
_NEWTON_STEPS = 20
_WEAK_SPREAD = 2.0
#: Simulated campaigns: fewer of many systems, where every one takes longer.
_MOST_EXPERIMENTS, _FEWEST_EXPERIMENTS, _PAIRS_IN_ALL = 256, 128, 40_000


@dataclass(frozen=True, kw_only=True)
class BudgetCurve:
    """What to expect after so many comparisons, those made already among them.

    Attributes
    ----------
    comparisons : float64, shape (C,)
        Ties included.
    pairs, pairs_low, pairs_high : float64, shape (C,)
        Pairs of systems that the one-sided sign test at 0.05 separates: expected, and the interval that
        holds 95 % of what may come.
    clusters, clusters_low, clusters_high : float64, shape (C,)
        The same of clusters by rank ranges of that test.
    """

    comparisons: Float64Array
    pairs: Float64Array
    pairs_low: Float64Array
    pairs_high: Float64Array
    clusters: Float64Array
    clusters_low: Float64Array
    clusters_high: Float64Array


def budget_curve(
    comparisons: Sequence[float] | Float64Array,
    *,
    systems: int,
    per_block: int,
    wins: npt.ArrayLike | None = None,
    ties: float = 0.0,
    share_with_equals: float = 0.5,
    confidence: float = 0.95,
    experiments: int | None = None,
    seed: int = 0,
) -> BudgetCurve:
    """Forecast the pairs separated and the clusters after so many comparisons.

    Parameters
    ----------
    comparisons : sequence of float
        In all, ties included, ascending; where fewer are asked for than were made, those made count.
    systems : int
        n, at least 2.
    per_block : int
        Systems in a block, at least 2.
    wins : number, shape (n, n), optional
        ``wins[a, b]`` comparisons won by a against b so far.
    ties : number
        Tied comparisons so far.
    share_with_equals : float
        How likely it is beforehand that some systems are equally good.
    confidence : float
        Of the intervals.
    experiments : int, optional
        Simulated campaigns; 128 to 256 if not given.
    seed : int

    Raises
    ------
    ValueError
        If there are fewer than two systems, or the comparisons are not ascending.
    """
    counts = np.asarray(comparisons, dtype=np.float64)
    if systems < 2 or per_block < 2:
        raise ValueError("systems, per_block: expected at least 2")
    if np.any(np.diff(counts) < 0):
        raise ValueError("comparisons: expected ascending numbers")
    if experiments is None:
        of_pairs = _PAIRS_IN_ALL // (systems * (systems - 1) // 2)
        experiments = max(_FEWEST_EXPERIMENTS, min(_MOST_EXPERIMENTS, of_pairs))
    random = np.random.default_rng(seed)
    won = np.zeros((systems, systems)) if wins is None else np.asarray(wins, dtype=np.float64)
    decided = float(won.sum())
    shown = min(per_block, systems)
    if decided:
        share = decided / (decided + ties)
        chances = _chances_judged(won, shown, experiments, share_with_equals, random)
    else:
        share = DECIDED_SHARE
        chances = _chances_before(systems, experiments, share_with_equals, random)
    more = np.maximum(0.0, counts - decided - ties) * share
    separated, clusters = _measured(won, chances, more, shown, random)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    bands = [
        (
            np.quantile(each, tails[0], axis=0, method="lower"),
            np.quantile(each, tails[1], axis=0, method="higher"),
        )
        for each in (separated, clusters)
    ]
    return BudgetCurve(
        comparisons=counts,
        pairs=separated.mean(axis=0),
        pairs_low=bands[0][0],
        pairs_high=bands[0][1],
        clusters=clusters.mean(axis=0),
        clusters_low=bands[1][0],
        clusters_high=bands[1][1],
    )


def _chances_before(
    n: int, experiments: int, share_with_equals: float, random: np.random.Generator
) -> Float64Array:
    """Return chances (E, n, n) that a system wins against another, in Koehn's model and among equals."""
    quality = random.uniform(0, QUALITY_RANGE, (experiments, n))
    noise = np.exp(random.uniform(np.log(NOISES[0]), np.log(NOISES[1]), experiments))
    for row in np.flatnonzero(random.random(experiments) < share_with_equals).tolist():
        group = np.arange(n)
        # First one system of each group, then each further one joins that of one before it.
        for system in range(int(random.integers(1, n)), n):
            group[system] = group[int(random.random() * system)]
        quality[row] = quality[row, group]
    gap = quality[:, :, np.newaxis] - quality[:, np.newaxis, :]
    return np.asarray(ndtr(gap / (noise[:, np.newaxis, np.newaxis] * np.sqrt(2))))


def _chances_judged(
    won: Float64Array,
    shown: int,
    experiments: int,
    share_with_equals: float,
    random: np.random.Generator,
) -> Float64Array:
    """Return chances (E, n, n) drawn from the posterior of abilities in Bradley and Terry's model.

    Comparisons of a block share its outputs. Of equally good systems, the wins of one in a block of k
    have (k + 1) / 3 times the variance of independent ones: comparisons count the less.
    """
    estimate, variance = _estimates(won * 3 / (shown + 1))
    groups = GroupsPosterior(estimate, variance, _SPREADS, share_with_equals=share_with_equals)
    ability = groups.draw(experiments, random)
    gap = ability[:, :, np.newaxis] - ability[:, np.newaxis, :]
    return np.asarray(1 / (1 + np.exp(-gap)))


def _estimates(won: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the abilities of most likelihood and their variances, as if those were independent.

    Variances are such that differences have theirs where all pairs met equally often. A weak prior bounds
    both where a system won all, or met nobody.
    """
    n = len(won)
    met = won + won.T
    ability, precision = np.zeros(n), np.eye(n)
    for _ in range(_NEWTON_STEPS):
        rate = 1 / (1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis]))
        information = met * rate * (1 - rate)
        precision = np.diag(information.sum(axis=1) + _WEAK_SPREAD**-2) - information
        slope = won.sum(axis=1) - (met * rate).sum(axis=1) - ability / _WEAK_SPREAD**2
        step = np.clip(np.linalg.solve(precision, slope), -1.0, 1.0)
        ability = ability + step
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(n) - 1 / n
    covariance = centre @ np.linalg.inv(precision) @ centre
    return ability, np.diagonal(covariance) * n / (n - 1)


def _measured(
    won: Float64Array,
    chances: Float64Array,
    more: Float64Array,
    shown: int,
    random: np.random.Generator,
) -> tuple[Float64Array, Float64Array]:
    """Return the pairs separated and the clusters, (E, C), after `more` decided comparisons of all pairs."""
    experiments, n, _n = chances.shape
    first, second = np.triu_indices(n, k=1)
    pairs = len(first)
    chance = chances[:, first, second]
    # Of two pairs with a system in common: 1/3 where they stand in one block.
    shared = (shown - 2) / (n - 2) / 3 if n > 2 else 0.0
    # Which pairs meet in a block is chance.
    apart = 1 - shown * (shown - 1) / (n * (n - 1))
    start = won[first, second]
    met = start + won[second, first]
    lead, to_come = np.zeros((experiments, pairs)), np.zeros((experiments, pairs))
    separated = np.empty((experiments, len(more)))
    clusters = np.empty_like(separated)
    before = 0.0
    for at, total in enumerate(more):
        mean = (total - before) / pairs
        before = total
        if mean > 0:
            chosen = random.standard_normal((experiments, pairs)) * np.sqrt(mean * apart)
            step = np.maximum(0.0, mean + chosen)
            of_system = random.standard_normal((experiments, n)) * np.sqrt(shared)
            own = random.standard_normal((experiments, pairs)) * np.sqrt(1 - 2 * shared)
            luck = of_system[:, first] - of_system[:, second] + own
            to_come += step
            lead += step * chance + np.sqrt(step * chance * (1 - chance)) * luck
        whole = np.rint(to_come)
        decided = np.rint(met + whole).astype(np.int64)
        wins = np.rint(start + np.clip(lead, 0, whole)).astype(np.int64)
        critical = critical_wins(decided)
        better, worse = wins >= critical, decided - wins >= critical
        separated[:, at] = np.count_nonzero(better | worse, axis=1)
        clusters[:, at] = _clusters(better, worse, first, second, n)
    return separated, clusters


def _clusters(
    better: npt.NDArray[np.bool_],
    worse: npt.NDArray[np.bool_],
    first: Int64Array,
    second: Int64Array,
    n: int,
) -> Int64Array:
    """Return the number of connected groups of overlapping rank ranges in each experiment."""
    experiments = len(better)
    beats = np.zeros((experiments, n, n), dtype=np.bool_)
    beats[:, first, second] = better
    beats[:, second, first] = worse
    low = 1 + np.count_nonzero(beats, axis=1)
    high = n - np.count_nonzero(beats, axis=2)
    order = np.argsort(low, axis=1, kind="stable")
    low, high = (np.take_along_axis(each, order, axis=1) for each in (low, high))
    reached = np.maximum.accumulate(high, axis=1)
    return np.asarray(1 + np.count_nonzero(low[:, 1:] > reached[:, :-1], axis=1))

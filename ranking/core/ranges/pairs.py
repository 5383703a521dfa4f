"""Pairs of systems: which one is ahead, and the p-value of the difference."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from ranking.core.counting.tallies import Tallies
from ranking.core.ranges.sign_tests import Correction, Sides, adjusted, sign_test
from ranking.core.scores import Scores, ordinal_ranks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ComparedPair:
    """Two ranked systems, the better-ranked one first.

    Attributes
    ----------
    better, worse : str
        Names of the systems.
    wins, losses, ties : int
        Comparisons of the first system with the second, by outcome for the first.
    p_value : float
        p-value of the difference by itself.
    adjusted_p : float
        p-value of the difference, corrected for the number of pairs as the ranking says.
    significant : bool
        Whether `adjusted_p` is at most 1 − confidence.
    """

    better: str
    worse: str
    wins: int
    losses: int
    ties: int
    p_value: float
    adjusted_p: float
    significant: bool


@dataclass(frozen=True, eq=False)
class PairTests:
    """p-values of the differences between n systems.

    Attributes
    ----------
    p_value, adjusted_p : float64, shape (n, n)
        ``[a, b]`` for "a is better than b"; 1 without evidence for it.
    """

    p_value: FloatArray
    adjusted_p: FloatArray


def difference_tests(
    scores: Scores,
    covariance: FloatArray,
    *,
    degrees_of_freedom: float,
    sides: Sides,
    correction: Correction,
) -> PairTests:
    """Test the differences of scores by Student's t.

    Parameters
    ----------
    scores : Scores of shape (n,)
    covariance : float64, shape (n, n)
        Of the scores.
    degrees_of_freedom : float
        Degrees of freedom of `covariance`; ∞ for a normal test.
    sides : 1 or 2
        With 1, each pair is tested in the direction of its difference.
    correction : Correction
        For the n (n − 1) / 2 pairs.

    Returns
    -------
    PairTests
        A difference with variance 0 is certain; a difference of 0 has the p-value 1.
    """
    variance = np.diag(covariance)
    spread = np.sqrt(np.maximum(0, variance[:, np.newaxis] + variance - 2 * covariance))
    ahead = scores.values[:, np.newaxis] - scores.values
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(spread > 0, ahead / spread, np.inf)
    # Scores that are not estimable are NaN, and so never ahead.
    tested = ahead > 0
    if scores.group is not None:
        tested &= scores.group[:, np.newaxis] == scores.group
    return _corrected(
        np.where(tested, stdtr(degrees_of_freedom, -statistic) * sides, 1.0), correction
    )


def sign_tests(wins: Int64Array, *, sides: Sides, correction: Correction) -> PairTests:
    """Test each pair by the sign test, which takes its comparisons for independent.

    Parameters
    ----------
    wins : int64, shape (n, n)
        ``wins[a, b]`` comparisons won by a against b.
    sides, correction
        As for `ranking.core.ranges.sign_tests.better`.

    Returns
    -------
    PairTests
    """
    p = np.where(wins > wins.T, sign_test(wins, wins.T, sides=sides), 1.0)
    return _corrected(p, correction)


def _corrected(p: FloatArray, correction: Correction) -> PairTests:
    """Return p-values corrected for the number of pairs, each pair in its favoured direction."""
    first, second = np.triu_indices(len(p), 1)
    smaller = np.minimum(p[first, second], p[second, first])
    changed = adjusted(smaller, correction)
    result = np.ones_like(p)
    for one, other in ((first, second), (second, first)):
        result[one, other] = np.where(p[one, other] < 1, changed, 1.0)
    return PairTests(p_value=p, adjusted_p=result)


def compared_pairs(
    tallies: Tallies, scores: Scores, tests: PairTests, *, level: float
) -> tuple[ComparedPair, ...]:
    """Return the pairs of ranked systems, in the order of their ranks.

    Parameters
    ----------
    tallies : Tallies of n systems
    scores : Scores of shape (n,)
        Scores behind the ranks; systems that are not estimable are left out.
    tests : PairTests
        Tests of the same n systems.
    level : float
        Largest significant corrected p-value.

    Returns
    -------
    tuple of ComparedPair
    """
    ranks = ordinal_ranks(scores)
    order = sorted(np.flatnonzero(ranks).tolist(), key=lambda index: int(ranks[index]))
    return tuple(
        ComparedPair(
            better=tallies.systems[a],
            worse=tallies.systems[b],
            wins=int(tallies.wins[a, b]),
            losses=int(tallies.wins[b, a]),
            ties=int(tallies.ties[a, b]),
            p_value=float(tests.p_value[a, b]),
            adjusted_p=float(tests.adjusted_p[a, b]),
            significant=bool(tests.adjusted_p[a, b] <= level),
        )
        for a, b in combinations(order, 2)
    )

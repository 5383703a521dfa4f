"""Tests of pairs of systems, and corrections for many tests.

Sign tests between systems, corrected for their number, and the rank ranges they give.

Pairs of systems: which one is ahead, and the p-value of the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import bdtr, stdtr

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.tallies import Tallies
from ranking.core.ranges.clusters import RankRanges
from ranking.core.scores import Scores, ordinal_ranks

Sides = Literal[1, 2]


class Correction(StrEnum):
    """Correction for testing many pairs at once."""

    NONE = "none"
    """Each test by itself, as in the papers: 5 % of the pairs of equal systems will differ."""

    HOLM = "holm"
    """Holm (1979): the probability of any false difference is at most the level; with one-sided
    tests in the direction of the majority, at most twice the level."""

    BENJAMINI_HOCHBERG = "benjamini_hochberg"
    """Benjamini & Hochberg (1995): the expected share of false differences among all found is at
    most the level, if the tests are independent or positively dependent; with one-sided tests in
    the direction of the majority, at most about twice the level."""


def sign_test(wins: Int64Array, losses: Int64Array, *, sides: Sides = 1) -> FloatArray:
    """Return p-values of the exact sign test; ties are dropped.

    Parameters
    ----------
    wins, losses : int64, of one shape
    sides : 1 or 2
        1: probability of at least as many wins if both sides win with probability 1/2. 2:
        probability of a difference at least as large in either direction.

    Returns
    -------
    float64, of that shape
        1 where there is nothing to test.

    Raises
    ------
    ValueError
        If a count is negative, or `sides` is neither 1 nor 2.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT,
    §3: its tables require the one-sided test.
    """
    if sides not in (1, 2):
        raise ValueError("sides: expected 1 or 2")
    if np.any(wins < 0) or np.any(losses < 0):
        raise ValueError("wins and losses must not be negative")
    fewer = np.minimum(wins, losses) if sides == 2 else losses
    total = wins + losses
    # P(at least `wins` wins) = P(at most `losses` losses), because the binomial is symmetric.
    p = np.asarray(bdtr(fewer.astype(np.float64), total, 0.5), dtype=np.float64)
    return np.where(total > 0, np.minimum(1.0, p * sides), 1.0)


def adjusted(p: FloatArray, correction: Correction) -> FloatArray:
    """Return p-values corrected for their number, to compare with the level.

    Parameters
    ----------
    p : float64, shape (..., T)
        p-values of T tests made together, possibly in many samples.
    correction : Correction

    Returns
    -------
    float64, shape (..., T)

    References
    ----------
    S. Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Stat. 6.
    Y. Benjamini, Y. Hochberg (1995), Controlling the False Discovery Rate, JRSS B 57.
    """
    tests = p.shape[-1]
    if correction is Correction.NONE or tests == 0:
        return p.copy()
    order = np.argsort(p, axis=-1, kind="stable")
    ascending = np.take_along_axis(p, order, axis=-1)
    place = np.arange(1, tests + 1)
    if correction is Correction.HOLM:
        changed = np.maximum.accumulate(ascending * (tests + 1 - place), axis=-1)
    else:
        scaled = ascending * tests / place
        changed = np.minimum.accumulate(scaled[..., ::-1], axis=-1)[..., ::-1]
    result = np.empty_like(p)
    np.put_along_axis(result, order, np.minimum(1.0, changed), axis=-1)
    return result


def better(
    wins: Int64Array,
    *,
    level: float = 0.05,
    sides: Sides = 1,
    correction: Correction = Correction.NONE,
) -> BoolArray:
    """Return which systems are significantly better than which by the sign test.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` comparisons won by a against b.
    level : float
        Between 0 and 1.
    sides : 1 or 2
        With 1, each pair is tested at `level` in the direction of its majority, as Koehn (2012)
        does. Equal systems then differ with a probability of up to twice the level.
    correction : Correction
        For the n (n − 1) / 2 pairs, each counted once in the direction of its majority.

    Returns
    -------
    bool, shape (..., n, n)
        True where the first is significantly better than the second.

    Raises
    ------
    ValueError
        If `level` is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError("level: expected a probability between 0 and 1")
    n = wins.shape[-1]
    first, second = np.triu_indices(n, 1)
    won, lost = wins[..., first, second], wins[..., second, first]
    p = adjusted(sign_test(np.maximum(won, lost), np.minimum(won, lost), sides=sides), correction)
    significant = p <= level
    result = np.zeros(wins.shape, dtype=np.bool_)
    result[..., first, second] = significant & (won > lost)
    result[..., second, first] = significant & (won < lost)
    return result


def rank_ranges_by_sign_test(
    wins: Int64Array,
    *,
    level: float = 0.05,
    sides: Sides = 1,
    correction: Correction = Correction.NONE,
) -> RankRanges:
    """Return rank ranges from significant differences (Koehn 2012, §5.1).

    If w systems are significantly better than a system, and it is significantly better than b, its
    range is w + 1 … n − b.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
    level, sides, correction
        As for `better`; the defaults are those of the paper.

    Returns
    -------
    RankRanges
        Of shape (..., n).
    """
    significant = better(wins, level=level, sides=sides, correction=correction)
    return RankRanges(
        low=1 + np.count_nonzero(significant, axis=-2),
        high=wins.shape[-1] - np.count_nonzero(significant, axis=-1),
    )


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

"""Confidence sets for ranks that also hold among near-equal systems (Mogstad et al. 2024)."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ranking.core.ranges.clusters import RankRanges
from ranking.core.ranges.studentised import StudentisedDifferences, studentised_differences

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

Bound = Literal["both", "low", "high"]
BOUNDS: tuple[Bound, ...] = get_args(Bound)

DRAWS = 10_000


def rank_confidence_sets(
    values: FloatArray,
    covariance: FloatArray,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    bound: Bound = "both",
    degrees_of_freedom: float = np.inf,
    group: Int64Array | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> RankRanges:
    """Return confidence sets for the ranks of systems (Mogstad, Romano, Shaikh and Wilhelm 2024).

    If w systems are significantly better than a system, and it is significantly better than b, its
    set is w + 1 … n − b. Significance is decided by step-down tests of studentised differences of
    scores, see `StudentisedDifferences.step_down`: of all differences of this system in a marginal
    set, and of all differences of all systems in simultaneous sets.

    If `values` are normal around any true scores with covariance `covariance`:

    - marginal: each system's set holds its true rank with probability `confidence` or more;
    - simultaneous: all sets together hold all true ranks with probability `confidence` or more.

    True ranks are those of the expected values of the scores. Equal systems share a span of ranks,
    and the sets hold all of it. So if simultaneous sets are grouped with
    `ranking.core.ranges.clusters.clusters`, the probability that any system stands in a better
    cluster than a system that is truly as good or better is at most 1 − `confidence`.

    Unlike percentiles of resampled ranks, this also holds if scores differ by less than their
    standard errors. The price is wider sets.

    Parameters
    ----------
    values : float64, shape (n,)
        Scores, higher is better. NaN for a system that is not estimable: it may have any rank, and
        be better or worse than any other.
    covariance : float64, shape (n, n)
        Covariance of the scores; positive semi-definite. A difference whose variance is 0 is taken
        as known exactly.
    confidence : float
        Between 0 and 1.
    simultaneous : bool
        Whether all sets hold together, not only each by itself.
    bound : "both", "low" or "high"
        "low" bounds only the better end of the sets, the worse one is n; "high" bounds only the
        worse end, the better one is 1. A marginal set with one bound spends no error on the other.
    degrees_of_freedom : float
        Degrees of freedom of `covariance`, such as `ScoreCovariance.degrees_of_freedom`: with few
        judges, the covariance itself is uncertain, and normal draws would make sets too narrow. ∞
        takes it as known, as the paper does.
    group : int64, shape (n,), optional
        As in `ranking.core.scores.Scores`: a system may be better or worse than any of another group.
    draws : int
        Number of normal draws behind the p-values, at least 1 / (1 − `confidence`).
    seed : int
        0 ≤ seed < 2**64. The same arguments give the same sets.

    Returns
    -------
    RankRanges
        Sets of the n systems; a set always holds the rank of the system's score.

    Raises
    ------
    ValueError
        If an argument is out of range, or `covariance` is not valid (see
        `studentised_differences`).

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024), Inference for Ranks with
    Applications to Mobility across Neighbourhoods and Academic Achievement across Countries,
    Review of Economic Studies 91.
    """
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a probability between 0 and 1")
    if bound not in BOUNDS:
        raise ValueError(f"bound: {bound!r} is none of {', '.join(BOUNDS)}")
    level = 1 - confidence
    if (1 + draws) * level < 1:
        raise ValueError("draws: too few for any difference to be significant at this confidence")
    differences = studentised_differences(
        values,
        covariance,
        degrees_of_freedom=degrees_of_freedom,
        group=group,
        draws=draws,
        seed=seed,
    )
    if simultaneous:
        significant = _of_all_pairs(differences) <= level
        above = np.count_nonzero(significant, axis=0)
        below = np.count_nonzero(significant, axis=1)
    else:
        above, below = _of_each_system(differences, bound=bound, level=level)
    n = len(values)
    return RankRanges(
        low=np.ones(n, dtype=np.int64) if bound == "high" else 1 + above,
        high=np.full(n, n, dtype=np.int64) if bound == "low" else n - below,
    )


def pairwise_p_values(
    values: FloatArray,
    covariance: FloatArray,
    *,
    degrees_of_freedom: float = np.inf,
    group: Int64Array | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> FloatArray:
    """Return adjusted p-values for all statements that one system is better than another.

    If `values` are normal around the true scores with covariance `covariance`, and every p-value up
    to α is called significant, then the probability of calling any system better than one that is
    as good or better is at most α. `rank_confidence_sets` with ``simultaneous=True`` counts these
    significant differences.

    Parameters
    ----------
    values, covariance, degrees_of_freedom, group, draws, seed
        As for `rank_confidence_sets`.

    Returns
    -------
    float64, shape (n, n)
        ``p[a, b]`` for "a is better than b". 1 where a does not have the larger score, on the
        diagonal, and where the scores cannot be compared.

    Raises
    ------
    ValueError
        As for `rank_confidence_sets`.
    """
    return _of_all_pairs(
        studentised_differences(
            values,
            covariance,
            degrees_of_freedom=degrees_of_freedom,
            group=group,
            draws=draws,
            seed=seed,
        )
    )


def _of_all_pairs(differences: StudentisedDifferences) -> FloatArray:
    """Return the adjusted p-values of one family: all ordered pairs, shape (n, n)."""
    p = np.ones(differences.observed.shape)
    better, worse = np.nonzero(~np.eye(len(p), dtype=np.bool_))
    p[better, worse] = differences.step_down(better, worse)
    return p


def _of_each_system(
    differences: StudentisedDifferences, *, bound: Bound, level: float
) -> tuple[Int64Array, Int64Array]:
    """Return how many systems are significantly above and below each, one family per system."""
    n = len(differences.observed)
    above, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for system in range(n):
        others = np.delete(np.arange(n), system)
        own = np.full(n - 1, system)
        better, worse = np.concatenate([others, own]), np.concatenate([own, others])
        tested = slice(*{"both": (0, None), "low": (0, n - 1), "high": (n - 1, None)}[bound])
        better, worse = better[tested], worse[tested]
        significant = differences.step_down(better, worse) <= level
        above[system] = np.count_nonzero(significant & (worse == system))
        below[system] = np.count_nonzero(significant & (better == system))
    return above, below

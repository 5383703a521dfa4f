"""Variances of differences of Expected Wins, with segments and judges drawn at random.

The variance of a difference between two systems is the two-way one of
`ranking.core.uncertainty.two_way`, with two changes, because repeated looks are likely to include
one at which it is too small:

- It is never below that of segments alone, of judges alone, or of blocks alone.
- With few judges the variance between them is itself uncertain. It is therefore estimated from all
  pairs of systems together as well, as a multiple of their variance over blocks (the "design
  effect" of surveys, Rao & Scott 1981), and the larger of both is used. So pairs on which judges
  disagree more keep their own estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import Moments
from ranking.core.methods.expected_wins import expected_wins, expected_wins_influence
from ranking.core.scores import Scores
from ranking.core.uncertainty.two_way import clustered_covariance

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Degrees of freedom of the pooled estimate, in multiples of those of one pair; at most the number
#: of systems minus one. With more, simulations with unlike systems leave no margin.
MAX_POOLED = 4


@dataclass(frozen=True, eq=False)
class DifferenceVariances:
    """Variances of the differences between n scores.

    Attributes
    ----------
    variance : float64, shape (n, n)
        Symmetric; NaN where not estimated.
    degrees_of_freedom : float64, shape (n, n)
        Degrees of freedom of each variance.
    """

    variance: FloatArray
    degrees_of_freedom: FloatArray


def scores_and_influence(moments: Moments, systems: int) -> tuple[Scores, FloatArray]:
    """Return Expected Wins of all systems, and how far one more win moves each score.

    Parameters
    ----------
    moments : Moments
        In the layout ``Layout(systems)``.
    systems : int
        n.

    Returns
    -------
    Scores of shape (n,), float64 of shape (n, k)
    """
    layout = Layout(systems)
    wins = layout.unpack(moments.cells).wins
    influence = expected_wins_influence(wins).reshape(systems, systems**2)
    return expected_wins(wins), influence[:, layout.used]


def difference_variances(
    moments: Moments,
    influence: FloatArray,
    *,
    segments: FloatArray,
    judges: FloatArray,
    ready: BoolArray,
) -> DifferenceVariances:
    """Estimate the variances of the differences between scores.

    Parameters
    ----------
    moments : Moments
    influence : float64, shape (n, k)
        See `scores_and_influence`.
    segments, judges : float64, shape (n,)
    ready : bool, shape (n,)
        Systems whose differences to estimate; their effective numbers must be above 1.

    Returns
    -------
    DifferenceVariances

    References
    ----------
    J. N. K. Rao, A. J. Scott (1981), The Analysis of Categorical Data from Complex Sample Surveys,
    JASA 76. F. E. Satterthwaite (1946), An Approximate Distribution of Estimates of Variance
    Components, Biometrics Bulletin 2. L. Kish (1965), Survey Sampling.
    """
    n = len(ready)
    pair = ready[:, np.newaxis] & ready & ~np.eye(n, dtype=np.bool_)
    if not pair.any():
        return DifferenceVariances(np.full((n, n), np.nan), np.full((n, n), np.nan))
    of_segments, of_judges, of_blocks = (
        _of_differences(clustered_covariance(moments, influence, unit))
        for unit in ("segments", "judges", "blocks")
    )
    own = np.maximum.reduce(
        [of_segments, of_judges, of_blocks, of_segments + of_judges - of_blocks]
    )
    mean = float(own[pair].mean())
    pooled = mean / float(of_blocks[pair].mean()) * of_blocks
    uncertain = sum(
        (float(part[pair].mean()) / mean) ** 2 / (np.minimum.outer(units, units) - 1)
        for part, units in (
            (of_segments, np.where(ready, segments, np.inf)),
            (of_judges, np.where(ready, judges, np.inf)),
        )
    )
    pools = min(int(np.count_nonzero(ready)) - 1, MAX_POOLED)
    degrees_of_freedom = np.full((n, n), np.nan)
    np.divide(pools, uncertain, out=degrees_of_freedom, where=pair)
    return DifferenceVariances(
        variance=np.where(pair, np.maximum(own, pooled), np.nan),
        degrees_of_freedom=degrees_of_freedom,
    )


def _of_differences(covariance: FloatArray) -> FloatArray:
    own = np.diag(covariance)
    return own[:, np.newaxis] + own - 2 * covariance

"""The expected share of significant pairs in Koehn's model, without simulating it: a second implementation."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import binom, norm

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.simulation.measures import critical_wins
from ranking.core.simulation.model import QUALITY_RANGE, Model

#: Numbers of differences in quality, and of comparisons of a pair, to integrate over.
_DIFFERENCES, _COUNTS = 64, 60


def expected_significant_pairs(
    model: Model,
    comparisons: Sequence[int] | Int64Array,
    *,
    alpha: float = 0.05,
) -> FloatArray:
    """Return the expected share of pairs that the one-sided sign test separates.

    By linearity, it is the expectation for a single pair of systems, independently of the other
    systems of a block. Their qualities are uniform on [0, 10], so they differ by d with density 2
    (10 − d) / 100. In B blocks of k of n systems they meet m ~ Binomial(B, k(k−1) / (n(n−1)))
    times, in independent blocks, and the better one wins w ~ Binomial(m, Φ(d / (σ √2))) of them.
    (m, w) decides the test, so the expectation is a sum over w, m and d.

    Parameters
    ----------
    model : Model
        Without ties or groups, and with fresh outputs for each block; `judge_noise` adds to the
        noise.
    comparisons : sequence of int, length C
        Rounded to whole blocks as in `Model.blocks_for`.
    alpha : float
        Level of the test.

    Returns
    -------
    float64, shape (C,)
        Accurate to 0.001: if a pair can meet in many different numbers, only some of them are
        summed over.

    Raises
    ------
    ValueError
        If the model has ties, a test set or groups.
    """

    if model.tie_radius or model.segments or model.groups:
        raise ValueError("model: expected neither ties nor segments nor groups")
    node, weight = np.polynomial.legendre.leggauss(_DIFFERENCES)
    difference = QUALITY_RANGE * (node + 1) / 2
    weight *= (QUALITY_RANGE - difference) / QUALITY_RANGE
    better = norm.cdf(
        difference / (np.hypot(model.noise, model.judge_noise) * np.sqrt(2)),
    )
    meets = (
        model.block_size
        * (model.block_size - 1)
        / (model.systems * (model.systems - 1))
    )
    blocks = model.blocks_for(comparisons).tolist()
    return np.array(
        [_expectation(count, meets, better, weight, alpha) for count in blocks],
    )


def _expectation(
    blocks: int,
    meets: float,
    better: FloatArray,
    weight: FloatArray,
    alpha: float,
) -> float:

    met = binom(blocks, meets)
    low, high = met.ppf([1e-5, 1 - 1e-5]).astype(np.int64).tolist()
    # The step is odd, because the power of the sign test differs between even and odd numbers.
    counts = np.arange(low, high + 1, (high - low) // _COUNTS | 1)
    probability = met.pmf(counts)
    critical = critical_wins(counts, alpha=alpha)[:, np.newaxis]
    m = counts[:, np.newaxis]
    separated = binom.sf(critical - 1, m, better) + binom.cdf(m - critical, m, better)
    return float(probability @ (separated @ weight) / probability.sum())


def expected_comparisons(
    model: Model,
    targets: Sequence[float],
    *,
    alpha: float = 0.05,
    limit: int = 4_000_000,
) -> FloatArray:
    """Return the comparisons after which the expected share of significant pairs reaches targets.

    Parameters
    ----------
    model : Model
        As in `expected_significant_pairs`.
    targets : sequence of float, length T
        Shares in (0, 1).
    alpha : float
        Level of the test.
    limit : int
        The most comparisons to consider.

    Returns
    -------
    float64, shape (T,)
        Numbers of comparisons; infinite beyond the limit. Koehn's (2012) Table 4 takes a second.
    """
    first = model.comparisons_per_block
    points = 2 + int(np.log(limit / first) / np.log(1.2))
    grid = np.geomspace(first, max(limit, first + 1), points)
    # The power of the sign test is not monotone in the number of comparisons.
    shares = np.maximum.accumulate(
        expected_significant_pairs(model, grid.astype(int), alpha=alpha),
    )
    reached: FloatArray = np.exp(np.interp(targets, shares, np.log(grid), right=np.inf))
    return reached

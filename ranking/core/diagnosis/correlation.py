"""Correlation coefficients of numbers and of ranks, with intervals for independent and for
clustered pairs.

Intervals for clustered pairs account for correlation within a judge or segment. An undefined
coefficient is None.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import combinations
from math import sqrt

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import FloatArray, Int64Array, as_column
from ranking.core.uncertainty import variance_of_sum
from ranking.core.words import member_of

#: Fisher's standard error is 1 / √(n − 3).
FEWEST_PAIRS = 4
#: Smaller numbers are rounding errors.
_NOT_ONE = 1e-12


class NoInterval(StrEnum):
    """Reason why a correlation has no interval; callers put the code into words."""

    FEW_PAIRS = "few_pairs"
    """There are fewer than four pairs."""

    STRAIGHT_LINE = "straight_line"
    """One list follows from the other, as where nothing was changed between them."""


@dataclass(frozen=True)
class Correlation:
    """Correlation coefficients of two lists of numbers.

    Attributes
    ----------
    pairs : int
        Number of pairs of numbers.
    pearson, spearman : float or None
        None with fewer than two pairs, or if all numbers of a list are equal.
    """

    pairs: int
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True)
class SampledCorrelation(Correlation):
    """Correlation coefficients of independently sampled pairs, with intervals.

    Attributes
    ----------
    pearson_low, pearson_high, spearman_low, spearman_high : float or None
        Ends of the intervals; None without an interval.
    no_interval : NoInterval or None
        Reason for missing intervals; None if there are intervals, or no correlation.
    """

    pearson_low: float | None = None
    pearson_high: float | None = None
    spearman_low: float | None = None
    spearman_high: float | None = None
    no_interval: NoInterval | None = None


def correlation(x: npt.NDArray[np.generic], y: npt.NDArray[np.generic]) -> Correlation:
    """Compute the correlation of two lists of numbers.

    Parameters
    ----------
    x, y : numeric, shape (n,)
        Pairs with a NaN are left out.

    Returns
    -------
    Correlation
        Pearson's coefficient, and Spearman's with mean ranks for ties.
    """
    one = np.asarray(x, dtype=np.float64)
    other = np.asarray(y, dtype=np.float64)
    is_known = ~(np.isnan(one) | np.isnan(other))
    one = one[is_known]
    other = other[is_known]
    return Correlation(
        pairs=len(one),
        pearson=_pearson(one, other),
        spearman=_pearson(_mean_ranks(one), _mean_ranks(other)),
    )


def _mean_ranks(x: FloatArray) -> FloatArray:
    # Same as `scipy.stats.rankdata`, which takes half a second to import.
    _values, index, count = np.unique(x, return_inverse=True, return_counts=True)
    mean_rank = count.cumsum() - (count - 1) / 2
    ranks: FloatArray = mean_rank[index]
    return ranks


def correlation_sampled(
    x: npt.NDArray[np.generic],
    y: npt.NDArray[np.generic],
    *,
    confidence: float = 0.95,
) -> SampledCorrelation:
    """Compute the correlation of two lists of numbers, with intervals.

    Parameters
    ----------
    x, y : numeric, shape (n,)
        For instance of n systems. Pairs are treated as independent, which ratings that share judges
        or segments are not. Pairs with a NaN are left out.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    SampledCorrelation
        The result of `correlation`, with Fisher's interval for Pearson's coefficient and the
        interval of Bonett and Wright (2000, Psychometrika 65, 23–28) for the expected value of
        Spearman's with this number of pairs.

    Notes
    -----
    Both are symmetric on the scale of z = artanh r, with the standard errors 1 / √(n − 3) and √((1
    + r² / 2) / (n − 3)). For lists in the same order (or in opposite orders), Spearman's
    coefficient is 1 (−1) and z is infinite; r is then moved halfway to the next possible value, 1 −
    12 / (n (n² − 1)), and the end beyond it is 1. `tests.benchmarks.correlation_coverage` measures
    the coverage of the intervals.
    """
    coefficient = correlation(x, y)
    pairs = coefficient.pairs
    pearson = coefficient.pearson
    spearman = coefficient.spearman
    if pearson is None or spearman is None:
        return SampledCorrelation(pairs, pearson, spearman)
    if pairs < FEWEST_PAIRS:
        return SampledCorrelation(
            pairs=pairs,
            pearson=pearson,
            spearman=spearman,
            no_interval=NoInterval.FEW_PAIRS,
        )
    if abs(pearson) > 1 - _NOT_ONE:
        return SampledCorrelation(
            pairs=pairs,
            pearson=pearson,
            spearman=spearman,
            no_interval=NoInterval.STRAIGHT_LINE,
        )
    pearson_low, pearson_high = _interval(
        value=pearson,
        variance=1.0,
        pairs=pairs,
        confidence=confidence,
    )
    spearman_low, spearman_high = _spearman_interval(spearman, pairs, confidence)
    return SampledCorrelation(
        pairs=pairs,
        pearson=pearson,
        spearman=spearman,
        pearson_low=pearson_low,
        pearson_high=pearson_high,
        spearman_low=spearman_low,
        spearman_high=spearman_high,
    )


def _spearman_interval(
    value: float,
    pairs: int,
    confidence: float,
) -> tuple[float, float]:
    most = 1 - 6 / (pairs * (pairs**2 - 1))
    inside = min(most, max(-most, value))
    variance = 1 + inside**2 / 2
    low, high = _interval(inside, variance, pairs, confidence)
    if value < -most:
        low = -1.0
    if value > most:
        high = 1.0
    return low, high


def _interval(
    value: float,
    variance: float,
    pairs: int,
    confidence: float,
) -> tuple[float, float]:
    """Return the ends of the interval of a coefficient whose z has the variance `variance` / (n −
    3).
    """
    from scipy.special import ndtri

    z = np.arctanh(value)
    quantile = float(ndtri((1 + confidence) / 2))
    reach = quantile * sqrt(variance / (pairs - 3))
    low = float(np.tanh(z - reach))
    high = float(np.tanh(z + reach))
    return low, high


def _pearson(x: FloatArray, y: FloatArray) -> float | None:
    # Compare the numbers, because the computed deviation of equal numbers may not be exactly zero.
    if len(x) < 2 or np.all(x == x[0]) or np.all(y == y[0]):
        return None
    x = x - x.mean()
    y = y - y.mean()
    squares_x = (x * x).sum()
    squares_y = (y * y).sum()
    scale = np.sqrt(squares_x * squares_y)
    if scale > 0:
        products = (x * y).sum()
        return float(np.clip(products / scale, -1, 1))
    return None


@dataclass(frozen=True, eq=False)
class Influenced:
    """A coefficient, and the influence of each pair on it, shape (n,), with a mean of 0."""

    value: float
    influence: FloatArray


def spearman_influenced(x: FloatArray, y: FloatArray) -> Influenced:
    """Return Spearman's ρ, which is Pearson's r of mean ranks; neither list may be constant.

    With a_i = Σ_j sign(x_i − x_j) / n, and b likewise for y, ρ = T / √(D E) with T = mean(a b), D =
    mean(a²) and E = mean(b²). Each term of these involves three pairs, and a pair may be any of the
    three.
    """
    x_rank = _dense_ranks(x)
    y_rank = _dense_ranks(y)
    a = -_signed_mean(x_rank, np.ones(len(x)))
    b = -_signed_mean(y_rank, np.ones(len(y)))
    product = float((a * b).mean())
    a_square = float((a * a).mean())
    b_square = float((b * b).mean())
    influence_on_product = (
        a * b + _signed_mean(x_rank, b) + _signed_mean(y_rank, a) - 3 * product
    )
    influence_on_a = a**2 + 2 * _signed_mean(x_rank, a) - 3 * a_square
    influence_on_b = b**2 + 2 * _signed_mean(y_rank, b) - 3 * b_square
    scale = sqrt(a_square * b_square)
    value = float(np.clip(product / scale, -1, 1))
    # By the quotient rule, with ½ from each square root.
    relative_to_squares = influence_on_a / a_square + influence_on_b / b_square
    influence = influence_on_product / scale - value / 2 * relative_to_squares
    return Influenced(value, influence)


def kendall_influenced(
    x: FloatArray,
    y: FloatArray,
    balance: Int64Array | None = None,
) -> Influenced:
    """Return Kendall's τ_b; neither list may be constant. `balance` is `order_balance` if known.

    With c_i = Σ_j sign(x_i − x_j) sign(y_i − y_j) / n, and u_i and v_i the shares of others that
    differ from i in x and in y, τ_b = mean(c) / √(mean(u) mean(v)). Each term involves two pairs.
    Time grows with n log n.
    """
    count = len(x)
    if balance is None:
        balance = order_balance(x, y, np.zeros(count, np.int64))
    c = balance / count
    u = 1 - _tied_share(x)
    v = 1 - _tied_share(y)
    mean_c = c.mean()
    mean_u = u.mean()
    mean_v = v.mean()
    scale = sqrt(mean_u * mean_v)
    value = float(np.clip(mean_c / scale, -1, 1))
    relative_to_untied = u / mean_u + v / mean_v - 2
    influence = 2 * (c - mean_c) / scale - value * relative_to_untied
    return Influenced(value, influence)


def _tied_share(values: FloatArray) -> FloatArray:
    """Return the share of numbers that equal each one, itself included, shape (n,)."""
    rank = _dense_ranks(values)
    return np.bincount(rank)[rank] / len(values)


def order_balance(x: FloatArray, y: FloatArray, group: Int64Array) -> Int64Array:
    """Return, for each i, the number of j of its group, numbered from 0, that both lists put in the
    same order, minus those in opposite orders.

    In ascending order of x, y_j and y_i are compared at their highest different bit. Up to there
    they are equal, so these j are counted bit by bit: those before i, minus those after it.
    """
    x_rank = _dense_ranks(x)
    y_rank = _dense_ranks(y)
    many = x_rank
    few = y_rank
    if y_rank.max() > x_rank.max():
        many = y_rank
        few = x_rank
    order = np.lexsort((-few, many))
    bits = int(few.max()).bit_length()
    group_and_few = group << bits | few
    balance = _balance_in_order(group_and_few[order], bits)
    # Where x is equal, y is descending, so that each j with another y has counted as opposed.
    group_and_many = group * (many.max() + 1) + many
    group_and_both = group_and_many * (few.max() + 1) + few
    _pairs, index, same = np.unique(
        group_and_both,
        return_inverse=True,
        return_counts=True,
    )
    equal_in_many = np.bincount(group_and_many)[group_and_many]
    result = equal_in_many - same[index]
    result[order] += balance
    return np.asarray(result)


def _balance_in_order(codes: Int64Array, bits: int) -> Int64Array:
    """Return, for each code, those below it minus those above it that stand before it, minus the
    same of those behind it, among the codes that are equal except for their lowest bits.
    """
    # Small integers are sorted several times faster.
    codes = codes.astype(np.min_scalar_type(codes.max()))
    balance = np.zeros(len(codes), dtype=np.int64)
    equal_before = np.zeros(len(codes), dtype=np.int64)
    for bit in range(bits, -1, -1):
        prefix = codes >> bit
        counts = np.bincount(prefix, minlength=2 + int(prefix.max()))
        by_prefix = np.argsort(prefix, kind="stable")
        positions = np.empty_like(balance)
        positions[by_prefix] = np.arange(len(codes))
        first_position = np.cumsum(counts) - counts
        equal = positions - first_position[prefix]
        if bit < bits:
            sign = np.where(prefix & 1, 1, -1)
            sibling_count = counts[prefix ^ 1]
            siblings_before = equal_before - equal
            balance += sign * (2 * siblings_before - sibling_count)
        equal_before = equal
    return balance


def _dense_ranks(values: FloatArray) -> Int64Array:
    """Return the rank of each number among the distinct ones, from 0."""
    _values, rank = np.unique(values, return_inverse=True)
    return np.asarray(rank, dtype=np.int64)


def _signed_mean(position: Int64Array, values: FloatArray) -> FloatArray:
    """Return, for each i, the mean over j of sign(place_j − place_i) · values_j."""
    cumulative = np.cumsum(np.bincount(position, weights=values))
    below = np.concatenate([[0.0], cumulative[:-1]])
    above = cumulative[-1] - cumulative[position]
    return np.asarray((above - below[position]) / len(values))


#: Smaller numbers are rounding errors.
_NOTHING = 1e-20
#: Numbers whose difference is below this share of the spread are equal up to rounding.
_EQUAL = 1e-12
#: With few remaining pairs, r may be 1, for which z is infinite.
_NEARLY_ONE = 1 - 1e-12


class Coefficient(StrEnum):
    """Coefficients of correlation."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    """With mean ranks for ties."""
    KENDALL = "kendall"
    """τ_b."""


@dataclass(frozen=True)
class ClusteredCorrelation:
    """A correlation of pairs in clusters.

    Attributes
    ----------
    pairs : int
    value : float or None
        None with fewer than two pairs, or if all numbers of a list are equal.
    low, high : float or None
        Ends of its interval; None if a kind has a single cluster, or if one list or order
        determines the other.
    """

    pairs: int
    value: float | None
    low: float | None
    high: float | None


def correlation_clustered(
    x: npt.NDArray[np.generic],
    y: npt.NDArray[np.generic],
    kinds: Sequence[Int64Array],
    *,
    coefficient: Coefficient = Coefficient.PEARSON,
    confidence: float = 0.95,
) -> ClusteredCorrelation:
    """Compute a correlation of pairs that are correlated within clusters.

    Parameters
    ----------
    x, y : numeric, shape (n,)
    kinds : sequence of int64, shape (n,)
        For each of one or two kinds of clusters, such as segments and judges, the cluster of each
        pair.
    coefficient : Coefficient
    confidence : float
        Between 0 and 1.

    Returns
    -------
    ClusteredCorrelation

    Notes
    -----
    The interval is symmetric for z, the artanh of the coefficient, and uses Student's t with the
    number of clusters of the rarer kind minus one as degrees of freedom. For one kind, the variance
    of z is the delete-one jackknife over clusters; for Spearman and Kendall, it is that of sums of
    the pairs' influences over clusters. For two kinds, it is V₁ + V₂ − V₁₂, and at least each of
    the first two (Cameron, Gelbach and Miller 2011). `tests.benchmarks.correlation_coverage`
    measures its coverage.
    """
    coefficient = member_of(Coefficient, "coefficient", coefficient)
    one = np.asarray(x, dtype=np.float64)
    other = np.asarray(y, dtype=np.float64)
    count = len(one)
    if count < 2 or np.all(one == one[0]) or np.all(other == other[0]):
        return ClusteredCorrelation(pairs=count, value=None, low=None, high=None)
    measured = _coefficient_with_variance(one, other, coefficient)
    value = measured.value
    fewest = min((len(np.unique(kind)) for kind in kinds), default=0)
    if value is None or fewest < 2 or 1 - value**2 < _NOTHING:
        return ClusteredCorrelation(pairs=count, value=value, low=None, high=None)
    variances = []
    for kind in kinds:
        variances.append(measured.variance(kind))
    shared = 0.0
    for kind, other_kind in combinations(kinds, 2):
        shared += measured.variance(_intersections(kind, other_kind))
    variance = max(sum(variances) - shared, *variances)
    if not np.isfinite(variance) or variance < _NOTHING:
        return ClusteredCorrelation(pairs=count, value=value, low=None, high=None)
    from scipy.special import stdtrit

    z = np.arctanh(value)
    quantile = float(stdtrit(fewest - 1, (1 + confidence) / 2))
    reach = quantile * sqrt(variance)
    return ClusteredCorrelation(
        pairs=count,
        value=value,
        low=float(np.tanh(z - reach)),
        high=float(np.tanh(z + reach)),
    )


@dataclass(frozen=True)
class _Measured:
    """A coefficient, and a function for the variance of its z over clusters."""

    value: float | None
    variance: Callable[[Int64Array], float]


def _coefficient_with_variance(
    x: FloatArray,
    y: FloatArray,
    coefficient: Coefficient,
) -> _Measured:
    if coefficient is Coefficient.PEARSON:
        return _Measured(
            correlation(x, y).pearson,
            partial(_jackknife_variance_of_z, x, y),
        )
    if coefficient is Coefficient.SPEARMAN:
        influenced = spearman_influenced(x, y)
    else:
        influenced = kendall_influenced(x, y)
    influence = influenced.influence / len(x)
    unexplained = 1 - influenced.value**2

    def variance(clusters: Int64Array) -> float:
        return variance_of_sum(influence, clusters) / unexplained**2

    return _Measured(influenced.value, variance)


def _intersections(one: Int64Array, other: Int64Array) -> Int64Array:
    """Return the numbers of the intersections of both kinds of clusters."""
    _values, first = np.unique(one, return_inverse=True)
    values, second = np.unique(other, return_inverse=True)
    return np.asarray(first * len(values) + second, dtype=np.int64)


def _jackknife_variance_of_z(
    x: FloatArray,
    y: FloatArray,
    clusters: Int64Array,
) -> float:
    """Return the delete-one jackknife variance of z of Pearson's r; NaN if r is undefined without
    some cluster.
    """
    _values, index = np.unique(clusters, return_inverse=True)
    x = x - x.mean()
    y = y - y.mean()
    sums_of_clusters = []
    for terms in (np.ones_like(x), x, y, x * x, y * y, x * y):
        sums_of_clusters.append(np.bincount(index, weights=terms))
    sums = np.array(sums_of_clusters)
    sums_without = as_column(sums.sum(axis=1)) - sums
    number, sum_x, sum_y, sum_xx, sum_yy, sum_xy = sums_without
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x = sum_xx - sum_x**2 / number
        spread_y = sum_yy - sum_y**2 / number
        spread_xy = sum_xy - sum_x * sum_y / number
        r = spread_xy / np.sqrt(spread_x * spread_y)
    is_x_constant = spread_x <= _EQUAL * (x * x).sum()
    is_y_constant = spread_y <= _EQUAL * (y * y).sum()
    r[is_x_constant | is_y_constant] = np.nan
    z = np.arctanh(np.clip(r, -_NEARLY_ONE, _NEARLY_ONE))
    count = len(z)
    squares = (z - z.mean()) ** 2
    return float(squares.sum() * (count - 1) / count)

"""Rank ranges and clusters of systems: from resampled scores, from sign tests of pairs, or as
confidence sets.

Confidence sets come from studentised differences of correlated scores and step-down tests of families of them; they also
hold among near-equal systems (Mogstad et al. 2024). If the covariance of the scores is itself uncertain, each difference has
the p-value of Student's t, corrected by Holm: the variance of each difference errs by itself, so no common factor
describes their errors, and with fewer judges than systems the correlations of the differences are not known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Literal, Self, TypedDict, Unpack

import numpy as np
from scipy.special import bdtr, stdtr

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int64Array,
    as_column,
    as_row,
    off_diagonal,
    pairwise_differences,
)
from ranking.core.counting.counts import Tallies, chunks
from ranking.core.counting.resampling import trim_count
from ranking.core.scores import TIE_DECIMALS, Scores, best_first, shared_ranks
from ranking.core.words import member_of, word_check

_RESAMPLES_AT_A_TIME = 256


@dataclass(frozen=True, eq=False)
class RankRanges:
    """The possible ranks of each of n systems, both ends included.

    Attributes
    ----------
    low : int64, shape (n,)
        The better end, 1 … n.
    high : int64, shape (n,)
        The worse end, low … n.
    """

    low: Int64Array
    high: Int64Array

    def including(self, first: Int64Array, last: Int64Array) -> Self:
        """Return the ranges widened to the first and last rank that each system shares."""
        return replace(
            self,
            low=np.minimum(self.low, first),
            high=np.maximum(self.high, last),
        )


def rank_ranges(scores: Scores, *, confidence: float = 0.95) -> RankRanges:
    """Return rank ranges from resampled scores (Koehn 2012, §5.1).

    The ranks of a system in the resamples are sorted, and the same number is trimmed at both ends:
    at 95 %, the best 25 and the worst 25 of 1,000. The range is the remaining ranks. Systems tied
    in a resample share a span of ranks; its best rank is used for the lower ends, its worst rank
    for the upper ends. A system without an estimate in a resample may have any rank in it, and so
    may a system of another group. So sparse data make ranges wide, but not arbitrary.

    Parameters
    ----------
    scores : Scores of shape (R, n)
        Scores in R resamples; scores that are equal to `TIE_DECIMALS` decimals are tied.
    confidence : float
        Share of the resamples to keep, between 0 and 1.

    Returns
    -------
    RankRanges
        Ranges of the n systems.

    Raises
    ------
    ValueError
        If there are no resamples, or `confidence` is not between 0 and 1.
    """
    resamples = len(scores.values)
    cut = trim_count(resamples, confidence)
    best = np.empty(scores.values.shape, dtype=np.int64)
    worst = np.empty(scores.values.shape, dtype=np.int64)
    for rows in chunks(resamples, _RESAMPLES_AT_A_TIME):
        if scores.group is None:
            group = None
        else:
            group = scores.group[rows]
        best[rows], worst[rows] = _spans(
            scores.values[rows],
            scores.estimable[rows],
            group,
        )
    return RankRanges(
        low=np.sort(best, axis=0)[cut],
        high=np.sort(worst, axis=0)[resamples - 1 - cut],
    )


def _spans(
    values: FloatArray,
    estimable: BoolArray,
    group: Int64Array | None,
) -> tuple[Int64Array, Int64Array]:
    """Return the best and worst possible ranks in each resample, both of shape (R, n)."""
    score = np.where(estimable, np.round(values, TIE_DECIMALS), -np.inf)
    own = as_column(score)
    other = as_row(score)
    unknown = np.count_nonzero(~estimable, axis=1, keepdims=True)
    better = other > own
    as_good = other >= own
    if group is not None:
        apart = as_column(group) != as_row(group)
        better &= ~apart
        as_good |= apart & as_row(estimable)
    best = 1 + np.count_nonzero(better, axis=2)
    worst = np.count_nonzero(as_good, axis=2) + unknown
    best = np.where(estimable, best, 1)
    worst = np.where(estimable, worst, values.shape[1])
    return best, worst


def clusters(ranges: RankRanges) -> Int64Array:
    """Return clusters of systems with overlapping rank ranges (Koehn 2012, eq. 6).

    Equation 6 seeks the largest set of clusters such that ranges of different clusters do not
    overlap: these are the connected groups of overlapping ranges. The ranges of two systems of a
    cluster need not overlap, if a chain of overlapping ranges connects them.

    Parameters
    ----------
    ranges : RankRanges of n systems, in any number of samples

    Returns
    -------
    int64, shape (..., n)
        The cluster of each system, 1 for the best ranks.
    """
    order = np.argsort(ranges.low, axis=-1, kind="stable")
    low = np.take_along_axis(ranges.low, order, axis=-1)
    high = np.take_along_axis(ranges.high, order, axis=-1)
    reached = np.maximum.accumulate(high, axis=-1)
    # In order of their starts, a range starts a new cluster if all ranges before it have ended.
    begins = np.ones(low.shape, dtype=np.int64)
    begins[..., 1:] = low[..., 1:] > reached[..., :-1]
    cluster = np.cumsum(begins, axis=-1)
    result = np.empty_like(begins)
    np.put_along_axis(result, order, cluster, axis=-1)
    return result


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

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT,
    §3: its tables require the one-sided test.
    """
    word_check("sides", sides, Sides)
    if sides == 2:
        fewer = np.minimum(wins, losses)
    else:
        fewer = losses
    total = wins + losses
    # P(at least `wins` wins) = P(at most `losses` losses), because the binomial is symmetric.
    p = np.asarray(bdtr(fewer.astype(np.float64), total, 0.5), dtype=np.float64)
    return np.where(total > 0, np.minimum(1.0, p * sides), 1.0)


def adjusted(p: FloatArray, correction: Correction) -> FloatArray:
    """Return p-values corrected for their number, for comparison with the level.

    Parameters
    ----------
    p : float64, shape (..., T)
        p-values of a family of T tests, possibly in many samples.
    correction : Correction

    Returns
    -------
    float64, shape (..., T)

    References
    ----------
    S. Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Stat. 6.
    Y. Benjamini, Y. Hochberg (1995), Controlling the False Discovery Rate, JRSS B 57.
    """
    correction = member_of(Correction, "correction", correction)
    tests = p.shape[-1]
    if correction is Correction.NONE or tests == 0:
        return p.copy()
    order = np.argsort(p, axis=-1, kind="stable")
    ascending = np.take_along_axis(p, order, axis=-1)
    index = np.arange(1, tests + 1)
    if correction is Correction.HOLM:
        # Step down from the smallest: no p-value may be below an earlier one.
        scaled = ascending * (tests + 1 - index)
        corrected = np.maximum.accumulate(scaled, axis=-1)
    else:
        # Step up from the largest: no p-value may be above a later one.
        scaled = ascending * tests / index
        descending = scaled[..., ::-1]
        corrected = np.minimum.accumulate(descending, axis=-1)[..., ::-1]
    result = np.empty_like(p)
    np.put_along_axis(result, order, np.minimum(1.0, corrected), axis=-1)
    return result


def better(
    wins: Int64Array,
    *,
    level: float = 0.05,
    sides: Sides = 1,
    correction: Correction = Correction.NONE,
) -> BoolArray:
    """Return whether each system is significantly better than each other by the sign test.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` comparisons won by a against b.
    level : float
        Between 0 and 1.
    sides : 1 or 2
        With 1, each pair is tested at `level` in the direction of its majority, as in Koehn (2012).
        Equal systems then differ significantly with a probability of up to twice the level.
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
    word_check("sides", sides, Sides)
    correction = member_of(Correction, "correction", correction)
    if not 0 < level < 1:
        raise ValueError("level: expected a probability between 0 and 1")
    return sign_tests(wins, sides=sides, correction=correction).adjusted_p <= level


def ranges_of_better(better: BoolArray) -> RankRanges:
    """Return rank ranges from a matrix of significantly better systems, shape (..., n, n)."""
    return RankRanges(
        low=1 + np.count_nonzero(better, axis=-2),
        high=better.shape[-1] - np.count_nonzero(better, axis=-1),
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
        Uncorrected p-value of the difference.
    adjusted_p : float or None
        p-value of the difference, corrected for the number of pairs; None without a correction.
    significant : bool or None
        Whether `adjusted_p` is at most 1 − confidence; None without a correction.
    """

    better: str
    worse: str
    wins: int
    losses: int
    ties: int
    p_value: float
    adjusted_p: float | None
    significant: bool | None


@dataclass(frozen=True, eq=False)
class PairTests:
    """p-values of the differences between n systems.

    Attributes
    ----------
    p_value, adjusted_p : float64, shape (..., n, n)
        ``[..., a, b]`` for "a is better than b"; 1 without evidence for it.
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
        Covariance of the scores.
    degrees_of_freedom : float
        Degrees of freedom of `covariance`; ∞ for a normal test.
    sides : 1 or 2
        With 1, each pair is tested in the direction of its difference.
    correction : Correction
        For the n (n − 1) / 2 pairs.

    Returns
    -------
    PairTests
        A difference with variance 0 is certain; scores tied to `TIE_DECIMALS` decimals have the
        p-value 1.
    """
    word_check("sides", sides, Sides)
    correction = member_of(Correction, "correction", correction)
    statistic = _studentise(scores.values, _standard_errors(covariance))
    # Scores that cannot be estimated are NaN, and so never ahead.
    tested = statistic > 0
    if scores.group is not None:
        tested &= as_column(scores.group) == scores.group
    p = stdtr(degrees_of_freedom, -statistic) * sides
    return _corrected_pair_tests(np.where(tested, p, 1.0), correction)


def sign_tests(wins: Int64Array, *, sides: Sides, correction: Correction) -> PairTests:
    """Test each pair by the sign test, which treats its comparisons as independent.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` comparisons won by a against b.
    sides, correction
        As for `ranking.core.ranges.better`.

    Returns
    -------
    PairTests
    """
    word_check("sides", sides, Sides)
    correction = member_of(Correction, "correction", correction)
    lost = np.swapaxes(wins, -1, -2)
    p = sign_test(wins, lost, sides=sides)
    return _corrected_pair_tests(np.where(wins > lost, p, 1.0), correction)


def _corrected_pair_tests(p: FloatArray, correction: Correction) -> PairTests:
    """Return p-values corrected for the number of pairs, each pair in its favoured direction."""
    first, second = np.triu_indices(p.shape[-1], 1)
    forward = (..., first, second)
    backward = (..., second, first)
    favoured = np.minimum(p[forward], p[backward])
    corrected = adjusted(favoured, correction)
    result = np.ones_like(p)
    for direction in (forward, backward):
        result[direction] = np.where(p[direction] < 1, corrected, 1.0)
    return PairTests(p_value=p, adjusted_p=result)


def compared_pairs(
    tallies: Tallies,
    scores: Scores,
    tests: PairTests,
    *,
    correction: Correction,
    level: float,
) -> tuple[ComparedPair, ...]:
    """Return the pairs of ranked systems, in the order of their ranks.

    Systems that share a rank have the p-value 1: only their names decide which comes first.

    Parameters
    ----------
    tallies : Tallies of n systems
    scores : Scores of shape (n,)
        Scores behind the ranks; systems without an estimate are left out.
    tests : PairTests
        Tests of the same n systems.
    correction : Correction
        Correction of the tests; without one, no pair is called significant.
    level : float
        Largest significant corrected p-value.

    Returns
    -------
    tuple of ComparedPair
    """
    correction = member_of(Correction, "correction", correction)
    is_corrected = correction is not Correction.NONE
    shared, _last = shared_ranks(scores)
    pairs = []
    for a, b in combinations(best_first(scores).tolist(), 2):
        is_tied = bool(shared[a] == shared[b])
        adjusted_p = None
        significant = None
        if is_corrected:
            adjusted_p = 1.0 if is_tied else float(tests.adjusted_p[a, b])
            significant = adjusted_p <= level
        pair = ComparedPair(
            better=tallies.systems[a],
            worse=tallies.systems[b],
            wins=int(tallies.wins[a, b]),
            losses=int(tallies.wins[b, a]),
            ties=int(tallies.ties[a, b]),
            p_value=1.0 if is_tied else float(tests.p_value[a, b]),
            adjusted_p=adjusted_p,
            significant=significant,
        )
        pairs.append(pair)
    return tuple(pairs)


def corrected_pairs(
    pairs: Sequence[ComparedPair],
    correction: Correction,
    *,
    level: float,
) -> tuple[ComparedPair, ...]:
    """Return the pairs of a ranking with corrected p-values, by which they are told apart.

    Parameters
    ----------
    pairs : sequence of ComparedPair
        All pairs of the ranking.
    correction : Correction
        Correction of the ranking; Holm is used if it has none.
    level : float
        Largest significant corrected p-value.

    Returns
    -------
    tuple of ComparedPair
    """
    correction = member_of(Correction, "correction", correction)
    if correction is not Correction.NONE:
        return tuple(pairs)
    single = np.array([pair.p_value for pair in pairs], dtype=np.float64)
    adjusted_p = adjusted(single, Correction.HOLM).tolist()
    corrected = []
    for pair, p in zip(pairs, adjusted_p, strict=True):
        corrected.append(replace(pair, adjusted_p=p, significant=p <= level))
    return tuple(corrected)


#: Second word of the generator's key, so that these draws differ from those of the resamples.
_STREAM = int.from_bytes(b"ranksets", "little")
#: Default number of draws.
DRAWS = 10_000
#: A difference is known exactly if its variance is at most this share of the largest variance.
_NO_VARIANCE = 1e-12


@dataclass(frozen=True, eq=False)
class StudentisedDifferences:
    """Differences of n scores in units of their standard errors.

    Attributes
    ----------
    observed : float64, shape (n, n)
        ``observed[a, b]`` is (score of a − score of b) / standard error of that difference. 0 where
        the scores are tied, ±∞ where they differ and the standard error is 0, and NaN where they
        cannot be compared: one cannot be estimated, or the systems are in different groups.
    standard_error : float64, shape (n, n)
        Standard errors of the differences of the scores; 0 where they are known exactly.
    degrees_of_freedom : float
        Degrees of freedom of the standard errors; ∞ if they are known.
    noise : float64, shape (n, draws), or None
        Normal draws with mean 0 and the covariance of the scores; 0 for a system without an
        estimate. None if the standard errors are not known.
    """

    observed: FloatArray
    standard_error: FloatArray
    degrees_of_freedom: float
    noise: FloatArray | None

    def adjusted_p(self, better: Int64Array, worse: Int64Array) -> FloatArray:
        """Return adjusted p-values for a family of statements that one system is better than another.

        If all statements with p-values up to α are accepted, the probability of any false one is at
        most α.

        Parameters
        ----------
        better, worse : int64, shape (F,)
            The family: F statements that system `better` is truly better than `worse`; with each
            statement, its contrary.

        Returns
        -------
        float64, shape (F,)
            1 where the scores are inconclusive or indicate the opposite, 0 where the difference is
            known exactly.
        """
        observed = self.observed[better, worse]
        if self.noise is None:
            return _holm_of_t(observed, self.degrees_of_freedom)
        return self._step_down(self.noise, better, worse)

    def _step_down(
        self,
        noise: FloatArray,
        better: Int64Array,
        worse: Int64Array,
    ) -> FloatArray:
        """Return p-values, (1 + draws that reach the difference) / (1 + draws).

        Differences are tested from the largest to the smallest, each against the maximum of all
        that are not larger, so that those rejected earlier no longer count (max-T step-down, Romano
        and Wolf 2005).

        References
        ----------
        J. P. Romano, M. Wolf (2005), Exact and Approximate Stepdown Methods for Multiple
        Hypothesis Testing, JASA 100; (2016), Efficient Computation of Adjusted p-Values for
        Resampling-Based Stepdown Multiple Testing, Statistics & Probability Letters 113.
        """
        observed = self.observed[better, worse]
        p = np.where(observed == np.inf, 0.0, 1.0)
        draws = noise.shape[1]
        largest = np.full(draws, -np.inf)
        difference = np.empty(draws)
        ascending = np.argsort(observed, kind="stable")
        ascending = ascending[np.isfinite(observed[ascending])]
        for test in ascending.tolist():
            a = better[test]
            b = worse[test]
            if self.standard_error[a, b] == 0:
                continue  # A tie known exactly.
            np.subtract(noise[a], noise[b], out=difference)
            difference /= self.standard_error[a, b]
            np.maximum(largest, difference, out=largest)
            if observed[test] > 0:
                reached = np.count_nonzero(largest >= observed[test])
                p[test] = (1 + reached) / (1 + draws)
        descending = ascending[::-1]
        p[descending] = np.maximum.accumulate(p[descending])
        return p


def _holm_of_t(observed: FloatArray, degrees_of_freedom: float) -> FloatArray:
    """Return p-values of two-sided t-tests of the pairs in their favoured directions, corrected by
    Holm.

    A family holds both statements of each pair, of which only the favoured one can be accepted.
    """
    favoured = np.flatnonzero(observed > 0)
    two_sided = 2 * stdtr(degrees_of_freedom, -observed[favoured])
    # Pairs with tied scores are tests of the family as well.
    pairs = np.count_nonzero(~np.isnan(observed)) // 2
    tied_p = np.ones(pairs - len(favoured))
    family = np.concatenate([two_sided, tied_p])
    p = np.ones(len(observed))
    p[favoured] = adjusted(family, Correction.HOLM)[: len(favoured)]
    return p


def studentised_differences(
    values: FloatArray,
    covariance: FloatArray,
    *,
    degrees_of_freedom: float = np.inf,
    group: Int64Array | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> StudentisedDifferences:
    """Return studentised differences of scores, and draws of their random errors.

    Parameters
    ----------
    values : float64, shape (n,)
        Scores, NaN for a system that is not estimable. Scores equal to `TIE_DECIMALS` decimals are
        tied.
    covariance : float64, shape (n, n)
        Covariance of the scores. It may be singular, because scores may sum to a constant.
    degrees_of_freedom : float
        Degrees of freedom of `covariance`, greater than 0; ∞ for a covariance that is known.
    group : int64, shape (n,), optional
        Scores of systems in different groups cannot be compared; see `ranking.core.scores.Scores`.
    draws : int
        Number of draws, at least 1. There are draws only if the covariance is known.
    seed : int
        0 ≤ seed < 2**64. Draws are assigned to systems in the order of their scores, so that
        results do not depend on the order of systems, unless systems are equal in score and
        variance.

    Returns
    -------
    StudentisedDifferences

    Raises
    ------
    ValueError
        If `covariance` holds NaN or ∞ for a system that is estimable.
    """
    n = len(values)
    order = np.lexsort((np.diag(covariance), values))
    scored = order[~np.isnan(values[order])]
    covariance_of_scored = covariance[np.ix_(scored, scored)]
    if not np.all(np.isfinite(covariance_of_scored)):
        raise ValueError("covariance: NaN or infinite for a system that has a score")
    noise = None
    if np.isinf(degrees_of_freedom):
        root = _symmetric_root(covariance_of_scored)
        covariance_of_scored = root @ root
        deviates = _normal_deviates((len(scored), draws), seed)
        noise = np.zeros((n, draws))
        noise[scored] = root @ deviates
    standard_error = np.zeros((n, n))
    standard_error[np.ix_(scored, scored)] = _standard_errors(covariance_of_scored)
    observed = _studentise(values, standard_error)
    if group is not None:
        observed[as_column(group) != group] = np.nan
    return StudentisedDifferences(
        observed=observed,
        standard_error=standard_error,
        degrees_of_freedom=degrees_of_freedom,
        noise=noise,
    )


def _symmetric_root(covariance: FloatArray) -> FloatArray:
    """Return the symmetric square root of a covariance matrix.

    Unlike a root from eigenvectors alone, it does not depend on their signs, which the
    linear-algebra library chooses.
    """
    symmetric = (covariance + covariance.T) / 2
    eigenvalues, vectors = np.linalg.eigh(symmetric)
    deviations = np.sqrt(np.maximum(eigenvalues, 0.0))
    root: FloatArray = (vectors * deviations) @ vectors.T
    return root


def _standard_errors(covariance: FloatArray) -> FloatArray:
    """Return the standard errors of differences of scores; 0 if negligible."""
    variances = np.diag(covariance)
    difference_variance = as_column(variances) + variances - 2 * covariance
    # NaN for systems without an estimate.
    largest = np.fmax.reduce(variances, initial=0.0)
    is_negligible = difference_variance <= _NO_VARIANCE * largest
    return np.sqrt(np.where(is_negligible, 0.0, difference_variance))


def _studentise(values: FloatArray, standard_error: FloatArray) -> FloatArray:
    difference = pairwise_differences(values)
    difference[np.round(difference, TIE_DECIMALS) == 0] = 0.0
    exact = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    exact[np.isnan(difference)] = np.nan
    return np.divide(difference, standard_error, out=exact, where=standard_error > 0)


def _normal_deviates(shape: tuple[int, int], seed: int) -> FloatArray:
    key = np.array([seed, _STREAM], dtype=np.uint64)
    random = np.random.Generator(np.random.Philox(key=key))
    return random.standard_normal(shape)


class Drawing(TypedDict, total=False):
    """How the errors of scores vary and are drawn, see `studentised_differences`."""

    degrees_of_freedom: float
    group: Int64Array | None
    seed: int


def rank_confidence_sets(
    values: FloatArray,
    covariance: FloatArray,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    draws: int = DRAWS,
    **drawing: Unpack[Drawing],
) -> RankRanges:
    """Return confidence sets for the ranks of systems (Mogstad, Romano, Shaikh and Wilhelm 2024).

    If w systems are significantly better than a system, and it is significantly better than b, its
    set is w + 1 … n − b. Significance is decided by step-down tests of studentised differences of
    scores, see `StudentisedDifferences.adjusted_p`: of all differences of this system in a marginal
    set, and of all differences of all systems in simultaneous sets. They are those of the paper if
    the covariance is known; otherwise Student's t with Holm's correction.

    If `values` are normal around any true scores with covariance `covariance`:

    - marginal: each system's set contains its true rank with probability `confidence` or more;
    - simultaneous: all sets contain the true ranks at once with probability `confidence` or more.

    True ranks are those of the expected values of the scores. Equal systems share a span of ranks,
    and the sets contain all of it. So if simultaneous sets are grouped with `clusters`, the
    probability that any system is in a better cluster than a system that is truly as good or better
    is at most 1 − `confidence`.

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
        Whether the sets are simultaneous rather than marginal.
    draws : int
        Number of normal draws behind the p-values, at least 1 / (1 − `confidence`).
    **drawing
        As for `studentised_differences`. The same arguments give the same sets.

    Returns
    -------
    RankRanges
        Sets of the n systems; a set always contains the rank of the system's score.

    Raises
    ------
    ValueError
        If `confidence` or `draws` is out of range, or `covariance` holds NaN or ∞ for a system that
        is estimable.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024), Inference for Ranks with
    Applications to Mobility across Neighbourhoods and Academic Achievement across Countries,
    Review of Economic Studies 91.
    """
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a probability between 0 and 1")
    level = 1 - confidence
    if (1 + draws) * level < 1:
        raise ValueError(
            "draws: too few for any difference to be significant at this confidence",
        )
    differences = studentised_differences(values, covariance, draws=draws, **drawing)
    if simultaneous:
        return ranges_of_better(_p_values_of_pairs(differences) <= level)
    return _ranges_of_each_system(differences, level)


def pairwise_p_values(
    values: FloatArray,
    covariance: FloatArray,
    *,
    draws: int = DRAWS,
    **drawing: Unpack[Drawing],
) -> FloatArray:
    """Return adjusted p-values for all statements that one system is better than another.

    If `values` are normal around the true scores with covariance `covariance`, and every p-value up
    to α is called significant, then the probability of calling any system better than one that is
    as good or better is at most α. `rank_confidence_sets` with ``simultaneous=True`` counts these
    significant differences.

    Parameters
    ----------
    values, covariance, draws, **drawing
        As for `rank_confidence_sets`.

    Returns
    -------
    float64, shape (n, n)
        ``p[a, b]`` for "a is better than b". 1 where a does not have the larger score, on the
        diagonal, and where the scores cannot be compared.
    """
    return _p_values_of_pairs(
        studentised_differences(values, covariance, draws=draws, **drawing),
    )


def _p_values_of_pairs(differences: StudentisedDifferences) -> FloatArray:
    """Return the adjusted p-values of one family: all ordered pairs, shape (n, n)."""
    p = np.ones(differences.observed.shape)
    better, worse = np.nonzero(off_diagonal(len(p)))
    p[better, worse] = differences.adjusted_p(better, worse)
    return p


def _ranges_of_each_system(
    differences: StudentisedDifferences,
    level: float,
) -> RankRanges:
    """Return ranges from the systems significantly above and below each, one family per system."""
    n = len(differences.observed)
    above = np.zeros(n, dtype=np.int64)
    below = np.zeros(n, dtype=np.int64)
    for system in range(n):
        others = np.delete(np.arange(n), system)
        own = np.full(n - 1, system)
        better = np.concatenate([others, own])
        worse = np.concatenate([own, others])
        significant = differences.adjusted_p(better, worse) <= level
        above[system] = np.count_nonzero(significant & (worse == system))
        below[system] = np.count_nonzero(significant & (better == system))
    return RankRanges(low=1 + above, high=n - below)

"""Mean rating of each system, with intervals, rank ranges and clusters.

Ratings are not independent: ratings of a segment share its difficulty, and ratings by a judge share
the judge's severity. Intervals are Student's t with the variance over segments plus that over
judges minus that over single ratings (`ranking.core.uncertainty`), so they generalise to other
judges. Degrees of freedom are Satterthwaite's, and at most the number of judges minus two: with
minus one, 6.7% of the true means lie outside when four judges differ by 1.5 points (SD).

Means cannot leave the scale, so intervals end where it does. A t interval of few ratings often goes
beyond it. The part cut off holds no possible mean, so as many true means lie inside as before.

Published intervals ignore judges and are not computed here: in simulation, mean ± z · s / √m, as if
all m ratings were independent (the "confidence range" of Vilar et al. 2007), misses 14% to 60% of
the true means, and a bootstrap of segments 9% to 57%. s and m are given.

Ranks depend only on differences of means, which a judge who rates all systems equally often does
not change. For ranks, the common part of each unit's influence on all means is therefore removed
first.

A variance of 0 does not mean certainty: it only means that the error cannot be estimated. It occurs
for a single rating, for two that agree, and for the difference of two systems if the only judge
always gives one of them one point more. Such a mean has no interval and may have any rank; such a
difference is not significant.

With fewer than `FEWEST_SEGMENTS` segments or `FEWEST_JUDGES` judges (effective numbers), only the
mean is given: in simulation, ranges then miss more than 6% of the true ranks.
"""

from dataclasses import dataclass, replace

import numpy as np

from protocols.frame.scale.statistics.ratings import Ratings
from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.estimates import t_quantile
from ranking.core.ranges import (
    Correction,
    PairTests,
    RankRanges,
    clusters,
    difference_tests,
    pairwise_p_values,
    rank_confidence_sets,
)
from ranking.core.scores import TIE_DECIMALS, Scores, Shortage, best_first, shared_ranks
from ranking.core.uncertainty import (
    ScoreCovariance,
    combined_covariance,
    covariance_by_unit,
    with_least_variance,
)

#: Units that a system needs for intervals, rank ranges and tests. The effective number of nearly
#: equal shares is slightly below the number of units.
FEWEST_SEGMENTS = 5
FEWEST_JUDGES = 4
_ABOUT = 0.5

#: Smaller variances, of mean points or of standardised values, are rounding errors of 0.
_NO_VARIANCE = 1e-12


@dataclass(frozen=True)
class MeanRating:
    """The mean rating of a system.

    Attributes
    ----------
    system : str
    ratings, items : int
        Number m of ratings, and number of rated items.
    mean : float
        Mean of the ratings.
    deviation : float or None
        Standard deviation s of the ratings (n − 1); None for a single rating.
    low, high : float or None
        Student's t over segments and judges, within the scale; None without a standard error.
    standard_error : float or None
        Over segments and judges; None if all ratings are equal.
    rank : int
        1 for the best; systems with equal means share the best of their ranks.
    rank_low, rank_high, cluster : int or None
        Without a standard error, any rank is possible.
    shortage : Shortage or None
        Units missing for intervals, ranges and tests, which are None until then.
    """

    system: str
    ratings: int
    items: int
    mean: float
    deviation: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    rank: int
    rank_low: int | None
    rank_high: int | None
    cluster: int | None
    shortage: Shortage | None


@dataclass(frozen=True, eq=False)
class MeanRatings:
    """Mean ratings of all rated systems by one criterion, best first.

    Attributes
    ----------
    systems : tuple of MeanRating, length n
    tests : PairTests
        Tests of the differences, in that order; NaN if either system has a shortage.
    limits : tuple of str
        Codes of `ranking.core.uncertainty.RangeLimit` for sources of variation that ranges ignore.
    segments, judges : float
        Effective numbers.
    correction : Correction
    confidence : float
    not_rated : tuple of str
        Systems without any rating.
    lowest, highest : int or None
        Ends of the scale; None for standardised values.
    """

    systems: tuple[MeanRating, ...]
    tests: PairTests
    limits: tuple[str, ...]
    segments: float
    judges: float
    correction: Correction
    confidence: float
    not_rated: tuple[str, ...]
    lowest: int | None
    highest: int | None

    @property
    def is_of_one(self) -> bool:
        """True if there is one system, which nothing can be compared with."""
        return len(self.systems) == 1 and not self.not_rated


def mean_ratings(
    ratings: Ratings,
    *,
    value: FloatArray | None = None,
    is_on_scale: bool = True,
    correction: Correction = Correction.NONE,
    confidence: float = 0.95,
    seed: int = 0,
) -> MeanRatings:
    """Rank systems by their mean rating.

    Parameters
    ----------
    ratings : Ratings
        N ratings of n rated systems, at least one. A text that several systems wrote counts for each of them.
    value : float64, shape (N,), optional
        Used instead of the values, such as standardised ones.
    is_on_scale : bool
        Whether values are on the scale of the ratings. Standardised ones are not, and have no limits.
    correction : Correction
        `NONE`, or `HOLM` for simultaneous rank ranges and tests.
    confidence : float
    seed : int
        Seed for simultaneous rank ranges and tests; 0 ≤ seed < 2**64.

    Returns
    -------
    MeanRatings
        Does not depend on the order of the ratings or the names.
    """
    if value is None:
        value_or_rating = ratings.value.astype(np.float64)
    else:
        value_or_rating = value
    sums = _sums(ratings, value_or_rating)
    # The influence on the mean of the systems' means.
    common = sums.influence.mean(axis=1, keepdims=True)
    covariance = _covariance(ratings, sums, sums.influence - common)
    of_each = []
    for system in range(len(sums.names)):
        of_each.append(
            _covariance(ratings, sums, sums.influence[:, system : system + 1], system),
        )
    shortages = [_shortage(own, covariance) for own in of_each]
    thin = np.array([shortage is not None for shortage in shortages])
    varies = ~thin & np.array([own.matrix[0, 0] > _NO_VARIANCE for own in of_each])
    # Scores rank higher values first.
    if ratings.scale.lower_is_better:
        ranked = -sums.mean
    else:
        ranked = sums.mean
    scores = Scores(values=np.where(varies, ranked, np.nan), estimable=varies)
    together = _has_no_variance(covariance.matrix)
    tests = _tests(scores, covariance, correction, seed)
    ranges = _widen_ranges(
        rank_confidence_sets(
            scores.values,
            covariance.matrix,
            confidence=confidence,
            simultaneous=correction is Correction.HOLM,
            degrees_of_freedom=covariance.degrees_of_freedom,
            seed=seed,
        ),
        scores,
        together,
    )
    means = Scores(values=ranked, estimable=np.ones_like(varies))
    ranks, _last = shared_ranks(means)
    order = best_first(means).tolist()
    group = clusters(ranges)
    scale = ratings.scale
    if is_on_scale:
        lowest = scale.lowest
        highest = scale.highest
    else:
        lowest = None
        highest = None
    rows = []
    for system in order:
        own = of_each[system]
        shortage = shortages[system]
        error = None
        if varies[system]:
            error = float(np.sqrt(own.matrix[0, 0]))
        freedom = max(1.0, min(own.degrees_of_freedom, own.judges - 2))
        half = float(t_quantile(confidence, freedom))
        mean = float(sums.mean[system])
        number = int(sums.number[system])
        ends = (None, None)
        if error is not None:
            ends = np.clip(
                [mean - half * error, mean + half * error],
                lowest,
                highest,
            ).tolist()
        deviation = None
        if number > 1:
            deviation = float(sums.deviation[system])
        row = MeanRating(
            system=sums.names[system],
            ratings=number,
            items=int(sums.items[system]),
            mean=mean,
            deviation=deviation,
            low=ends[0],
            high=ends[1],
            standard_error=error,
            rank=int(ranks[system]),
            rank_low=int(ranges.low[system]),
            rank_high=int(ranges.high[system]),
            cluster=int(group[system]),
            shortage=shortage,
        )
        if shortage:
            row = replace(row, rank_low=None, rank_high=None, cluster=None)
        rows.append(row)
    square = np.ix_(order, order)
    either = thin[:, np.newaxis] | thin
    p_value, adjusted_p = (
        # Without variance, there is no significance.
        np.where(either, np.nan, np.where(together, 1.0, p))[square]
        for p in (tests.p_value, tests.adjusted_p)
    )
    return MeanRatings(
        systems=tuple(rows),
        tests=PairTests(p_value, adjusted_p),
        limits=tuple(str(limit) for limit in covariance.limits),
        segments=covariance.segments,
        judges=covariance.judges,
        correction=correction,
        confidence=confidence,
        not_rated=sums.not_rated,
        lowest=lowest,
        highest=highest,
    )


def _shortage(own: ScoreCovariance, together: ScoreCovariance) -> Shortage | None:
    """Return the shortage of the ratings of one system, or of all ratings together."""
    for unit, needed, count in (
        ("segments", FEWEST_SEGMENTS, min(own.segments, together.segments)),
        ("judges", FEWEST_JUDGES, min(own.judges, together.judges)),
    ):
        if count < needed - _ABOUT:
            return Shortage(unit, count, needed)
    return None


@dataclass(frozen=True, eq=False)
class _Sums:
    """Means of n rated systems in the order of their names, and the influence of each rating on them.

    `wrote` (N, n) marks the systems that wrote the rated text; `influence` (N, n) sums to 0 for
    each system.
    """

    names: tuple[str, ...]
    not_rated: tuple[str, ...]
    wrote: BoolArray
    number: Int64Array
    items: Int64Array
    mean: FloatArray
    deviation: FloatArray
    influence: FloatArray


def _sums(ratings: Ratings, values: FloatArray) -> _Sums:
    wrote = ratings.items.wrote[ratings.item]
    number = wrote.sum(axis=0)
    rated_systems = sorted(
        np.flatnonzero(number).tolist(),
        key=lambda system: ratings.items.systems[system],
    )
    wrote = wrote[:, rated_systems]
    number = number[rated_systems]
    mean = np.where(wrote, values[:, np.newaxis], 0.0).sum(axis=0) / np.maximum(
        1,
        number,
    )
    apart = np.where(wrote, values[:, np.newaxis] - mean, 0.0)
    rated = np.unique(ratings.item)
    names = [ratings.items.systems[system] for system in rated_systems]
    return _Sums(
        names=tuple(names),
        not_rated=tuple(name for name in ratings.items.systems if name not in names),
        wrote=wrote,
        number=number,
        items=ratings.items.wrote[rated][:, rated_systems].sum(axis=0),
        mean=mean,
        deviation=np.sqrt((apart**2).sum(axis=0) / np.maximum(1, number - 1)),
        influence=apart / np.maximum(1, number),
    )


def _covariance(
    ratings: Ratings,
    sums: _Sums,
    influence: FloatArray,
    system: int | None = None,
) -> ScoreCovariance:
    """Return the covariance of means over segments and judges, of all systems or of one.

    No variance is smaller than that over segments alone: allowing for judges cannot make means more
    certain. With fewer than `MIN_UNITS` segments, the variance over single ratings takes its place.
    """
    sizes = (
        sums.wrote.sum(axis=1) if system is None else sums.wrote[:, system]
    ).astype(np.int64)
    singles = covariance_by_unit(influence, np.arange(len(ratings)), sizes)
    segments = covariance_by_unit(influence, ratings.segment, sizes)
    judges = covariance_by_unit(influence, ratings.judge, sizes)
    covariance = combined_covariance(singles, segments, judges)
    if segments.effective < MIN_UNITS:
        least = singles
    else:
        least = segments
    return with_least_variance(covariance, np.diag(least.matrix))


def _has_no_variance(covariance: FloatArray) -> BoolArray:
    """Return a mask of the score differences without variance, shape (n, n)."""
    variance = np.diag(covariance)
    return variance[:, np.newaxis] + variance - 2 * covariance <= _NO_VARIANCE


def _widen_ranges(
    ranges: RankRanges,
    scores: Scores,
    together: BoolArray,
) -> RankRanges:
    """Return rank ranges widened so that systems whose difference has no variance may be in either
    order.

    In `ranges`, such differences look certain: the lower system is below in every draw and test.
    """
    values = np.round(scores.values, TIE_DECIMALS)
    above = together & (values[:, np.newaxis] > values)
    return RankRanges(
        low=np.maximum(1, ranges.low - np.count_nonzero(above, axis=0)),
        high=np.minimum(len(values), ranges.high + np.count_nonzero(above, axis=1)),
    )


def _tests(
    scores: Scores,
    covariance: ScoreCovariance,
    correction: Correction,
    seed: int,
) -> PairTests:
    tests = difference_tests(
        scores,
        covariance.matrix,
        degrees_of_freedom=covariance.degrees_of_freedom,
        sides=2,
        correction=Correction.NONE,
    )
    if correction is Correction.NONE:
        return tests
    adjusted = pairwise_p_values(
        scores.values,
        covariance.matrix,
        degrees_of_freedom=covariance.degrees_of_freedom,
        seed=seed,
    )
    return replace(tests, adjusted_p=adjusted)

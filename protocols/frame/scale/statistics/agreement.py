"""Agreement of judges who rated the same item: n-agreement, κ, and extensions of both.

All measures use items with two or more ratings; items weigh equally. Intervals generalise to other
judges and other segments, and are computed by leaving each one out. If too few judges remain to
estimate how judges differ, there are no intervals: a bootstrap of segments covered the true value
in only 40% to 94% of simulated campaigns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protocols.frame.scale.statistics.ratings import Ratings
from ranking.core.agreement.intervals import (
    VarianceParts,
    jackknife,
    kappa_intervals,
    why_not_reported,
)
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.counting.counts import effective_number
from ranking.core.grouping import distinct_pairs, sums_by_group
from ranking.core.scores import NotEstimable

#: Smaller shares of an item, or of the expected disagreement, are rounding errors.
_NO_ITEM = 0.5


@dataclass(frozen=True)
class Estimate:
    """An estimate with its interval; None if the ratings do not determine it.

    `reason` says why a κ or α is not reported although it is determined.
    """

    value: float | None
    low: float | None
    high: float | None
    reason: NotEstimable | None = None

    def reported(self) -> Estimate:
        """Return a κ or α as it may be reported, see `ranking.core.agreement.intervals.reported`."""
        reason = why_not_reported(self.value, self.low, self.high)
        if reason is None:
            return self
        return Estimate(None, self.low, self.high, reason)


@dataclass(frozen=True)
class NAgreement:
    """Agreement within n points.

    Attributes
    ----------
    n : int
    share : Estimate
        Aₙ: share of pairs of ratings of an item that differ by at most n.
    expected : float or None
        Eₙ: the same share for two ratings drawn independently from all ratings.
    corrected : Estimate
        κₙ = (Aₙ − Eₙ) / (1 − Eₙ); None where Eₙ is 1.
    """

    n: int
    share: Estimate
    expected: float | None
    corrected: Estimate


@dataclass(frozen=True)
class RatingAgreement:
    """Agreement of ratings by one criterion.

    Attributes
    ----------
    items, segments : int
        Items with two or more ratings, and their segments.
    pairs : int
        Pairs of ratings of one item.
    n_agreement : tuple of NAgreement
        For n = 0 … points − 1 (Hamon et al. 2007, §3.1).
    kappa : Estimate
        (P̄_o − P̄_e) / (1 − P̄_e) (ibid., §3.2), Fleiss' κ.
    p_observed, p_chance : float or None
        P̄_o and P̄_e.
    alpha : Estimate
        Krippendorff's α for ordinal data.
    for_judges : bool
        Whether enough judges remain without each judge to estimate how judges differ; if not, there
        are no intervals.
    """

    items: int
    segments: int
    pairs: int
    n_agreement: tuple[NAgreement, ...]
    kappa: Estimate
    p_observed: float | None
    p_chance: float | None
    alpha: Estimate
    for_judges: bool


def rating_agreement(ratings: Ratings, *, confidence: float = 0.95) -> RatingAgreement:
    """Measure how far judges agree on items.

    With n judges per item, P̄_o and P̄_e are those of Hamon et al. (2007). If the number of judges
    varies, items still weigh equally: P̄_o is the mean over items of the share of agreeing pairs,
    and P̄_e is computed from the mean over items of the share of each point. α weighs items by
    their number of ratings, as defined by Krippendorff.

    Parameters
    ----------
    ratings : Ratings
    confidence : float
        Between 0 and 1.

    Returns
    -------
    RatingAgreement

    References
    ----------
    O. Hamon, D. Mostefa, V. Arranz (2007), Diagnosing Human Judgments in MT Evaluation, MT Summit XI.
    J. L. Fleiss (1971), Measuring Nominal Scale Agreement Among Many Raters, Psychol. Bull. 76.
    K. Krippendorff (2004), Content Analysis, §11.3.
    """
    points = ratings.scale.points
    counts = ratings.counts()
    several = counts.sum(axis=1) > 1
    has_several = several[ratings.item]
    counts = counts[several]
    segment = ratings.items.segment[several]
    segments, segment_index = np.unique(segment, return_inverse=True)
    sums = sums_by_group(_item_contributions(counts), segment_index, len(segments))
    whole = sums.sum(axis=0)
    point = _figures(whole[np.newaxis], points)
    by_judge, by_cell, judges = _left_out(
        ratings.take(has_several),
        np.cumsum(several) - 1,
        counts,
    )
    for_judges = len(by_judge) > 1 and bool(
        (whole[0] + by_judge[:, 0] > _NO_ITEM).all(),
    )
    if for_judges:
        without_segment = _figures(whole - sums, points)
        without_judge = _figures(whole + by_judge, points)
        without_cell = _figures(whole + by_cell, points)

    def estimate(figure: str, p_chance: float, n: int | None = None) -> Estimate:
        def of(figures: _Figures) -> FloatArray:
            values: FloatArray = getattr(figures, figure)
            if n is None:
                return values
            return values[:, n]

        value = float(of(point)[0])
        if np.isnan(value):
            return Estimate(None, None, None)
        if not for_judges:
            return Estimate(value, None, None)
        changes = np.nan_to_num(of(without_cell) - value)
        parts = VarianceParts(
            kappa=value,
            of_segments=jackknife(value, of(without_segment)),
            segments=len(segments),
            of_judges=jackknife(value, of(without_judge)),
            overlap=float(changes @ changes),
            judges=judges,
        )
        [interval] = kappa_intervals([parts], [p_chance], "two_way", confidence)
        return Estimate(value, interval.low, interval.high)

    per_item = counts.sum(axis=1)
    chance = []
    for expected in point.expected[0]:
        chance.append(_number(expected))
    return RatingAgreement(
        items=len(counts),
        segments=len(segments),
        pairs=int((per_item * (per_item - 1) // 2).sum()),
        n_agreement=tuple(
            NAgreement(
                n=n,
                share=estimate("within", 0.0, n),
                expected=chance[n],
                corrected=estimate("corrected", chance[n] or 0.0, n),
            )
            for n in range(points)
        ),
        kappa=estimate("corrected", chance[0] or 0.0, 0),
        p_observed=_number(point.within[0, 0]),
        p_chance=chance[0],
        # As for a chance of one half, its lowest value is −1.
        alpha=estimate("alpha", 0.5),
        for_judges=for_judges,
    )


def _left_out(
    ratings: Ratings,
    item_of: Int64Array,
    counts: Int64Array,
) -> tuple[FloatArray, FloatArray, float]:
    """Return the changes of sums when each judge, or a judge's ratings of one segment, are left out.

    `item_of` indexes `counts`. Also return the effective number of judges.
    """
    item = item_of[ratings.item]
    value = ratings.value - ratings.scale.lowest
    fewer = counts[item]
    fewer[np.arange(len(value)), value] -= 1
    change = -_item_contributions(counts)[item]
    has_several = fewer.sum(axis=1) > 1
    change[has_several] += _item_contributions(fewer[has_several])
    judges, judge = np.unique(ratings.judge, return_inverse=True)
    _segments, segment = np.unique(ratings.segment, return_inverse=True)
    raters = distinct_pairs(judge, segment)
    pairs = np.bincount(judge, weights=fewer.sum(axis=1), minlength=len(judges))
    of_judges = sums_by_group(change, judge, len(judges))
    of_cells = sums_by_group(change, raters.inverse, len(raters.first))
    return of_judges, of_cells, effective_number(pairs)


def expected_within(shares: FloatArray) -> FloatArray:
    """Return Eₙ, the probability that two independent ratings differ by at most n points.

    Parameters
    ----------
    shares : float64, shape (..., points)
        Share of the ratings with each point.

    Returns
    -------
    float64, shape (..., points)
        For n = 0 … points − 1; 0.20, 0.52, 0.76, 0.92 and 1 if all five points are used equally
        often.
    """
    return _sums_near_diagonal(shares[..., :, np.newaxis] * shares[..., np.newaxis, :])


def chance_corrected(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return (A − E) / (1 − E); NaN where E is 1."""
    coefficient = np.full(np.broadcast_shapes(observed.shape, expected.shape), np.nan)
    # If only one point is used, E is 1 up to rounding.
    np.divide(
        observed - expected,
        1 - expected,
        out=coefficient,
        where=expected < 1 - 1e-12,
    )
    return coefficient


def _sums_near_diagonal(tables: FloatArray | Int64Array) -> FloatArray:
    """Return the sum of the cells of square tables that are at most n steps from the diagonal, for each n."""
    steps = np.arange(tables.shape[-1])
    apart = np.abs(steps[:, np.newaxis] - steps)
    within_n = []
    for n in steps:
        within_n.append((tables * (apart <= n)).sum(axis=(-2, -1)))
    return np.stack(within_n, axis=-1)


@dataclass(frozen=True, eq=False)
class _Figures:
    """Figures of R samples: `within`, `expected` and `corrected` of shape (R, points), `alpha` of shape (R,)."""

    within: FloatArray
    expected: FloatArray
    corrected: FloatArray
    alpha: FloatArray


def _item_contributions(counts: Int64Array) -> FloatArray:
    """Return the contribution of each item: 1, shares of pairs within n, shares of points, coincidences."""
    points = counts.shape[1]
    number = counts.sum(axis=1)[:, np.newaxis]
    pairs = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    pairs = pairs - np.eye(points, dtype=np.int64) * counts[:, :, np.newaxis]
    return np.hstack(
        [
            np.ones((len(counts), 1)),
            _sums_near_diagonal(pairs) / (number * (number - 1)),
            counts / number,
            pairs.reshape(len(counts), points * points) / (number - 1),
        ],
    )


def _figures(sums: FloatArray, points: int) -> _Figures:
    items = sums[:, :1]
    within = share(sums[:, 1 : 1 + points], items)
    shares = share(sums[:, 1 + points : 1 + 2 * points], items)
    expected = expected_within(shares)
    coincidences = sums[:, 1 + 2 * points :].reshape(-1, points, points)
    return _Figures(
        within,
        expected,
        chance_corrected(within, expected),
        _ordinal_alpha(coincidences),
    )


def _ordinal_alpha(coincidences: FloatArray) -> FloatArray:
    """Return α of R coincidence tables, shape (R, points, points); NaN if the ratings do not
    vary.
    """
    of_point = coincidences.sum(axis=2)
    total = of_point.sum(axis=1)
    below = np.cumsum(of_point, axis=1)
    # Ordinal distance: the ratings between two points, counting half of those at either end.
    middle = below - of_point / 2
    distance = (middle[:, :, np.newaxis] - middle[:, np.newaxis, :]) ** 2
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = (of_point[:, :, np.newaxis] * of_point[:, np.newaxis, :] * distance).sum(
        axis=(1, 2),
    )
    ratio = np.divide(
        (total - 1) * observed,
        expected,
        out=np.full(len(total), np.nan),
        where=expected > _NO_ITEM / 2,
    )
    return np.asarray(1 - ratio)


def _number(value: np.floating) -> float | None:
    if np.isnan(value):
        return None
    return float(value)

"""Correlation of criteria."""

from dataclasses import dataclass

import numpy as np

from protocols.frame.scale.statistics.outliers import system_means
from protocols.frame.scale.statistics.ratings import Ratings
from ranking.core.diagnosis.correlation import (
    Coefficient,
    SampledCorrelation,
    correlation_clustered,
    correlation_sampled,
)


@dataclass(frozen=True)
class CriteriaCorrelation:
    """Correlation of two criteria.

    Attributes
    ----------
    of_ratings : SampledCorrelation
        Correlation of the two ratings of one item by one judge. Intervals account for ratings that
        share a segment or a judge.
    of_systems : SampledCorrelation
        Correlation of the mean ratings of systems.
    """

    of_ratings: SampledCorrelation
    of_systems: SampledCorrelation


def correlated_criteria(
    first: Ratings,
    second: Ratings,
    *,
    confidence: float = 0.95,
) -> CriteriaCorrelation:
    """Correlate two criteria.

    Parameters
    ----------
    first, second : Ratings
        Ratings of the same items by the same judges.
    confidence : float
        Confidence of the intervals.

    Returns
    -------
    CriteriaCorrelation
    """
    of_first = first.item * max(1, len(first.judges)) + first.judge
    of_second = second.item * max(1, len(second.judges)) + second.judge
    _both, one, other = np.intersect1d(
        of_first,
        of_second,
        assume_unique=True,
        return_indices=True,
    )
    pearson, spearman = (
        correlation_clustered(
            first.value[one],
            second.value[other],
            (first.segment[one], first.judge[one]),
            coefficient=coefficient,
            confidence=confidence,
        )
        for coefficient in (Coefficient.PEARSON, Coefficient.SPEARMAN)
    )
    return CriteriaCorrelation(
        of_ratings=SampledCorrelation(
            pearson.pairs,
            pearson.value,
            spearman.value,
            pearson_low=pearson.low,
            pearson_high=pearson.high,
            spearman_low=spearman.low,
            spearman_high=spearman.high,
        ),
        of_systems=correlation_sampled(
            system_means(first),
            system_means(second),
            confidence=confidence,
        ),
    )

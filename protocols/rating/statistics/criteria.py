"""How adequacy and fluency go together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protocols.rating.statistics.outliers import system_means
from protocols.rating.statistics.ratings import Ratings
from ranking.core.diagnosis.correlation import Correlation, correlation


@dataclass(frozen=True)
class CriteriaCorrelation:
    """Correlation of two criteria.

    Attributes
    ----------
    of_ratings : Correlation
        Of the two ratings of one item by one judge.
    of_systems : Correlation
        Of the mean ratings of systems.
    """

    of_ratings: Correlation
    of_systems: Correlation


def correlated_criteria(fluency: Ratings, adequacy: Ratings) -> CriteriaCorrelation:
    """Correlate two criteria.

    Parameters
    ----------
    fluency, adequacy : Ratings
        Of the same items and judges.

    Returns
    -------
    CriteriaCorrelation

    Raises
    ------
    ValueError
        If items or judges are not the same objects.
    """
    if fluency.items is not adequacy.items or fluency.judges != adequacy.judges:
        raise ValueError("expected ratings of the same items by the same judges")
    of_fluency, of_adequacy = (
        each.item * max(1, len(each.judges)) + each.judge for each in (fluency, adequacy)
    )
    _both, one, other = np.intersect1d(
        of_fluency, of_adequacy, assume_unique=True, return_indices=True
    )
    return CriteriaCorrelation(
        of_ratings=correlation(fluency.value[one], adequacy.value[other]),
        of_systems=correlation(system_means(fluency), system_means(adequacy)),
    )

"""Intervals of figures from how they vary in resamples of segments, of judges, and of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from ranking.core.beside.judged_task import Unit

FloatArray = npt.NDArray[np.float64]

#: Of the resamples, so many must have a figure.
_LEAST_SHARE = 0.5
#: Less is rounding.
_NO_VARIANCE = 1e-20


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval.

    Attributes
    ----------
    value : float
    low, high : float or None
        None where nothing tells how far it may be off: with one segment or one judge, where half of the resamples have no
        such figure, or where all have the same.
    """

    value: float
    low: float | None
    high: float | None


def estimate(
    value: float,
    resampled: Mapping[Unit, FloatArray],
    *,
    fewest_units: int,
    confidence: float,
    least: float = -inf,
    most: float = inf,
) -> Estimate:
    """Return a figure with the interval that holds what it is on average over campaigns of this size.

    Segments and judges are taken for drawn: the variance is that over segments + over judges − that over what a judge
    judged of a segment, at least each of the first two (Cameron, Gelbach and Miller 2011). Student's t has a degree of
    freedom fewer than there are segments or judges, whichever are fewer.

    Parameters
    ----------
    value : float
    resampled : mapping of unit to float64, shape (R,)
        The figure in resamples of each unit; NaN where a resample has none.
    fewest_units : int
        Segments or judges, whichever are fewer.
    confidence : float
        Between 0 and 1.
    least, most : float
        No end of the interval is beyond.

    Returns
    -------
    Estimate

    Notes
    -----
    The interval is symmetric around the figure and not made of percentiles: resamples have the noise of the campaign once
    more, which pulls correlations towards 0 and makes some pairs significant, so their middle is elsewhere.
    """
    variances = {unit: _variance(values) for unit, values in resampled.items()}
    over_segments, over_judges = variances["segments"], variances["judges"]
    variance = max(over_segments + over_judges - variances["cells"], over_segments, over_judges)
    if fewest_units < 2 or any(map(np.isnan, variances.values())) or variance < _NO_VARIANCE:
        return Estimate(value, None, None)
    reach = float(stdtrit(fewest_units - 1, (1 + confidence) / 2)) * sqrt(variance)
    return Estimate(value, max(least, value - reach), min(most, value + reach))


def _variance(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    if len(known) < max(2, _LEAST_SHARE * len(values)):
        return float("nan")
    return float(known.var(ddof=1))

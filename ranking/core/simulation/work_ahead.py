"""Hours and days until a target: how many judgments it takes is not known, nor how fast they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.simulation.end_of_work import end_quantiles
from ranking.core.simulation.reading_pace import ReadingPace

Float64Array = npt.NDArray[np.float64]

#: Each number of judgments is combined with so many paces, evenly spread over what these may be.
_PACES = 200


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """What a target takes, or None beyond what can be said.

    Attributes
    ----------
    value : float or None
        Half of what may come is below.
    low, high : float or None
        A share `confidence` of what may come lies between these.
    """

    value: float | None
    low: float | None
    high: float | None


def judgments_ahead(more: npt.ArrayLike, *, confidence: float = 0.95) -> Ahead:
    """Return how many judgments a target takes, with an interval; `more` and `confidence` as for `hours_ahead`."""
    return _ahead(np.asarray(more, dtype=np.float64), confidence)


def hours_ahead(more: npt.ArrayLike, pace: ReadingPace, *, confidence: float = 0.95) -> Ahead:
    """Return the hours of active time that a target takes.

    Both are uncertain, and neither depends on the other: each of the likely numbers of judgments is combined with
    each of 200 paces, the quantiles 1/400, 3/400 … of what the pace of those who judge the rest may be, and the
    quantiles of all these products are returned.

    Parameters
    ----------
    more : sequence of float
        Judgments still to make in each of E simulated campaigns that are equally likely; infinite where a campaign
        does not reach the target. One number if it is known.
    pace : ReadingPace
        Its `seconds` are those of a judgment.
    confidence : float
        Between 0 and 1: the share of the likely hours that the interval holds.

    Returns
    -------
    Ahead
        In hours; infinite where the target may not be reached.
    """
    needs = np.asarray(more, dtype=np.float64)
    hours = np.outer(needs, pace.quantiles(_shares())) / 3600
    return _ahead(np.where(needs[:, np.newaxis] == 0, 0.0, hours).ravel(), confidence)


def days_ahead(
    more: npt.ArrayLike, done: Sequence[int], *, confidence: float = 0.95
) -> Ahead | None:
    """Return the days that a target takes, from the end of the last of the days that are over.

    As `hours_ahead`, with the quantiles of the days that so many judgments may take after what was done on each
    of some days (`ranking.core.simulation.end_of_work`).

    Parameters
    ----------
    more : sequence of float
    done : sequence of int
        Judgments of each of n ≥ 2 whole days in a row.
    confidence : float

    Returns
    -------
    Ahead or None
        None if nothing was done on any of them.
    """
    if not any(done):
        return None
    days = end_quantiles(done, np.asarray(more, dtype=np.float64), _shares())
    return _ahead(days.ravel(), confidence)


def _shares() -> Float64Array:
    return (np.arange(_PACES) + 0.5) / _PACES


def _ahead(values: Float64Array, confidence: float) -> Ahead:
    tail = (1 - confidence) / 2
    return Ahead(
        value=_known(float(np.quantile(values, 0.5, method="inverted_cdf"))),
        low=_known(float(np.quantile(values, tail, method="lower"))),
        high=_known(float(np.quantile(values, 1 - tail, method="higher"))),
    )


def _known(value: float) -> float | None:
    return None if np.isinf(value) else value

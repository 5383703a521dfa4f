"""When work will be done, from how much of it was done on each of some days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats


class EndOfWork(NamedTuple):
    """Days until the end, with an interval; `high` is None where no end is in sight."""

    days: float
    low: float
    high: float | None


def forecast_end(done: Sequence[int], left: int, *, confidence: float = 0.95) -> EndOfWork | None:
    """Forecast in how many days the rest of some work will be done.

    Days to come are taken to be like these, each by chance as different from their mean as these are
    from one another. The sum of D such days differs from D times the mean of n days with variance
    s² (D + D² / n); the interval is of all D whose sum may be what is left (Fieller's interval with
    Student's t), so that it allows for the few days the mean comes from. Days that differ by habit, as
    weekends do, widen it: take whole weeks.

    Parameters
    ----------
    done : sequence of int
        What was done on each of n ≥ 2 consecutive whole days.
    left : int
        What is left to do.
    confidence : float

    Returns
    -------
    EndOfWork or None
        In days from the end of the last of these; None if nothing was done.

    Raises
    ------
    ValueError
        If there are fewer than two days, or a number is negative.
    """
    days = np.asarray(done, dtype=np.float64)
    if len(days) < 2:
        raise ValueError(f"done: expected two days or more, got {len(days)}")
    if left < 0 or np.any(days < 0):
        raise ValueError("done, left: expected no negative number")
    if left == 0:
        return EndOfWork(0, 0, 0)
    mean = float(days.mean())
    if mean == 0:
        return None
    width = float(stats.t.ppf((1 + confidence) / 2, len(days) - 1)) ** 2 * float(days.var(ddof=1))
    # (left − D mean)² ≤ width (D + D² / n)
    square, line = mean**2 - width / len(days), 2 * left * mean + width
    root = float(np.sqrt(max(0.0, line**2 - 4 * square * left**2)))
    # The smaller root, written so that `square` may be 0 or less.
    low = 2 * left**2 / (line + root)
    high = (line + root) / (2 * square) if square > 0 else None
    return EndOfWork(left / mean, low, high)

"""When work will be done, from how much of it was done on each of some days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]


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
    from scipy import stats  # a fifth of the time in which Django starts

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


def end_quantiles(done: Sequence[int], left: npt.ArrayLike, shares: npt.ArrayLike) -> Float64Array:
    """Return quantiles of the days until the end, for each of some amounts that may be left.

    Those of shares (1 ± confidence) / 2 are the ends of the interval of `forecast_end`.

    Parameters
    ----------
    done : sequence of int
        What was done on each of n ≥ 2 consecutive whole days, at least something.
    left : float, shape (E,)
        May be infinite.
    shares : float, shape (G,)
        Between 0 and 1.

    Returns
    -------
    float64, shape (E, G)
        Infinite where no end is in sight.
    """
    from scipy import stats  # a fifth of the time in which Django starts

    days = np.asarray(done, dtype=np.float64)
    mean = float(days.mean())
    width = stats.t.ppf(np.asarray(shares), len(days) - 1) ** 2 * float(days.var(ddof=1))
    late = np.asarray(shares) > 0.5
    rest = np.asarray(left, dtype=np.float64)[:, np.newaxis]
    is_finite = np.isfinite(rest)
    known = np.where(is_finite, rest, 1.0)
    square, line = mean**2 - width / len(days), 2 * known * mean + width
    root = np.sqrt(np.maximum(0.0, line**2 - 4 * square * known**2))
    low = np.divide(2 * known**2, line + root, out=np.zeros_like(root), where=known > 0)
    high = np.full_like(root, np.inf)
    np.divide(line + root, 2 * square, out=high, where=np.broadcast_to(square > 0, root.shape))
    found = np.where(late, np.where(known > 0, high, 0.0), low)
    return np.asarray(np.where(is_finite, found, np.inf))

"""κ of each judge and of all judges, with intervals, from counted sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.kappa_intervals import (
    Interval,
    KappaLevel,
    VarianceParts,
    kappa_intervals,
)
from ranking.core.agreement.spread import cohen_chance, kappa_of, lowest_kappa
from ranking.core.agreement.statistics import scott_chance, share

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Kappas:
    """Counts and κ of J judges, and of all judges in the last row, in each of R samples.

    All arrays have shape (J + 1, R). Floats are NaN where the counts do not determine them.
    """

    comparable: Int64Array
    agreeing: Int64Array
    p_chance: FloatArray
    kappa: FloatArray


def kappas_of_sums(
    sums: Int64Array, judges: int, expected: float | None, *, own_chance: bool
) -> Kappas:
    """Return κ from (resampled) sums over segments.

    Parameters
    ----------
    sums : int64, shape (2 J + 2, R), or (4 J + 2, R) with `own_chance`
        Of `AgreementCounts.by_segment`.
    judges : int
    expected : float or None
        P(E) if it is fixed; None for Scott's.
    own_chance : bool
        Whether P(E) of a judge's κ is estimated from the judge's own pairs.

    Returns
    -------
    Kappas
    """
    comparable, agreeing = sums[:judges], sums[judges : 2 * judges]
    if expected is None:
        p_chance = scott_chance(share(sums[-2], sums[-1]))
    else:
        p_chance = np.full(sums.shape[1], expected)
    if own_chance:
        own, others = (sums[k * judges : (k + 1) * judges] for k in (2, 3))
        of_judges = cohen_chance(share(own, comparable), share(others, comparable))
    else:
        of_judges = np.broadcast_to(p_chance, comparable.shape)
    # Each pair has two judges, so sums over judges count it twice.
    comparable = np.vstack([comparable, comparable.sum(axis=0) // 2])
    agreeing = np.vstack([agreeing, agreeing.sum(axis=0) // 2])
    p_chance = np.vstack([of_judges, p_chance])
    return Kappas(
        comparable=comparable,
        agreeing=agreeing,
        p_chance=p_chance,
        kappa=kappa_of(share(agreeing, comparable), p_chance),
    )


def percentile_intervals(point: Kappas, samples: Kappas, cut: int) -> list[Interval]:
    """Return percentile intervals, with `cut` resampled values trimmed at each end."""
    found = []
    for by_chance, resampled in zip(point.p_chance[:, 0], samples.kappa, strict=True):
        low = np.sort(np.nan_to_num(resampled, nan=lowest_kappa(float(by_chance))))[cut]
        high = np.sort(np.nan_to_num(resampled, nan=1.0))[len(resampled) - 1 - cut]
        found.append(Interval(float(low), float(high), None))
    return found


def intervals_of_parts(
    parts: Sequence[VarianceParts], point: Kappas, level: KappaLevel, confidence: float
) -> list[Interval]:
    """Return the intervals of each judge's κ, and of κ of all judges, from their variances."""
    lowest = [lowest_kappa(by_chance) for by_chance in point.p_chance[:, 0].tolist()]
    return kappa_intervals(parts, level, confidence=confidence, lowest=lowest)

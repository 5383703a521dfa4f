"""Results of a comparison of designs: questions, and a row for each design and question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import binom, norm

from ranking.core.arrays import FloatArray
from ranking.design_study.campaigns import ComparedDesign
from ranking.design_study.ranges import Ranges, RangeVerdict

Measure = Literal["pairs", "clusters"]

#: Measures of a campaign for each question.
JUDGMENTS, VIOLATIONS, WRONG = range(3)


@dataclass(frozen=True, kw_only=True)
class Question:
    """When a campaign is finished: a definition of a rank range, and a target.

    Attributes
    ----------
    ranges : str
        See `ranking.design_study.ranges.range_verdict`.
    measure : "pairs" or "clusters"
    target : float
        Share of pairs to separate, or number of clusters.
    """

    ranges: Ranges
    measure: Measure
    target: float

    def is_answered(self, verdict: RangeVerdict) -> bool:
        """Return whether the target is reached."""
        reached = verdict.pairs() if self.measure == "pairs" else verdict.clusters()
        return reached >= self.target


@dataclass(frozen=True, kw_only=True)
class DesignRow:
    """Results of one design for one question.

    Attributes
    ----------
    design : ComparedDesign
    ranges, measure, target
        The question.
    reached : float
        Share of the campaigns that reached the target within the limit.
    judgments, low, high : int or None
        Median of the judged blocks until the target is first found to be reached, and its 95 %
        interval (from order statistics); None beyond the limit.
    ratio, ratio_low, ratio_high : float or None
        Judgments required relative to the first design, with their 95 % interval: the geometric
        mean over campaigns, each compared with itself under the first design. A campaign that did
        not finish counts with the limit. None if no campaign of either design finished.
    violations, violations_error : float or None
        Share of systems whose true rank is outside their range when the target is reached, which is
        when an organiser would stop, and its standard error. None if no campaign finished.
    wrong_pairs : float or None
        Share of the separated pairs that are in the wrong order.
    each : tuple of int or None
        Judgments of each campaign; None if it did not reach the target.
    """

    design: ComparedDesign
    ranges: str
    measure: str
    target: float
    reached: float
    judgments: int | None
    low: int | None
    high: int | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    violations: float | None
    violations_error: float | None
    wrong_pairs: float | None
    each: tuple[int | None, ...]


def row_of(
    design: ComparedDesign, question: Question, own: FloatArray, first: FloatArray, limit: int
) -> DesignRow:
    """Return the results of one design for one question.

    Parameters
    ----------
    design, question
    own, first : float64, shape (E, 3)
        Measures of each campaign under this design and under the first one: judgments, violations
        and wrong pairs; NaN if it did not reach the target.
    limit : int
        Judgments after which campaigns were stopped.
    """
    needed = np.sort(np.nan_to_num(own[:, JUDGMENTS], nan=np.inf))
    done = own[~np.isnan(own[:, JUDGMENTS])]
    below, above = _median_places(len(needed))
    ratio, ratio_low, ratio_high = _ratio(own[:, JUDGMENTS], first[:, JUDGMENTS], limit)
    error = None
    if len(done) > 1:
        error = float(done[:, VIOLATIONS].std(ddof=1) / np.sqrt(len(done)))
    return DesignRow(
        design=design,
        ranges=question.ranges,
        measure=question.measure,
        target=question.target,
        reached=len(done) / len(own),
        judgments=_finite(needed[(len(needed) - 1) // 2]),
        low=_finite(needed[below]),
        high=_finite(needed[above]),
        ratio=ratio,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        violations=float(done[:, VIOLATIONS].mean()) if len(done) else None,
        violations_error=error,
        wrong_pairs=float(done[:, WRONG].mean()) if len(done) else None,
        each=tuple(_finite(value) for value in np.nan_to_num(own[:, JUDGMENTS], nan=np.inf)),
    )


def _finite(value: float) -> int | None:
    return int(value) if np.isfinite(value) else None


def _median_places(count: int) -> tuple[int, int]:
    """Return the indices of order statistics with the median between them at 95 %."""
    low = max(0, int(binom.ppf(0.025, count, 0.5)) - 1)
    return low, count - 1 - low


def _ratio(
    own: FloatArray, first: FloatArray, limit: int
) -> tuple[float | None, float | None, float | None]:
    if np.isnan(own).all() or np.isnan(first).all():
        return None, None, None
    logs = np.log(np.nan_to_num(own, nan=limit) / np.nan_to_num(first, nan=limit))
    mean = float(logs.mean())
    error = float(logs.std(ddof=1) / np.sqrt(len(logs))) if len(logs) > 1 else 0.0
    reach = float(norm.ppf(0.975)) * error
    return float(np.exp(mean)), float(np.exp(mean - reach)), float(np.exp(mean + reach))

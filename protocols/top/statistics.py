"""Scores of best-worst scaling, and the active time per block of a task compared with another (Bojar
et al. 2011, §2.1, expect it to be shorter).
"""

from dataclasses import dataclass, replace
from math import exp, log, sqrt

import numpy as np

from ranking.core.arrays import FloatArray, Int8Array, Int64Array
from ranking.core.estimates import t_quantile, two_way_variance
from ranking.core.judged.blocks import Blocks
from ranking.core.scores import Shortage
from ranking.core.uncertainty import covariance_of_block_influence, variance_of_sum

#: Numbers of judges and of segments that each task needs for an interval.
FEWEST_UNITS = 2


@dataclass(frozen=True, eq=False)
class Times:
    """Times of B judged blocks of a task.

    Attributes
    ----------
    seconds : float, shape (B,)
        Active seconds; more than 0.
    judge, segment : int64, shape (B,)
        Numbers from 0; the same judge or segment has the same number in every task.
    candidates : int64, shape (B,)
        Number of outputs shown.
    """

    seconds: FloatArray
    judge: Int64Array
    segment: Int64Array
    candidates: Int64Array


@dataclass(frozen=True)
class TimesCompared:
    """Mean active time per block of two tasks.

    Attributes
    ----------
    means, medians : tuple of two float or None
        Seconds per block.
    ratio : float or None
        The first mean divided by the second; None where either is missing.
    low, high : float or None
        Interval of the ratio; None if the times do not determine it.
    shortage : Shortage or None
        Units that the task with fewer judges or segments lacks for an interval.
    judges : int
        Number of judges in either task.
    judges_of_both : int
    """

    means: tuple[float | None, float | None]
    medians: tuple[float | None, float | None]
    ratio: float | None
    low: float | None
    high: float | None
    shortage: Shortage | None
    judges: int
    judges_of_both: int


def times_compared(
    first: Times,
    second: Times,
    *,
    confidence: float = 0.95,
) -> TimesCompared:
    """Compare the mean active seconds per block of two tasks.

    Judges and segments differ in pace: the linearised variance of the log ratio is that over judges
    + that over segments − that over single blocks, and at least each of the first two. A judge's
    times in both tasks are correlated, so judges of both make the interval shorter. Student's t has
    one degree of freedom fewer than the smallest number of judges or segments in either task.
    """
    of_first = set(first.judge.tolist())
    of_second = set(second.judge.tolist())
    one = _mean(first)
    other = _mean(second)
    if one is None or other is None:
        ratio = None
    else:
        ratio = one / other
    unit, fewest = _fewest(first, second)
    shortage = None
    if fewest < FEWEST_UNITS:
        shortage = Shortage(f"counted_{unit}", fewest, FEWEST_UNITS)
    low = None
    high = None
    if ratio is not None and not shortage:
        reach = _reach(first, second, fewest, confidence)
        if reach is not None:
            low = exp(log(ratio) - reach)
            high = exp(log(ratio) + reach)
    return TimesCompared(
        means=(one, other),
        medians=(_median(first), _median(second)),
        ratio=ratio,
        low=low,
        high=high,
        shortage=shortage,
        judges=len(of_first | of_second),
        judges_of_both=len(of_first & of_second),
    )


def _mean(times: Times) -> float | None:
    if len(times.seconds):
        return float(times.seconds.mean())
    return None


def _median(times: Times) -> float | None:
    if len(times.seconds):
        return float(np.median(times.seconds))
    return None


def _fewest(first: Times, second: Times) -> tuple[str, int]:
    """Return the unit (judges or segments) with the smallest number in either task, and that
    number.
    """
    numbers = []
    for times in (first, second):
        for name, units in (("judges", times.judge), ("segments", times.segment)):
            numbers.append((len(np.unique(units)), name))
    fewest, unit = min(numbers)
    return unit, fewest


def _reach(first: Times, second: Times, fewest: int, confidence: float) -> float | None:
    """Return the half-width of the interval of the log ratio; None if it cannot be estimated."""
    parts = np.concatenate([_influence(first), -_influence(second)])
    over_judges = variance_of_sum(parts, np.concatenate((first.judge, second.judge)))
    over_segments = variance_of_sum(
        parts,
        np.concatenate((first.segment, second.segment)),
    )
    alone = variance_of_sum(parts, np.arange(len(parts)))
    variance = two_way_variance(over_segments, over_judges, alone)
    if variance <= 0:
        return None
    return float(t_quantile(confidence, fewest - 1)) * sqrt(variance)


def _influence(times: Times) -> FloatArray:
    mean = times.seconds.mean()
    return np.asarray(
        (times.seconds - mean) / (mean * len(times.seconds)),
        dtype=np.float64,
    )


@dataclass(frozen=True)
class BestMinusWorst:
    """How often judges chose a system's outputs.

    Attributes
    ----------
    system : str
    shown : int
        Number of blocks with its output.
    best, worst : float
        Shares of these in which it was chosen as the best and as the worst.
    score : float
        `best` − `worst`, between −1 and 1.
    low, high : float or None
        Interval of the score; None if the judgments do not determine it.
    """

    system: str
    shown: int
    best: float
    worst: float
    score: float
    low: float | None
    high: float | None


def best_minus_worst(
    blocks: Blocks,
    *,
    confidence: float = 0.95,
) -> list[BestMinusWorst]:
    """Return the scores of best-worst scaling, best first.

    Intervals are Student's t with the variance over segments, or documents, and judges. There are none with too few of
    these.

    References
    ----------
    S. Kiritchenko, S. M. Mohammad (2017), Best-Worst Scaling More Reliable than Rating Scales, ACL.
    """
    chosen = _choices(blocks.labels)
    is_candidate = blocks.labels > 0
    number = is_candidate.sum(axis=0)
    score = chosen.sum(axis=0) / np.maximum(1, number)
    influence = np.where(is_candidate, chosen - score, 0) / np.maximum(1, number)
    covariance = covariance_of_block_influence(blocks, influence)
    deviate = t_quantile(confidence, covariance.degrees_of_freedom)
    reach = deviate * np.sqrt(np.maximum(0, np.diag(covariance.matrix)))
    low = np.maximum(-1, score - reach)
    high = np.minimum(1, score + reach)
    scores = []
    for index in np.flatnonzero(number).tolist():
        system_score = BestMinusWorst(
            system=blocks.systems[index],
            shown=int(number[index]),
            best=float((chosen[:, index] > 0).sum() / number[index]),
            worst=float((chosen[:, index] < 0).sum() / number[index]),
            score=float(score[index]),
            low=float(low[index]),
            high=float(high[index]),
        )
        if covariance.limits:
            system_score = replace(system_score, low=None, high=None)
        scores.append(system_score)
    return sorted(scores, key=lambda row: (-row.score, row.system))


def _choices(labels: Int8Array) -> FloatArray:
    """Return 1 for the best, −1 for the worst, and 0 for other outputs."""
    return np.where(labels == 1, 1.0, 0.0) - np.where(labels == 3, 1.0, 0.0)


def split_half_reliability(blocks: Blocks, *, splits: int = 100) -> float | None:
    """Return Spearman's correlation of the scores by two random halves of the blocks, averaged over splits.

    None with fewer than three systems, or if a half does not tell the systems apart.
    """
    # Results must not depend on the order of the blocks.
    blocks = blocks.take(np.argsort(blocks.key, kind="stable"))
    chosen = _choices(blocks.labels)
    is_candidate = blocks.labels > 0
    if len(blocks.systems) < 3:
        return None
    from scipy.stats import spearmanr  # a fifth of Django's start-up time

    random = np.random.Generator(np.random.Philox(0))
    correlations = []
    for _split in range(splits):
        one, other = np.array_split(random.permutation(len(blocks)), 2)
        halves = []
        for half in (one, other):
            halves.append(
                chosen[half].sum(axis=0)
                / np.maximum(1, is_candidate[half].sum(axis=0)),
            )
        if np.ptp(halves[0]) == 0 or np.ptp(halves[1]) == 0:
            return None
        correlations.append(spearmanr(*halves).statistic)
    return float(np.mean(correlations))

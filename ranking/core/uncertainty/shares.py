"""The interval of a share where trials depend on each other: those of a segment, and those of a judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, stdtrit

from ranking.core.arrays import Int64Array
from ranking.core.counting.counts import effective_number_from
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.uncertainty.two_way import (
    ClusteredCovariance,
    ScoreCovariance,
    combined_covariance,
)


@dataclass(frozen=True, eq=False)
class ShareParts:
    """Variances of a number of successes by what is taken for independent, and the one of segments and judges."""

    blocks: ClusteredCovariance
    segments: ClusteredCovariance
    judges: ClusteredCovariance
    few_documents: bool = False

    @property
    def combined(self) -> ScoreCovariance:
        """The variance between segments and judges."""
        return combined_covariance(
            self.blocks, self.segments, self.judges, few_documents=self.few_documents
        )

    def degrees_of_freedom(self, variance: float) -> float:
        """Return the degrees of freedom of a variance that is estimated from these parts."""
        several = [part for part in (self.segments, self.judges) if part.effective >= MIN_UNITS]
        uncertain = sum(
            float(part.matrix[0, 0]) ** 2 / max(part.effective - 1, 1)
            for part in several or [self.blocks]
        )
        return max(1.0, variance**2 / uncertain) if uncertain else np.inf


def share_parts(
    successes: Int64Array,
    failures: Int64Array,
    *,
    segment: npt.NDArray[np.integer],
    judge: npt.NDArray[np.integer],
    document: npt.NDArray[np.integer] | None = None,
) -> ShareParts:
    """Return the variances of the number of successes, less the share of the trials.

    Parameters
    ----------
    successes, failures : int64, shape (R,)
        Trials of each block.
    segment, judge : integer, shape (R,)
    document : integer, shape (R,), optional
        Where documents are known and enough, they replace segments, and a judge's blocks of a document replace
        single blocks.
    """

    def part(unit: npt.NDArray[np.integer]) -> ClusteredCovariance:
        return share_part(unit.astype(np.int64), successes, failures)

    judges = part(judge)
    if document is not None:
        documents = part(document)
        if documents.effective >= MIN_UNITS:
            own = document.astype(np.int64) * (int(judge.max()) + 1) + judge
            return ShareParts(part(own), documents, judges)
    return ShareParts(
        part(np.arange(len(successes))), part(segment), judges, few_documents=document is not None
    )


def share_part(
    unit: Int64Array, successes: Int64Array, failures: Int64Array
) -> ClusteredCovariance:
    """Return the variance of the number of successes, less the share of the trials, between units.

    Sums over units are whole numbers, so they do not depend on the order of rows.

    Parameters
    ----------
    unit : int64, shape (R,)
        The unit of each row.
    successes, failures : int64, shape (R,)
        Trials of each row.
    """
    share = _smoothed(int(successes.sum()), int(failures.sum()))
    number = np.unique(unit, return_inverse=True)[1]
    wins = np.bincount(number, successes).astype(np.int64)
    losses = np.bincount(number, failures).astype(np.int64)
    sizes = wins + losses
    effective = effective_number_from(int(sizes.sum()), int(sizes @ sizes))
    if effective <= 1:
        return ClusteredCovariance(np.zeros((1, 1)), effective)
    squares = (
        (1 - share) ** 2 * int(wins @ wins)
        - 2 * share * (1 - share) * int(wins @ losses)
        + share**2 * int(losses @ losses)
    )
    return ClusteredCovariance(np.array([[squares * effective / (effective - 1)]]), effective)


def share_interval(
    successes: int, failures: int, parts: ShareParts, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the ends of the interval of the share of successes.

    It is that of Clopper and Pearson (1934) on an effective number of trials, as Korn and
    Graubard (1998) propose for shares near 0 and 1: the trials divided by the design effect, and
    multiplied by (t of trials − 1 / t of ν)², quantiles of Student's distribution. The design effect is
    the variance of the share between segments and judges (`combined_covariance`) over that of
    independent trials, both around a share with one success and one failure added; below 1 it is taken
    for 1. So no interval is shorter than that of independent trials. ν are the degrees of freedom of the
    variance that is used (Satterthwaite 1946): its square over the sum of those of the parts it is
    estimated from, each divided by its units minus one.

    Parameters
    ----------
    successes, failures : int
        At least one of them above 0.
    parts : ShareParts
        Of these trials, see `share_part`.
    confidence : float

    References
    ----------
    E. L. Korn, B. I. Graubard (1998), Confidence Intervals for Proportions with Small Expected
    Number of Positive Counts Estimated from Survey Data, Survey Methodology 24.
    """
    trials = successes + failures
    smoothed = _smoothed(successes, failures)
    alpha = (1 - confidence) / 2
    effective = 1.0
    if parts.blocks.effective > 1:
        independent = successes * (1 - smoothed) ** 2 + failures * smoothed**2
        variance = max(independent, float(parts.combined.matrix[0, 0]))
        few = stdtrit(trials - 1, alpha) / stdtrit(parts.degrees_of_freedom(variance), alpha)
        effective = trials * independent / variance * min(1.0, float(few) ** 2)
    x = successes / trials * effective
    low = float(betaincinv(x, effective - x + 1, alpha)) if successes else 0.0
    high = float(betaincinv(x + 1, effective - x, 1 - alpha)) if failures else 1.0
    return low, high


def _smoothed(successes: int, failures: int) -> float:
    return (successes + 1) / (successes + failures + 2)

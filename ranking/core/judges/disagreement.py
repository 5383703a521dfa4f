"""Test at any time whether a judge agrees less with the others than they do among themselves."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, t

from ranking.core.agreement.counts import AGREEING, COMPARABLE, count_agreement
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.clickers import JUDGES_ALLOWED_FOR

FloatArray = npt.NDArray[np.float64]

#: Judges who share fewer segments with others are not tested.
MIN_SEGMENTS = 20

#: The bound over all looks allows the number of shared segments to grow by this factor: from 20 to
#: 2,000.
_GROWTH = 100


@dataclass(frozen=True)
class Disagreement:
    """A judge's agreement with the others compared with that among the others.

    Attributes
    ----------
    segments : int
        Segments with comparisons that both this judge and another judge made.
    difference : float or None
        Share of agreeing pairs of the judge with others, minus the share of pairs of two other
        judges; None if either has no pair.
    score : float or None
        Minus the difference divided by its standard error, as a quantile of the normal
        distribution: large for a judge who agrees less. None with fewer than `MIN_SEGMENTS`
        segments.
    """

    segments: int
    difference: float | None
    score: float | None

    def p_value(self, judges: int = 1) -> float | None:
        """Return about the probability that any of many judges, all alike, ever has this score.

        It is the sum over judges of the probability that a Brownian motion divided by its standard
        deviation reaches the score while its time grows a hundredfold (Miller and Siegmund 1982).

        Parameters
        ----------
        judges : int
            Number of judges tested; `JUDGES_ALLOWED_FOR` is the least number.
        """
        if self.score is None:
            return None
        if self.score <= 1:
            return 1.0
        crossing = self.score * norm.pdf(self.score) * log(_GROWTH) / 2
        ever = float(norm.sf(self.score) + crossing)
        return min(1.0, max(judges, JUDGES_ALLOWED_FOR) * ever)


def disagreement(blocks: Blocks) -> tuple[Disagreement, ...]:
    """Compare each judge's agreement with the others with their agreement among themselves.

    Both are shares of pairs of comparisons of one item, on collapsed outputs, as in
    `ranking.core.agreement.report`. The standard error of their difference is linearised over segments,
    so that the difficulty of a segment, which is the same for all judges, cancels out. It is at
    least as large as the shift that a single segment could cause.

    Parameters
    ----------
    blocks : Blocks
        Without the reference, as for the agreement.

    Returns
    -------
    tuple of Disagreement
        In the order of `Blocks.judges`.

    References
    ----------
    R. Miller, D. Siegmund (1982), Maximally Selected Chi Square Statistics, Biometrics 38.
    """
    counts = count_agreement(blocks)
    segments = len(counts.segments)
    pairs = counts.counts[:, [COMPARABLE, AGREEING]].astype(np.float64)
    every = np.zeros((segments, 2))
    np.add.at(every, counts.segment, pairs)
    found = []
    for judge in range(len(blocks.judges)):
        rows = np.flatnonzero(counts.judge == judge)
        own = np.zeros_like(every)
        own[counts.segment[rows]] = pairs[rows]
        # Each pair has two judges.
        found.append(_compared(*own.T, *(every / 2 - own).T))
    return tuple(found)


def _compared(
    own: FloatArray, agreed: FloatArray, others: FloatArray, others_agreed: FloatArray
) -> Disagreement:
    segments = int(np.count_nonzero(own))
    if not segments or not others.sum():
        return Disagreement(segments, None, None)
    share, usual = agreed.sum() / own.sum(), others_agreed.sum() / others.sum()
    difference = float(share - usual)
    if segments < MIN_SEGMENTS:
        return Disagreement(segments, difference, None)
    influence = (agreed - share * own) / own.sum() - (others_agreed - usual * others) / others.sum()
    error = np.sqrt(segments / (segments - 1) * float(influence @ influence))
    quantile = -difference / max(error, 1 / segments)
    # With few segments, the tails are as heavy as those of Student's t.
    return Disagreement(segments, difference, float(-norm.ppf(t.sf(quantile, segments - 1))))

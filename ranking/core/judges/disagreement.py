"""Test whether a judge agrees less with the others than they do among themselves, at any look."""

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

#: Judges who share fewer segments with others are not compared with them.
MIN_SEGMENTS = 20

#: The bound over all looks is for shared segments growing by this factor: from 20 to 2,000.
_GROWTH = 100


@dataclass(frozen=True)
class Disagreement:
    """A judge's agreement beside that of the others.

    Attributes
    ----------
    segments : int
        Segments with comparisons that the judge and another judge made.
    difference : float or None
        Share of agreeing pairs among those of the judge with others, minus that among pairs of two
        others; None where either has no pair.
    score : float or None
        Minus the difference over its standard error, as a quantile of the normal distribution:
        large for a judge who agrees less. None for fewer than `MIN_SEGMENTS` segments.
    """

    segments: int
    difference: float | None
    score: float | None

    def p_value(self, judges: int = 1) -> float | None:
        """Approximate the probability that any of so many judges, all alike, ever has this score.

        The sum of the probabilities, of each judge, that a Brownian motion divided by its standard
        deviation reaches the score while its time grows a hundredfold (Miller and Siegmund 1982).

        Parameters
        ----------
        judges : int
            How many are looked at; below `JUDGES_ALLOWED_FOR` that many are allowed for.
        """
        if self.score is None:
            return None
        if self.score <= 1:
            return 1.0
        crossing = self.score * norm.pdf(self.score) * log(_GROWTH) / 2
        ever = float(norm.sf(self.score) + crossing)
        return min(1.0, max(judges, JUDGES_ALLOWED_FOR) * ever)


def disagreement(blocks: Blocks) -> tuple[Disagreement, ...]:
    """Compare each judge's agreement with the others to their agreement among themselves.

    Both are shares of pairs of comparisons of one item, on collapsed outputs, as in
    `ranking.core.agreement.report`. The standard error of their difference is linearised over segments,
    so that what makes a segment easy for everybody cancels out; it is taken to be no smaller than
    what one segment alone could shift.

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
    # Heavy tails of few segments are those of Student's t.
    return Disagreement(segments, difference, float(-norm.ppf(t.sf(quantile, segments - 1))))

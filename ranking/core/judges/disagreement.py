"""Test at any time whether a judge agrees less with the others than they do among themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr

from ranking.core.agreement.counts import AGREEING, COMPARABLE
from ranking.core.agreement.tallies import AgreementTallies, tally_agreement
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
        density = math.exp(-(self.score**2) / 2) / math.sqrt(2 * math.pi)
        crossing = self.score * density * math.log(_GROWTH) / 2
        ever = float(ndtr(-self.score)) + crossing
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
    return disagreement_of_tallies(tally_agreement(blocks))


def disagreement_of_tallies(tallies: AgreementTallies) -> tuple[Disagreement, ...]:
    """Compare judges with each other as `disagreement` does, from sums over segments.

    Parameters
    ----------
    tallies : AgreementTallies

    Returns
    -------
    tuple of Disagreement
        In the order of `AgreementTallies.judges`.
    """
    segments = tallies.segments
    own = tallies.of_judges[:, [COMPARABLE, AGREEING]]
    # Each pair has two judges.
    others = own.sum(axis=0) // 2 - own
    has_pairs = (segments > 0) & (others[:, 0] > 0)
    # All judges at once: there may be a thousand.
    share, share_of_others = (pairs[:, 1] / np.maximum(1, pairs[:, 0]) for pairs in (own, others))
    difference = share - share_of_others
    # How far the difference moves with one more pair of each kind on a segment. What all judges
    # compared there, less the judge's own pairs, is what the others compared.
    of_own, of_others = (
        np.stack([-of, np.ones(len(of))], axis=1) / np.maximum(1, pairs[:, :1])
        for of, pairs in ((share, own), (share_of_others, others))
    )
    slope = np.concatenate([of_own + of_others, -of_others / 2], axis=1)
    influence = np.maximum(0.0, np.einsum("ji,jik,jk->j", slope, _products(tallies), slope))
    counted = np.maximum(MIN_SEGMENTS, segments)
    error = np.sqrt(counted / (counted - 1) * influence)
    quantile = -difference / np.maximum(error, 1 / counted)
    # With few segments, the tails are as heavy as those of Student's t.
    score = -ndtri(stdtr(counted - 1, -quantile))
    is_tested = has_pairs & (segments >= MIN_SEGMENTS)
    return tuple(
        Disagreement(
            int(segments[judge]),
            float(difference[judge]) if has_pairs[judge] else None,
            float(score[judge]) if is_tested[judge] else None,
        )
        for judge in range(len(tallies.judges))
    )


def _products(tallies: AgreementTallies) -> FloatArray:
    """Return the products of a judge's pairs and of twice all pairs, by segment and summed.

    Both are comparable and agreeing pairs; shape (J, 4, 4).
    """
    found = np.empty((len(tallies.judges), 4, 4))
    found[:, :2, :2] = tallies.products[:, :2, :2]
    found[:, :2, 2:] = tallies.products_with_all
    found[:, 2:, :2] = tallies.products_with_all.transpose(0, 2, 1)
    found[:, 2:, 2:] = tallies.products_of_all[:2, :2]
    return found

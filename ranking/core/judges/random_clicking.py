"""Test whether a judge prefers the reference more often than by clicking at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judges.distribution_of_sum import tail_of_sum
from ranking.core.judges.label_patterns import tally_places
from ranking.core.judges.reference_margins import ReferenceMargins, reference_margins

#: Of two labels drawn from five, the first is better in 10 of 25 cases.
WIN_AT_RANDOM = (MAX_LABEL - 1) / (2 * MAX_LABEL)


@dataclass(frozen=True)
class ReferencePreference:
    """How often a judge preferred the reference to another output.

    Attributes
    ----------
    comparisons, preferred, tied : int
        Comparisons with the reference, comparisons it won, and comparisons it tied.
    share : float or None
        preferred / comparisons.
    p_random : float or None
        Probability that a judge who does not read, with the same labels in each block, places the
        reference at least as far ahead of the others: one-sided, exact.
    p_binomial : float or None
        Probability of at least as many wins by a binomial test with 2/5, which assumes that all
        comparisons are independent and labels are drawn uniformly. They are not, so it is small too
        often.
    p_lowest : float or None
        `p_random` of a judge who always prefers the reference. If it is not small, the judge saw
        the reference too seldom for an answer.
    """

    comparisons: int
    preferred: int
    tied: int
    share: float | None
    p_random: float | None
    p_binomial: float | None
    p_lowest: float | None


def reference_preferences(blocks: Blocks, reference: str) -> tuple[ReferencePreference, ...]:
    """Test each judge's preference for the reference against clicking at random.

    The reference was put among the outputs because "an annotator clicking randomly would be easy
    to detect, since they would not consistently rank the reference highly" (Bojar et al. 2011,
    §2.1). Outputs are shown in random order. So if a judge does not read, the reference's label is
    equally likely to be any of the labels of its block, whether labels are drawn uniformly, are a
    permutation of 1 … 5, or are typed as 1, 2, 3, 4, 5. The test takes the labels of each block as
    given. The statistic is the sum over blocks of the reference's margin: the number of candidates
    it won against minus the number it lost against. Its distribution is the convolution of those of
    the blocks, to an absolute error below 1e-9 for a hundred thousand blocks.

    An output identical to the reference (collapsed with it) is not compared with it.

    Parameters
    ----------
    blocks : Blocks
        Judgments with the reference among the systems.
    reference : str
        Its name.

    Returns
    -------
    tuple of ReferencePreference
        In the order of `Blocks.judges`.

    Raises
    ------
    ValueError
        If the reference is not among the systems.

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation.
    """
    places = tally_places(blocks, reference)
    return reference_preferences_of_margins(reference_margins(places, len(blocks.judges)))


def reference_preferences_of_margins(margins: ReferenceMargins) -> tuple[ReferencePreference, ...]:
    """Return `reference_preferences` from the margins of the judges."""
    comparisons, preferred, _tied = margins.comparisons.T
    p_binomial = np.asarray(bdtrc(preferred - 1, comparisons, WIN_AT_RANDOM))
    return tuple(
        _preference(margins, judge, value) for judge, value in enumerate(p_binomial.tolist())
    )


def _preference(margins: ReferenceMargins, judge: int, p_binomial: float) -> ReferencePreference:
    comparisons, preferred, tied = margins.comparisons[judge].tolist()
    if not comparisons:
        return ReferencePreference(0, 0, 0, None, None, None, None)
    return ReferencePreference(
        comparisons=comparisons,
        preferred=preferred,
        tied=tied,
        share=preferred / comparisons,
        p_random=_p_random(margins, judge),
        p_binomial=p_binomial,
        p_lowest=_p_lowest(margins, judge),
    )


def _p_lowest(margins: ReferenceMargins, judge: int) -> float:
    # The judge's own patterns only: other factors of 1 would change the order of multiplication.
    own = np.flatnonzero(margins.blocks[judge])
    # The best label used in a block is the best possible label of the reference.
    return float(np.prod(margins.shares[own, 0] ** margins.blocks[judge, own]))


def _p_random(margins: ReferenceMargins, judge: int) -> float:
    blocks = margins.blocks[judge]
    kinds = np.flatnonzero((blocks > 0) & margins.is_informative)
    tail = tail_of_sum(
        margins.margins[kinds], margins.shares[kinds], blocks[kinds], int(margins.margin[judge])
    )
    # Rounding must not make p smaller than the smallest possible one.
    return min(1.0, max(_p_lowest(margins, judge), tail))

"""Test whether a judge prefers the reference more often than by clicking at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judges.reference_margins import ReferenceMargins, reference_margins

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Of two labels drawn from five, the first is better in 10 of 25 cases.
WIN_AT_RANDOM = (MAX_LABEL - 1) / (2 * MAX_LABEL)

#: A sum of n margins of at most m exceeds √(n m²) times this with a probability below 1e-18.
_HOEFFDING = float(np.sqrt(2 * np.log(2e18)))


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
    if reference not in blocks.systems:
        raise ValueError(f"unknown reference {reference!r}")
    index = blocks.systems.index(reference)
    others, won, tied = against_reference(blocks, index)
    margins = reference_margins(blocks, index)
    counts = np.zeros((len(blocks.judges), 3), dtype=np.int64)
    np.add.at(counts, blocks.judge, np.stack([others, won, tied], axis=1))
    return tuple(
        _preference(of_judge.tolist(), margins, blocks_of, int(margin))
        for of_judge, blocks_of, margin in zip(
            counts, *margins.by_judge(len(blocks.judges)), strict=True
        )
    )


def against_reference(blocks: Blocks, index: int) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return for each block the candidates compared with the reference, beaten by it, and tied."""
    label, position = blocks.labels[:, index], blocks.candidates[:, index]
    others = np.zeros(len(blocks), dtype=np.int64)
    won, tied = np.zeros_like(others), np.zeros_like(others)
    for p in range(blocks.positions):
        here = blocks.candidates == p
        theirs = np.max(blocks.labels, axis=1, where=here, initial=0)
        compared = (label > 0) & (theirs > 0) & (position != p)
        others += compared
        won += compared & (label < theirs)
        tied += compared & (label == theirs)
    return others, won, tied


def _preference(
    counts: Sequence[int], margins: ReferenceMargins, blocks_of: Int64Array, margin: int
) -> ReferencePreference:
    comparisons, preferred, tied = counts
    if not comparisons:
        return ReferencePreference(0, 0, 0, None, None, None, None)
    # The best label used in a block is the best possible label of the reference.
    p_lowest = float(np.prod(margins.shares[:, 0] ** blocks_of))
    return ReferencePreference(
        comparisons=comparisons,
        preferred=preferred,
        tied=tied,
        share=preferred / comparisons,
        # Rounding of the convolution must not make p smaller than the smallest possible one.
        p_random=min(1.0, max(p_lowest, _tail(margins, blocks_of, margin))),
        p_binomial=float(binom.sf(preferred - 1, comparisons, WIN_AT_RANDOM)),
        p_lowest=p_lowest,
    )


def _tail(margins: ReferenceMargins, blocks_of: Int64Array, margin: int) -> float:
    """Return the probability that the margins of blocks of these kinds sum to `margin` or more.

    The convolution is a product of discrete Fourier transforms over the likely sums: by Hoeffding's
    inequality, all others together have a probability below 1e-18.
    """
    others = margins.used.sum(axis=1) - 1
    reach = min(int(blocks_of @ others), int(_HOEFFDING * np.sqrt(blocks_of @ others**2)) + 1)
    if not -reach < margin <= reach:
        return float(margin < 0)
    size = 1 << (2 * reach + 1).bit_length()
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for kind in np.flatnonzero((blocks_of > 0) & margins.is_informative):
        # The transform is periodic: negative sums are at the end.
        of_block = np.zeros(size)
        np.add.at(of_block, margins.margins[kind], margins.shares[kind])
        transform *= np.fft.rfft(of_block) ** int(blocks_of[kind])
    distribution = np.fft.irfft(transform, size)
    return float(np.sum(distribution[np.arange(margin, reach + 1)]))

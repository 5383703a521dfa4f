"""Whether a judge prefers the reference more often than somebody clicking at random would."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from ranking.core.blocks import MAX_LABEL, Blocks

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Two labels drawn from five: the first is better in 10 of 25 cases.
WIN_AT_RANDOM = (MAX_LABEL - 1) / (2 * MAX_LABEL)


@dataclass(frozen=True)
class ReferencePreference:
    """How often a judge preferred the reference to another output.

    Attributes
    ----------
    comparisons, preferred, tied : int
        Comparisons with the reference, those it won, and those it tied.
    share : float or None
        preferred / comparisons.
    p_random : float or None
        Probability that somebody labelling at random prefers the reference at least as often: one-
        sided, exact, with the comparisons of a block hanging on the one label of the reference.
    p_binomial : float or None
        The same by a binomial test with 2/5, as if all comparisons were independent. They are
        not: it is small too often.
    p_lowest : float or None
        `p_random` of a judge who always prefers the reference. Where it is not small, the judge
        saw too little of the reference for any answer.
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
    §2.1). Somebody clicking at random gives each candidate a label drawn uniformly from five,
    independently; the distribution of the comparisons the reference wins is then that of a sum
    over blocks of, for k others, a binomial with k trials and probability (5 − r) / 5, averaged
    over r = 1 … 5.

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
    others, won, tied = against_reference(blocks, blocks.systems.index(reference))
    found = []
    for judge in range(len(blocks.judges)):
        own = blocks.judge == judge
        found.append(_preference(others[own], int(won[own].sum()), int(tied[own].sum())))
    return tuple(found)


def against_reference(blocks: Blocks, index: int) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Per block: candidates compared with the reference, lost to it, and tied with it."""
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


def _preference(others: Int64Array, preferred: int, tied: int) -> ReferencePreference:
    comparisons = int(others.sum())
    if not comparisons:
        return ReferencePreference(0, 0, 0, None, None, None, None)
    at_random = _wins_at_random(np.bincount(others))
    return ReferencePreference(
        comparisons=comparisons,
        preferred=preferred,
        tied=tied,
        share=preferred / comparisons,
        p_random=min(1.0, float(at_random[preferred:].sum())),
        p_binomial=float(binom.sf(preferred - 1, comparisons, WIN_AT_RANDOM)),
        p_lowest=float(at_random[-1]),
    )


def _wins_at_random(blocks_with: Int64Array) -> FloatArray:
    """Distribution of the reference's wins over blocks, `blocks_with[k]` of them with k others."""
    distribution = np.ones(1)
    for others, count in enumerate(blocks_with.tolist()):
        if others and count:
            distribution = np.convolve(distribution, _power(_wins_in_block(others), count))
    return distribution


@cache
def _block_of(others: int) -> tuple[float, ...]:
    wins = np.zeros(others + 1)
    for label in range(1, MAX_LABEL + 1):
        better = (MAX_LABEL - label) / MAX_LABEL
        wins += [
            comb(others, k) * better**k * (1 - better) ** (others - k) for k in range(others + 1)
        ]
    return tuple((wins / MAX_LABEL).tolist())


def _wins_in_block(others: int) -> FloatArray:
    return np.array(_block_of(others))


def _power(distribution: FloatArray, times: int) -> FloatArray:
    """Distribution of the sum of independent draws: convolutions, by repeated squaring."""
    result = np.ones(1)
    while times:
        if times & 1:
            result = np.convolve(result, distribution)
        times >>= 1
        if times:
            distribution = np.convolve(distribution, distribution)
    return result

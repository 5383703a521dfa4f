"""Straight-lining: one label for all outputs, or labels that follow the shown order.

Judges who do not read may answer along a line: always the same answer, or the answers in order.
Survey methodology calls this satisficing (Krosnick 1991) and counts straight lines in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import factorial

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judged.shown_labels import shown_labels
from ranking.core.judges.clustered_share import Share, clustered_share

FloatArray = npt.NDArray[np.float64]

#: Two labels are too often equal, or in shown order, to be informative.
MIN_CANDIDATES = 3

#: Factorial of each number of outputs that a block can show.
_FACTORIAL = np.array([float(factorial(count)) for count in range(np.iinfo(np.int8).max + 2)])


@dataclass(frozen=True)
class StraightLining:
    """How often a judge's labels of a block are a straight line.

    Attributes
    ----------
    one_label : Share
        Blocks with equal labels, among blocks with at least three labels.
    shown_order : Share
        Blocks with labels that never fall, or never rise, from the first output shown to the last,
        among blocks with at least three labels that are not all equal.
    expected : float
        Expected number of such blocks by chance: outputs were shown in random order, so each
        arrangement of the labels is equally likely.
    p_shuffled : float or None
        Exact probability of at least as many by chance.
    """

    one_label: Share
    shown_order: Share
    expected: float
    p_shuffled: float | None


def straight_lining(blocks: Blocks, *, confidence: float = 0.95) -> tuple[StraightLining, ...]:
    """Count the straight lines of each judge.

    k labels, of which c₁, c₂, … are equal, have k! / (c₁! c₂! …) distinct arrangements, and two of
    these follow the shown order or its reverse. So the number of such blocks of a judge is a sum of
    independent trials with unequal probabilities; its tail is computed exactly.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.
    confidence : float
        Of the intervals.

    Returns
    -------
    tuple of StraightLining
        In the order of `Blocks.judges`.

    References
    ----------
    J. A. Krosnick (1991), Response Strategies for Coping with the Cognitive Demands of Attitude
    Measures in Surveys, Applied Cognitive Psychology 5.
    """
    shown = shown_labels(blocks)
    given = np.count_nonzero(shown, axis=1)
    lowest = np.min(shown, axis=1, where=shown > 0, initial=MAX_LABEL)
    long, same = given >= MIN_CANDIDATES, (given > 0) & (lowest == shown.max(axis=1, initial=0))
    lines, chance = line_chances(blocks)
    found = []
    for judge in range(len(blocks.judges)):
        own = (blocks.judge == judge) & long
        varied = own & ~same
        found.append(
            StraightLining(
                one_label=_share(same[own], confidence),
                shown_order=_share(lines[varied], confidence),
                expected=float(chance[varied].sum()),
                p_shuffled=_tail(chance[varied], int(lines[varied].sum())),
            )
        )
    return tuple(found)


def line_chances(blocks: Blocks) -> tuple[npt.NDArray[np.bool_], FloatArray]:
    """Return which blocks follow the shown order or its reverse, and the probability by chance.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.

    Returns
    -------
    bool, shape (B,)
        Whether the labels never fall, or never rise, from the first output shown to the last.
    float64, shape (B,)
        Probability of that given the labels; 0 for fewer than three labels, and for equal labels,
        which are not informative in any order.
    """
    shown = shown_labels(blocks)
    rising, falling = np.ones((2, len(blocks)), dtype=np.bool_)
    last = np.zeros(len(blocks), dtype=np.int8)
    for labels in shown.T:
        here = labels > 0
        rising &= ~here | (labels >= last)
        falling &= ~here | (last == 0) | (labels <= last)
        last = np.where(here, labels, last)
    used = [np.count_nonzero(shown == label, axis=1) for label in range(1, MAX_LABEL + 1)]
    alike = np.stack(used, axis=1)
    given = alike.sum(axis=1)
    chance = 2 * _FACTORIAL[alike].prod(axis=1) / _FACTORIAL[given]
    chance[(given < MIN_CANDIDATES) | (alike.max(axis=1) == given)] = 0.0
    return rising | falling, chance


def _share(hits: npt.NDArray[np.bool_], confidence: float) -> Share:
    return clustered_share(
        hits.astype(np.int64), np.ones(len(hits), dtype=np.int64), confidence=confidence
    )


def _tail(chance: FloatArray, at_least: int) -> float | None:
    """Return the probability of at least this many successes of independent trials."""
    if not len(chance):
        return None
    values, counts = np.unique(chance, return_counts=True)
    trials: Mapping[float, int] = dict(zip(values.tolist(), counts.tolist(), strict=True))
    distribution = np.ones(1)
    for probability, count in trials.items():
        outcomes = binom.pmf(np.arange(count + 1), count, min(1.0, probability))
        distribution = np.convolve(distribution, outcomes)
    return min(1.0, float(distribution[at_least:].sum()))

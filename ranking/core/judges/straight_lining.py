"""Straight-lining: one label for all outputs, or labels that follow the shown order.

Judges who do not read may answer along a line: always the same answer, or the answers in order.
Survey methodology calls this satisficing (Krosnick 1991) and counts straight lines in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, fsum

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks
from ranking.core.judges.clustered_share import Share, cluster_sums, shares_of_sums
from ranking.core.judges.distribution_of_sum import tail_of_sum
from ranking.core.judges.keyed_sums import KeyedSums
from ranking.core.judges.label_patterns import Patterns, tally_lines

Int64Array = npt.NDArray[np.int64]
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
    return straight_lining_of_tallies(
        tally_lines(blocks), len(blocks.judges), confidence=confidence
    )


def straight_lining_of_tallies(
    lines: KeyedSums, judges: int, *, confidence: float = 0.95
) -> tuple[StraightLining, ...]:
    """Return `straight_lining` of so many judges from `tally_lines`."""
    found = Patterns.of(lines)
    long, same = found.used.sum(axis=1) >= MIN_CANDIDATES, found.used[:, 1] == 0
    varied = long & ~same
    sums = [_sums(found, long, same, judges), _sums(found, varied, found.detail == 1, judges)]
    shares = shares_of_sums(np.concatenate(sums), confidence=confidence)
    chance = line_chances(found.used)
    rows = []
    for judge in range(judges):
        own = varied & (found.judge == judge)
        at_random, blocks = chance[own], found.blocks[own]
        rows.append(
            StraightLining(
                one_label=shares[judge],
                shown_order=shares[judges + judge],
                expected=fsum((at_random * blocks).tolist()),
                p_shuffled=_tail(at_random, blocks, shares[judges + judge].successes),
            )
        )
    return tuple(rows)


def line_chances(used: Int64Array) -> FloatArray:
    """Return the probability that shuffled labels follow the shown order or its reverse.

    Parameters
    ----------
    used : int64, shape (N, K)
        Patterns: how many of the outputs of a block have each of the labels used.

    Returns
    -------
    float64, shape (N,)
        0 for fewer than three labels, and for equal labels, which are not informative in any order.
    """
    given = used.sum(axis=1)
    chance: FloatArray = 2 * _FACTORIAL[used].prod(axis=1) / _FACTORIAL[given]
    chance[(given < MIN_CANDIDATES) | (used.max(axis=1, initial=0) == given)] = 0.0
    return chance


def _sums(
    found: Patterns, among: npt.NDArray[np.bool_], hits: npt.NDArray[np.bool_], judges: int
) -> Int64Array:
    """Return the `cluster_sums` of hits among some of each judge's blocks, which are a trial each."""
    sums = np.zeros((judges, 6), dtype=np.int64)
    of_block = cluster_sums((among & hits).astype(np.int64), among.astype(np.int64))
    np.add.at(sums, found.judge, of_block * found.blocks[:, np.newaxis])
    return sums


def _tail(chance: FloatArray, blocks: Int64Array, at_least: int) -> float | None:
    """Return the probability of at least this many lines in blocks with these chances."""
    if not len(chance):
        return None
    distinct, place = np.unique(chance, return_inverse=True)
    trials = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(trials, place, blocks)
    values = np.tile(np.arange(2), (len(distinct), 1))
    shares = np.stack([1 - distinct, distinct], axis=1)
    return min(1.0, max(0.0, tail_of_sum(values, shares, trials, at_least)))

"""Test whether a judge's labels depend on the position of outputs, which is random."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import chdtrc

from ranking.core.arrays import Int64Array
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.patterns import JUDGE_BITS, KeyedSums, ShownRows, shown_rows

#: Judge, number of labels of the block, and two positions, of which the second is not before the
#: first.
_KEY = (JUDGE_BITS, 7, 7, 7)

#: Variances below this share of the largest are 0 but for rounding.
_ROUNDING = 1e-12

NO_POSITIONS = KeyedSums.empty(_KEY, 3)


@dataclass(frozen=True)
class PositionBias:
    """A judge's labels by shown position.

    Attributes
    ----------
    blocks : int
        Blocks with at least two labels that are not all equal: only these are informative.
    deviations : tuple of float or None
        For each position, the mean of label − mean label of its block: below 0, outputs in this
        position get better labels than others of their block. None without labels.
    statistic : float or None
        χ² of the deviations, with `degrees_of_freedom` degrees of freedom.
    degrees_of_freedom : int
    p_value : float or None
        Probability of a χ² at least as large if positions do not matter: an approximation that
        needs about twenty blocks.
    """

    blocks: int
    deviations: tuple[float | None, ...]
    statistic: float | None
    degrees_of_freedom: int
    p_value: float | None


def position_bias(blocks: Blocks) -> tuple[PositionBias, ...]:
    """Test each judge's labels against the order the outputs were shown in.

    Outputs are shown in random order. If position has no influence, the labels of a block are a
    random permutation over its positions: with mean m and variance s² = Σ (label − m)² / (k − 1) of
    its k labels, the deviations from m have covariance s² (I − J / k). Summed over a judge's blocks
    this gives a χ². For blocks of equal size, with or without ties, it is the test of Friedman
    (1937). Blocks of unequal size and blanks are treated as by Skillings and Mack (1981), with
    labels instead of ranks.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.

    Returns
    -------
    tuple of PositionBias
        In the order of `Blocks.judges`.

    References
    ----------
    M. Friedman (1937), The Use of Ranks to Avoid the Assumption of Normality Implicit in the
    Analysis of Variance, JASA 32. J. H. Skillings, G. A. Mack (1981), On the Use of a Friedman-Type
    Statistic in Balanced and Unbalanced Block Designs, Technometrics 23.
    """
    return position_bias_of_tallies(tally_positions(blocks), len(blocks.judges))


def tally_positions(blocks: Blocks) -> KeyedSums:
    """Sum what `position_bias` needs, for each judge, number of labels and pair of positions.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.

    Returns
    -------
    KeyedSums
        Of informative blocks with labels in both positions: their number; the sum of Q, which is
        k² (k − 1) times the variance of the k labels; and, for a position with itself, the sum of
        k times the deviation of its label from the mean of the block.
    """
    return KeyedSums.total(positions_of_rows(rows) for rows in shown_rows(blocks))


def positions_of_rows(rows: ShownRows) -> KeyedSums:
    """Return `tally_positions` of the blocks of some rows."""
    labels = rows.labels.astype(np.int64)
    given = labels > 0
    count = given.sum(axis=1)
    apart = np.where(given, count[:, np.newaxis] * labels - labels.sum(axis=1, keepdims=True), 0)
    squares = (apart**2).sum(axis=1)
    telling = np.flatnonzero(squares)
    group = (rows.judge << 7 | count)[telling]
    telling = telling[np.argsort(group, kind="stable")]
    keys: list[Int64Array] = [np.empty((4, 0), dtype=np.int64)]
    values: list[Int64Array] = [np.empty((0, 3), dtype=np.int64)]
    groups, starts = np.unique(np.sort(group), return_index=True)
    first, second = np.triu_indices(labels.shape[1])
    for number, own in zip(groups.tolist(), np.split(telling, starts)[1:], strict=True):
        shown, times = given[own].astype(np.int64), rows.times[own]
        pairs = (shown * times[:, np.newaxis]).T @ shown
        spread = (shown * (times * squares[own])[:, np.newaxis]).T @ shown
        total = np.diag(times @ apart[own])
        judge, labelled = np.full_like(first, number >> 7), np.full_like(first, number & 127)
        keys.append(np.stack([judge, labelled, first, second]))
        values.append(np.stack([each[first, second] for each in (pairs, spread, total)], axis=1))
    return KeyedSums.of(_KEY, list(np.concatenate(keys, axis=1)), np.concatenate(values))


def position_bias_of_tallies(positions: KeyedSums, judges: int) -> tuple[PositionBias, ...]:
    """Return `position_bias` of so many judges from `tally_positions`."""
    judge, *columns = positions.columns()
    ends = np.searchsorted(judge, np.arange(judges + 1))
    shown = int(columns[2].max(initial=-1)) + 1
    return tuple(
        _bias([column[start:end] for column in columns], positions.values[start:end], shown)
        for start, end in pairwise(ends.tolist())
    )


def _bias(columns: list[Int64Array], values: Int64Array, positions: int) -> PositionBias:
    count, first, second = columns
    blocks, most = 0, positions
    # As many as the judge was shown: rounding depends on the size of the matrix.
    positions = int(second.max(initial=-1)) + 1
    seen, total = np.zeros(positions, dtype=np.int64), np.zeros(positions)
    covariance = np.zeros((positions, positions))
    for labelled in np.unique(count).tolist():
        rows = np.flatnonzero(count == labelled)
        place = first[rows], second[rows]
        pairs, spread, apart = np.zeros((3, positions, positions), dtype=np.int64)
        pairs[place], spread[place], apart[place] = values[rows].T
        blocks += int(pairs.diagonal().sum()) // labelled
        seen += pairs.diagonal()
        total += apart.diagonal() / labelled
        # Whole numbers up to here, so that rows sum to exactly nothing.
        squares = np.diag((labelled + 1) * spread.diagonal()) - spread - spread.T
        covariance += squares / (labelled**3 * (labelled - 1))
    if not blocks:
        return PositionBias(0, (), None, 0, None)
    scales, directions = np.linalg.eigh(covariance)
    # No deviation has a part along the directions without variance, except for rounding.
    free = scales > _ROUNDING * scales[-1]
    degrees_of_freedom = int(np.count_nonzero(free))
    statistic = float(np.sum((total @ directions[:, free]) ** 2 / scales[free]))
    return PositionBias(
        blocks=blocks,
        deviations=(
            *(
                float(value / times) if times else None
                for value, times in zip(total, seen, strict=True)
            ),
            *[None] * (most - positions),
        ),
        statistic=statistic,
        degrees_of_freedom=degrees_of_freedom,
        p_value=float(chdtrc(degrees_of_freedom, statistic)),
    )

"""Each pair of systems by its own comparisons alone: shares won, and whether they differ from one half."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from ranking.core.counting.counts import Layout
from ranking.core.counting.effective_numbers import effective_number_from
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    ClusterUnit,
    moments_of_blocks,
    second_moments,
    units_of,
)
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.counting.tallies import Tallies, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.expected_wins import smoothed_share
from ranking.core.ranges.sign_tests import Correction, adjusted, sign_test
from ranking.core.uncertainty.two_way import ClusteredCovariance, combined_covariance

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DirectPairs:
    """Comparisons of each pair of n systems with each other.

    Attributes
    ----------
    tallies : Tallies
    p_value, adjusted_p : float64, shape (n, n)
        Of two-sided tests that a system wins half of the decided comparisons of a pair, by
        themselves and corrected for the number of pairs. Symmetric; 1 where there is nothing to
        test, and on the diagonal.
    limits : tuple of str
        Units that the test of some pair does not account for, because there are too few: codes of
        `RangeLimit`.
    """

    tallies: Tallies
    p_value: FloatArray
    adjusted_p: FloatArray
    limits: tuple[str, ...] = ()


def direct_pairs(
    blocks: Blocks, *, level: Level = "two_way", correction: Correction = Correction.HOLM
) -> DirectPairs:
    """Test each pair of systems by the comparisons of the two alone; ties are dropped.

    The tests of a ranking are of scores, to which comparisons with all systems contribute; this is
    about the matrix of wins that WMT prints (Bojar et al. 2011, Table 6). With "pairs", comparisons
    are taken for independent: the exact sign test, whose p-values WMT marks. Otherwise the variance
    of the share won is that between blocks, segments, judges, or segments and judges
    (`ranking.core.uncertainty.two_way`), of the comparisons of this pair, and the test is Student's
    t.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    level : "pairs", "blocks", "segments", "judges" or "two_way"
        Units taken for independent.
    correction : Correction
        For the n (n − 1) / 2 pairs.

    Returns
    -------
    DirectPairs

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT, §2.5.
    """
    if level not in LEVELS:
        raise ValueError(f"level: {level!r} is none of {', '.join(LEVELS)}")
    found = tally(blocks)
    n = len(found.systems)
    first, second = np.triu_indices(n, 1)
    won, lost = found.wins[first, second], found.wins[second, first]
    limits: tuple[str, ...] = ()
    if level == "pairs":
        p = sign_test(won, lost, sides=2)
    else:
        variance, freedom, limits = _variances(blocks, level, won, lost)
        p = _t_tests(won, lost, variance, freedom)
    return DirectPairs(
        tallies=found,
        p_value=_square(p, n),
        adjusted_p=_square(adjusted(p, correction), n),
        limits=limits,
    )


def _t_tests(
    won: Int64Array, lost: Int64Array, variance: FloatArray, freedom: FloatArray
) -> FloatArray:
    total = won + lost
    share = np.divide(won, total, out=np.full(len(won), 0.5), where=total > 0)
    # A variance of 0 is one that nothing shows, for instance of a pair compared once.
    statistic = np.divide(
        np.abs(share - 0.5), np.sqrt(variance), out=np.zeros(len(won)), where=variance > 0
    )
    return np.asarray(np.minimum(1.0, 2 * stdtr(freedom, -statistic)))


def _variances(
    blocks: Blocks, level: Level, won: Int64Array, lost: Int64Array
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return the variance of each pair's share won, its degrees of freedom, and what it leaves out."""
    n = len(blocks.systems)
    layout = Layout(n)
    place = np.full(n * n, -1)
    place[layout.used] = np.arange(len(layout.used))
    first, second = np.triu_indices(n, 1)
    cells = np.stack([place[first * n + second], place[second * n + first]], axis=1)
    share, weight = smoothed_share(won, won + lost)
    influence = np.stack([weight * (1 - share), -weight * share], axis=1)
    squares = {unit: _of_pairs(each, cells) for unit, each in _squares(blocks, level).items()}
    variance, freedom, limits = np.zeros(len(won)), np.ones(len(won)), dict[str, None]()
    for pair in np.flatnonzero(won + lost).tolist():
        total = int(won[pair] + lost[pair])
        parts = {
            unit: _clustered(total, each[pair], influence[pair]) for unit, each in squares.items()
        }
        if level == "two_way":
            found = combined_covariance(*(parts[unit] for unit in CLUSTER_UNITS))
            variance[pair] = found.matrix[0, 0]
            freedom[pair] = found.degrees_of_freedom
            limits.update(dict.fromkeys(str(limit) for limit in found.limits))
        else:
            (part,) = parts.values()
            variance[pair] = part.matrix[0, 0]
            freedom[pair] = max(1.0, part.effective - 1)
    return variance, freedom, tuple(sorted(limits))


def _squares(blocks: Blocks, level: Level) -> dict[ClusterUnit, Int64Array]:
    """Return the second moments of wins for the units of a level."""
    layout = Layout(len(blocks.systems))
    if level == "two_way":
        moments = moments_of_blocks(blocks, layout)
        return {unit: getattr(moments, unit) for unit in CLUSTER_UNITS}
    units: dict[Level, ClusterUnit] = {unit: unit for unit in CLUSTER_UNITS}
    unit = units[level]
    return {unit: second_moments(blocks, layout, units_of(blocks, unit))}


def _of_pairs(squares: Int64Array, cells: Int64Array) -> Int64Array:
    """Return the second moments of each pair's two cells, shape (P, 2, 2)."""
    return squares[cells[:, :, np.newaxis], cells[:, np.newaxis, :]]


def _clustered(total: int, squares: Int64Array, influence: FloatArray) -> ClusteredCovariance:
    """Return the variance of one share with one kind of unit taken for independent."""
    effective = effective_number_from(total, int(squares.sum()))
    factor = effective / (effective - 1) if effective > 1 else 0.0
    variance = float(influence @ squares.astype(np.float64) @ influence) * factor
    return ClusteredCovariance(matrix=np.array([[variance]]), effective=effective)


def _square(of_pairs: FloatArray, n: int) -> FloatArray:
    square = np.ones((n, n))
    first, second = np.triu_indices(n, 1)
    square[first, second] = square[second, first] = of_pairs
    return square

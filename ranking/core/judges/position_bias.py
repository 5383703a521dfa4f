"""Test whether a judge's labels depend on the position of outputs, which is random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from ranking.core.judged.blocks import Blocks
from ranking.core.judged.shown_labels import shown_labels

FloatArray = npt.NDArray[np.float64]


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
    labels = shown_labels(blocks).astype(np.float64)
    return tuple(_bias(labels[blocks.judge == judge]) for judge in range(len(blocks.judges)))


def _bias(labels: FloatArray) -> PositionBias:
    # Sums of floats depend on their order; results must not.
    labels = labels[np.lexsort(labels.T)] if labels.size else labels
    given = labels > 0
    count = given.sum(axis=1)
    mean = labels.sum(axis=1) / np.maximum(count, 1)
    apart = np.where(given, labels - mean[:, np.newaxis], 0.0)
    squares = (apart**2).sum(axis=1)
    telling = (count >= 2) & (squares > 1e-9)
    given, apart, count, squares = given[telling], apart[telling], count[telling], squares[telling]
    if not len(count):
        return PositionBias(0, (), None, 0, None)
    seen = given.sum(axis=0)
    total = apart.sum(axis=0)
    shown = given.astype(np.float64)
    variance = squares / (count - 1)
    covariance = np.diag(variance @ shown) - (shown * (variance / count)[:, np.newaxis]).T @ shown
    degrees_of_freedom = int(np.linalg.matrix_rank(covariance, hermitian=True))
    statistic = float(total @ np.linalg.pinv(covariance, hermitian=True) @ total)
    return PositionBias(
        blocks=len(count),
        deviations=tuple(
            float(value / times) if times else None
            for value, times in zip(total, seen, strict=True)
        ),
        statistic=statistic,
        degrees_of_freedom=degrees_of_freedom,
        p_value=float(chi2.sf(statistic, degrees_of_freedom)),
    )

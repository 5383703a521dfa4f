"""Parts of the variance of κ from whole-number sums: segments linearised, judges left out.

κ changes by about slope · (counts of a segment) when a segment is left out, where the slope is the
derivative of κ by its counts. So the sum of the squared changes is slope · M · slopeᵀ, with the
segments' products of counts M (`ranking.core.agreement.tallies`), and needs no segment again. With
equal segments and a fixed P(E), this is the delete-one jackknife exactly; otherwise both differ by
about one part in the number of segments. Judges are few and unlike each other: they are left out
one by one.

A share p = x / w changes by (x_s w − x w_s) / w². The numerators, and the sums of their products,
are computed in whole numbers of any size, so that a share that no segment changes has a variance of
exactly 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.counts import AGREEING, COMPARABLE, OTHER_TIES, OWN_TIES
from ranking.core.agreement.kappa_intervals import VarianceParts, jackknife
from ranking.core.agreement.shared_items import PairMoments
from ranking.core.agreement.spread import kappa_of_judge, kappa_over_all, squared_changes_of_pairs
from ranking.core.agreement.statistics import share
from ranking.core.agreement.tallies import GONE_WITH_JUDGE, OF_ALL, PAIRS, AgreementTallies
from ranking.core.counting.effective_numbers import effective_number_from

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Columns of `OF_ALL`.
_TIES, _COMPARISONS = 2, 3
#: Shares as (part, whole): agreeing pairs, and the ties that P(E) is estimated from.
_AGREE = (AGREEING, COMPARABLE)
_SHARES_OF_ALL = (_AGREE, (_TIES, _COMPARISONS))
_SHARES_OF_JUDGE = (_AGREE, (OWN_TIES, COMPARABLE), (OTHER_TIES, COMPARABLE))


def parts_of_all(tallies: AgreementTallies, *, expected: float | None) -> VarianceParts:
    """Return the parts of the variance of κ of all judges.

    Parameters
    ----------
    tallies : AgreementTallies
    expected : float or None
        P(E) if it is fixed; None for Scott's.

    Returns
    -------
    VarianceParts
    """
    by_judge = tallies.of_judges[:, OF_ALL]
    # Each pair counts for both of its judges, so all numbers of pairs are doubled.
    whole = by_judge.sum(axis=0)
    kappa, p_chance = (float(value) for value in kappa_over_all(whole, expected))
    comparing = by_judge[:, _COMPARISONS] > 0
    without_judge = kappa_over_all(whole - GONE_WITH_JUDGE * by_judge[comparing], expected)[0]
    own, other = _who_met(tallies)
    with_others = tallies.with_others[own, other, : AGREEING + 1]
    # Each pair of judges is held in both orders.
    moments = PairMoments(
        both=with_others.T @ with_others // 2,
        in_segments=tallies.products_with_others[:, :2, :2].sum(axis=0) // 2,
    )
    pairs, pairs_in_segments = squared_changes_of_pairs(
        moments, int(whole[COMPARABLE]) // 2, int(whole[AGREEING]) // 2, p_chance
    )
    shares = _SHARES_OF_ALL if expected is None else (_AGREE,)
    slope = _slope_of_all(whole, kappa, p_chance)[: len(shares)]

    def squares(products: Int64Array) -> float:
        one_row = whole[np.newaxis], products[np.newaxis]
        return float(_squared_changes(*one_row, shares, slope[np.newaxis])[0])

    return VarianceParts(
        kappa=kappa,
        of_segments=_of_segments(
            squares(tallies.products_of_all),
            int(tallies.numbers[1]),
            int(whole[COMPARABLE]),
            int(tallies.products_of_all[COMPARABLE, COMPARABLE]),
        ),
        segments=int(tallies.numbers[0]),
        of_judges=jackknife(kappa, without_judge),
        overlap=squares(tallies.products_of_raters),
        judges=_effective(by_judge[:, COMPARABLE]),
        pairs=pairs,
        pairs_in_segments=pairs_in_segments,
    )


def parts_of_judges(
    tallies: AgreementTallies, *, p_chance: float | None
) -> tuple[VarianceParts, ...]:
    """Return the parts of the variance of the κ of each judge with the others.

    The judge is never left out of their own κ.

    Parameters
    ----------
    tallies : AgreementTallies
    p_chance : float or None
        P(E) of all judges, taken as known; None to estimate it from the judge's own pairs.

    Returns
    -------
    tuple of VarianceParts
    """
    whole = tallies.of_judges[:, PAIRS]
    kappas = kappa_of_judge(whole, p_chance)
    of_judges = _left_out_one_by_one(tallies, kappas[0], p_chance)
    met = tallies.with_others[:, :, COMPARABLE]
    shares = _SHARES_OF_JUDGE if p_chance is None else (_AGREE,)
    slope = _slopes_of_judges(whole, *kappas)[:, : len(shares)]
    squares, overlap = (
        _squared_changes(whole, products, shares, slope).tolist()
        for products in (tallies.products, tallies.products_with_others)
    )
    # As Python's numbers, all judges at once: there may be a thousand.
    columns = (
        tallies.segments,
        whole[:, COMPARABLE],
        tallies.products[:, COMPARABLE, COMPARABLE],
        kappas[0],
        of_judges,
        np.einsum("jk,jk->j", met, met),
    )
    rows = zip(*(column.tolist() for column in columns), squares, overlap, strict=True)
    return tuple(
        VarianceParts(
            kappa=kappa,
            of_segments=_of_segments(of_square, segments, pairs, squared_pairs),
            segments=segments,
            of_judges=of_judge,
            overlap=of_overlap,
            judges=effective_number_from(pairs, squared_met),
        )
        for segments, pairs, squared_pairs, kappa, of_judge, squared_met, of_square, of_overlap in rows
    )


def _of_segments(squares: float, segments: int, pairs: int, squared_pairs: int) -> float:
    """Return the variance over segments; NaN if fewer than two of them have pairs."""
    if segments < 2:
        return math.nan
    effective = effective_number_from(pairs, squared_pairs)
    return squares * effective / (effective - 1)


def _effective(pairs: Int64Array) -> float:
    return effective_number_from(int(pairs.sum()), int(pairs @ pairs))


def _who_met(tallies: AgreementTallies) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the indices of each two judges with comparable pairs, in both orders."""
    # Few of a thousand judges have met; `nonzero` is fast where its values lie side by side.
    own, other = np.nonzero(tallies.with_others[:, :, COMPARABLE] != 0)
    return own, other


def _left_out_one_by_one(
    tallies: AgreementTallies, kappa: FloatArray, p_chance: float | None
) -> FloatArray:
    """Return the delete-one variance of each judge's κ over the others; NaN where there is none."""
    judges = len(tallies.judges)
    own, other = _who_met(tallies)
    left = tallies.of_judges[:, PAIRS][own] - tallies.with_others[own, other]
    changes = kappa_of_judge(left, p_chance)[0] - kappa[own]
    met = np.bincount(own, minlength=judges)
    squares = np.bincount(own, changes**2, judges)
    return np.where(met > 1, squares * (met - 1) / np.maximum(met, 1), np.nan)


def _slope_of_all(whole: Int64Array, kappa: float, p_chance: float) -> FloatArray:
    """Return the derivatives of κ by P(A), and by the share of ties, which determines P(E)."""
    beyond = _beyond(p_chance)
    tied = float(share(whole[_TIES], whole[_COMPARISONS]))
    return np.array([beyond, (kappa - 1) * beyond * (3 * tied - 1)])


def _slopes_of_judges(whole: Int64Array, kappa: FloatArray, p_chance: FloatArray) -> FloatArray:
    """Return the derivatives of each judge's κ by P(A), and by both shares of ties, shape (J, 3)."""
    beyond = np.full(len(whole), np.nan)
    np.divide(1, 1 - p_chance, out=beyond, where=p_chance < 1)
    tied, others = (share(whole[:, kind], whole[:, COMPARABLE]) for kind in (OWN_TIES, OTHER_TIES))
    moved = (kappa - 1) * beyond / 2
    return np.stack([beyond, moved * (3 * others - 1), moved * (3 * tied - 1)], axis=1)


def _beyond(p_chance: float) -> float:
    return 1 / (1 - p_chance) if p_chance < 1 else math.nan


def _squared_changes(
    whole: Int64Array,
    products: Int64Array,
    shares: Sequence[tuple[int, int]],
    slope: FloatArray,
) -> FloatArray:
    """Return the sums of squared changes of N values of κ when units are left out, linearised.

    Parameters
    ----------
    whole : int64, shape (N, 4)
        Sums over all units.
    products : int64, shape (N, 4, 4)
        Products of the counts of units, summed over units.
    shares : sequence of (part, whole)
        Columns of the shares that κ depends on.
    slope : float64, shape (N, shares)
        Derivatives of κ by each share.

    Returns
    -------
    float64, shape (N,)
        NaN where a share is of nothing.
    """
    rows = np.flatnonzero((whole[:, [of for _part, of in shares]] != 0).all(axis=1))
    # Whole numbers of any size.
    counts = whole[rows].astype(object).T
    matrix = products[rows].astype(object).transpose(1, 2, 0)
    total = np.zeros(len(rows))
    for one, (part, of) in enumerate(shares):
        for two, (other_part, other_of) in enumerate(shares):
            # Σ (x_s w − x w_s) (y_s v − y v_s)
            summed = (
                counts[of] * counts[other_of] * matrix[part][other_part]
                - counts[of] * counts[other_part] * matrix[part][other_of]
                - counts[part] * counts[other_of] * matrix[of][other_part]
                + counts[part] * counts[other_part] * matrix[of][other_of]
            )
            divided = summed / (counts[of] * counts[other_of]) ** 2
            total += slope[rows, one] * slope[rows, two] * divided.astype(np.float64)
    found = np.full(len(whole), np.nan)
    found[rows] = np.maximum(total, 0.0)
    return found

"""Integer sums over segments for computing agreement, its variance, and disagreement.

Sums of shards of whole segments add up, and a judgment changes them by the difference between its
segment's sums with and without it. The variance over segments is linearised as slope · M · slopeᵀ,
with sums M of products of the segments' counts, so it does not need the segments again; with equal
segments and a fixed P(E), this is exactly the delete-one jackknife. Judges are few and differ from
each other, so they are left out one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.intervals import VarianceParts, jackknife
from ranking.core.agreement.statistics import (
    FIXED_CHANCE,
    Chance,
    TieSums,
    chance_of_pairs,
    kappa_of,
    kappa_of_judge,
    pooled_chance,
    squared_changes_of_pairs,
)
from ranking.core.agreement.units import (
    AGREEING,
    COMPARABLE,
    COMPARISONS,
    OTHER_TIES,
    OWN_TIES,
    TIES,
    SharedItemCounts,
    count_agreement,
    sums_of_products,
)
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.counting.counts import effective_number, effective_number_from
from ranking.core.grouping import sums_by_group
from ranking.core.judged.blocks import Blocks
from ranking.core.words import member_of

#: A judge's counts on a segment that are numbers of pairs with others.
PAIRS = (COMPARABLE, AGREEING, OWN_TIES, OTHER_TIES)
#: The counts from which the κ of all judges is computed.
OF_ALL = (COMPARABLE, AGREEING, TIES, COMPARISONS)
#: Leaving out a judge also removes the pairs counted for the other judge, but no other ties.
GONE_WITH_JUDGE = np.array([2, 2, 1, 1])
_COUNTS = 6


@dataclass(frozen=True, eq=False)
class AgreementTallies:
    """Sums over segments for J judges; all int64.

    A judge's counts on a segment are the columns of `ranking.core.agreement.units`. "Products" are
    sums over segments of products of two counts.

    Attributes
    ----------
    judges : tuple of str, length J
    blocks : shape (J,)
        Blocks judged.
    numbers : shape (2,)
        Segments with comparisons, and segments with pairs of different judges.
    segments : shape (J,)
        Segments with pairs of the judge and another one.
    of_judges : shape (J, 6)
        Counts of each judge.
    with_others : shape (J, J, 4)
        The `PAIRS` of each pair of judges.
    products : shape (J, 4, 4)
        Products of a judge's `PAIRS`.
    products_with_others : shape (J, 4, 4)
        Products of the `PAIRS` of a judge and one other, summed over the others.
    products_with_all : shape (J, 2, 2)
        Products of a judge's comparable and agreeing pairs with those of all judges.
    products_of_all : shape (4, 4)
        Products of the counts `OF_ALL`, summed over judges first.
    products_of_raters : shape (4, 4)
        Products of the counts that leaving out a judge's comparisons of a segment removes, summed
        over judges afterwards.
    """

    judges: tuple[str, ...]
    blocks: Int64Array
    numbers: Int64Array
    segments: Int64Array
    of_judges: Int64Array
    with_others: Int64Array
    products: Int64Array
    products_with_others: Int64Array
    products_with_all: Int64Array
    products_of_all: Int64Array
    products_of_raters: Int64Array

    def arrays(self) -> dict[str, Int64Array]:
        """Return the sums by name."""
        arrays = {}
        for column in fields(self):
            if column.name != "judges":
                arrays[column.name] = getattr(self, column.name)
        return arrays

    def change(self, other: AgreementTallies, sign: int) -> None:
        """Add the sums of other tallies to those of the same judges in place, or subtract them if
        `sign` is −1.
        """
        own_index = {}
        for index, name in enumerate(self.judges):
            own_index[name] = index
        own = []
        changed = []
        for index, name in enumerate(other.judges):
            if name in own_index:
                own.append(own_index[name])
                changed.append(index)
        own_rows = np.array(own, dtype=np.int64)
        changed_rows = np.array(changed, dtype=np.int64)
        for name in _SUMS_BY_JUDGE:
            changes = getattr(other, name)[changed_rows]
            getattr(self, name)[own_rows] += sign * changes
        for name in _SUMS_OF_ALL:
            sums = getattr(self, name)
            sums += sign * getattr(other, name)
        changes = other.with_others[np.ix_(changed_rows, changed_rows)]
        self.with_others[np.ix_(own_rows, own_rows)] += sign * changes

    def over(self, judges: tuple[str, ...]) -> AgreementTallies:
        """Return a copy for other judges; new judges have sums of 0."""
        counts = no_agreement(judges)
        counts.change(self, 1)
        return counts


_SUMS_OF_ALL = ("numbers", "products_of_all", "products_of_raters")


_SUMS_BY_JUDGE = (
    "blocks",
    "segments",
    "of_judges",
    "products",
    "products_with_others",
    "products_with_all",
)


def no_agreement(judges: tuple[str, ...]) -> AgreementTallies:
    """Return empty tallies, with all sums 0."""

    def zeros(*shape: int) -> Int64Array:
        return np.zeros(shape, dtype=np.int64)

    count = len(judges)
    pairs = len(PAIRS)
    of_all = len(OF_ALL)
    return AgreementTallies(
        judges=judges,
        blocks=zeros(count),
        numbers=zeros(2),
        segments=zeros(count),
        of_judges=zeros(count, _COUNTS),
        with_others=zeros(count, count, pairs),
        products=zeros(count, pairs, pairs),
        products_with_others=zeros(count, pairs, pairs),
        products_with_all=zeros(count, 2, 2),
        products_of_all=zeros(of_all, of_all),
        products_of_raters=zeros(of_all, of_all),
    )


def tally_agreement(blocks: Blocks) -> AgreementTallies:
    """Return the sums of the judges of blocks, in the order of `Blocks.judges`.

    Parameters
    ----------
    blocks : Blocks
        Blocks of whole segments.

    Returns
    -------
    AgreementTallies
    """
    judges = len(blocks.judges)
    agreement = count_agreement(blocks, shared_items=True)
    counts = agreement.counts
    judge = agreement.judge
    shared = agreement.shared_items
    if shared is None:
        raise ValueError("counts: expected those with shared items")
    pair_counts = counts[:, PAIRS]
    pairs = counts[:, [COMPARABLE, AGREEING]]
    all_counts = counts[:, OF_ALL]
    removed = GONE_WITH_JUDGE * all_counts
    segments = len(agreement.segments)
    by_segment = sums_by_group(all_counts, agreement.segment, segments)
    pairs_of_all = by_segment[agreement.segment][:, :2]
    compared_segments = np.count_nonzero(by_segment[:, 0])
    has_pairs = counts[:, COMPARABLE] > 0
    segments_of_judge = np.bincount(judge[has_pairs], minlength=judges)
    return AgreementTallies(
        judges=blocks.judges,
        blocks=np.bincount(blocks.judge, minlength=judges).astype(np.int64),
        numbers=np.array([segments, compared_segments], dtype=np.int64),
        segments=segments_of_judge.astype(np.int64),
        of_judges=agreement.by_judge(judges),
        with_others=shared.others,
        products=sums_of_products(pair_counts, pair_counts, judge, judges),
        products_with_others=shared.moments,
        products_with_all=sums_of_products(pairs, pairs_of_all, judge, judges),
        products_of_all=by_segment.T @ by_segment,
        products_of_raters=removed.T @ removed,
    )


#: Columns of `OF_ALL`.
_TIES = 2
_COMPARISONS = 3


class _ShareColumns(NamedTuple):
    """Columns of the counts whose ratio is a share."""

    part: int
    whole: int


_AGREE = _ShareColumns(AGREEING, COMPARABLE)
#: Agreeing pairs, and the ties from which P(E) is estimated.
_SHARES_OF_ALL = (_AGREE, _ShareColumns(_TIES, _COMPARISONS))
_SHARES_OF_JUDGE = (
    _AGREE,
    _ShareColumns(OWN_TIES, COMPARABLE),
    _ShareColumns(OTHER_TIES, COMPARABLE),
)


def kappa_of_all(counts: Int64Array, chance: Chance) -> tuple[FloatArray, FloatArray]:
    """Return κ over all pairs of different judges, and P(E).

    Parameters
    ----------
    counts : int64, shape (J, ..., 6)
        Counts of each judge.
    chance : Chance
        `CONGER`, `SCOTT`, `UNIFORM` or `RANDOM_CLICKER`.

    Returns
    -------
    kappa, p_chance : float64, shape (...)
    """
    chance = member_of(Chance, "chance", chance)
    ties = TieSums.of(counts[..., TIES], counts[..., COMPARISONS])
    p_chance = pooled_chance(ties, chance)
    pairs = counts.sum(axis=0)
    p_agree = share(pairs[..., AGREEING], pairs[..., COMPARABLE])
    return kappa_of(p_agree, p_chance), p_chance


def _kappas_without_each(counts: Int64Array, chance: Chance) -> FloatArray:
    """Return κ over all pairs without each judge, from counts of shape (J, 6)."""
    ties = counts[:, TIES]
    comparisons = counts[:, COMPARISONS]
    ties_left = TieSums.of(ties, comparisons).without_each(ties, comparisons)
    own = counts[:, [COMPARABLE, AGREEING]]
    pairs = own.sum(axis=0) - 2 * own
    p_agree = share(pairs[:, AGREEING], pairs[:, COMPARABLE])
    return kappa_of(p_agree, pooled_chance(ties_left, chance))


def parts_of_all(tallies: AgreementTallies, *, chance: Chance) -> VarianceParts:
    """Return the parts of the variance of the κ of all judges.

    The variance over segments is linearised as for Scott's P(E) if P(E) is Conger's: they differ by
    one part in the number of judges.

    Parameters
    ----------
    tallies : AgreementTallies
    chance : Chance
        `CONGER`, `SCOTT`, `UNIFORM` or `RANDOM_CLICKER`.

    Returns
    -------
    VarianceParts
    """
    chance = member_of(Chance, "chance", chance)
    by_judge = tallies.of_judges[:, OF_ALL]
    # Each pair counts for both of its judges, so all numbers of pairs are doubled.
    whole = by_judge.sum(axis=0)
    kappas, chances = kappa_of_all(tallies.of_judges, chance)
    kappa = float(kappas)
    p_chance = float(chances)

    has_compared = by_judge[:, _COMPARISONS] > 0
    without_judge = _kappas_without_each(tallies.of_judges, chance)[has_compared]

    tied = share(by_judge[:, _TIES], by_judge[:, _COMPARISONS])
    shared = SharedItemCounts(tallies.with_others, tallies.products_with_others)
    counts = shared.of_pairs(chance_of_pairs(chance, tied))
    pairs, pairs_in_segments = squared_changes_of_pairs(counts, p_chance)

    shares: Sequence[_ShareColumns] = _SHARES_OF_ALL
    if chance in FIXED_CHANCE:
        shares = (_AGREE,)
    slope = _slope_of_all(whole, kappa, p_chance)[: len(shares)]
    # Changes without each segment, and without each judge's comparisons of a segment.
    squares_of_segments, squares_of_raters = _squared_changes(
        whole=np.stack([whole, whole]),
        products=np.stack([tallies.products_of_all, tallies.products_of_raters]),
        shares=shares,
        slope=np.stack([slope, slope]),
    ).tolist()
    segment_variance = _variance_over_segments(
        squares=squares_of_segments,
        segments=int(tallies.numbers[1]),
        pairs=int(whole[COMPARABLE]),
        squared_pairs=int(tallies.products_of_all[COMPARABLE, COMPARABLE]),
    )
    return VarianceParts(
        kappa=kappa,
        of_segments=segment_variance,
        segments=int(tallies.numbers[0]),
        of_judges=jackknife(kappa, without_judge),
        overlap=squares_of_raters,
        judges=effective_number(by_judge[:, COMPARABLE]),
        pairs=pairs,
        pairs_in_segments=pairs_in_segments,
    )


def parts_of_judges(
    tallies: AgreementTallies,
    *,
    p_chance: float | None,
) -> tuple[VarianceParts, ...]:
    """Return the parts of the variance of the κ of each judge with the others.

    A judge is never left out of their own κ.

    Parameters
    ----------
    tallies : AgreementTallies
    p_chance : float or None
        P(E) of all judges, treated as known; None to estimate it from the judge's own pairs.

    Returns
    -------
    tuple of VarianceParts
    """
    whole = tallies.of_judges[:, PAIRS]
    kappa, own_chance = kappa_of_judge(whole, p_chance)
    shared = tallies.with_others[:, :, COMPARABLE]
    shares: Sequence[_ShareColumns] = _SHARES_OF_JUDGE
    if p_chance is not None:
        shares = (_AGREE,)
    slope = _slopes_of_judges(whole, kappa, own_chance)[:, : len(shares)]
    # Converted to Python numbers for all judges at once: there may be a thousand.
    squares = _squared_changes(whole, tallies.products, shares, slope).tolist()
    overlap = _squared_changes(
        whole=whole,
        products=tallies.products_with_others,
        shares=shares,
        slope=slope,
    ).tolist()
    judge_variances = _left_out_one_by_one(tallies, kappa, p_chance).tolist()
    kappas = kappa.tolist()
    segments = tallies.segments.tolist()
    pairs = whole[:, COMPARABLE].tolist()
    squared_pairs = tallies.products[:, COMPARABLE, COMPARABLE].tolist()
    squared_shared = np.einsum("jk,jk->j", shared, shared).tolist()
    parts = []
    for judge in range(len(tallies.judges)):
        segment_variance = _variance_over_segments(
            squares=squares[judge],
            segments=segments[judge],
            pairs=pairs[judge],
            squared_pairs=squared_pairs[judge],
        )
        parts.append(
            VarianceParts(
                kappa=kappas[judge],
                of_segments=segment_variance,
                segments=segments[judge],
                of_judges=judge_variances[judge],
                overlap=overlap[judge],
                judges=effective_number_from(pairs[judge], squared_shared[judge]),
            ),
        )
    return tuple(parts)


def _variance_over_segments(
    squares: float,
    segments: int,
    pairs: int,
    squared_pairs: int,
) -> float:
    """Return the variance over segments; NaN if fewer than two of them have pairs."""
    if segments < 2:
        return math.nan
    effective = effective_number_from(pairs, squared_pairs)
    return squares * effective / (effective - 1)


def _left_out_one_by_one(
    tallies: AgreementTallies,
    kappa: FloatArray,
    p_chance: float | None,
) -> FloatArray:
    """Return the delete-one variance of each judge's κ over the others; NaN where there is none."""
    judges = len(tallies.judges)
    # Few of a thousand judges share items; `nonzero` is fast on contiguous values.
    shared = tallies.with_others[:, :, COMPARABLE] != 0
    own, other = np.nonzero(shared)
    own_pairs = tallies.of_judges[:, PAIRS][own]
    pairs_left = own_pairs - tallies.with_others[own, other]
    kappa_left, _p_chance = kappa_of_judge(pairs_left, p_chance)
    changes = kappa_left - kappa[own]
    others = np.bincount(own, minlength=judges)
    squares = np.bincount(own, changes**2, judges)
    variance = squares * (others - 1) / np.maximum(others, 1)
    return np.where(others > 1, variance, np.nan)


def _slope_of_all(whole: Int64Array, kappa: float, p_chance: float) -> FloatArray:
    """Return the derivatives of κ by P(A), and by the share of ties, which determines P(E)."""
    by_agreement = math.nan
    if p_chance < 1:
        by_agreement = 1 / (1 - p_chance)
    tied = float(share(whole[_TIES], whole[_COMPARISONS]))
    by_ties = (kappa - 1) * by_agreement * (3 * tied - 1)
    return np.array([by_agreement, by_ties])


def _slopes_of_judges(
    whole: Int64Array,
    kappa: FloatArray,
    p_chance: FloatArray,
) -> FloatArray:
    """Return the derivatives of each judge's κ by P(A), and by both shares of ties, shape (J, 3)."""
    by_agreement = share(np.ones(len(whole)), 1 - p_chance)
    own_tied = share(whole[:, OWN_TIES], whole[:, COMPARABLE])
    others_tied = share(whole[:, OTHER_TIES], whole[:, COMPARABLE])
    by_chance = (kappa - 1) * by_agreement / 2
    by_own_ties = by_chance * (3 * others_tied - 1)
    by_other_ties = by_chance * (3 * own_tied - 1)
    return np.stack([by_agreement, by_own_ties, by_other_ties], axis=1)


def _squared_changes(
    whole: Int64Array,
    products: Int64Array,
    shares: Sequence[_ShareColumns],
    slope: FloatArray,
) -> FloatArray:
    """Return the sums of squared changes of N values of κ when units are left out, linearised.

    A share p = x / w changes by (x_s w − x w_s) / w². The numerators, and the sums of their
    products, are computed with integers of arbitrary size, so that a share that no segment changes
    has a variance of exactly 0.

    Parameters
    ----------
    whole : int64, shape (N, 4)
        Sums over all units.
    products : int64, shape (N, 4, 4)
        Products of the counts of units, summed over units.
    shares : sequence of _ShareColumns
        Columns of the shares that κ depends on.
    slope : float64, shape (N, shares)
        Derivatives of κ by each share.

    Returns
    -------
    float64, shape (N,)
        NaN if the whole of a share is 0.
    """
    wholes = [columns.whole for columns in shares]
    is_defined = (whole[:, wholes] != 0).all(axis=1)
    rows = np.flatnonzero(is_defined)
    # Integers of arbitrary size.
    counts = whole[rows].astype(object).T
    matrix = products[rows].astype(object).transpose(1, 2, 0)
    total = np.zeros(len(rows))
    for (one, x), (two, y) in product(enumerate(shares), repeat=2):
        numerators = _summed_products(counts, matrix, x, y)
        denominator = counts[x.whole] * counts[y.whole]
        covariance = numerators / denominator**2
        slopes = slope[rows, one] * slope[rows, two]
        total += slopes * covariance.astype(np.float64)
    squares = np.full(len(whole), np.nan)
    squares[rows] = np.maximum(total, 0.0)
    return squares


def _summed_products(
    counts: npt.NDArray[np.object_],
    products: npt.NDArray[np.object_],
    x: _ShareColumns,
    y: _ShareColumns,
) -> npt.NDArray[np.object_]:
    """Return Σ (x_s w − x w_s) (y_s v − y v_s) over units s, for the shares x / w and y / v."""
    part_x = counts[x.part]
    whole_x = counts[x.whole]
    part_y = counts[y.part]
    whole_y = counts[y.whole]
    parts = whole_x * whole_y * products[x.part, y.part]
    part_and_whole = whole_x * part_y * products[x.part, y.whole]
    whole_and_part = part_x * whole_y * products[x.whole, y.part]
    wholes = part_x * part_y * products[x.whole, y.whole]
    return np.asarray(parts - part_and_whole - whole_and_part + wholes)

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
from typing import Any

import numpy as np

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
    sums_of_rows,
)
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.counting.counts import effective_number, effective_number_from
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
        return {
            one.name: getattr(self, one.name)
            for one in fields(self)
            if one.name != "judges"
        }

    def change(self, other: AgreementTallies, sign: int) -> None:
        """Add the sums of other tallies to those of the same judges in place, or subtract them if
        `sign` is −1.
        """
        place = {}
        for index, name in enumerate(self.judges):
            place[name] = index
        known = []
        for index, name in enumerate(other.judges):
            if name in place:
                known.append(index)
        own = np.array([place[other.judges[index]] for index in known], dtype=np.int64)
        mine = self.arrays()
        theirs = other.arrays()
        from_rows = _rows(np.array(known, dtype=np.int64))
        for name, rows in _rows(own).items():
            mine[name][rows] += sign * theirs[name][from_rows[name]]

    def over(self, judges: tuple[str, ...]) -> AgreementTallies:
        """Return a copy for other judges; new judges have sums of 0."""
        if judges == self.judges:
            copied = {}
            for name, array in self.arrays().items():
                copied[name] = array.copy()
            return AgreementTallies(judges=judges, **copied)
        counts = no_agreement(judges)
        counts.change(self, 1)
        return counts


def _rows(judges: Int64Array) -> dict[str, Any]:
    """Return the indices of some judges' sums, by the name of the array."""
    by_judge = (
        "blocks",
        "segments",
        "of_judges",
        "products",
        "products_with_others",
        "products_with_all",
    )
    return {
        "numbers": ...,
        "products_of_all": ...,
        "products_of_raters": ...,
        "with_others": np.ix_(judges, judges),
        **dict.fromkeys(by_judge, judges),
    }


def no_agreement(judges: tuple[str, ...]) -> AgreementTallies:
    """Return empty tallies, with all sums 0."""
    count = len(judges)
    shapes = {
        "blocks": (count,),
        "numbers": (2,),
        "segments": (count,),
        "of_judges": (count, _COUNTS),
        "with_others": (count, count, len(PAIRS)),
        "products": (count, len(PAIRS), len(PAIRS)),
        "products_with_others": (count, len(PAIRS), len(PAIRS)),
        "products_with_all": (count, 2, 2),
        "products_of_all": (len(OF_ALL), len(OF_ALL)),
        "products_of_raters": (len(OF_ALL), len(OF_ALL)),
    }
    zeros = {}
    for name, shape in shapes.items():
        zeros[name] = np.zeros(shape, dtype=np.int64)
    return AgreementTallies(judges=judges, **zeros)


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
    found = count_agreement(blocks, shared_items=True)
    counts = found.counts
    shared = found.shared_items
    if shared is None:
        raise ValueError("counts: expected those with shared items")
    own = counts[:, PAIRS]
    all_of_them = counts[:, OF_ALL]
    by_segment = sums_of_rows(all_of_them, found.segment, len(found.segments))
    pairs = counts[:, [COMPARABLE, AGREEING]]
    gone = GONE_WITH_JUDGE * all_of_them
    return AgreementTallies(
        judges=blocks.judges,
        blocks=np.bincount(blocks.judge, minlength=judges).astype(np.int64),
        numbers=np.array(
            [len(found.segments), np.count_nonzero(by_segment[:, 0])], dtype=np.int64
        ),
        segments=np.bincount(
            found.judge[counts[:, COMPARABLE] > 0], minlength=judges
        ).astype(np.int64),
        of_judges=found.by_judge(judges),
        with_others=shared.others,
        products=sums_of_products(
            one=own, other=own, position=found.judge, places=judges
        ),
        products_with_others=shared.moments,
        products_with_all=sums_of_products(
            one=pairs,
            other=by_segment[found.segment][:, :2],
            position=found.judge,
            places=judges,
        ),
        products_of_all=by_segment.T @ by_segment,
        products_of_raters=gone.T @ gone,
    )


#: Columns of `OF_ALL`.
_TIES = 2
_COMPARISONS = 3
#: Shares as (part, whole): agreeing pairs, and the ties from which P(E) is estimated.
_AGREE = (AGREEING, COMPARABLE)
_SHARES_OF_ALL = (_AGREE, (_TIES, _COMPARISONS))
_SHARES_OF_JUDGE = (_AGREE, (OWN_TIES, COMPARABLE), (OTHER_TIES, COMPARABLE))


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
    p_chance = pooled_chance(
        TieSums.of(counts[..., TIES], counts[..., COMPARISONS]), chance
    )
    pairs = counts.sum(axis=0)
    return kappa_of(
        share(pairs[..., AGREEING], pairs[..., COMPARABLE]), p_chance
    ), p_chance


def _kappas_without_each(counts: Int64Array, chance: Chance) -> FloatArray:
    """Return κ over all pairs without each judge, from counts of shape (J, 6)."""
    ties = counts[:, TIES]
    comparisons = counts[:, COMPARISONS]
    left = TieSums.of(ties, comparisons).without_each(ties, comparisons)
    own = counts[:, [COMPARABLE, AGREEING]]
    pairs = own.sum(axis=0) - 2 * own
    return kappa_of(
        share(pairs[:, AGREEING], pairs[:, COMPARABLE]), pooled_chance(left, chance)
    )


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
    kappa, p_chance = (
        float(value) for value in kappa_of_all(tallies.of_judges, chance)
    )
    comparing = by_judge[:, _COMPARISONS] > 0
    without_judge = _kappas_without_each(tallies.of_judges, chance)[comparing]
    tied = share(by_judge[:, _TIES], by_judge[:, _COMPARISONS])
    shared = SharedItemCounts(tallies.with_others, tallies.products_with_others)
    pairs, pairs_in_segments = squared_changes_of_pairs(
        shared.of_pairs(chance_of_pairs(chance, tied)), p_chance
    )
    shares = (_AGREE,) if chance in FIXED_CHANCE else _SHARES_OF_ALL
    slope = _slope_of_all(whole, kappa, p_chance)[: len(shares)]

    def squares(products: Int64Array) -> float:
        one_row = whole[np.newaxis], products[np.newaxis]
        return float(_squared_changes(*one_row, shares, slope[np.newaxis])[0])

    return VarianceParts(
        kappa=kappa,
        of_segments=_of_segments(
            squares=squares(tallies.products_of_all),
            segments=int(tallies.numbers[1]),
            pairs=int(whole[COMPARABLE]),
            squared_pairs=int(tallies.products_of_all[COMPARABLE, COMPARABLE]),
        ),
        segments=int(tallies.numbers[0]),
        of_judges=jackknife(kappa, without_judge),
        overlap=squares(tallies.products_of_raters),
        judges=effective_number(by_judge[:, COMPARABLE]),
        pairs=pairs,
        pairs_in_segments=pairs_in_segments,
    )


def parts_of_judges(
    tallies: AgreementTallies, *, p_chance: float | None
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
    kappas = kappa_of_judge(whole, p_chance)
    of_judges = _left_out_one_by_one(tallies, kappas[0], p_chance)
    met = tallies.with_others[:, :, COMPARABLE]
    shares = _SHARES_OF_JUDGE if p_chance is None else (_AGREE,)
    slope = _slopes_of_judges(whole, *kappas)[:, : len(shares)]
    squares = _squared_changes(
        whole=whole, products=tallies.products, shares=shares, slope=slope
    ).tolist()
    overlap = _squared_changes(
        whole=whole, products=tallies.products_with_others, shares=shares, slope=slope
    ).tolist()
    # Converted to Python numbers for all judges at once: there may be a thousand.
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
            of_segments=_of_segments(
                squares=of_square,
                segments=segments,
                pairs=pairs,
                squared_pairs=squared_pairs,
            ),
            segments=segments,
            of_judges=of_judge,
            overlap=of_overlap,
            judges=effective_number_from(pairs, squared_met),
        )
        for segments, pairs, squared_pairs, kappa, of_judge, squared_met, of_square, of_overlap in rows
    )


def _of_segments(
    squares: float, segments: int, pairs: int, squared_pairs: int
) -> float:
    """Return the variance over segments; NaN if fewer than two of them have pairs."""
    if segments < 2:
        return math.nan
    effective = effective_number_from(pairs, squared_pairs)
    return squares * effective / (effective - 1)


def _left_out_one_by_one(
    tallies: AgreementTallies, kappa: FloatArray, p_chance: float | None
) -> FloatArray:
    """Return the delete-one variance of each judge's κ over the others; NaN where there is none."""
    judges = len(tallies.judges)
    # Few of a thousand judges share items; `nonzero` is fast on contiguous values.
    own, other = np.nonzero(tallies.with_others[:, :, COMPARABLE] != 0)
    left = tallies.of_judges[:, PAIRS][own] - tallies.with_others[own, other]
    changes = kappa_of_judge(left, p_chance)[0] - kappa[own]
    met = np.bincount(own, minlength=judges)
    squares = np.bincount(own, changes**2, judges)
    return np.where(met > 1, squares * (met - 1) / np.maximum(met, 1), np.nan)


def _slope_of_all(whole: Int64Array, kappa: float, p_chance: float) -> FloatArray:
    """Return the derivatives of κ by P(A), and by the share of ties, which determines P(E)."""
    if p_chance < 1:
        beyond = 1 / (1 - p_chance)
    else:
        beyond = math.nan
    tied = float(share(whole[_TIES], whole[_COMPARISONS]))
    return np.array([beyond, (kappa - 1) * beyond * (3 * tied - 1)])


def _slopes_of_judges(
    whole: Int64Array, kappa: FloatArray, p_chance: FloatArray
) -> FloatArray:
    """Return the derivatives of each judge's κ by P(A), and by both shares of ties, shape (J, 3)."""
    beyond = share(np.ones(len(whole)), 1 - p_chance)
    tied = share(whole[:, OWN_TIES], whole[:, COMPARABLE])
    others = share(whole[:, OTHER_TIES], whole[:, COMPARABLE])
    moved = (kappa - 1) * beyond / 2
    return np.stack([beyond, moved * (3 * others - 1), moved * (3 * tied - 1)], axis=1)


def _squared_changes(
    whole: Int64Array,
    products: Int64Array,
    shares: Sequence[tuple[int, int]],
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
    shares : sequence of (part, whole)
        Columns of the shares that κ depends on.
    slope : float64, shape (N, shares)
        Derivatives of κ by each share.

    Returns
    -------
    float64, shape (N,)
        NaN if the whole of a share is 0.
    """
    rows = np.flatnonzero((whole[:, [of for _part, of in shares]] != 0).all(axis=1))
    # Integers of arbitrary size.
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
    squares = np.full(len(whole), np.nan)
    squares[rows] = np.maximum(total, 0.0)
    return squares

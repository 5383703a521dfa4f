"""Observed and expected agreement for each definition of κ, as functions of sums over segments.

Sums can be resampled, and segments and judges can be left out of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.units import (
    AGREEING,
    COMPARABLE,
    OTHER_TIES,
    OWN_TIES,
    PairCounts,
)
from ranking.core.arrays import FloatArray, Int64Array, as_column, share
from ranking.core.words import member_of

AnyArray = npt.NDArray[Any]
OfUnits = Callable[[Int64Array, Int64Array], FloatArray]
Evaluate = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


class Chance(StrEnum):
    """Definition of the agreement expected by chance, P(E) (Bojar et al. 2011, §2.2.2)."""

    CONGER = "conger"
    """Conger's κ (1980): expected agreement of pairs of *different* judges, each with their own share
    of ties t and number of comparisons n: the mean of t u + (1 − t) (1 − u) / 2, weighted by the
    product of n. Scott's π also pairs each judge with themselves, so it is too low where judges differ
    in their use of ties: by about 2 Var(t) / J for J judges. For agreement of judges with themselves,
    each judge is paired with themselves only."""

    SCOTT = "scott"
    """Scott's π: t² + 2 ((1 − t) / 2)², with t the share of ties among all comparisons."""

    UNIFORM = "uniform"
    """The S measure: win, tie and loss are equally likely, 1/3."""

    RANDOM_CLICKER = "random_clicker"
    """Two random labels of five are equal with probability 0.2: 0.2² + 2 · 0.4² = 0.36."""

    COHEN = "cohen"
    """Cohen's κ: each judge has their own shares of win, tie and loss."""

    FLEISS = "fleiss"
    """Fleiss's κ: one distribution for all judges; items have equal weights for any number of
    judgments."""

    KRIPPENDORFF = "krippendorff"
    """Krippendorff's α for nominal data."""

    KRIPPENDORFF_ORDINAL = "krippendorff_ordinal"
    """Krippendorff's α for ordinal data: win and loss are further apart than win and tie."""


#: P(E) of the definitions that do not depend on the data.
FIXED_CHANCE = {Chance.UNIFORM: 1 / 3, Chance.RANDOM_CLICKER: 0.36}


@dataclass(frozen=True, eq=False)
class Additive:
    """Agreement as a function of sums over units, so that units can be resampled or left out.

    Attributes
    ----------
    of_units : callable
        Turns the values and pairs of G units, as in `LeftOut`, into m numbers each, float64 of shape
        (m, G), which are 0 for units without pairs.
    evaluate : callable
        Turns sums of these numbers, followed by the sums of `TieSums`, shape (m + 5, R), into P(A)
        and P(E), each of shape (R,); NaN where the sums do not determine them.
    """

    of_units: OfUnits
    evaluate: Evaluate


@dataclass(frozen=True, eq=False)
class Shares:
    """P(A) and P(E) of the original segments, and of R bootstrap resamples of them.

    Attributes
    ----------
    p_agree, p_chance : float64, shape (1 + R,)
        Entry 0 is for the original segments. NaN where the counts do not determine a value.
    """

    p_agree: FloatArray
    p_chance: FloatArray


class TieSums(NamedTuple):
    """Sums over judges, from which P(E) follows; arrays of one shape.

    Attributes
    ----------
    ties, comparisons : array
        Tied comparisons, and all comparisons.
    ties_squared, products, comparisons_squared : array
        Each judge's squared ties, product of ties and comparisons, and squared comparisons, summed
        over judges.
    """

    ties: AnyArray
    comparisons: AnyArray
    ties_squared: AnyArray
    products: AnyArray
    comparisons_squared: AnyArray

    @classmethod
    def of(cls, ties: AnyArray, comparisons: AnyArray) -> TieSums:
        """Return the sums over the judges, which are the first axis."""
        return cls(
            ties=ties.sum(axis=0),
            comparisons=comparisons.sum(axis=0),
            ties_squared=(ties**2).sum(axis=0),
            products=(ties * comparisons).sum(axis=0),
            comparisons_squared=(comparisons**2).sum(axis=0),
        )

    def without_each(self, ties: AnyArray, comparisons: AnyArray) -> TieSums:
        """Return the sums without each judge, whose numbers are given."""
        return TieSums(
            ties=self.ties - ties,
            comparisons=self.comparisons - comparisons,
            ties_squared=self.ties_squared - ties**2,
            products=self.products - ties * comparisons,
            comparisons_squared=self.comparisons_squared - comparisons**2,
        )

    def of_different_judges(self) -> FloatArray:
        """Return P(E) of pairs of different judges, see `Chance.CONGER`."""
        decided = self.comparisons - self.ties
        both_tied = self.ties**2 - self.ties_squared
        both_decided = decided**2 - self._decided_squared()
        pairs = self.comparisons**2 - self.comparisons_squared
        return share(both_tied + both_decided / 2, pairs)

    def of_same_judge(self) -> FloatArray:
        """Return P(E) of pairs of each judge with themselves, weighted by squared comparisons."""
        same = self.ties_squared + self._decided_squared() / 2
        return share(same, self.comparisons_squared)

    def of_all(self) -> FloatArray:
        """Return Scott's P(E)."""
        return scott_chance(share(self.ties, self.comparisons))

    def _decided_squared(self) -> AnyArray:
        """Return each judge's squared decided comparisons, summed over judges."""
        squared: AnyArray = (
            self.comparisons_squared - 2 * self.products + self.ties_squared
        )
        return squared


#: Number of rows that `TieSums` adds to the sums of a measure.
TIE_ROWS = len(TieSums._fields)


def pooled_chance(
    sums: TieSums,
    chance: Chance,
    *,
    of_same_judge: bool = False,
) -> FloatArray:
    """Return P(E) of all judges together: Conger's, Scott's, or a fixed one."""
    chance = member_of(Chance, "chance", chance)
    if chance in FIXED_CHANCE:
        return np.full(np.shape(sums.comparisons), FIXED_CHANCE[chance])
    if chance is Chance.SCOTT:
        return sums.of_all()
    if chance is not Chance.CONGER:
        raise ValueError(f"chance: {chance.value} is not the same for all judges")
    if of_same_judge:
        return sums.of_same_judge()
    return sums.of_different_judges()


def pooled(chance: Chance, *, of_same_judge: bool = False) -> Additive:
    """Return the measure in which P(A) is the agreeing share of all pairs, and P(E) that of all
    judges together, see `pooled_chance`.
    """
    chance = member_of(Chance, "chance", chance)

    def of_units(_values: Int64Array, pairs: Int64Array) -> FloatArray:
        agreeing = np.trace(pairs, axis1=1, axis2=2)
        all_pairs = pairs.sum(axis=(1, 2))
        return np.stack([agreeing, all_pairs]).astype(np.float64)

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        ties = TieSums(*sums[-TIE_ROWS:])
        p_agree = share(sums[0], sums[1])
        return p_agree, pooled_chance(ties, chance, of_same_judge=of_same_judge)

    return Additive(of_units, evaluate)


def chance_of_pairs(
    chance: Chance,
    tied: FloatArray,
) -> Callable[[Int64Array, Int64Array], FloatArray]:
    """Return a function for the agreement of judges i and j that is expected by chance.

    Parameters
    ----------
    chance : Chance
        If it is not fixed, each judge has their own share of ties, and wins and losses are equally
        likely.
    tied : float64, shape (J,)
        Share of ties of each judge.
    """
    chance = member_of(Chance, "chance", chance)

    def expected(one: Int64Array, other: Int64Array) -> FloatArray:
        if chance in FIXED_CHANCE:
            return np.full(one.shape, FIXED_CHANCE[chance])
        return cohen_chance(tied[one], tied[other])

    return expected


def scott_chance(tied: FloatArray) -> FloatArray:
    """Return P(E) of Scott's π with symmetric outcomes: t² + 2 ((1 − t)/2)² for a share of ties
    t.
    """
    return tied**2 + 2 * ((1 - tied) / 2) ** 2


def fleiss(*, symmetric: bool) -> Additive:
    """Return Fleiss's (1971) measure: mean agreement within a unit, squared shares of categories."""

    def of_units(values: Int64Array, pairs: Int64Array) -> FloatArray:
        compared = pairs.sum(axis=(1, 2))
        agreeing = np.trace(pairs, axis1=1, axis2=2)
        within = np.nan_to_num(share(agreeing, compared))
        is_compared = compared > 0
        return np.stack([within, is_compared, *values.T * is_compared])

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        within = sums[0]
        units = sums[1]
        values = sums[2:-TIE_ROWS]
        if symmetric:
            values = (values + values[::-1]) / 2
        category_shares = share(values, values.sum(axis=0))
        p_chance = (category_shares**2).sum(axis=0)
        return share(within, units), p_chance

    return Additive(of_units, evaluate)


def krippendorff(categories: int, *, symmetric: bool, ordinal: bool) -> Additive:
    """Return Krippendorff's α: P(A) = 1 − D_o and P(E) = 1 − D_e, so that κ = 1 − D_o / D_e."""

    def of_units(values: Int64Array, pairs: Int64Array) -> FloatArray:
        ratings = values.sum(axis=1)
        weight = np.nan_to_num(share(ratings, pairs.sum(axis=(1, 2))))
        coincidences = pairs.reshape(len(weight), categories**2)
        return coincidences.T * weight

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        coincidences = sums[:-TIE_ROWS].reshape(categories, categories, -1)
        return _krippendorff(coincidences, symmetric=symmetric, ordinal=ordinal)

    return Additive(of_units, evaluate)


def _krippendorff(
    coincidences: FloatArray,
    *,
    symmetric: bool,
    ordinal: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return P(A) and P(E) for sums of coincidences of shape (K, K, R)."""
    if symmetric:
        coincidences = (coincidences + coincidences[::-1, ::-1]) / 2
    values = coincidences.sum(axis=1)
    total = values.sum(axis=0)
    if ordinal:
        distance = _ordinal(values)
    else:
        distance = _nominal(len(values))
    products = values[:, np.newaxis] * values[np.newaxis, :]
    observed = (coincidences * distance).sum(axis=(0, 1))
    expected = (products * distance).sum(axis=(0, 1))
    observed_disagreement = share(observed, total)
    expected_disagreement = share(expected, total * (total - 1))
    return 1 - observed_disagreement, 1 - expected_disagreement


def cohen_of_tables(
    tables: Int64Array,
    *,
    symmetric: bool = False,
) -> tuple[Int64Array, FloatArray, FloatArray]:
    """Return Cohen's (1960) P(A) and P(E) of contingency tables.

    Parameters
    ----------
    tables : int64, shape (..., K, K)
        Pairs of ratings by the category of the first (row) and the second rater (column).
    symmetric : bool
        Whether to average the table with itself rotated by 180°, because the order of the
        categories may be reversed. See `ranking.core.agreement.measures`.

    Returns
    -------
    pairs : int64, shape (...)
    p_agree, p_chance : float64, shape (...)
        NaN for an empty table.
    """
    cells = np.moveaxis(tables, (-2, -1), (0, 1))
    return cohen_of_cells(cells, symmetric=symmetric)


def cohen_of_cells(
    cells: Int64Array,
    *,
    symmetric: bool,
) -> tuple[Int64Array, FloatArray, FloatArray]:
    """Return `cohen_of_tables` for tables of shape (K, K, ...), several times faster."""
    pairs: Int64Array = cells.sum(axis=(0, 1))
    rows = share(cells.sum(axis=1), pairs)
    columns = share(cells.sum(axis=0), pairs)
    if symmetric:
        rows = (rows + rows[::-1]) / 2
        columns = (columns + columns[::-1]) / 2
    p_agree = share(np.trace(cells), pairs)
    return pairs, p_agree, (rows * columns).sum(axis=0)


def _nominal(categories: int) -> FloatArray:
    return 1 - as_column(np.eye(categories))


def _ordinal(values: FloatArray) -> FloatArray:
    """Return the distances of ordinal categories: squared numbers of ratings between their middles.

    They are shares of the distance of the outermost categories, from shape (K, R) to (K, K, R).
    """
    middle = np.cumsum(values, axis=0) - values / 2
    between = middle[:, np.newaxis] - middle[np.newaxis, :]
    squares = between**2
    outermost = squares[0, -1]
    return np.nan_to_num(share(squares, outermost))


def cohen_chance(tied: FloatArray, others_tied: FloatArray) -> FloatArray:
    """Return P(E) of Cohen's κ with symmetric outcomes, t u + 2 (1 − t)/2 (1 − u)/2 for shares of
    ties t and u.
    """
    both_tied = tied * others_tied
    both_decided = (1 - tied) * (1 - others_tied)
    return both_tied + both_decided / 2


def kappa_of(p_agree: FloatArray, p_chance: FloatArray) -> FloatArray:
    """Return (P(A) − P(E)) / (1 − P(E)), NaN where P(E) = 1."""
    beyond_chance = np.where(p_chance < 1, 1 - p_chance, np.nan)
    kappa: FloatArray = (p_agree - p_chance) / beyond_chance
    return kappa


def lowest_kappa(p_chance: float) -> float:
    """Return the lowest possible κ, which is that for P(A) = 0; 0 if P(E) = 1."""
    if p_chance < 1:
        return 0.0 - p_chance / (1 - p_chance)
    return 0.0


def kappa_of_judge(
    sums: Int64Array,
    p_chance: float | FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return κ of a judge with others, and its P(E).

    Parameters
    ----------
    sums : int64, shape (..., 4)
        Pairs with others: all, agreeing, with a tie by the judge, with a tie by the other judge.
    p_chance : float, array or None
        P(E) of all judges; None to estimate it from these pairs.

    Returns
    -------
    kappa, p_chance : float64, shape (...)
        NaN where the counts do not determine them.
    """
    pairs = sums[..., COMPARABLE]
    if p_chance is None:
        own_tied = share(sums[..., OWN_TIES], pairs)
        others_tied = share(sums[..., OTHER_TIES], pairs)
        by_chance = cohen_chance(own_tied, others_tied)
    else:
        by_chance = np.full(pairs.shape, p_chance)
    p_agree = share(sums[..., AGREEING], pairs)
    return kappa_of(p_agree, by_chance), by_chance


def squared_changes_of_pairs(
    counts: PairCounts,
    p_chance: float,
) -> tuple[float, float]:
    """Return sums of squared changes of κ when two judges' pairs are left out, in total and by
    segment.

    The changes are linearised and all pairs weigh the same. Two judges who use ties differently
    agree less, but are also expected to agree less, so a pair of judges is compared with the agreement
    that its own shares of ties e and the common κ make expected: (agreeing − (e + κ (1 − e))
    comparable) / (all (1 − P(E))). On a single segment, where few comparisons are shared, P(A) is
    expected of all.

    Parameters
    ----------
    counts : PairCounts
    p_chance : float

    Returns
    -------
    pairs, pairs_in_segments : float
    """
    comparable = counts.comparable
    agreeing = counts.agreeing
    all_pairs = int(comparable.sum())
    if not all_pairs or not p_chance < 1:
        return 0.0, 0.0
    by_chance = comparable * counts.chance
    beyond_chance = comparable - by_chance
    agreeing_beyond_chance = agreeing.sum() - by_chance.sum()
    kappa = float(share(agreeing_beyond_chance, beyond_chance.sum()))
    if math.isnan(kappa):
        return 0.0, 0.0
    scale = all_pairs * (1 - p_chance)
    expected = by_chance + kappa * beyond_chance
    changes = (agreeing - expected) / scale
    p_agree = int(agreeing.sum()) / all_pairs
    slope = np.array([-p_agree, 1.0]) / scale
    in_total = float(changes @ changes)
    by_segment = float(slope @ counts.in_segments @ slope)
    return in_total, by_segment

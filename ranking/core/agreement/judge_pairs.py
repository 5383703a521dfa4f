"""Cohen's κ of each pair of judges with its interval, tables of outcomes, and pairs outside a
band.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ranking.core.agreement.intervals import NO_VARIANCE, NoInterval, kappa_ends
from ranking.core.agreement.statistics import cohen_chance, kappa_of
from ranking.core.agreement.units import (
    AGREEING,
    COMPARABLE,
    OTHER_TIES,
    OWN_TIES,
    SharedTables,
    comparison_cells,
    counts_of_tables,
    raters_of,
    shared_tables,
    sums_of_products,
)
from ranking.core.arrays import FloatArray, Int64Array, as_column, as_row, share
from ranking.core.grouping import distinct_pairs, sums_by_group
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Outcome
from ranking.core.scores import NotEstimable
from ranking.core.words import confidence_check


def judge_pair_tables(
    item: Int64Array,
    judge: Int64Array,
    category: Int64Array,
    *,
    items: int,
    judges: int,
    categories: int = len(Outcome),
) -> Int64Array:
    """Count the pairs of ratings of one item by two judges, by their categories.

    Parameters
    ----------
    item, judge, category : int64, shape (C,)
        One entry for each rating, in any order, repeated ratings included: 0 ≤ item < items, 0 ≤
        judge < judges, and 0 ≤ category < categories.
    items, judges : int
    categories : int
        Number of categories; that of `Outcome` if not given.

    Returns
    -------
    int64, shape (judges, judges, categories, categories)
        Entry (i, j, c, k) for i < j: pairs of a rating c by i and a rating k by j. Zero for i ≥ j.
        Memory grows with the square of the number of judges.
    """
    column = judge * categories + category
    ones = np.ones(len(item), dtype=np.int64)
    shape = (items, judges * categories)
    rated = sparse.coo_array((ones, (item, column)), shape=shape).tocsr()
    products = (rated.T @ rated).toarray()
    tables = products.reshape(judges, categories, judges, categories)
    tables = tables.transpose(0, 2, 1, 3)
    is_ordered = np.triu(np.ones((judges, judges), dtype=np.int64), k=1)
    ordered: Int64Array = tables * is_ordered[:, :, np.newaxis, np.newaxis]
    return ordered


_COUNTS = 4
_OUTCOMES = len(Outcome)
#: Two equal segments, minus a rounding error.
_FEWEST_SEGMENTS = 2 - 1e-9


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two judges on the items that both compared.

    Attributes
    ----------
    judges : tuple of two str
        In the order of `Blocks.judges`.
    segments, comparable, agreeing : int
        Segments that both judged; pairs of comparisons of an item, one by each judge; and those
        with the same outcome.
    outcomes : tuple of three tuples of three int
        Pairs by the outcome of the first judge (row) and the second (column): first output better,
        tie, second better. The first output is the one whose system comes first by name.
    p_agree, p_chance : float
    kappa, low, high : float or None
        Cohen's κ with its interval.
    reason : NotEstimable or None
        Why `kappa` is None.
    no_interval : NoInterval or None
        Why `low` and `high` are None where `kappa` is not.
    """

    judges: tuple[str, str]
    segments: int
    comparable: int
    agreeing: int
    outcomes: tuple[tuple[int, ...], ...]
    p_agree: float
    p_chance: float
    kappa: float | None
    low: float | None
    high: float | None
    reason: NotEstimable | None
    no_interval: NoInterval | None


@dataclass(frozen=True, eq=False)
class PairsAgreement:
    """Agreement of all P pairs of judges with a common item, in the order of the judges.

    Attributes
    ----------
    names : tuple of str
        The judges.
    first, second : int64, shape (P,)
        Indices of the judges.
    segments, comparable, agreeing : int64, shape (P,)
    outcomes : int64, shape (P, 3, 3)
    p_agree, p_chance : float64, shape (P,)
    kappa, low, high : float64, shape (P,)
        NaN if there is none.
    effective : float64, shape (P,)
        Effective number of segments.
    confidence : float
        Confidence of each interval.
    """

    names: tuple[str, ...]
    first: Int64Array
    second: Int64Array
    segments: Int64Array
    comparable: Int64Array
    agreeing: Int64Array
    outcomes: Int64Array
    p_agree: FloatArray
    p_chance: FloatArray
    kappa: FloatArray
    low: FloatArray
    high: FloatArray
    effective: FloatArray
    confidence: float

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.first)

    def pair_agreement(self, row: int) -> PairAgreement:
        """Return one pair."""
        kappa = _none_for_nan(self.kappa[row])
        low = _none_for_nan(self.low[row])
        reason = None
        no_interval = None
        if kappa is None:
            reason = NotEstimable.CHANCE_IS_CERTAIN
        elif low is None:
            no_interval = NoInterval.NO_VARIATION
            if self.effective[row] < _FEWEST_SEGMENTS:
                no_interval = NoInterval.TOO_FEW_SEGMENTS
        outcomes = [tuple(outcome) for outcome in self.outcomes[row].tolist()]
        return PairAgreement(
            judges=(self.names[self.first[row]], self.names[self.second[row]]),
            segments=int(self.segments[row]),
            comparable=int(self.comparable[row]),
            agreeing=int(self.agreeing[row]),
            outcomes=tuple(outcomes),
            p_agree=float(self.p_agree[row]),
            p_chance=float(self.p_chance[row]),
            kappa=kappa,
            low=low,
            high=_none_for_nan(self.high[row]),
            reason=reason,
            no_interval=no_interval,
        )

    def beside(self, low: float, high: float) -> Int64Array:
        """Return −1 (1) for pairs whose whole interval is below (above) a band, else 0; shape
        (P,).
        """
        below = self.high < low
        above = self.low > high
        return above.astype(np.int64) - below.astype(np.int64)


def _none_for_nan(value: float) -> float | None:
    """Return a number; None for NaN."""
    if np.isnan(value):
        return None
    return float(value)


def agreement_of_pairs(blocks: Blocks, *, confidence: float = 0.95) -> PairsAgreement:
    """Measure Cohen's κ of each pair of judges with a common item, with an interval over segments.

    With n pairs of comparisons, a of which agree, and with t and u the shares of ties by each
    judge, κ is (a/n − P(E)) / (1 − P(E)) with P(E) = t u + (1 − t)(1 − u)/2: the symmetric version,
    which reads each comparison in both directions. Its variance over segments is linearised: the
    slope of κ times the moments of these four counts over segments times the slope, multiplied by g
    / (g − 1) for g effective segments, as for the κ of all judges
    (`ranking.core.agreement.tallies`). It is at least the variance of n independent pairs of
    comparisons, because most pairs of judges share only two or three segments, which may be alike
    by chance. The interval is Student's t with g − 1 degrees of freedom on the logarithm of 1 − κ
    (`ranking.core.agreement.intervals`). It is for these two judges and does not generalise to
    others. The intervals are simultaneous (Bonferroni): each has the confidence 1 − (1 −
    confidence) / P, so that even among a thousand similar judges, hardly any pair is outside a band
    by chance.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems by J judges: the current judgments of one test set.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    PairsAgreement
        Memory grows with the number of pairs of judges who share a segment.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.

    References
    ----------
    J. Cohen (1960), A Coefficient of Agreement for Nominal Scales.
    """
    confidence_check(confidence)
    judge, other, tables = _shared_tables_once(blocks)
    first, second, pair = distinct_pairs(judge, other)
    count = len(first)
    counts = counts_of_tables(tables)
    sums = sums_by_group(counts, pair, count).astype(np.float64)
    comparable = sums[:, COMPARABLE]
    moments = sums_of_products(counts, counts, pair, count).astype(np.float64)
    # The first candidate of an item has the smaller code, and the systems that come later by name.
    opposite = tables[:, ::-1, ::-1]
    outcomes = sums_by_group(opposite, pair, count)

    cohen = _kappa_and_slope(sums)
    effective = share(comparable**2, moments[:, COMPARABLE, COMPARABLE])
    squared_changes = np.einsum("pi,pij,pj->p", cohen.slope, moments, cohen.slope)
    over_segments = squared_changes * share(effective, effective - 1)
    independent = _independent_variance(cohen.slope, outcomes, comparable)
    variance = np.fmax(over_segments, independent)
    level = 1 - (1 - confidence) / max(1, count)
    is_known = (effective >= _FEWEST_SEGMENTS) & (variance > NO_VARIANCE)
    low, high = kappa_ends(
        kappa=cohen.kappa,
        p_chance=cohen.p_chance,
        variance=np.where(is_known, variance, np.nan),
        degrees_of_freedom=effective - 1,
        confidence=level,
    )
    return PairsAgreement(
        names=blocks.judges,
        first=first,
        second=second,
        segments=np.bincount(pair, minlength=count),
        comparable=comparable.astype(np.int64),
        agreeing=sums[:, AGREEING].astype(np.int64),
        outcomes=outcomes,
        p_agree=cohen.p_agree,
        p_chance=cohen.p_chance,
        kappa=cohen.kappa,
        low=low,
        high=high,
        effective=effective,
        confidence=level,
    )


class _Cohen(NamedTuple):
    """P(A), P(E) and κ of P pairs, shape (P,), and the derivatives of κ by the four sums, shape (P, 4)."""

    p_agree: FloatArray
    p_chance: FloatArray
    kappa: FloatArray
    slope: FloatArray


def _shared_tables_once(blocks: Blocks) -> SharedTables:
    """Return the outcomes of each two judges on each segment with a common item, first judge first."""
    judges = [np.empty(0, dtype=np.int64)]
    others = [np.empty(0, dtype=np.int64)]
    parts = [np.empty((0, _OUTCOMES, _OUTCOMES), dtype=np.int64)]
    for cells in comparison_cells(blocks):
        if not len(cells.item):
            continue
        judge, other, tables = shared_tables(cells, raters_of(cells))
        # Each pair occurs in both orders, even if the two raters of a segment have no item in
        # common.
        once = (judge < other) & (tables.sum(axis=(1, 2)) > 0)
        judges.append(judge[once])
        others.append(other[once])
        parts.append(tables[once])
    return SharedTables(
        judge=np.concatenate(judges),
        other=np.concatenate(others),
        tables=np.concatenate(parts),
    )


def _kappa_and_slope(sums: FloatArray) -> _Cohen:
    n = sums[:, COMPARABLE]
    p_agree = share(sums[:, AGREEING], n)
    own = share(sums[:, OWN_TIES], n)
    other = share(sums[:, OTHER_TIES], n)
    p_chance = cohen_chance(own, other)
    rest = np.where(p_chance < 1, 1 - p_chance, np.nan)
    # κ = 1 − (1 − P(A)) / (1 − P(E)), and P(E) changes by (3 u − 1)/2 with t. Each share is a sum
    # divided by n, so one more comparable pair lowers all of them.
    by_chance = -(1 - p_agree) / rest**2
    by_own = by_chance * (3 * other - 1) / 2
    by_other = by_chance * (3 * own - 1) / 2
    slope = np.empty_like(sums)
    slope[:, AGREEING] = 1 / rest
    slope[:, OWN_TIES] = by_own
    slope[:, OTHER_TIES] = by_other
    slope[:, COMPARABLE] = -(p_agree / rest + by_own * own + by_other * other)
    return _Cohen(
        p_agree=p_agree,
        p_chance=p_chance,
        kappa=kappa_of(p_agree, p_chance),
        slope=slope / as_column(n),
    )


def _independent_variance(
    slope: FloatArray,
    outcomes: Int64Array,
    comparable: FloatArray,
) -> FloatArray:
    """Return the linearised variance of κ as if all pairs of comparisons were independent, shape
    (P,).
    """
    is_tie = np.arange(_OUTCOMES) == Outcome.TIE
    # Increase of the four counts by a pair of comparisons with outcomes c and k.
    increase = np.zeros((_COUNTS, _OUTCOMES, _OUTCOMES))
    increase[COMPARABLE] = 1
    increase[AGREEING] = np.eye(_OUTCOMES)
    increase[OWN_TIES] = as_column(is_tie)
    increase[OTHER_TIES] = as_row(is_tie)
    changes = np.einsum("pi,ick->pck", slope, increase)
    squares: FloatArray = (outcomes * changes**2).sum(axis=(1, 2))
    return squares * share(comparable, comparable - 1)

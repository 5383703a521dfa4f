"""Agreement of judges who chose between the same two outputs (Bojar et al. 2011, §2.5.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from ranking.core.agreement.intervals import (
    NO_VARIANCE,
    jackknife,
    kappa_ends,
    left_out_interval,
    reported,
)
from ranking.core.agreement.judge_pairs import judge_pair_tables
from ranking.core.agreement.statistics import cohen_of_tables, kappa_of
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.scores import NotEstimable


class Choice(IntEnum):
    """A judge's choice between two outputs X and Y, independent of display order.

    "The same" and "both fine" are one category, because a task has only one of them.
    """

    X = 0
    Y = 1
    SAME = 2
    BOTH_WRONG = 3


_CONFIDENCE = 0.95
_MIRRORED = [Choice.Y, Choice.X, Choice.SAME, Choice.BOTH_WRONG]


@dataclass(frozen=True, eq=False)
class Choices:
    """C answers of judges about items: two outputs of a segment.

    Attributes
    ----------
    item, judge, choice : int64, shape (C,)
        Indices of items and judges, and a `Choice`. A judge may have answered an item several
        times.
    judges : tuple of str
        Pseudonyms.
    items : int
    """

    item: Int64Array
    judge: Int64Array
    choice: Int64Array
    judges: tuple[str, ...]
    items: int

    def merged(self) -> Choices:
        """Return the same answers with both kinds of ties merged."""
        return replace(self, choice=np.minimum(self.choice, Choice.SAME))


@dataclass(frozen=True)
class TwoJudges:
    """Agreement of two judges on the items that both answered.

    Attributes
    ----------
    judges : tuple of two str
    table : tuple of tuple of int
        Items by the choice of the first judge (rows) and of the second (columns), in the order of `Choice`.
    items, agreeing : int
    p_agree, p_chance : float
    kappa : float or None
        Cohen's κ; None if P(E) is 1.
    low, high : float or None
        Ends of its interval, for other items and the same two judges; None with fewer than two
        items, or if no item changes κ.
    reason : NotEstimable or None
        Why κ is None.
    """

    judges: tuple[str, str]
    table: tuple[tuple[int, ...], ...]
    items: int
    agreeing: int
    p_agree: float
    p_chance: float
    kappa: float | None
    low: float | None = None
    high: float | None = None
    reason: NotEstimable | None = None


@dataclass(frozen=True)
class AllJudges:
    """Agreement of all judges of an item, on items with two or more answers.

    Attributes
    ----------
    items, unanimous : int
        Number of these items, and of those on which all answers are the same.
    p_agree, p_chance, kappa : float or None
        Fleiss' κ and its parts; None if the answers do not determine them.
    low, high : float or None
        Ends of the interval of κ, for other judges and items.
    reason : NotEstimable or None
        Why κ is None.
    """

    items: int
    unanimous: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None
    low: float | None = None
    high: float | None = None
    reason: NotEstimable | None = None


@dataclass(frozen=True)
class JudgesCompared:
    """Judges' choices and their agreement.

    Attributes
    ----------
    judges : tuple of str
    totals : tuple of tuple of int
        Answers of each judge by `Choice`.
    pairs : tuple of TwoJudges
        Pairs of judges with a common item.
    lowest, highest, mean : float or None
        Lowest, highest and mean κ of these pairs; None without a κ.
    deviation : float or None
        Standard deviation (n − 1) around the mean; None for fewer than two.
    together : AllJudges
    """

    judges: tuple[str, ...]
    totals: tuple[tuple[int, ...], ...]
    pairs: tuple[TwoJudges, ...]
    lowest: float | None
    highest: float | None
    mean: float | None
    deviation: float | None
    together: AllJudges

    def reported(self) -> JudgesCompared:
        """Return the comparison without κ whose intervals say too little.

        The spread of the κ of pairs is given where κ of all judges is.
        """
        together = reported(self.together)
        result = replace(
            self,
            pairs=tuple(reported(pair) for pair in self.pairs),
            together=together,
        )
        if together.kappa is None:
            return replace(result, lowest=None, highest=None, mean=None, deviation=None)
        return result


def judges_compared(choices: Choices, *, is_mirrored: bool = False) -> JudgesCompared:
    """Compare judges with each other.

    Parameters
    ----------
    choices : Choices
    is_mirrored : bool
        Whether the order of X and Y is arbitrary, as with several pairs of systems: P(E) then uses
        the average of the shares of X and Y, so that it does not depend on the order. For one pair
        of systems, as in the paper, it does not average them.

    Returns
    -------
    JudgesCompared

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. F. Zaidan (2011), A Grain of Salt for the WMT Manual Evaluation, §2.5.2.
    J. Cohen (1960), A Coefficient of Agreement for Nominal Scales.
    J. L. Fleiss (1971), Measuring Nominal Scale Agreement Among Many Raters.
    """
    judges = len(choices.judges)
    tables = judge_pair_tables(
        choices.item,
        choices.judge,
        choices.choice,
        items=choices.items,
        judges=judges,
        categories=len(Choice),
    )
    totals = np.zeros((judges, len(Choice)), dtype=np.int64)
    np.add.at(totals, (choices.judge, choices.choice), 1)
    pairs = _pairs(choices.judges, tables, is_mirrored=is_mirrored)
    kappas = np.array([pair.kappa for pair in pairs if pair.kappa is not None])
    compared = JudgesCompared(
        judges=choices.judges,
        totals=tuple(tuple(row) for row in totals.tolist()),
        pairs=pairs,
        lowest=None,
        highest=None,
        mean=None,
        deviation=None,
        together=_together(choices, is_mirrored=is_mirrored),
    )
    if not len(kappas):
        return compared
    deviation = None
    if len(kappas) > 1:
        deviation = float(kappas.std(ddof=1))
    return replace(
        compared,
        lowest=float(kappas.min()),
        highest=float(kappas.max()),
        mean=float(kappas.mean()),
        deviation=deviation,
    )


def fleiss_chance(totals: Int64Array) -> float:
    """Return Fleiss' P(E) from the total of each choice: the sum of squared shares."""
    shares = totals / totals.sum()
    return float((shares**2).sum())


def _pairs(
    names: tuple[str, ...],
    tables: Int64Array,
    *,
    is_mirrored: bool,
) -> tuple[TwoJudges, ...]:
    first, second = np.nonzero(tables.any(axis=(2, 3)))
    shared = tables[first, second]
    counted = shared
    if is_mirrored:
        counted = shared + shared[:, _MIRRORED][:, :, _MIRRORED]
    _twice, p_agree, p_chance = cohen_of_tables(counted)
    kappa = kappa_of(p_agree, p_chance)
    pairs = []
    for row, table in enumerate(shared):
        low, high = _ends_of_pair(table, is_mirrored=is_mirrored)
        rows_of_table = []
        for cells in table.tolist():
            rows_of_table.append(tuple(cells))
        pair = TwoJudges(
            judges=(names[first[row]], names[second[row]]),
            table=tuple(rows_of_table),
            items=int(table.sum()),
            agreeing=int(np.trace(table)),
            p_agree=float(p_agree[row]),
            p_chance=float(p_chance[row]),
            kappa=_number(kappa[row]),
            low=low,
            high=high,
            reason=None,
        )
        if pair.kappa is None:
            pair = replace(pair, reason=NotEstimable.CHANCE_IS_CERTAIN)
        pairs.append(pair)
    return tuple(pairs)


def _ends_of_pair(
    table: Int64Array,
    *,
    is_mirrored: bool,
) -> tuple[float | None, float | None]:
    """Return the interval of κ of two judges, by leaving out one item after the other."""
    items = int(table.sum())
    # Items with the same two choices change κ alike: first the whole, then without one of each kind.
    own, other = np.nonzero(table)
    tables = np.repeat(table[np.newaxis], 1 + len(own), axis=0)
    tables[np.arange(1, 1 + len(own)), own, other] -= 1
    if is_mirrored:
        tables = tables + tables[:, _MIRRORED][:, :, _MIRRORED]
    _pairs_of_ratings, p_agree, p_chance = cohen_of_tables(tables)
    kappas = kappa_of(p_agree, p_chance)
    without = np.repeat(kappas[1:], table[own, other])
    variance = jackknife(float(kappas[0]), without)
    if not variance > NO_VARIANCE:
        return None, None
    low, high = kappa_ends(
        kappas[:1],
        p_chance[:1],
        np.array([variance]),
        np.array([items - 1.0]),
        _CONFIDENCE,
    )
    return float(low[0]), float(high[0])


def _together(choices: Choices, *, is_mirrored: bool) -> AllJudges:
    counts = _counts_of_several(choices)
    if not len(counts):
        return AllJudges(0, 0, None, None, None, reason=NotEstimable.NO_COMPARISON)
    agreeing = _agreeing(counts)
    totals = _totals(counts, is_mirrored=is_mirrored)
    p_agree = float(agreeing.mean())
    p_chance = fleiss_chance(totals.sum(axis=0))
    kappa = float(kappa_of(np.array(p_agree), np.array(p_chance)))
    reason = None
    if np.isnan(kappa):
        reason = NotEstimable.CHANCE_IS_CERTAIN
    together = AllJudges(
        items=len(counts),
        unanimous=int((counts.max(axis=1) == counts.sum(axis=1)).sum()),
        p_agree=p_agree,
        p_chance=p_chance,
        kappa=_number(kappa),
        reason=reason,
    )
    if np.isnan(kappa):
        return together
    kappas_without = []
    for judge in np.unique(choices.judge).tolist():
        kappas_without.append(
            _kappa_without_judge(choices, judge, is_mirrored=is_mirrored),
        )
    interval = left_out_interval(
        kappa,
        p_chance,
        without_segment=_kappas_without_items(agreeing, totals),
        without_judge=np.array(kappas_without),
        confidence=_CONFIDENCE,
    )
    return replace(together, low=interval.low, high=interval.high)


def _counts_of_several(choices: Choices) -> Int64Array:
    """Return the numbers of each choice for the items with two or more answers, shape (I, 4)."""
    counts = np.zeros((choices.items, len(Choice)), dtype=np.int64)
    np.add.at(counts, (choices.item, choices.choice), 1)
    several: Int64Array = counts[counts.sum(axis=1) > 1]
    return several


def _agreeing(counts: Int64Array) -> FloatArray:
    """Return the share of agreeing pairs of answers of each item."""
    answers = counts.sum(axis=1)
    return share((counts * (counts - 1)).sum(axis=1), answers * (answers - 1))


def _totals(counts: Int64Array, *, is_mirrored: bool) -> Int64Array:
    """Return the choices that P(E) counts for each item."""
    if is_mirrored:
        return counts + counts[:, _MIRRORED]
    return counts


def _kappas_without_items(agreeing: FloatArray, totals: Int64Array) -> FloatArray:
    """Return κ without each item; NaN where nothing is left."""
    items = len(agreeing)
    p_agree = share(agreeing.sum() - agreeing, np.full(items, items - 1))
    totals_without = totals.sum(axis=0) - totals
    shares = share(totals_without, totals_without.sum(axis=1)[:, np.newaxis])
    return kappa_of(p_agree, (shares**2).sum(axis=1))


def _kappa_without_judge(choices: Choices, judge: int, *, is_mirrored: bool) -> float:
    """Return κ without the answers of a judge; NaN where no item has two answers left."""
    others = choices.judge != judge
    rest = replace(
        choices,
        item=choices.item[others],
        judge=choices.judge[others],
        choice=choices.choice[others],
    )
    counts = _counts_of_several(rest)
    if not len(counts):
        return float("nan")
    p_chance = fleiss_chance(_totals(counts, is_mirrored=is_mirrored).sum(axis=0))
    return float(kappa_of(np.array(_agreeing(counts).mean()), np.array(p_chance)))


def _number(value: float) -> float | None:
    if np.isnan(value):
        return None
    return float(value)

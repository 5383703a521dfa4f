"""Agreement of judges who chose between the same two outputs (Bojar et al. 2011, §2.5.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from ranking.core.agreement.judge_pairs import judge_pair_tables
from ranking.core.agreement.statistics import cohen_of_tables, kappa_of
from ranking.core.arrays import Int64Array


class Choice(IntEnum):
    """A judge's choice between two outputs X and Y, independent of display order.

    "The same" and "both fine" are one category, because a task has only one of them.
    """

    X = 0
    Y = 1
    SAME = 2
    BOTH_WRONG = 3


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
    """

    judges: tuple[str, str]
    table: tuple[tuple[int, ...], ...]
    items: int
    agreeing: int
    p_agree: float
    p_chance: float
    kappa: float | None


@dataclass(frozen=True)
class AllJudges:
    """Agreement of all judges of an item, on items with two or more answers.

    Attributes
    ----------
    items, unanimous : int
        Number of these items, and of those on which all answers are the same.
    p_agree, p_chance, kappa : float or None
        Fleiss' κ and its parts; None if the answers do not determine them.
    """

    items: int
    unanimous: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None


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
    return JudgesCompared(
        judges=choices.judges,
        totals=tuple(tuple(row) for row in totals.tolist()),
        pairs=pairs,
        lowest=float(kappas.min()) if len(kappas) else None,
        highest=float(kappas.max()) if len(kappas) else None,
        mean=float(kappas.mean()) if len(kappas) else None,
        deviation=float(kappas.std(ddof=1)) if len(kappas) > 1 else None,
        together=_together(choices, is_mirrored=is_mirrored),
    )


def fleiss_chance(totals: Int64Array) -> float:
    """Return Fleiss' P(E) from the total of each choice: the sum of squared shares."""
    shares = totals / totals.sum()
    return float((shares**2).sum())


def _pairs(
    names: tuple[str, ...], tables: Int64Array, *, is_mirrored: bool
) -> tuple[TwoJudges, ...]:
    first, second = np.nonzero(tables.any(axis=(2, 3)))
    shared = tables[first, second]
    counted = shared
    if is_mirrored:
        counted = shared + shared[:, _MIRRORED][:, :, _MIRRORED]
    _twice, p_agree, p_chance = cohen_of_tables(counted)
    kappa = kappa_of(p_agree, p_chance)
    return tuple(
        TwoJudges(
            judges=(names[first[row]], names[second[row]]),
            table=tuple(tuple(cells) for cells in shared[row].tolist()),
            items=int(shared[row].sum()),
            agreeing=int(np.trace(shared[row])),
            p_agree=float(p_agree[row]),
            p_chance=float(p_chance[row]),
            kappa=_number(kappa[row]),
        )
        for row in range(len(first))
    )


def _together(choices: Choices, *, is_mirrored: bool) -> AllJudges:
    counts = np.zeros((choices.items, len(Choice)), dtype=np.int64)
    np.add.at(counts, (choices.item, choices.choice), 1)
    answers = counts.sum(axis=1)
    counts, answers = counts[answers > 1], answers[answers > 1]
    if not len(counts):
        return AllJudges(0, 0, None, None, None)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (answers * (answers - 1))
    totals = counts.sum(axis=0)
    if is_mirrored:
        totals = totals + totals[_MIRRORED]
    p_agree, p_chance = float(agreeing.mean()), fleiss_chance(totals)
    return AllJudges(
        items=len(counts),
        unanimous=int((counts.max(axis=1) == answers).sum()),
        p_agree=p_agree,
        p_chance=p_chance,
        kappa=_number(float(kappa_of(np.array(p_agree), np.array(p_chance)))),
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)

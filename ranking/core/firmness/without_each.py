"""The first place of a ranking without each judge, segment, document or day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column, as_row
from ranking.core.counting.counts import chunks, count, counts_of_units
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.scores import TIE_DECIMALS, Scores, best_first

#: No system.
NOBODY = -1


def leaders(scores: Scores) -> list[int]:
    """Return the systems in first place: several if their scores agree to `TIE_DECIMALS` decimals.

    Parameters
    ----------
    scores : Scores of shape (n,)

    Returns
    -------
    list of int
        Indices, ascending; empty if no system has a score.
    """
    if not scores.estimable.any():
        return []
    values = _rounded_scores(scores)
    return np.flatnonzero(values == values.max()).tolist()


def _rounded_scores(scores: Scores) -> FloatArray:
    """Return scores to `TIE_DECIMALS` decimals; −∞ for systems without a score."""
    values = np.round(scores.values, TIE_DECIMALS)
    return np.where(scores.estimable, values, -np.inf)


def overtaken_by(scores: Scores, first: int) -> Int64Array:
    """Return the system that is ahead of a given first system.

    A system is not ahead if the scores agree to `TIE_DECIMALS` decimals, or if no comparisons
    connect it with the first. If the first no longer has a score, the best system is ahead.

    Parameters
    ----------
    scores : Scores of shape (R, n)
    first : int

    Returns
    -------
    int64, shape (R,)
        The best of the systems ahead; `NOBODY` if there is none.
    """
    values = _rounded_scores(scores)
    has_score = scores.estimable[:, [first]]
    ahead = scores.estimable & (values > values[:, [first]])
    if scores.group is not None:
        is_connected = scores.group == scores.group[:, [first]]
        ahead &= is_connected | ~has_score
    values_ahead = np.where(ahead, values, -np.inf)
    best: Int64Array = np.argmax(values_ahead, axis=1).astype(np.int64)
    best[~ahead.any(axis=1)] = NOBODY
    return best


#: Cells of pairs compared at a time, to bound memory for any number of units and systems.
_CELLS_AT_A_TIME = 1 << 22


@dataclass(frozen=True)
class LeftOut:
    """The ranking without the blocks of one unit.

    Attributes
    ----------
    unit : str
    blocks : int
        Blocks left out.
    first : str or None
        Systems that are then first; None if no system has a score.
    lead : float or None
        Lead of the system that is first with all blocks over the second, in scores without the
        unit; negative if the second is ahead. None if one of the two has no score.
    swapped : tuple of (str, str)
        Pairs of systems that swap places, the one that is better with all blocks first.
    """

    unit: str
    blocks: int
    first: str | None
    lead: float | None
    swapped: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class WithoutEach:
    """The ranking without each unit of a kind.

    Attributes
    ----------
    first, second : str or None
        First and second system with all blocks, by `ranking.core.scores.ordinal_ranks`.
    lead : float or None
        Lead of the first over the second with all blocks.
    units : tuple of LeftOut
        Sorted by lead, smallest first; units without one last.
    """

    first: str | None
    second: str | None
    lead: float | None
    units: tuple[LeftOut, ...]

    @property
    def deciding(self) -> tuple[LeftOut, ...]:
        """Units without which another system is first."""
        return tuple(row for row in self.units if row.first != self.first)


def without_each(
    blocks: Blocks,
    method: CountsMethod,
    unit: npt.NDArray[np.integer],
    names: Mapping[int, str] | Sequence[str],
) -> WithoutEach:
    """Rank the systems without each unit in turn.

    Counts without a unit are those of all blocks minus its own, so each block is counted only once.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    method : CountsMethod
    unit : integer, shape (B,)
        Number of each block's unit.
    names : mapping of int to str, or sequence of str
        Names of the units by number.

    Returns
    -------
    WithoutEach
        The changes of the lead are the influences of whole units; for single observations, see T.
        Broderick, R. Giordano, R. Meager (2020), An Automatic Finite-Sample Robustness Metric,
        arXiv:2011.14999.
    """
    layout = method.layout(len(blocks.systems))
    total = count(blocks, layout)
    whole = method.score_counted(total[np.newaxis], layout)
    order = best_first(whole.rows(0)).tolist()
    numbers, own = np.unique(unit, return_inverse=True)
    unit_counts = counts_of_units(blocks, layout, own.astype(np.int64), len(numbers))
    scores = method.score_counted(total - unit_counts, layout)
    sizes = np.bincount(own, minlength=len(numbers)).tolist()
    firsts = _firsts(scores, order)
    leads = _leads(scores, order)
    swapped = _swapped_pairs(blocks, whole, scores)
    rows = []
    for position, number in enumerate(numbers.tolist()):
        row = LeftOut(
            unit=names[number],
            blocks=sizes[position],
            first=_name(blocks.systems, firsts[position]),
            lead=leads[position],
            swapped=swapped[position],
        )
        rows.append(row)
    first, second = (*order, NOBODY, NOBODY)[:2]
    return WithoutEach(
        first=_name(blocks.systems, first),
        second=_name(blocks.systems, second),
        lead=_leads(whole, order)[0],
        units=tuple(sorted(rows, key=_lead_sort_key)),
    )


def _lead_sort_key(row: LeftOut) -> tuple[bool, float, str]:
    return row.lead is None, row.lead or 0.0, row.unit


def _name(systems: tuple[str, ...], system: int) -> str | None:
    if system == NOBODY:
        return None
    return systems[system]


def _firsts(scores: Scores, order: list[int]) -> list[int]:
    """Return the system in first place in each row of scores, given the order with all blocks."""
    if not order:
        return [NOBODY] * len(scores.values)
    first = order[0]
    firsts = overtaken_by(scores, first)
    stays = (firsts == NOBODY) & scores.estimable[:, first]
    named: list[int] = np.where(stays, first, firsts).tolist()
    return named


def _leads(scores: Scores, order: list[int]) -> list[float | None]:
    """Return the lead of the first over the second in each row; None where it cannot be estimated."""
    leads: list[float | None] = [None] * len(scores.values)
    if len(order) < 2:
        return leads
    first, second = order[:2]
    values = scores.values.T
    differences = np.round(values[first] - values[second], TIE_DECIMALS)
    if scores.group is not None:
        apart = scores.group[:, first] != scores.group[:, second]
        differences[apart] = np.nan
    for row in np.flatnonzero(~np.isnan(differences)).tolist():
        leads[row] = float(differences[row]) + 0.0
    return leads


def _swapped_pairs(
    blocks: Blocks,
    whole: Scores,
    scores: Scores,
) -> list[tuple[tuple[str, str], ...]]:
    """Return the pairs that swap places in each row of scores."""
    n = len(blocks.systems)
    before = _ahead_of_each(whole)[0]
    swapped: list[tuple[tuple[str, str], ...]] = []
    rows_at_a_time = max(1, _CELLS_AT_A_TIME // max(1, n * n))
    for rows in chunks(len(scores.values), rows_at_a_time):
        behind = np.swapaxes(_ahead_of_each(scores.rows(rows)), 1, 2)
        for changed in before & behind:
            pairs = []
            for better, worse in np.argwhere(changed).tolist():
                pairs.append((blocks.systems[better], blocks.systems[worse]))
            swapped.append(tuple(pairs))
    return swapped


def _ahead_of_each(scores: Scores) -> BoolArray:
    """Return whether each system is ahead of each other, shape (R, n, n)."""
    values = np.round(scores.values, TIE_DECIMALS)
    ahead: BoolArray = as_column(values) > as_row(values)
    if scores.group is not None:
        ahead &= as_column(scores.group) == as_row(scores.group)
    return ahead

"""The first place of a ranking without each judge, segment, document or day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, Int64Array
from ranking.core.counting.counts import chunks, count, counts_of_units
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.scores import TIE_DECIMALS, Scores, ordinal_ranks

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
    values = np.where(scores.estimable, np.round(scores.values, TIE_DECIMALS), -np.inf)
    return np.flatnonzero(values == values.max()).tolist()


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
    values = np.round(np.where(scores.estimable, scores.values, -np.inf), TIE_DECIMALS)
    own = values[:, [first]]
    is_known = scores.estimable[:, [first]]
    ahead = scores.estimable & (values > own)
    if scores.group is not None:
        ahead &= (scores.group == scores.group[:, [first]]) | ~is_known
    best = np.argmax(np.where(ahead, values, -np.inf), axis=1)
    return np.where(ahead.any(axis=1), best, NOBODY).astype(np.int64)


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
    settings = method.complete(None)
    total = count(blocks, layout)
    whole = method.score_counted(total[np.newaxis], layout, **settings)
    places = ordinal_ranks(whole.rows(0))
    order = sorted(
        np.flatnonzero(places).tolist(), key=lambda index: int(places[index])
    )
    numbers, own = np.unique(unit, return_inverse=True)
    of_units = counts_of_units(blocks, layout, own.astype(np.int64), len(numbers))
    scores = method.score_counted(total - of_units, layout, **settings)
    sizes = np.bincount(own, minlength=len(numbers)).tolist()
    named = [names[number] for number in numbers.tolist()]
    firsts = _firsts(blocks.systems, scores, order)
    leads = _leads(scores, order)
    rows = [
        LeftOut(*row)
        for row in zip(
            named, sizes, firsts, leads, _swapped(blocks, whole, scores), strict=True
        )
    ]
    lead = _leads(whole, order)[0]
    return WithoutEach(
        first=blocks.systems[order[0]] if order else None,
        second=blocks.systems[order[1]] if len(order) > 1 else None,
        lead=lead,
        units=tuple(sorted(rows, key=_by_lead)),
    )


def _by_lead(row: LeftOut) -> tuple[bool, float, str]:
    return row.lead is None, row.lead or 0.0, row.unit


def _firsts(
    systems: tuple[str, ...], scores: Scores, order: list[int]
) -> list[str | None]:
    if not order:
        return [None] * len(scores.values)
    ahead = overtaken_by(scores, order[0])
    return [
        systems[new] if new != NOBODY else (systems[order[0]] if is_known else None)
        for new, is_known in zip(
            ahead.tolist(), scores.estimable[:, order[0]].tolist(), strict=True
        )
    ]


def _leads(scores: Scores, order: list[int]) -> list[float | None]:
    if len(order) < 2:
        return [None] * len(scores.values)
    first, second = order[:2]
    leads = np.round(scores.values[:, first] - scores.values[:, second], TIE_DECIMALS)
    if scores.group is not None:
        leads[scores.group[:, first] != scores.group[:, second]] = np.nan
    return [None if np.isnan(lead) else lead + 0.0 for lead in leads.tolist()]


def _swapped(
    blocks: Blocks, whole: Scores, scores: Scores
) -> list[tuple[tuple[str, str], ...]]:
    """Return the pairs that swap places in each row of scores."""
    n = len(blocks.systems)
    before = _ahead(whole)[0]
    swapped: list[tuple[tuple[str, str], ...]] = []
    for rows in chunks(len(scores.values), max(1, _CELLS_AT_A_TIME // max(1, n * n))):
        changed = before & np.swapaxes(_ahead(scores.rows(rows)), 1, 2)
        for of_unit in changed:
            pairs = zip(*(each.tolist() for each in np.nonzero(of_unit)), strict=True)
            swapped.append(
                tuple((blocks.systems[a], blocks.systems[b]) for a, b in pairs)
            )
    return swapped


def _ahead(scores: Scores) -> BoolArray:
    """Return whether each system is ahead of each other, shape (R, n, n)."""
    values = np.round(scores.values, TIE_DECIMALS)
    ahead: BoolArray = values[:, :, np.newaxis] > values[:, np.newaxis, :]
    if scores.group is not None:
        ahead &= scores.group[:, :, np.newaxis] == scores.group[:, np.newaxis, :]
    return ahead

"""Pairs of comparisons of one item by different judges, counted segment by segment in one pass.

Importing this module imports numba, and compiles the first time. It is imported only by
`ranking.core.agreement.units`, where there is much to count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from optional_packages.numba import int64, njit, types
from ranking.core.judged.collapsed_candidates import Outcome

Int64Array = npt.NDArray[np.int64]

_COLUMN = types.Array(int64, 1, "C", readonly=True)
_TIE = int(Outcome.TIE)
#: In the other direction of a pair the two kinds of ties change places.
_TURNED = (0, 1, 3, 2)


@njit(cache=True)
def _sorted_by_item(
    item: Int64Array, judge: Int64Array, outcome: Int64Array, items: int
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return where each item starts, and judge and outcome of each comparison, by item."""
    start = np.zeros(items + 1, dtype=np.int64)
    for row in range(len(item)):
        start[item[row] + 1] += 1
    for one in range(items):
        start[one + 1] += start[one]
    place = start.copy()
    by, found = np.empty(len(item), dtype=np.int64), np.empty(len(item), dtype=np.int64)
    for row in range(len(item)):
        here = place[item[row]]
        by[here], found[here] = judge[row], outcome[row]
        place[item[row]] = here + 1
    return start, by, found


@njit(
    types.void(int64[::1], int64[::1], int64[:, ::1], int64[:, :, ::1], int64[:, ::1]), cache=True
)
def _add_item(
    by: Int64Array, found: Int64Array, rated: Int64Array, table: Int64Array, counts: Int64Array
) -> None:
    """Add the comparisons of an item: `by` rater and outcome, to `table` as rater and other rater.

    Two raters are added once, in either order. `rated`, of shape (raters, 3), is of zeros before and after.
    """
    raters = 0
    who = np.empty(len(by), dtype=np.int64)
    for row in range(len(by)):
        own = by[row]
        if rated[own, 0] + rated[own, 1] + rated[own, 2] == 0:
            who[raters] = own
            raters += 1
        rated[own, found[row]] += 1
    for one in range(raters):
        own = who[one]
        ties = rated[own, _TIE]
        size = rated[own, 0] + rated[own, 1] + rated[own, 2]
        counts[own, 4] += ties
        counts[own, 5] += size
        for other in range(one + 1, raters):
            their = who[other]
            their_size = rated[their, 0] + rated[their, 1] + rated[their, 2]
            pair = table[own, their]
            pair[0] += size * their_size
            pair[1] += (
                rated[own, 0] * rated[their, 0]
                + rated[own, 1] * rated[their, 1]
                + rated[own, 2] * rated[their, 2]
            )
            pair[2] += ties * their_size
            pair[3] += size * rated[their, _TIE]
    for one in range(raters):
        rated[who[one]] = 0


@njit(
    types.void(int64[:, :, ::1], int64[::1], int64[:, ::1], int64[:, :, ::1], int64[:, :, ::1]),
    cache=True,
)
def _add_segment(
    table: Int64Array,
    judges: Int64Array,
    counts: Int64Array,
    others: Int64Array,
    moments: Int64Array,
) -> None:
    """Add what the judges of a segment have in common to the sums of all segments."""
    pair = np.empty(4, dtype=np.int64)
    for own in range(len(judges)):
        for their in range(len(judges)):
            for kind in range(4):
                pair[kind] = table[own, their, kind] + table[their, own, _TURNED[kind]]
            if pair[0] == 0:
                continue
            judge = judges[own]
            for kind in range(4):
                counts[own, kind] += pair[kind]
                others[judge, judges[their], kind] += pair[kind]
                for again in range(4):
                    moments[judge, kind, again] += pair[kind] * pair[again]


@njit(
    int64(
        *(_COLUMN, _COLUMN, _COLUMN, _COLUMN),
        *(int64[:, ::1], int64[:, ::1], int64[:, :, ::1], int64[:, :, ::1]),
    ),
    cache=True,
)
def count_pairs(
    item: Int64Array,
    judge: Int64Array,
    outcome: Int64Array,
    item_segment: Int64Array,
    raters: Int64Array,
    counts: Int64Array,
    others: Int64Array,
    moments: Int64Array,
) -> int:
    """Count as `ranking.core.agreement.units` does; return the number R of pairs of segment and judge.

    Parameters
    ----------
    item, judge, outcome : int64, shape (C,)
        Of each comparison, with 0 ≤ judge < J.
    item_segment : int64, shape (items,)
        Not falling, so that the items of a segment stand together.
    raters, counts : int64, shapes (C, 2) and (C, 6)
        Zeros. The first R rows become each segment's number and one of its judges, sorted, and their
        `AgreementCounts.counts`.
    others, moments : int64, shapes (J, J, 4) and (J, 4, 4)
        The arrays of `SharedItemCounts`, to which those of these comparisons are added.
    """
    items, judges = len(item_segment), len(others)
    start, by, found = _sorted_by_item(item, judge, outcome, items)
    seen, rater = np.full(judges, -1, dtype=np.int64), np.empty(judges, dtype=np.int64)
    total, first = 0, 0
    while first < items:
        last = first
        while last < items and item_segment[last] == item_segment[first]:
            last += 1
        rows = slice(start[first], start[last])
        seen[by[rows]] = first
        here = np.flatnonzero(seen == first)
        rater[here] = np.arange(len(here))
        by[rows] = rater[by[rows]]
        table = np.zeros((len(here), len(here), 4), dtype=np.int64)
        rated = np.zeros((len(here), 3), dtype=np.int64)
        end = total + len(here)
        for each in range(first, last):
            rows = slice(start[each], start[each + 1])
            _add_item(by[rows], found[rows], rated, table, counts[total:end])
        _add_segment(table, here, counts[total:end], others, moments)
        raters[total:end, 0], raters[total:end, 1] = item_segment[first], here
        total, first = end, last
    return total

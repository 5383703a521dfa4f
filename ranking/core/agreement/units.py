"""Ratings of items by judges, grouped into the units that measures of agreement compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import MAX_LABEL
from ranking.core.judged.collapsed_candidates import CollapsedComparisons, CollapsedLabels, Outcome

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """Ratings of each item by each judge, for N pairs of an item and one of its judges.

    Attributes
    ----------
    item, judge : int64, shape (N,)
        Sorted by item, then judge, without duplicates.
    counts : int64, shape (N, K)
        Number of the judge's ratings of the item in each of K categories.
    item_segment : int64, shape (items,)
        Segment number of each item.
    """

    item: Int64Array
    judge: Int64Array
    counts: Int64Array
    item_segment: Int64Array


@dataclass(frozen=True, eq=False)
class Units:
    """Units with at least two ratings to compare, grouped by segment and size.

    Attributes
    ----------
    segment : int64, shape (G,)
        Segment number of the units of each group.
    size, compared : int64, shape (G,)
        Ratings, and compared ordered pairs of ratings, in each unit of the group.
    units : int64, shape (G,)
        Number of units in the group.
    values : int64, shape (G, K)
        Ratings in each of K categories, summed over the units of the group.
    pairs : int64, shape (G, K, K)
        Compared ordered pairs of ratings by their two categories; symmetric.
    """

    segment: Int64Array
    size: Int64Array
    compared: Int64Array
    units: Int64Array
    values: Int64Array
    pairs: Int64Array


def cells_of_comparisons(comparisons: CollapsedComparisons, judges: int) -> Cells:
    """Return comparisons as cells; the K = 3 categories are those of `Outcome`."""
    return _cells(
        comparisons.item,
        comparisons.judge,
        comparisons.outcome,
        judges=judges,
        categories=len(Outcome),
        item_segment=comparisons.item_segment,
    )


def cells_of_labels(labels: CollapsedLabels, judges: int) -> Cells:
    """Return labels as cells; the K = 5 categories are the labels, best first."""
    return _cells(
        labels.item,
        labels.judge,
        labels.label - 1,
        judges=judges,
        categories=MAX_LABEL,
        item_segment=labels.item_segment,
    )


def _cells(
    item: Int64Array,
    judge: Int64Array,
    category: Int64Array,
    *,
    judges: int,
    categories: int,
    item_segment: Int64Array,
) -> Cells:
    judges = max(judges, 1)
    codes, cell = np.unique(item * judges + judge, return_inverse=True)
    counts = np.bincount(cell * categories + category, minlength=len(codes) * categories)
    cell_item, cell_judge = np.divmod(codes, judges)
    return Cells(
        item=cell_item,
        judge=cell_judge,
        counts=counts.reshape(-1, categories),
        item_segment=item_segment,
    )


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The unit of each of N cells, with and without the ratings of the cell's judge.

    There is one group for each cell, even if nothing is compared. A unit of several judges occurs
    several times; `once`, bool of shape (N,), selects each unit once.
    """

    with_judge: Units
    without_judge: Units
    once: npt.NDArray[np.bool_]


def inter_left_out(cells: Cells) -> LeftOut:
    """Return the units of `inter_units` without each judge of each item."""
    counts = cells.counts
    own = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    starts, place = _items(cells)
    values, owns = _summed(counts, starts)[place], _summed(own, starts)[place]

    def units(values: Int64Array, owns: Int64Array) -> Units:
        return _singly(cells, values, values[:, :, np.newaxis] * values[:, np.newaxis, :] - owns)

    return LeftOut(units(values, owns), units(values - counts, owns - own), _first(cells, starts))


def pooled_left_out(cells: Cells) -> LeftOut:
    """Return the units of `pooled_units` without each judge of each item."""
    starts, place = _items(cells)
    values = _summed(cells.counts, starts)[place]
    others = values - cells.counts
    return LeftOut(
        _singly(cells, values, _own_pairs(values)),
        _singly(cells, others, _own_pairs(others)),
        _first(cells, starts),
    )


def intra_left_out(cells: Cells) -> LeftOut:
    """Return the units of `intra_units` left out one by one; each is of one judge."""
    nothing = np.zeros_like(cells.counts)
    return LeftOut(
        _singly(cells, cells.counts, _own_pairs(cells.counts)),
        _singly(cells, nothing, _own_pairs(nothing)),
        np.ones(len(cells.item), dtype=np.bool_),
    )


def _items(cells: Cells) -> tuple[Int64Array, Int64Array]:
    """Return the index of the first cell of each rated item, and for each cell the item's index."""
    _, starts = _groups(cells.item)
    counts = np.diff(np.append(starts, len(cells.item)))
    return starts, np.repeat(np.arange(len(starts)), counts)


def _first(cells: Cells, starts: Int64Array) -> npt.NDArray[np.bool_]:
    first = np.zeros(len(cells.item), dtype=np.bool_)
    first[starts] = True
    return first


def _singly(cells: Cells, values: Int64Array, pairs: Int64Array) -> Units:
    """Return each cell as a group of its own; without compared pairs, all its counts are 0."""
    compared = pairs.sum(axis=(1, 2))
    some = (compared > 0).astype(np.int64)
    return Units(
        segment=cells.item_segment[cells.item],
        size=values.sum(axis=1),
        compared=compared,
        units=some,
        values=values * some[:, np.newaxis],
        pairs=pairs,
    )


def inter_units(cells: Cells) -> Units:
    """Return one unit for each item rated by at least two judges.

    Ratings by different judges are compared. A judge's own repeated ratings are not compared with
    each other, but each of them is compared with those of the other judges.
    """
    _, starts = _groups(cells.item)
    values = _summed(cells.counts, starts)
    own = cells.counts[:, :, np.newaxis] * cells.counts[:, np.newaxis, :]
    pairs = values[:, :, np.newaxis] * values[:, np.newaxis, :] - _summed(own, starts)
    return _comparable(cells.item_segment[cells.item[starts]], values, pairs)


def intra_units(cells: Cells) -> Units:
    """Return one unit for each judge and item that the judge rated more than once."""
    counts = cells.counts
    return _comparable(cells.item_segment[cells.item], counts, _own_pairs(counts))


def pooled_units(cells: Cells) -> Units:
    """Return one unit for each item rated at least twice, by any judges."""
    _, starts = _groups(cells.item)
    values = _summed(cells.counts, starts)
    return _comparable(cells.item_segment[cells.item[starts]], values, _own_pairs(values))


def _summed(values: Int64Array, starts: Int64Array) -> Int64Array:
    # `reduceat` raises an error for empty input.
    return np.add.reduceat(values, starts, axis=0) if len(starts) else values


def _own_pairs(counts: Int64Array) -> Int64Array:
    pairs: Int64Array = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    category = np.arange(counts.shape[1])
    pairs[:, category, category] -= counts
    return pairs


def _comparable(segment: Int64Array, values: Int64Array, pairs: Int64Array) -> Units:
    """Return the units with compared pairs, summed by segment and size."""
    size, compared = values.sum(axis=1), pairs.sum(axis=(1, 2))
    order, starts = _groups(segment, size, compared, where=compared > 0)
    kept = order[starts]
    return Units(
        segment=segment[kept],
        size=size[kept],
        compared=compared[kept],
        units=_summed(np.ones(len(order), dtype=np.int64), starts),
        values=_summed(values[order], starts),
        pairs=_summed(pairs[order], starts),
    )


def _groups(
    *columns: Int64Array, where: npt.NDArray[np.bool_] | None = None
) -> tuple[Int64Array, Int64Array]:
    """Return the order that sorts rows by columns, and the index in it where each group starts."""
    order = np.lexsort(columns[::-1])
    if where is not None:
        order = order[where[order]]
    changed = np.zeros(max(0, len(order) - 1), dtype=np.bool_)
    for column in columns:
        changed |= column[order[1:]] != column[order[:-1]]
    first = np.zeros(min(1, len(order)), dtype=np.int64)
    return order, np.concatenate([first, np.flatnonzero(changed) + 1])

"""Whole-number sums that agreement, its intervals and disagreement are computed from.

They are sums over segments, so those of shards of whole segments add up, and a judgment changes
them by the difference of its segment's sums with and without it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement.counts import (
    AGREEING,
    COMPARABLE,
    COMPARISONS,
    OTHER_TIES,
    OWN_TIES,
    TIES,
    count_agreement,
)
from ranking.core.judged.blocks import Blocks

Int64Array = npt.NDArray[np.int64]

#: The counts of a judge on a segment that are pairs with others.
PAIRS = (COMPARABLE, AGREEING, OWN_TIES, OTHER_TIES)
#: The counts that κ of all judges is computed from.
OF_ALL = (COMPARABLE, AGREEING, TIES, COMPARISONS)
#: Leaving out a judge also removes the pairs that count for the other judge, but no other ties.
GONE_WITH_JUDGE = np.array([2, 2, 1, 1])
_COUNTS = 6


@dataclass(frozen=True, eq=False)
class AgreementTallies:
    """Sums over segments for J judges; all int64.

    A judge's counts on a segment are the columns of `ranking.core.agreement.counts`. "Products" are
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
        The `PAIRS` of each two judges.
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
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "judges"}

    def change(self, other: AgreementTallies, sign: int) -> None:
        """Add the sums of some of these judges in place, or with a sign of −1 subtract them."""
        place = {name: index for index, name in enumerate(self.judges)}
        own = np.array([place[name] for name in other.judges], dtype=np.int64)
        mine, theirs = self.arrays(), other.arrays()
        for name, rows in _rows(own).items():
            mine[name][rows] += sign * theirs[name]

    def over(self, judges: tuple[str, ...]) -> AgreementTallies:
        """Return a copy over other judges; those not among these have sums of 0."""
        if judges == self.judges:
            copied = {name: array.copy() for name, array in self.arrays().items()}
            return AgreementTallies(judges=judges, **copied)
        found = no_agreement(judges)
        place = {name: index for index, name in enumerate(self.judges)}
        kept = [name for name in judges if name in place]
        here = np.array([place[name] for name in kept], dtype=np.int64)
        new_place = {name: index for index, name in enumerate(judges)}
        there = np.array([new_place[name] for name in kept], dtype=np.int64)
        mine, copied, from_rows = self.arrays(), found.arrays(), _rows(here)
        for name, rows in _rows(there).items():
            copied[name][rows] = mine[name][from_rows[name]]
        return found


def _rows(judges: Int64Array) -> dict[str, Any]:
    """Return where the sums of some judges are, by the name of the array."""
    by_judge = (
        *("blocks", "segments", "of_judges"),
        *("products", "products_with_others", "products_with_all"),
    )
    return {
        "numbers": ...,
        "products_of_all": ...,
        "products_of_raters": ...,
        "with_others": np.ix_(judges, judges),
        **dict.fromkeys(by_judge, judges),
    }


def no_agreement(judges: tuple[str, ...]) -> AgreementTallies:
    """Return sums of 0."""
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
    zeros = {name: np.zeros(shape, dtype=np.int64) for name, shape in shapes.items()}
    return AgreementTallies(judges=judges, **zeros)


def tally_agreement(blocks: Blocks) -> AgreementTallies:
    """Return the sums of the judges of blocks, in the order of `Blocks.judges`.

    Parameters
    ----------
    blocks : Blocks
        Of whole segments.

    Returns
    -------
    AgreementTallies
    """
    judges = len(blocks.judges)
    found = count_agreement(blocks, shared_items=True)
    counts, shared = found.counts, found.shared_items
    if shared is None:
        raise ValueError("counts: expected those with shared items")
    own, all_of_them = counts[:, PAIRS], counts[:, OF_ALL]
    raters, on_segments = (
        _summing(found.judge, judges),
        _summing(found.segment, len(found.segments)),
    )
    by_segment = np.asarray(on_segments @ all_of_them)
    pairs = counts[:, [COMPARABLE, AGREEING]]
    gone = GONE_WITH_JUDGE * all_of_them
    return AgreementTallies(
        judges=blocks.judges,
        blocks=np.bincount(blocks.judge, minlength=judges).astype(np.int64),
        numbers=np.array([len(found.segments), np.count_nonzero(by_segment[:, 0])], dtype=np.int64),
        segments=np.bincount(found.judge[counts[:, COMPARABLE] > 0], minlength=judges).astype(
            np.int64
        ),
        of_judges=found.by_judge(judges),
        with_others=shared.others,
        products=_products(raters, own, own),
        products_with_others=shared.moments,
        products_with_all=_products(raters, pairs, by_segment[found.segment][:, :2]),
        products_of_all=by_segment.T @ by_segment,
        products_of_raters=gone.T @ gone,
    )


def _summing(place: Int64Array, places: int) -> sparse.csr_array[np.int64]:
    """Return the matrix whose product with rows is their sum by place."""
    ones = np.ones(len(place), dtype=np.int64)
    return sparse.csr_array((ones, (place, np.arange(len(place)))), shape=(places, len(place)))


def _products(
    summing: sparse.csr_array[np.int64], one: Int64Array, other: Int64Array
) -> Int64Array:
    """Return the products of two tables of rows, summed: of shape (places, columns, columns)."""
    rows = one[:, :, np.newaxis] * other[:, np.newaxis, :]
    summed = np.asarray(summing @ rows.reshape(len(one), one.shape[1] * other.shape[1]))
    return summed.reshape(summing.shape[0], one.shape[1], other.shape[1])

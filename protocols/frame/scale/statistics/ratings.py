"""Ratings of one criterion as columns: item, judge and points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.arrays import BoolArray, Int64Array

#: Points on the scale of Hamon et al. (2007); the highest is the best.
POINTS = 5


@dataclass(frozen=True)
class Items:
    """Rated items: I distinct texts, each of a segment.

    Attributes
    ----------
    systems : tuple of str, length K
    segment : int64, shape (I,)
        Number of the segment, from 1.
    wrote : bool, shape (I, K)
        Systems that wrote the text: at least one per item, and a system has one item per segment
        and condition.
    conditions : tuple of str
        Kinds of input, such as speech transcripts; () if none is named.
    condition : int64, shape (I,)
        Index in `conditions`; -1 if none is named.
    """

    systems: tuple[str, ...]
    segment: Int64Array
    wrote: BoolArray
    conditions: tuple[str, ...]
    condition: Int64Array

    def __len__(self) -> int:
        return len(self.segment)


@dataclass(frozen=True, eq=False)
class Ratings:
    """N ratings of items by one criterion; a judge rates an item at most once.

    Attributes
    ----------
    items : Items
        I items; some may have no rating.
    judges : tuple of str, length J
        Sorted by name; some may have no rating.
    item : int64, shape (N,)
        Index of the rated item.
    judge : int64, shape (N,)
        Index of the judge.
    value : int64, shape (N,)
        1 … `points`, the highest is the best.
    points : int
    """

    items: Items
    judges: tuple[str, ...]
    item: Int64Array
    judge: Int64Array
    value: Int64Array
    points: int = POINTS

    def __len__(self) -> int:
        return len(self.value)

    @property
    def segment(self) -> Int64Array:
        """Segment of each rating, shape (N,)."""
        return self.items.segment[self.item]

    @property
    def met_again(self) -> int:
        """Number of ratings by judges who also rated another text of the segment, which the
        protocol forbids.
        """
        pairs = self.segment * max(1, len(self.judges)) + self.judge
        return len(pairs) - len(np.unique(pairs))

    def take(self, rows: BoolArray | Int64Array) -> Ratings:
        """Return the selected ratings, with the same items and judges."""
        return replace(self, item=self.item[rows], judge=self.judge[rows], value=self.value[rows])

    def of_condition(self, condition: int) -> Ratings:
        """Return the ratings of items of one condition."""
        return self.take(self.items.condition[self.item] == condition)

    def without(self, judges: Sequence[str]) -> Ratings:
        """Return the ratings of the other judges."""
        out = np.array([name in set(judges) for name in self.judges], dtype=np.bool_)
        return self.take(~out[self.judge]) if len(self) else self

    def only(self, judges: Sequence[str]) -> Ratings:
        """Return the ratings of these judges."""
        return self.without([name for name in self.judges if name not in set(judges)])

    def merged(self) -> Ratings:
        """Return the same ratings on the three points that Hamon et al. (2007, §4) propose: 1–2, 3, and 4–5."""
        points_to = np.array([0, 1, 1, 2, 3, 3])
        return replace(self, value=points_to[self.value], points=3)

    def counts(self) -> Int64Array:
        """Return the number of judges who gave each item each number of points, shape (I, points)."""
        found = np.zeros((len(self.items), self.points), dtype=np.int64)
        np.add.at(found, (self.item, self.value - 1), 1)
        return found

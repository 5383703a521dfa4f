"""Ratings of one criterion as columns: item, judge and points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array

#: Points on the scale of Hamon et al. (2007); the highest is the best.
POINTS = 5
#: Highest value of scales that are rated with a slider, from 0.
HUNDRED = 100
#: Most points of other scales.
MAX_POINTS = 11


@dataclass(frozen=True, slots=True)
class Scale:
    """Values of a criterion: whole numbers from `lowest` to `highest`."""

    lowest: int = 1
    highest: int = POINTS
    lower_is_better: bool = False

    def __str__(self) -> str:
        return f"{self.lowest}-{self.highest}"

    def __contains__(self, value: int) -> bool:
        return self.lowest <= value <= self.highest

    @property
    def points(self) -> int:
        """Number of values."""
        return self.highest - self.lowest + 1

    @property
    def is_known(self) -> bool:
        """True for scales that a criterion may have."""
        return 2 <= self.points <= MAX_POINTS or self.is_continuous

    @property
    def is_continuous(self) -> bool:
        """True from 0 to 100."""
        return (self.lowest, self.highest) == (0, HUNDRED)

    @property
    def has_five_points(self) -> bool:
        """True from 1 to 5, as in Hamon et al. (2007)."""
        return (self.lowest, self.highest) == (1, POINTS)

    @property
    def best(self) -> int:
        """The best value."""
        if self.lower_is_better:
            return self.lowest
        return self.highest


#: The scale of Hamon et al. (2007).
PAPER_SCALE = Scale()


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
        Whole numbers on the scale.
    scale : Scale
    """

    items: Items
    judges: tuple[str, ...]
    item: Int64Array
    judge: Int64Array
    value: Int64Array
    scale: Scale = PAPER_SCALE

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
        return replace(
            self,
            item=self.item[rows],
            judge=self.judge[rows],
            value=self.value[rows],
        )

    def of_condition(self, condition: int) -> Ratings:
        """Return the ratings of items of one condition."""
        return self.take(self.items.condition[self.item] == condition)

    def without(self, judges: Sequence[str]) -> Ratings:
        """Return the ratings of the other judges."""
        out = np.array([name in set(judges) for name in self.judges], dtype=np.bool_)
        if len(self):
            return self.take(~out[self.judge])
        return self

    def only(self, judges: Sequence[str]) -> Ratings:
        """Return the ratings of these judges."""
        others = []
        for name in self.judges:
            if name not in set(judges):
                others.append(name)
        return self.without(others)

    def merged(self) -> Ratings:
        """Return the same ratings on the three points that Hamon et al. (2007, §4) propose: 1–2, 3, and 4–5."""
        points_to = np.array([0, 1, 1, 2, 3, 3])
        return replace(
            self,
            value=points_to[self.value],
            scale=replace(self.scale, highest=3),
        )

    def in_tens(self) -> Ratings:
        """Return ratings from 0 to 100 on eleven points, for agreement: 0–4, 5–14, …, 95–100."""
        return replace(
            self,
            value=(self.value + 5) // 10,
            scale=replace(self.scale, highest=10),
        )

    def counts(self) -> Int64Array:
        """Return the number of judges who gave each item each value, from the lowest, shape (I, points)."""
        numbers = np.zeros((len(self.items), self.scale.points), dtype=np.int64)
        np.add.at(numbers, (self.item, self.value - self.scale.lowest), 1)
        return numbers


@dataclass(frozen=True, eq=False)
class WeightedRatings:
    """Items that judges rated by several criteria, and the weighted mean of each judge's ratings of an item.

    `value` (N,) belongs to the N `ratings`, whose own values are those of the first criterion.
    """

    ratings: Ratings
    value: FloatArray


def weighted_ratings(
    rated: Sequence[Ratings],
    weights: Sequence[int],
) -> WeightedRatings:
    """Return the weighted means of judges' ratings by criteria on one scale; higher is better.

    Items that a judge did not rate by all of the criteria are left out.

    Parameters
    ----------
    rated : sequence of Ratings
        Ratings of the same items by the same judges, on the same scale.
    weights : sequence of int
    """
    keys = []
    for rating in rated:
        keys.append(rating.item * max(1, len(rating.judges)) + rating.judge)
    common = reduce(np.intersect1d, keys)
    rows = []
    for key in keys:
        rows.append(np.intersect1d(key, common, return_indices=True)[1])
    total = np.zeros(len(common))
    for criterion_ratings, own, weight in zip(rated, rows, weights, strict=True):
        value = criterion_ratings.value[own]
        if criterion_ratings.scale.lower_is_better:
            value = (
                criterion_ratings.scale.lowest + criterion_ratings.scale.highest - value
            )
        total += weight * value
    scale = replace(rated[0].scale, lower_is_better=False)
    ratings = replace(rated[0].take(rows[0]), scale=scale)
    return WeightedRatings(ratings, total / sum(weights))

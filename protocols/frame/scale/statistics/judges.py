"""Each judge beside the others on the same items (Hamon et al. 2007, §3.3), and standardised values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protocols.frame.scale.statistics.ratings import Ratings
from ranking.core.arrays import BoolArray, FloatArray, Int64Array


@dataclass(frozen=True)
class RatingJudge:
    """Summary of a judge's ratings by one criterion.

    Attributes
    ----------
    judge : str
    ratings : int
        All of them.
    mean : float
        Of all of them (Figures 2 and 3: the rising curve).
    deviation : float or None
        Standard deviation (n − 1); None of one rating.
    shared : int
        Ratings of items that others rated, too.
    others : float or None
        Mean of the others on these items, each item counting alike (the peaky curve).
    difference : float or None
        The judge's mean on these items − that of the others: below 0 is stricter.
    distance : float or None
        d_j: mean absolute difference to the others, from 0 to points − 1 (Figures 4 and 5).
    easy : int
        Easy items that the judge rated.
    easy_missed : int
        Of these, those rated below the limit.
    """

    judge: str
    ratings: int
    mean: float
    deviation: float | None
    shared: int
    others: float | None
    difference: float | None
    distance: float | None
    easy: int
    easy_missed: int

    @property
    def easy_share(self) -> float | None:
        """Share of easy items rated below the limit."""
        return self.easy_missed / self.easy if self.easy else None


def rating_judges(
    ratings: Ratings, *, easy: BoolArray | None = None, easy_below: int | None = None
) -> tuple[RatingJudge, ...]:
    """Compare each judge with the others on the same items.

    Parameters
    ----------
    ratings : Ratings
        N ratings of I items.
    easy : bool, shape (I,), optional
        Easy items, as selected by a reader. Without, an item is easy for a judge if
        all others, one or more, gave it the most points.
    easy_below : int, optional
        A rating of an easy item below this misses it; the most points if not given.

    Returns
    -------
    tuple of RatingJudge
        Judges with ratings, in the order of their names.

    Raises
    ------
    ValueError
        If `easy` has another shape, or `easy_below` is no point.
    """
    limit = ratings.points if easy_below is None else easy_below
    if not 1 <= limit <= ratings.points:
        raise ValueError(f"easy_below: expected a number from 1 to {ratings.points}")
    if easy is not None and easy.shape != (len(ratings.items),):
        raise ValueError("easy: expected one of each item")
    counts = ratings.counts()
    rows = counts[ratings.item]
    others = rows.sum(axis=1) - 1
    steps = np.arange(1, ratings.points + 1)
    own = ratings.value
    # The judge's own rating differs from itself by nothing, and is taken out of the sum.
    of_others = np.full(len(ratings), np.nan)
    apart = np.full(len(ratings), np.nan)
    shared = others > 0
    np.divide(rows @ steps - own, others, out=of_others, where=shared)
    distances = (rows * np.abs(steps - own[:, np.newaxis])).sum(axis=1)
    np.divide(distances.astype(np.float64), others, out=apart, where=shared)
    if easy is None:
        best = rows[:, -1] - (own == ratings.points)
        is_easy = shared & (best == others)
    else:
        is_easy = easy[ratings.item]
    found = []
    for judge, name in enumerate(ratings.judges):
        mine = ratings.judge == judge
        if not mine.any():
            continue
        both = mine & shared
        some = bool(both.any())
        found.append(
            RatingJudge(
                judge=name,
                ratings=int(mine.sum()),
                mean=float(own[mine].mean()),
                deviation=float(own[mine].std(ddof=1)) if mine.sum() > 1 else None,
                shared=int(both.sum()),
                others=float(of_others[both].mean()) if some else None,
                difference=float(own[both].mean() - of_others[both].mean()) if some else None,
                distance=float(apart[both].mean()) if some else None,
                easy=int((mine & is_easy).sum()),
                easy_missed=int((mine & is_easy & (own < limit)).sum()),
            )
        )
    return tuple(found)


def proposed_easy_items(
    ratings: Ratings, words: Int64Array | None = None, *, most: int = 80
) -> Int64Array:
    """Return candidates for easy items, to be checked by a person: all their judges gave the most points.

    Parameters
    ----------
    ratings : Ratings
        Of I items.
    words : int64, shape (I,), optional
        Length of each item's source: the shortest come first. Without, those of most judges do.
    most : int
        Maximum number of items; Hamon et al. (2007) chose 80.

    Returns
    -------
    int64, shape (≤ most,)
        Places of items.
    """
    counts = ratings.counts()
    number = counts.sum(axis=1)
    found = np.flatnonzero((number > 1) & (counts[:, -1] == number))
    order = -number if words is None else words
    return found[np.argsort(order[found], kind="stable")][:most]


@dataclass(frozen=True, eq=False)
class Standardised:
    """Ratings in units of each judge's own spread.

    Attributes
    ----------
    ratings : Ratings
        Without those of `left_out`.
    value : float64, shape (N,)
        z = (x − mean of the judge) / standard deviation of the judge (n − 1).
    left_out : tuple of str
        Judges all of whose ratings are alike, or who gave one only: they have no spread.
    """

    ratings: Ratings
    value: FloatArray
    left_out: tuple[str, ...]


def standardised(ratings: Ratings) -> Standardised:
    """Return ratings standardised by judge, as WMT does with direct assessments.

    This is not in Hamon et al. (2007). It takes away how strict a judge is and how widely they use the
    scale, and, where judges met outputs of unlike quality, part of what outputs differ by.
    """
    number = np.bincount(ratings.judge, minlength=len(ratings.judges))
    total = np.bincount(ratings.judge, ratings.value, minlength=len(ratings.judges))
    mean = total / np.maximum(1, number)
    apart = ratings.value - mean[ratings.judge]
    squares = np.bincount(ratings.judge, apart**2, minlength=len(ratings.judges))
    spread = np.sqrt(squares / np.maximum(1, number - 1))
    # The mean of equal ratings may be rounded.
    known = spread > 1e-9
    kept = known[ratings.judge]
    return Standardised(
        ratings=ratings.take(kept),
        value=apart[kept] / spread[ratings.judge[kept]],
        left_out=tuple(
            name for place, name in enumerate(ratings.judges) if number[place] and not known[place]
        ),
    )

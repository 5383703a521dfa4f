"""Comparison of each judge with the others on the same items (Hamon et al. 2007, §3.3), and
standardised ratings.
"""

from dataclasses import dataclass

import numpy as np

from protocols.frame.scale.statistics.ratings import Ratings
from ranking.core.arrays import BoolArray, FloatArray, Int64Array, share
from ranking.core.scored.means import standardised_by_judge


@dataclass(frozen=True)
class RatingJudge:
    """Summary of a judge's ratings by one criterion.

    Attributes
    ----------
    judge : str
    ratings : int
        Number of all ratings.
    mean : float
        Mean of all ratings (Figures 2 and 3: the rising curve).
    deviation : float or None
        Standard deviation (n − 1); None for a single rating.
    shared : int
        Ratings of items that other judges rated as well.
    others : float or None
        Mean of the others on these items; items weigh equally (the jagged curve).
    difference : float or None
        The judge's mean on these items minus that of the others; negative if the judge is stricter.
    distance : float or None
        d_j: mean absolute difference from the others, from 0 to points − 1 (Figures 4 and 5).
    easy : int
        Easy items that the judge rated.
    easy_missed : int
        Easy items rated below the limit.
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
        if self.easy:
            return self.easy_missed / self.easy
        return None


def rating_judges(
    ratings: Ratings,
    *,
    easy: BoolArray | None = None,
    easy_below: int | None = None,
) -> tuple[RatingJudge, ...]:
    """Compare each judge with the others on the same items.

    Parameters
    ----------
    ratings : Ratings
        N ratings of I items.
    easy : bool, shape (I,), optional
        Easy items, as selected by a person. If not given, an item is easy for a judge if all other
        judges of it, at least one, gave it the best rating.
    easy_below : int, optional
        An easy item rated worse than this is missed; the best rating if not given.

    Returns
    -------
    tuple of RatingJudge
        Judges with ratings, in the order of their names.
    """
    scale = ratings.scale
    if easy_below is None:
        limit = scale.best
    else:
        limit = easy_below
    counts = ratings.counts()
    rows = counts[ratings.item]
    others = rows.sum(axis=1) - 1
    steps = np.arange(scale.lowest, scale.highest + 1)
    own = ratings.value
    # The judge's own rating differs from itself by 0, so it drops out of the sum.
    shared = others > 0
    of_others = share(rows @ steps - own, others)
    apart = share((rows * np.abs(steps - own[:, np.newaxis])).sum(axis=1), others)
    if easy is None:
        best = rows[:, scale.best - scale.lowest] - (own == scale.best)
        is_easy = shared & (best == others)
    else:
        is_easy = easy[ratings.item]
    if scale.lower_is_better:
        is_worse = own > limit
    else:
        is_worse = own < limit
    rows_of_judges = []
    for judge, name in enumerate(ratings.judges):
        mine = ratings.judge == judge
        if not mine.any():
            continue
        both = mine & shared
        deviation = None
        if mine.sum() > 1:
            deviation = float(own[mine].std(ddof=1))
        others_mean = None
        difference = None
        distance = None
        if both.any():
            others_mean = float(of_others[both].mean())
            difference = float(own[both].mean() - others_mean)
            distance = float(apart[both].mean())
        rows_of_judges.append(
            RatingJudge(
                judge=name,
                ratings=int(mine.sum()),
                mean=float(own[mine].mean()),
                deviation=deviation,
                shared=int(both.sum()),
                others=others_mean,
                difference=difference,
                distance=distance,
                easy=int((mine & is_easy).sum()),
                easy_missed=int((mine & is_easy & is_worse).sum()),
            ),
        )
    return tuple(rows_of_judges)


def proposed_easy_items(
    ratings: Ratings,
    word_counts: Int64Array | None = None,
    *,
    most: int = 80,
) -> Int64Array:
    """Return items that all their judges gave the best rating: candidates for easy items, for
    review.

    Parameters
    ----------
    ratings : Ratings
        Ratings of I items.
    word_counts : int64, shape (I,), optional
        Length of each item's source; the shortest come first. If not given, items with the most
        judges come first.
    most : int
        Maximum number of items; Hamon et al. (2007) chose 80.

    Returns
    -------
    int64, shape (≤ most,)
        Places of items.
    """
    counts = ratings.counts()
    scale = ratings.scale
    number = counts.sum(axis=1)
    proposed = np.flatnonzero(
        (number > 1) & (counts[:, scale.best - scale.lowest] == number),
    )
    order = -number if word_counts is None else word_counts
    return proposed[np.argsort(order[proposed], kind="stable")][:most]


@dataclass(frozen=True, eq=False)
class Standardised:
    """Ratings standardised by each judge's own mean and spread.

    Attributes
    ----------
    ratings : Ratings
        Without those of `left_out`.
    value : float64, shape (N,)
        z = (x − mean of the judge) / standard deviation of the judge (n − 1).
    left_out : tuple of str
        Judges without a spread: with a single rating, or with equal ratings only.
    """

    ratings: Ratings
    value: FloatArray
    left_out: tuple[str, ...]


def standardised(ratings: Ratings) -> Standardised:
    """Return ratings standardised by judge, as WMT does with direct assessments.

    This is not in Hamon et al. (2007). It removes differences in judges' severity and in their use
    of the scale, but also part of the real differences if judges rated outputs of different
    quality.
    """
    values = ratings.value.astype(np.float64)
    z = standardised_by_judge(values, ratings.judge, len(ratings.judges))
    is_finite = np.isfinite(z)
    left_out = []
    for judge in np.unique(ratings.judge[~is_finite]):
        left_out.append(ratings.judges[judge])
    return Standardised(
        ratings=ratings.take(is_finite),
        value=z[is_finite],
        left_out=tuple(left_out),
    )

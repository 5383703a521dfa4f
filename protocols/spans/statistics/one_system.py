"""Mean score of a system that is alone, with an interval over segments and judges."""

import numpy as np

from protocols.frame.scale.statistics.means import MeanRatings, mean_ratings
from protocols.frame.scale.statistics.ratings import Items, Ratings, Scale
from protocols.spans.records import MAX_SCORE
from ranking.core.scored.columns import ScoreColumns


def mean_of_one(
    columns: ScoreColumns,
    *,
    is_on_scale: bool,
    confidence: float,
    seed: int,
) -> MeanRatings:
    """Return the mean of the scores of the only system, as for ratings by a criterion.

    Parameters
    ----------
    columns : ScoreColumns
        Scores of one system.
    is_on_scale : bool
        Whether scores are from 0 to 100, where the interval ends; those by weights of errors are not.
    confidence : float
    seed : int
    """
    segments = len(columns.segments)
    items = Items(
        systems=columns.systems,
        segment=np.arange(1, segments + 1),
        wrote=np.ones((segments, 1), dtype=np.bool_),
        conditions=(),
        condition=np.full(segments, -1, dtype=np.int64),
    )
    ratings = Ratings(
        items=items,
        judges=columns.judges,
        item=columns.segment.astype(np.int64),
        judge=columns.judge.astype(np.int64),
        value=np.rint(columns.score).astype(np.int64),
        scale=Scale(lowest=0, highest=MAX_SCORE),
    )
    return mean_ratings(
        ratings,
        value=columns.score,
        is_on_scale=is_on_scale,
        confidence=confidence,
        seed=seed,
    )

"""Rankings by prediction-powered scores, beside those by people alone, with ranges over segments and judges."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.estimates import Estimate, t_quantile
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.people import Metric, NothingComparedError, People
from ranking.core.metrics.prediction_powered import (
    Predicted,
    predicted_scores,
    sample_p_value,
)
from ranking.core.ranges import RankRanges, clusters, rank_ranges
from ranking.core.scores import Scores, shared_ranks
from ranking.core.uncertainty import RangeLimit, draw_scores


@dataclass(frozen=True, eq=False)
class RankedScores:
    """Scores of n systems with their ranks and ranges.

    Attributes
    ----------
    scores, low, high : float64, shape (n,)
        Scores, and the ends of their intervals.
    rank : int64, shape (n,)
        1 for the best; equal systems share a rank.
    ranges : RankRanges
        Percentiles of ranks drawn with the covariance of the scores; they include the ranks.
    covariance : float64, shape (n, n)
    quantile : float
        Student's t for half the width of an interval, also of a difference of scores. Degrees of freedom are at most the
        effective number of judges and of segments (or documents) minus one.
    limits : tuple of RangeLimit
        Units that the ranges ignore.
    """

    scores: FloatArray
    low: FloatArray
    high: FloatArray
    rank: Int64Array
    ranges: RankRanges
    covariance: FloatArray
    quantile: float
    limits: tuple[RangeLimit, ...]

    @property
    def cluster(self) -> Int64Array:
        """Cluster of each system, 1 for the best: groups of overlapping rank ranges."""
        return clusters(self.ranges)


@dataclass(frozen=True, eq=False)
class PredictedRanking:
    """A ranking by people on some segments, completed by a machine on all of them.

    Attributes
    ----------
    systems : tuple of str, length n
    completed, people : RankedScores
        With and without the machine.
    weight : float
        Weight λ of the machine.
    can_save : bool
        Whether the machine scores unjudged segments, and enough judged ones; without, the weight is 0.
    saved : Estimate
        Share of human judgments that the machine saves.
    judged, segments : int
        Numbers of judged segments that the machine scores, and of all segments that it scores.
    sample_p : float
        p-value of "the judged segments are a random sample", by the machine's scores; NaN if it cannot tell.
    """

    systems: tuple[str, ...]
    completed: RankedScores
    people: RankedScores
    weight: float
    can_save: bool
    saved: Estimate
    judged: int
    segments: int
    sample_p: float


def ranked_scores(
    predicted: Predicted,
    drawing: Drawing,
    *,
    with_machine: bool,
) -> RankedScores:
    """Rank systems by their scores, with ranges over segments and, if known, judges."""
    if with_machine:
        values = predicted.scores
    else:
        values = predicted.people.scores
    covariance = predicted.covariance(with_machine=with_machine)
    # As for pairs: where the part over judges is small by chance, Satterthwaite's are too many.
    freedom = min(covariance.degrees_of_freedom, covariance.fewest_units - 1)
    quantile = float(t_quantile(drawing.confidence, freedom))
    reach = quantile * np.sqrt(np.diag(covariance.matrix))
    scores = Scores(values=values, estimable=np.ones(len(values), dtype=np.bool_))
    rank, last = shared_ranks(scores)
    drawn = draw_scores(
        scores=scores,
        covariance=covariance,
        ids=range(drawing.resamples),
        seed=drawing.seed,
        order=predicted.order,
    )
    ranges = rank_ranges(drawn, confidence=drawing.confidence)
    return RankedScores(
        scores=values,
        low=values - reach,
        high=values + reach,
        rank=rank,
        ranges=ranges.including(rank, last),
        covariance=covariance.matrix,
        quantile=quantile,
        limits=covariance.limits,
    )


def predicted_ranking(
    people: People,
    machine: Metric,
    documents: Mapping[int, int] | None = None,
) -> PredictedRanking:
    """Rank systems by people on some segments and a machine on all of them.

    Parameters
    ----------
    people : People
        Expected Wins if people rank outputs, mean scores if they score them.
    machine : Metric
        Over the same n systems.
    documents : mapping of int to int, optional
        Document of each segment, which ranges account for if enough of them are judged.

    Raises
    ------
    NothingComparedError
        If the machine scores some system on no judged segment.
    """
    has_no_score = np.isnan(machine.of(people.segments)).all(axis=0)
    if has_no_score.any():
        raise NothingComparedError(
            "the machine does not score all systems on judged segments",
        )
    predicted = predicted_scores(people, machine, documents)
    scored = ~np.isnan(machine.values).all(axis=1)
    is_judged = np.isin(machine.segments, people.segments)
    return PredictedRanking(
        systems=people.systems,
        completed=ranked_scores(predicted, people.drawing, with_machine=True),
        people=ranked_scores(predicted, people.drawing, with_machine=False),
        weight=predicted.weight,
        can_save=predicted.can_save,
        saved=predicted.judgments_saved(people.drawing),
        judged=int(np.count_nonzero(scored & is_judged)),
        segments=int(np.count_nonzero(scored)),
        sample_p=sample_p_value(
            values=machine.values[scored],
            is_judged=is_judged[scored],
            drawing=people.drawing,
        ),
    )

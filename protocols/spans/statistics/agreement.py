"""Agreement of judges on the scores of the same outputs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from protocols.spans.records import ScoredJudgment
from protocols.spans.statistics.columns import scores_of
from protocols.spans.weights import Weights
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.diagnosis.correlation import (
    ClusteredCorrelation,
    Coefficient,
    correlation_clustered,
)

#: With fewer shared outputs, there is no correlation.
_FEWEST: Final = 3
#: With fewer segments, there is no interval.
FEWEST_SEGMENTS: Final = 10


@dataclass(frozen=True, slots=True)
class JudgePairScores:
    """Two judges' scores of the outputs that both scored.

    Attributes
    ----------
    one, other : str
    shared : int
        Outputs that both scored.
    pearson, spearman, kendall : float or None
        None for fewer than three shared outputs, or if one of the two always gave the same score.
    low, high, spearman_low, spearman_high, kendall_low, kendall_high : float or None
        Ends of the intervals of `pearson`, Spearman's and Kendall's correlation, with segments as
        clusters; None with fewer than ten segments.
    difference : float
        Mean of the first judge's score minus the second's.
    distance : float
        Mean of the absolute difference.
    """

    one: str
    other: str
    shared: int
    pearson: float | None
    spearman: float | None
    kendall: float | None
    low: float | None
    high: float | None
    spearman_low: float | None
    spearman_high: float | None
    kendall_low: float | None
    kendall_high: float | None
    difference: float
    distance: float


@dataclass(frozen=True, slots=True)
class ScoreAgreement:
    """Agreement of scores between judges.

    Attributes
    ----------
    pairs : tuple of JudgePairScores
        Pairs of judges with a shared output, by name.
    shared : int
        Pairs of scores of one output by two judges.
    pearson : float or None
        Correlation over all these pairs, each in both orders, so that differences in severity lower
        it (Fisher's intraclass correlation).
    standardised : float or None
        The same for scores standardised by judge, which removes differences in how judges use the
        scale.
    low, high : float or None
        Ends of the interval of `pearson`, with segments as clusters; None with fewer than ten segments.
    distance : float or None
        Mean absolute difference.
    """

    pairs: tuple[JudgePairScores, ...]
    shared: int
    pearson: float | None
    standardised: float | None
    low: float | None
    high: float | None
    distance: float | None


#: An output: the place of its segment, and its first system by name.
Item = tuple[int, str]


def score_agreement(
    judgments: Sequence[ScoredJudgment],
    *,
    weights: Weights | None = None,
    confidence: float = 0.95,
) -> ScoreAgreement:
    """Measure how far judges agree on the scores of the same outputs.

    An item is an output: a system and a segment. If a judge scored an item several times, the last
    score counts. If several systems wrote an output, it counts once, for the first of them.
    `weights` are those of errors, for scores derived from them.
    """
    by_judge: dict[str, dict[Item, float]] = defaultdict(dict)
    for score in scores_of(judgments, weights):
        by_judge[score.judgment.judge][score.segment, min(score.output.systems)] = (
            score.score
        )
    standard = {}
    for judge, judge_scores in by_judge.items():
        standard[judge] = _standardise_scores(judge_scores)
    pairs = []
    raw = []
    of_items = []
    z = []
    of_z = []
    for one, other in combinations(sorted(by_judge), 2):
        items = sorted(by_judge[one].keys() & by_judge[other].keys())
        if not items:
            continue
        values = _values(items, by_judge[one], by_judge[other])
        segments = np.array([segment for segment, _system in items])
        pairs.append(_pair(one, other, values, segments, confidence))
        raw.append(values)
        of_items.append(segments)
        if standard[one] and standard[other]:
            z.append(_values(items, standard[one], standard[other]))
            of_z.append(segments)
    if not raw:
        return ScoreAgreement((), 0, None, None, None, None, None)
    together = np.concatenate(raw)
    segments = np.concatenate(of_items)
    both = _both_ways(together, segments, confidence)
    distance = np.abs(together[:, 0] - together[:, 1]).mean()
    standardised = None
    if z:
        standardised = _both_ways(
            np.concatenate(z),
            np.concatenate(of_z),
            confidence,
        ).value
    return ScoreAgreement(
        pairs=tuple(pairs),
        shared=len(together),
        pearson=both.value,
        standardised=standardised,
        low=both.low,
        high=both.high,
        distance=float(distance),
    )


def _values(
    items: Sequence[Item],
    one: dict[Item, float],
    other: dict[Item, float],
) -> FloatArray:
    values = []
    for item in items:
        values.append((one[item], other[item]))
    return np.array(values)


def _standardise_scores(scores: dict[Item, float]) -> dict[Item, float]:
    values = np.array(list(scores.values()))
    if len(values) < 2 or np.ptp(values) == 0:
        return {}
    z = (values - values.mean()) / values.std(ddof=1)
    return dict(zip(scores, z.tolist(), strict=True))


def _pair(
    one: str,
    other: str,
    values: FloatArray,
    segments: Int64Array,
    confidence: float,
) -> JudgePairScores:
    first, second = values.T
    figures: dict[str, float | None] = {}
    for coefficient in (Coefficient.PEARSON, Coefficient.SPEARMAN, Coefficient.KENDALL):
        correlation = _score_correlation(values, segments, confidence, coefficient)
        if coefficient is Coefficient.PEARSON:
            key = ""
        else:
            key = f"{coefficient}_"
        figures[coefficient.value] = correlation.value
        figures[f"{key}low"], figures[f"{key}high"] = correlation.low, correlation.high
    return JudgePairScores(
        one=one,
        other=other,
        shared=len(values),
        **figures,
        difference=float((first - second).mean()),
        distance=float(np.abs(first - second).mean()),
    )


def _both_ways(
    values: FloatArray,
    segments: Int64Array,
    confidence: float,
) -> ClusteredCorrelation:
    """Return the correlation of pairs, each counted in both orders."""
    if len(values) < _FEWEST:
        return ClusteredCorrelation(len(values), None, None, None)
    both = np.concatenate([values, values[:, ::-1]])
    return _score_correlation(both, np.tile(segments, 2), confidence)


def _score_correlation(
    values: FloatArray,
    segments: Int64Array,
    confidence: float,
    coefficient: Coefficient = Coefficient.PEARSON,
) -> ClusteredCorrelation:
    """Return the correlation of pairs of scores, if there are enough, with an interval from ten segments on."""
    first, second = values.T
    correlation = correlation_clustered(
        first,
        second,
        (segments,),
        coefficient=coefficient,
        confidence=confidence,
    )
    if len(values) < _FEWEST:
        return replace(correlation, value=None, low=None, high=None)
    if len(np.unique(segments)) < FEWEST_SEGMENTS:
        return replace(correlation, low=None, high=None)
    return correlation

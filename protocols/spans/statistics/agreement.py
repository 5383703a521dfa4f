"""Agreement of judges on the scores of the same outputs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from protocols.spans.records import ScoredJudgment
from protocols.spans.statistics.columns import Measure, score_of
from protocols.spans.weights import Weights
from ranking.core.arrays import FloatArray
from ranking.core.diagnosis.correlation import Coefficient, correlation_clustered

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
        Ends of the interval of `pearson`, by a bootstrap of segments; None with fewer than ten segments.
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


Item = tuple[str, str, str]


def score_agreement(
    judgments: Sequence[ScoredJudgment],
    *,
    measure: Measure | Weights = Measure.SCORE,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> ScoreAgreement:
    """Measure how far judges agree on the scores of the same outputs.

    An item is an output: a system and a segment. If a judge scored an item several times, the last
    score counts. If several systems wrote an output, it counts once, for the first of them.
    """
    by_judge: dict[str, dict[Item, float]] = defaultdict(dict)
    for judgment in judgments:
        for output in judgment.outputs:
            if (score := score_of(output, measure)) is not None:
                item = (judgment.document, judgment.segment, min(output.systems))
                by_judge[judgment.judge][item] = score
    standard = {judge: _standardised(scores) for judge, scores in by_judge.items()}
    pairs, raw, z, segments = [], [], [], []
    for one, other in combinations(sorted(by_judge), 2):
        items = sorted(by_judge[one].keys() & by_judge[other].keys())
        if not items:
            continue
        values = np.array([(by_judge[one][item], by_judge[other][item]) for item in items])
        of_items = [item[:2] for item in items]
        pairs.append(_pair(one, other, values, of_items, confidence))
        raw.append(values)
        segments += of_items
        if standard[one] and standard[other]:
            z.append(np.array([(standard[one][item], standard[other][item]) for item in items]))
    if not raw:
        return ScoreAgreement((), 0, None, None, None, None, None)
    together = np.concatenate(raw)
    low, high = _bootstrapped(
        together, segments, resamples=resamples, confidence=confidence, seed=seed
    )
    return ScoreAgreement(
        pairs=tuple(pairs),
        shared=len(together),
        pearson=_both_ways(together),
        standardised=_both_ways(np.concatenate(z)) if z else None,
        low=low,
        high=high,
        distance=float(np.abs(together[:, 0] - together[:, 1]).mean()),
    )


def _standardised(scores: dict[Item, float]) -> dict[Item, float]:
    values = np.array(list(scores.values()))
    if len(values) < 2 or np.ptp(values) == 0:
        return {}
    z = (values - values.mean()) / values.std(ddof=1)
    return dict(zip(scores, z.tolist(), strict=True))


def _pair(
    one: str,
    other: str,
    values: FloatArray,
    segments: Sequence[tuple[str, str]],
    confidence: float,
) -> JudgePairScores:
    first, second = values.T
    numbers = {segment: number for number, segment in enumerate(dict.fromkeys(segments))}
    in_segment = np.array([numbers[segment] for segment in segments], dtype=np.int64)
    is_known = len(values) >= _FEWEST
    has_ends = is_known and len(numbers) >= FEWEST_SEGMENTS
    figures: dict[str, float | None] = {}
    for coefficient in (Coefficient.PEARSON, Coefficient.SPEARMAN, Coefficient.KENDALL):
        found = correlation_clustered(
            first, second, (in_segment,), coefficient=coefficient, confidence=confidence
        )
        key = "" if coefficient is Coefficient.PEARSON else f"{coefficient}_"
        figures |= {
            str(coefficient): found.value if is_known else None,
            f"{key}low": found.low if has_ends else None,
            f"{key}high": found.high if has_ends else None,
        }
    return JudgePairScores(
        one=one,
        other=other,
        shared=len(values),
        **figures,
        difference=float((first - second).mean()),
        distance=float(np.abs(first - second).mean()),
    )


def _both_ways(values: FloatArray) -> float | None:
    """Return the correlation of pairs, each counted in both orders."""
    if len(values) < _FEWEST or np.ptp(values) == 0:
        return None
    away = values - values.mean()
    return float(2 * (away[:, 0] * away[:, 1]).sum() / (away**2).sum())


def _bootstrapped(
    values: FloatArray,
    segments: Sequence[tuple[str, str]],
    *,
    resamples: int,
    confidence: float,
    seed: int,
) -> tuple[float | None, float | None]:
    names = {name: place for place, name in enumerate(sorted(set(segments)))}
    if len(names) < FEWEST_SEGMENTS or _both_ways(values) is None:
        return None, None
    of_segment = np.array([names[name] for name in segments])
    one, other = values.T
    # Sums by segment, so that a resample is a weighted sum of them.
    moments = np.column_stack(
        [
            np.bincount(of_segment, weights=each, minlength=len(names))
            for each in (np.full(len(one), 2.0), one + other, one**2 + other**2, 2 * one * other)
        ]
    )
    generator = np.random.default_rng(seed)
    times = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    count, total, squares, products = (times.astype(np.float64) @ moments).T
    spread = squares - total**2 / count
    drawn = ((products - total**2 / count) / spread)[spread > 0]
    if len(drawn) < resamples / 2:
        return None, None
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)

"""Bounds for metrics: agreement between people as the upper, and random scores as the lower one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ranking.core.arrays import FloatArray
from ranking.core.beside import FEWEST_SYSTEMS, Estimate, OutputScores
from ranking.core.counting.counts import Layout, counts_of_units
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.metrics.agreement import (
    CORRELATIONS,
    Metric,
    MetricAgreement,
    agreement_of_metrics,
    pairwise_accuracy,
)
from ranking.core.metrics.evidence import difference_spread, normal_p_values, soft_pairwise_accuracy
from ranking.core.metrics.pairs import Pairs, pairs_of_scores
from ranking.core.metrics.people import People
from ranking.core.metrics.segments import SegmentFigures

_RANDOM_METRICS = 20
#: Pairs of outputs that the floor is computed on.
_MOST_PAIRS = 400_000
_SPLITS = 200


def floor(people: People, *, confidence: float = 0.95, folds: int = 100) -> MetricAgreement:
    """Return the figures of random scores: means over 20 metrics of normal deviates, and the range of 95 % of such metrics.

    Segments are sampled so that there are about 400,000 pairs of outputs at most.
    """
    share = _MOST_PAIRS / max(1, len(people.pairs))
    people = _drawn(people, max(100, round(len(people.segments) * share)))
    shape = (len(people.segments), len(people.systems))
    metrics = [
        Metric(
            name="random",
            systems=people.systems,
            segments=people.segments,
            values=np.random.default_rng([people.seed, number]).normal(size=shape),
            of_systems=np.full(shape[1], np.nan),
        )
        for number in range(_RANDOM_METRICS)
    ]
    found = agreement_of_metrics(
        people, metrics, confidence=confidence, folds=folds, intervals=False
    )
    return replace(
        found[0],
        systems=_spread([each.systems for each in found]),
        segments=_spread([each.segments for each in found]),
        threshold=None,
    )


def _drawn(people: People, most: int) -> People:
    if len(people.segments) <= most:
        return people
    random = np.random.default_rng(people.seed)
    rows = np.sort(random.choice(len(people.segments), most, replace=False))
    place = np.full(len(people.segments), -1, dtype=np.int32)
    place[rows] = np.arange(most, dtype=np.int32)
    pairs = people.pairs.take(place[people.pairs.row] >= 0)
    return replace(
        people,
        segments=people.segments[rows],
        values=None if people.values is None else people.values[rows],
        pairs=replace(pairs, row=place[pairs.row]),
    )


def _spread(drawn: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """Return means, with normal ranges of the draws."""
    found = {}
    for name in drawn[0]:
        values = np.array([each[name].value for each in drawn if name in each])
        value, reach = float(values.mean()), 1.96 * float(values.std(ddof=1))
        least = 0.0 if "pairwise" in name or "acc_eq" in name else -1.0
        found[name] = Estimate(value, max(least, value - reach), min(1.0, value + reach))
    return found


def ceiling(
    people: People, *, ratings: OutputScores | None = None, confidence: float = 0.95
) -> MetricAgreement | None:
    """Return how far people agree with people; None where judges are not known.

    Figures of segments are of each judge against the others, on outputs that both judged; the intervals are over segments and
    judges. Figures of systems are of half of the judges against the other half, on average over 200 random halves, with the
    range of 95 % of them. Half of the judgments is less than metrics are compared with, so that a metric may be better.

    Parameters
    ----------
    people : People
    ratings : OutputScores, optional
        What judges scored, where people score outputs.
    confidence : float
    """
    systems: Mapping[str, Estimate] = {}
    if people.blocks is not None:
        pairs, difference = _judges_beside_each_other(people.pairs)
        systems = _halves(people, people.blocks)
    elif ratings is not None:
        pairs, difference = _judge_beside_means(ratings)
    else:
        return None
    measured = SegmentFigures(people, confidence=confidence, folds=0, intervals=True)
    figures = measured.of_people(pairs, difference) if len(pairs) else {}
    if not figures and not systems:
        return None
    return MetricAgreement(
        metric=Metric(
            name="people",
            systems=people.systems,
            segments=people.segments,
            values=np.full((len(people.segments), len(people.systems)), np.nan),
            of_systems=people.scores,
        ),
        systems=systems,
        segments=figures,
        threshold=0.0,
        missing=0,
        outputs=len(pairs),
    )


def _judges_beside_each_other(pairs: Pairs) -> tuple[Pairs, FloatArray]:
    """Return each comparison with each of the same outputs by another judge, and that one's answer as a difference."""
    if pairs.judge is None:
        return pairs.take(np.zeros(len(pairs), dtype=np.bool_)), np.zeros(0)
    systems = int(pairs.second.max(initial=0)) + 1
    key = (pairs.row.astype(np.int64) * systems + pairs.first) * systems + pairs.second
    order = np.argsort(key, kind="stable")
    _keys, begins, sizes = np.unique(key[order], return_index=True, return_counts=True)
    one, other = [], []
    for size in np.unique(sizes[sizes > 1]).tolist():
        members = order[begins[sizes == size][:, np.newaxis] + np.arange(size)]
        for apart in range(1, size):
            one.append(members.ravel())
            other.append(np.roll(members, apart, axis=1).ravel())
    if not one:
        return pairs.take(np.zeros(len(pairs), dtype=np.bool_)), np.zeros(0)
    mine, theirs = np.concatenate(one), np.concatenate(other)
    apart_judges = pairs.judge[mine] != pairs.judge[theirs]
    mine, theirs = mine[apart_judges], theirs[apart_judges]
    return pairs.take(mine), pairs.human[theirs].astype(np.float64)


def _halves(people: People, blocks: Blocks) -> dict[str, Estimate]:
    """Return figures of systems of one half of the judges against the other."""
    layout = Layout(len(people.systems))
    judges, of_block = np.unique(blocks.judge, return_inverse=True)
    if len(judges) < 2:
        return {}
    wins = counts_of_units(blocks, layout, of_block, len(judges))
    random = np.random.default_rng(people.seed)
    half = np.zeros((_SPLITS, len(judges)), dtype=np.int64)
    for row in half:
        row[random.permutation(len(judges))[: len(judges) // 2]] = 1
    one, other = (
        expected_wins(layout.unpack(chosen @ wins).wins).values for chosen in (half, 1 - half)
    )
    # Half of the judgments has twice the variance.
    spread = difference_spread(people.resampled["segments"]) * np.sqrt(2)
    found = {
        "pairwise": pairwise_accuracy(one, other),
        "soft_pairwise": soft_pairwise_accuracy(
            normal_p_values(one, spread), normal_p_values(other, spread)
        ),
    }
    if len(people.systems) >= FEWEST_SYSTEMS:
        found |= {name: measure(one, other) for name, measure in CORRELATIONS.items()}
    estimates = {}
    for name, values in found.items():
        known = values[~np.isnan(values)]
        if len(known):
            low, high = np.quantile(known, (0.025, 0.975))
            estimates[name] = Estimate(float(known.mean()), float(low), float(high))
    return estimates


def _judge_beside_means(ratings: OutputScores) -> tuple[Pairs, FloatArray]:
    """Return pairs by the means of the other judges, and how each judge scores them, on outputs that both scored."""
    names, judge = np.unique(ratings.judge, return_inverse=True)
    segments, row = np.unique(ratings.segment, return_inverse=True)
    n = len(ratings.systems)
    cell = row * n + ratings.system
    size = len(segments) * n
    sums, counts = np.bincount(cell, ratings.score, size), np.bincount(cell, minlength=size)
    parts: list[Pairs] = []
    differences: list[FloatArray] = []
    for number in range(len(names)):
        mine = judge == number
        own = np.bincount(cell[mine], ratings.score[mine], size)
        own_count = np.bincount(cell[mine], minlength=size)
        others = counts - own_count
        shared = (own_count > 0) & (others > 0)
        rest = np.full(size, np.nan)
        rest[shared] = (sums - own)[shared] / others[shared]
        value = np.full(size, np.nan)
        value[shared] = own[shared] / own_count[shared]
        pairs = pairs_of_scores(rest.reshape(-1, n))
        parts.append(pairs)
        differences.append(pairs.differences(value.reshape(-1, n)))

    whole = Pairs(
        row=np.concatenate([each.row for each in parts]),
        first=np.concatenate([each.first for each in parts]),
        second=np.concatenate([each.second for each in parts]),
        human=np.concatenate([each.human for each in parts]),
        judge=np.repeat(np.arange(len(parts), dtype=np.int32), [len(each) for each in parts]),
        by_segment=True,
    )
    return whole, np.concatenate(differences)

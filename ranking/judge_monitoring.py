"""Measure each judge of a running campaign: one number for each `JudgeMeasure`, with its evidence.

The statistics are the core's; the names of the measures are `annotation`'s, whose rules act on them.
That is why this module stands outside `ranking.core`, which imports neither annotation nor Django.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from annotation.judge_measures import SCALES, JudgeMeasure, Scale
from ranking.core.agreement.counts import shards_of_whole_segments
from ranking.core.agreement.statistics import scott_chance
from ranking.core.agreement.units import cells_of_comparisons
from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judged.collapsed_candidates import Outcome, collapsed_comparisons
from ranking.core.judges.clickers import (
    DAMAGE_ODDS,
    ClickingEvidence,
    reference_ignored,
    typed_in_order,
)
from ranking.core.judges.clustered_share import Share, clustered_share
from ranking.core.judges.disagreement import disagreement
from ranking.core.judges.position_bias import position_bias
from ranking.core.judges.random_clicking import against_reference, reference_preferences
from ranking.core.judges.straight_lining import straight_lining

Int64Array = npt.NDArray[np.int64]

#: Above this even a judge who always does right could not be told from one who clicks at random.
_MAX_LOWEST_P = 0.05

#: Probabilities, which have no interval and are compared with a threshold as they are.
PROBABILITIES = frozenset(
    measure for measure, scale in SCALES.items() if scale == Scale.PROBABILITY
)


@dataclass(frozen=True)
class MeasureResult:
    """The value of a measure for one judge, and what it rests on.

    Attributes
    ----------
    value : float
        A share, a κ, seconds, or for the measures in `PROBABILITIES` a probability.
    evidence : int
        What it rests on: comparisons for preferences, agreement and ties, segments for `DISAGREES`,
        blocks for the rest.
    low, high : float or None
        Ends of its interval, where it is an estimate and not a probability.
    p_value : float or None
        Of the test that goes with it.
    """

    value: float
    evidence: int
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


#: Results by the judge's name, then by measure.
MeasuresByJudge = dict[str, dict[str, MeasureResult]]


def measure_judges(
    blocks: Blocks,
    *,
    reference: str | None = None,
    attention: Blocks | None = None,
    bad_reference: str | None = None,
    p_chance: float | Literal["own"] | None = None,
    seconds: Mapping[str, npt.NDArray[np.floating]] | None = None,
    excluded: Collection[str] = (),
    confidence: float = 0.95,
) -> MeasuresByJudge:
    """Measure every judge in a few passes over the blocks, without resampling.

    Parameters
    ----------
    blocks : Blocks
        The judgments that count, with every system that was shown.
    reference : str or None
        Name of the reference among their systems, if it was ranked.
    attention : Blocks or None
        The judged attention checks, with the damaged reference.
    bad_reference : str or None
        Its name among their systems.
    p_chance : float, "own" or None
        P(E) for the agreement of judges with themselves: given for all, or "own", Scott's of the
        judge's own ties in all comparisons, taken as known; None leaves that agreement out.
    seconds : mapping of str to float array, or None
        Times of each judge's blocks.
    excluded : collection of str
        Judges with whom the others are not compared, nor they with the others.
    confidence : float
        Of the intervals.

    Returns
    -------
    dict
        Results by judge, then by `JudgeMeasure`. Measures without evidence are left out.
    """
    found: MeasuresByJudge = {name: {} for name in blocks.judges}
    if reference is not None:
        _preferences(found, blocks, reference, JudgeMeasure.REFERENCE, confidence)
        ignored = reference_ignored(blocks, reference)
        _keep_evidence(found, blocks.judges, JudgeMeasure.REFERENCE_IGNORED, ignored)
    if attention is not None and bad_reference is not None:
        for name in attention.judges:
            found.setdefault(name, {})
        checks = _flipped(attention)
        _preferences(found, checks, bad_reference, JudgeMeasure.BAD_REFERENCE, confidence)
        ignored = reference_ignored(checks, bad_reference, odds=DAMAGE_ODDS)
        _keep_evidence(found, checks.judges, JudgeMeasure.DAMAGE_IGNORED, ignored)
    _repeats_and_ties(found, blocks, p_chance, confidence)
    for name, line in zip(
        blocks.judges, straight_lining(blocks, confidence=confidence), strict=True
    ):
        _keep(found[name], JudgeMeasure.ONE_LABEL, _result_of_share(line.one_label))
        _keep(
            found[name],
            JudgeMeasure.SHOWN_ORDER,
            _result_of_share(line.shown_order, line.p_shuffled),
        )
    _keep_evidence(found, blocks.judges, JudgeMeasure.TYPED_IN_ORDER, typed_in_order(blocks))
    _disagreement(found, blocks, {reference, bad_reference}, excluded)
    for name, bias in zip(blocks.judges, position_bias(blocks), strict=True):
        if bias.p_value is not None:
            found[name][JudgeMeasure.POSITION] = MeasureResult(bias.p_value, bias.blocks)
    for name, times in (seconds or {}).items():
        _keep(found.setdefault(name, {}), JudgeMeasure.SECONDS, _median(times, confidence))
    return found


def _keep(
    results: dict[str, MeasureResult], measure: JudgeMeasure, result: MeasureResult | None
) -> None:
    if result is not None:
        results[measure] = result


def _keep_evidence(
    found: MeasuresByJudge,
    judges: tuple[str, ...],
    measure: JudgeMeasure,
    evidence: Iterable[ClickingEvidence],
) -> None:
    for name, row in zip(judges, evidence, strict=True):
        if row.blocks:
            found[name][measure] = MeasureResult(row.p_value(len(judges)), row.blocks)


def _disagreement(
    found: MeasuresByJudge,
    blocks: Blocks,
    references: Collection[str | None],
    excluded: Collection[str],
) -> None:
    out = np.array([name in excluded for name in blocks.judges], dtype=np.bool_)
    ranked = blocks.take(~out[blocks.judge]) if len(blocks) else blocks
    ranked = ranked.without([name for name in ranked.systems if name in references])
    for name, row in zip(ranked.judges, disagreement(ranked), strict=True):
        p_value = row.p_value(len(ranked.judges))
        if p_value is not None:
            found[name][JudgeMeasure.DISAGREES] = MeasureResult(p_value, row.segments)


def _result_of_share(share: Share, p_value: float | None = None) -> MeasureResult | None:
    if share.value is None:
        return None
    return MeasureResult(share.value, share.trials, share.low, share.high, p_value)


def _flipped(blocks: Blocks) -> Blocks:
    """Return the blocks with best and worst exchanged: rejecting an output becomes preferring it."""
    labels = np.where(blocks.labels > 0, MAX_LABEL + 1 - blocks.labels, 0).astype(np.int8)
    return replace(blocks, labels=labels)


def _preferences(
    found: MeasuresByJudge, blocks: Blocks, system: str, measure: JudgeMeasure, confidence: float
) -> None:
    random = JudgeMeasure(f"{measure}_random")
    trials, won, _tied = against_reference(blocks, blocks.systems.index(system))
    preferences = reference_preferences(blocks, system)
    for index, (name, preference) in enumerate(zip(blocks.judges, preferences, strict=True)):
        if preference.p_random is None or preference.p_lowest is None:
            continue
        own = blocks.judge == index
        share = clustered_share(won[own], trials[own], confidence=confidence)
        _keep(found[name], measure, _result_of_share(share, preference.p_random))
        if preference.p_lowest <= _MAX_LOWEST_P:
            found[name][random] = MeasureResult(preference.p_random, preference.comparisons)


def _repeats_and_ties(
    found: MeasuresByJudge,
    blocks: Blocks,
    p_chance: float | Literal["own"] | None,
    confidence: float,
) -> None:
    judges = len(blocks.judges)
    repeated: list[Int64Array] = []
    compared: list[Int64Array] = []
    for shard in shards_of_whole_segments(blocks):
        comparisons = collapsed_comparisons(shard)
        tied = comparisons.outcome == Outcome.TIE
        compared.append(
            np.stack(
                [
                    shard.judge.astype(np.int64),
                    np.bincount(comparisons.block[tied], minlength=len(shard)),
                    np.bincount(comparisons.block, minlength=len(shard)),
                ]
            )
        )
        cells = cells_of_comparisons(comparisons, judges)
        times = cells.counts.sum(axis=1)
        pairs = times * (times - 1) // 2
        agreeing = (cells.counts * (cells.counts - 1) // 2).sum(axis=1)
        key = cells.item_segment[cells.item].astype(np.int64) * judges + cells.judge
        rows, place = np.unique(key[pairs > 0], return_inverse=True)
        repeated.append(
            np.stack(
                [
                    rows % max(1, judges),
                    np.bincount(place, agreeing[pairs > 0], len(rows)).astype(np.int64),
                    np.bincount(place, pairs[pairs > 0], len(rows)).astype(np.int64),
                ]
            )
        )
    ties = _by_judge(compared, judges, confidence)
    for name, share in zip(blocks.judges, ties, strict=True):
        _keep(found[name], JudgeMeasure.TIES, _result_of_share(share))
    if p_chance is None:
        return
    intra = _by_judge(repeated, judges, confidence)
    for name, share, tied in zip(blocks.judges, intra, ties, strict=True):
        by_chance = _own_chance(tied) if p_chance == "own" else p_chance
        _keep(found[name], JudgeMeasure.INTRA, _kappa(share, by_chance))


def _by_judge(parts: list[Int64Array], judges: int, confidence: float) -> list[Share]:
    """Return each judge's share, from rows of judge, successes and trials of a cluster each."""
    rows = np.concatenate([np.empty((3, 0), dtype=np.int64), *parts], axis=1)
    judge, successes, trials = rows
    return [
        clustered_share(successes[judge == index], trials[judge == index], confidence=confidence)
        for index in range(judges)
    ]


def _own_chance(tied: Share) -> float:
    """Return P(E) of Scott's π from one judge's ties; 1, which makes κ inestimable, without any."""
    return 1.0 if tied.value is None else float(scott_chance(np.asarray(tied.value)))


def _kappa(share: Share, p_chance: float) -> MeasureResult | None:
    if p_chance >= 1 or share.value is None or share.low is None or share.high is None:
        return None

    def kappa(agreeing: float) -> float:
        return (agreeing - p_chance) / (1 - p_chance)

    return MeasureResult(kappa(share.value), share.trials, kappa(share.low), kappa(share.high))


def _median(times: npt.NDArray[np.floating], confidence: float) -> MeasureResult | None:
    """Return the median, with its interval between two of the times (order statistics)."""
    ordered = np.sort(times[~np.isnan(times)])
    count = len(ordered)
    if not count:
        return None
    below = int(binom.ppf((1 - confidence) / 2, count, 0.5))
    low, high = (None, None)
    if below > 0:
        low, high = float(ordered[below - 1]), float(ordered[count - below])
    return MeasureResult(float(np.median(ordered)), count, low, high)

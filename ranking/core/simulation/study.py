"""A simulation study of the errors of rankings, rank ranges and clusters (Koehn 2012)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np

from ranking.core.arrays import FloatArray
from ranking.core.ranges.clusters import RankRanges
from ranking.core.sharding.shards import Engine, on_any_engine
from ranking.core.simulation.measures import (
    Level,
    bootstrap_ranges,
    cluster_violations,
    clusters_at,
    error_of_ranks,
    method_ranks,
    range_violations,
    sign_test_ranges,
    significant_pairs,
    true_ranks,
)
from ranking.core.simulation.model import (
    Model,
    Progress,
    Simulated,
    measure_experiments,
    simulate_wins,
)

METHODS = ("bojar", "expected_wins", "lopez")
_MEASURES = (
    "range_size",
    "range_violations",
    "clusters",
    "cluster_violations",
    "significant_pairs",
)


@dataclass(frozen=True, kw_only=True)
class StudyRow:
    """Averages over experiments at one number of comparisons.

    Attributes
    ----------
    comparisons : int
        Pairwise comparisons collected, ties included.
    blocks : int
        Blocks judged.
    error : mapping of str to float
        By method, the share of pairs whose truly worse system is ranked better.
    range_size : float
        Number of ranks in a rank range, both ends included.
    range_violations : float
        Share of systems whose true rank is outside their range.
    clusters : float
        Number of clusters.
    cluster_violations : float
        Share of systems whose cluster is above that of a truly better system, or below that of a
        truly worse one.
    significant_pairs : float
        Share of pairs of systems that the one-sided sign test separates.
    standard_errors : mapping of str to float
        Standard errors of the averages above, by name; those of `error` by "error." and the method.
        0 with a single experiment, or if all agree.
    """

    comparisons: int
    blocks: int
    error: Mapping[str, float]
    range_size: float
    range_violations: float
    clusters: float
    cluster_violations: float
    significant_pairs: float
    standard_errors: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study, with all that is needed to repeat it.

    Attributes
    ----------
    model : Model
    rank_ranges : str
        "sign_test" or "bootstrap".
    resample : str or None
        Units resampled for the ranges; None with the sign test.
    resamples : int or None
    confidence : float
        Confidence of the rank ranges; 1 − confidence is the level of the one-sided sign test.
    experiments, seed : int
    rows : tuple of StudyRow
        By number of comparisons.
    """

    model: Model
    rank_ranges: str
    resample: str | None
    resamples: int | None
    confidence: float
    experiments: int
    seed: int
    rows: tuple[StudyRow, ...]


@dataclass(frozen=True)
class _Ranges:
    """Options of rank ranges, pickled for the workers."""

    method: Literal["sign_test", "bootstrap"]
    resample: Level
    resamples: int
    confidence: float


def simulate_campaigns(
    model: Model,
    *,
    comparisons: Sequence[int],
    experiments: int = 400,
    methods: Sequence[str] = METHODS,
    rank_ranges: Literal["sign_test", "bootstrap"] = "sign_test",
    resample: Level = "pairs",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Study:
    """Simulate campaigns, and measure the errors of rankings and ranges (Koehn 2012, §4.4, §5.2).

    Parameters
    ----------
    model : Model
        Koehn's Table 1 and Figure 3: ``Model(systems=15, noise=10)``.
    comparisons : sequence of int
        Numbers of pairwise comparisons at which to measure. Blocks are judged as a whole, so
        numbers are rounded to a multiple of `Model.comparisons_per_block`.
    experiments : int
        Number of campaigns; each grows through all of `comparisons`.
    methods : sequence of str
        Methods whose errors to measure: "bojar", "expected_wins", "lopez" and "lopez_unweighted"
        (which counts pairs of systems instead of comparisons).
    rank_ranges : {"sign_test", "bootstrap"}
        Rank ranges by pairwise one-sided sign tests, or by bootstrap of Expected Wins.
    resample : "pairs", "blocks" or "segments"
        Units that the bootstrap resamples. "pairs" is that of the paper; its ranges are too narrow,
        because comparisons of one block are not independent. With `Model.segments`, blocks of one
        segment are not independent either.
    resamples : int
    confidence : float
        Confidence of the rank ranges, above ½.
    seed : int
        Not negative. Results are functions of all arguments except `engine`, bit for bit.
    engine : Engine, optional
        Where to compute; this thread if not given.
    progress : callable, optional
        Called with (experiments done, all of them).

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    if not len(comparisons) or min(comparisons) < 1:
        raise ValueError("comparisons: expected positive numbers")
    if not 0.5 < confidence < 1:
        raise ValueError("confidence: expected a share above one half and below 1")
    if rank_ranges not in ("sign_test", "bootstrap"):
        raise ValueError(f"rank_ranges: unknown {rank_ranges!r}")
    if resample not in get_args(Level):
        raise ValueError(f"resample: {resample!r} is none of {', '.join(get_args(Level))}")
    blocks = np.unique(model.blocks_for(comparisons))
    ranges = _Ranges(rank_ranges, resample, resamples, confidence)
    measured = measure_experiments(
        partial(_measure, model, tuple(blocks.tolist()), tuple(methods), ranges, seed),
        range(experiments),
        engine=engine,
        progress=progress,
    )
    mean = measured.mean(axis=0)
    spread = measured.std(axis=0, ddof=1) if experiments > 1 else np.zeros_like(mean)
    error = spread / np.sqrt(experiments)
    bootstrap = rank_ranges == "bootstrap"
    return Study(
        model=model,
        rank_ranges=rank_ranges,
        resample=resample if bootstrap else None,
        resamples=resamples if bootstrap else None,
        confidence=confidence,
        experiments=experiments,
        seed=seed,
        rows=tuple(
            _row(model, count, methods, mean[index].tolist(), error[index].tolist())
            for index, count in enumerate(blocks.tolist())
        ),
    )


@on_any_engine()
def _measure(
    model: Model,
    blocks: tuple[int, ...],
    methods: tuple[str, ...],
    ranges: _Ranges,
    seed: int,
    experiment: int,
) -> FloatArray:
    """Return the measures of one experiment, shape (checkpoints, measures and methods)."""
    simulated = simulate_wins(model, blocks=blocks, seed=seed, experiment=experiment)
    true = true_ranks(simulated.quality)
    found = _rank_ranges(simulated, model, ranges, seed, experiment)
    cluster = clusters_at(found)
    columns = [
        (found.high - found.low + 1).mean(axis=-1),
        range_violations(found, true),
        cluster.max(axis=-1),
        cluster_violations(cluster, true),
        significant_pairs(simulated.wins, alpha=1 - ranges.confidence),
        *(error_of_ranks(method_ranks(method, simulated.wins), true) for method in methods),
    ]
    return np.stack(columns, axis=-1).astype(np.float64)


def _rank_ranges(
    simulated: Simulated, model: Model, ranges: _Ranges, seed: int, experiment: int
) -> RankRanges:
    if ranges.method == "sign_test":
        return sign_test_ranges(simulated.wins, alpha=1 - ranges.confidence)
    return bootstrap_ranges(
        simulated,
        model=model,
        level=ranges.resample,
        resamples=ranges.resamples,
        confidence=ranges.confidence,
        seed=seed,
        experiment=experiment,
    )


def _row(
    model: Model, blocks: int, methods: Sequence[str], mean: list[float], error: list[float]
) -> StudyRow:
    names = (*_MEASURES, *(f"error.{method}" for method in methods))
    value = dict(zip(names, mean, strict=True))
    return StudyRow(
        comparisons=blocks * model.comparisons_per_block,
        blocks=blocks,
        error={method: value[f"error.{method}"] for method in methods},
        range_size=value["range_size"],
        range_violations=value["range_violations"],
        clusters=value["clusters"],
        cluster_violations=value["cluster_violations"],
        significant_pairs=value["significant_pairs"],
        standard_errors=dict(zip(names, error, strict=True)),
    )

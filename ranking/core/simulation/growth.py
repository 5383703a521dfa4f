"""Simulated campaigns that grow until they reach targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from ranking.core.sharding.marks import on_any_engine
from ranking.core.sharding.shards import Engine
from ranking.core.simulation.experiments import Progress, measure_experiments
from ranking.core.simulation.measures import clusters_at, sign_test_ranges, significant_pairs
from ranking.core.simulation.model import Model, simulate_wins

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Ratio of the comparisons at neighbouring points of a curve.
_STEP = 1.1
#: Campaigns first grow to this many comparisons, then repeatedly to four times as many: most
#: targets are near, and all earlier steps together cost a third of a step.
_FIRST_LIMIT, _NEXT_LIMIT = 50_000, 4

#: Names of the measures, in the order of the columns.
_MEASURES = ("significant_pairs", "clusters")

#: A function from the number of an experiment to its model: campaigns of a plan may differ in
#: noise.
ModelOf = Callable[[int], Model]


@dataclass(frozen=True)
class Target:
    """A share of pairs of systems to separate, or a number of clusters."""

    measure: Literal["significant_pairs", "clusters"]
    value: float


@dataclass(frozen=True, eq=False)
class GrowthResult:
    """Comparisons after which E campaigns reached T targets; infinite beyond the limit.

    Attributes
    ----------
    average : float64, shape (T,)
        Comparisons after which the average over campaigns reaches each target; infinite if not
        requested.
    first : float64, shape (E, T)
        Comparisons after which each campaign first reaches each target.
    """

    average: Float64Array
    first: Float64Array

    def median(self) -> Float64Array:
        """Return comparisons after which half of the campaigns reached each target, (T,)."""
        middle: Float64Array = np.exp(np.median(np.log(self.first), axis=0))
        return middle

    def interval(self, confidence: float) -> Float64Array:
        """Return the interval in which a share `confidence` of campaigns did so, (2, T)."""
        low, high = _tails(confidence)
        return np.stack(
            [
                np.quantile(self.first, low, axis=0, method="lower"),
                np.quantile(self.first, high, axis=0, method="higher"),
            ]
        )


def simulate_until(
    model_of: ModelOf,
    experiments: Sequence[int],
    targets: Sequence[Target],
    *,
    confidence: float,
    limit: float,
    alpha: float,
    seed: int,
    with_average: bool,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> GrowthResult:
    """Simulate campaigns until they reach the targets, and return the comparisons required.

    With `with_average`, all campaigns grow until their average reaches each target. Then campaigns
    that have not reached it grow until the interval of a share `confidence` has an upper end.

    Parameters
    ----------
    model_of : callable
        Returns the model of each experiment; models may only differ in noise and groups.
    experiments : sequence of int
    targets : sequence of Target
    confidence : float
        Share of campaigns whose interval must be known.
    limit : float
        The most comparisons to simulate.
    alpha : float
        Level of the one-sided sign test.
    with_average : bool
        Whether to find the average as well.
    seed, engine, progress
        As in `ranking.core.simulation.study.simulate_campaigns`.

    Returns
    -------
    GrowthResult
    """
    first = np.full((len(experiments), len(targets)), np.inf)
    average = np.full(len(targets), np.inf)
    growing = np.arange(len(experiments))
    blocks_for = model_of(experiments[0]).blocks_for
    per_block = model_of(experiments[0]).comparisons_per_block
    until = min(_FIRST_LIMIT, limit)
    while True:
        blocks = np.unique(blocks_for(_grid(per_block, until)))
        counts = (blocks * per_block).astype(np.float64)
        with_clusters = any(target.measure == "clusters" for target in targets)
        measured = measure_experiments(
            partial(_measure, model_of, tuple(blocks.tolist()), with_clusters, alpha, seed),
            [experiments[index] for index in growing.tolist()],
            engine=engine,
            progress=progress,
        )
        for t, target in enumerate(targets):
            values = measured[:, :, _MEASURES.index(target.measure)]
            first[growing, t] = [_crossing(counts, row, target.value) for row in values]
            if with_average and len(growing) == len(experiments):
                average[t] = _crossing(counts, values.mean(axis=0), target.value)
        reached = GrowthResult(average=average, first=first)
        open_ended = np.isinf(reached.interval(confidence)[1])
        on_average = with_average and bool(np.isinf(average).any())
        if until >= limit or not (open_ended.any() or on_average):
            return reached
        if not on_average:
            growing = np.flatnonzero(np.isinf(first[:, open_ended]).any(axis=1))
        until = min(until * _NEXT_LIMIT, limit)


def _tails(confidence: float) -> tuple[float, float]:
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    return (1 - confidence) / 2, (1 + confidence) / 2


def _grid(first: int, last: float) -> Int64Array:
    """Return numbers of comparisons from `first` to `last`, evenly spaced in their logarithms."""
    points = 1 + max(1, int(np.ceil(np.log(max(last, first + 1) / first) / np.log(_STEP))))
    return np.rint(np.geomspace(first, max(last, first + 1), points)).astype(np.int64)


@on_any_engine()
def _measure(
    model_of: ModelOf,
    blocks: tuple[int, ...],
    with_clusters: bool,
    alpha: float,
    seed: int,
    experiment: int,
) -> Float64Array:
    """Return the share of significant pairs, and the clusters if wanted, (checkpoints, 1 or 2)."""
    model = model_of(experiment)
    wins = simulate_wins(model, blocks=blocks, seed=seed, experiment=experiment).wins
    columns = [significant_pairs(wins, alpha=alpha)]
    if with_clusters:
        found = clusters_at(sign_test_ranges(wins, alpha=alpha))
        columns.append(found.max(axis=-1).astype(np.float64))
    return np.stack(columns, axis=-1)


def _crossing(counts: Float64Array, values: Float64Array, target: float) -> float:
    """Return where a curve, linear in log counts, first reaches a value; infinite if never."""
    # A share of pairs is a ratio of integers and may be a rounding error below the target.
    reached = np.flatnonzero(values >= target - 1e-9)
    if not len(reached):
        return np.inf
    end = int(reached[0])
    if end == 0:
        return float(counts[0])
    low, high = float(values[end - 1]), float(values[end])
    share = min(1.0, (target - low) / (high - low))
    return float(counts[end - 1] * (counts[end] / counts[end - 1]) ** share)

"""How many judgments to collect (Koehn 2012, §6): until so many pairs, or clusters, are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from ranking.core.experiments import Progress, measure_experiments
from ranking.core.growth import ModelOf, Reached, Target, grow
from ranking.core.noise import NOISE_GRID, CampaignCurve, NoiseFit
from ranking.core.simulation import Model, generator_of

Float64Array = npt.NDArray[np.float64]

#: Of so many simulated campaigns, the one most like the campaign is kept.
_CANDIDATES = 20
_NOISE_OF_CANDIDATE = 100  # Stream of random numbers, apart from those of the simulation.


@dataclass(frozen=True, kw_only=True)
class BudgetRow:
    """The judgments one target needs.

    Attributes
    ----------
    measure : "significant_pairs" or "clusters"
    target : float
        Share of the pairs of systems, or number of clusters.
    comparisons : int or None
        Pairwise comparisons, ties included, after which campaigns reach the target on average
        (their average share, or number of clusters, is the target). None: more than the limit.
    low, high : int or None
        A share `confidence` of campaigns reaches the target between these numbers. None: more
        than the limit.
    more : int or None
        `comparisons` without those collected already, at least 0.
    """

    measure: Literal["significant_pairs", "clusters"]
    target: float
    comparisons: int | None
    low: int | None
    high: int | None
    more: int | None


@dataclass(frozen=True, kw_only=True)
class Budget:
    """A plan, with everything needed to repeat it.

    Attributes
    ----------
    model : Model
    collected : int
        Comparisons there are already, ties included; 0 without a campaign.
    fit : NoiseFit or None
        The noise fitted to the campaign.
    confidence : float
    limit : int
        Comparisons beyond which nothing was simulated.
    experiments, seed : int
    rows : tuple of BudgetRow
        The targets in the order asked for.
    """

    model: Model
    collected: int
    fit: NoiseFit | None
    confidence: float
    limit: int
    experiments: int
    seed: int
    rows: tuple[BudgetRow, ...]


def plan_budget(
    model: Model,
    *,
    targets: Sequence[float] = (),
    clusters: Sequence[int] = (),
    experiments: int = 400,
    confidence: float = 0.95,
    limit: int = 4_000_000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Budget:
    """Plan a campaign before its first judgment (Koehn 2012, Table 4).

    Parameters
    ----------
    model : Model
    targets : sequence of float
        Shares of the pairs of systems to be separated by the one-sided sign test, in (0, 1].
    clusters : sequence of int
        Numbers of clusters to be reached, 2 … n, with rank ranges by that test.
    experiments : int
        Simulated campaigns. The interval is their spread: systems differ from campaign to campaign.
    confidence : float
    limit : int
        Comparisons to simulate at most.
    alpha : float
        Level of the test.
    seed : int
        The plan is a function of the arguments other than `jobs`, bit for bit.
    jobs : int
        Worker processes.
    progress : callable, optional
        Called with (done, total); begins anew when campaigns have to grow further.

    Returns
    -------
    Budget

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    wanted = _wanted(targets, clusters, model.systems)
    reached = grow(
        partial(_same_model, model),
        range(experiments),
        wanted,
        confidence=confidence,
        limit=limit,
        alpha=alpha,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    return Budget(
        model=model,
        collected=0,
        fit=None,
        confidence=confidence,
        limit=limit,
        experiments=experiments,
        seed=seed,
        rows=_rows(wanted, reached, confidence=confidence),
    )


def plan_campaign(
    curve: CampaignCurve,
    fit: NoiseFit,
    *,
    targets: Sequence[float] = (),
    clusters: Sequence[int] = (),
    experiments: int = 200,
    confidence: float = 0.95,
    limit: int = 4_000_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Budget:
    """Plan how a campaign goes on.

    Twenty times as many campaigns as `experiments` are simulated up to the judgments collected,
    with noises drawn evenly (in their logarithm) from a little more than the interval of the fit.
    Those whose curves are nearest to the campaign's (root mean square over its points) are kept:
    its possible futures, in which what is known about its noise and its systems is accounted for.
    Then these are continued.

    Parameters
    ----------
    curve : CampaignCurve
    fit : NoiseFit
        Of that curve.
    targets, clusters, confidence, limit, seed, jobs, progress
        As in `plan_budget`.
    experiments : int
        Campaigns to keep.

    Returns
    -------
    Budget
        In comparisons with ties, assumed as frequent as they are in the campaign. No target it
        has reached is put into the future, and none it has yet to reach into the past.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    wanted = _wanted(targets, clusters, curve.systems)
    low = max(NOISE_GRID[0], 0.8 * (fit.low or NOISE_GRID[0]))
    high = min(NOISE_GRID[-1], 1.25 * (fit.high or NOISE_GRID[-1]))
    model_of = partial(_candidate_model, curve, low, high, seed)
    candidates = range(_CANDIDATES * experiments)
    found = measure_experiments(
        partial(_curve_of_candidate, curve, model_of, seed),
        candidates,
        jobs=jobs,
        progress=progress,
    )
    distance = np.square(found - curve.significant).mean(axis=1)
    # Sorted again by number: the results of two plans that keep the same ones are the same.
    kept = np.sort(np.argsort(distance, kind="stable")[:experiments]).tolist()
    reached = grow(
        model_of,
        kept,
        wanted,
        confidence=confidence,
        limit=limit * curve.decided_share,
        alpha=curve.alpha,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    return Budget(
        model=curve.model(fit.noise),
        collected=curve.comparisons,
        fit=fit,
        confidence=confidence,
        limit=limit,
        experiments=experiments,
        seed=seed,
        rows=_rows(wanted, reached, confidence=confidence, curve=curve),
    )


def _wanted(targets: Sequence[float], clusters: Sequence[int], systems: int) -> list[Target]:
    if not targets and not clusters:
        raise ValueError("targets: expected at least one")
    if any(not 0 < target <= 1 for target in targets):
        raise ValueError("targets: expected shares above 0, at most 1")
    if any(not 2 <= count <= systems for count in clusters):
        raise ValueError(f"clusters: expected 2 … {systems}")
    return [
        *(Target("significant_pairs", target) for target in targets),
        *(Target("clusters", count) for count in clusters),
    ]


def _same_model(model: Model, _experiment: int) -> Model:
    return model


def _candidate_model(
    curve: CampaignCurve, low: float, high: float, seed: int, experiment: int
) -> Model:
    uniform = generator_of(seed, experiment, _NOISE_OF_CANDIDATE).random()
    return curve.model(float(low * (high / low) ** uniform))


def _curve_of_candidate(
    curve: CampaignCurve, model_of: ModelOf, seed: int, experiment: int
) -> Float64Array:
    return curve.simulated(model_of(experiment).noise, seed, experiment)


def _rows(
    wanted: Sequence[Target],
    reached: Reached,
    *,
    confidence: float,
    curve: CampaignCurve | None = None,
) -> tuple[BudgetRow, ...]:
    low, high = reached.interval(confidence).tolist()
    rows = []
    for index, target in enumerate(wanted):
        found = [float(reached.average[index]), low[index], high[index]]
        if curve is not None:
            found = [_as_known(decided, target, curve) for decided in found]
        comparisons, *interval = (None if np.isinf(count) else round(count) for count in found)
        collected = 0 if curve is None else curve.comparisons
        rows.append(
            BudgetRow(
                measure=target.measure,
                target=target.value,
                comparisons=comparisons,
                low=interval[0],
                high=interval[1],
                more=None if comparisons is None else max(0, comparisons - collected),
            )
        )
    return tuple(rows)


def _as_known(decided: float, target: Target, curve: CampaignCurve) -> float:
    """Comparisons with ties, in agreement with what the campaign itself has reached by now."""
    comparisons = decided / curve.decided_share
    now = curve.separated if target.measure == "significant_pairs" else curve.clusters
    if now >= target.value - 1e-9:
        return min(comparisons, float(curve.comparisons))
    return max(comparisons, float(curve.comparisons))

"""Possible continuations of a campaign: simulated campaigns that resemble it so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from ranking.core.sharding.marks import on_any_engine
from ranking.core.sharding.shards import Engine
from ranking.core.simulation.experiments import Progress, measure_experiments
from ranking.core.simulation.growth import ModelOf
from ranking.core.simulation.model import Model, generator_of
from ranking.core.simulation.model_fit import spread_p_value
from ranking.core.simulation.noise import NOISE_GRID, CampaignCurve, NoiseFit

Float64Array = npt.NDArray[np.float64]

#: Of this many simulated campaigns, the one most like the campaign is kept.
_CANDIDATES = 30
#: Noises are drawn from the interval of the fit, widened by this factor at both ends.
_WIDER = 2.0
#: Streams of random numbers, different from those of the simulation.
_NOISE_OF_CANDIDATE, _GROUPS_OF_CANDIDATE = 100, 101


@dataclass(frozen=True, eq=False)
class Futures:
    """Simulated campaigns to continue.

    Attributes
    ----------
    model_of : callable
        Returns the model of an experiment.
    experiments : tuple of int
        Numbers of the experiments that resemble the campaign so far, ascending.
    spread_p : float
        p-value of the test that the campaign's systems are spread as in Koehn's model.
    """

    model_of: ModelOf
    experiments: tuple[int, ...]
    spread_p: float


def likely_futures(
    curve: CampaignCurve,
    fit: NoiseFit,
    *,
    experiments: int,
    seed: int,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Futures:
    """Simulate campaigns up to the collected judgments, and return those most like the campaign.

    Thirty times as many campaigns as `experiments` are simulated, with noises drawn uniformly (in
    their logarithm) from twice the interval of the fit. Half of them have systems as in Koehn's
    model; in the other half, some systems are equally good, with 1 to n − 1 different qualities,
    each number being equally likely. The campaigns nearest to the given one are kept. The distance
    is the sum of the mean squared differences of curves and of Expected Wins, each relative to the
    variance among all campaigns. (Approximate Bayesian computation by rejection.)

    The test of the spread uses as many campaigns of Koehn's half, chosen by the curve alone.

    Parameters
    ----------
    curve : CampaignCurve
    fit : NoiseFit
        Of that curve.
    experiments : int
        Campaigns to keep.
    seed, engine, progress
        As in `ranking.core.simulation.budget.plan_budget`.

    Returns
    -------
    Futures
    """
    low = max(NOISE_GRID[0], (fit.low or NOISE_GRID[0]) / _WIDER)
    high = min(NOISE_GRID[-1], (fit.high or NOISE_GRID[-1]) * _WIDER)
    model_of = partial(_candidate_model, curve, float(low), float(high), seed)
    found = measure_experiments(
        partial(_measured_candidate, curve, model_of, seed),
        range(_CANDIDATES * experiments),
        engine=engine,
        progress=progress,
    )
    shares, spreads = np.split(found, [len(curve.significant)], axis=1)
    by_curve = _distance(shares, curve.significant)
    nearest = np.argsort(by_curve + _distance(spreads, curve.spread), kind="stable")[:experiments]
    of_koehn = np.argsort(by_curve[::2], kind="stable")[:experiments] * 2
    return Futures(
        model_of=model_of,
        # Sorted by number, so that plans that keep the same campaigns have the same results.
        experiments=tuple(np.sort(nearest).tolist()),
        spread_p=spread_p_value(curve.spread, spreads[of_koehn]),
    )


@on_any_engine()
def _candidate_model(
    curve: CampaignCurve, low: float, high: float, seed: int, experiment: int
) -> Model:
    """Return Koehn's model for even numbers, and one with groups of equal systems for odd ones."""
    uniform = generator_of(seed, experiment, _NOISE_OF_CANDIDATE).random()
    groups = None
    if experiment % 2:
        random = generator_of(seed, experiment, _GROUPS_OF_CANDIDATE)
        groups = int(random.integers(1, curve.systems))
    return curve.model(float(low * (high / low) ** uniform), groups)


@on_any_engine()
def _measured_candidate(
    curve: CampaignCurve, model_of: ModelOf, seed: int, experiment: int
) -> Float64Array:
    """Return the curve and the spread of a simulated campaign in one row, shape (C + n,)."""
    return np.concatenate(curve.simulated(model_of(experiment), seed, experiment))


def _distance(found: Float64Array, wanted: Float64Array) -> Float64Array:
    """Return the mean squared difference of each row, in units of the variance among rows, (E,)."""
    variance = float(found.var(axis=0).mean())
    distance: Float64Array = np.square(found - wanted).mean(axis=1)
    return distance / variance if variance > 0 else distance

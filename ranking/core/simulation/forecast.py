"""How the share of pairs told apart may grow in a campaign: Koehn's (2012) Figure 2, continued."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from ranking.core.sharding.marks import on_any_engine
from ranking.core.sharding.shards import Engine
from ranking.core.simulation.experiments import Progress, measure_experiments
from ranking.core.simulation.futures import Futures
from ranking.core.simulation.growth import ModelOf
from ranking.core.simulation.measures import significant_pairs
from ranking.core.simulation.model import simulate_wins
from ranking.core.simulation.noise import CampaignCurve

Float64Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Forecast:
    """Shares of the pairs of systems that the sign test tells apart after so many comparisons.

    Attributes
    ----------
    comparisons : float64, shape (C,)
        Ties included, as frequent as in the campaign so far.
    share : float64, shape (C,)
        Average over the simulated campaigns.
    low, high : float64, shape (C,)
        A share `confidence` of them lies between these.
    confidence : float
    """

    comparisons: Float64Array
    share: Float64Array
    low: Float64Array
    high: Float64Array
    confidence: float


def forecast_pairs(
    curve: CampaignCurve,
    futures: Futures,
    comparisons: Sequence[float] | Float64Array,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Forecast:
    """Forecast the share of pairs told apart, by simulated campaigns that resemble this one so far.

    What they gain or lose from now on is added to what the campaign has reached, within 0 and 1, so that the
    forecast begins where the campaign is.

    Parameters
    ----------
    curve : CampaignCurve
    futures : Futures
        Of this curve.
    comparisons : sequence of float
        Ties included, ascending, not before those collected.
    confidence : float
        Between 0 and 1.
    seed : int
        That of `futures`: their campaigns go on.
    engine, progress
        As in `ranking.core.simulation.budget.plan_budget`.

    Returns
    -------
    Forecast

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1, or the comparisons do not ascend from now on.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    counts = np.asarray(comparisons, dtype=np.float64)
    if not len(counts) or np.any(np.diff(counts, prepend=curve.comparisons) < 0):
        raise ValueError("comparisons: expected ascending numbers from now on")
    decided = np.array([curve.comparisons, *counts]) * curve.decided_share
    shares = measure_experiments(
        partial(_shares, futures.model_of, tuple(decided.tolist()), curve.alpha, seed),
        futures.experiments,
        engine=engine,
        progress=progress,
    )
    shares = np.clip(curve.separated + shares[:, 1:] - shares[:, :1], 0, 1)
    tail = (1 - confidence) / 2
    return Forecast(
        comparisons=counts,
        share=shares.mean(axis=0),
        low=np.quantile(shares, tail, axis=0, method="lower"),
        high=np.quantile(shares, 1 - tail, axis=0, method="higher"),
        confidence=confidence,
    )


@on_any_engine()
def _shares(
    model_of: ModelOf, decided: tuple[float, ...], alpha: float, seed: int, experiment: int
) -> Float64Array:
    """Return the share of significant pairs of a simulated campaign at each point, (C,)."""
    model = model_of(experiment)
    wanted = np.maximum(1, np.rint(decided)).astype(np.int64)
    # With few judgments, two points can be the same block of the simulation.
    blocks, point = np.unique(model.blocks_for(wanted), return_inverse=True)
    wins = simulate_wins(model, blocks=blocks, seed=seed, experiment=experiment).wins
    return significant_pairs(wins, alpha=alpha)[point]

"""Noise of a campaign's judges (σ of Koehn's 2012 model), and simulated campaigns that resemble it
so far.

A campaign's curve is the share of separated pairs by number of judgments (Koehn's Figure 2). The
noise is fitted to it, and the most similar simulated campaigns are continued.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import tally
from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.ranges import clusters
from ranking.core.sharding import Running
from ranking.core.simulation.measures import (
    sign_test_ranges,
    significant_pairs,
    sorted_expected_wins,
    spread_p_value,
)
from ranking.core.simulation.model import (
    Model,
    ModelOf,
    generator_of,
    measure_experiments,
    simulate_wins,
)
from ranking.core.words import confidence_check

#: Simulated noise levels, for qualities from 0 to 10: from nearly no noise to nearly no signal.
NOISE_GRID = np.geomspace(0.5, 128, 33)


class NoiseNotEstimableError(ValueError):
    """The noise of a campaign cannot be estimated; the message says why."""


@dataclass(frozen=True, eq=False)
class CampaignCurve:
    """Share of significant pairs in a campaign, by number of judgments (Koehn 2012, Figure 2).

    Attributes
    ----------
    systems : int
        n.
    per_block : int
        Systems compared in a block, rounded to 2 … 5.
    comparisons : int
        Pairwise comparisons of the whole campaign, including ties.
    decided : int64, shape (C,)
        Decided comparisons at each point, ascending; the last point is the whole campaign. The
        model has no ties, so decided comparisons are compared with it.
    significant : float64, shape (C,)
        Share of the n(n−1)/2 pairs that the one-sided sign test separates, averaged over random
        orders of the blocks.
    separated : float
        That share for the whole campaign.
    clusters : int
        Number of clusters of the whole campaign, by rank ranges of the same test.
    spread : float64, shape (n,)
        Expected Wins of the whole campaign, best first.
    """

    systems: int
    per_block: int
    comparisons: int
    decided: Int64Array
    significant: FloatArray
    separated: float
    clusters: int
    spread: FloatArray

    @property
    def decided_share(self) -> float:
        """Share of comparisons that are not tied."""
        return float(self.decided[-1] / self.comparisons)

    def model(self, noise: float, groups: int | None = None) -> Model:
        """Return the model of campaigns like this one, with the given noise."""
        return Model(
            systems=self.systems,
            noise=noise,
            per_block=self.per_block,
            groups=groups,
        )

    def simulated(
        self,
        model: Model,
        seed: int,
        experiment: int,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the curve of a simulated campaign at the same points, and its spread.

        Returns
        -------
        float64, shape (C,)
        float64, shape (n,)
            Expected Wins at the last point, best first.
        """
        shares, wins = _grown(model, self.decided, seed, experiment)
        return shares, sorted_expected_wins(wins)


def _grown(
    model: Model,
    decided: Int64Array,
    seed: int,
    experiment: int,
) -> tuple[FloatArray, Int64Array]:
    """Return the shares of significant pairs after each number of comparisons, and the wins after
    the last.
    """
    # With few judgments, two points can be the same block of the simulation.
    blocks, point = np.unique(model.blocks_for(decided), return_inverse=True)
    wins = simulate_wins(model, blocks=blocks, seed=seed, experiment=experiment).wins
    return significant_pairs(wins)[point], wins[-1]


def campaign_curve(
    blocks: Blocks,
    *,
    points: int = 12,
    orders: int = 20,
    seed: int = 0,
) -> CampaignCurve:
    """Measure how the share of significant pairs grows in a campaign.

    Parameters
    ----------
    blocks : Blocks
        The campaign, without the reference. Systems never compared are ignored.
    points : int
        Number of points of the curve, evenly spaced in blocks; fewer if there are fewer blocks.
    orders : int
        Number of random orders of the blocks to average over: only the number of judgments matters,
        not which ones came first.
    seed : int
        Seed of the orders. The result does not depend on the order of the rows of `blocks`.

    Returns
    -------
    CampaignCurve

    Raises
    ------
    NoiseNotEstimableError
        If no comparison is decided.
    """
    whole = tally(blocks)
    if not whole.wins.any():
        raise NoiseNotEstimableError("all comparisons are ties")
    blocks = blocks.of_systems(whole.compared)
    outputs_per_block = np.count_nonzero(blocks.labels, axis=1)
    compared_per_block = outputs_per_block[outputs_per_block > 1].mean()
    per_block = np.clip(np.rint(compared_per_block), 2, MAX_LABEL)
    evenly_spaced = np.linspace(0, len(blocks), points + 1)
    ends = np.unique(np.rint(evenly_spaced[1:])).astype(np.int64)
    # With few blocks, the first points have no blocks.
    ends = ends[ends > 0]
    random = np.random.default_rng(seed)
    by_key = np.argsort(blocks.key, kind="stable")
    shares = []
    for _order in range(orders):
        growing = _growing_wins(blocks, random.permutation(by_key), ends)
        shares.append(significant_pairs(growing))
    decided = np.rint(whole.wins.sum() * ends / len(blocks))
    wins = tally(blocks).wins
    return CampaignCurve(
        systems=len(blocks.systems),
        per_block=int(per_block),
        comparisons=whole.comparisons,
        decided=np.maximum(1, decided).astype(np.int64),
        significant=np.mean(shares, axis=0),
        separated=float(shares[0][-1]),
        clusters=int(clusters(sign_test_ranges(wins)).max()),
        spread=sorted_expected_wins(wins),
    )


def _growing_wins(blocks: Blocks, order: Int64Array, ends: Int64Array) -> Int64Array:
    """Return the wins in the first blocks of an order, up to each end, shape (C, n, n)."""
    parts = []
    for rows in np.split(order, ends[:-1]):
        if len(rows):
            parts.append(tally(blocks.take(rows)).wins)
    return np.cumsum(parts, axis=0)


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseFit:
    """The noise fitted to a campaign.

    Attributes
    ----------
    noise : float
        σ, a standard deviation, relative to system qualities from 0 to 10.
    low, high : float or None
        Ends of the confidence interval; None for an end beyond `NOISE_GRID`.
    confidence : float
    simulated : float64, shape (C,)
        Average curve of simulated campaigns at the grid's noise nearest to `noise`.
    experiments, seed : int
    """

    noise: float
    low: float | None
    high: float | None
    confidence: float
    simulated: FloatArray
    experiments: int
    seed: int


@dataclass(frozen=True, eq=False)
class NoiseTable:
    """Curves of simulated campaigns over the grid of noises.

    Attributes
    ----------
    curves : float64, shape (E, G, C)
        Curves of E experiments, at the G noises of `NOISE_GRID` and C points.
    seed : int
    """

    curves: FloatArray
    seed: int

    def fit(
        self,
        significant: FloatArray | Sequence[float],
        confidence: float,
    ) -> NoiseFit:
        """Fit the noise to a campaign's curve at the same points.

        The height of a curve is its average over the points. The fitted noise is the one whose
        simulated campaigns have the campaign's height on average. The interval contains the noise
        levels for which that height is not among the extreme (1 − confidence)/2 of the simulated
        ones at either end. If the model is true, it covers the true noise with the stated
        confidence, for systems' qualities drawn at random.

        Raises
        ------
        NoiseNotEstimableError
            If no noise of the grid gives curves of this height.
        """
        confidence_check(confidence)
        height = float(np.mean(significant))
        heights = self.curves.mean(axis=-1)
        noise = _noise_at_height(height, heights.mean(axis=0))
        if noise is None:
            number = "few"
            if height > heights.mean():
                number = "many"
            raise NoiseNotEstimableError(
                f"too {number} pairs of systems differ significantly "
                f"(share {height:.3f}, averaged over the course of the campaign)",
            )
        tail = (1 - confidence) / 2
        lower, upper = np.quantile(heights, [tail, 1 - tail], axis=0)
        distance = np.abs(np.log(NOISE_GRID / noise))
        nearest = int(np.argmin(distance))
        return NoiseFit(
            noise=noise,
            low=_noise_at_height(height, lower),
            high=_noise_at_height(height, upper),
            confidence=confidence,
            simulated=self.curves[:, nearest].mean(axis=0),
            experiments=len(self.curves),
            seed=self.seed,
        )


def noise_table(
    curve: CampaignCurve,
    *,
    experiments: int = 200,
    seed: int = 0,
    **running: Unpack[Running],
) -> NoiseTable:
    """Return the curves of simulated campaigns like this one, at every noise level of
    `NOISE_GRID`.
    """
    curves = measure_experiments(
        partial(_curves_over_noise, curve, seed),
        range(experiments),
        **running,
    )
    return NoiseTable(curves=curves, seed=seed)


def fit_noise(
    curve: CampaignCurve,
    *,
    experiments: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
    **running: Unpack[Running],
) -> NoiseFit:
    """Fit σ of Koehn's model to a campaign's curve (Koehn 2012, §3), with an interval.

    Parameters
    ----------
    curve : CampaignCurve
        From `campaign_curve`.
    experiments : int
        Number of simulated campaigns at each noise level.
    confidence : float
        Confidence of the interval.
    seed : int
        The result depends on all arguments but `running`.
    **running : see `ranking.core.sharding.Running`

    Returns
    -------
    NoiseFit

    Raises
    ------
    NoiseNotEstimableError
        If no noise gives such a curve: no pair is significant, or all pairs are at once.
    """
    table = noise_table(curve, experiments=experiments, seed=seed, **running)
    return table.fit(curve.significant, confidence)


def _curves_over_noise(curve: CampaignCurve, seed: int, experiment: int) -> FloatArray:
    curves = []
    for noise in NOISE_GRID.tolist():
        model = curve.model(noise)
        shares, _spread = curve.simulated(model, seed, experiment)
        curves.append(shares)
    return np.array(curves)


def _noise_at_height(height: float, heights: FloatArray) -> float | None:
    """Return the noise at which heights, which decrease along `NOISE_GRID`, reach a value, or
    None.
    """
    falling = np.minimum.accumulate(heights)
    if not falling[-1] < height < falling[0]:
        return None
    log_noise = np.interp(-height, -falling, np.log(NOISE_GRID))
    return float(np.exp(log_noise))


#: Number of simulated campaigns per campaign kept as most similar.
_CANDIDATES = 30
#: Noise levels are drawn from the interval of the fit, widened by this factor at both ends.
_WIDER = 2.0
#: Streams of random numbers, different from those of the simulation.
_NOISE_OF_CANDIDATE = 100
_GROUPS_OF_CANDIDATE = 101


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
        p-value of the test that the campaign's systems have the spread of Koehn's model.
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
    **running: Unpack[Running],
) -> Futures:
    """Simulate campaigns up to the collected judgments, and return those most similar to the
    campaign.

    Thirty times as many campaigns as `experiments` are simulated, with noise levels drawn uniformly
    (on a log scale) from the widened interval of the fit. Half of them have systems as in Koehn's
    model; in the other half, some systems are equally good, with 1 to n − 1 different qualities,
    each number being equally likely. The campaigns nearest to the given one are kept. The distance
    is the sum of the mean squared differences of curves and of Expected Wins, each relative to the
    variance among all campaigns. (Approximate Bayesian computation by rejection.)

    The test of the spread uses the same number of campaigns from Koehn's half, chosen by the curve
    alone.

    Parameters
    ----------
    curve : CampaignCurve
    fit : NoiseFit
        Fit to that curve.
    experiments : int
        Number of campaigns to keep.
    seed, **running
        As in `ranking.core.simulation.budget.plan_budget`.

    Returns
    -------
    Futures
    """
    lowest = NOISE_GRID[0]
    highest = NOISE_GRID[-1]
    low = max(lowest, (fit.low or lowest) / _WIDER)
    high = min(highest, (fit.high or highest) * _WIDER)
    model_of = partial(_candidate_model, curve, float(low), float(high), seed)
    measured = measure_experiments(
        partial(_measured_candidate, curve, model_of, seed),
        range(_CANDIDATES * experiments),
        **running,
    )
    shares, spreads = np.split(measured, [len(curve.significant)], axis=1)
    by_curve = _distance(shares, curve.significant)
    by_both = by_curve + _distance(spreads, curve.spread)
    nearest = np.argsort(by_both, kind="stable")[:experiments]
    # Koehn's model has the even numbers.
    nearest_of_koehn = np.argsort(by_curve[::2], kind="stable")[:experiments] * 2
    return Futures(
        model_of=model_of,
        # Sorted by number, so that plans that keep the same campaigns have the same results.
        experiments=tuple(np.sort(nearest).tolist()),
        spread_p=spread_p_value(curve.spread, spreads[nearest_of_koehn]),
    )


def _candidate_model(
    curve: CampaignCurve,
    low: float,
    high: float,
    seed: int,
    experiment: int,
) -> Model:
    """Return Koehn's model for even numbers, and one with groups of equal systems for odd ones."""
    uniform = generator_of(seed, experiment, _NOISE_OF_CANDIDATE).random()
    groups = None
    if experiment % 2:
        random = generator_of(seed, experiment, _GROUPS_OF_CANDIDATE)
        groups = int(random.integers(1, curve.systems))
    return curve.model(float(low * (high / low) ** uniform), groups)


def _measured_candidate(
    curve: CampaignCurve,
    model_of: ModelOf,
    seed: int,
    experiment: int,
) -> FloatArray:
    """Return the curve and the spread of a simulated campaign in one row, shape (C + n,)."""
    return np.concatenate(curve.simulated(model_of(experiment), seed, experiment))


def _distance(measured: FloatArray, target: FloatArray) -> FloatArray:
    """Return the mean squared difference of each row, in units of the variance among rows, shape
    (E,).
    """
    variance = float(measured.var(axis=0).mean())
    distance: FloatArray = np.square(measured - target).mean(axis=1)
    if variance > 0:
        return distance / variance
    return distance


@dataclass(frozen=True, eq=False)
class Forecast:
    """Shares of the pairs of systems separated by the sign test after numbers of comparisons.

    Attributes
    ----------
    comparisons : float64, shape (C,)
        Comparisons, including ties, which are as frequent as in the campaign so far.
    share : float64, shape (C,)
        Average over the simulated campaigns.
    low, high : float64, shape (C,)
        Interval that contains a share `confidence` of them.
    confidence : float
    """

    comparisons: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float


def forecast_pairs(
    curve: CampaignCurve,
    futures: Futures,
    comparisons: Sequence[float] | FloatArray,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    **running: Unpack[Running],
) -> Forecast:
    """Forecast the share of separated pairs, using simulated campaigns that resemble this one so
    far.

    Their future gains or losses are added to the campaign's current share, clipped to 0 … 1, so
    that the forecast starts at the current state.

    Parameters
    ----------
    curve : CampaignCurve
    futures : Futures
        Futures of this curve.
    comparisons : sequence of float
        Numbers including ties, ascending, at least those collected.
    confidence : float
        Between 0 and 1.
    seed : int
        Seed of `futures`, whose campaigns are continued.
    **running
        As in `ranking.core.simulation.budget.plan_budget`.

    Returns
    -------
    Forecast

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1, or the comparisons are not ascending from the
        current number.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    confidence_check(confidence)
    counts = np.asarray(comparisons, dtype=np.float64)
    if not len(counts) or np.any(np.diff(counts, prepend=curve.comparisons) < 0):
        raise ValueError("comparisons: expected ascending numbers from now on")
    decided = np.array([curve.comparisons, *counts]) * curve.decided_share
    shares = measure_experiments(
        partial(_shares, futures.model_of, tuple(decided.tolist()), seed),
        futures.experiments,
        **running,
    )
    now = shares[:, :1]
    later = shares[:, 1:]
    shares = np.clip(curve.separated + later - now, 0, 1)
    tail = (1 - confidence) / 2
    return Forecast(
        comparisons=counts,
        share=shares.mean(axis=0),
        low=np.quantile(shares, tail, axis=0, method="lower"),
        high=np.quantile(shares, 1 - tail, axis=0, method="higher"),
        confidence=confidence,
    )


def _shares(
    model_of: ModelOf,
    decided: tuple[float, ...],
    seed: int,
    experiment: int,
) -> FloatArray:
    """Return the share of significant pairs of a simulated campaign at each point, (C,)."""
    comparisons = np.maximum(1, np.rint(decided)).astype(np.int64)
    return _grown(model_of(experiment), comparisons, seed, experiment)[0]

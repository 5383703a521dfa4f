"""Number of judgments needed for targets (Koehn 2012, §6), from simulated campaigns that grow until
they reach them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple, Unpack

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.ranges import clusters as clusters_of
from ranking.core.sharding import Engine, Progress, Running
from ranking.core.simulation.measures import sign_test_ranges, significant_pairs
from ranking.core.simulation.model import (
    Model,
    ModelOf,
    measure_experiments,
    simulate_wins,
)
from ranking.core.simulation.noise import (
    CampaignCurve,
    Futures,
    NoiseFit,
    likely_futures,
)
from ranking.core.words import confidence_check

#: Ratio of the comparisons at neighbouring points of a curve.
_STEP = 1.1
#: Campaigns first grow to this many comparisons, then repeatedly to four times as many: most
#: targets are near, and all earlier steps together cost a third of the last one.
_FIRST_LIMIT = 50_000
_NEXT_LIMIT = 4

#: Names of the measures, in the order of the columns.
_MEASURES = ("significant_pairs", "clusters")


class Target(NamedTuple):
    """A share of pairs of systems to separate, or a number of clusters."""

    measure: Literal["significant_pairs", "clusters"]
    value: float


class PlanOptions(Running, total=False):
    """Targets and limits of a plan, see `plan_budget`."""

    targets: Sequence[float]
    clusters: Sequence[int]
    confidence: float
    limit: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """Options of a plan with their defaults."""

    targets: Sequence[float] = ()
    clusters: Sequence[int] = ()
    confidence: float = 0.95
    limit: int = 4_000_000
    seed: int = 0
    engine: Engine | None = None
    progress: Progress | None = None

    @property
    def running(self) -> Running:
        return {"engine": self.engine, "progress": self.progress}

    def targets_for(self, systems: int) -> list[Target]:
        """Return the targets of campaigns with n systems; ValueError if one is out of range."""
        targets = []
        for share in self.targets:
            if not 0 < share <= 1:
                raise ValueError("targets: expected shares above 0, at most 1")
            targets.append(Target("significant_pairs", share))
        for count in self.clusters:
            if not 2 <= count <= systems:
                raise ValueError(f"clusters: expected 2 … {systems}")
            targets.append(Target("clusters", count))
        if not targets:
            raise ValueError("targets: expected at least one")
        return targets


def _simulate_until(
    model_of: ModelOf,
    experiments: Sequence[int],
    targets: Sequence[Target],
    plan: _Plan,
    *,
    decided_share: float = 1.0,
    with_average: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Simulate campaigns until they reach the targets, and return the comparisons required.

    With `with_average`, all campaigns grow until their average reaches each target. Afterwards,
    campaigns that have not reached it grow until the interval of a share `confidence` has an upper
    end.

    Parameters
    ----------
    model_of : callable
        Returns the model of each experiment; models may differ only in noise and groups.
    experiments : sequence of int
    targets : sequence of Target
    plan : _Plan
        Its confidence is the share of campaigns whose interval must be known.
    decided_share : float
        Share of the plan's limit to simulate at most, because simulated comparisons are not tied.
    with_average : bool
        Whether to find the average as well.

    Returns
    -------
    average : float64, shape (T,)
        Comparisons after which the average over campaigns reaches each target; infinite beyond the
        limit, or if not requested.
    first : float64, shape (E, T)
        Comparisons after which each campaign first reaches each target; infinite beyond the limit.
    """
    first = np.full((len(experiments), len(targets)), np.inf)
    average = np.full(len(targets), np.inf)
    growing = np.arange(len(experiments))
    first_model = model_of(experiments[0])
    per_block = first_model.comparisons_per_block
    with_clusters = any(target.measure == "clusters" for target in targets)
    limit = plan.limit * decided_share
    until = min(_FIRST_LIMIT, limit)
    while True:
        comparisons = _grid(per_block, until)
        blocks = np.unique(first_model.blocks_for(comparisons))
        counts = (blocks * per_block).astype(np.float64)
        checkpoints = tuple(blocks.tolist())
        measure = partial(_measure, model_of, checkpoints, with_clusters, plan.seed)
        growing_experiments = [experiments[index] for index in growing.tolist()]
        measured = measure_experiments(measure, growing_experiments, **plan.running)
        for t, target in enumerate(targets):
            values = measured[:, :, _MEASURES.index(target.measure)]
            for row, campaign in zip(values, growing.tolist(), strict=True):
                first[campaign, t] = _crossing(counts, row, target.value)
            if with_average and len(growing) == len(experiments):
                average[t] = _crossing(counts, values.mean(axis=0), target.value)
        _low, high = _interval(first, plan.confidence)
        open_ended = np.isinf(high)
        on_average = with_average and bool(np.isinf(average).any())
        if until >= limit or not (open_ended.any() or on_average):
            return average, first
        if not on_average:
            is_open = np.isinf(first[:, open_ended]).any(axis=1)
            growing = np.flatnonzero(is_open)
        until = min(until * _NEXT_LIMIT, limit)


def _interval(first: FloatArray, confidence: float) -> FloatArray:
    """Return the interval in which a share `confidence` of campaigns reach each target, shape
    (2, T).
    """
    confidence_check(confidence)
    low = np.quantile(first, (1 - confidence) / 2, axis=0, method="lower")
    high = np.quantile(first, (1 + confidence) / 2, axis=0, method="higher")
    return np.stack([low, high])


def _grid(first: int, last: float) -> Int64Array:
    """Return numbers of comparisons from `first` to `last`, evenly spaced on a logarithmic
    scale.
    """
    end = max(last, first + 1)
    steps = np.ceil(np.log(end / first) / np.log(_STEP))
    points = 1 + max(1, int(steps))
    return np.rint(np.geomspace(first, end, points)).astype(np.int64)


def _measure(
    model_of: ModelOf,
    blocks: tuple[int, ...],
    with_clusters: bool,
    seed: int,
    experiment: int,
) -> FloatArray:
    """Return the share of significant pairs and, if requested, the number of clusters, shape
    (checkpoints, 1 or 2).
    """
    model = model_of(experiment)
    wins = simulate_wins(model, blocks=blocks, seed=seed, experiment=experiment).wins
    columns = [significant_pairs(wins)]
    if with_clusters:
        clusters = clusters_of(sign_test_ranges(wins))
        columns.append(clusters.max(axis=-1).astype(np.float64))
    return np.stack(columns, axis=-1)


def _crossing(counts: FloatArray, values: FloatArray, target: float) -> float:
    """Return the count at which a curve, linear in log counts, first reaches a value; infinite if
    never.
    """
    # A share of pairs is a ratio of integers, and may be below the target by a rounding error.
    reached = np.flatnonzero(values >= target - 1e-9)
    if not len(reached):
        return np.inf
    end = int(reached[0])
    if end == 0:
        return float(counts[0])
    start = end - 1
    low = float(values[start])
    high = float(values[end])
    share = min(1.0, (target - low) / (high - low))
    ratio = counts[end] / counts[start]
    return float(counts[start] * ratio**share)


#: p-value up to which the model does not fit the spread of a campaign's systems.
MISFIT = 0.05


@dataclass(frozen=True, kw_only=True)
class BudgetRow:
    """Number of judgments required for one target.

    Attributes
    ----------
    measure : "significant_pairs" or "clusters"
    target : float
        Share of the pairs of systems, or number of clusters.
    comparisons : int or None
        Pairwise comparisons, including ties, after which half of the campaigns have reached the
        target. None if beyond the limit.
    low, high : int or None
        Numbers between which a share `confidence` of campaigns reach the target. None if beyond the
        limit.
    average : int or None
        Comparisons after which the average share, or number of clusters, of all campaigns is the
        target (Koehn 2012, Table 4). Usually more than the median, because a few campaigns of
        similar systems lower the average. None if it is beyond the limit, or if the plan continues
        a campaign.
    beyond : float or None
        Share of the campaigns that do not reach the target within the limit, if `high` is None.
        Otherwise None, as the share is at most (1 − confidence) / 2.
    more : int or None
        `comparisons` minus those already collected, at least 0.
    """

    measure: Literal["significant_pairs", "clusters"]
    target: float
    comparisons: int | None
    low: int | None
    high: int | None
    average: int | None = None
    beyond: float | None = None
    more: int | None = None


@dataclass(frozen=True, kw_only=True)
class Budget:
    """A plan, with everything needed to reproduce it.

    Attributes
    ----------
    model : Model
    collected : int
        Comparisons already collected, including ties; 0 without a campaign.
    fit : NoiseFit or None
        The noise fitted to the campaign, if there is one.
    spread_p : float or None
        p-value of the test that the campaign's systems are spread as in Koehn's model; None without
        a campaign. If it is at most `MISFIT`, the plan may be far too low (`fits`).
    confidence : float
    limit : int
        The largest number of comparisons simulated.
    experiments, seed : int
    rows : tuple of BudgetRow
        The targets in the order given.
    needs : tuple of tuple of float
        For each target, the number of comparisons at which each simulated campaign reaches it,
        infinite beyond the limit; empty without a campaign.
    """

    model: Model
    collected: int
    fit: NoiseFit | None
    spread_p: float | None
    confidence: float
    limit: int
    experiments: int
    seed: int
    rows: tuple[BudgetRow, ...]
    needs: tuple[tuple[float, ...], ...] = ()

    @property
    def fits(self) -> bool:
        """True if there is no evidence against the model."""
        return self.spread_p is None or self.spread_p > MISFIT


def plan_budget(
    model: Model,
    *,
    experiments: int = 400,
    **options: Unpack[PlanOptions],
) -> Budget:
    """Plan a campaign before its first judgment (Koehn 2012, Table 4).

    Parameters
    ----------
    model : Model
    experiments : int
        Number of simulated campaigns. The interval is their spread: systems differ between
        campaigns.
    targets : sequence of float
        Shares of the pairs of systems to be separated by the one-sided sign test at 0.05, in (0, 1].
    clusters : sequence of int
        Numbers of clusters to be reached, 2 … n, with rank ranges by that test.
    confidence : float
        0.95 by default.
    limit : int
        Maximum number of comparisons to simulate, 4,000,000 by default.
    seed : int
        The plan depends only on the other arguments, bit for bit.
    engine, progress : see `ranking.core.sharding.Running`
        Progress starts again when campaigns have to grow further.

    Returns
    -------
    Budget

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not isinstance(model, Model):
        raise TypeError(
            f"plan_budget takes a Model, such as Model(systems=15, noise=10.0), not {type(model).__name__}",
        )
    plan = _Plan(**options)
    targets = plan.targets_for(model.systems)
    average, first = _simulate_until(
        partial(_same_model, model),
        range(experiments),
        targets,
        plan,
        with_average=True,
    )
    return Budget(
        model=model,
        collected=0,
        fit=None,
        spread_p=None,
        confidence=plan.confidence,
        limit=plan.limit,
        experiments=experiments,
        seed=plan.seed,
        rows=_rows(targets, average, first, plan.confidence),
    )


def plan_campaign(
    curve: CampaignCurve,
    fit: NoiseFit,
    *,
    experiments: int = 200,
    futures: Futures | None = None,
    **options: Unpack[PlanOptions],
) -> Budget:
    """Plan the rest of a campaign.

    Simulated campaigns that resemble it so far are continued (`ranking.core.simulation.noise`):
    their noise and systems are plausible for this campaign, and some systems may be equally good.
    If many systems may be equally good, a target may never be reached, and the interval is open.

    Parameters
    ----------
    curve : CampaignCurve
    fit : NoiseFit
        Fitted to this curve.
    experiments : int
        Number of campaigns to keep.
    futures : Futures, optional
        Futures for this curve, fit, number of experiments and seed, if already computed.
    **options
        As in `plan_budget`.

    Returns
    -------
    Budget
        Comparisons include ties, assumed to be as frequent as in the campaign so far. Targets
        already reached are never placed in the future, and others never in the past.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    plan = _Plan(**options)
    targets = plan.targets_for(curve.systems)
    if futures is None:
        futures = likely_futures(
            curve,
            fit,
            experiments=experiments,
            seed=plan.seed,
            **plan.running,
        )
    average, first = _simulate_until(
        futures.model_of,
        futures.experiments,
        targets,
        plan,
        decided_share=curve.decided_share,
    )
    needs = []
    for target, column in zip(targets, first.T.tolist(), strict=True):
        needs.append(
            tuple(_comparisons_with_ties(decided, target, curve) for decided in column),
        )
    return Budget(
        model=curve.model(fit.noise),
        collected=curve.comparisons,
        fit=fit,
        spread_p=futures.spread_p,
        confidence=plan.confidence,
        limit=plan.limit,
        experiments=experiments,
        seed=plan.seed,
        rows=_rows(targets, average, first, plan.confidence, curve),
        needs=tuple(needs),
    )


def plan_from_start(
    curve: CampaignCurve,
    futures: Futures,
    *,
    more_systems: int = 0,
    **options: Unpack[PlanOptions],
) -> tuple[BudgetRow, ...]:
    """Plan campaigns like this one from their first judgment, possibly with more systems.

    When systems are added to the simulated campaigns of `futures`, the others keep their qualities,
    the noise stays the same, and new systems are drawn like the others. So two plans differ only by
    these systems and by chance. The results of the campaign so far are not used.

    Parameters
    ----------
    curve : CampaignCurve
    futures : Futures
        Futures of this curve.
    more_systems : int
        Not negative.
    **options
        As in `plan_budget`.

    Returns
    -------
    tuple of BudgetRow
        `more` equals `comparisons`: all comparisons count, including ties, which are as frequent as
        in the campaign.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if more_systems < 0:
        raise ValueError("more_systems: expected no negative number")
    plan = _Plan(**options)
    targets = plan.targets_for(curve.systems + more_systems)
    average, first = _simulate_until(
        partial(_model_with_more_systems, futures.model_of, more_systems),
        futures.experiments,
        targets,
        plan,
        decided_share=curve.decided_share,
    )
    return _rows(targets, average, first / curve.decided_share, plan.confidence)


def _model_with_more_systems(model_of: ModelOf, more: int, experiment: int) -> Model:
    # Qualities and groups are drawn one after the other, so those of the other systems do not
    # change.
    model = model_of(experiment)
    return replace(model, systems=model.systems + more)


def _same_model(model: Model, _experiment: int) -> Model:
    return model


def _rows(
    targets: Sequence[Target],
    average: FloatArray,
    first: FloatArray,
    confidence: float,
    curve: CampaignCurve | None = None,
) -> tuple[BudgetRow, ...]:
    # An observed value: the remaining comparisons then have the same median, whatever has been collected.
    median = np.quantile(first, 0.5, axis=0, method="inverted_cdf")
    low, high = _interval(first, confidence)
    beyond = np.isinf(first).mean(axis=0)
    collected = 0
    if curve is not None:
        collected = curve.comparisons
    rows = []
    for t, target in enumerate(targets):
        if curve is None:
            row = BudgetRow(
                measure=target.measure,
                target=target.value,
                comparisons=_rounded_comparisons(median[t]),
                low=_rounded_comparisons(low[t]),
                high=_rounded_comparisons(high[t]),
                average=_rounded_comparisons(average[t]),
            )
        else:
            row = BudgetRow(
                measure=target.measure,
                target=target.value,
                comparisons=_rounded_comparisons(
                    _comparisons_with_ties(median[t], target, curve),
                ),
                low=_rounded_comparisons(_comparisons_with_ties(low[t], target, curve)),
                high=_rounded_comparisons(
                    _comparisons_with_ties(high[t], target, curve),
                ),
            )
        if row.high is None:
            row = replace(row, beyond=float(beyond[t]))
        if row.comparisons is not None:
            row = replace(row, more=max(0, row.comparisons - collected))
        rows.append(row)
    return tuple(rows)


def _rounded_comparisons(comparisons: float) -> int | None:
    """Return a number of comparisons; None if it is beyond the limit."""
    if np.isinf(comparisons):
        return None
    return round(comparisons)


def _comparisons_with_ties(
    decided: float,
    target: Target,
    curve: CampaignCurve,
) -> float:
    """Return comparisons with ties, consistent with the targets that the campaign has reached."""
    comparisons = decided / curve.decided_share
    if target.measure == "significant_pairs":
        now = curve.separated
    else:
        now = curve.clusters
    if now >= target.value - 1e-9:
        return min(comparisons, float(curve.comparisons))
    return max(comparisons, float(curve.comparisons))

"""Mean scores of systems over several test sets, with intervals, and orders of systems by several
methods.

The mean is over these test sets only. Test sets do not share segments, so their parts of the
variance add up; a judge who judged in several test sets counts as one unit. With the influence a_tj
of judge j on the scores of test set t (T test sets), and V_t as in `ranking.core.uncertainty`,

    V = Σ_t V_t / T² + Σ_j Σ_{t ≠ u} a_tj a_ujᵀ / T²
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from ranking.core.arrays import FloatArray
from ranking.core.counting.moments import moments_of_blocks, sparse_counts_of_units
from ranking.core.estimates import t_quantile
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import Method
from ranking.core.methods.newton import NotConvergedError
from ranking.core.methods.registry import method_named
from ranking.core.scores import TIE_DECIMALS, best_first, shared_ranks
from ranking.core.uncertainty import (
    ClusteredCovariance,
    RangeLimit,
    ScoreCovariance,
    clustered_covariances,
)


@dataclass(frozen=True, eq=False)
class ScoreInfluence:
    """Data of one test set for the mean over test sets.

    Attributes
    ----------
    systems : tuple of str, length n
    scores : float64, shape (n,)
        NaN for systems without a score.
    covariance : ScoreCovariance
        Over segments and judges.
    segments, judges : ClusteredCovariance
        Its parts over segments (or documents) and over judges.
    names : tuple of str, length J
        The judges.
    of_judges : float64, shape (n, J)
        Influence of all of a judge's judgments on each score.
    work : float64, shape (J,)
        Number of comparisons of each judge.
    """

    systems: tuple[str, ...]
    scores: FloatArray
    covariance: ScoreCovariance
    segments: ClusteredCovariance
    judges: ClusteredCovariance
    names: tuple[str, ...]
    of_judges: FloatArray
    work: FloatArray

    @property
    def knows_judges(self) -> bool:
        """True if its covariance accounts for judges."""
        return RangeLimit.FEW_JUDGES not in self.covariance.limits


@dataclass(frozen=True)
class MeanScore:
    """The mean score of a system, and its interval.

    Attributes
    ----------
    system : str
    score, low, high : float
    standard_error : float
    """

    system: str
    score: float
    low: float
    high: float
    standard_error: float


@dataclass(frozen=True)
class MeanRank:
    """The mean rank of a system, and its range."""

    system: str
    rank: float
    low: float
    high: float


def score_influence(blocks: Blocks, method: Method) -> ScoreInfluence:
    """Score one test set, with the influence of each of its judges.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    method : Method
        A method with influence values of counts.

    Returns
    -------
    ScoreInfluence

    Raises
    ------
    ValueError
        If the method has no influence values.
    """
    if method.influence is None:
        raise ValueError(f"{method.name} has no influence values")
    settings = method.complete(None)
    fitted = method.score(blocks)
    # Systems without a score would only affect the others.
    scored = blocks.of_systems(np.flatnonzero(fitted.estimable))
    ranked = scored.with_judges_in_order()
    scores = method.score(ranked)
    layout = method.layout(len(ranked.systems))
    moments = moments_of_blocks(ranked, layout)
    influence_of_cells = method.influence(layout.unpack(moments.cells), **settings)
    influence = influence_of_cells[:, layout.used]
    _blocks, segments, judges = clustered_covariances(moments, influence)
    # Judges are sorted and each has a block, so there is one column per judge.
    counts = sparse_counts_of_units(ranked, layout, ranked.judge.astype(np.int64))
    return ScoreInfluence(
        systems=ranked.systems,
        scores=scores.values,
        covariance=method.covariance(moments, layout, **settings),
        segments=segments,
        judges=judges,
        names=ranked.judges,
        of_judges=np.asarray((counts.T @ influence.T).T, dtype=np.float64),
        work=np.asarray(counts.sum(axis=0), dtype=np.float64).ravel(),
    )


@dataclass
class _PooledJudges:
    """Judges of several test sets by name.

    Attributes
    ----------
    influence : dict of str to float64, shape (n,)
        Influence of all of a judge's judgments on the mean scores.
    work : dict of str to float
        Number of a judge's comparisons.
    """

    influence: dict[str, FloatArray] = field(default_factory=dict)
    work: dict[str, float] = field(default_factory=dict)

    def add(self, task: ScoreInfluence, influence: FloatArray) -> None:
        """Add the judges of a test set with their influence, shape (n, J)."""
        nothing = np.zeros(len(influence))
        for index, name in enumerate(task.names):
            influence_before = self.influence.get(name, nothing)
            work_before = self.work.get(name, 0.0)
            self.influence[name] = influence_before + influence[:, index]
            self.work[name] = work_before + float(task.work[index])

    @property
    def effective(self) -> float:
        """Effective number of judges."""
        work = np.array(list(self.work.values()))
        total = float(work.sum())
        squares = float((work**2).sum())
        return total**2 / squares


def mean_scores(
    tasks: Sequence[ScoreInfluence],
    systems: Sequence[str],
    *,
    confidence: float = 0.95,
) -> tuple[MeanScore, ...]:
    """Return the mean scores of systems over test sets, in the order of `systems`.

    Parameters
    ----------
    tasks : sequence of ScoreInfluence
        T test sets, at least one, each with a score for every system.
    systems : sequence of str
    confidence : float
        Confidence of each single interval, between 0 and 1.

    Returns
    -------
    tuple of MeanScore
        Intervals are Student's t, with the degrees of freedom of the variance (Satterthwaite 1946):
        each part has its effective number of units minus one, with judges pooled over test sets.
    """
    share = 1 / len(tasks)
    count = len(systems)
    means = np.zeros(count)
    covariance = np.zeros((count, count))
    # Covariance from judges, as if those of each test set were other people.
    separate_covariance = np.zeros((count, count))
    pooled = _PooledJudges()
    # Squared variances by their degrees of freedom (Welch and Satterthwaite).
    uncertainty = 0.0
    for task in tasks:
        rows = np.array([task.systems.index(name) for name in systems], dtype=np.int64)
        square = np.ix_(rows, rows)
        means += task.scores[rows] * share
        covariance += task.covariance.matrix[square] * share**2
        total_variance = float(np.trace(task.segments.matrix[square]))
        segments = total_variance * share**2
        uncertainty += segments**2 / max(task.segments.effective - 1, 1)
        if not task.knows_judges:
            continue
        correction = task.judges.effective / (task.judges.effective - 1)
        influence = task.of_judges[rows] * (share * correction**0.5)
        separate_covariance += influence @ influence.T
        pooled.add(task, influence)
    if pooled.influence:
        judge_influence = np.array(list(pooled.influence.values()))
        joint = judge_influence.T @ judge_influence
        covariance = covariance + joint - separate_covariance
        total_variance = float(np.trace(joint))
        uncertainty += total_variance**2 / max(pooled.effective - 1, 1)
    variance = np.maximum(np.diag(covariance), 0.0)
    freedom = np.inf
    if uncertainty:
        freedom = max(1.0, float(np.sum(variance)) ** 2 / uncertainty)
    errors = np.sqrt(variance)
    quantile = float(t_quantile(confidence, freedom))
    reach = quantile * errors
    low = means - reach
    high = means + reach
    scores = []
    for index, name in enumerate(systems):
        score = MeanScore(
            system=name,
            score=float(means[index]),
            low=float(low[index]),
            high=float(high[index]),
            standard_error=float(errors[index]),
        )
        scores.append(score)
    return tuple(scores)


def mean_ranks(
    rankings: Sequence[Mapping[str, tuple[int, int, int]]],
    systems: Sequence[str],
) -> tuple[MeanRank, ...]:
    """Return the mean ranks of systems over test sets, in the order of `systems`.

    The range is from the mean of the lower ends of the test sets' rank ranges to the mean of the
    upper ends. It does not become narrower with more test sets: it is valid even if test sets share
    judges, preferences or an order of the systems, and if ranks are biased towards the middle.

    A mean of ranks cannot have an interval like that of scores, because a rank is not a smooth
    function of scores. If systems are close, drawn ranks are nearer to the middle than the true
    ones in every test set, and averaging removes the spread but not the bias: with twenty test
    sets, means of drawn ranks miss half of the true means (docs/statistics/coverage.md).

    Parameters
    ----------
    rankings : sequence of mapping
        Rank and rank range (rank, low, high) of each of the systems, by test set.
    systems : sequence of str

    Returns
    -------
    tuple of MeanRank
    """
    means = []
    for name in systems:
        ranks = [ranking[name] for ranking in rankings]
        rank, low, high = np.mean(ranks, axis=0).tolist()
        means.append(MeanRank(system=name, rank=rank, low=low, high=high))
    return tuple(means)


@dataclass(frozen=True)
class MethodOrder:
    """The order of n systems by a method.

    Attributes
    ----------
    method : str
    ranks : dict of str to int
        1 for the best; without systems that the method cannot score.
    scores : dict of str to float
    swapped : tuple of (str, str)
        Pairs of systems ordered differently from the first method, the better one by the first
        method first.
    reason : str
        Reason why there is no order; empty if there is one.
    """

    method: str
    ranks: dict[str, int]
    scores: dict[str, float]
    swapped: tuple[tuple[str, str], ...] = ()
    reason: str = ""


def orders_by_methods(
    blocks: Blocks,
    methods: Sequence[str],
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[MethodOrder, ...]:
    """Rank systems by several methods, without rank ranges.

    Parameters
    ----------
    blocks : Blocks
    methods : sequence of str
        Names in the registry. The others are compared with the first.
    seed : int
        Seed for methods that draw random numbers.
    progress : callable, optional
        Called with (methods done, all methods).

    Returns
    -------
    tuple of MethodOrder
        In the order of `methods`.
    """
    orders: list[MethodOrder] = []
    for number, name in enumerate(methods, 1):
        order = _order(blocks, name, seed)
        if orders:
            swapped = _swapped_pairs(orders[0].scores, order.scores)
            order = replace(order, swapped=swapped)
        orders.append(order)
        if progress is not None:
            progress(number, len(methods))
    return tuple(orders)


def _order(blocks: Blocks, name: str, seed: int) -> MethodOrder:
    method = method_named(name)
    try:
        scores = method.score(blocks, seed=seed, **method.complete(None))
    except NotConvergedError:
        return MethodOrder(name, {}, {}, reason="not_converged")
    ranks, _last = shared_ranks(scores)
    rank_by_system = {}
    score_by_system = {}
    for index in best_first(scores).tolist():
        system = blocks.systems[index]
        rank_by_system[system] = int(ranks[index])
        score_by_system[system] = float(scores.values[index])
    return MethodOrder(method=name, ranks=rank_by_system, scores=score_by_system)


def _swapped_pairs(
    first: Mapping[str, float],
    other: Mapping[str, float],
) -> tuple[tuple[str, str], ...]:
    """Return the pairs in opposite orders, without pairs with equal scores."""
    systems = [name for name in first if name in other]
    swapped = []
    for one, two in combinations(systems, 2):
        if _is_ahead(first, one, two) and _is_ahead(other, two, one):
            swapped.append((one, two))
    return tuple(swapped)


def _is_ahead(scores: Mapping[str, float], one: str, two: str) -> bool:
    return round(scores[one], TIE_DECIMALS) > round(scores[two], TIE_DECIMALS)

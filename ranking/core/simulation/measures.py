"""Measures of simulated campaigns, whose true rankings are known, and a study of their errors (Koehn 2012)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal, TypedDict, Unpack

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column, as_row
from ranking.core.counting.counts import Counts
from ranking.core.counting.resampling import bootstrap_wins
from ranking.core.methods.lopez import lopez_order
from ranking.core.methods.shares import expected_wins, scores_of
from ranking.core.ranges import RankRanges, clusters, ranges_of_better, rank_ranges
from ranking.core.scores import TIE_DECIMALS
from ranking.core.sharding import Engine, Progress
from ranking.core.simulation.model import (
    Model,
    Simulated,
    generator_of,
    measure_experiments,
    resampling_generator,
    simulate_blocks,
    simulate_wins,
)
from ranking.core.words import word_check

Level = Literal["pairs", "blocks", "segments"]
RankRangesFrom = Literal["sign_test", "bootstrap"]
_SEGMENT_KEYS = 200  # Stream of random numbers, separate from those of the simulation.


def significantly_better(wins: Int64Array, *, alpha: float = 0.05) -> BoolArray:
    """Return whether each system is significantly better than each other by the one-sided sign
    test.

    A system is significantly better if, for equally good systems, the probability of at least as
    many wins in the pair's m decided comparisons is at most `alpha`. One-sided tests at 0.05, in
    both directions of each pair, reproduce the tables of Koehn (2012). The result is that of
    `ranking.core.ranges.better`, but looked up in a table, which is forty times faster for the
    curves of thousands of campaigns.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
    alpha : float
        Between 0 and ½.

    Returns
    -------
    bool, shape (..., n, n)
        ``result[..., a, b]`` if a is significantly better than b.
    """
    decided = wins + np.swapaxes(wins, -1, -2)
    better: BoolArray = wins >= critical_wins(decided, alpha=alpha)
    return better


def critical_wins(decided: Int64Array, *, alpha: float = 0.05) -> Int64Array:
    """Return the smallest number of wins that is significant by the one-sided sign test.

    Parameters
    ----------
    decided : int64, any shape
        Numbers m of decided comparisons.
    alpha : float
        The level, between 0 and 1.

    Returns
    -------
    int64, the shape of `decided`
        m + 1 if even m wins are not significant.
    """
    # A power of two, so that campaigns of similar size share one table.
    size = 1 << int(decided.max(initial=1)).bit_length()
    return _critical_wins(size, alpha)[decided]


@lru_cache(maxsize=16)
def _critical_wins(size: int, alpha: float) -> Int64Array:
    """Return the smallest significant number of wins out of m, for m = 0 … size; m + 1 if there is
    none.

    They are computed from the normal quantile with a correction for kurtosis (the binomial with ½
    has no skew), and from the binomial distribution itself where that could round to a different
    number.
    """
    from scipy.stats import binom, norm  # a fifth of Django's start-up time

    decided = np.arange(size + 1)
    z = norm.isf(alpha)
    m = np.maximum(decided, 1)
    kurtosis_correction = (z**3 - 3 * z) / (12 * m)
    quantile = z - kurtosis_correction
    bound = (m + 1) / 2 + np.sqrt(m) / 2 * quantile
    critical = np.ceil(bound).astype(np.int64)
    is_close = np.abs(bound - np.rint(bound)) < 0.01
    close = np.flatnonzero((decided < 1000) | is_close)
    m = decided[close]
    wins = critical[close]
    for _step in range(2):
        wins -= binom.sf(wins - 2, m, 0.5) <= alpha
        wins += binom.sf(wins - 1, m, 0.5) > alpha
    critical[close] = wins
    return np.minimum(critical, decided + 1)


def significant_pairs(wins: Int64Array, *, alpha: float = 0.05) -> FloatArray:
    """Return the share of the n(n−1)/2 pairs that the sign test separates, shape (...)."""
    n = wins.shape[-1]
    pairs = n * (n - 1) / 2
    is_better = significantly_better(wins, alpha=alpha)
    separated = np.count_nonzero(is_better, axis=(-2, -1))
    return np.asarray(separated / pairs)


def sign_test_ranges(wins: Int64Array, *, alpha: float = 0.05) -> RankRanges:
    """Return rank ranges from pairwise significance (Koehn 2012, §5.1).

    A system with w significantly better systems and b significantly worse ones ranks between w + 1
    and n − b.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
    alpha : float
        One-sided level of each test.

    Returns
    -------
    RankRanges
        With arrays of shape (..., n).
    """
    return ranges_of_better(significantly_better(wins, alpha=alpha))


class StudyArguments(TypedDict, total=False):
    """Keyword arguments of `StudyOptions`."""

    rank_ranges: RankRangesFrom
    resample: Level
    resamples: int
    confidence: float
    seed: int


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Rank ranges and seed of a study, see `simulate_campaigns`; ValueError if one is out of range."""

    rank_ranges: RankRangesFrom = "sign_test"
    resample: Level = "pairs"
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        word_check("rank_ranges", self.rank_ranges, RankRangesFrom)
        word_check("resample", self.resample, Level)
        if not 0.5 < self.confidence < 1:
            raise ValueError("confidence: expected a share above one half and below 1")

    @property
    def alpha(self) -> float:
        """Level of the one-sided sign test."""
        return 1 - self.confidence


def bootstrap_ranges(
    simulated: Simulated,
    model: Model,
    options: StudyOptions,
    experiment: int,
) -> RankRanges:
    """Return rank ranges from resampled Expected Wins at each checkpoint (Koehn 2012, §5.1).

    Parameters
    ----------
    simulated : Simulated
        The experiment, with C checkpoints.
    model : Model
        Model of the experiment.
    options : StudyOptions
        Units to resample: single comparisons with replacement, as in the paper; blocks; or segments
        with all their blocks.
    experiment : int
        Number of the experiment.

    Returns
    -------
    RankRanges
        With arrays of shape (C, n).
    """
    seed = options.seed
    resamples = options.resamples
    blocks = None
    if options.resample != "pairs":
        last = int(simulated.blocks[-1])
        blocks, _quality = simulate_blocks(
            model,
            blocks=last,
            seed=seed,
            experiment=experiment,
        )
    if blocks is not None and options.resample == "segments":
        # Blocks of one segment share a key, and so their weights.
        random = generator_of(seed, experiment, _SEGMENT_KEYS)
        segments = int(blocks.segment.max())
        keys = random.integers(0, 2**64, size=segments, dtype=np.uint64)
        blocks = replace(blocks, key=keys[blocks.segment - 1])
    low = np.empty(simulated.wins.shape[:2], dtype=np.int64)
    high = np.empty_like(low)
    for checkpoint, count in enumerate(simulated.blocks.tolist()):
        random = resampling_generator(seed, experiment, count)
        if blocks is None:
            wins = simulated.wins[checkpoint]
            ties = simulated.ties[checkpoint]
            resampled = _resample_pairs(wins, ties, resamples, random)
        else:
            key = int(random.integers(0, 2**63))
            first_blocks = blocks.take(slice(count))
            resampled = bootstrap_wins(first_blocks, resamples=resamples, seed=key)
        scores = expected_wins(resampled)
        checkpoint_ranges = rank_ranges(scores, confidence=options.confidence)
        low[checkpoint] = checkpoint_ranges.low
        high[checkpoint] = checkpoint_ranges.high
    return RankRanges(low, high)


def _resample_pairs(
    wins: Int64Array,
    ties: Int64Array,
    resamples: int,
    random: np.random.Generator,
) -> Int64Array:
    """Draw as many comparisons as there are, including ties, with replacement.

    Returns
    -------
    int64, shape (R, n, n)
        Wins among the drawn comparisons.
    """
    cells = np.flatnonzero(wins)
    # All ties are one outcome here: they only reduce the number of wins drawn.
    counts = np.append(wins.ravel()[cells], ties.sum() // 2)
    drawn = np.zeros((resamples, wins.size), dtype=np.int64)
    total = int(counts.sum())
    outcomes = random.multinomial(total, counts / total, size=resamples)
    drawn[:, cells] = outcomes[:, :-1]
    return drawn.reshape(resamples, *wins.shape)


def true_ranks(quality: FloatArray) -> Int64Array:
    """Return the ranks of systems by true quality, 1 for the best, shape (n,)."""
    best_first = np.argsort(-quality, kind="stable")
    ranks = np.empty(len(quality), dtype=np.int64)
    ranks[best_first] = np.arange(1, len(quality) + 1)
    return ranks


def range_violations(ranges: RankRanges, true: Int64Array) -> FloatArray:
    """Return the share of systems whose true rank is outside their range, shape (...)."""
    outside = (true < ranges.low) | (true > ranges.high)
    return np.asarray(outside.mean(axis=-1))


def cluster_violations(cluster: Int64Array, true: Int64Array) -> FloatArray:
    """Return the share of systems placed above a truly better one, or below a truly worse one.

    Systems of one cluster are not ordered. Arguments of shapes (..., n) and (n,) give shape (...).
    """
    wrong = _misplaced_pairs(cluster, true)
    is_misplaced = wrong.any(axis=-1) | wrong.any(axis=-2)
    return np.asarray(is_misplaced.mean(axis=-1))


def _misplaced_pairs(position: Int64Array, true: Int64Array) -> BoolArray:
    """Return whether each system is placed above each truly better one, shape (..., n, n)."""
    above: BoolArray = as_column(position) < as_row(position)
    return above & (as_column(true) > as_row(true))


def method_ranks(method: str, wins: Int64Array) -> Int64Array:
    """Return ranks by one of the methods of Koehn (2012, §4).

    Parameters
    ----------
    method : str
        "bojar", "expected_wins", "lopez" (the order that violates the fewest comparisons) or
        "lopez_unweighted" (the order that violates the fewest pairs of systems).
    wins : int64, shape (C, n, n)

    Returns
    -------
    int64, shape (C, n)
        1 for the best. A system without comparisons counts as one that wins half of them, and comes
        last in the orders of Lopez. Equal scores are ordered by index, which is independent of
        quality in a simulation.

    Raises
    ------
    ValueError
        If the method is unknown.
    """
    if method == "lopez":
        return np.array([_lopez_ranks(counts) for counts in wins])
    if method == "lopez_unweighted":
        won_pairs = wins > np.swapaxes(wins, -1, -2)
        return method_ranks("lopez", won_pairs.astype(np.int64))
    if method == "expected_wins":
        scores = expected_wins(wins)
    elif method == "bojar":
        scores = scores_of("bojar")(Counts(wins=wins))
    else:
        raise ValueError(f"method: unknown {method!r}")
    values = np.where(scores.estimable, scores.values, 0.5)
    rounded = np.round(values, TIE_DECIMALS)
    best_first = np.argsort(-rounded, axis=-1, kind="stable")
    return 1 + np.argsort(best_first, axis=-1)


def _lopez_ranks(wins: Int64Array) -> Int64Array:
    order = lopez_order(wins).order
    never_compared = np.setdiff1d(np.arange(len(wins)), order)
    best_first = [*order, *never_compared.tolist()]
    ranks = np.empty(len(wins), dtype=np.int64)
    ranks[best_first] = np.arange(1, len(wins) + 1)
    return ranks


def error_of_ranks(ranks: Int64Array, true: Int64Array) -> FloatArray:
    """Return the share of the n(n−1)/2 pairs that are in the wrong order (Koehn 2012, eq. 5).

    The printed equation has n(n−2)/2, which is a misprint. Arguments of shapes (..., n) and (n,)
    give shape (...).
    """
    n = len(true)
    wrong = np.count_nonzero(_misplaced_pairs(ranks, true), axis=(-2, -1))
    return np.asarray(wrong / (n * (n - 1) / 2))


#: Directions whose spread is below this share of the largest spread are left out.
_NEGLIGIBLE = 1e-6


def sorted_expected_wins(wins: Int64Array) -> FloatArray:
    """Return the Expected Wins of all systems, best first.

    Parameters
    ----------
    wins : int64, shape (..., n, n)

    Returns
    -------
    float64, shape (..., n)
        A system without a decided comparison counts as one that wins half of them.
    """
    scores = expected_wins(wins)
    values = np.where(scores.estimable, scores.values, 0.5)
    ascending: FloatArray = np.sort(values, axis=-1)
    return ascending[..., ::-1]


def spread_p_value(spread: FloatArray, simulated: FloatArray) -> float:
    """Return the p-value of a test that a campaign's systems have the same spread as simulated
    ones.

    The campaign and the E simulated ones are E + 1 points in n dimensions. The statistic is the
    squared Mahalanobis distance from their common mean, by their common covariance. If the campaign
    comes from the model of the simulated ones, all ranks of its distance are equally likely, so the
    test has its level for any distribution of the points.

    Parameters
    ----------
    spread : float64, shape (n,)
        Expected Wins of the campaign, best first.
    simulated : float64, shape (E, n)
        Expected Wins of simulated campaigns with as many judgments.

    Returns
    -------
    float
        Share of the E + 1 distances that are at least the campaign's; at least 1 / (E + 1).
    """
    points = np.vstack([spread, simulated])
    centred = points - points.mean(axis=0)
    covariance = centred.T @ centred / len(points)
    inverse = np.linalg.pinv(covariance, rcond=_NEGLIGIBLE, hermitian=True)
    distance = np.einsum("ei,ij,ej->e", centred, inverse, centred)
    # Distances have rounding errors, which must not separate equal points.
    return float(np.mean(distance >= distance[0] * (1 - 1e-9)))


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
        Pairwise comparisons collected, including ties.
    blocks : int
        Blocks judged.
    error : mapping of str to float
        Share of pairs whose truly worse system is ranked better, by method.
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
    """A study, with everything needed to reproduce it.

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


def simulate_campaigns(
    model: Model,
    *,
    comparisons: Sequence[int],
    experiments: int = 400,
    methods: Sequence[str] = METHODS,
    engine: Engine | None = None,
    progress: Progress | None = None,
    **arguments: Unpack[StudyArguments],
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
        Non-negative. Results depend only on the other arguments, bit for bit.
    engine, progress : see `ranking.core.sharding.Running`
        Progress is that of experiments.

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
    options = StudyOptions(**arguments)
    if not len(comparisons) or min(comparisons) < 1:
        raise ValueError("comparisons: expected positive numbers")
    blocks = np.unique(model.blocks_for(comparisons)).tolist()
    measure = partial(_measure, model, tuple(blocks), tuple(methods), options)
    measured = measure_experiments(
        measure,
        range(experiments),
        engine=engine,
        progress=progress,
    )
    mean = measured.mean(axis=0)
    if experiments > 1:
        spread = measured.std(axis=0, ddof=1)
    else:
        spread = np.zeros_like(mean)
    error = spread / np.sqrt(experiments)
    rows = []
    for index, count in enumerate(blocks):
        means = mean[index].tolist()
        errors = error[index].tolist()
        rows.append(_row(model, count, methods, means, errors))
    resample = None
    resamples = None
    if options.rank_ranges == "bootstrap":
        resample = options.resample
        resamples = options.resamples
    return Study(
        model=model,
        rank_ranges=options.rank_ranges,
        resample=resample,
        resamples=resamples,
        confidence=options.confidence,
        experiments=experiments,
        seed=options.seed,
        rows=tuple(rows),
    )


def _measure(
    model: Model,
    blocks: tuple[int, ...],
    methods: tuple[str, ...],
    options: StudyOptions,
    experiment: int,
) -> FloatArray:
    """Return the measures of one experiment, shape (checkpoints, measures and methods)."""
    simulated = simulate_wins(
        model,
        blocks=blocks,
        seed=options.seed,
        experiment=experiment,
    )
    wins = simulated.wins
    true = true_ranks(simulated.quality)
    alpha = options.alpha
    if options.rank_ranges == "sign_test":
        ranges = sign_test_ranges(wins, alpha=alpha)
    else:
        ranges = bootstrap_ranges(simulated, model, options, experiment)
    cluster = clusters(ranges)
    sizes = ranges.high - ranges.low + 1
    columns = [
        sizes.mean(axis=-1),
        range_violations(ranges, true),
        cluster.max(axis=-1),
        cluster_violations(cluster, true),
        significant_pairs(wins, alpha=alpha),
    ]
    for method in methods:
        columns.append(error_of_ranks(method_ranks(method, wins), true))
    return np.stack(columns, axis=-1).astype(np.float64)


def _row(
    model: Model,
    blocks: int,
    methods: Sequence[str],
    mean: list[float],
    error: list[float],
) -> StudyRow:
    names = [*_MEASURES]
    for method in methods:
        names.append(f"error.{method}")
    return StudyRow(
        comparisons=blocks * model.comparisons_per_block,
        blocks=blocks,
        error=dict(zip(methods, mean[len(_MEASURES) :], strict=True)),
        standard_errors=dict(zip(names, error, strict=True)),
        **dict(zip(_MEASURES, mean, strict=False)),
    )

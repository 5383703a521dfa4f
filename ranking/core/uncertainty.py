"""Variances and covariances of scores and shares over segments and judges, and draws of scores from them.

Comparisons of one segment share its difficulty, and comparisons by one judge share the judge's
preferences. The covariance that accounts for both is V = V_segments + V_judges − V_blocks (Cameron,
Gelbach & Miller 2011), from the influence values of the scores, summed over each segment, judge and
block; each part is multiplied by G / (G − 1) for its effective number G of units. If a judge ranked
several blocks of one segment, their covariance is counted twice, and V is slightly too large.

If documents are known, they replace segments, and a judge's blocks of one document replace single
blocks. With fewer than four documents, segments are used (`RangeLimit.FEW_DOCUMENTS`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, chdtri, ndtri, stdtrit

from ranking.core.arrays import FloatArray, Int64Array, as_column
from ranking.core.counting.counts import (
    Layout,
    count,
    counts_per_block,
    effective_number,
    effective_number_from,
)
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    MIN_UNITS,
    ClusterUnit,
    Moments,
    moments_of_blocks,
    second_moments,
    units_of,
)
from ranking.core.counting.resampling import LEVELS, Level, uniform_numbers
from ranking.core.grouping import distinct_pairs, sums_by_group
from ranking.core.judged.blocks import Blocks, first_segments
from ranking.core.scores import Scores
from ranking.core.words import word_check

#: Uniform numbers have steps of 2**-53; 0, whose quantile is infinite, is replaced by half a step.
_LEAST = 2.0**-54
#: Effective numbers of units that exceed 1 by less are rounding errors.
_ROUNDING = 1e-9


def t_deviates(seed: int, ids: range, n: int, degrees_of_freedom: float) -> FloatArray:
    """Return n normal deviates for each draw, divided by √(χ² / degrees of freedom).

    They are computed from uniform numbers that are hashes of the seed, the draw's ID and the
    system's index.

    Parameters
    ----------
    seed : int
        0 ≤ seed < 2**64.
    ids : range
        IDs of the draws, with step 1.
    n : int
    degrees_of_freedom : float
        Degrees of freedom of Student's t; infinite for normal deviates.

    Returns
    -------
    float64, shape (len(ids), n)
        Each row depends only on the seed, its ID and the degrees of freedom.
    """
    uniform = uniform_numbers(
        np.arange(n + 1, dtype=np.uint64),
        seed=seed,
        resamples=len(ids),
        first_resample=ids.start,
    )
    uniform = np.maximum(_LEAST, uniform)
    normal: FloatArray = np.ascontiguousarray(ndtri(uniform[:n]).T)
    if np.isinf(degrees_of_freedom):
        return normal
    chi_square = chdtri(degrees_of_freedom, uniform[n])
    scale = np.sqrt(chi_square / degrees_of_freedom)
    return np.asarray(normal / as_column(scale))


class RangeLimit(StrEnum):
    """Too few units for ranges to account for them; callers put the code into words."""

    FEW_JUDGES = "few_judges"
    """Fewer than four judges share the work, too few to estimate how much judges differ."""

    FEW_SEGMENTS = "few_segments"
    """There are fewer than four segments, too few to estimate how much segments differ."""

    FEW_DOCUMENTS = "few_documents"
    """There are fewer than four documents, so segments are taken for independent, even within
    documents."""


@dataclass(frozen=True, eq=False)
class ScoreCovariance:
    """Covariance of the scores of n systems, with its degrees of freedom and effective units.

    Attributes
    ----------
    matrix : float64, shape (n, n)
        Symmetric and positive semi-definite.
    degrees_of_freedom : float
        Degrees of freedom of its variances, at least 1.
    segments, judges : float
        Effective numbers of segments (or of documents used instead) and of judges.
    limits : tuple of RangeLimit
        Units that the covariance ignores.
    parts : tuple of ClusteredCovariance
        Covariances over segments and over judges, without ignored ones; over blocks if both are
        ignored.
    """

    matrix: FloatArray
    degrees_of_freedom: float
    segments: float
    judges: float
    limits: tuple[RangeLimit, ...]
    parts: tuple[ClusteredCovariance, ...] = ()

    def freedom_of(self, variance: float) -> float:
        """Return the degrees of freedom of a variance (or a sum of them) estimated from the parts.

        Each part has its units minus one (Satterthwaite 1946).
        """
        uncertain = 0.0
        for part in self.parts:
            total = float(np.trace(part.matrix))
            uncertain += total**2 / max(part.effective - 1, 1)
        if uncertain:
            return max(1.0, variance**2 / uncertain)
        return np.inf

    @property
    def fewest_units(self) -> float:
        """Effective number of the rarest unit among the parts, at least 2."""
        units = [part.effective for part in self.parts]
        return max(2.0, min(units, default=np.inf))

    @property
    def rank_degrees_of_freedom(self) -> float:
        """Degrees of freedom for the ranks of n systems instead of one difference.

        A rank depends on n − 1 differences, and errors of their variances average out. If
        differences of one system have a correlation of ½, squares of their errors have ¼, and the
        degrees of freedom are multiplied by 1 / (¼ + ¾ / (n − 1)). With few judges, errors of
        variances are correlated, because they have only as many dimensions as there are judges: the
        factor is at most ν / 4, as found by simulation (docs/statistics/coverage.md).
        """
        others = max(1, len(self.matrix) - 1)
        by_differences = 1 / (1 / 4 + 3 / (4 * others))
        by_judges = self.degrees_of_freedom / 4
        factor = min(by_judges, by_differences)
        return max(1.0, self.degrees_of_freedom * factor)


def with_least_variance(
    covariance: ScoreCovariance,
    least: FloatArray,
) -> ScoreCovariance:
    """Return a covariance with variances raised to a lower bound, and the same correlations.

    Parameters
    ----------
    covariance : ScoreCovariance
        Covariance of n scores.
    least : float64, shape (n,)

    Returns
    -------
    ScoreCovariance
    """
    variance = np.diag(covariance.matrix)
    is_positive = variance > 0
    ratio = np.ones_like(variance)
    np.divide(least, variance, out=ratio, where=is_positive)
    factor = np.sqrt(np.maximum(1.0, ratio))
    matrix = covariance.matrix * as_column(factor) * factor
    missing = np.where(is_positive, 0.0, least)
    return replace(covariance, matrix=matrix + np.diag(missing))


@dataclass(frozen=True, eq=False)
class ClusteredCovariance:
    """Covariance of scores with one kind of unit treated as independent.

    Attributes
    ----------
    matrix : float64, shape (n, n)
    effective : float
        Effective number of units.
    """

    matrix: FloatArray
    effective: float


def two_way_covariance(moments: Moments, influence: FloatArray) -> ScoreCovariance:
    """Estimate the covariance of scores over segments and judges.

    Parameters
    ----------
    moments : Moments
        Moments of the counts from which the scores are computed.
    influence : float64, shape (n, k)
        Change of the score of each of n systems with one more in each used cell.

    Returns
    -------
    ScoreCovariance
        See `combined_covariance`.
    """
    parts = clustered_covariances(moments, influence)
    return combined_covariance(*parts, few_documents=moments.few_documents)


def limits_of_units(
    segments: float,
    judges: float,
    *,
    few_documents: bool,
) -> tuple[RangeLimit, ...]:
    """Return the units of which there are too few to estimate how much they differ.

    Parameters
    ----------
    segments, judges : float
        Effective numbers; of documents if they replace segments.
    few_documents : bool
        Whether segments are used because there are too few documents.
    """
    limits = []
    if segments < MIN_UNITS:
        limits.append(RangeLimit.FEW_SEGMENTS)
    if judges < MIN_UNITS:
        limits.append(RangeLimit.FEW_JUDGES)
    if few_documents and RangeLimit.FEW_SEGMENTS not in limits:
        limits.append(RangeLimit.FEW_DOCUMENTS)
    return tuple(limits)


def combined_covariance(
    blocks: ClusteredCovariance,
    segments: ClusteredCovariance,
    judges: ClusteredCovariance,
    *,
    few_documents: bool = False,
) -> ScoreCovariance:
    """Combine covariances over blocks, segments and judges: V_segments + V_judges − V_blocks.

    With too few judges (or segments) to estimate their variance (see `RangeLimit`), the result is
    the covariance over the other unit; with too few of both, that over blocks.

    The difference may not be positive semi-definite: with few judges, directions in which they
    agree by chance get a negative variance. In that case, the nearest positive semi-definite matrix
    is used (negative eigenvalues become 0).

    Parameters
    ----------
    blocks, segments, judges : ClusteredCovariance
        If documents are known: over each judge's blocks of a document, over documents, and over
        judges.
    few_documents : bool
        Whether segments are used because there are too few documents.

    Returns
    -------
    ScoreCovariance

    References
    ----------
    A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), Robust Inference with Multiway Clustering,
    J. Business & Economic Statistics 29.
    F. E. Satterthwaite (1946), An Approximate Distribution of Estimates of Variance Components,
    Biometrics Bulletin 2.
    """
    limits = limits_of_units(
        segments.effective,
        judges.effective,
        few_documents=few_documents,
    )
    parts: list[ClusteredCovariance] = []
    if RangeLimit.FEW_SEGMENTS not in limits:
        parts.append(segments)
    if RangeLimit.FEW_JUDGES not in limits:
        parts.append(judges)
    if len(parts) == 2:
        total = segments.matrix + judges.matrix - blocks.matrix
    elif parts:
        total = parts[0].matrix
    else:
        total = blocks.matrix
    covariance = ScoreCovariance(
        matrix=_nearest_positive(total),
        degrees_of_freedom=np.inf,
        segments=segments.effective,
        judges=judges.effective,
        limits=limits,
        parts=tuple(parts or [blocks]),
    )
    degrees_of_freedom = covariance.freedom_of(float(np.trace(total)))
    return replace(covariance, degrees_of_freedom=degrees_of_freedom)


def clustered_covariance(
    total: int,
    squares: Int64Array,
    influence: FloatArray,
) -> ClusteredCovariance:
    """Estimate the covariance of scores with one kind of unit treated as independent.

    Parameters
    ----------
    total : int
        Sum of all counts.
    squares : int64, shape (k, k)
        Second moments of the counts of the units.
    influence : float64, shape (n, k)

    Returns
    -------
    ClusteredCovariance
        Its rank is at most the number of units; all 0 with fewer than two units.
    """
    effective = effective_number_from(total, int(squares.sum()))
    if effective <= 1:
        nothing = np.zeros((len(influence), len(influence)))
        return ClusteredCovariance(nothing, effective)
    # Formulas add floats in memory order, which must not depend on the origin of the counts.
    moments = squares.astype(np.float64, order="C")
    summed: FloatArray = influence @ moments @ influence.T
    correction = effective / (effective - 1)
    return ClusteredCovariance((summed + summed.T) * (correction / 2), effective)


def clustered_covariances(
    moments: Moments,
    influence: FloatArray,
) -> list[ClusteredCovariance]:
    """Return the covariances of scores over blocks, over segments and over judges."""
    total = int(moments.cells.sum())
    return [
        clustered_covariance(total, getattr(moments, u), influence)
        for u in CLUSTER_UNITS
    ]


def _nearest_positive(matrix: FloatArray) -> FloatArray:
    """Return the nearest positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    if not len(values) or values[0] >= 0:
        return matrix
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def draw_scores(
    scores: Scores,
    covariance: ScoreCovariance,
    ids: range,
    *,
    seed: int,
    order: Int64Array,
) -> Scores:
    """Draw scores around those of n systems, for ranking.

    Draws are normal deviates divided by √(χ² / degrees of freedom), as in Student's t, because with
    few judges the covariance itself is uncertain and ranges must be wider. A single difference of
    scores has the degrees of freedom of the covariance (Satterthwaite 1946); for ranks, see
    `ScoreCovariance.rank_degrees_of_freedom`.

    Parameters
    ----------
    scores : Scores of shape (n,)
    covariance : ScoreCovariance
    ids : range
        IDs of the draws; each draw depends only on the seed, its ID, the scores and their
        covariance.
    seed : int
        0 ≤ seed < 2**64.
    order : int64, shape (n,)
        Order of the systems that does not depend on their names, so that the result does not
        either; see `ranking.core.methods.method.canonical_order`.

    Returns
    -------
    Scores
        Shape (len(ids), n).
    """
    n = len(scores.values)
    in_order = covariance.matrix[np.ix_(order, order)]
    values, vectors = np.linalg.eigh(in_order)
    # The symmetric root does not depend on the signs of eigenvectors.
    deviations = np.sqrt(np.maximum(values, 0))
    root = (vectors * deviations) @ vectors.T
    drawn = t_deviates(seed, ids, n, covariance.rank_degrees_of_freedom)
    deviates = np.empty((len(ids), n))
    # Unlike a matrix product, `einsum` sums each row in the same way for any number of draws.
    deviates[:, order] = np.einsum("ij,rj->ri", root, drawn)
    group = scores.group
    if group is not None:
        group = np.broadcast_to(group, deviates.shape)
    return Scores(
        values=scores.values + deviates,
        estimable=np.broadcast_to(scores.estimable, deviates.shape),
        group=group,
    )


def standard_errors(
    blocks: Blocks,
    layout: Layout,
    influence: FloatArray,
    clusters: Level,
) -> FloatArray:
    """Estimate the standard deviation of scores over campaigns like this one.

    A score changes by about ψ(b) = Σ influence · (counts of block b) if block b is drawn again.
    Blocks of a cluster are drawn together, so their ψ are summed before they are squared:

        V = Σ over clusters c of (Σ over blocks b in c of ψ(b))²

    For a maximum likelihood estimate, this is the clustered sandwich estimator, information⁻¹ · (Σ
    scores scoresᵀ) · information⁻¹, and is valid even if the model is not (White 1982). The ψ are
    deviations from an estimate based on the same data, so V is multiplied by G / (G − 1) for the
    effective number G of clusters (`ranking.core.counting.moments.Moments.effective`). "pairs"
    treats each comparison as a separate cluster, without this factor; "two_way" is
    `two_way_covariance`.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    layout : Layout
        The m cells from which the scores are computed.
    influence : float64, shape (n, m)
        Change of each score with one more in each cell.
    clusters : "pairs", "blocks", "segments", "judges" or "two_way"

    Returns
    -------
    float64, shape (n,)
        0 with a single cluster, because differences between clusters cannot be estimated.

    Raises
    ------
    ValueError
        If `clusters` is invalid.

    References
    ----------
    H. White (1982), Maximum Likelihood Estimation of Misspecified Models, Econometrica 50.
    """
    word_check("clusters", clusters, Level)
    if clusters not in LEVELS:
        raise ValueError(f"clusters: {clusters!r} is none of {', '.join(LEVELS)}")
    moments: Moments | Int64Array | None = None
    if clusters == "two_way":
        moments = moments_of_blocks(blocks, layout)
    elif clusters != "pairs":
        moments = second_moments(blocks, layout, units_of(blocks, clusters))
    return standard_errors_of_counts(count(blocks, layout), layout, influence, moments)


def standard_errors_of_counts(
    cells: Int64Array,
    layout: Layout,
    influence: FloatArray,
    moments: Moments | Int64Array | None,
) -> FloatArray:
    """Estimate standard errors as in `standard_errors`, from counts alone.

    Parameters
    ----------
    cells : int64, shape (m,)
        Counts of all blocks.
    layout : Layout
        Layout of `cells`.
    influence : float64, shape (n, m)
    moments : Moments, int64 of shape (k, k), or None
        Second moments of the counts of the clusters, for the k used cells; None for pairs.

    Returns
    -------
    float64, shape (n,)
    """
    used_influence = influence[:, layout.used]
    if moments is None:
        variance = influence**2 @ cells
    elif isinstance(moments, Moments):
        two_way = two_way_covariance(moments, used_influence)
        variance = np.diagonal(two_way.matrix)
    else:
        one_way = clustered_covariance(int(cells.sum()), moments, used_influence)
        variance = np.diagonal(one_way.matrix)
    return np.asarray(np.sqrt(np.maximum(variance, 0)))


def covariance_of_block_influence(
    blocks: Blocks,
    influence: FloatArray,
) -> ScoreCovariance:
    """Estimate the covariance of scores over segments and judges.

    This is `ranking.core.uncertainty.two_way_covariance` for scores that are not a function
    of counts.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    influence : float64, shape (B, n)
        Influence of each block on each score.

    Returns
    -------
    ScoreCovariance
    """
    blocks, influence, sizes = _sort_by_key(blocks, influence)
    return covariance_of_rows(blocks, influence, sizes)


def covariance_of_rows(
    blocks: Blocks,
    influence: FloatArray,
    sizes: Int64Array | FloatArray,
) -> ScoreCovariance:
    """Return the covariance over segments (or documents) and judges from each block's influence.

    Parameters
    ----------
    blocks : Blocks
    influence : float64, shape (B, n)
    sizes : shape (B,)
        Comparisons of each block.
    """
    document = None
    if blocks.document is not None:
        document = first_segments(blocks)
    return covariance_over_units(
        partial(covariance_by_unit, influence, sizes=sizes),
        segment=blocks.segment,
        judge=blocks.judge,
        document=document,
    )


def covariance_by_unit(
    influence: FloatArray,
    unit: npt.NDArray[np.integer],
    sizes: Int64Array | FloatArray,
) -> ClusteredCovariance:
    """Estimate the covariance of scores with one kind of unit treated as independent.

    Parameters
    ----------
    influence : float64, shape (R, n)
        Influence of each row on each score.
    unit : integer, shape (R,)
    sizes : number, shape (R,)
        Size of each row, by which its unit counts.

    Returns
    -------
    ClusteredCovariance
        All 0 with fewer than two units.
    """
    number = np.unique(unit, return_inverse=True)[1]
    effective = effective_number(np.bincount(number, weights=sizes))
    if effective <= 1 + _ROUNDING:
        nothing = np.zeros((influence.shape[1], influence.shape[1]))
        return ClusteredCovariance(nothing, effective)
    sums = sums_by_group(influence, number, int(number.max()) + 1)
    correction = effective / (effective - 1)
    return ClusteredCovariance(sums.T @ sums * correction, effective)


def sums_by_unit(influence: FloatArray, unit: npt.NDArray[np.integer]) -> FloatArray:
    """Return the sums of rows, shape (R, n), over each unit, shape (units, n), in ascending order of units."""
    units, number = np.unique(unit, return_inverse=True)
    return sums_by_group(influence, number, len(units))


def variance_of_sum(influence: FloatArray, unit: npt.NDArray[np.integer]) -> float:
    """Return the variance of a sum of influence values over samples of whole units."""
    number = np.unique(unit, return_inverse=True)[1]
    sums = np.bincount(number, influence)
    units = len(sums)
    squares = float(sums @ sums)
    return squares * units / max(1, units - 1)


def standard_errors_of_block_influence(
    blocks: Blocks,
    influence: FloatArray,
    clusters: Level,
) -> FloatArray:
    """Estimate the standard deviation of scores over campaigns like this one.

    Parameters
    ----------
    blocks : Blocks
    influence : float64, shape (B, n)
    clusters : "pairs", "blocks", "segments", "judges" or "two_way"
        Units treated as independent. "pairs" means "blocks", because influence values are by block.

    Returns
    -------
    float64, shape (n,)
    """
    word_check("clusters", clusters, Level)
    if clusters == "two_way":
        matrix = covariance_of_block_influence(blocks, influence).matrix
    else:
        unit: ClusterUnit = "blocks"
        if clusters != "pairs":
            unit = clusters
        blocks, influence, sizes = _sort_by_key(blocks, influence)
        matrix = covariance_by_unit(influence, units_of(blocks, unit), sizes).matrix
    return np.asarray(np.sqrt(np.maximum(0, np.diag(matrix))))


def _sort_by_key(
    blocks: Blocks,
    influence: FloatArray,
) -> tuple[Blocks, FloatArray, Int64Array]:
    """Return blocks sorted by key, because float sums depend on the order but results must not, and
    their numbers of comparisons.
    """
    order = np.argsort(blocks.key, kind="stable")
    blocks = blocks.take(order)
    comparisons = counts_per_block(blocks, Layout(len(blocks.systems), ties=True))
    return blocks, influence[order], comparisons


def share_variance(
    successes: Int64Array,
    failures: Int64Array,
    *,
    segment: npt.NDArray[np.integer],
    judge: npt.NDArray[np.integer],
    document: npt.NDArray[np.integer] | None = None,
) -> ScoreCovariance:
    """Return the variance of the number of successes minus its expectation, share × trials.

    Parameters
    ----------
    successes, failures : int64, shape (R,)
        Trials of each block.
    segment, judge : integer, shape (R,)
    document : integer, shape (R,), optional
        If there are enough documents, they replace segments, and a judge's blocks of a document
        replace single blocks.
    """
    return covariance_over_units(
        partial(share_part, successes=successes, failures=failures),
        segment=segment,
        judge=judge,
        document=document,
    )


def covariance_over_units(
    part: Callable[[Int64Array], ClusteredCovariance],
    *,
    segment: npt.NDArray[np.integer],
    judge: npt.NDArray[np.integer],
    document: npt.NDArray[np.integer] | None,
) -> ScoreCovariance:
    """Return the combined covariance, from a function of unit numbers; documents replace segments
    unless there are too few. Rows after those of `judge` belong to no judge.
    """
    judges = part(judge.astype(np.int64))
    if document is not None:
        documents = part(document.astype(np.int64))
        if documents.effective >= MIN_UNITS:
            judged_documents = distinct_pairs(document[: len(judge)], judge)
            cells = part(judged_documents.inverse)
            return combined_covariance(cells, documents, judges)
    return combined_covariance(
        part(np.arange(len(judge))),
        part(segment.astype(np.int64)),
        judges,
        few_documents=document is not None,
    )


def share_part(
    unit: Int64Array,
    successes: Int64Array,
    failures: Int64Array,
) -> ClusteredCovariance:
    """Return the variance between units of the number of successes minus its expectation, share ×
    trials.

    Sums over units are integers, so they do not depend on the order of rows.

    Parameters
    ----------
    unit : int64, shape (R,)
        The unit of each row.
    successes, failures : int64, shape (R,)
        Trials of each row.
    """
    share = _smoothed_share(int(successes.sum()), int(failures.sum()))
    number = np.unique(unit, return_inverse=True)[1]
    sums = [np.bincount(number, successes), np.bincount(number, failures)]
    counts = np.stack(sums).astype(np.int64)
    influence = np.array([[1 - share, -share]])
    return clustered_covariance(int(counts.sum()), counts @ counts.T, influence)


def share_interval(
    successes: int,
    failures: int,
    covariance: ScoreCovariance,
    *,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Return the ends of the interval of the share of successes.

    It is the interval of Clopper and Pearson (1934) with an effective number of trials, as Korn and
    Graubard (1998) propose for shares near 0 and 1: the number of trials, divided by the design
    effect and multiplied by the squared ratio of Student's t quantiles with (trials − 1) and ν
    degrees of freedom. The design effect is the variance of the share over segments and judges
    (`combined_covariance`) divided by that of independent trials, both around a share with one
    success and one failure added, and at least 1. So no interval is shorter than for independent
    trials. ν are the degrees of freedom of the variance used (Satterthwaite 1946): its square
    divided by the sum of the squares of its parts, each divided by its number of units minus one.

    Parameters
    ----------
    successes, failures : int
        Numbers of trials, at least one of them positive.
    covariance : ScoreCovariance
        Variance for these trials, see `share_variance`.
    confidence : float

    References
    ----------
    E. L. Korn, B. I. Graubard (1998), Confidence Intervals for Proportions with Small Expected
    Number of Positive Counts Estimated from Survey Data, Survey Methodology 24.
    """
    trials = successes + failures
    smoothed = _smoothed_share(successes, failures)
    alpha = (1 - confidence) / 2
    effective = 1.0
    if covariance.parts[0].effective > 1:
        independent = successes * (1 - smoothed) ** 2 + failures * smoothed**2
        variance = max(independent, float(covariance.matrix[0, 0]))
        freedom = covariance.freedom_of(variance)
        t_of_trials = stdtrit(trials - 1, alpha)
        t_of_units = stdtrit(freedom, alpha)
        ratio = float(t_of_trials / t_of_units)
        effective = trials * independent / variance * min(1.0, ratio**2)
    x = successes / trials * effective
    low = 0.0
    high = 1.0
    if successes:
        low = float(betaincinv(x, effective - x + 1, alpha))
    if failures:
        high = float(betaincinv(x + 1, effective - x, 1 - alpha))
    return low, high


def _smoothed_share(successes: int, failures: int) -> float:
    return (successes + 1) / (successes + failures + 2)

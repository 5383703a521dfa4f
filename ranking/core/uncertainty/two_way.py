"""Covariance of scores over segments and judges, and draws from it.

Random numbers for draws around scores, as functions of the seed and the id of a draw.

Comparisons are not independent: those of one segment share its difficulty, and those of one judge
share the judge's taste. The covariance that allows for both is computed from the influence values
of the scores, summed over each segment, over each judge and over each block:

    V = V_segments + V_judges − V_blocks

(Cameron, Gelbach & Miller 2011): each of the first two includes the variance of single blocks, so
it is subtracted once. Each part is multiplied by G / (G − 1) for its effective number G of units.
If a judge ranked several blocks of one segment, their covariance is counted twice, and V is
slightly too large on average.

Segments of one document are alike. Where documents are known, they replace segments, and a judge's
blocks of one document replace single blocks: V = V_documents + V_judges − V_judge×document. With
fewer than four documents, segments are used (`RangeLimit.FEW_DOCUMENTS`).

The difference need not be positive semi-definite: with few judges, directions in which they agree
by chance get a negative variance. Then the nearest positive semi-definite matrix is used (negative
eigenvalues become 0).

Ranks come from draws around the scores: normal draws divided by the root of a χ² over its degrees
of freedom, as in Student's t, because V itself is uncertain with few judges and ranges must be
wider. A single difference of scores has the degrees of freedom ν of V (Satterthwaite 1946); for
ranks, see `ScoreCovariance.rank_degrees_of_freedom`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.special import chdtri, ndtri

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.moments import CLUSTER_UNITS, MIN_UNITS, ClusterUnit, Moments
from ranking.core.counting.resampling import uniform_numbers
from ranking.core.scores import Scores

#: Uniform numbers have steps of 2**-53; half a step replaces 0, whose quantile is infinite.
_LEAST = 2.0**-54


def t_deviates(seed: int, ids: range, n: int, degrees_of_freedom: float) -> FloatArray:
    """Return n normal deviates for each draw, divided by the root of a χ² over its freedom.

    They are made of uniform numbers that are hashes of the seed, the id of the draw and the place of the system.

    Parameters
    ----------
    seed : int
        0 ≤ seed < 2**64.
    ids : range
        Ids of the draws, with step 1.
    n : int
    degrees_of_freedom : float
        Of Student's t; normal deviates if infinite.

    Returns
    -------
    float64, shape (len(ids), n)
        Each row is a function of the seed, its id and the degrees of freedom.
    """
    uniform = np.maximum(
        _LEAST,
        uniform_numbers(
            np.arange(n + 1, dtype=np.uint64),
            seed=seed,
            resamples=len(ids),
            first_resample=ids.start,
        ),
    )
    normal: FloatArray = np.ascontiguousarray(ndtri(uniform[:n]).T)
    if np.isinf(degrees_of_freedom):
        return normal
    scale = np.sqrt(chdtri(degrees_of_freedom, uniform[n]) / degrees_of_freedom)
    return np.asarray(normal / scale[:, np.newaxis])


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
        Units that the covariance does not account for.
    """

    matrix: FloatArray
    degrees_of_freedom: float
    segments: float
    judges: float
    limits: tuple[RangeLimit, ...]

    @property
    def rank_degrees_of_freedom(self) -> float:
        """Degrees of freedom for the ranks of n systems, instead of for one difference.

        A rank depends on n − 1 differences, and errors of their variances average out. If
        differences of one system have a correlation of ½, squares of their errors have ¼, and the
        degrees of freedom are multiplied by 1 / (¼ + ¾ / (n − 1)). With few judges, errors of
        variances are correlated, because they have only as many dimensions as there are judges: the
        factor is at most ν / 4, as found by simulation (docs/statistics/coverage.md).
        """
        others = max(1, len(self.matrix) - 1)
        factor = min(self.degrees_of_freedom / 4, 1 / (1 / 4 + 3 / (4 * others)))
        return max(1.0, self.degrees_of_freedom * factor)


def with_least_variance(covariance: ScoreCovariance, least: FloatArray) -> ScoreCovariance:
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
    known = variance > 0
    factor = np.sqrt(np.maximum(1.0, np.where(known, least / np.where(known, variance, 1.0), 1.0)))
    matrix = covariance.matrix * factor[:, np.newaxis] * factor
    return replace(covariance, matrix=matrix + np.diag(np.where(known, 0.0, least)))


@dataclass(frozen=True, eq=False)
class ClusteredCovariance:
    """Covariance of scores with one kind of unit taken for independent.

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
        Moments of the counts that the scores are computed from.
    influence : float64, shape (n, k)
        Change of the score of each of n systems with one more in each used cell.

    Returns
    -------
    ScoreCovariance
        See `combined_covariance`.
    """
    blocks, segments, judges = (
        ClusteredCovariance(clustered_covariance(moments, influence, unit), moments.effective(unit))
        for unit in CLUSTER_UNITS
    )
    return combined_covariance(blocks, segments, judges, few_documents=moments.few_documents)


def combined_covariance(
    blocks: ClusteredCovariance,
    segments: ClusteredCovariance,
    judges: ClusteredCovariance,
    *,
    few_documents: bool = False,
) -> ScoreCovariance:
    """Combine covariances over blocks, segments and judges: V_segments + V_judges − V_blocks.

    With too few judges (or segments) to estimate their variance, see `RangeLimit`, the result is
    the part of the other; with too few of both, it is that of the blocks.

    Parameters
    ----------
    blocks, segments, judges : ClusteredCovariance
        Where documents are known: over a judge's blocks of a document, over documents, over judges.
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
    limits = []
    parts: list[ClusteredCovariance] = []
    for part, limit in (
        (segments, RangeLimit.FEW_SEGMENTS),
        (judges, RangeLimit.FEW_JUDGES),
    ):
        if part.effective < MIN_UNITS:
            limits.append(limit)
        else:
            parts.append(part)
    if few_documents and RangeLimit.FEW_SEGMENTS not in limits:
        limits.append(RangeLimit.FEW_DOCUMENTS)
    if len(parts) == 2:
        total = parts[0].matrix + parts[1].matrix - blocks.matrix
    else:
        total = parts[0].matrix if parts else blocks.matrix
    return ScoreCovariance(
        matrix=_positive(total),
        degrees_of_freedom=_degrees_of_freedom(total, parts or [blocks]),
        segments=segments.effective,
        judges=judges.effective,
        limits=tuple(limits),
    )


def clustered_covariance(moments: Moments, influence: FloatArray, unit: ClusterUnit) -> FloatArray:
    """Estimate the covariance of scores with one kind of unit taken for independent.

    Parameters
    ----------
    moments : Moments
    influence : float64, shape (n, k)
    unit : "blocks", "segments" or "judges"

    Returns
    -------
    float64, shape (n, n)
        Its rank is at most the number of units; all 0 with fewer than two units.
    """
    effective = moments.effective(unit)
    if effective <= 1:
        return np.zeros((len(influence), len(influence)))
    summed: FloatArray = influence @ getattr(moments, unit).astype(np.float64) @ influence.T
    correction = effective / (effective - 1)
    return (summed + summed.T) * (correction / 2)


def _positive(matrix: FloatArray) -> FloatArray:
    """Return the nearest positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    if not len(values) or values[0] >= 0:
        return matrix
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def _degrees_of_freedom(total: FloatArray, parts: list[ClusteredCovariance]) -> float:
    """Return the degrees of freedom of a sum of variances; each part has its units minus one."""
    uncertain = sum(
        float(np.trace(part.matrix)) ** 2 / max(part.effective - 1, 1) for part in parts
    )
    return max(1.0, float(np.trace(total)) ** 2 / uncertain) if uncertain else np.inf


def draw_scores(
    scores: Scores,
    covariance: ScoreCovariance,
    ids: range,
    *,
    seed: int,
    order: Int64Array,
) -> Scores:
    """Return draws around the scores of n systems, for their ranks.

    Parameters
    ----------
    scores : Scores of shape (n,)
    covariance : ScoreCovariance
    ids : range
        Ids of the draws; each draw is a function of the seed, its id, the scores and their
        covariance.
    seed : int
        0 ≤ seed < 2**64.
    order : int64, shape (n,)
        Order of the systems that does not depend on their names, so that renaming them renames the
        result; see `ranking.core.methods.ability.canonical_order`.

    Returns
    -------
    Scores
        Of shape (len(ids), n).
    """
    n = len(scores.values)
    values, vectors = np.linalg.eigh(covariance.matrix[np.ix_(order, order)])
    # The symmetric root does not depend on the signs of eigenvectors.
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn = t_deviates(seed, ids, n, covariance.rank_degrees_of_freedom)
    deviates = np.empty((len(ids), n))
    # Unlike a product of matrices, `einsum` adds up each row alike for any number of draws.
    deviates[:, order] = np.einsum("ij,rj->ri", root, drawn)
    return Scores(
        values=scores.values + deviates,
        estimable=np.broadcast_to(scores.estimable, deviates.shape),
        group=None if scores.group is None else np.broadcast_to(scores.group, deviates.shape),
    )

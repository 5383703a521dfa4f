"""Covariance of scores over segments and judges, and scores drawn from it.

Comparisons are not independent: those of one segment share its difficulty, those of one judge the
judge's taste. With the influence values of the scores summed over each segment, over each judge
and over each block, the covariance that allows for both is

    V = V_segments + V_judges − V_blocks

(Cameron, Gelbach & Miller 2011): each of the first two counts what a block adds by itself, so it
is taken off once. Each part is multiplied by G / (G − 1) for its effective number G of units.
Where a judge ranked several blocks of one segment, what these have in common is counted twice:
V is then a little too large on average.

Segments of one document are alike. Where documents are known they take the place of segments, and
what one judge did of one document that of a block: V = V_documents + V_judges − V_judge×document.
With fewer than four documents, segments are taken after all (`RangeLimit.FEW_DOCUMENTS`).

The difference need not be positive semi-definite: with few judges, directions in which they happen
to agree get a negative variance. The nearest positive semi-definite matrix is taken then
(negative eigenvalues become 0).

Ranks come from draws around the scores, normal ones divided by the root of a χ² over its degrees of
freedom, as in Student's t: with few judges V itself is uncertain, and ranges have to be wider. One
difference of scores has the degrees of freedom ν that V rests on (Satterthwaite 1946); for ranks see
`ScoreCovariance.rank_degrees_of_freedom`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from ranking.core.counting.moments import CLUSTER_UNITS, MIN_UNITS, ClusterUnit, Moments
from ranking.core.scores import Scores

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


class RangeLimit(StrEnum):
    """What ranges do not account for, though they were meant to: a code, to be put into words."""

    FEW_JUDGES = "few_judges"
    """Fewer than four judges share the work: how much judges differ cannot be told."""

    FEW_SEGMENTS = "few_segments"
    """Fewer than four segments: how much segments differ cannot be told."""

    FEW_DOCUMENTS = "few_documents"
    """Fewer than four documents: segments are taken for independent, within documents too."""


@dataclass(frozen=True, eq=False)
class ScoreCovariance:
    """Covariance of the scores of n systems, and what it rests on.

    Attributes
    ----------
    matrix : float64, shape (n, n)
        Symmetric and positive semi-definite.
    degrees_of_freedom : float
        Degrees of freedom of its variances, at least 1.
    segments, judges : float
        Effective numbers of segments, or documents in their place, and judges.
    limits : tuple of RangeLimit
        What it does not account for.
    """

    matrix: FloatArray
    degrees_of_freedom: float
    segments: float
    judges: float
    limits: tuple[RangeLimit, ...]

    @property
    def rank_degrees_of_freedom(self) -> float:
        """Degrees of freedom for the ranks of n systems, rather than for one difference.

        A rank depends on n − 1 differences, and the errors of their variances average out: if
        differences of one system have the correlation ½, squares of their errors have ¼, and the
        degrees of freedom are larger by 1 / (¼ + ¾ / (n − 1)). With few judges variances err
        together, in as few dimensions as there are judges: the factor is ν / 4 at most, found by
        simulation (docs/statistics/coverage.md).
        """
        others = max(1, len(self.matrix) - 1)
        factor = min(self.degrees_of_freedom / 4, 1 / (1 / 4 + 3 / (4 * others)))
        return max(1.0, self.degrees_of_freedom * factor)


def with_least_variance(covariance: ScoreCovariance, least: FloatArray) -> ScoreCovariance:
    """Enlarge variances that are below a bound; correlations stay.

    Parameters
    ----------
    covariance : ScoreCovariance
        Of n scores.
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
        Of the counts that the scores are made of.
    influence : float64, shape (n, k)
        What one more of each used cell adds to the score of each of n systems.

    Returns
    -------
    ScoreCovariance
        As of `combined_covariance`.
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

    With too few judges (or segments) for their variance, see `RangeLimit`, the part of the other is
    all there is, and with too few of both that of the blocks.

    Parameters
    ----------
    blocks, segments, judges : ClusteredCovariance
        Where documents are known: over what judges did of documents, over documents, over judges.
    few_documents : bool
        Whether segments are in the place of documents, of which there are too few.

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
        Of at most as many dimensions as there are units; all 0 with fewer than two.
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
    """Return the degrees of freedom of a sum of variances; each has one less than its units."""
    uncertain = sum(
        float(np.trace(part.matrix)) ** 2 / max(part.effective - 1, 1) for part in parts
    )
    return max(1.0, float(np.trace(total)) ** 2 / uncertain) if uncertain else np.inf


def draw_scores(
    scores: Scores, covariance: ScoreCovariance, ids: range, *, seed: int, order: Int64Array
) -> Scores:
    """Draw scores around those of n systems, for ranks.

    Parameters
    ----------
    scores : Scores of shape (n,)
    covariance : ScoreCovariance
    ids : range
        The draws; each is a function of the seed, its id, the scores and their covariance.
    seed : int
        0 ≤ seed < 2**64.
    order : int64, shape (n,)
        Order of the systems that their names have no part in, so that renaming them renames the
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
    deviates, degrees_of_freedom = np.empty((len(ids), n)), covariance.rank_degrees_of_freedom
    for row, id_ in enumerate(ids):
        deviates[row, order] = root @ _t_deviates(seed, id_, n, degrees_of_freedom)
    return Scores(
        values=scores.values + deviates,
        estimable=np.broadcast_to(scores.estimable, deviates.shape),
        group=None if scores.group is None else np.broadcast_to(scores.group, deviates.shape),
    )


def _t_deviates(seed: int, id_: int, n: int, degrees_of_freedom: float) -> FloatArray:
    key = np.array([seed, id_], dtype=np.uint64)
    generator = np.random.Generator(np.random.Philox(key=key))
    normal = generator.standard_normal(n)
    if np.isinf(degrees_of_freedom):
        return normal
    return np.asarray(
        normal / np.sqrt(generator.chisquare(degrees_of_freedom) / degrees_of_freedom)
    )

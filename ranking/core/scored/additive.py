"""Additive model of scores (system + segment + judge), whose system differences are unbiased under
adaptive sampling.

The model is y = a_system + b_segment + c_judge + e with fixed effects. This removes the confounding
of mean scores by easy segments or lenient judges, so that it does not matter *which* outputs were
chosen to be judged, even if the choice depended on earlier scores. It only requires that the noise
of a score does not depend on whether it was requested. Effects are found by least squares; segments
are eliminated first (each score minus the mean of its segment), so that only equations for systems
and judges remain.

Covariances are sandwiches over clusters (Liang and Zeger 1986), of segments, of judges, or of both
as "segments + judges − their intersection" (Cameron, Gelbach and Miller 2011), as
`ranking.core.uncertainty` combines them. Judges' effects are in the model; clusters of judges
account for judges who favour some systems. Clusters count by their influence: a segment with one
score, or a judge who never scored two outputs of a segment, has none, and adds no degree of
freedom.

If all segments are of named documents, and there are enough of them (`MIN_UNITS`), documents replace
segments in the sandwiches, because segments of a document are alike.

With fewer than `FEWEST_SEGMENTS` segments or, over judges, `FEWEST_JUDGES` judges, effects have no
intervals and ranges: in simulation, they miss up to 23% of the true values.

The difference "segments + judges − their intersection" can be 0 by chance, and a sandwich misses
the error of a score that the model fits exactly. So variances are at least those over segments
alone, and at least those of single scores with equal noise.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.special import stdtrit

from ranking.core.arrays import BoolArray, FloatArray, Int32Array, Int64Array
from ranking.core.counting.counts import effective_number
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.ranges import RankRanges, clusters, rank_confidence_sets
from ranking.core.scored.columns import ScoreColumns
from ranking.core.scores import NotEstimable, Scores, Shortage, shared_ranks
from ranking.core.uncertainty import (
    RangeLimit,
    ScoreCovariance,
    combined_covariance,
    covariance_by_unit,
    with_least_variance,
)
from ranking.core.words import word_check

Level = Literal["segments", "judges", "two_way"]

#: Effective numbers that intervals and ranges need; those of nearly equal shares are slightly below
#: the number of units.
FEWEST_SEGMENTS = 3
FEWEST_JUDGES = 4
_ABOUT = 0.5
#: Eigenvalues below this share of the largest count as zero: the corresponding effects are not
#: connected by scores.
_NOTHING = 1e-9
#: With fewer free residuals than this, a group has none: the model fits any scores.
_NO_RESIDUAL = 1e-6


@dataclass(frozen=True, eq=False)
class AdditiveFit:
    """Estimated effects of n systems.

    Attributes
    ----------
    systems : tuple of str
    effect : float64, shape (n,)
        The system's effect minus the mean of its group: points above (or below) the average system,
        on the same segments by the same judges. NaN if it cannot be estimated.
    error, low, high : float64, shape (n,)
        Standard error of the effect, and the ends of its interval; NaN also if the model would fit
        any scores of the group.
    adjusted : float64, shape (n,)
        `effect` plus the mean score of the group's systems, so that it reads like a mean score.
        Only differences are meaningful.
    covariance : float64, shape (n, n)
        Covariance of `effect` within groups; 0 for systems without a standard error.
    group : int64, shape (n,)
        Systems of different groups share no segments and judges, directly or through others, and cannot be compared.
    estimable : bool, shape (n,)
        Whether there is another system in the group.
    reason : NotEstimable or None
        Reason why some system cannot be estimated.
    rank : int64, shape (n,)
        By `effect`, shared if equal; 0 if it cannot be estimated. The order of groups is arbitrary.
    ranges : RankRanges
        Confidence sets (`ranking.core.ranges`) within groups; 0 for systems without a standard error.
    cluster : int64, shape (n,)
        0 for systems without a standard error.
    shortages : dict of str to Shortage
        Shortages of systems that have no standard error yet.
    level : "segments", "judges" or "two_way"
    degrees : float64, shape (n,)
        Degrees of freedom of t; NaN for systems without a standard error.
    limits : tuple of str
        Codes of `ranking.core.uncertainty.RangeLimit` for sources of variation that intervals of
        some group ignore.
    noise : float
        Standard deviation of e; NaN if the model would fit any scores.
    confidence : float
    seed : int
    """

    systems: tuple[str, ...]
    effect: FloatArray
    error: FloatArray
    low: FloatArray
    high: FloatArray
    adjusted: FloatArray
    covariance: FloatArray
    group: Int64Array
    estimable: BoolArray
    reason: NotEstimable | None
    rank: Int64Array
    ranges: RankRanges
    cluster: Int64Array
    shortages: dict[str, Shortage]
    level: Level
    degrees: FloatArray
    limits: tuple[str, ...]
    noise: float
    confidence: float
    seed: int


def fit_additive(
    columns: ScoreColumns,
    *,
    level: Level = "two_way",
    confidence: float = 0.95,
    seed: int = 0,
) -> AdditiveFit:
    """Estimate the effects of systems.

    Parameters
    ----------
    columns : ScoreColumns
    level : "segments", "judges" or "two_way"
        Units treated as independent; "segments" does not generalise to other judges.
    confidence : float
    seed : int
        Seed of the draws behind rank ranges.

    Raises
    ------
    ValueError
        If there are fewer than two clusters, or `confidence` is not between 0 and 1.
    """
    word_check("level", level, Level)
    if not 0 < confidence < 1:
        raise ValueError(f"the confidence {confidence} is not between 0 and 1")
    design = _Design(columns)
    group, estimable = design.groups()
    centre = _centring(group, estimable)
    effect = centre @ design.systems_effects
    moved = design.moved() @ centre.T
    _require_clusters(columns, moved, level)
    free = np.bincount(
        group[columns.system],
        weights=design.free_residuals(),
        minlength=int(group.max()) + 1,
    )
    free[free < _NO_RESIDUAL] = 0
    squares = float(np.sum(design.residual**2))
    if free.any():
        noise = float(np.sqrt(squares / free.sum()))
    else:
        noise = float("nan")
    estimate = partial(_covariance, columns, level, moved, design.residual, noise)
    size = len(columns.systems)
    covariance = np.zeros((size, size))
    known = np.zeros(size, dtype=np.bool_)
    error = np.full(size, np.nan)
    degrees = np.full(size, np.nan)
    ranges = RankRanges(
        low=np.zeros(size, dtype=np.int64), high=np.zeros(size, dtype=np.int64)
    )
    limits: set[RangeLimit] = set()
    shortages: dict[str, Shortage] = {}
    for number, left in enumerate(free.tolist()):
        members = np.flatnonzero((group == number) & estimable)
        if not len(members) or not left:
            continue
        estimates = estimate(members, left)
        short = _shortage(estimates, level)
        if short is not None:
            shortages |= dict.fromkeys(
                (columns.systems[system] for system in members), short
            )
            continue
        known[members] = True
        covariance[np.ix_(members, members)] = estimates.matrix
        limits |= set(estimates.limits)
        for system in members.tolist():
            own = estimate(np.array([system]), left)
            limits |= set(own.limits)
            error[system] = np.sqrt(own.matrix[0, 0])
            degrees[system] = own.degrees_of_freedom
        sets = rank_confidence_sets(
            effect[members],
            estimates.matrix,
            confidence=confidence,
            degrees_of_freedom=estimates.degrees_of_freedom,
            seed=seed,
        )
        ranges.low[members] = sets.low
        # Systems of other groups may be better.
        ranges.high[members] = sets.high + size - len(members)
    cluster = np.zeros(size, dtype=np.int64)
    if known.any():
        cluster[known] = clusters(RankRanges(ranges.low[known], ranges.high[known]))
    width = np.where(known, _t(confidence, degrees) * error, np.nan)
    effects = np.where(estimable, effect, np.nan)
    return AdditiveFit(
        systems=columns.systems,
        effect=effects,
        error=error,
        low=effects - width,
        high=effects + width,
        adjusted=effects + _group_means(columns, group, len(effects)),
        covariance=covariance,
        group=group,
        estimable=estimable,
        reason=None if estimable.all() else NotEstimable.NO_COMPARISON,
        rank=shared_ranks(Scores(values=effects, estimable=estimable, group=group))[0],
        ranges=ranges,
        cluster=cluster,
        shortages=shortages,
        level=level,
        degrees=degrees,
        limits=tuple(str(limit) for limit in RangeLimit if limit in limits),
        noise=noise,
        confidence=confidence,
        seed=seed,
    )


def _shortage(covariance: ScoreCovariance, level: Level) -> Shortage | None:
    if level != "segments" and covariance.judges < FEWEST_JUDGES - _ABOUT:
        return Shortage("judges", covariance.judges, FEWEST_JUDGES)
    if covariance.segments < FEWEST_SEGMENTS - _ABOUT:
        return Shortage("segments", covariance.segments, FEWEST_SEGMENTS)
    return None


def _t(confidence: float, degrees: FloatArray | float) -> FloatArray:
    return np.asarray(stdtrit(np.minimum(degrees, 1e9), (1 + confidence) / 2))


def _require_clusters(columns: ScoreColumns, moved: FloatArray, level: Level) -> None:
    """Raise ValueError unless at least two clusters distinguish systems."""
    says = np.abs(moved).max(axis=1) > _NOTHING
    for what, unit in (("judges", columns.judge), ("segments", columns.segment)):
        if level in (what, "two_way") and says.any() and len(np.unique(unit[says])) < 2:
            raise ValueError(
                f"there are fewer than two {what}, so nothing says how {what} vary"
            )


class _Design:
    """The equations of systems and judges, with segments eliminated."""

    def __init__(self, columns: ScoreColumns) -> None:
        self._systems = systems = len(columns.systems)
        self._system = columns.system
        self._segment = columns.segment
        self._judge = columns.judge
        of_systems = _indicators(columns.system, len(columns.systems))
        of_judges = _indicators(columns.judge, len(columns.judges))
        segments = _indicators(columns.segment, len(columns.segments))
        self._x = sparse.hstack([of_systems, of_judges], format="csr")
        self._segments = segments
        self._size = np.asarray(segments.sum(axis=0)).ravel()
        # Means of the columns and of the scores by segment.
        self._x_mean = sparse.diags(1 / self._size) @ (segments.T @ self._x)
        y_mean = np.asarray(segments.T @ columns.score) / self._size
        weighted = self._x_mean.T @ sparse.diags(self._size) @ self._x_mean
        self._a = np.asarray((self._x.T @ self._x - weighted).todense())
        right = np.asarray(
            self._x.T @ columns.score - self._x_mean.T @ (self._size * y_mean)
        )
        self._inverse = np.linalg.pinv(self._a, rcond=_NOTHING, hermitian=True)
        effects = self._inverse @ right
        self.systems_effects: FloatArray = np.asarray(effects)[:systems]
        fitted = self._x @ effects - segments @ (self._x_mean @ effects)
        self.residual: FloatArray = np.asarray(
            columns.score - segments @ y_mean - fitted
        )

    def groups(self) -> tuple[Int64Array, BoolArray]:
        """Return the group of each system, as determined by the equations, and whether it has other
        members.

        The difference of two systems is determined if it has no component in the null space of the
        equations.
        """
        n = self._systems
        a_ss = self._a[:n, :n]
        a_sj = self._a[:n, n:]
        a_jj = self._a[n:, n:]
        information = (
            a_ss - a_sj @ np.linalg.pinv(a_jj, rcond=_NOTHING, hermitian=True) @ a_sj.T
        )
        values, vectors = np.linalg.eigh((information + information.T) / 2)
        open_ = vectors[:, values <= _NOTHING * max(float(values.max()), 1.0)]
        left = open_ @ open_.T
        group = np.full(n, -1, dtype=np.int64)
        for system in range(n):
            if group[system] < 0:
                same = np.abs(left - left[system]).max(axis=1) < 1e-6
                group[same & (group < 0)] = group.max() + 1
        return group, np.bincount(group)[group] > 1

    def moved(self) -> FloatArray:
        """Return the influence of each score on the systems' effects, shape (N, n)."""
        to_systems = self._inverse[:, : self._systems]
        return np.asarray(
            self._x @ to_systems - self._segments @ (self._x_mean @ to_systems)
        )

    def free_residuals(self) -> FloatArray:
        """Return 1 − the leverage of each score, shape (N,); 0 if it is fitted exactly."""
        mean = self._x_mean @ self._inverse
        of_mean = np.asarray(self._x_mean.multiply(mean).sum(axis=1)).ravel()
        left = 1 - (1 / self._size + of_mean)[self._segment]
        first = self._system
        second = self._systems + self._judge
        inverse = self._inverse
        left -= (
            inverse[first, first] + inverse[second, second] + 2 * inverse[first, second]
        )
        left += 2 * (mean[self._segment, first] + mean[self._segment, second])
        return np.asarray(np.maximum(left, 0))


def _indicators(column: Int32Array, size: int) -> Any:
    """Return the sparse matrix with a row for each score and a 1 in its column."""
    rows = len(column)
    return sparse.csr_matrix(
        (np.ones(rows), (np.arange(rows), column)), shape=(rows, size)
    )


def _centring(group: Int64Array, estimable: BoolArray) -> FloatArray:
    """Return the matrix that subtracts the mean of its group from each system; 0 for systems alone
    in their group.
    """
    same = (group[:, np.newaxis] == group).astype(np.float64)
    centre = np.eye(len(group)) - same / same.sum(axis=1, keepdims=True)
    return np.asarray(centre * estimable[:, np.newaxis])


def _covariance(
    columns: ScoreColumns,
    level: Level,
    all_moved: FloatArray,
    residual: FloatArray,
    noise: float,
    systems: Int64Array,
    free: float,
) -> ScoreCovariance:
    """Return the covariance of the effects of some systems, with at most `free` degrees of
    freedom.
    """
    moved = all_moved[:, systems]
    influence = moved * residual[:, np.newaxis]
    sizes = np.asarray((moved**2).sum(axis=1))
    segment, few_documents = _documents_or_segments(columns, sizes)
    judge = columns.judge.astype(np.int64)
    units = (segment * len(columns.judges) + judge, segment, judge)
    both, segments, judges = (
        covariance_by_unit(influence, unit, sizes) for unit in units
    )
    if level == "two_way":
        covariance = combined_covariance(
            blocks=both, segments=segments, judges=judges, few_documents=few_documents
        )
    else:
        part, limit = {
            "segments": (segments, RangeLimit.FEW_SEGMENTS),
            "judges": (judges, RangeLimit.FEW_JUDGES),
        }[level]
        if part.effective < MIN_UNITS:
            limits = [limit]
        else:
            limits = []
        if level == "segments" and few_documents and not limits:
            limits.append(RangeLimit.FEW_DOCUMENTS)
        covariance = ScoreCovariance(
            matrix=part.matrix,
            degrees_of_freedom=np.inf,
            segments=segments.effective,
            judges=judges.effective,
            limits=tuple(limits),
            parts=(part,),
        )
    covariance = replace(
        covariance, matrix=_at_least(covariance.matrix, noise**2 * (moved.T @ moved))
    )
    if segments.effective >= MIN_UNITS:
        covariance = with_least_variance(covariance, np.diag(segments.matrix))
    # For the variance actually used: raising it does not make it less certain.
    degrees = covariance.freedom_of(float(np.trace(covariance.matrix)))
    return replace(covariance, degrees_of_freedom=min(degrees, free))


def _documents_or_segments(
    columns: ScoreColumns, sizes: FloatArray
) -> tuple[Int64Array, bool]:
    """Return the document of each score, or its segment if documents are unknown or too few; and
    whether they are too few.
    """
    segment = columns.segment.astype(np.int64)
    document = columns.document_of_score
    if document is None:
        return segment, False
    if effective_number(np.bincount(document, weights=sizes)) < MIN_UNITS:
        return segment, True
    return document, False


def _at_least(matrix: FloatArray, least: FloatArray) -> FloatArray:
    """Return `least` plus the positive part of `matrix` − `least`, so that no difference of effects
    varies less.
    """
    beyond = matrix - least
    values, vectors = np.linalg.eigh((beyond + beyond.T) / 2)
    return np.asarray(least + (vectors * np.maximum(values, 0)) @ vectors.T)


def _group_means(columns: ScoreColumns, group: Int64Array, size: int) -> FloatArray:
    """Return, for each system, the mean of the mean scores of its group's systems."""
    total = np.bincount(columns.system, weights=columns.score, minlength=size)
    mean = total / np.bincount(columns.system, minlength=size)
    return np.asarray((np.bincount(group, weights=mean) / np.bincount(group))[group])

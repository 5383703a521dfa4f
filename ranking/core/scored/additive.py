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

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy import sparse

from ranking.core.arrays import BoolArray, FloatArray, Int32Array, Int64Array, as_column
from ranking.core.counting.counts import effective_number
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.estimates import t_quantile
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
_FEW_UNITS: dict[Level, RangeLimit] = {
    "segments": RangeLimit.FEW_SEGMENTS,
    "judges": RangeLimit.FEW_JUDGES,
}


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
    influence = design.moved() @ centre.T
    _require_clusters(columns, influence, level)
    # Residual degrees of freedom of each group.
    free = np.bincount(
        group[columns.system],
        weights=design.free_residuals(),
        minlength=int(group.max()) + 1,
    )
    free[free < _NO_RESIDUAL] = 0
    noise = float("nan")
    if free.any():
        squares = float(np.sum(design.residual**2))
        noise = float(np.sqrt(squares / free.sum()))
    covariances = _Covariances(
        columns=columns,
        level=level,
        moved=influence,
        residual=design.residual,
        noise=noise,
    )
    errors = _errors_by_group(
        _Effects(effect, group, estimable, free.astype(np.float64)),
        covariances,
        confidence=confidence,
        seed=seed,
    )
    # Degrees of freedom may be infinite.
    finite_degrees = np.minimum(errors.degrees, 1e9)
    reach = t_quantile(confidence, finite_degrees) * errors.error
    width = np.where(errors.has_error, reach, np.nan)
    effects = np.where(estimable, effect, np.nan)
    reason = None
    if not estimable.all():
        reason = NotEstimable.NO_COMPARISON
    rank, _last = shared_ranks(Scores(values=effects, estimable=estimable, group=group))
    return AdditiveFit(
        systems=columns.systems,
        effect=effects,
        error=errors.error,
        low=effects - width,
        high=effects + width,
        adjusted=effects + _group_means(columns, group, len(effects)),
        covariance=errors.covariance,
        group=group,
        estimable=estimable,
        reason=reason,
        rank=rank,
        ranges=errors.ranges,
        cluster=errors.clusters(),
        shortages=errors.shortages,
        level=level,
        degrees=errors.degrees,
        limits=tuple(str(limit) for limit in RangeLimit if limit in errors.limits),
        noise=noise,
        confidence=confidence,
        seed=seed,
    )


class _Effects(NamedTuple):
    """Effects of n systems in G groups.

    Attributes
    ----------
    effect : float64, shape (n,)
    group : int64, shape (n,)
    estimable : bool, shape (n,)
    free : float64, shape (G,)
        Residual degrees of freedom of each group.
    """

    effect: FloatArray
    group: Int64Array
    estimable: BoolArray
    free: FloatArray


def _errors_by_group(
    effects: _Effects,
    covariances: _Covariances,
    *,
    confidence: float,
    seed: int,
) -> _Errors:
    """Return the errors and rank ranges of the systems of each group with enough clusters."""
    systems = covariances.columns.systems
    errors = _Errors.none(len(systems))
    for number, free in enumerate(effects.free.tolist()):
        members = np.flatnonzero((effects.group == number) & effects.estimable)
        if not len(members) or not free:
            continue
        covariance = covariances.of(members, free)
        shortage = _shortage(covariance, covariances.level)
        if shortage is not None:
            for system in members.tolist():
                errors.shortages[systems[system]] = shortage
            continue
        errors.add_group(members, covariance)
        for system in members.tolist():
            own = covariances.of(np.array([system]), free)
            errors.add_system(system, own)
        sets = rank_confidence_sets(
            effects.effect[members],
            covariance.matrix,
            confidence=confidence,
            degrees_of_freedom=covariance.degrees_of_freedom,
            seed=seed,
        )
        errors.add_ranges(members, sets)
    return errors


@dataclass(frozen=True, eq=False)
class _Errors:
    """Standard errors and ranges of n systems, filled in group by group; see `AdditiveFit`.

    Attributes
    ----------
    has_error : bool, shape (n,)
        Systems with a standard error.
    """

    has_error: BoolArray
    covariance: FloatArray
    error: FloatArray
    degrees: FloatArray
    ranges: RankRanges
    limits: set[RangeLimit]
    shortages: dict[str, Shortage]

    @classmethod
    def none(cls, systems: int) -> Self:
        """Return the errors of systems of which none has any yet."""
        ranges = RankRanges(
            low=np.zeros(systems, dtype=np.int64),
            high=np.zeros(systems, dtype=np.int64),
        )
        return cls(
            has_error=np.zeros(systems, dtype=np.bool_),
            covariance=np.zeros((systems, systems)),
            error=np.full(systems, np.nan),
            degrees=np.full(systems, np.nan),
            ranges=ranges,
            limits=set(),
            shortages={},
        )

    def add_group(self, members: Int64Array, covariance: ScoreCovariance) -> None:
        """Add the covariance of the systems of a group."""
        self.has_error[members] = True
        self.covariance[np.ix_(members, members)] = covariance.matrix
        self.limits.update(covariance.limits)

    def add_system(self, system: int, covariance: ScoreCovariance) -> None:
        """Add the standard error of one system."""
        self.error[system] = np.sqrt(covariance.matrix[0, 0])
        self.degrees[system] = covariance.degrees_of_freedom
        self.limits.update(covariance.limits)

    def add_ranges(self, members: Int64Array, sets: RankRanges) -> None:
        """Add the confidence sets of the systems of a group."""
        self.ranges.low[members] = sets.low
        # Systems of other groups may be better.
        others = len(self.has_error) - len(members)
        self.ranges.high[members] = sets.high + others

    def clusters(self) -> Int64Array:
        """Return the cluster of each system; 0 for systems without a standard error."""
        cluster = np.zeros(len(self.has_error), dtype=np.int64)
        if self.has_error.any():
            low = self.ranges.low[self.has_error]
            high = self.ranges.high[self.has_error]
            cluster[self.has_error] = clusters(RankRanges(low, high))
        return cluster


def _shortage(covariance: ScoreCovariance, level: Level) -> Shortage | None:
    if level != "segments" and covariance.judges < FEWEST_JUDGES - _ABOUT:
        return Shortage("judges", covariance.judges, FEWEST_JUDGES)
    if covariance.segments < FEWEST_SEGMENTS - _ABOUT:
        return Shortage("segments", covariance.segments, FEWEST_SEGMENTS)
    return None


def _require_clusters(
    columns: ScoreColumns,
    influence: FloatArray,
    level: Level,
) -> None:
    """Raise ValueError unless at least two clusters distinguish systems."""
    is_informative = np.abs(influence).max(axis=1) > _NOTHING
    if not is_informative.any():
        return
    for name, unit in (("judges", columns.judge), ("segments", columns.segment)):
        if level not in (name, "two_way"):
            continue
        if len(np.unique(unit[is_informative])) < 2:
            raise ValueError(
                f"there are fewer than two {name}, so nothing says how {name} vary",
            )


class _Design:
    """The equations of systems and judges, with segments eliminated."""

    def __init__(self, columns: ScoreColumns) -> None:
        self._systems = len(columns.systems)
        self._system = columns.system
        self._segment = columns.segment
        self._judge = columns.judge
        score = columns.score
        system_indicators = _indicators(columns.system, len(columns.systems))
        judge_indicators = _indicators(columns.judge, len(columns.judges))
        segments = _indicators(columns.segment, len(columns.segments))
        self._x = sparse.hstack([system_indicators, judge_indicators], format="csr")
        self._segments = segments
        self._size = np.asarray(segments.sum(axis=0)).ravel()
        # Means of the columns and of the scores by segment.
        self._x_mean = sparse.diags(1 / self._size) @ (segments.T @ self._x)
        y_mean = np.asarray(segments.T @ score) / self._size
        # The normal equations, matrix · effects = right, without the means of segments.
        between_segments = self._x_mean.T @ sparse.diags(self._size) @ self._x_mean
        matrix = self._x.T @ self._x - between_segments
        self._a = np.asarray(matrix.todense())
        sums_of_segments = self._size * y_mean
        explained_by_segments = self._x_mean.T @ sums_of_segments
        right = np.asarray(self._x.T @ score - explained_by_segments)
        self._inverse = _pseudo_inverse(self._a)
        effects = self._inverse @ right
        self.systems_effects: FloatArray = np.asarray(effects)[: self._systems]
        mean_effects = self._x_mean @ effects
        fitted = self._x @ effects - segments @ mean_effects
        deviation = score - segments @ y_mean
        self.residual: FloatArray = np.asarray(deviation - fitted)

    def groups(self) -> tuple[Int64Array, BoolArray]:
        """Return the group of each system, as determined by the equations, and whether it has other
        members.

        The difference of two systems is determined if it has no component in the null space of the
        equations.
        """
        n = self._systems
        system_equations = self._a[:n, :n]
        across = self._a[:n, n:]
        judge_equations = self._a[n:, n:]
        information = (
            system_equations - across @ _pseudo_inverse(judge_equations) @ across.T
        )
        symmetric = (information + information.T) / 2
        values, vectors = np.linalg.eigh(symmetric)
        least = _NOTHING * max(float(values.max()), 1.0)
        null_vectors = vectors[:, values <= least]
        null_space = null_vectors @ null_vectors.T
        group = np.full(n, -1, dtype=np.int64)
        for system in range(n):
            if group[system] < 0:
                distance = np.abs(null_space - null_space[system]).max(axis=1)
                is_member = (distance < 1e-6) & (group < 0)
                group[is_member] = group.max() + 1
        members = np.bincount(group)
        return group, members[group] > 1

    def moved(self) -> FloatArray:
        """Return the influence of each score on the systems' effects, shape (N, n)."""
        to_systems = self._inverse[:, : self._systems]
        through_segment_means = self._segments @ (self._x_mean @ to_systems)
        return np.asarray(self._x @ to_systems - through_segment_means)

    def free_residuals(self) -> FloatArray:
        """Return 1 − the leverage of each score, shape (N,); 0 if it is fitted exactly."""
        inverse = self._inverse
        mean = self._x_mean @ inverse
        products = self._x_mean.multiply(mean)
        leverage_of_effects = np.asarray(products.sum(axis=1)).ravel()
        leverage_of_segment = 1 / self._size + leverage_of_effects
        segment = self._segment
        system = self._system
        judge = self._systems + self._judge
        variances = inverse[system, system] + inverse[judge, judge]
        covariance = inverse[system, judge]
        covariance_with_mean = mean[segment, system] + mean[segment, judge]
        free = 1 - leverage_of_segment[segment]
        free -= variances + 2 * covariance
        free += 2 * covariance_with_mean
        return np.asarray(np.maximum(free, 0))


def _pseudo_inverse(matrix: FloatArray) -> FloatArray:
    inverse = np.linalg.pinv(matrix, rcond=_NOTHING, hermitian=True)
    return inverse.astype(np.float64)


def _indicators(column: Int32Array, size: int) -> Any:
    """Return the sparse matrix with a row for each score and a 1 in its column."""
    rows = len(column)
    ones = np.ones(rows)
    cells = (np.arange(rows), column)
    return sparse.csr_matrix((ones, cells), shape=(rows, size))


def _centring(group: Int64Array, estimable: BoolArray) -> FloatArray:
    """Return the matrix that subtracts the mean of its group from each system; 0 for systems alone
    in their group.
    """
    same = (as_column(group) == group).astype(np.float64)
    mean = same / same.sum(axis=1, keepdims=True)
    centre = np.eye(len(group)) - mean
    return np.asarray(centre * as_column(estimable))


@dataclass(frozen=True, eq=False)
class _Covariances:
    """Covariances of effects.

    Attributes
    ----------
    columns : ScoreColumns
    level : "segments", "judges" or "two_way"
    moved : float64, shape (N, n)
        Influence of each score on the effects.
    residual : float64, shape (N,)
    noise : float
        Standard deviation of the residuals.
    """

    columns: ScoreColumns
    level: Level
    moved: FloatArray
    residual: FloatArray
    noise: float

    def of(self, systems: Int64Array, free: float) -> ScoreCovariance:
        """Return the covariance of the effects of some systems, with at most `free` degrees of
        freedom.
        """
        columns = self.columns
        moved = self.moved[:, systems]
        influence = moved * as_column(self.residual)
        sizes = np.asarray((moved**2).sum(axis=1))
        units = _segment_units(columns, sizes)
        judge = columns.judge.astype(np.int64)
        cell = units.number * len(columns.judges) + judge
        cells = covariance_by_unit(influence, cell, sizes)
        segments = covariance_by_unit(influence, units.number, sizes)
        judges = covariance_by_unit(influence, judge, sizes)
        if self.level == "two_way":
            covariance = combined_covariance(
                blocks=cells,
                segments=segments,
                judges=judges,
                few_documents=units.few_documents,
            )
        else:
            part = judges
            limits = []
            if self.level == "segments":
                part = segments
            if part.effective < MIN_UNITS:
                limits.append(_FEW_UNITS[self.level])
            elif self.level == "segments" and units.few_documents:
                limits.append(RangeLimit.FEW_DOCUMENTS)
            covariance = ScoreCovariance(
                matrix=part.matrix,
                degrees_of_freedom=np.inf,
                segments=segments.effective,
                judges=judges.effective,
                limits=tuple(limits),
                parts=(part,),
            )
        least = self.noise**2 * (moved.T @ moved)
        covariance = replace(
            covariance,
            matrix=_with_least_covariance(covariance.matrix, least),
        )
        if segments.effective >= MIN_UNITS:
            covariance = with_least_variance(covariance, np.diag(segments.matrix))
        # For the variance actually used: raising it does not make it less certain.
        degrees = covariance.freedom_of(float(np.trace(covariance.matrix)))
        return replace(covariance, degrees_of_freedom=min(degrees, free))


class _SegmentUnits(NamedTuple):
    """The document of each score, or its segment if documents are unknown or too few, shape (N,);
    and whether they are too few.
    """

    number: Int64Array
    few_documents: bool


def _segment_units(columns: ScoreColumns, sizes: FloatArray) -> _SegmentUnits:
    segment = columns.segment.astype(np.int64)
    document = columns.document_of_score
    if document is None:
        return _SegmentUnits(segment, few_documents=False)
    documents = effective_number(np.bincount(document, weights=sizes))
    if documents < MIN_UNITS:
        return _SegmentUnits(segment, few_documents=True)
    return _SegmentUnits(document, few_documents=False)


def _with_least_covariance(matrix: FloatArray, least: FloatArray) -> FloatArray:
    """Return `least` plus the positive part of `matrix` − `least`, so that no difference of effects
    varies less.
    """
    beyond = matrix - least
    symmetric = (beyond + beyond.T) / 2
    values, vectors = np.linalg.eigh(symmetric)
    positive_part = (vectors * np.maximum(values, 0)) @ vectors.T
    return np.asarray(least + positive_part)


def _group_means(columns: ScoreColumns, group: Int64Array, size: int) -> FloatArray:
    """Return, for each system, the mean of the mean scores of its group's systems."""
    total = np.bincount(columns.system, weights=columns.score, minlength=size)
    mean = total / np.bincount(columns.system, minlength=size)
    group_mean = np.bincount(group, weights=mean) / np.bincount(group)
    return np.asarray(group_mean[group])

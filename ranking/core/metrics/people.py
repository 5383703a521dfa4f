"""Scores of metrics, and human judgments (rankings, or scores of outputs) in the form for
comparison with metrics.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, UInt64Array, share
from ranking.core.beside import (
    NO_TIME,
    JudgedTask,
    OutputScores,
    ScoredTask,
    drawn_scores,
)
from ranking.core.counting.resampling import segment_keys
from ranking.core.estimates import Estimate, Unit, estimate
from ranking.core.grouping import distinct_pairs
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import counts_method_named
from ranking.core.metrics import figures
from ranking.core.metrics.figures import Drawing, Pairs
from ranking.core.metrics.texts import known_sums, metric_values
from ranking.core.scores import TIE_DECIMALS
from ranking.core.selection import folds_of_segments

_FOLDS = 100
_DRAWING = Drawing()


class NothingComparedError(ValueError):
    """The human judgments do not compare any two systems."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """Scores of n systems by a metric, or by people without known judges.

    Attributes
    ----------
    name : str
    systems : tuple of str, length n
    segments : int64, shape (S',)
        Numbers of the segments with scores, ascending, whether people judged them or not.
    values : float64, shape (S', n)
        Higher is better, regardless of the metric's own direction; NaN without a score.
    of_systems : float64, shape (n,), or None
        Scores of whole systems; NaN without one. None for means over segments alone.
    sign : float
        −1 if lower is better in the metric's own direction; its scores were multiplied by this.
    is_human, is_machine : bool
        Whether these are scores by people, or by a machine judge.
    signature : str
        Version and settings; empty if unknown.
    missing : int or None
        Number of outputs of the test set without a score; None if unknown.
    kind : str
        Key of `ranking.core.metrics.texts.TEXT_METRICS` for a metric of texts, otherwise empty.
    statistics : float64, shape (n, S', k), or None
        Statistics of a metric of texts, NaN where missing; None for other metrics.
    """

    name: str
    systems: tuple[str, ...]
    segments: Int64Array
    values: FloatArray
    of_systems: FloatArray | None = None
    sign: float = 1.0
    is_human: bool = False
    is_machine: bool = False
    signature: str = ""
    missing: int | None = None
    kind: str = ""
    statistics: FloatArray | None = field(default=None, repr=False)

    @property
    def scored(self) -> frozenset[str]:
        """Systems with any score."""
        has_score = ~np.isnan(self.scores)
        return frozenset(np.array(self.systems)[has_score].tolist())

    def take(self, systems: Sequence[str]) -> Metric:
        """Return the scores of some of the systems."""
        columns = [self.systems.index(name) for name in systems]
        system_scores = self.of_systems
        if system_scores is not None:
            system_scores = system_scores[columns]
        statistics = self.statistics
        if statistics is not None:
            statistics = statistics[columns]
        return replace(
            self,
            systems=tuple(systems),
            values=self.values[:, columns],
            of_systems=system_scores,
            statistics=statistics,
        )

    def within(self, segments: Int64Array) -> Metric:
        """Restrict the scores to some segments; systems' scores become those of these segments, unless
        these are all segments: means, or the corpus scores of a metric of texts.
        """
        rows = np.isin(self.segments, segments)
        if rows.all():
            return self
        statistics = self.statistics
        system_scores = None
        if statistics is not None:
            statistics = statistics[:, rows]
            if rows.any():
                values = metric_values(self.kind, known_sums(statistics))
                system_scores = self.sign * values
        return replace(
            self,
            segments=self.segments[rows],
            values=self.values[rows],
            of_systems=system_scores,
            missing=None,
            statistics=statistics,
        )

    @cached_property
    def on_common_segments(self) -> Metric:
        """The scores of the segments on which every system with scores has one.

        Means over these compare systems on the same segments. Without gaps, and if scores of whole systems are given,
        these are all segments.
        """
        is_known = ~np.isnan(self.values)
        has_scores = is_known.any(axis=0)
        is_common = is_known[:, has_scores].all(axis=1)
        scored = is_known.any(axis=1)
        if self._has_system_scores or is_common.sum() == scored.sum():
            return self
        return self.within(self.segments[is_common])

    @property
    def _has_system_scores(self) -> bool:
        """Return whether a file has a score of the whole system for each system that it scores."""
        if self.of_systems is None or self.statistics is not None:
            return False
        is_given = ~np.isnan(self.of_systems)
        has_mean = ~np.isnan(self.means)
        return bool(is_given.any() and is_given[has_mean].all())

    @cached_property
    def means(self) -> FloatArray:
        """Means over segments, shape (n,); NaN for a system without segment scores."""
        is_known = ~np.isnan(self.values)
        totals = np.where(is_known, self.values, 0.0).sum(axis=0)
        return share(totals, is_known.sum(axis=0))

    @property
    def scores(self) -> FloatArray:
        """Scores of systems, shape (n,): those given for whole systems, unless some systems have none, or means."""
        if self.of_systems is None:
            return self.means
        if self._has_system_scores or self.statistics is not None:
            return self.of_systems
        return self.means

    def resampled(self, drawing: Drawing) -> FloatArray:
        """Return scores of systems in resamples of segments, shape (R, n).

        Deviations are those of means over segments, even if a metric scores whole systems in
        another way, as BLEU does; without segment scores, there are none.
        """
        keys = segment_keys(self.segments)
        drawn = figures.resampled_means(self.values, keys, drawing)
        deviation = np.where(np.isnan(self.means), 0.0, drawn - self.means)
        return self.scores + deviation

    def of(self, segments: Int64Array) -> FloatArray:
        """Return the scores of some segments, NaN for those without, shape (len(segments), n)."""
        values = np.full((len(segments), self.values.shape[1]), np.nan)
        if not len(self.segments):
            return values
        last = len(self.segments) - 1
        position = np.searchsorted(self.segments, segments)
        index = np.minimum(position, last)
        has_scores = self.segments[index] == segments
        values[has_scores] = self.values[index[has_scores]]
        return values


class Preferences(NamedTuple):
    """Mean preferences over judges for one output over another, each of shape (P,).

    Attributes
    ----------
    row : int64
        Row of the segment.
    one, other : int64
        Indices of the systems.
    preferred : float64
        Preference for the first system: the share of comparisons won minus the share lost if outputs are ranked, otherwise
        the difference of scores.
    """

    row: Int64Array
    one: Int64Array
    other: Int64Array
    preferred: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """The human side of a comparison with metrics.

    Attributes
    ----------
    systems : tuple of str, length n
        Systems with a score.
    segments : int64, shape (S,)
        Numbers of the judged segments, ascending.
    scores : float64, shape (n,)
        Scores of systems; higher is better.
    resampled : mapping of unit to float64, shape (R, n)
        The same in resamples of segments, of judges, and of each judge's judgments of a segment.
    fewest_units : int
        Number of segments or of judges, whichever is smaller.
    pairs : Pairs
        Comparisons of outputs.
    values : float64, shape (S, n), or None
        Scores of outputs; None if people rank them.
    blocks : Blocks or None
        Ranked blocks; None if people score outputs.
    ratings : OutputScores or None
        Scores by judge; None if people rank outputs, or judges are unknown.
    drawing : Drawing
        Settings of the draws in `resampled` and in compared metrics, and the confidence of
        intervals and tests.
    common : int or None
        Number of segments that `scores` are means over, if they are not means over all segments.
    """

    systems: tuple[str, ...]
    segments: Int64Array
    scores: FloatArray
    resampled: Mapping[Unit, FloatArray]
    fewest_units: int
    pairs: Pairs
    values: FloatArray | None
    blocks: Blocks | None = None
    ratings: OutputScores | None = None
    drawing: Drawing = _DRAWING
    common: int | None = None

    @property
    def missing(self) -> int:
        """Number of outputs of the judged segments without a score; 0 if people rank them."""
        if self.values is None:
            return 0
        return int(np.isnan(self.values).sum())

    @cached_property
    def keys(self) -> UInt64Array:
        """Resampling keys of the segments."""
        return segment_keys(self.segments)

    @cached_property
    def folds(self) -> Int64Array | None:
        """Fold of each segment, shape (S,), for tuning the threshold for ties on other folds; None
        for a single segment.
        """
        count = min(_FOLDS, len(self.segments))
        seed = self.drawing.seed
        if count > 1:
            return folds_of_segments(self.segments, count, seed=seed)
        return None

    @cached_property
    def p_values(self) -> FloatArray:
        """p-values of "the first is better than the second" for each pair of systems, shape (n (n − 1) / 2,)."""
        if self.values is None:
            return figures.resampled_p_values(self.resampled["segments"])
        return figures.flipped_p_values(self.values, self.keys, self.drawing)

    @cached_property
    def least_separated(self) -> FloatArray:
        """Minimum difference of scores at which people separate each pair, shape (n (n − 1) / 2,).

        It is half the width of the interval of the difference, as in a two-sided, uncorrected
        t-test; infinite where the uncertainty is unknown.
        """
        reach = []
        for one, other in combinations(range(len(self.systems)), 2):
            difference = self.difference(one, other)
            if difference.low is None:
                reach.append(np.inf)
            else:
                reach.append(difference.value - difference.low)
        # Equal scores are never separated.
        return np.maximum(10.0**-TIE_DECIMALS, reach)

    @cached_property
    def better(self) -> BoolArray:
        """True for each pair of systems that people separate with the first one better, shape (n, n)."""
        n = len(self.systems)
        first, second = np.triu_indices(n, 1)
        ahead = figures.pair_differences(self.scores)
        least = self.least_separated
        is_better = np.zeros((n, n), dtype=np.bool_)
        is_better[first, second] = ahead >= least
        is_better[second, first] = -ahead >= least
        return is_better

    def interval(
        self,
        value: float,
        resampled: Mapping[Unit, FloatArray],
        **ends: float,
    ) -> Estimate:
        """Return a figure with an interval from its resamples of each unit; `ends` are `least` and
        `most`.
        """
        return estimate(
            float(value),
            resampled,
            fewest_units=self.fewest_units,
            confidence=self.drawing.confidence,
            **ends,
        )

    def difference(self, one: int, other: int) -> Estimate:
        """Return the difference of two systems' human scores, with its interval."""
        resampled = {}
        for unit, drawn in self.resampled.items():
            resampled[unit] = drawn[:, one] - drawn[:, other]
        difference = self.scores[one] - self.scores[other]
        return self.interval(difference, resampled)

    @cached_property
    def preferences(self) -> Preferences:
        """Mean preferences over judges."""
        pairs = self.pairs
        n = len(self.systems)
        for_first = pairs.human.astype(np.float64)
        if self.values is not None:
            for_first = pairs.differences(self.values)
        low = np.minimum(pairs.first, pairs.second)
        high = np.maximum(pairs.first, pairs.second)
        row, pair, index = distinct_pairs(pairs.row, low.astype(np.int64) * n + high)
        one, other = np.divmod(pair, n)
        for_low = np.where(pairs.first < pairs.second, for_first, -for_first)
        total = np.bincount(index, for_low)
        return Preferences(
            row=row,
            one=one,
            other=other,
            preferred=total / np.bincount(index),
        )


def people_of_blocks(
    blocks: Blocks,
    method: str = "expected_wins",
    drawing: Drawing = _DRAWING,
    *,
    systems: Collection[str] | None = None,
    segments: Int64Array | None = None,
) -> People:
    """Return the human side from judged blocks.

    Parameters
    ----------
    blocks : Blocks
        Blocks without the reference, unless it is to be compared.
    method : str
        A method of the registry that scores counts.
    drawing : Drawing
        Segments and judges have the same weights as in the human ranking with this seed.
    systems, segments : optional
        Systems and segments to include; all if not given.

    Raises
    ------
    NothingComparedError
        If no two systems are compared.
    """
    if systems is not None:
        blocks = blocks.without(set(blocks.systems) - set(systems))
    if segments is not None:
        blocks = blocks.take(np.isin(blocks.segment, segments))
    if not len(blocks):
        raise NothingComparedError("nothing was judged")
    task = JudgedTask("people", blocks, NO_TIME)
    if len(task.systems) < 2:
        raise NothingComparedError("no two systems are compared")
    drawn = _scores_of_task(task, method, drawing)
    if len(drawn.systems) < 2:
        raise NothingComparedError("fewer than two systems have a score")
    without_score = set(task.systems) - set(drawn.systems)
    compared = task.compared.without(without_score)
    return People(
        systems=drawn.systems,
        segments=np.unique(blocks.segment).astype(np.int64),
        scores=drawn.scores,
        resampled=drawn.resampled,
        fewest_units=drawn.fewest_units,
        pairs=figures.pairs_of_blocks(compared),
        values=None,
        blocks=compared,
        drawing=drawing,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _TaskScores:
    """Scores of the systems of a task that have one; see `People`."""

    systems: tuple[str, ...]
    scores: FloatArray
    resampled: Mapping[Unit, FloatArray]
    fewest_units: int


def _scores_of_task(
    task: JudgedTask | ScoredTask,
    method: str,
    drawing: Drawing,
) -> _TaskScores:
    drawn = drawn_scores(
        task,
        counts_method_named(method),
        resamples=drawing.resamples,
        seed=drawing.seed,
    )
    scored = np.flatnonzero(drawn.scores.estimable)
    resampled = {}
    for unit, scores in drawn.resampled.items():
        resampled[unit] = scores.values[:, scored]
    return _TaskScores(
        systems=tuple(drawn.systems[index] for index in scored.tolist()),
        scores=drawn.scores.values[scored],
        resampled=resampled,
        fewest_units=drawn.fewest_units,
    )


def people_of_ratings(
    task: ScoredTask,
    drawing: Drawing = _DRAWING,
    *,
    systems: Collection[str] | None = None,
    segments: Int64Array | None = None,
) -> People:
    """Return the human side from judges' scores of outputs, averaged over the judges of an output.
    Other parameters and exceptions are those of `people_of_blocks`.
    """
    ratings = task.scores
    names = np.array(ratings.systems)[ratings.system]
    judges = np.array(ratings.judge)
    mask = np.ones(len(names), dtype=np.bool_)
    if systems is not None:
        mask &= np.isin(names, list(systems))
    if segments is not None:
        mask &= np.isin(ratings.segment, segments)
    rows = zip(
        ratings.segment[mask].tolist(),
        judges[mask].tolist(),
        names[mask].tolist(),
        ratings.score[mask].tolist(),
        strict=True,
    )
    scores = OutputScores.of_rows(rows)
    if scores is None:
        raise NothingComparedError("nothing was judged")
    scored = replace(task, scores=scores)
    values = scored.segment_means()
    drawn = _scores_of_task(scored, "expected_wins", drawing)
    return People(
        systems=drawn.systems,
        segments=np.unique(scores.segment).astype(np.int64),
        scores=drawn.scores,
        resampled=drawn.resampled,
        fewest_units=drawn.fewest_units,
        pairs=figures.pairs_of_scores(values),
        values=values,
        ratings=scores,
        drawing=drawing,
    )


def people_of_scores(
    scores: Metric,
    drawing: Drawing = _DRAWING,
    *,
    systems: Collection[str] | None = None,
    segments: Int64Array | None = None,
) -> People:
    """Return the human side from scores without judges, such as the human scores of an EvalSet
    folder.

    Other parameters and exceptions are those of `people_of_blocks`. If only some segments are
    requested, scores of whole systems are means over these.
    """
    chosen = scores
    if systems is not None:
        chosen = scores.take([name for name in scores.systems if name in systems])
    if segments is not None:
        chosen = chosen.within(segments)
    is_known = ~np.isnan(chosen.values)
    scored_systems = np.array(chosen.systems)[is_known.any(axis=0)].tolist()
    if len(scored_systems) < 2:
        raise NothingComparedError("fewer than two systems have a score")
    chosen = chosen.take(scored_systems)
    rows = is_known.any(axis=1)
    values = chosen.values[rows]
    common = chosen.on_common_segments
    common_segments = None
    if common is not chosen:
        common_segments = len(common.segments)
    drawn = common.resampled(drawing)
    unchanged = np.tile(common.scores, (drawing.resamples, 1))
    return People(
        systems=chosen.systems,
        segments=chosen.segments[rows],
        scores=common.scores,
        # No judges are known, so resampling them changes nothing.
        resampled={"segments": drawn, "judges": unchanged, "cells": drawn},
        fewest_units=len(values),
        pairs=figures.pairs_of_scores(values),
        values=values,
        drawing=drawing,
        common=common_segments,
    )

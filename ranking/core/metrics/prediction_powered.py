"""Prediction-powered scores: people on some segments, a machine on all of them (Angelopoulos et al. 2023).

With θ̂ the scores by people, m those by the machine of the same judgments, and a those by the machine of all segments,

    θ̂ − λ (m − a)

is unbiased whatever the machine does if the judged segments are a random sample of all: m − a is 0 on average. One weight λ
for all systems minimises the variance of the differences between systems (PPI++, Angelopoulos, Duchi & Zrnic 2023). It is 0 if
the machine tells nothing, so a useless machine costs nothing; and if it scores no unjudged segments, or few judged ones, so that
it cannot save anything, or nobody can tell. Segments are a sample of those that might have been chosen, so the variance also
counts that there are only so many segments.

Everything is linearised: a row is a judgment, or a segment of the machine, with its influence on each score.

References
----------
A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic (2023), Prediction-Powered Inference, Science 382.
A. N. Angelopoulos, J. C. Duchi, T. Zrnic (2023), PPI++: Efficient Prediction-Powered Inference, arXiv:2311.01453.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Final

import numpy as np
from scipy import sparse

from ranking.core.arrays import BoolArray, FloatArray, Int8Array, Int64Array, share
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.counting.resampling import segment_keys
from ranking.core.estimates import Estimate, estimate
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import canonical_order
from ranking.core.methods.shares import expected_wins, expected_wins_influence
from ranking.core.metrics.figures import Drawing, resampled_sums
from ranking.core.metrics.people import Metric, People
from ranking.core.uncertainty import (
    ClusteredCovariance,
    ScoreCovariance,
    covariance_by_unit,
    covariance_over_units,
    sums_by_unit,
)

#: Judged segments that a machine must score: the weight from fewer follows chance.
FEWEST_SEGMENTS: Final = ceil(MIN_UNITS)
#: Directions of scores that are shorter, relative to the longest, are rounding errors.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Scores of n systems from R rows.

    Attributes
    ----------
    scores : float64, shape (n,)
    influence : float64, shape (R, n)
        Change of each score if the row is drawn once more.
    is_scored : bool, shape (R,)
        Whether the row scores any system.
    """

    scores: FloatArray
    influence: FloatArray
    is_scored: BoolArray


def mean_rows(values: FloatArray, weights: FloatArray | float = 1.0) -> ScoredRows:
    """Return weighted mean scores of systems.

    Parameters
    ----------
    values : float64, shape (R, n)
        NaN where a row does not score a system.
    weights : float64, shape (R, n), or one for all
    """
    is_known = ~np.isnan(values)
    weight = np.where(is_known, weights, 0.0)
    filled = np.where(is_known, values, 0.0)
    total = weight.sum(axis=0)
    weighted = weight * filled
    scores = share(weighted.sum(axis=0), total)
    deviation = filled - np.nan_to_num(scores)
    divisor = np.where(total > 0, total, 1.0)
    return ScoredRows(
        scores=scores,
        influence=weight * deviation / divisor,
        is_scored=np.asarray(is_known.any(axis=1)),
    )


def win_rows(won: BoolArray, *, is_smoothed: bool) -> ScoredRows:
    """Return Expected Wins.

    Parameters
    ----------
    won : bool, shape (R, n, n)
        Whether the first system won against the second in a row; ties are dropped.
    is_smoothed : bool
        Whether the influence is that for a variance, of people, and not the derivative, of a machine: its wins of the
        same segments, once for each judge and once for each segment, must cancel.
    """
    n = won.shape[1]
    wins = won.sum(axis=0, dtype=np.int64)
    cells = sparse.csr_array(won.reshape(len(won), n * n))
    influence_of_wins = expected_wins_influence(wins, is_smoothed=is_smoothed)
    return ScoredRows(
        scores=expected_wins(wins).values,
        influence=np.asarray(cells.astype(np.float64) @ influence_of_wins.T),
        is_scored=np.asarray(won.any(axis=(1, 2))),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Predicted:
    """Scores of n systems by people, and the machine's scores that replace or complete them.

    Attributes
    ----------
    people : ScoredRows
        R judgments.
    judged : ScoredRows
        The machine on the same R judgments.
    everywhere : ScoredRows
        The machine on all S segments that it scores.
    segment : int64, shape (R + S,)
        Segment of each judgment, and each of the machine's segments.
    judge : int64, shape (R,)
        Judge of each judgment; one for all if judges are unknown.
    sizes : float64, shape (R,)
        Number of comparisons, or of scores, of each judgment.
    order : int64, shape (n,)
        Order of the systems that does not depend on their names.
    documents : mapping of int to int, or None
        Document of each segment; segments without one are documents of their own. None if documents are unknown.
    """

    people: ScoredRows
    judged: ScoredRows
    everywhere: ScoredRows
    segment: Int64Array
    judge: Int64Array
    sizes: FloatArray
    order: Int64Array
    documents: Mapping[int, int] | None = None

    @cached_property
    def _completed_segments(self) -> Int64Array:
        """Judged segments that the machine scores."""
        judged_segments = self.segment[: len(self.judge)]
        return np.unique(judged_segments[self.judged.is_scored])

    @cached_property
    def can_save(self) -> bool:
        """True if the machine scores segments that people did not judge, and enough of those that they did."""
        judged_segments = self.segment[: len(self.judge)]
        machine_segments = self.segment[len(self.judge) :]
        own_segments = machine_segments[self.everywhere.is_scored]
        if np.isin(own_segments, judged_segments).all():
            return False
        return len(self._completed_segments) >= FEWEST_SEGMENTS

    @cached_property
    def _squares(self) -> FloatArray:
        """Sums over systems of the squares of people's influence, of the products with the correction's, and of the
        squares of the correction's, by segment, shape (segments, 3).
        """
        no_influence = np.zeros_like(self.everywhere.influence)
        people_influence = np.concatenate([self.people.influence, no_influence])
        correction_influence = np.concatenate(
            [self.judged.influence, -self.everywhere.influence],
        )
        people = sums_by_unit(_centred_influence(people_influence), self.segment)
        correction = sums_by_unit(
            _centred_influence(correction_influence),
            self.segment,
        )
        # Without unjudged segments, only rounding errors and unequal numbers of judges would be left.
        if not self.can_save:
            correction[:] = 0.0
        people_squares = people * people
        products = people * correction
        correction_squares = correction * correction
        columns = (
            people_squares.sum(axis=1),
            products.sum(axis=1),
            correction_squares.sum(axis=1),
        )
        return np.stack(columns, axis=1)

    @cached_property
    def weight(self) -> float:
        """The weight λ of the machine; 0 if it gives all systems the same scores, or cannot save judgments."""
        _people, both, correction = self._squares.sum(axis=0).tolist()
        if correction > 0:
            return float(both / correction)
        return 0.0

    @property
    def scores(self) -> FloatArray:
        """Prediction-powered scores, shape (n,)."""
        # A machine that ties all systems has no scores, and corrects nothing.
        correction = np.nan_to_num(self.judged.scores - self.everywhere.scores)
        return np.asarray(self.people.scores - self.weight * correction)

    def judgments_saved(self, drawing: Drawing) -> Estimate:
        """Return the share of human judgments that the machine saves, with a bootstrap interval over segments.

        People alone need 1 / (1 − share) times as many judged segments for the same variance of the differences between
        systems: it is 1 − the variance with the machine / the variance without it, over segments.
        """
        keys = segment_keys(np.unique(self.segment))
        correlation = _correlation(self._squares.sum(axis=0))
        drawn = _correlation(resampled_sums(self._squares, keys, drawing))
        unchanged = np.zeros(len(drawn))
        # Correlations are nearly symmetric around the estimate, their squares near 0 are not.
        estimated = estimate(
            float(abs(correlation)),
            {
                "segments": drawn * np.sign(correlation),
                "judges": unchanged,
                "cells": unchanged,
            },
            fewest_units=len(self._completed_segments),
            confidence=drawing.confidence,
            least=0.0,
            most=1.0,
        )
        share_saved = estimated.value**2
        if estimated.low is None or estimated.high is None:
            return replace(estimated, value=share_saved)
        return Estimate(share_saved, estimated.low**2, estimated.high**2)

    def covariance(self, *, with_machine: bool = True) -> ScoreCovariance:
        """Return the covariance of the scores over segments (or documents, if enough are known) and, if known, judges."""
        weight = 0.0
        if with_machine:
            weight = self.weight
        judgment_influence = self.people.influence - weight * self.judged.influence
        machine_influence = weight * self.everywhere.influence
        rows = np.concatenate([judgment_influence, machine_influence])
        sizes = np.concatenate([self.sizes, np.zeros(len(machine_influence))])

        def part(unit: Int64Array) -> ClusteredCovariance:
            # The machine's other segments belong to no judge.
            if len(unit) == len(self.judge):
                return covariance_by_unit(judgment_influence, unit, self.sizes)
            return covariance_by_unit(rows, unit, sizes)

        document = None
        if self.documents is not None:
            document = self._document(self.documents)
        return covariance_over_units(
            part,
            segment=self.segment,
            judge=self.judge,
            document=document,
        )

    def _document(self, documents: Mapping[int, int]) -> Int64Array:
        """Return the number of the document of each judgment, and of each of the machine's segments."""
        numbers = []
        for segment in self.segment.tolist():
            # Segments and documents are numbered from 0.
            numbers.append(documents.get(segment, -1 - segment))
        _documents, index = np.unique(numbers, return_inverse=True)
        return index.astype(np.int64)


def _centred_influence(influence: FloatArray) -> FloatArray:
    """Return influence whose sums are those of differences between systems, which do not depend on the mean."""
    return np.asarray(influence - influence.mean(axis=1, keepdims=True))


def _correlation(products: FloatArray) -> FloatArray:
    """Return the correlation from sums of squares and products, shape (..., 3); 0 without any."""
    people, both, correction = np.moveaxis(products, -1, 0)
    return np.nan_to_num(share(both, np.sqrt(people * correction)))


def predicted_scores(
    people: People,
    metric: Metric,
    documents: Mapping[int, int] | None = None,
) -> Predicted:
    """Return the scores of systems by people, with a metric's on all segments that it scores.

    They are mean scores if people score outputs, and Expected Wins if they rank them.

    Parameters
    ----------
    people : People
    metric : Metric
        Over the same n systems.
    documents : mapping of int to int, optional
        Document of each segment; see `Predicted`.
    """
    if people.blocks is not None:
        predicted = predicted_wins(people.blocks, metric)
    elif people.ratings is not None:
        own = people.ratings.by_judge(people.ratings.systems)
        predicted = predicted_means(
            values=own.values,
            segment=own.segment,
            judge=own.judge,
            metric=metric,
        )
    else:
        assert people.values is not None  # noqa: S101  for the type checker
        judge = np.zeros(len(people.segments), dtype=np.int64)
        predicted = predicted_means(
            values=people.values,
            segment=people.segments,
            judge=judge,
            metric=metric,
        )
    return replace(predicted, documents=documents)


def predicted_means(
    values: FloatArray,
    segment: Int64Array,
    judge: Int64Array,
    metric: Metric,
) -> Predicted:
    """Return mean scores of n systems, with a metric's on all segments.

    Parameters
    ----------
    values : float64, shape (R, n)
        Scores by people, one row for each judge's scores of a segment; NaN where missing. Scores of an output by
        several judges share its weight.
    segment, judge : int64, shape (R,)
        `judge` is the same everywhere if judges are unknown.
    metric : Metric
        Over the same n systems.
    """
    is_scored = ~np.isnan(values)
    _segments, index = np.unique(segment, return_inverse=True)
    scores_of_output = sums_by_unit(is_scored.astype(np.float64), index)
    weights = 1 / np.maximum(scores_of_output[index], 1)
    people = mean_rows(values, weights)
    same_outputs = np.where(is_scored, metric.of(segment), np.nan)
    order = np.argsort(people.scores, kind="stable")
    return Predicted(
        people=people,
        judged=mean_rows(same_outputs, weights),
        everywhere=mean_rows(metric.values),
        segment=np.concatenate([segment, metric.segments]),
        judge=judge,
        sizes=is_scored.sum(axis=1).astype(np.float64),
        order=order.astype(np.int64),
    )


def predicted_wins(blocks: Blocks, metric: Metric) -> Predicted:
    """Return Expected Wins of n systems, with a metric's of all segments.

    The metric compares the same outputs as each judge, and all outputs of all segments; only pairs of systems that it
    compares for judges count.

    Parameters
    ----------
    blocks : Blocks
        Judged blocks.
    metric : Metric
        Over the same n systems.
    """
    n = len(blocks.systems)
    segment = blocks.segment.astype(np.int64)
    first, second = np.divmod(np.arange(n * n), n)
    # Which outputs the machine compares must not depend on the answers.
    judged = replace(blocks, best_worst=False)
    is_compared = judged.compares(first, second).reshape(-1, n, n)
    # The smaller label wins.
    won = is_compared & _is_ahead(-blocks.labels)
    won_by_machine = is_compared & _is_ahead(metric.of(segment))
    is_met = won_by_machine.any(axis=0)
    is_met |= is_met.T
    wins = won.sum(axis=0, dtype=np.int64)
    return Predicted(
        people=win_rows(won, is_smoothed=True),
        judged=win_rows(won_by_machine, is_smoothed=False),
        everywhere=win_rows(_is_ahead(metric.values) & is_met, is_smoothed=False),
        segment=np.concatenate([segment, metric.segments]),
        judge=blocks.judge.astype(np.int64),
        sizes=won.sum(axis=(1, 2)).astype(np.float64),
        order=canonical_order(wins, np.zeros_like(wins)),
    )


def _is_ahead(values: FloatArray | Int8Array) -> BoolArray:
    """Return whether the first system's score is above the second's, shape (R, n, n); False without both."""
    first = values[:, :, np.newaxis]
    second = values[:, np.newaxis, :]
    return np.asarray(first > second)


def sample_p_value(values: FloatArray, is_judged: BoolArray, drawing: Drawing) -> float:
    """Return the p-value of "the judged segments are a random sample", from the machine's scores.

    A permutation test of Hotelling's T²: the judged segments are redrawn at random, and p is the share of draws, the
    observed one included, in which mean scores of judged segments are as far from those of all segments.

    Parameters
    ----------
    values : float64, shape (S, n)
        The machine's scores of all segments that it scores; systems with missing scores are left out.
    is_judged : bool, shape (S,)
    drawing : Drawing
        Number of draws, and their seed.

    Returns
    -------
    float
        NaN if all segments are judged, or none, or all scores are equal.
    """
    is_scored = ~np.isnan(values).any(axis=0)
    scores = values[:, is_scored]
    deviations = scores - scores.mean(axis=0)
    count = int(np.count_nonzero(is_judged))
    directions, sizes, _others = np.linalg.svd(deviations, full_matrices=False)
    if count in (0, len(values)) or not sizes.any():
        return float("nan")
    whitened = directions[:, sizes > sizes.max() * _ROUNDING]
    random = np.random.default_rng(drawing.seed)
    drawn = np.zeros((drawing.resamples + 1, len(values)))
    drawn[0] = is_judged
    for row in drawn[1:]:
        chosen = random.permutation(len(values))[:count]
        row[chosen] = 1
    squares = np.square(drawn @ whitened).sum(axis=1)
    observed = squares[0] * (1 - _ROUNDING)
    return float(np.mean(squares >= observed))

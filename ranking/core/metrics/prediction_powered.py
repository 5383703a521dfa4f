"""Prediction-powered scores: people on some segments, a machine on all of them (Angelopoulos et al. 2023).

With θ̂ the scores by people, m those by the machine of the same judgments, and a those by the machine of all segments,

    θ̂ − λ (m − a)

is unbiased whatever the machine does if the judged segments are a random sample of all: m − a is 0 on average. One weight λ
for all systems minimises the variance of the differences between systems (PPI++, Angelopoulos, Duchi & Zrnic 2023). It is 0 if
the machine tells nothing, so a useless machine costs nothing. Segments are a sample of those that might have been chosen, so
the variance also counts that there are only so many segments.

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
from typing import TypedDict

import numpy as np
from scipy import sparse

from ranking.core.arrays import BoolArray, FloatArray, Int8Array, Int64Array, share
from ranking.core.counting.counts import effective_number
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.counting.resampling import segment_keys
from ranking.core.estimates import Estimate, estimate
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import canonical_order
from ranking.core.methods.shares import expected_wins, expected_wins_influence
from ranking.core.metrics.figures import Drawing, resampled_sums
from ranking.core.metrics.people import Metric, People
from ranking.core.uncertainty import (
    ScoreCovariance,
    combined_covariance,
    covariance_by_unit,
)

#: Corrections that are smaller, relative to the influence of a row, are 0.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Scores of n systems from R rows.

    Attributes
    ----------
    scores : float64, shape (n,)
    influence : float64, shape (R, n)
        Change of each score if the row is drawn once more.
    segment : int64, shape (R,)
        Number of the segment of each row.
    """

    scores: FloatArray
    influence: FloatArray
    segment: Int64Array


def mean_rows(
    values: FloatArray, segment: Int64Array, weights: FloatArray | float = 1.0
) -> ScoredRows:
    """Return weighted mean scores of systems.

    Parameters
    ----------
    values : float64, shape (R, n)
        NaN where a row does not score a system.
    segment : int64, shape (R,)
    weights : float64, shape (R, n), or one for all
    """
    known = ~np.isnan(values)
    weight = np.where(known, weights, 0.0)
    filled = np.where(known, values, 0.0)
    total = weight.sum(axis=0)
    scores = share((weight * filled).sum(axis=0), total)
    apart = filled - np.nan_to_num(scores)
    influence = weight * apart / np.where(total > 0, total, 1.0)
    return ScoredRows(scores, influence, segment)


def win_rows(won: BoolArray, segment: Int64Array) -> ScoredRows:
    """Return Expected Wins.

    Parameters
    ----------
    won : bool, shape (R, n, n)
        Whether the first system won against the second in a row; ties are dropped.
    segment : int64, shape (R,)
    """
    n = won.shape[1]
    wins = won.sum(axis=0, dtype=np.int64)
    cells = sparse.csr_array(won.reshape(len(won), n * n))
    influence = cells.astype(np.float64) @ expected_wins_influence(wins).T
    return ScoredRows(
        scores=expected_wins(wins).values,
        influence=np.asarray(influence),
        segment=segment,
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
    sizes : float64, shape (R,)
        Number of comparisons, or of scores, of each judgment.
    order : int64, shape (n,)
        Order of the systems that does not depend on their names.
    judge : int64, shape (R,), or None
        Number of the judge of each judgment; None if judges are unknown.
    document : int64, shape (R + S,), or None
        Number of the document of each judgment, and of each of the machine's segments; None if documents are unknown.
    """

    people: ScoredRows
    judged: ScoredRows
    everywhere: ScoredRows
    sizes: FloatArray
    order: Int64Array
    judge: Int64Array | None = None
    document: Int64Array | None = None

    @cached_property
    def _segments(self) -> Int64Array:
        return np.concatenate([self.people.segment, self.everywhere.segment])

    @cached_property
    def _by_segment(self) -> tuple[Int64Array, FloatArray]:
        """Segments, and the sums over each of the squares of people's influence, of the products with the correction's, and
        of the squares of the correction's, shape (S, 3). Differences between systems do not depend on their means.
        """
        numbers, place = np.unique(self._segments, return_inverse=True)
        rows = np.arange(len(place))
        ones = np.ones(len(place))
        by_segment = sparse.csr_array((ones, (place, rows)))
        nothing = np.zeros_like(self.everywhere.influence)
        of_people = np.concatenate([self.people.influence, nothing])
        people = np.asarray(by_segment @ _centred(of_people))
        correction = np.asarray(by_segment @ _centred(self._correction))
        # Where everything is judged, only rounding errors are left.
        least = _ROUNDING * np.abs(self._correction).max(initial=0.0)
        correction[np.abs(correction) < least] = 0.0
        squares = (people * people).sum(axis=1)
        products = (people * correction).sum(axis=1)
        of_correction = (correction * correction).sum(axis=1)
        return numbers, np.stack([squares, products, of_correction], axis=1)

    @property
    def _correction(self) -> FloatArray:
        return np.concatenate([self.judged.influence, -self.everywhere.influence])

    @cached_property
    def weight(self) -> float:
        """The weight λ of the machine; 0 if it gives all systems the same scores."""
        _people, both, correction = self._by_segment[1].sum(axis=0).tolist()
        return both / correction if correction > 0 else 0.0

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
        numbers, products = self._by_segment
        correlation = _correlation(products.sum(axis=0))
        drawn = _correlation(resampled_sums(products, segment_keys(numbers), drawing))
        unchanged = np.zeros(len(drawn))
        # Correlations are nearly symmetric around the estimate, their squares near 0 are not.
        found = estimate(
            float(abs(correlation)),
            {"segments": drawn * np.sign(correlation), "judges": unchanged, "cells": unchanged},
            fewest_units=len(np.unique(self.people.segment)),
            confidence=drawing.confidence,
            least=0.0,
            most=1.0,
        )
        if found.low is None or found.high is None:
            return replace(found, value=found.value**2)
        return Estimate(found.value**2, found.low**2, found.high**2)

    def covariance(self, *, with_machine: bool = True) -> ScoreCovariance:
        """Return the covariance of the scores over segments (or documents, if enough are known) and, if known, judges."""
        weight = self.weight if with_machine else 0.0
        of_judgments = self.people.influence - weight * self.judged.influence
        of_machine = weight * self.everywhere.influence
        rows = np.concatenate([of_judgments, of_machine])
        count = len(self.sizes)
        sizes = np.concatenate([self.sizes, np.zeros(len(of_machine))])
        judge = self.judge
        if judge is None:
            judge = np.zeros(count, dtype=np.int64)
        unit, judgment = self._segments, np.arange(count)
        few_documents = False
        if self.document is not None:
            by_document = np.bincount(self.document, weights=sizes)
            few_documents = effective_number(by_document) < MIN_UNITS
            if not few_documents:
                unit = self.document
                judges = int(judge.max(initial=0)) + 1
                judgment = unit[:count] * judges + judge
        return combined_covariance(
            covariance_by_unit(of_judgments, judgment, self.sizes),
            # The machine's other segments belong to no judge.
            covariance_by_unit(rows, unit, sizes),
            covariance_by_unit(of_judgments, judge, self.sizes),
            few_documents=few_documents,
        )


def _centred(influence: FloatArray) -> FloatArray:
    return np.asarray(influence - influence.mean(axis=1, keepdims=True))


def _correlation(products: FloatArray) -> FloatArray:
    """Return the correlation from sums of squares and products, shape (..., 3); 0 without any."""
    people, both, correction = np.moveaxis(products, -1, 0)
    return np.nan_to_num(share(both, np.sqrt(people * correction)))


def predicted_means(
    values: FloatArray,
    machine: FloatArray,
    segment: Int64Array,
    *,
    segments: Int64Array,
    everywhere: FloatArray,
    judge: Int64Array | None = None,
    document: Int64Array | None = None,
) -> Predicted:
    """Return mean scores of n systems, with the machine's on all segments.

    Parameters
    ----------
    values : float64, shape (R, n)
        Scores by people, one row for each judged segment, or for each judge's scores of a segment; NaN where missing.
        Scores of an output by several judges share its weight.
    machine : float64, shape (R, n)
        The machine's scores of the same outputs.
    segment : int64, shape (R,)
    segments : int64, shape (S,)
        Segments that the machine scores.
    everywhere : float64, shape (S, n)
        Its scores of all outputs of these segments; NaN where missing.
    judge : int64, shape (R,), optional
    document : int64, shape (R + S,), optional
        Document of each row, and of each of `segments`.
    """
    numbers, place = np.unique(segment, return_inverse=True)
    is_scored = ~np.isnan(values)
    scores_of_output = np.zeros((len(numbers), values.shape[1]))
    np.add.at(scores_of_output, place, is_scored)
    weights = 1 / np.maximum(scores_of_output[place], 1)
    people = mean_rows(values, segment, weights)
    of_same_outputs = np.where(is_scored, machine, np.nan)
    return Predicted(
        people=people,
        judged=mean_rows(of_same_outputs, segment, weights),
        everywhere=mean_rows(everywhere, segments),
        sizes=is_scored.sum(axis=1).astype(np.float64),
        order=np.argsort(people.scores, kind="stable").astype(np.int64),
        judge=judge,
        document=document,
    )


def predicted_wins(
    blocks: Blocks,
    machine: FloatArray,
    *,
    segments: Int64Array,
    everywhere: FloatArray,
    document: Int64Array | None = None,
) -> Predicted:
    """Return Expected Wins of n systems, with the machine's of all segments.

    The machine compares the same outputs as each judge, and all outputs of all segments; only pairs of systems that it
    compares for judges count.

    Parameters
    ----------
    blocks : Blocks
        B judged blocks.
    machine : float64, shape (B, n)
        The machine's scores of the outputs of each block's segment; higher is better, NaN where missing.
    segments : int64, shape (S,)
        Segments that the machine scores.
    everywhere : float64, shape (S, n)
        Its scores of all outputs of these segments; NaN where missing.
    document : int64, shape (B + S,), optional
        Document of each block, and of each of `segments`.
    """
    n = len(blocks.systems)
    segment = blocks.segment.astype(np.int64)
    first, second = np.divmod(np.arange(n * n), n)
    # Which outputs the machine compares must not depend on the answers.
    shown = replace(blocks, best_worst=False)
    is_compared = shown.compares(first, second).reshape(-1, n, n)
    # The smaller label wins.
    won = is_compared & _is_ahead(-blocks.labels)
    won_by_machine = is_compared & _is_ahead(machine)
    is_met = won_by_machine.any(axis=0)
    is_met |= is_met.T
    wins = won.sum(axis=0, dtype=np.int64)
    return Predicted(
        people=win_rows(won, segment),
        judged=win_rows(won_by_machine, segment),
        everywhere=win_rows(_is_ahead(everywhere) & is_met, segments),
        sizes=won.sum(axis=(1, 2)).astype(np.float64),
        order=canonical_order(wins, np.zeros_like(wins)),
        judge=blocks.judge.astype(np.int64),
        document=document,
    )


def _is_ahead(values: FloatArray | Int8Array) -> BoolArray:
    """Return whether the first system's score is above the second's, shape (R, n, n); False without both."""
    return np.asarray(values[:, :, np.newaxis] > values[:, np.newaxis, :])


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
    known = values[:, is_scored]
    count = int(np.count_nonzero(is_judged))
    directions, sizes, _others = np.linalg.svd(known - known.mean(axis=0), full_matrices=False)
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


def predicted_scores(
    people: People, metric: Metric, documents: Mapping[int, int] | None = None
) -> Predicted:
    """Return the scores of systems by people, with a metric's on all segments that it scores.

    They are mean scores if people score outputs, and Expected Wins if they rank them.

    Parameters
    ----------
    people : People
    metric : Metric
        Over the same n systems.
    documents : mapping of int to int, optional
        Document of each segment. Segments without one count as documents of their own.
    """
    if people.blocks is not None:
        segment = people.blocks.segment.astype(np.int64)
        everywhere = _everywhere(segment, metric, documents)
        return predicted_wins(people.blocks, metric.of(segment), **everywhere)
    segment, judge, values = _human_scores(people)
    everywhere = _everywhere(segment, metric, documents)
    return predicted_means(values, metric.of(segment), segment, judge=judge, **everywhere)


class _Everywhere(TypedDict, total=False):
    segments: Int64Array
    everywhere: FloatArray
    document: Int64Array


def _everywhere(
    segment: Int64Array, metric: Metric, documents: Mapping[int, int] | None
) -> _Everywhere:
    """Return a metric's scores of all segments, and the documents of judgments of these segments and of all."""
    everywhere: _Everywhere = {"segments": metric.segments, "everywhere": metric.values}
    if documents is not None:
        numbers = np.concatenate([segment, metric.segments]).tolist()
        # Segments and documents are numbered from 0.
        own = [documents.get(number, -1 - number) for number in numbers]
        everywhere["document"] = np.unique(own, return_inverse=True)[1].astype(np.int64)
    return everywhere


def _human_scores(people: People) -> tuple[Int64Array, Int64Array | None, FloatArray]:
    """Return the segment and, if known, the judge of each row, and the scores by system, shape (R, n)."""
    ratings = people.ratings
    if ratings is None:
        return people.segments, None, people.values  # type: ignore[return-value]  # Only ranked outputs have none.
    own = ratings.by_judge(ratings.systems)
    return own.segment, own.judge, own.values

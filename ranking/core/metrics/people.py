"""Human judgments in the form that metrics are compared with: from rankings, or from scores of outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ranking.core.arrays import FloatArray, Int64Array, UInt64Array
from ranking.core.beside import ActiveTime, JudgedTask, ScoredTask, Unit, drawn_scores
from ranking.core.counting.resampling import segment_keys
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import counts_method_named
from ranking.core.metrics.evidence import ratios, resampled_means, resampled_p_values
from ranking.core.metrics.pairs import Pairs, pairs_of_blocks, pairs_of_scores
from ranking.core.scores import TIE_DECIMALS


class NothingComparedError(ValueError):
    """People compare no two systems."""


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """The human side of a comparison with metrics.

    Attributes
    ----------
    systems : tuple of str, length n
        Those with a score.
    segments : int64, shape (S,)
        Numbers of the judged segments, ascending.
    scores : float64, shape (n,)
        Of systems, higher is better.
    resampled : mapping of unit to float64, shape (R, n)
        The same in resamples of segments, of judges, and of what a judge judged of a segment.
    fewest_units : int
        Number of segments or of judges, whichever is smaller.
    pairs : Pairs
        Comparisons of outputs.
    values : float64, shape (S, n), or None
        Scores of outputs; None where people rank them.
    blocks : Blocks or None
        What was ranked; None where people score outputs.
    seed, resamples : int
        Those of `resampled`.
    """

    systems: tuple[str, ...]
    segments: Int64Array
    scores: FloatArray
    resampled: Mapping[Unit, FloatArray]
    fewest_units: int
    pairs: Pairs
    values: FloatArray | None
    blocks: Blocks | None = None
    seed: int
    resamples: int

    @property
    def keys(self) -> UInt64Array:
        """Keys of the segments, by which they are resampled."""
        return segment_keys(self.segments)

    def covariance(self) -> FloatArray:
        """Return the covariance of the scores over segments and judges, shape (n, n), as `beside.estimate` does for one figure."""
        over = {unit: _covariance(values) for unit, values in self.resampled.items()}
        total = over["segments"] + over["judges"] - over["cells"]
        most = np.maximum(np.diag(over["segments"]), np.diag(over["judges"]))
        return np.asarray(total + np.diag(np.maximum(0.0, most - np.diag(total))))

    def least_separated(self, confidence: float) -> FloatArray:
        """Return how far the scores of each pair must be apart for people to tell them apart, shape (n (n − 1) / 2,).

        Two-sided t-tests of each pair by itself, with a degree of freedom fewer than there are segments or judges.
        """
        covariance = self.covariance()
        first, second = np.triu_indices(len(self.systems), 1)
        variance = np.diag(covariance)
        of_difference = variance[first] + variance[second] - 2 * covariance[first, second]
        quantile = float(stdtrit(max(1, self.fewest_units - 1), (1 + confidence) / 2))
        reach = quantile * np.sqrt(np.maximum(0.0, of_difference))
        # Equal scores are never told apart.
        return np.maximum(10.0**-TIE_DECIMALS, reach)

    def p_values(self) -> FloatArray:
        """Return how often the first system of each pair is not better in resamples of segments, shape (n (n − 1) / 2,)."""
        return resampled_p_values(self.resampled["segments"])


def _covariance(values: FloatArray) -> FloatArray:
    return np.atleast_2d(np.cov(values[~np.isnan(values).any(axis=1)], rowvar=False))


def people_of_blocks(
    blocks: Blocks, method: str = "expected_wins", *, resamples: int = 1000, seed: int = 0
) -> People:
    """Return human preferences from judged blocks.

    Parameters
    ----------
    blocks : Blocks
        Without the reference, if it is not to be compared.
    method : str
        A method of the registry that scores counts.
    resamples, seed : int
        Weights of segments and judges are those of the human ranking with this seed.

    Raises
    ------
    NothingComparedError
        If no two systems are compared.
    """
    no_time = ActiveTime(np.zeros(0), np.zeros(0, dtype=np.int64), ())
    task = JudgedTask("people", blocks, no_time)
    if len(task.systems) < 2:
        raise NothingComparedError("no two systems are compared")
    drawn = drawn_scores(task, counts_method_named(method), resamples=resamples, seed=seed)
    known = np.flatnonzero(drawn.scores.estimable)
    if len(known) < 2:
        raise NothingComparedError("fewer than two systems have a score")
    names = tuple(drawn.systems[index] for index in known.tolist())
    compared = task.compared.without(set(drawn.systems) - set(names))
    return People(
        systems=names,
        segments=np.unique(blocks.segment).astype(np.int64),
        scores=drawn.scores.values[known],
        resampled={unit: each.values[:, known] for unit, each in drawn.resampled.items()},
        fewest_units=drawn.fewest_units,
        pairs=pairs_of_blocks(compared),
        values=None,
        blocks=compared,
        seed=seed,
        resamples=resamples,
    )


def people_of_ratings(task: ScoredTask, *, resamples: int = 1000, seed: int = 0) -> People:
    """Return human preferences from judges' scores of outputs; a segment's score of a system is the mean over its
    judges.
    """
    scores = task.scores
    segments, row = np.unique(scores.segment, return_inverse=True)
    cell = row * len(task.systems) + scores.system
    size = len(segments) * len(task.systems)
    count = np.bincount(cell, minlength=size)
    sums = np.bincount(cell, scores.score, size)
    values = ratios(sums, count)
    matrix = values.reshape(len(segments), len(task.systems))
    drawn = drawn_scores(task, counts_method_named("expected_wins"), resamples=resamples, seed=seed)
    return People(
        systems=task.systems,
        segments=segments.astype(np.int64),
        scores=drawn.scores.values,
        resampled={unit: each.values for unit, each in drawn.resampled.items()},
        fewest_units=drawn.fewest_units,
        pairs=pairs_of_scores(matrix),
        values=matrix,
        seed=seed,
        resamples=resamples,
    )


def people_of_scores(
    values: FloatArray,
    systems: Sequence[str],
    segments: Int64Array,
    *,
    of_systems: FloatArray | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> People:
    """Return human preferences from scores without judges, such as the human scores of an EvalSet folder.

    Parameters
    ----------
    values : float64, shape (S, n)
        Higher is better; NaN where people gave no score.
    systems : sequence of str
    segments : int64, shape (S,)
        Numbers of the segments.
    of_systems : float64, shape (n,), optional
        Scores of whole systems; the means over segments if not given, or where NaN.
    resamples, seed : int

    Raises
    ------
    NothingComparedError
        If fewer than two systems have a score.
    """
    known = ~np.isnan(values)
    kept, rows = np.flatnonzero(known.any(axis=0)), np.flatnonzero(known.any(axis=1))
    if len(kept) < 2:
        raise NothingComparedError("fewer than two systems have a score")
    scored, numbers = values[np.ix_(rows, kept)], segments[rows].astype(np.int64)
    means = np.nanmean(scored, axis=0)
    resampled = resampled_means(scored, segment_keys(numbers), resamples=resamples, seed=seed)
    scores = (
        means
        if of_systems is None
        else np.where(np.isnan(of_systems[kept]), means, of_systems[kept])
    )
    drawn = resampled + (scores - means)
    return People(
        systems=tuple(systems[index] for index in kept.tolist()),
        segments=numbers,
        scores=scores,
        # No judges are known, so that resamples of them change nothing.
        resampled={"segments": drawn, "judges": np.tile(scores, (resamples, 1)), "cells": drawn},
        fewest_units=len(rows),
        pairs=pairs_of_scores(scored),
        values=scored,
        seed=seed,
        resamples=resamples,
    )

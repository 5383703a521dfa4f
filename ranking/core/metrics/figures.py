"""Figures of agreement, from p-values of pairs of systems and from pairs of outputs of one segment.

Evidence against "system i is better than j" is a p-value: from flipping the signs of the differences of each segment (a paired
permutation test), or from resamples of the scores of systems.

People and metric put C pairs of outputs in the same order and D in opposite orders; T_h are tied
only by people, T_m only by the metric, T_hm by both. A metric ties outputs whose scores differ by
at most a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int8Array,
    Int32Array,
    Int64Array,
    UInt64Array,
    share,
)
from ranking.core.counting.counts import chunks, comparisons_of
from ranking.core.counting.resampling import (
    UNITS_AT_A_TIME,
    poisson_weights,
    uniform_numbers,
)
from ranking.core.estimates import Estimate, t_quantile, two_way_variance
from ranking.core.grouping import distinct_pairs
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty import variance_of_sum

#: With up to this many segments, all 2^S flips are enumerated instead of drawing random ones.
MOST_ENUMERATED = 12
#: Tolerance relative to the sum of absolute scores: sums of flipped scores that are closer count as
#: equal.
_EQUAL = 1e-11


#: Returns the weights of units by their keys.
Draw = Callable[..., npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Settings of random draws, and the confidence of intervals and tests.

    Attributes
    ----------
    resamples : int
        Number of resamples of each unit, of sign flips, and of swaps of metrics.
    seed : int
        Seed of the draws; weights are those of the human ranking with this seed.
    confidence : float
        Confidence of intervals and tests, between 0 and 1.
    """

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def quantile(self, units: int) -> float:
        """Return the quantile of Student's t for two-sided intervals, with units − 1 degrees of
        freedom.
        """
        degrees_of_freedom = max(1, units - 1)
        return float(t_quantile(self.confidence, degrees_of_freedom))


def pair_differences(scores: FloatArray) -> FloatArray:
    """Return the differences of the pairs of ``np.triu_indices(n, 1)``, shape (..., P), for scores of shape (..., n)."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.asarray(scores[..., first] - scores[..., second])


def resampled_sums(
    columns: FloatArray,
    keys: UInt64Array,
    drawing: Drawing,
    draw: Draw = poisson_weights,
) -> FloatArray:
    """Return sums over S segments with the weights of each draw, shape (R, K).

    Parameters
    ----------
    columns : float64, shape (S, K)
    keys : uint64, shape (S,)
        From `ranking.core.counting.resampling.segment_keys`, so that segments have the weights of the human ranking.
    drawing : Drawing
    draw : callable
        Returns the weights of some segments in all R draws, shape (s, R).
    """
    total = np.zeros((drawing.resamples, columns.shape[1]))
    for rows in chunks(len(columns), UNITS_AT_A_TIME):
        weights = _resampling_weights(
            draw,
            keys[rows].tobytes(),
            drawing.seed,
            drawing.resamples,
        )
        total += weights.astype(np.float64).T @ columns[rows]
    return total


@lru_cache(maxsize=16)  # All metrics see the same draws.
def _resampling_weights(
    draw: Draw,
    keys: bytes,
    seed: int,
    resamples: int,
) -> Int8Array:
    drawn = draw(np.frombuffer(keys, np.uint64), seed=seed, resamples=resamples)
    return drawn.astype(np.int8, copy=False)


def resampled_means(
    values: FloatArray,
    keys: UInt64Array,
    drawing: Drawing,
) -> FloatArray:
    """Return means over segments in bootstrap resamples of segments, shape (R, K).

    `values`, shape (S, K), are scores of segments, NaN where there is none. The result is NaN where
    a resample has no score.
    """
    is_known = ~np.isnan(values)
    scores = np.where(is_known, values, 0.0)
    columns = np.concatenate([scores, is_known], axis=1)
    sums = resampled_sums(columns, keys, drawing)
    totals, counts = np.split(sums, 2, axis=1)
    return share(totals, counts)


def flipped_p_values(
    scores: FloatArray,
    keys: UInt64Array,
    drawing: Drawing,
) -> FloatArray:
    """Return p-values of the paired permutation test for each pair of systems.

    p is the share of sign flips of the segments' differences whose sum is at least the observed one, equal ones counted in full
    (Thompson et al. 2024, as in WMT24 and WMT25). Systems with the same score in every segment have p = 1/2, whichever is the
    first. With at most `MOST_ENUMERATED` segments, all flips are tried, and p is exact.

    Parameters
    ----------
    scores : float64, shape (S, n)
        Higher is better; NaN where there is none. A pair is compared on the segments on which both
        have a score.
    keys : uint64, shape (S,)
        Keys of the segments; flips depend only on key and seed.
    drawing : Drawing

    Returns
    -------
    float64, shape (n (n − 1) / 2,)
        p-values of "the first is better than the second" for the pairs of ``np.triu_indices(n, 1)``;
        NaN for pairs without common segments.

    References
    ----------
    B. Thompson, N. Mathur, D. Deutsch, H. Khayrallah (2024), Improving Statistical Significance in Human Evaluation of
    Automatic Metrics via Soft Pairwise Accuracy, WMT.
    """
    difference = pair_differences(scores)
    filled = np.nan_to_num(difference)
    tolerance = _EQUAL * np.abs(filled).sum(axis=0)
    least = filled.sum(axis=0) - tolerance
    if len(keys) > MOST_ENUMERATED and not np.isnan(scores).any():
        # There are fewer systems than pairs.
        flipped = pair_differences(flipped_sums(scores, keys, drawing))
    else:
        flipped = flipped_sums(filled, keys, drawing)
    p = (flipped >= least).mean(axis=0)
    p[~filled.any(axis=0)] = 0.5
    is_unknown = np.isnan(difference).all(axis=0)
    return np.where(is_unknown, np.nan, p)


def flipped_sums(
    columns: FloatArray,
    keys: UInt64Array,
    drawing: Drawing,
) -> FloatArray:
    """Return sums over segments with random signs, shape (R, K); with few segments, all 2^S sign
    combinations.

    `columns` have shape (S, K), and `keys` shape (S,).
    """
    segments = len(keys)
    if segments > MOST_ENUMERATED:
        return resampled_sums(columns, keys, drawing, _signs)
    combinations = list(product((1.0, -1.0), repeat=segments))
    signs = np.array(combinations).reshape(2**segments, segments)
    return np.asarray(signs @ columns)


def _signs(keys: UInt64Array, *, seed: int, resamples: int) -> Int8Array:
    numbers = uniform_numbers(keys, seed=seed, resamples=resamples)
    return np.where(numbers < 0.5, np.int8(1), np.int8(-1))


def resampled_p_values(resampled: FloatArray) -> FloatArray:
    """Return the share of resamples in which the first system of each pair is not better; ties count half.

    Parameters
    ----------
    resampled : float64, shape (R, n)
        Scores of systems in resamples; resamples with NaN for a pair are left out.

    Returns
    -------
    float64, shape (n (n − 1) / 2,)
        NaN for a pair without resamples, and if all resamples are the same.
    """
    difference = pair_differences(resampled)
    draws = np.count_nonzero(~np.isnan(difference), axis=0)
    varies = np.ptp(resampled, axis=0).any()
    lost = np.count_nonzero(difference < 0, axis=0)
    tied = np.count_nonzero(difference == 0, axis=0)
    return share(lost + tied / 2, draws * varies)


def difference_spread(resampled: FloatArray) -> FloatArray:
    """Return the standard deviation of the difference of each pair of systems over resamples, shape (P,)."""
    return np.asarray(np.nanstd(pair_differences(resampled), axis=0))


def normal_p_values(scores: FloatArray, spread: FloatArray) -> FloatArray:
    """Return p-values from the normal distribution, shape (..., P), for scores of shape (..., n) and `spread` as above."""
    ahead = pair_differences(scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(ahead == 0, 0.0, ahead / spread)
    return np.asarray(ndtr(-z))


def soft_pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return 1 − mean |p_human − p_metric| over pairs, shape (...); pairs without a p-value are
    left out.

    Parameters
    ----------
    human, metric : float64, shape (..., P)
        p-values of the same pairs in the same direction.
    """
    with np.errstate(invalid="ignore"):
        distance = np.abs(human - metric)
    total = np.nansum(distance, axis=-1)
    pairs = np.count_nonzero(~np.isnan(distance), axis=-1)
    return np.asarray(1 - share(total, pairs))


IntpArray = npt.NDArray[np.intp]

#: Accuracies closer than this are equal up to rounding.
_SAME = 1e-12
#: Maximum number of thresholds tried on other folds: if there are more, their quantiles are used.
_MOST_TRIED = 2000


@dataclass(frozen=True, eq=False)
class Pairs:
    """P comparisons of two outputs by people.

    Attributes
    ----------
    row : int32, shape (P,)
        Row of the segment among the S that people judged.
    first, second : int32, shape (P,)
        Indices of the systems.
    human : int8, shape (P,)
        1 if people prefer the first, −1 if the second, 0 for a tie.
    judge : int32, shape (P,), or None
        The judge of each comparison; None if scores name no judges.
    by_segment : bool
        True if segments weigh equally, as for scores; False if comparisons do, as for rankings.
    """

    row: Int32Array
    first: Int32Array
    second: Int32Array
    human: Int8Array
    judge: Int32Array | None
    by_segment: bool

    def __len__(self) -> int:
        """Return the number of comparisons."""
        return len(self.row)

    @property
    def kinds(self) -> tuple[Int32Array, ...]:
        """The segment of each comparison and, if known, its judge: the units that intervals treat as random."""
        if self.judge is None:
            return (self.row,)
        return (self.row, self.judge)

    def take(self, chosen: BoolArray | Int64Array) -> Pairs:
        """Return some of the comparisons."""
        judge = self.judge
        if judge is not None:
            judge = judge[chosen]
        return replace(
            self,
            row=self.row[chosen],
            first=self.first[chosen],
            second=self.second[chosen],
            human=self.human[chosen],
            judge=judge,
        )

    def differences(self, values: FloatArray) -> FloatArray:
        """Return the metric's score of the first output minus the second's, shape (P,); NaN without
        both scores.

        `values` are the metric's scores of the S segments and n systems, higher is better.
        """
        first = values[self.row, self.first]
        second = values[self.row, self.second]
        return np.asarray(first - second)

    def accuracy(self, right: BoolArray | FloatArray) -> Figure:
        """Return the share of comparisons that are right."""
        return Figure.of_sums(self.weights * right, self.weights, self.kinds)

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of each comparison in a mean, shape (P,); they add up to 1."""
        if not self.by_segment:
            return np.full(len(self), 1 / max(1, len(self)))
        count = np.bincount(self.row)
        segments = np.count_nonzero(count)
        return np.asarray(1 / (count[self.row] * segments))


def pairs_of_scores(values: FloatArray) -> Pairs:
    """Return all pairs of outputs of a segment with human scores `values`, shape (S, n), NaN where
    missing.
    """
    first, second = np.triu_indices(values.shape[1], 1)
    difference = pair_differences(values)
    row, pair = np.nonzero(~np.isnan(difference))
    human = np.sign(difference[row, pair])
    return Pairs(
        row=row.astype(np.int32),
        first=first[pair].astype(np.int32),
        second=second[pair].astype(np.int32),
        human=human.astype(np.int8),
        judge=None,
        by_segment=True,
    )


def pairs_of_blocks(blocks: Blocks) -> Pairs:
    """Return the comparisons of judged blocks; rows are those of the segments in ascending order."""
    comparisons = comparisons_of(blocks)
    _segments, row = np.unique(blocks.segment, return_inverse=True)
    return Pairs(
        row=row[comparisons.block].astype(np.int32),
        first=comparisons.first.astype(np.int32),
        second=comparisons.second.astype(np.int32),
        human=comparisons.outcome.astype(np.int8),
        judge=comparisons.judge.astype(np.int32),
        by_segment=False,
    )


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure, and the influence of each of P items on it.

    Attributes
    ----------
    value : float
    influence : float64, shape (P,)
        Influence of each item on the figure, with a sum of 0.
    kinds : sequence of int, shape (P,)
        The segment of each item and, if known, its judge.
    of_judge : float64, shape (P,), or None
        Influence of the item's judge through it, if this is not that of the item.
    """

    value: float
    influence: FloatArray
    kinds: Sequence[npt.NDArray[np.integer]]
    of_judge: FloatArray | None = None

    @classmethod
    def of_sums(
        cls,
        over: FloatArray,
        under: FloatArray,
        kinds: Sequence[npt.NDArray[np.integer]],
    ) -> Figure:
        """Return the ratio of two sums over items, such as a weighted mean; NaN if the denominator
        is 0.
        """
        total = float(under.sum()) or np.nan
        value = float(over.sum()) / total
        influence = (over - value * under) / total
        return cls(value, np.asarray(influence), kinds)

    def estimate(
        self,
        drawing: Drawing,
        *,
        least: float = -1.0,
        most: float = 1.0,
    ) -> Estimate:
        """Return the figure with its interval, using the variance and quantile of
        `ranking.core.estimates.estimate`.

        `least` and `most` are limits of the interval.
        """
        fewest = min(len(np.unique(kind)) for kind in self.kinds)
        variance = self._variance()
        if fewest < 2 or variance == 0:
            return Estimate(self.value, None, None)
        reach = drawing.quantile(fewest) * sqrt(variance)
        return Estimate(
            value=self.value,
            low=max(least, self.value - reach),
            high=min(most, self.value + reach),
        )

    def minus(self, other: Figure) -> Figure:
        """Return the difference of two figures, whose items may differ; their segments and judges are the same."""
        kinds = []
        for own_kind, other_kind in zip(self.kinds, other.kinds, strict=True):
            kinds.append(np.concatenate([own_kind, other_kind]))
        return Figure(
            value=self.value - other.value,
            influence=np.concatenate([self.influence, -other.influence]),
            kinds=kinds,
            of_judge=np.concatenate([self._through_judge, -other._through_judge]),
        )

    @property
    def _through_judge(self) -> FloatArray:
        """Influence of the judge of each item."""
        if self.of_judge is None:
            return self.influence
        return self.of_judge

    def _variance(self) -> float:
        """Return the variance over segments or, if judges are known, over segments and judges."""
        segment = self.kinds[0]
        over_segments = variance_of_sum(self.influence, segment)
        if len(self.kinds) == 1:
            return over_segments
        judge = self.kinds[1]
        judge_influence = self._through_judge
        cell = distinct_pairs(segment, judge).inverse
        return two_way_variance(
            segments=over_segments,
            judges=variance_of_sum(judge_influence, judge),
            cells=variance_of_sum(judge_influence, cell),
        )


def taus(pairs: Pairs, difference: FloatArray) -> dict[str, Figure]:
    """Return Kendall's τ over pairs as defined by three WMT metrics tasks; pairs tied by people are
    left out.

    A pair that the metric ties counts as wrongly ordered (WMT12), is left out (WMT13), or counts
    only in the denominator (WMT14). `difference`, shape (P,), has the differences of the metric's
    scores.
    """
    decided = (pairs.human != 0).astype(np.float64)
    agreement = np.asarray(pairs.human * np.sign(difference), dtype=np.float64)
    tied = (difference == 0) * decided
    kinds = pairs.kinds
    return {
        "tau_wmt12": Figure.of_sums(agreement - tied, decided, kinds),
        "tau_wmt13": Figure.of_sums(agreement, decided - tied, kinds),
        "tau_wmt14": Figure.of_sums(agreement, decided, kinds),
    }


def tau_by_segment(pairs: Pairs, difference: FloatArray) -> dict[str, Figure]:
    """Return the mean of Kendall's τ_b over segments, except those on which people or the metric
    tie all outputs.
    """
    sign = np.sign(difference)
    concordance = np.bincount(pairs.row, pairs.human * sign)
    decided_by_people = np.bincount(pairs.row, pairs.human != 0)
    decided_by_metric = np.bincount(pairs.row, sign != 0)
    scale = np.sqrt(decided_by_people * decided_by_metric)
    tau_b = share(concordance, scale)
    rows = np.flatnonzero(~np.isnan(tau_b))
    equal_weights = np.ones(len(rows))
    figure = Figure.of_sums(tau_b[rows], equal_weights, (rows,))
    if pairs.judge is not None:
        figure = _with_pair_influence(figure, pairs, sign, tau_b)
    return {"kendall_by_segment": figure}


def _with_pair_influence(
    figure: Figure,
    pairs: Pairs,
    sign: FloatArray,
    tau_b: FloatArray,
) -> Figure:
    """Return a mean of Kendall's τ_b over segments with the influence of each pair of outputs instead of each segment.

    A pair's part of its segment's τ_b is its part of C − D; its part of the segment's weight is the mean of those of the pairs
    that are decided by people and by the metric.

    Parameters
    ----------
    figure : Figure
        With influences of segments.
    pairs : Pairs
        The P pairs of outputs, with judges.
    sign : float64, shape (P,)
        Signs of the differences by the metric.
    tau_b : float64, shape (S,)
        NaN for a segment that is left out.
    """
    by_people = (pairs.human != 0).astype(np.float64)
    by_metric = (sign != 0).astype(np.float64)
    # Pairs of the segment that are decided by people, and by the metric.
    all_by_people = np.bincount(pairs.row, by_people)[pairs.row]
    all_by_metric = np.bincount(pairs.row, by_metric)[pairs.row]
    scale = np.sqrt(all_by_people * all_by_metric)
    part = share(pairs.human * sign, scale)
    weight = (share(by_people, all_by_people) + share(by_metric, all_by_metric)) / 2
    influence = (part - figure.value * weight) / len(figure.influence)
    is_left_out = np.isnan(tau_b)[pairs.row]
    influence[is_left_out] = 0.0
    return Figure(figure.value, influence, pairs.kinds)


class _TieGains(NamedTuple):
    """The effect of becoming a tie on each of P pairs, each of shape (P,).

    Attributes
    ----------
    size : float64
        Absolute difference of the metric's scores.
    gain : int8
        Change of correctness once the pair is a tie.
    right : bool
        Whether the pair is right if it is not a tie.
    """

    size: FloatArray
    gain: Int8Array
    right: BoolArray


def _tie_gains(human: Int8Array, difference: FloatArray) -> _TieGains:
    right = np.sign(difference) == human
    right_as_tie = (human == 0).astype(np.int8)
    return _TieGains(
        size=np.abs(difference),
        gain=right_as_tie - right,
        right=right,
    )


def is_right(human: Int8Array, difference: FloatArray, threshold: float) -> BoolArray:
    """Return whether a metric orders or ties each pair as people do, shape (P,); differences up to
    the threshold are ties.
    """
    tied = np.abs(difference) <= threshold
    is_right_if_decided = np.sign(difference) == human
    return np.asarray(np.where(tied, human == 0, is_right_if_decided))


def calibrated(
    pairs: Pairs,
    difference: FloatArray,
    order: IntpArray,
) -> tuple[float, float]:
    """Return the best threshold for ties, and acc_eq with it, on these pairs (Deutsch et al. 2023).

    acc_eq = (C + T_hm) / (C + D + T_h + T_m + T_hm), averaged over groups. All occurring
    differences and 0 are tried; the smallest of the best thresholds is used. Accuracies are summed
    pair by pair, as in the shared task's scorer, so that rounding selects the same threshold among
    equally good ones.

    Parameters
    ----------
    pairs : Pairs
    difference : float64, shape (P,)
        Differences of the metric's scores.
    order : int, shape (P,)
        Indices of the pairs, sorted by the size of their differences.

    References
    ----------
    D. Deutsch, G. Foster, M. Freitag (2023), Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie
    Calibration, EMNLP.
    """
    gains = _tie_gains(pairs.human, difference)
    # Groups are segments, or one for all comparisons.
    if pairs.by_segment:
        group = pairs.row
    else:
        group = np.zeros_like(pairs.row)
    accuracies = _accuracies(gains, group, order)
    # Among equal differences, the last one counts, after all of them have become ties.
    ordered = gains.size[order]
    has_equal_next = np.append(0.0, ordered[:-1]) == ordered
    accuracies[:-1][has_equal_next] = -np.inf
    best = int(np.argmax(accuracies))
    accuracy = float(accuracies[best])
    if best == 0:
        return 0.0, accuracy
    return float(ordered[best - 1]), accuracy


def _accuracies(gains: _TieGains, group: Int32Array, order: IntpArray) -> FloatArray:
    """Return the mean accuracy of groups after each pair, in this order, has become a tie, shape (1 + P,)."""
    # Small integers are sorted several times faster.
    group = group.astype(np.min_scalar_type(group.max()))
    members = np.bincount(group)
    right_at_first = np.bincount(group, gains.right)

    # Number of right pairs in a pair's group once the pair is a tie: those at first, and the gains
    # of the group's pairs up to this one. Pairs are taken group by group, each group in order.
    group_in_order = group[order]
    by_group = order[np.argsort(group_in_order, kind="stable")]
    gain_up_to_pair = np.cumsum(gains.gain[by_group])
    gain_up_to_group = np.cumsum(np.bincount(group, gains.gain))
    gain_of_earlier_groups = np.append(0, gain_up_to_group)[:-1]
    right_after = np.empty(len(order))
    right_after[by_group] = gain_up_to_pair
    right_after[by_group] += np.repeat(right_at_first - gain_of_earlier_groups, members)

    # Sum of the groups' accuracies: each pair subtracts its group's old one and adds the new one.
    right_after = right_after[order]
    right_before = right_after - gains.gain[order]
    size_of_group = members[group_in_order]
    has_pairs = members > 0
    accuracy_at_first = right_at_first[has_pairs] / members[has_pairs]
    steps = np.empty(2 * len(order) + 1)
    steps[0] = sum(accuracy_at_first.tolist())
    steps[1::2] = -(right_before / size_of_group)
    steps[2::2] = right_after / size_of_group
    sums_of_accuracies = np.cumsum(steps, out=steps)[::2]
    return sums_of_accuracies / np.count_nonzero(has_pairs)


def right_on_folds(
    pairs: Pairs,
    difference: FloatArray,
    fold: Int64Array,
    order: IntpArray,
) -> FloatArray:
    """Return whether each pair is right with the threshold that is best on the other folds, shape
    (P,).

    Parameters
    ----------
    pairs, difference, order
        As for `calibrated`.
    fold : int64, shape (P,)
        Fold of each pair's segment, from 0.

    Returns
    -------
    float64, shape (P,)
        1 or 0. At most 2,000 thresholds are tried, using quantiles of the differences if there are
        more.
    """
    gains = _tie_gains(pairs.human, difference)
    ordered = gains.size[order]
    candidates = _candidate_thresholds(ordered)
    count = len(candidates)
    folds = int(fold.max(initial=0)) + 1
    candidate = np.searchsorted(candidates, ordered)
    cell = fold[order] * count + candidate
    weighted_gain = (gains.gain * pairs.weights)[order]
    within = np.bincount(cell, weighted_gain, folds * count)
    # A difference of 0 gains nothing, so the first threshold changes nothing.
    gained = np.cumsum(within.reshape(folds, count), axis=1)
    elsewhere = gained.sum(axis=0) - gained
    highest = elsewhere.max(axis=1, keepdims=True)
    best = (elsewhere >= highest - _SAME).argmax(axis=1)
    threshold = candidates[best][fold]
    is_tie = gains.size <= threshold
    right = np.where(is_tie, pairs.human == 0, gains.right)
    return right.astype(np.float64)


def _candidate_thresholds(ordered: FloatArray) -> FloatArray:
    """Return 0 and the ascending different sizes, or their quantiles if there are too many."""
    next_is_larger = ordered[1:] > ordered[:-1]
    is_last = np.append(next_is_larger, True)
    candidates = ordered[is_last]
    if len(candidates) > _MOST_TRIED:
        positions = np.linspace(0, len(candidates) - 1, _MOST_TRIED).round()
        candidates = candidates[positions.astype(np.int64)]
    if candidates[0] > 0:
        return np.append(0.0, candidates)
    return np.asarray(candidates)

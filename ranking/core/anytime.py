"""Anytime-valid rank ranges, and evidence that may be examined at any time.

An ordinary range is correct with a probability of 95% at one moment chosen in advance; looking
repeatedly and stopping at the first difference is wrong far more often. Here, the evidence that two
systems differ is a likelihood ratio whose probability of ever reaching c is at most 1/c if they are
equal (Ville's inequality; Robbins 1970). For all pairs together, it must reach (number of pairs) /
α, by Bonferroni's inequality. Ranges depend only on the current judgments, not on their order.

For campaigns, the variance is estimated over segments and judges, so this is shown by simulation,
not proved: see docs/statistics/looking-every-day.md. `separated` is for independent comparisons,
for which it is proved; in a campaign, comparisons are dependent because segments are judged several
times and judges have preferences.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import numpy as np
from scipy.special import betaln, xlog1py, xlogy

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int64Array,
    as_column,
    off_diagonal,
)
from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import Moments, effective_units_by_system
from ranking.core.methods.shares import expected_wins, expected_wins_influence
from ranking.core.ranges import RankRanges, ranges_of_better
from ranking.core.scores import Scores
from ranking.core.uncertainty import clustered_covariances
from ranking.core.words import confidence_check

#: Standard deviation τ of the differences of Expected Wins in the mixture. Differences of about
#: this size are detected soonest; the error probability does not depend on it.
MIXTURE = 0.1


def log_evidence(
    difference: FloatArray,
    variance: FloatArray,
    degrees_of_freedom: FloatArray,
) -> FloatArray:
    """Return the logarithm of the evidence E against a difference of 0.

    E is the ratio of two likelihoods of an estimated difference d: mixed over normally distributed
    differences with standard deviation τ, and under no difference. With the variance V of d and its
    ν degrees of freedom,

        E = √r · ((1 + t²/ν) / (1 + r t²/ν))^((ν + 1)/2),    t² = d² / V,    r = V / (V + τ²)

    If V were known (ν = ∞) and the estimate were a random walk with time 1/V, E would be a
    martingale that starts at 1 (Robbins 1970; asymptotically for means and similar estimates,
    Waudby-Smith et al. 2024). For the mean of independent normal draws, with τ a multiple of their
    standard deviation, the formula is that of the sequential t-test, and E is exactly a martingale
    (Gönen et al. 2005; Lindon et al. 2022; Wang & Ramdas 2024).

    Parameters
    ----------
    difference : float64
    variance : float64
        Variance of the difference, positive.
    degrees_of_freedom : float64
        Degrees of freedom of the variance.

    Returns
    -------
    float64
        ln E, of the shape to which the arguments broadcast.

    References
    ----------
    H. Robbins (1970), Statistical Methods Related to the Law of the Iterated Logarithm, Ann. Math. Stat. 41. M. Gönen, W. O.
    Johnson, Y. Lu, P. H. Westfall (2005), The Bayesian Two-Sample t Test, The American Statistician 59. M. Lindon, D. W. Ham, M.
    Tingley, I. Bojinov (2022), Anytime-Valid Inference in Linear Models, arXiv 2210.08589. H. Wang, A. Ramdas (2024), Anytime-valid
    t-tests and Confidence Sequences for Gaussian Means with Unknown Variance, arXiv 2310.03722. I. Waudby-Smith, D. Arbour, R. Sinha,
    E. H. Kennedy, A. Ramdas (2024), Time-uniform Central Limit Theory and Asymptotic Confidence Sequences, Ann. Stat. 52.
    """
    ratio = variance / (variance + MIXTURE**2)
    square = difference**2 / (variance * degrees_of_freedom)
    grown = np.log1p(square) - np.log1p(ratio * square)
    power = (degrees_of_freedom + 1) / 2
    return np.asarray(np.log(ratio) / 2 + power * grown)


def half_width(
    variance: FloatArray,
    degrees_of_freedom: FloatArray,
    *,
    level: float,
) -> FloatArray:
    """Return the distance of an estimate from a difference at which the evidence against it is 1 /
    `level`.

    Parameters
    ----------
    variance, degrees_of_freedom : float64, of one shape
        As for `log_evidence`.
    level : float
        Between 0 and 1.

    Returns
    -------
    float64, of that shape
        Infinite where no distance is enough, because evidence is bounded with few degrees of
        freedom.
    """
    ratio = variance / (variance + MIXTURE**2)
    log_of_both = 2 * np.log(level) + np.log(ratio)
    log_needed = -log_of_both / (degrees_of_freedom + 1)
    needed = np.exp(log_needed)
    bounded = needed * ratio >= 1
    rest = np.where(bounded, 1.0, 1 - needed * ratio)
    square = degrees_of_freedom * (needed - 1) / rest
    return np.where(bounded, np.inf, np.sqrt(square * variance))


#: Degrees of freedom of the pooled estimate, in multiples of those of one pair; at most the number
#: of systems minus one. With more, there is no safety margin in simulations with dissimilar
#: systems.
MAX_POOLED = 4


def scores_and_influence(moments: Moments, systems: int) -> tuple[Scores, FloatArray]:
    """Return Expected Wins of all systems, and the influence of one more win on each score.

    Parameters
    ----------
    moments : Moments
        In the layout ``Layout(systems)``.
    systems : int
        n.

    Returns
    -------
    Scores of shape (n,), float64 of shape (n, k)
    """
    layout = Layout(systems)
    wins = layout.unpack(moments.cells).wins
    return expected_wins(wins), expected_wins_influence(wins)[:, layout.used]


def difference_variances(
    moments: Moments,
    influence: FloatArray,
    *,
    segments: FloatArray,
    judges: FloatArray,
    ready: BoolArray,
) -> tuple[FloatArray, FloatArray]:
    """Estimate the variances of the differences between scores.

    The variance of a difference is the two-way variance of `ranking.core.uncertainty`, with two
    changes, because repeated looks are likely to include one at which it is too small. First, it is
    never below the variance over segments, over judges, or over blocks alone. Second, with few
    judges, the variance between judges is itself uncertain, so it is also estimated from all pairs
    of systems together, as a multiple of their variance over blocks (the "design effect", Rao &
    Scott 1981), and the larger of the two estimates is used: pairs on which judges disagree more
    keep their own estimate.

    Parameters
    ----------
    moments : Moments
    influence : float64, shape (n, k)
        See `scores_and_influence`.
    segments, judges : float64, shape (n,)
    ready : bool, shape (n,)
        Systems whose differences to estimate; their effective numbers must exceed 1.

    Returns
    -------
    float64, float64, of shape (n, n)
        The variances, symmetric, and their degrees of freedom; NaN where not estimated.

    References
    ----------
    J. N. K. Rao, A. J. Scott (1981), The Analysis of Categorical Data from Complex Sample Surveys,
    JASA 76. F. E. Satterthwaite (1946), An Approximate Distribution of Estimates of Variance
    Components, Biometrics Bulletin 2. L. Kish (1965), Survey Sampling.
    """
    n = len(ready)
    pair = as_column(ready) & ready & off_diagonal(n)
    degrees_of_freedom = np.full((n, n), np.nan)
    if not pair.any():
        return np.full((n, n), np.nan), degrees_of_freedom
    blocks, by_segments, by_judges = clustered_covariances(moments, influence)
    block_variances = _pair_variances(blocks.matrix)
    segment_variances = _pair_variances(by_segments.matrix)
    judge_variances = _pair_variances(by_judges.matrix)
    two_way = segment_variances + judge_variances - block_variances
    own = np.maximum.reduce(
        [segment_variances, judge_variances, block_variances, two_way],
    )
    mean = float(own[pair].mean())
    mean_over_blocks = float(block_variances[pair].mean())
    design_effect = mean / mean_over_blocks
    pooled = design_effect * block_variances
    uncertain = np.zeros((n, n))
    for part, units in ((segment_variances, segments), (judge_variances, judges)):
        ready_units = np.where(ready, units, np.inf)
        freedom = np.minimum.outer(ready_units, ready_units) - 1
        relative = float(part[pair].mean()) / mean
        uncertain += relative**2 / freedom
    pools = min(int(np.count_nonzero(ready)) - 1, MAX_POOLED)
    np.divide(pools, uncertain, out=degrees_of_freedom, where=pair)
    variances = np.where(pair, np.maximum(own, pooled), np.nan)
    return variances, degrees_of_freedom


def _pair_variances(covariance: FloatArray) -> FloatArray:
    own = np.diag(covariance)
    return as_column(own) + own - 2 * covariance


#: Effective number of units below which their variance is not trusted: five judges or ten segments
#: of about equal size.
MIN_JUDGES = 4.5
MIN_SEGMENTS = 9.5


class Refusal(StrEnum):
    """Reason why a system is not distinguished from any other; callers put the code into words."""

    NO_COMPARISON = "no_comparison"
    """The system was compared with no other, or all its comparisons are ties."""

    FEW_JUDGES = "few_judges"
    """Fewer than five judges share its comparisons, too few to estimate how much judges differ."""

    FEW_SEGMENTS = "few_segments"
    """Fewer than ten segments (or documents, if they are known) share its comparisons."""

    OTHER_OPPONENTS = "other_opponents"
    """No other system was compared with the same opponents, so scores are not comparable."""

    ALONE = "alone"
    """No other system has enough judges and segments."""


@dataclass(frozen=True, eq=False)
class AnytimeRanges:
    """Rank ranges and differences of n systems that hold at any time.

    Attributes
    ----------
    systems : tuple of str, length n
    confidence : float
        Probability that all ranges and differences, at this look and all others, are correct.
    scores : Scores of shape (n,)
        Expected Wins.
    ranges : RankRanges
        Ranges of the n systems by Expected Wins; 1 … n for a system with a refusal.
    above : bool, shape (n, n)
        ``above[a, b]`` if a is better than b.
    low, high : float64, shape (n, n)
        Interval of the score of the first system minus that of the second; −1 … 1 where it cannot
        be estimated. The intervals are simultaneous.
    log_evidence : float64, shape (n, n)
        ln E against a difference of 0, for each pair separately; 0 where it cannot be estimated.
    segments, judges : float64, shape (n,)
        Effective numbers of segments (or documents) and of judges for each system.
    refusals : mapping from a system's name to a tuple of Refusal
        Reasons why a system cannot be distinguished from any other; other systems are left out.
    """

    systems: tuple[str, ...]
    confidence: float
    scores: Scores
    ranges: RankRanges
    above: BoolArray
    low: FloatArray
    high: FloatArray
    log_evidence: FloatArray
    segments: FloatArray
    judges: FloatArray
    refusals: Mapping[str, tuple[Refusal, ...]]

    @property
    def refused(self) -> tuple[Refusal, ...]:
        """Reasons why no systems can be distinguished, most frequent first; empty if some can."""
        if len(self.refusals) < len(self.systems):
            return ()
        counts = Counter(chain.from_iterable(self.refusals.values()))
        reasons = [reason for reason in Refusal if reason in counts]
        return tuple(sorted(reasons, key=counts.__getitem__, reverse=True))


def anytime_ranges_of_moments(
    moments: Moments,
    systems: tuple[str, ...],
    *,
    confidence: float = 0.95,
    all_systems: int | None = None,
) -> AnytimeRanges:
    """Return rank ranges that hold simultaneously for all systems and at all looks.

    Segments (or documents) and judges are treated as independent samples from populations, and
    systems are ranked by their Expected Wins in these populations. The probability of ever claiming
    a difference that does not exist, or has the opposite direction, is at most about ``1 −
    confidence``.

    Parameters
    ----------
    moments : Moments
        In the layout ``Layout(n)``; by documents if they are known, even if there are few.
    systems : tuple of str, length n
    confidence : float
        Between 0 and 1.
    all_systems : int, optional
        Number of systems, including those that `systems` leaves out because they have no score yet; n if not given.

    Returns
    -------
    AnytimeRanges

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    confidence_check(confidence)
    n = len(systems)
    if all_systems is None:
        all_systems = n
    layout = Layout(n)
    scores, influence = scores_and_influence(moments, n)
    segments = effective_units_by_system(moments, layout, "segments")
    judges = effective_units_by_system(moments, layout, "judges")
    enough = (segments >= MIN_SEGMENTS) & (judges >= MIN_JUDGES) & scores.estimable
    variance, degrees_of_freedom = difference_variances(
        moments,
        influence,
        segments=segments,
        judges=judges,
        ready=enough,
    )
    wins = layout.unpack(moments.cells).wins
    comparable = _same_opponents(wins) & ~np.isnan(variance)
    values = np.where(scores.estimable, scores.values, 0.0)
    difference = as_column(values) - values
    # All pairs count, including those of systems without a score or refused now, which may be
    # distinguished later: each pair's share of the error must be the same at all looks.
    level = (1 - confidence) / number_of_pairs(all_systems)
    variance = np.where(comparable, variance, 1.0)
    degrees_of_freedom = np.where(comparable, degrees_of_freedom, 1.0)
    width = half_width(variance, degrees_of_freedom, level=level)
    width = np.where(comparable, width, np.inf)
    evidence = log_evidence(difference, variance, degrees_of_freedom)
    above: BoolArray = difference > width
    return AnytimeRanges(
        systems=systems,
        confidence=confidence,
        scores=scores,
        ranges=ranges_of_better(above),
        above=above,
        low=np.maximum(-1.0, difference - width),
        high=np.minimum(1.0, difference + width),
        log_evidence=np.where(comparable, evidence, 0.0),
        segments=segments,
        judges=judges,
        refusals=_refusals(systems, scores, segments, judges, enough, comparable),
    )


def number_of_pairs(systems: int) -> int:
    """Return the number of pairs of systems among which the error is split, at least 1."""
    return max(1, systems * (systems - 1) // 2)


def _same_opponents(wins: Int64Array) -> BoolArray:
    """Return, for each pair of systems, whether they met the same other systems."""
    apart = off_diagonal(len(wins))
    met = ((wins + wins.T) > 0) & apart
    opponents = met.astype(np.int64)
    others = (~met).astype(np.int64)
    differing = opponents @ others + others @ opponents
    # Two systems that met have each other, but not themselves, as an opponent: that is not a
    # difference.
    same: BoolArray = (differing == 2 * met) & apart
    return same


def _refusals(
    systems: tuple[str, ...],
    scores: Scores,
    segments: FloatArray,
    judges: FloatArray,
    enough: BoolArray,
    comparable: BoolArray,
) -> dict[str, tuple[Refusal, ...]]:
    alone = np.count_nonzero(enough) == 1
    refusals: dict[str, tuple[Refusal, ...]] = {}
    for index in np.flatnonzero(~comparable.any(axis=1)).tolist():
        reasons = []
        if not scores.estimable[index]:
            reasons.append(Refusal.NO_COMPARISON)
        else:
            if judges[index] < MIN_JUDGES:
                reasons.append(Refusal.FEW_JUDGES)
            if segments[index] < MIN_SEGMENTS:
                reasons.append(Refusal.FEW_SEGMENTS)
        if not reasons and alone:
            reasons.append(Refusal.ALONE)
        elif not reasons:
            reasons.append(Refusal.OTHER_OPPONENTS)
        refusals[systems[index]] = tuple(reasons)
    return refusals


#: The parameter a of the mixture: Jeffreys' prior, which suits many sample sizes.
_RATE_MIXTURE = 0.5


def log_evidence_of_rate(
    wins: Int64Array,
    losses: Int64Array,
    rate: float | FloatArray = 0.5,
) -> FloatArray:
    """Return the logarithm of the evidence M against a win rate, which is an e-value at any time.

    After w wins and l losses, the evidence against a win rate p is the Beta mixture (Robbins 1970)

        M(p) = B(a + w, a + l) / B(a, a) / (p**w · (1 − p)**l)

    If each comparison of a pair is won with probability p *independently of all earlier ones*, M(p)
    is a martingale that starts at 1, so the probability that it ever reaches 1/α is at most α. This
    requires that each block shows new outputs to judges without preferences; in most campaigns, it
    would separate equal systems.

    Parameters
    ----------
    wins, losses : int64, of one shape
        Decided comparisons of one pair so far, each independent of earlier ones; ties are dropped.
    rate : float
        The rate p to test, between 0 and 1.

    Returns
    -------
    float64, of that shape
        x = ln M(p). ``min(1, exp(-x))`` is a p-value that stays valid under peeking.

    References
    ----------
    H. Robbins (1970), Statistical Methods Related to the Law of the Iterated Logarithm, Ann. Math.
    Stat. 41. J. Ville (1939), Étude critique de la notion de collectif.
    """
    posterior = betaln(_RATE_MIXTURE + wins, _RATE_MIXTURE + losses)
    mixed = posterior - betaln(_RATE_MIXTURE, _RATE_MIXTURE)
    log_losses = xlog1py(losses, -np.asarray(rate))
    return np.asarray(mixed - xlogy(wins, rate) - log_losses)


def separated(wins: Int64Array, *, confidence: float = 0.95) -> BoolArray:
    """Test whether each system wins more than half of its comparisons with each other, pair by
    pair.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` independent comparisons won by a against b so far.
    confidence : float
        Probability that a pair of equal systems is never separated.

    Returns
    -------
    bool, shape (..., n, n)
        True where the evidence against a rate of 1/2 reaches ``1 / (1 - confidence)``.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    confidence_check(confidence)
    lost = np.swapaxes(wins, -1, -2)
    needed = -np.log1p(-confidence)
    is_certain = log_evidence_of_rate(wins, lost) >= needed
    is_separated: BoolArray = (wins > lost) & is_certain
    return is_separated

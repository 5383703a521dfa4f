"""Tests on paired segments, and clusters derived from them: WMT's rules by name, and ours, which also has rank
ranges.

WMT's rules are implemented as in its published scripts, so that tables of different years can be
compared:

- `wmt25` (github.com/wmt-conference/wmt25-general-mt, ``humeval/05-compute_clusters.py``): systems in the order of their
  means; one-sided Wilcoxon signed-rank test at 0.05 of the upper against the lower one on common
  units, where each round of a segment is a unit and zero differences are dropped. A rank range
  extends up and down to the first significant difference; a cluster ends where no range crosses.
- `wmt26` (github.com/wmt-conference/wmt26-general-mt, ``humeval/02-analyze_results.py``): units are segments, whose scores
  are averaged. A differs from B if the *paired or the unpaired* t-test, two-sided, has p < 0.05. A
  cluster ends where every system above differs from every system below.
- `wmt26_bootstrap`: the same with a *paired or unpaired* bootstrap of 100 resamples, one-sided at
0.05. For this script (``02b``), only a description was available.

No rule tests two systems with fewer than six common units. WMT's rules do not correct for the
number of tests; `wmt26` gives each pair two chances, and its unpaired test treats scores of one
segment as independent. They separate equal systems too often, so only their order and clusters are
given here, not rank ranges. Our rule:

- `permutation`: the paired permutation test on common segments (signs flipped), two-sided, with Holm's correction over all
  pairs. The common segments decide which of the two is better, not the means over all segments.
  Rank ranges count the systems that are significantly better and worse; clusters are those of Koehn
  (2012), eq. 6.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.resampling import segment_keys
from ranking.core.metrics.figures import (
    MOST_ENUMERATED,
    Drawing,
    flipped_sums,
    pair_differences,
)
from ranking.core.ranges import (
    Correction,
    RankRanges,
    adjusted,
    clusters,
    ranges_of_better,
)
from ranking.core.scored.columns import ScoreColumns
from ranking.core.scored.means import Unit, unit_scores
from ranking.core.scores import TIE_DECIMALS

LEVEL: Final = 0.05
#: Minimum number of common units of two systems for a test, published or ours.
FEWEST_COMMON: Final = 6
_PERMUTATIONS: Final = 10_000
_BOOTSTRAPS: Final = 100


class ClusterRule(StrEnum):
    """Rule for separating systems into clusters."""

    WMT25 = "wmt25"
    WMT26 = "wmt26"
    WMT26_BOOTSTRAP = "wmt26_bootstrap"
    PERMUTATION = "permutation"


#: Test: (scores of the system with the higher mean, scores of the other; NaN without a score) → p
#: that the first is better.
_Test = Callable[[FloatArray, FloatArray, np.random.Generator], float]


@dataclass(frozen=True, eq=False)
class RuleResult:
    """Result of a rule for n systems, best first.

    Attributes
    ----------
    rule : ClusterRule
    systems : tuple of str
        Sorted by mean; systems without a score are left out.
    mean : float64, shape (n,)
    p : float64, shape (n, n)
        Above the diagonal: the p-value of the upper against the lower system, corrected if the rule
        does so; 1 if they do not differ. NaN with fewer than `FEWEST_COMMON` common units, and
        elsewhere.
    common : int64, shape (n, n)
        Number of units on which both were scored.
    ranges : RankRanges
        0 for systems without a test, and for all systems by WMT's rules.
    cluster : int64, shape (n,)
        1 for the best; 0 for systems without a test.
    seed : int
    """

    rule: ClusterRule
    systems: tuple[str, ...]
    mean: FloatArray
    p: FloatArray
    common: Int64Array
    ranges: RankRanges
    cluster: Int64Array
    seed: int


def apply_rule(
    columns: ScoreColumns,
    rule: ClusterRule = ClusterRule.PERMUTATION,
    *,
    seed: int = 0,
) -> RuleResult:
    """Test all pairs of systems on paired units, and derive rank ranges and clusters by the rule.

    Like the means, these tests are fair only if sampling did not depend on the scores; `common` is
    the number of units each is based on.

    Parameters
    ----------
    columns : ScoreColumns
    rule : ClusterRule
    seed : int
        Seed for permutations and bootstraps.
    """
    unit: Unit = "round" if rule is ClusterRule.WMT25 else "segment"
    values = unit_scores(columns, unit=unit).values
    means = []
    for column in values.T:
        means.append(column[np.isfinite(column)].mean())
    mean = np.array(means)
    # Rounding, so that ties do not depend on the order of summation; then by name.
    order = np.argsort(-np.round(mean, TIE_DECIMALS), kind="stable")
    values = values[:, order]
    mean = mean[order]
    size = len(order)
    present = np.isfinite(values).astype(np.int64)
    common = present.T @ present
    systems = tuple(columns.systems[index] for index in order)
    p = np.full((size, size), np.nan)
    if rule is ClusterRule.PERMUTATION:
        p[np.triu_indices(size, 1)] = permutation_p(values, seed=seed)
        p[common < FEWEST_COMMON] = np.nan
        p[np.isfinite(p)] = adjusted(p[np.isfinite(p)], Correction.HOLM)
        ranges, cluster = _ranges_and_clusters(p < LEVEL, _upper_is_better(values))
    else:
        for upper, lower in combinations(range(size), 2):
            if common[upper, lower] >= FEWEST_COMMON:
                generator = _generator_of(seed, systems[upper], systems[lower])
                p[upper, lower] = _TESTS[rule](
                    values[:, upper],
                    values[:, lower],
                    generator,
                )
        none = np.zeros(size, dtype=np.int64)
        ranges = RankRanges(low=none, high=none)
        cluster = _CLUSTERS[rule](p < LEVEL)
    tested = np.isfinite(p).any(axis=0) | np.isfinite(p).any(axis=1)
    return RuleResult(
        rule=rule,
        systems=systems,
        mean=mean,
        p=p,
        common=common,
        ranges=RankRanges(
            low=np.where(tested, ranges.low, 0),
            high=np.where(tested, ranges.high, 0),
        ),
        cluster=np.where(tested, cluster, 0),
        seed=seed,
    )


def _generator_of(seed: int, *systems: str) -> np.random.Generator:
    """Return the generator of a pair, so that its p does not depend on the other systems."""
    names = "\0".join(sorted(systems)) + "\0"
    return np.random.default_rng([seed, *names.encode()])


# --- Tests --------------------------------------------------------------------------------------


def _differences(upper: FloatArray, lower: FloatArray) -> FloatArray:
    both = np.isfinite(upper) & np.isfinite(lower)
    return np.asarray(upper[both] - lower[both])


def wilcoxon_p(
    upper: FloatArray,
    lower: FloatArray,
    _generator: np.random.Generator,
) -> float:
    """Return the one-sided p-value of the Wilcoxon signed-rank test that the first is better; 1
    without differences, NaN without common units.
    """
    from scipy import stats  # a fifth of Django's start-up time

    differences = _differences(upper, lower)
    if not np.any(differences):
        if len(differences):
            return 1.0
        return np.nan
    return float(stats.wilcoxon(differences, alternative="greater").pvalue)


def either_t_p(
    upper: FloatArray,
    lower: FloatArray,
    _generator: np.random.Generator,
) -> float:
    """Return the smaller two-sided p-value of the paired and the unpaired t-test; 1 if neither can
    be computed, NaN without common units.
    """
    from scipy import stats  # a fifth of Django's start-up time

    def paired(differences: FloatArray) -> float:
        # A constant difference has t = ∞, as in scipy.
        if np.ptp(differences) == 0:
            return float(differences[0] == 0)
        return float(stats.ttest_1samp(differences, 0).pvalue)

    def unpaired(one: FloatArray, other: FloatArray) -> float:
        if np.ptp(one) + np.ptp(other) == 0:
            return float(one[0] == other[0])
        return float(stats.ttest_ind(one, other).pvalue)

    return _smaller_p(upper, lower, paired, unpaired)


def either_bootstrap_p(
    upper: FloatArray,
    lower: FloatArray,
    generator: np.random.Generator,
) -> float:
    """Return the smaller share of paired or unpaired resamples in which the first is not better."""

    def drawn(values: FloatArray) -> FloatArray:
        places = generator.integers(len(values), size=(_BOOTSTRAPS, len(values)))
        return np.asarray(values[places].mean(axis=1))

    def paired(differences: FloatArray) -> float:
        return float(np.mean(drawn(differences) <= 0))

    def unpaired(one: FloatArray, other: FloatArray) -> float:
        return float(np.mean(drawn(one) <= drawn(other)))

    return _smaller_p(upper, lower, paired, unpaired)


def _smaller_p(
    upper: FloatArray,
    lower: FloatArray,
    paired: Callable[[FloatArray], float],
    unpaired: Callable[[FloatArray, FloatArray], float],
) -> float:
    """Return the smaller p-value of a paired and an unpaired test, each of at least two units; 1 if
    there are too few, NaN without common units.
    """
    differences = _differences(upper, lower)
    one = upper[np.isfinite(upper)]
    other = lower[np.isfinite(lower)]
    p_values = [1.0] if len(differences) else []
    if len(differences) > 1:
        p_values.append(paired(differences))
    if min(len(one), len(other)) > 1:
        p_values.append(unpaired(one, other))
    return min(p_values, default=np.nan)


def permutation_p(values: FloatArray, *, seed: int = 0) -> FloatArray:
    """Return the two-sided p-values of the paired permutation test, which flips signs of
    differences, for the pairs of ``np.triu_indices(n, 1)`` of n systems.

    All flips are tried for up to 12 units; otherwise 10,000 are drawn, and p is (1 + number at
    least as extreme) / (1 + drawn), which is conservative. `values` have shape (U, n); a pair is
    compared on the units on which both have a score.
    """
    differences = np.nan_to_num(pair_differences(values))
    least = np.abs(differences.sum(axis=0)) * (1 - 1e-12)
    keys = segment_keys(np.arange(len(values)))
    flipped = flipped_sums(
        differences,
        keys,
        Drawing(resamples=_PERMUTATIONS, seed=seed),
    )
    as_far = np.count_nonzero(np.abs(flipped) >= least, axis=0)
    # The observed signs are among all flips.
    drawn = int(len(values) > MOST_ENUMERATED)
    return np.asarray((drawn + as_far) / (drawn + len(flipped)))


# --- Clusters and our rank ranges, from a matrix of significant differences --------------------


def _clusters_by_rank_ranges(apart: BoolArray) -> Int64Array:
    size = len(apart)
    is_end = np.ones(size - 1, dtype=np.bool_)
    for index in range(size):
        above = np.flatnonzero(apart[:index, index])
        below = np.flatnonzero(apart[index])
        # No cluster ends within the rank range of a system.
        first = above.max(initial=-1) + 1
        last = below.min(initial=size) - 1
        is_end[first:last] = False
    return _clusters_ending(is_end)


def _all_above_from_all_below(apart: BoolArray) -> Int64Array:
    ends = range(1, len(apart))
    separates = []
    for end in ends:
        separates.append(apart[:end, end:].all())
    return _clusters_ending(np.array(separates, dtype=np.bool_))


def _upper_is_better(values: FloatArray) -> BoolArray:
    """Return whether the upper system of each pair has the higher sum on common units, shape (n,
    n).
    """
    differences = values[:, :, np.newaxis] - values[:, np.newaxis, :]
    return np.asarray(np.nansum(differences, axis=0) > 0)


def _ranges_and_clusters(
    apart: BoolArray,
    upper_is_better: BoolArray,
) -> tuple[RankRanges, Int64Array]:
    """Return rank ranges by counting significantly better and worse systems, always including the
    rank by mean.
    """
    sure = ranges_of_better((apart & upper_is_better) | (apart & ~upper_is_better).T)
    rank = np.arange(1, len(apart) + 1)
    ranges = sure.including(rank, rank)
    return ranges, clusters(ranges)


def _clusters_ending(is_end: BoolArray) -> Int64Array:
    return np.cumsum([1, *is_end.tolist()]).astype(np.int64)


_TESTS: Final[dict[ClusterRule, _Test]] = {
    ClusterRule.WMT25: wilcoxon_p,
    ClusterRule.WMT26: either_t_p,
    ClusterRule.WMT26_BOOTSTRAP: either_bootstrap_p,
}
_CLUSTERS: Final[dict[ClusterRule, Callable[[BoolArray], Int64Array]]] = {
    ClusterRule.WMT25: _clusters_by_rank_ranges,
    ClusterRule.WMT26: _all_above_from_all_below,
    ClusterRule.WMT26_BOOTSTRAP: _all_above_from_all_below,
}

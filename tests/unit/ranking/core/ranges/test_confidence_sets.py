"""Rank confidence sets: against csranks, against known distributions, and what they promise.

How often confidence sets of ranks miss true ranks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom, norm, studentized_range, t

from ranking.core.ranges import (
    RankRanges,
    clusters,
    pairwise_p_values,
    rank_confidence_sets,
    rank_ranges,
    studentised_differences,
)
from ranking.core.scores import Scores
from tests.benchmarks.rank_confidence_sets import KINDS, scored
from tests.properties import examples
from tests.unit.ranking.core.ranges.centred import centred
from tests.worlds import draw_campaign, world_named

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    values: tuple[float, ...]
    standard_errors: tuple[float, ...]
    centred: bool

    def arrays(self) -> tuple[FloatArray, FloatArray]:
        covariance = np.diag(np.square(self.standard_errors))
        return np.array(self.values), centred(
            covariance,
        ) if self.centred else covariance


INDEPENDENT = Example(
    values=(3.1, 2.9, 2.2, 2.2, 1.4, 0.3, -0.2, -2.0),
    standard_errors=(0.2, 0.5, 0.3, 0.1, 0.4, 0.35, 0.25, 0.6),
    centred=False,
)
SPREAD = Example(
    values=(0.71, 0.66, 0.64, 0.58, 0.55, 0.52, 0.49, 0.44, 0.41, 0.33, 0.17),
    standard_errors=(
        0.021,
        0.034,
        0.018,
        0.027,
        0.022,
        0.041,
        0.019,
        0.025,
        0.031,
        0.023,
        0.016,
    ),
    centred=True,
)
NEAR_EQUAL = Example(
    values=(
        *(0.531, 0.524, 0.519, 0.513, 0.508, 0.505, 0.503, 0.500),
        *(0.497, 0.495, 0.492, 0.487, 0.481, 0.476, 0.469),
    ),
    standard_errors=(0.014,) * 15,
    centred=True,
)

#: What csranks gives: R package, github.com/danielwilhelm/R-CS-ranks at bd4f755 (1.2.2.9001), under
#: R 4.2.2 with MASS 7.3-58.2: csranks(x, Sigma, coverage, cstype, simul, R = 50000), stepdown as by
#: default; seeds 1 and 2 gave the same sets.
CSRANKS: tuple[tuple[Example, float, bool, str, str], ...] = (
    (INDEPENDENT, 0.95, False, "1 1 1 2 2 5 6 8", "3 5 5 5 6 7 7 8"),
    (INDEPENDENT, 0.95, True, "1 1 1 2 2 5 6 7", "3 5 5 5 6 7 8 8"),
    (INDEPENDENT, 0.8, False, "1 1 2 2 4 6 6 8", "2 4 5 5 5 7 7 8"),
    (INDEPENDENT, 0.8, True, "1 1 2 2 3 5 6 8", "2 4 5 5 6 7 7 8"),
    (SPREAD, 0.95, False, "1 1 1 2 4 4 5 6 6 9 11", "3 4 4 6 7 9 9 9 10 10 11"),
    (SPREAD, 0.95, True, "1 1 1 2 3 2 4 6 6 9 11", "3 6 5 7 7 9 9 9 10 10 11"),
    (SPREAD, 0.8, True, "1 1 1 2 4 4 5 6 6 9 11", "3 4 4 6 7 9 9 9 10 10 11"),
    (NEAR_EQUAL, 0.95, False, " ".join("1" * 14 + "2"), " ".join(["14", *["15"] * 14])),
    (NEAR_EQUAL, 0.95, True, " ".join("1" * 15), " ".join(["15"] * 15)),
    (NEAR_EQUAL, 0.8, False, " ".join("1" * 12 + "235"), "11 13 14" + " 15" * 12),
    (NEAR_EQUAL, 0.8, True, " ".join("1" * 14 + "2"), " ".join(["14", *["15"] * 14])),
)
_CSRANKS_DRAWS, _DRAWS = 50_000, 100_000


@pytest.mark.parametrize(
    ("example", "confidence", "simultaneous", "low", "high"),
    CSRANKS,
)
def test_sets_are_those_of_csranks(
    example: Example,
    confidence: float,
    simultaneous: bool,
    low: str,
    high: str,
) -> None:
    # Both draw their critical values. A bound that differs between levels four standard errors of
    # that apart (0.005 at 0.95) hangs on the draws; all others must be the same.
    sets = partial(
        rank_confidence_sets,
        *example.arrays(),
        simultaneous=simultaneous,
        draws=_DRAWS,
    )
    margin = 4 * np.sqrt(
        confidence * (1 - confidence) * (1 / _DRAWS + 1 / _CSRANKS_DRAWS),
    )
    wide, narrow = (
        sets(confidence=confidence + margin),
        sets(confidence=confidence - margin),
    )
    their_low, their_high = np.array(low.split(), int), np.array(high.split(), int)
    assert np.all((wide.low <= their_low) & (their_low <= narrow.low))
    assert np.all((wide.high >= their_high) & (their_high >= narrow.high))
    hanging = np.count_nonzero(wide.low != narrow.low) + np.count_nonzero(
        wide.high != narrow.high,
    )
    assert hanging <= 4


def staged(example: Example, level: float, draws: int) -> npt.NDArray[np.bool_]:
    """Reject in stages with a critical value for each, as the paper writes it, pair by pair."""
    values, covariance = example.arrays()
    n = len(values)
    noise = studentised_differences(values, covariance, draws=draws, seed=5).noise
    assert noise is not None
    error = {
        (a, b): np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
        for a in range(n)
        for b in range(n)
        if a != b
    }
    rejected: set[tuple[int, int]] = set()
    while True:
        left = [pair for pair in error if pair not in rejected]
        largest = np.max([(noise[a] - noise[b]) / error[a, b] for a, b in left], axis=0)
        critical = np.sort(largest)[::-1][int(level * (draws + 1)) - 1]
        new = {
            (a, b) for a, b in left if (values[a] - values[b]) / error[a, b] > critical
        }
        if not new:
            break
        rejected |= new
    return np.array([[(a, b) in rejected for b in range(n)] for a in range(n)])


@pytest.mark.parametrize("example", [INDEPENDENT, SPREAD, NEAR_EQUAL])
@pytest.mark.parametrize("level", [0.05, 0.2, 0.35])
def test_p_values_reject_what_stages_of_critical_values_reject(
    example: Example,
    level: float,
) -> None:
    p = pairwise_p_values(*example.arrays(), draws=2000, seed=5)
    assert np.array_equal(p <= level, staged(example, level, 2000))


def test_rejected_comparison_no_longer_counts_but_its_opposite_does() -> None:
    # The first is far ahead of the others; (0, 1) and (0, 2) go in the first step. Left are the
    # contrary statements and the pair of the last two.
    p = pairwise_p_values(np.array([100.0, 2.5, 0.0]), np.eye(3), draws=100_000)
    drawn = np.random.default_rng(1).normal(size=(3, 400_000))
    left = [drawn[a] - drawn[b] for a, b in [(1, 0), (2, 0), (1, 2), (2, 1)]]
    second_step = np.mean(np.max(left, axis=0) >= 2.5)
    assert p[1, 2] == pytest.approx(second_step, abs=0.006)
    assert second_step < studentized_range.sf(2.5, 3, np.inf) - 0.02


def test_two_systems_have_the_p_value_of_the_two_sided_normal_test() -> None:
    covariance = np.array([[0.5, -0.2], [-0.2, 1.3]])
    statistic = 1.7 / np.sqrt(0.5 + 1.3 + 0.4)
    p = pairwise_p_values(np.array([2.0, 0.3]), covariance, draws=100_000)
    assert p[0, 1] == pytest.approx(2 * norm.sf(statistic), abs=0.006)
    assert p[1, 0] == 1


@pytest.mark.parametrize("largest", [1.5, 3.0, 4.5])
def test_the_first_step_is_the_studentised_range_of_tukey(largest: float) -> None:
    values = np.array([largest, *np.linspace(0.4, 0.2, 6), 0.0])
    p = pairwise_p_values(values, np.eye(8), draws=100_000)
    assert p[0, 7] == pytest.approx(studentized_range.sf(largest, 8, np.inf), abs=0.006)


def test_an_uncertain_covariance_gives_students_t_with_holms_correction() -> None:
    values = np.array([9.0, 4.0, 0.0])
    freedom, error = 3.5, np.sqrt(2)
    p = pairwise_p_values(values, np.eye(3), degrees_of_freedom=freedom)
    single = {
        (a, b): 2 * t.sf((values[a] - values[b]) / error, freedom)
        for a, b in [(0, 2), (0, 1), (1, 2)]
    }
    assert p[0, 2] == pytest.approx(3 * single[0, 2])
    assert p[0, 1] == pytest.approx(2 * single[0, 1])
    assert p[1, 2] == pytest.approx(max(single[1, 2], 2 * single[0, 1]))
    assert [p[2, 0], p[1, 0], p[2, 1]] == [1, 1, 1]
    # A system that cannot be estimated, or of another group, is no test of the family.
    more = np.append(values, [np.nan, 5.0])
    group = np.array([1, 1, 1, 1, 2])
    wide = pairwise_p_values(more, np.eye(5), degrees_of_freedom=freedom, group=group)
    assert np.array_equal(wide[:3, :3], p)


def test_a_marginal_set_of_equal_variances_has_the_critical_value_of_dunnett() -> None:
    def uncovered(critical: float, systems: int = 9) -> float:
        def inside(z: float) -> float:
            one = norm.cdf(z + critical * np.sqrt(2)) - norm.cdf(
                z - critical * np.sqrt(2),
            )
            return float(norm.pdf(z) * one ** (systems - 1))

        return 1 - float(quad(inside, -8, 8)[0])

    for distance in (3.2, 3.7, 4.2):
        values = np.array([distance, *[0.0] * 8])
        level = uncovered(distance / np.sqrt(2))
        for confidence, high in ((1 - level - 0.006, 1), (1 - level + 0.006, 9)):
            sets = rank_confidence_sets(
                values,
                np.eye(9),
                confidence=confidence,
                draws=100_000,
            )
            assert sets.high[0] == high


def test_significant_differences_are_counted_as_ranks() -> None:
    values = np.array([5.0, 3.0, 2.9, 0.0])
    for together in (False, True):
        sets = rank_confidence_sets(values, np.eye(4) * 0.01, simultaneous=together)
        assert (sets.low.tolist(), sets.high.tolist()) == ([1, 2, 2, 4], [1, 3, 3, 4])
    assert clusters(sets).tolist() == [1, 2, 2, 3]


def test_a_difference_without_variance_is_known() -> None:
    # The first never lost and the last never won: neither varies, nor does what lies between them.
    values = np.array([1.0, 0.5, 0.5, 0.0])
    covariance = np.diag([0.0, 0.01, 0.01, 0.0])
    p = pairwise_p_values(values, covariance)
    assert (p[0, 3], p[3, 0]) == (0, 1)
    sets = rank_confidence_sets(values, covariance, simultaneous=True)
    assert (sets.low.tolist(), sets.high.tolist()) == ([1, 2, 2, 4], [1, 3, 3, 4])


@pytest.mark.parametrize("systems", [1, 2, 60])
def test_without_any_variance_ranks_are_known_and_ties_share_them(systems: int) -> None:
    values = -np.floor(np.arange(systems) / 2)
    sets = rank_confidence_sets(values, np.zeros((systems, systems)))
    first = np.arange(systems) // 2 * 2 + 1
    assert sets.low.tolist() == first.tolist()
    assert sets.high.tolist() == np.minimum(first + 1, systems).tolist()


def test_rounding_errors_are_no_difference() -> None:
    sets = rank_confidence_sets(np.array([0.1 + 0.2, 0.3]), np.zeros((2, 2)))
    assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1], [2, 2])


def test_systems_that_always_differ_by_the_same_are_told_apart_whatever_the_others_do() -> (
    None
):
    # The first two share all of their error; it dwarfs their difference.
    shared = np.array([1.0, 1.0, 0.0])
    covariance = np.outer(shared, shared) + np.diag([0.0, 0.0, 1.0])
    sets = rank_confidence_sets(
        np.array([0.1, 0.0, 0.05]),
        covariance,
        simultaneous=True,
    )
    assert (sets.low.tolist(), sets.high.tolist()) == ([1, 2, 1], [2, 3, 3])


def test_a_system_that_is_not_estimable_may_have_any_rank() -> None:
    values = np.array([5.0, np.nan, 0.0])
    covariance = np.full((3, 3), np.nan)
    covariance[np.ix_([0, 2], [0, 2])] = np.eye(2) * 0.01
    for together in (False, True):
        sets = rank_confidence_sets(values, covariance, simultaneous=together)
        assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1, 2], [2, 3, 3])
    assert pairwise_p_values(values, covariance)[1].tolist() == [1, 1, 1]


def test_systems_that_nothing_compares_may_be_in_any_order() -> None:
    values, group = np.array([5.0, 0.0, 3.0, 4.0]), np.array([1, 1, 2, 2])
    for together in (False, True):
        sets = rank_confidence_sets(
            values,
            np.eye(4) * 0.01,
            group=group,
            simultaneous=together,
        )
        assert (sets.low.tolist(), sets.high.tolist()) == ([1, 2, 2, 1], [3, 4, 4, 3])


def test_no_system_has_no_set() -> None:
    assert len(rank_confidence_sets(np.empty(0), np.empty((0, 0))).low) == 0


def test_arguments_out_of_range_are_refused() -> None:
    sets = partial(rank_confidence_sets, np.array([1.0, 0.0]), np.eye(2))
    for confidence in (0, 1, 1.5):
        with pytest.raises(ValueError, match="confidence: expected"):
            sets(confidence=confidence)
    with pytest.raises(ValueError, match="draws: too few"):
        sets(draws=10)
    with pytest.raises(ValueError, match="covariance: NaN"):
        rank_confidence_sets(np.array([1.0, 0.0]), np.full((2, 2), np.nan))


@st.composite
def scores(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Scores of up to six systems with a covariance of any rank, ties among both."""
    n = draw(st.integers(1, 6))
    numbers = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.5, 1.0, 3.0])
    values = draw(st.lists(numbers, min_size=n, max_size=n))
    width = draw(st.integers(1, 4))
    root = np.array(draw(st.lists(numbers, min_size=n * width, max_size=n * width)))
    root = root.reshape(n, width)
    return np.array(values), root @ root.T


def contains(wide: RankRanges, narrow: RankRanges) -> bool:
    return bool(np.all(wide.low <= narrow.low) and np.all(wide.high >= narrow.high))


@given(scores(), st.sampled_from([0.5, 0.8, 0.95]))
@examples(60)
def test_sets_hold_the_rank_and_are_nested(
    drawn: tuple[FloatArray, FloatArray],
    confidence: float,
) -> None:
    values, covariance = drawn
    sets = partial(rank_confidence_sets, values, covariance, draws=200)
    both_ends = sets(confidence=confidence)
    point = RankRanges(
        low=1 + np.count_nonzero(values[:, np.newaxis] < values, axis=1),
        high=np.count_nonzero(values[:, np.newaxis] <= values, axis=1),
    )
    assert contains(both_ends, point)
    assert contains(sets(confidence=confidence, simultaneous=True), both_ends)
    assert contains(sets(confidence=confidence + 0.04), both_ends)


@given(scores(), st.sampled_from([2.0, 1024.0]), st.booleans())
@examples(30)
def test_the_unit_of_the_scores_does_not_matter(
    drawn: tuple[FloatArray, FloatArray],
    factor: float,
    simultaneous: bool,
) -> None:
    values, covariance = drawn
    sets = partial(rank_confidence_sets, draws=200, simultaneous=simultaneous)
    ours = sets(values, covariance)
    theirs = sets(values * factor, covariance * factor**2)
    assert np.array_equal(ours.low, theirs.low)
    assert np.array_equal(ours.high, theirs.high)


@given(scores())
@examples(30)
def test_turning_the_scores_over_turns_the_sets_over(
    drawn: tuple[FloatArray, FloatArray],
) -> None:
    values, covariance = drawn
    n, level = len(values), 0.2
    up = pairwise_p_values(values, covariance, draws=4000)
    down = pairwise_p_values(-values, covariance, draws=4000)
    assert up.shape == (n, n)
    clear = np.abs(up - level) > 0.05
    assert np.array_equal(up[clear] <= level, down.T[clear] <= level)


@given(st.permutations(range(11)))
@examples(10)
def test_systems_in_another_order_get_the_same_p_values(order: list[int]) -> None:
    values, covariance = SPREAD.arrays()
    ours = pairwise_p_values(values, covariance, draws=1000)
    theirs = pairwise_p_values(
        values[order],
        covariance[np.ix_(order, order)],
        draws=1000,
    )
    assert np.allclose(theirs, ours[np.ix_(order, order)], atol=0.002)


def test_another_seed_changes_p_values_a_little_and_the_same_seed_nothing() -> None:
    p = [pairwise_p_values(*SPREAD.arrays(), seed=seed) for seed in (1, 1, 2)]
    assert np.array_equal(p[0], p[1])
    assert not np.array_equal(p[0], p[2])
    assert np.allclose(p[0], p[2], atol=0.03)


# What the sets promise, in simulated scores, normal around the truth with a known covariance, and
# in sixty campaigns; `python -m tests.benchmarks.rank_confidence_sets` draws a thousand of
# each of several worlds.

_TRIALS = 500


Sets = Callable[[FloatArray, FloatArray, int], RankRanges]


def marginal_sets(values: FloatArray, covariance: FloatArray, seed: int) -> RankRanges:
    return rank_confidence_sets(values, covariance, draws=500, seed=seed)


def simultaneous_sets(
    values: FloatArray,
    covariance: FloatArray,
    seed: int,
) -> RankRanges:
    return rank_confidence_sets(
        values,
        covariance,
        simultaneous=True,
        draws=500,
        seed=seed,
    )


def percentile_ranges(
    values: FloatArray,
    covariance: FloatArray,
    seed: int,
) -> RankRanges:
    noise = np.random.default_rng(seed).normal(size=(500, len(values)))
    drawn = values + noise - noise.mean(axis=1, keepdims=True)
    return rank_ranges(Scores(values=drawn, estimable=np.ones(drawn.shape, np.bool_)))


def misses(truth: FloatArray, sets: Sets, *, seed: int) -> npt.NDArray[np.bool_]:
    """Say whose set misses a rank of its true span, shape (trials, n)."""
    n = len(truth)
    covariance = centred(np.eye(n))
    best = 1 + np.count_nonzero(truth[:, np.newaxis] < truth, axis=1)
    worst = np.count_nonzero(truth[:, np.newaxis] <= truth, axis=1)
    noise = np.random.default_rng(seed).normal(size=(_TRIALS, n))
    values = truth + noise - noise.mean(axis=1, keepdims=True)
    ranges = [sets(row, covariance, trial) for trial, row in enumerate(values)]
    low, high = (
        np.array([each.low for each in ranges]),
        np.array([each.high for each in ranges]),
    )
    return np.asarray((best < low) | (worst > high))


def test_the_truly_best_of_near_equal_systems_may_be_first() -> None:
    truth = np.linspace(0.4, 0, 15)
    assert np.mean(misses(truth, percentile_ranges, seed=1)[:, 0]) > 0.2
    missed = misses(truth, marginal_sets, seed=1)[:, 0]
    assert np.count_nonzero(missed) <= binom.ppf(0.999, _TRIALS, 0.05)


def test_marginal_sets_of_equal_systems_miss_as_often_as_promised_and_not_less() -> (
    None
):
    missed = misses(np.zeros(5), marginal_sets, seed=2)
    each = np.count_nonzero(missed, axis=0)
    assert np.all(each <= binom.ppf(0.9998, _TRIALS, 0.05))
    assert np.all(each >= binom.ppf(0.0002, _TRIALS, 0.05))


def test_simultaneous_sets_of_equal_systems_miss_any_as_often_as_promised_and_not_less() -> (
    None
):
    any_missed = np.count_nonzero(
        misses(np.zeros(15), simultaneous_sets, seed=3).any(axis=1),
    )
    assert any_missed <= binom.ppf(0.999, _TRIALS, 0.05)
    assert any_missed >= binom.ppf(0.001, _TRIALS, 0.05)


def test_simultaneous_sets_hold_when_some_systems_are_equal_and_others_far_apart() -> (
    None
):
    # The step-down is sharpest here: most pairs are rejected, and the equal ones are what is left.
    truth = np.array([30.0, 20.0, 20.0, 20.0, 10.0, 0.0, 0.0])
    any_missed = np.count_nonzero(misses(truth, simultaneous_sets, seed=4).any(axis=1))
    assert any_missed <= binom.ppf(0.999, _TRIALS, 0.05)


@pytest.mark.parametrize("judges", [4, 8])
def test_sets_of_equal_systems_hold_with_few_judges_whose_covariance_is_estimated(
    judges: int,
) -> None:
    """With fewer judges than systems, the covariance is singular, and each variance errs by itself."""
    systems = 12
    votes = np.random.default_rng(judges).normal(size=(_TRIALS, judges, systems))
    any_missed, missed = 0, np.zeros(systems)
    for trial, scores_of_judges in enumerate(votes):
        sets = partial(
            rank_confidence_sets,
            scores_of_judges.mean(axis=0),
            np.cov(scores_of_judges.T) / judges,
            degrees_of_freedom=judges - 1,
            seed=trial,
            draws=500,
        )
        together, by_itself = sets(simultaneous=True), sets()
        any_missed += bool((together.low > 1).any() or (together.high < systems).any())
        missed += (by_itself.low > 1) | (by_itself.high < systems)
    assert any_missed <= binom.ppf(0.999, _TRIALS, 0.05)
    assert np.all(missed <= binom.ppf(0.9998, _TRIALS, 0.05))


@pytest.mark.thorough
def test_the_truly_best_of_near_equal_systems_may_be_first_in_campaigns() -> None:
    world, campaigns = world_named("near-equal"), 60
    missed = dict.fromkeys(KINDS, 0)
    for seed in range(campaigns):
        blocks, truth = draw_campaign(world, seed)
        campaign = scored(blocks, seed)
        for kind, ranges in KINDS.items():
            missed[kind] += int(ranges(campaign).low[np.argmax(truth)] > 1)
    assert missed["percentiles"] > 12
    assert (
        missed["simultaneous"]
        <= missed["marginal"]
        <= binom.ppf(0.999, campaigns, 0.05)
    )

"""Intervals of correlations: a second implementation, where there are none, and how often they hold."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ranking.core.diagnosis.correlation import (
    Coefficient,
    Influenced,
    NoInterval,
    correlation,
    correlation_clustered,
    correlation_sampled,
    kendall_influenced,
    spearman_influenced,
)
from tests.benchmarks.correlation_coverage import (
    DrawnRatings,
    DrawnScores,
    DrawnSystems,
    coverage_of_ratings,
    coverage_of_scores,
    coverage_of_systems,
)

RANDOM = np.random.default_rng(16)
X = RANDOM.normal(size=9)
Y = X + RANDOM.normal(size=9)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_pearsons_interval_is_that_of_scipy(confidence: float) -> None:
    found = correlation_sampled(X, Y, confidence=confidence)
    scipys = stats.pearsonr(X, Y).confidence_interval(confidence)
    assert (found.pearson_low, found.pearson_high) == pytest.approx(tuple(scipys))


def test_spearmans_interval_is_worked_by_hand() -> None:
    """Of 1, 3, 2, 4, 5 against 1 to 5: ρ = 0.9, z = 1.4722, standard error √((1 + 0.405) / 2) = 0.8382."""
    found = correlation_sampled(np.array([1, 2, 3, 4, 5]), np.array([1, 3, 2, 4, 5]))
    assert found.spearman == pytest.approx(0.9)
    reach = 1.959964 * 0.838153
    assert found.spearman_low == pytest.approx(np.tanh(1.472219 - reach), abs=1e-5)
    assert found.spearman_high == pytest.approx(np.tanh(1.472219 + reach), abs=1e-5)


@pytest.mark.parametrize("sign", [1, -1])
def test_lists_in_one_order_reach_to_one_and_have_another_end(sign: int) -> None:
    """Half of the way to the next coefficient of four systems, 0.8, is 0.9."""
    found = correlation_sampled(np.array([1, 2, 3, 4]), sign * np.array([1, 2, 3, 9]))
    ends = sorted(
        [found.spearman_low or 0, found.spearman_high or 0],
        key=lambda end: sign * end,
    )
    assert found.spearman == pytest.approx(sign)
    assert ends[1] == sign
    assert ends[0] == pytest.approx(
        sign * np.tanh(np.arctanh(0.9) - 1.959964 * np.sqrt(1.405)),
    )


def test_three_pairs_have_a_correlation_but_no_interval() -> None:
    found = correlation_sampled(np.array([1, 2, 4]), np.array([1, 3, 2]))
    assert found.pearson == pytest.approx(
        correlation(np.array([1, 2, 4]), np.array([1, 3, 2])).pearson,
    )
    assert (found.pearson_low, found.spearman_high) == (None, None)
    assert found.no_interval is NoInterval.FEW_PAIRS


def test_a_list_and_itself_have_no_interval() -> None:
    found = correlation_sampled(X, 2 * X)
    assert found.pearson == pytest.approx(1)
    assert (found.pearson_low, found.spearman_high) == (None, None)
    assert found.no_interval is NoInterval.STRAIGHT_LINE


def test_pairs_without_a_number_are_left_out() -> None:
    with_a_gap = correlation_sampled(np.append(X, np.nan), np.append(Y, 1.0))
    assert with_a_gap == correlation_sampled(X, Y)


@pytest.mark.parametrize("drawn", [DrawnSystems(4, 0.3), DrawnSystems(8, 0.9)])
def test_intervals_hold_in_nineteen_of_twenty_simulated_campaigns(
    drawn: DrawnSystems,
) -> None:
    """Seeded: 400 campaigns of four and of eight systems, where 95 % has a standard error of 1.1 %."""
    found = coverage_of_systems(drawn, campaigns=400)
    assert 0.92 <= found.pearson <= 0.99
    assert found.spearman >= 0.92


@pytest.mark.parametrize(
    ("coefficient", "scipys", "tolerance"),
    [(Coefficient.PEARSON, stats.pearsonr, 1e-9), (Coefficient.SPEARMAN, stats.spearmanr, 0.08), (Coefficient.KENDALL, stats.kendalltau, 0.08)],
)  # fmt: skip
def test_the_variance_of_clusters_is_that_of_leaving_them_out(
    coefficient: Coefficient,
    scipys: Callable[..., Any],
    tolerance: float,
) -> None:
    """The delete-one jackknife over segments; of ranks, nearly."""
    segments = np.repeat(np.arange(60), 5)
    common = RANDOM.normal(size=(2, 60))
    x = common[0][segments] + RANDOM.normal(size=300)
    y = (common[0] + common[1])[segments] + RANDOM.normal(size=300)
    without = [scipys(x[segments != s], y[segments != s]).statistic for s in range(60)]
    z = np.arctanh(np.array(without))
    deviation = np.sqrt(59 / 60 * ((z - z.mean()) ** 2).sum())
    found = correlation_clustered(x, y, (segments,), coefficient=coefficient)
    assert found.value == pytest.approx(scipys(x, y).statistic)
    assert found.low is not None
    assert found.high is not None
    reach = (np.arctanh(found.high) - np.arctanh(found.low)) / 2
    assert reach / stats.t.ppf(0.975, 59) == pytest.approx(deviation, rel=tolerance)


def test_a_judge_of_one_score_but_for_one_segment_has_no_interval() -> None:
    """Without that segment there is no correlation."""
    constant = np.array([5.0] * 8 + [9.0])
    found = correlation_clustered(X, constant, (np.arange(9),))
    assert found.value is not None
    assert (found.low, found.high) == (None, None)


def test_one_judge_tells_nothing_of_other_judges() -> None:
    found = correlation_clustered(X, Y, (np.arange(9), np.zeros(9, dtype=np.int64)))
    assert found.value is not None
    assert (found.low, found.high) == (None, None)


def test_intersections_of_two_clusterings_count_once() -> None:
    """Cameron, Gelbach and Miller's variance, summed cluster by cluster."""
    random = np.random.default_rng(14)
    judge, segment = np.repeat(np.arange(6), 10), np.tile(np.repeat(np.arange(5), 2), 6)
    x = (
        random.normal(size=6)[judge]
        + random.normal(size=5)[segment]
        + random.normal(size=60)
    )
    y = (
        x
        + random.normal(size=6)[judge]
        + random.normal(size=5)[segment]
        + random.normal(size=60)
    )
    found = correlation_clustered(x, y, (judge, segment))
    z = np.arctanh(np.corrcoef(x, y)[0, 1])

    def variance(clusters: Sequence[tuple[int, ...]]) -> float:
        each = sorted(set(clusters))
        kept = [[i for i in range(60) if clusters[i] != one] for one in each]
        left = np.arctanh([np.corrcoef(x[places], y[places])[0, 1] for places in kept])
        return float(((left - left.mean()) ** 2).sum() * (len(each) - 1) / len(each))

    judges, segments = (
        [(int(number),) for number in kind] for kind in (judge, segment)
    )
    both = [one + other for one, other in zip(judges, segments, strict=True)]
    summed = variance(judges) + variance(segments) - variance(both)
    assert summed > max(variance(judges), variance(segments))
    reach = stats.t.ppf(0.975, 4) * np.sqrt(summed)
    assert found.low == pytest.approx(np.tanh(z - reach))
    assert found.high == pytest.approx(np.tanh(z + reach))


INFLUENCED = [
    (spearman_influenced, stats.spearmanr),
    (kendall_influenced, stats.kendalltau),
]


@pytest.mark.parametrize(("influenced", "scipys"), INFLUENCED)
@pytest.mark.parametrize("points", [3, 1000])
def test_a_coefficient_is_scipys_and_influences_are_nearly_what_leaving_out_changes(
    influenced: Callable[..., Influenced],
    scipys: Callable[..., Any],
    points: int,
) -> None:
    """With many ties and nearly none; what leaving one pair out changes is its influence / (n − 1), but for terms of 1 / n²."""
    random = np.random.default_rng([16, points])
    x = random.integers(0, points, 200).astype(float)
    y = np.clip(x + random.integers(-points // 2, points // 2 + 1, 200), 0, points - 1)
    found = influenced(x, y)
    assert found.value == pytest.approx(scipys(x, y).statistic)
    assert found.influence.mean() == pytest.approx(0, abs=1e-12)
    without = [scipys(np.delete(x, i), np.delete(y, i)).statistic for i in range(200)]
    changed = 199 * (found.value - np.array(without))
    assert changed == pytest.approx(found.influence, abs=0.1)
    assert np.abs(changed).max() > 1


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_equal_orders_and_equal_numbers_have_no_clustered_interval(
    coefficient: Coefficient,
) -> None:
    segments = (np.arange(9),)
    same = correlation_clustered(X, 2 * X, segments, coefficient=coefficient)
    assert same.value == pytest.approx(1)
    assert (same.low, same.high) == (None, None)
    equal = correlation_clustered(X, np.ones(9), segments, coefficient=coefficient)
    assert (equal.value, equal.low, equal.high) == (None, None, None)


def test_clustered_intervals_hold_in_simulated_campaigns() -> None:
    """Seeded: 75 campaigns, where 95 % has a standard error of 2.5 %."""
    ratings = coverage_of_ratings(DrawnRatings(20, 60, 2, points=5), campaigns=75)
    scores = coverage_of_scores(DrawnScores(20, 2, 0.5), campaigns=75)
    for held in (ratings, scores):
        assert set(held) == set(Coefficient)
        assert all(0.89 <= each <= 1 for each in held.values())

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm

from ranking.core.counting.counts import tally
from ranking.core.ranges import RankRanges, better, clusters, ranges_of_better
from ranking.core.sharding import ThisMachine
from ranking.core.simulation.measures import (
    Level,
    cluster_violations,
    critical_wins,
    error_of_ranks,
    range_violations,
    sign_test_ranges,
    significant_pairs,
    significantly_better,
    simulate_campaigns,
    sorted_expected_wins,
    spread_p_value,
)
from ranking.core.simulation.model import Model, simulate_blocks, simulate_wins
from tests.unit.ranking.core.simulation.koehn import (
    expected_comparisons,
    expected_significant_pairs,
)

LEVELS: tuple[Level, ...] = ("pairs", "blocks", "segments")
KOEHN = Model(systems=15, noise=10)
EVERYTHING = Model(
    systems=7,
    noise=4,
    per_block=4,
    tie_radius=1.5,
    judge_noise=2,
    segments=30,
)


@pytest.mark.parametrize("model", [KOEHN, EVERYTHING, Model(systems=3, noise=1)])
def test_the_blocks_of_an_experiment_are_those_whose_wins_are_counted(
    model: Model,
) -> None:
    blocks, quality = simulate_blocks(model, blocks=300, seed=3, experiment=8, judges=4)
    counted = simulate_wins(model, blocks=[120, 300], seed=3, experiment=8)
    assert np.array_equal(quality, counted.quality)
    for index, count in enumerate((120, 300)):
        tallies = tally(blocks.take(slice(count)))
        assert np.array_equal(tallies.wins, counted.wins[index])
        assert np.array_equal(tallies.ties, counted.ties[index])
        assert tallies.comparisons == count * model.comparisons_per_block


@pytest.mark.parametrize("model", [KOEHN, EVERYTHING])
def test_a_longer_campaign_begins_with_the_shorter_one(model: Model) -> None:
    short, _ = simulate_blocks(model, blocks=50, seed=1, experiment=2, judges=3)
    long, _ = simulate_blocks(model, blocks=90, seed=1, experiment=2, judges=3)
    for column in ("labels", "candidates", "segment", "judge", "key"):
        assert np.array_equal(getattr(short, column), getattr(long, column)[:50]), (
            column
        )


def test_the_better_system_wins_as_often_as_the_normal_distribution_says() -> None:
    model = Model(systems=2, noise=3, judge_noise=4)
    counted = simulate_wins(model, blocks=[40_000], seed=5, experiment=0)
    difference = counted.quality[0] - counted.quality[1]
    expected = norm.cdf(difference / (5 * np.sqrt(2)))
    assert counted.wins[0, 0, 1] / 40_000 == pytest.approx(expected, abs=4 * 0.5 / 200)


def test_outputs_of_segments_are_as_good_as_the_normal_distribution_says() -> None:
    model = Model(systems=2, noise=1, segments=20_000)
    counted = simulate_wins(model, blocks=[40_000], seed=5, experiment=0)
    difference = counted.quality[0] - counted.quality[1]
    expected = norm.cdf(difference / np.sqrt(2))
    # A segment has two blocks on average, which agree.
    assert counted.wins[0, 0, 1] / 40_000 == pytest.approx(expected, abs=4 * 0.5 / 100)


def test_two_systems_tie_within_the_decision_radius() -> None:
    model = Model(systems=2, noise=3, tie_radius=2)
    counted = simulate_wins(model, blocks=[40_000], seed=5, experiment=0)
    difference = counted.quality[0] - counted.quality[1]
    spread = 3 * np.sqrt(2)
    expected = norm.cdf((2 - difference) / spread) - norm.cdf(
        (-2 - difference) / spread,
    )
    assert counted.ties[0, 0, 1] / 40_000 == pytest.approx(expected, abs=4 * 0.5 / 200)


def test_labels_follow_from_the_best_of_each_label() -> None:
    everything_tied = replace(KOEHN, tie_radius=1000)
    blocks, _ = simulate_blocks(everything_tied, blocks=20, seed=0, experiment=0)
    assert set(blocks.labels[blocks.labels > 0].tolist()) == {1}
    blocks, _ = simulate_blocks(KOEHN, blocks=20, seed=0, experiment=0)
    assert np.all(np.sort(blocks.labels, axis=1)[:, -5:] == [1, 2, 3, 4, 5])


def test_judges_of_a_segment_see_the_same_outputs() -> None:
    # Without noise of their own, all judges of two outputs agree, whatever the systems' averages.
    model = Model(systems=5, noise=50, segments=3)
    blocks, _ = simulate_blocks(model, blocks=60, seed=0, experiment=0)
    rows = zip(blocks.segment, blocks.labels, strict=True)
    assert len({(int(segment), row.tobytes()) for segment, row in rows}) == 3
    noisy, _ = simulate_blocks(
        replace(model, judge_noise=50),
        blocks=60,
        seed=0,
        experiment=0,
    )
    assert len({row.tobytes() for row in noisy.labels}) > 3


def test_the_sign_test_is_that_of_the_binomial_distribution() -> None:
    for alpha in (0.05, 0.025, 0.2, 0.001):
        decided = np.arange(5000)
        critical = critical_wins(decided, alpha=alpha)
        assert np.all(binom.sf(critical - 1, decided, 0.5) <= alpha)
        possible = critical <= decided
        one_less = np.asarray(binom.sf(critical - 2, decided, 0.5))
        assert np.all(one_less[possible] > alpha)
        assert np.all(0.5 ** decided[~possible] > alpha)


def test_looking_up_significance_gives_what_testing_does() -> None:
    wins = simulate_wins(KOEHN, blocks=[3, 100, 2000], seed=0, experiment=0).wins
    for alpha in (0.05, 0.01):
        assert np.array_equal(
            significantly_better(wins, alpha=alpha),
            better(wins, level=alpha),
        )
        looked_up = sign_test_ranges(wins, alpha=alpha)
        tested = ranges_of_better(better(wins, level=alpha))
        assert np.array_equal(looked_up.low, tested.low)
        assert np.array_equal(looked_up.high, tested.high)


def test_rank_ranges_count_the_significantly_better_and_worse() -> None:
    # The example of Koehn (2012, §5.1): better than 9, worse than 2, one of 15: ranks 3 to 6.
    wins = np.zeros((15, 15), dtype=np.int64)
    wins[0, 1:10], wins[10:12, 0] = 20, 20
    ranges = sign_test_ranges(wins)
    assert (ranges.low[0], ranges.high[0]) == (3, 6)
    assert significant_pairs(wins) == pytest.approx(11 / 105)
    assert not np.any(significantly_better(wins) & significantly_better(wins).T)


@pytest.mark.thorough
def test_the_simulation_agrees_with_the_expected_curve() -> None:
    comparisons = [300, 3000, 20_000]
    for model in (KOEHN, Model(systems=12, noise=6, per_block=3, judge_noise=4)):
        expected = expected_significant_pairs(model, comparisons)
        shares = np.array(
            [
                significant_pairs(
                    simulate_wins(
                        model,
                        blocks=model.blocks_for(comparisons),
                        seed=2,
                        experiment=experiment,
                    ).wins,
                )
                for experiment in range(600)
            ],
        )
        error = shares.std(axis=0) / np.sqrt(600)
        assert np.all(np.abs(shares.mean(axis=0) - expected) < 3.5 * error)


def test_expected_comparisons_give_the_expected_share() -> None:
    counts = expected_comparisons(KOEHN, [0.3, 0.6])
    assert expected_significant_pairs(KOEHN, counts.astype(int)) == pytest.approx(
        [0.3, 0.6],
        abs=0.005,
    )
    assert expected_comparisons(KOEHN, [0.99], limit=1000).tolist() == [np.inf]
    with pytest.raises(ValueError, match="ties"):
        expected_significant_pairs(EVERYTHING, [100])


def test_violations_are_counted_per_system() -> None:
    true = np.array([1, 2, 3, 4])
    ranges = RankRanges(low=np.array([1, 1, 4, 3]), high=np.array([1, 3, 4, 3]))
    assert range_violations(ranges, true) == 0.5
    assert clusters(ranges).tolist() == [1, 1, 2, 1]
    assert cluster_violations(clusters(ranges), true) == 0.5
    assert cluster_violations(np.array([1, 1, 2, 2]), true) == 0
    assert cluster_violations(np.array([2, 1, 1, 1]), true) == 1
    assert error_of_ranks(np.array([2, 1, 3, 4]), true) == pytest.approx(1 / 6)
    assert error_of_ranks(true, true) == 0


@pytest.mark.thorough
def test_a_study_is_the_same_for_any_number_of_workers() -> None:
    one, two = (
        simulate_campaigns(
            Model(systems=6, noise=5),
            comparisons=[500, 1000],
            experiments=25,
            rank_ranges="bootstrap",
            resample="blocks",
            resamples=40,
            seed=4,
            engine=ThisMachine(workers),
        )
        for workers in (1, 2)
    )
    assert one == two
    assert [row.comparisons for row in one.rows] == [500, 1000]
    assert one.rows[1].range_size < one.rows[0].range_size
    assert set(one.rows[0].error) == {"bojar", "expected_wins", "lopez"}


def test_only_resampled_segments_know_that_outputs_are_shared() -> None:
    # The same outputs judged 20 times over: the systems' luck with 100 segments is all there is.
    model = Model(systems=8, noise=8, judge_noise=6, segments=100)
    rows = {
        level: simulate_campaigns(
            model,
            comparisons=[20_000],
            experiments=14,
            methods=(),
            rank_ranges="bootstrap",
            resample=level,
            resamples=200,
        ).rows[0]
        for level in LEVELS
    }
    assert (
        rows["pairs"].range_size
        < rows["blocks"].range_size
        < rows["segments"].range_size
    )
    assert rows["segments"].range_violations < 0.05 < rows["blocks"].range_violations


@pytest.mark.parametrize(
    "wrong",
    [{"systems": 1}, {"noise": 0}, {"noise": float("nan")}, {"per_block": 6}, {"tie_radius": -1}, {"judge_noise": float("inf")}, {"segments": 0}],
)  # fmt: skip
def test_a_model_refuses_nonsense(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        replace(KOEHN, **wrong)  # type: ignore[arg-type]


def test_the_spread_is_expected_wins_best_first() -> None:
    # a wins 3 of 4 against b and 1 of 2 against c; b wins 2 of 2 against c; d met nobody.
    wins = np.array([[0, 3, 1, 0], [1, 0, 2, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    assert sorted_expected_wins(wins).tolist() == pytest.approx(
        [5 / 8, 5 / 8, 1 / 2, 1 / 4],
    )
    assert sorted_expected_wins(np.stack([wins, wins.T])).shape == (2, 4)


def test_the_most_distant_point_has_the_smallest_p_value() -> None:
    random = np.random.default_rng(1)
    simulated = random.normal(size=(99, 3))
    assert spread_p_value(np.array([9.0, 0, 0]), simulated) == 1 / 100
    assert spread_p_value(simulated.mean(axis=0), simulated) == 1


def test_the_test_holds_its_level_whatever_the_points_are() -> None:
    random = np.random.default_rng(2)
    p_values = []
    for _campaign in range(600):
        # Skewed, dependent, and on a line at right angles to (1, 1, 1): their sum is constant.
        points = random.exponential(size=(60, 3)).cumsum(axis=1)
        points -= points.mean(axis=1, keepdims=True)
        p_values.append(spread_p_value(points[0], points[1:]))
    # 60 and 30 of 600 expected, with standard deviations of 7.3 and 5.3.
    assert 38 <= np.count_nonzero(np.array(p_values) <= 0.1) <= 82
    assert np.count_nonzero(np.array(p_values) <= 0.05) <= 46

"""Random numbers of draws: their distribution.

The covariance over segments and judges, beside hand-worked sums and statsmodels'.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chi2, kstest, norm, t
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import CLUSTER_UNITS, Moments, moments_of_blocks
from ranking.core.counting.resampling import Level, uniform_numbers
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.shares import expected_wins_influence
from ranking.core.rankings.rank import rank
from ranking.core.scores import Scores
from ranking.core.uncertainty import (
    ClusteredCovariance,
    RangeLimit,
    ScoreCovariance,
    clustered_covariance,
    combined_covariance,
    draw_scores,
    t_deviates,
    two_way_covariance,
    with_least_variance,
)
from tests.worlds import World, draw_campaign, world_named

FloatArray = npt.NDArray[np.float64]


@pytest.mark.parametrize("degrees_of_freedom", [np.inf, 3.0, 12.5])
def test_deviates_of_systems_follow_students_t(degrees_of_freedom: float) -> None:
    found = t_deviates(4, range(4000), 3, degrees_of_freedom)
    distribution = t(degrees_of_freedom) if np.isfinite(degrees_of_freedom) else t(1e12)
    for of_system in found.T:
        assert kstest(of_system, distribution.cdf).pvalue > 0.01


def test_one_scale_is_drawn_for_all_systems() -> None:
    """As in a multivariate t: with few degrees of freedom, large deviates come together."""
    found = t_deviates(4, range(20_000), 2, 5.0)
    assert np.all(np.asarray(np.corrcoef(np.abs(found).T)) > 0.1)
    np.testing.assert_allclose(np.corrcoef(found.T), np.eye(2), atol=0.03)


def test_a_draw_is_a_function_of_seed_and_id() -> None:
    whole = t_deviates(7, range(10), 3, 6.0)
    np.testing.assert_array_equal(whole[4:6], t_deviates(7, range(4, 6), 3, 6.0))
    assert not np.any(whole == t_deviates(8, range(10), 3, 6.0))
    assert t_deviates(7, range(0), 3, 6.0).shape == (0, 3)


def moments_of(added: list[tuple[int, int, list[int]]]) -> Moments:
    """Moments of blocks given by segment, judge and what they add to each cell."""
    counts = np.array([cells for _segment, _judge, cells in added])

    def summed(units: list[int]) -> npt.NDArray[np.int64]:
        rows = [
            counts[np.array(units) == unit].sum(axis=0) for unit in sorted(set(units))
        ]
        return np.asarray(np.sum([np.outer(row, row) for row in rows], axis=0))

    return Moments(
        cells=counts.sum(axis=0),
        blocks=summed(list(range(len(added)))),
        segments=summed([segment for segment, _judge, _cells in added]),
        judges=summed([judge for _segment, judge, _cells in added]),
    )


def test_a_hand_worked_covariance() -> None:
    # Segments 0 … 3, each judged by two of the judges 0 … 3, ten comparisons at a time. With an
    # influence of 1 for a win and −1 for a loss the blocks say 6, −2 | 4, 0 | 2, 2 | −4, 8.
    places = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 0), (3, 3)]
    wins = [8, 4, 7, 5, 6, 6, 3, 9]
    moments = moments_of(
        [(s, j, [won, 10 - won]) for (s, j), won in zip(places, wins, strict=True)],
    )
    assert [moments.effective(unit) for unit in CLUSTER_UNITS] == [8, 4, 4]
    of_blocks = 8 / 7 * (36 + 4 + 16 + 0 + 4 + 4 + 16 + 64)
    of_segments = 4 / 3 * (4**2 + 4**2 + 4**2 + 4**2)
    of_judges = 4 / 3 * ((6 - 4) ** 2 + (-2 + 4) ** 2 + (0 + 2) ** 2 + (2 + 8) ** 2)
    total = of_segments + of_judges - of_blocks
    found = two_way_covariance(moments, np.array([[1.0, -1.0]]))
    assert found.matrix[0, 0] == pytest.approx(total)
    assert found.degrees_of_freedom == max(
        1,
        total**2 / (of_segments**2 / 3 + of_judges**2 / 3),
    )
    assert found.limits == ()


def test_the_covariance_is_that_of_statsmodels() -> None:
    """The share of one cell among two, as the constant of a regression on outcomes."""
    random = np.random.default_rng(7)
    segments, judges = np.divmod(np.arange(20 * 12), 12)
    chosen = random.permuted(np.arange(len(segments)))
    segments, judges = segments[chosen], judges[chosen]
    outcome = (
        random.normal(size=len(chosen)) + random.normal(size=20)[segments] > 0
    ).astype(int)
    share = outcome.mean()
    moments = moments_of(
        [(s, j, [o, 1 - o]) for s, j, o in zip(segments, judges, outcome, strict=True)],
    )
    found = two_way_covariance(moments, np.array([[1 - share, -share]]) / len(outcome))
    fitted = OLS(outcome, np.ones(len(outcome))).fit()
    both, of_segments, of_judges = cov_cluster_2groups(fitted, segments, judges)
    assert found.matrix[0, 0] == pytest.approx(both[0, 0], rel=1e-12)
    assert found.segments == pytest.approx(20)
    assert found.judges == pytest.approx(12)
    # Satterthwaite, of the two variances statsmodels gives.
    expected = both[0, 0] ** 2 / (
        of_segments[0, 0] ** 2 / 19 + of_judges[0, 0] ** 2 / 11
    )
    assert found.degrees_of_freedom == pytest.approx(max(1, expected), rel=1e-9)


def few_judges(judges: int) -> Blocks:
    world = World(name=f"{judges} judges", judges=judges, blocks=300, systems=5)
    return draw_campaign(world, 1)[0]


@pytest.mark.parametrize("method", ["expected_wins", "lopez"])
def test_two_judges_are_too_few_and_six_are_not(method: str) -> None:
    assert rank(few_judges(2), method, resamples=20).limits == (RangeLimit.FEW_JUDGES,)
    assert rank(few_judges(6), method, resamples=20).limits == ()


def test_with_too_few_judges_the_covariance_is_that_of_the_segments() -> None:
    blocks, layout = few_judges(3), Layout(5)
    moments = moments_of_blocks(blocks, layout)
    influence = expected_wins_influence(layout.unpack(moments.cells).wins)
    influence = influence[:, layout.used]
    found = two_way_covariance(moments, influence)
    total = int(moments.cells.sum())
    expected = clustered_covariance(total, moments.segments, influence).matrix
    np.testing.assert_allclose(found.matrix, expected, atol=1e-15)


def test_one_segment_judged_by_one_judge_is_little_to_go_by() -> None:
    rows = [BlockRow("j", 1, ["a", "b"], [1, 2]), BlockRow("j", 1, ["b", "a"], [1, 2])]
    ranking = rank(blocks_from_rows(rows, "ab"))
    assert ranking.limits == (RangeLimit.FEW_SEGMENTS, RangeLimit.FEW_JUDGES)
    assert [(row.rank_low, row.rank_high) for row in ranking.systems] == [
        (1, 2),
        (1, 2),
    ]


def test_a_negative_variance_is_taken_for_none() -> None:
    # Judges who agree more than chance: of every segment, one block each way.
    rows = [
        BlockRow(f"j{j}", s, ["a", "b"], [1, 2] if (s + j) % 2 else [2, 1])
        for s in range(6)
        for j in range(6)
    ]
    blocks, layout = blocks_from_rows(rows, "ab"), Layout(2)
    moments = moments_of_blocks(blocks, layout)
    influence = np.array([[0.5, -0.5], [-0.5, 0.5]]) / len(blocks)
    found = two_way_covariance(moments, influence)
    np.testing.assert_allclose(found.matrix, 0, atol=1e-15)
    assert np.linalg.eigvalsh(found.matrix).min() >= -1e-15


def test_draws_have_the_covariance_and_the_tails_asked_for() -> None:
    matrix = np.array([[2.0, 0.5, -1.0], [0.5, 1.0, 0.0], [-1.0, 0.0, 3.0]])
    scores = Scores(
        values=np.array([1.0, 0.0, -1.0]),
        estimable=np.ones(3, dtype=np.bool_),
    )

    def draws(degrees_of_freedom: float) -> npt.NDArray[np.float64]:
        covariance = ScoreCovariance(
            matrix=matrix,
            degrees_of_freedom=degrees_of_freedom,
            segments=9,
            judges=9,
            limits=(),
        )
        return draw_scores(
            scores,
            covariance,
            range(15_000),
            seed=5,
            order=np.array([2, 0, 1]),
        ).values

    normal = draws(np.inf)
    np.testing.assert_allclose(normal.mean(axis=0), scores.values, atol=0.06)
    np.testing.assert_allclose(np.cov(normal.T), matrix, atol=0.1)
    # With three systems ranks have 1.6 times as many degrees of freedom, but with ν = 4 as many.
    # Student's t with four degrees of freedom is beyond 2.776 standard deviations in 5 %.
    beyond = np.abs(draws(4.0) - scores.values) > 2.776 * np.sqrt(np.diag(matrix))
    np.testing.assert_allclose(beyond.mean(axis=0), 0.05, atol=0.008)


def test_draws_may_be_made_in_parts() -> None:
    covariance = ScoreCovariance(
        matrix=np.eye(2),
        degrees_of_freedom=7,
        segments=9,
        judges=9,
        limits=(),
    )
    scores = Scores(values=np.zeros(2), estimable=np.ones(2, dtype=np.bool_))
    order = np.arange(2)
    whole = draw_scores(scores, covariance, range(6), seed=1, order=order).values
    tail = draw_scores(scores, covariance, range(4, 6), seed=1, order=order).values
    np.testing.assert_array_equal(whole[4:], tail)


def test_ranges_hold_two_thirds_more_systems_than_over_blocks() -> None:
    """Seeded campaigns of the world in which blocks fail most; see docs/statistics/coverage.md."""
    world = world_named("100 segments and 10 judges, taste 2.5")
    outside: dict[Level, int] = {"two_way": 0, "blocks": 0}
    for seed in range(20):
        blocks, truth = draw_campaign(world, seed)
        place = (-truth).argsort().argsort() + 1
        for level in outside:
            for row in rank(blocks, resample=level, resamples=400).systems:
                true = place[blocks.systems.index(row.system)]
                outside[level] += not row.rank_low <= true <= row.rank_high
    assert outside["two_way"] <= 0.06 * 20 * 15
    assert outside["blocks"] > 0.12 * 20 * 15


@pytest.mark.parametrize("method", ["expected_wins", "bradley_terry"])
def test_a_newcomer_with_one_block_may_have_nearly_any_rank(method: str) -> None:
    """What one block says of a system cancels at a maximum of likelihood: it is not certain."""
    blocks, _truth = draw_campaign(World(name="newcomer", systems=8, blocks=300), 3)
    seen = np.flatnonzero(blocks.labels[:, 7] > 0)
    labels, candidates = blocks.labels.copy(), blocks.candidates.copy()
    labels[seen[1:], 7], candidates[seen[1:], 7] = 0, -1
    labels[seen[0], 7], labels[seen[0], :7] = 1, np.where(labels[seen[0], :7] > 0, 2, 0)
    newcomer = replace(blocks, labels=labels, candidates=candidates)
    (row,) = [row for row in rank(newcomer, method).systems if row.system == "s07"]
    assert (row.wins, row.losses, row.rank) == (4, 0, 1)
    assert row.rank_high >= 4


def test_least_variances_enlarge_what_is_below_and_keep_correlations() -> None:
    matrix = np.array([[1.0, 1.0, 0.0], [1.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    covariance = ScoreCovariance(
        matrix=matrix,
        degrees_of_freedom=9,
        segments=9,
        judges=9,
        limits=(),
    )
    found = with_least_variance(covariance, np.array([4.0, 1.0, 2.0]))
    np.testing.assert_allclose(found.matrix, [[4, 2, 0], [2, 4, 0], [0, 0, 2]])


@pytest.mark.parametrize(
    ("systems", "degrees_of_freedom", "expected"),
    [
        (2, 9, 9),  # one difference: nothing averages out
        (4, 9, 9 * 2),  # 1 / (1/4 + 3/12)
        (15, 9, 9 * 9 / 4),
        (15, 40, 40 / (1 / 4 + 3 / 56)),
        (15, 4, 4),
        (15, 3, 9 / 4),
        (15, 1, 1),
    ],
)
def test_degrees_of_freedom_of_ranks(
    systems: int,
    degrees_of_freedom: float,
    expected: float,
) -> None:
    covariance = ScoreCovariance(
        matrix=np.eye(systems),
        degrees_of_freedom=degrees_of_freedom,
        segments=9,
        judges=9,
        limits=(),
    )
    assert covariance.rank_degrees_of_freedom == pytest.approx(expected)


def test_with_too_few_of_both_the_blocks_are_all_there_is() -> None:
    def part(variance: float, effective: float) -> ClusteredCovariance:
        return ClusteredCovariance(np.array([[variance]]), effective)

    blocks, few = part(2.0, 12.0), part(5.0, 3.0)
    found = combined_covariance(blocks, few, few)
    assert (found.matrix[0, 0], found.degrees_of_freedom) == (2, 11)
    assert found.limits == (RangeLimit.FEW_SEGMENTS, RangeLimit.FEW_JUDGES)
    of_judges = combined_covariance(blocks, few, part(7.0, 9.0))
    assert (of_judges.matrix[0, 0], of_judges.degrees_of_freedom, of_judges.judges) == (
        7,
        8,
        9,
    )
    assert (of_judges.limits, of_judges.segments) == ((RangeLimit.FEW_SEGMENTS,), 3)
    assert (
        combined_covariance(
            part(0.0, 9.0),
            part(0.0, 9.0),
            part(0.0, 9.0),
        ).degrees_of_freedom
        == np.inf
    )


def deviates_of(id_: int) -> FloatArray:
    """Compute four deviates of seed 8 with 18 degrees of freedom."""
    places = np.arange(5, dtype=np.uint64)
    uniform = uniform_numbers(places, seed=8, resamples=1, first_resample=id_)[:, 0]
    return np.asarray(norm.ppf(uniform[:4]) / np.sqrt(chi2.isf(uniform[4], 18) / 18))


def test_draws_have_the_freedom_of_ranks_and_keep_what_does_not_compare() -> None:
    covariance = ScoreCovariance(
        matrix=np.eye(4),
        degrees_of_freedom=9,
        segments=9,
        judges=9,
        limits=(),
    )
    estimable = np.array([True, True, True, False])
    scores = Scores(
        values=np.array([3.0, 2.0, 1.0, np.nan]),
        estimable=estimable,
        group=np.array([0, 0, 1, 2]),
    )
    order = np.array([2, 0, 3, 1])
    found = draw_scores(scores, covariance, range(5, 7), seed=8, order=order)
    for row, id_ in enumerate((5, 6)):
        # Four systems double the degrees of freedom.
        expected = scores.values.copy()
        expected[order] += deviates_of(id_)
        np.testing.assert_allclose(found.values[row], expected)
    np.testing.assert_array_equal(found.estimable, [estimable] * 2)
    assert found.group is not None
    np.testing.assert_array_equal(found.group, [[0, 0, 1, 2]] * 2)

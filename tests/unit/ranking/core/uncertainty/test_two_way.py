"""The covariance over segments and judges, beside hand-worked sums and statsmodels'."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from ranking.core.counting.counts import Counts, Layout, count
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    Moments,
    effective_units_by_system,
    moments_of_blocks,
    second_moments,
    unit_counts,
    units_of,
)
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.expected_wins import expected_wins_influence, smoothed_share
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.ranges.clusters import rank_ranges
from ranking.core.rankings.rank import rank
from ranking.core.rankings.two_way_resampling import _share, two_way_resampling
from ranking.core.scores import Scores
from ranking.core.uncertainty.two_way import (
    ClusteredCovariance,
    RangeLimit,
    ScoreCovariance,
    clustered_covariance,
    combined_covariance,
    draw_scores,
    two_way_covariance,
    with_least_variance,
)
from tests.worlds import World, draw_campaign, world_named

Drawn = Callable[[int], Blocks]

WITH_INFLUENCE = [
    name
    for name, method in METHODS.items()
    if isinstance(method, CountsMethod) and method.influence is not None
]


def moments_of(added: list[tuple[int, int, list[int]]]) -> Moments:
    """Moments of blocks given by segment, judge and what they add to each cell."""
    counts = np.array([cells for _segment, _judge, cells in added])

    def summed(units: list[int]) -> npt.NDArray[np.int64]:
        rows = [counts[np.array(units) == unit].sum(axis=0) for unit in sorted(set(units))]
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
        [(s, j, [won, 10 - won]) for (s, j), won in zip(places, wins, strict=True)]
    )
    assert [moments.effective(unit) for unit in CLUSTER_UNITS] == [8, 4, 4]
    of_blocks = 8 / 7 * (36 + 4 + 16 + 0 + 4 + 4 + 16 + 64)
    of_segments = 4 / 3 * (4**2 + 4**2 + 4**2 + 4**2)
    of_judges = 4 / 3 * ((6 - 4) ** 2 + (-2 + 4) ** 2 + (0 + 2) ** 2 + (2 + 8) ** 2)
    total = of_segments + of_judges - of_blocks
    found = two_way_covariance(moments, np.array([[1.0, -1.0]]))
    assert found.matrix[0, 0] == pytest.approx(total)
    assert found.degrees_of_freedom == max(1, total**2 / (of_segments**2 / 3 + of_judges**2 / 3))
    assert found.limits == ()


def test_the_covariance_is_that_of_statsmodels() -> None:
    """The share of one cell among two, as the constant of a regression on outcomes."""
    random = np.random.default_rng(7)
    segments, judges = np.divmod(np.arange(20 * 12), 12)
    chosen = random.permuted(np.arange(len(segments)))
    segments, judges = segments[chosen], judges[chosen]
    outcome = (random.normal(size=len(chosen)) + random.normal(size=20)[segments] > 0).astype(int)
    share = outcome.mean()
    moments = moments_of(
        [(s, j, [o, 1 - o]) for s, j, o in zip(segments, judges, outcome, strict=True)]
    )
    found = two_way_covariance(moments, np.array([[1 - share, -share]]) / len(outcome))
    fitted = OLS(outcome, np.ones(len(outcome))).fit()
    both, of_segments, of_judges = cov_cluster_2groups(fitted, segments, judges)
    assert found.matrix[0, 0] == pytest.approx(both[0, 0], rel=1e-12)
    assert found.segments == pytest.approx(20)
    assert found.judges == pytest.approx(12)
    # Satterthwaite, of the two variances statsmodels gives.
    expected = both[0, 0] ** 2 / (of_segments[0, 0] ** 2 / 19 + of_judges[0, 0] ** 2 / 11)
    assert found.degrees_of_freedom == pytest.approx(max(1, expected), rel=1e-9)


@pytest.mark.parametrize("outright", [False, True])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("blocks_of_unit", [40, 4000])
def test_moments_are_sums_over_units(
    drawn_blocks: Drawn, *, ties: bool, outright: bool, blocks_of_unit: int
) -> None:
    """By the sparse products and, with many blocks, by the compiled kernel."""
    blocks = drawn_blocks(blocks_of_unit)
    layout = Layout(len(blocks.systems), ties=ties, outright=outright)
    moments = moments_of_blocks(blocks, layout)
    np.testing.assert_array_equal(moments.cells, count(blocks, layout))
    for unit in CLUSTER_UNITS[1:]:
        numbers = units_of(blocks, unit)
        expected = np.zeros((len(layout.used),) * 2, dtype=np.int64)
        for number in np.unique(numbers).tolist():
            cells = count(blocks.take(numbers == number), layout)[layout.used]
            expected += np.outer(cells, cells)
        np.testing.assert_array_equal(getattr(moments, unit), expected)


def test_the_compiled_moments_are_the_interpreted_ones(
    drawn_blocks: Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks, layout = drawn_blocks(300), Layout(6, ties=True, outright=True)
    found = moments_of_blocks(blocks, layout)
    from ranking.core.counting import kernel as counting_kernel

    monkeypatch.setattr(
        "ranking.core.counting.moments.counting_kernel", lambda _steps: counting_kernel
    )
    compiled = moments_of_blocks(blocks, layout)
    for name in ("cells", *CLUSTER_UNITS):
        np.testing.assert_array_equal(getattr(found, name), getattr(compiled, name))


@pytest.mark.parametrize("name", WITH_INFLUENCE)
def test_influence_is_the_derivative_where_data_are_plenty(name: str) -> None:
    """By one comparison more and one less, of each used cell."""
    method = METHODS[name]
    assert isinstance(method, CountsMethod)
    assert method.influence is not None
    random = np.random.default_rng(2)
    layout = method.layout(4)
    cells = np.zeros(layout.size, dtype=np.int64)
    cells[layout.used] = random.integers(200_000, 400_000, len(layout.used))
    if layout.outright:
        cells[-12:] = [900_000] * 4 + [500_000] * 4 + [400_000] * 4
    influence = method.influence(layout.unpack(cells))
    assert influence.shape == (4, layout.size)
    for cell in layout.used.tolist():
        more, less = cells.copy(), cells.copy()
        more[cell] += 1000
        less[cell] -= 1000
        moved = (
            method.of_counts(layout.unpack(more)).values
            - method.of_counts(layout.unpack(less)).values
        ) / 2000
        np.testing.assert_allclose(influence[:, cell], moved, atol=2e-11)


def test_a_smoothed_share_of_few_trials_is_not_certain() -> None:
    share, weight = smoothed_share(np.array([0, 1, 2, 10]), np.array([0, 1, 2, 10]))
    np.testing.assert_allclose(share, [1 / 2, 2 / 3, 3 / 4, 11 / 12])
    np.testing.assert_allclose(weight, [0, 2**0.5, 2**0.5 / 2, (10 / 9) ** 0.5 / 10])


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
    influence = expected_wins_influence(layout.unpack(moments.cells).wins).reshape(5, 25)
    influence = influence[:, layout.used]
    found = two_way_covariance(moments, influence)
    np.testing.assert_allclose(
        found.matrix, clustered_covariance(moments, influence, "segments"), atol=1e-15
    )


def test_one_segment_judged_by_one_judge_is_little_to_go_by() -> None:
    rows = [BlockRow("j", 1, ["a", "b"], [1, 2]), BlockRow("j", 1, ["b", "a"], [1, 2])]
    ranking = rank(blocks_from_rows(rows, "ab"))
    assert ranking.limits == (RangeLimit.FEW_SEGMENTS, RangeLimit.FEW_JUDGES)
    assert [(row.rank_low, row.rank_high) for row in ranking.systems] == [(1, 2), (1, 2)]


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
    scores = Scores(values=np.array([1.0, 0.0, -1.0]), estimable=np.ones(3, dtype=np.bool_))

    def draws(degrees_of_freedom: float) -> npt.NDArray[np.float64]:
        covariance = ScoreCovariance(
            matrix=matrix, degrees_of_freedom=degrees_of_freedom, segments=9, judges=9, limits=()
        )
        return draw_scores(
            scores, covariance, range(15_000), seed=5, order=np.array([2, 0, 1])
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
        matrix=np.eye(2), degrees_of_freedom=7, segments=9, judges=9, limits=()
    )
    scores = Scores(values=np.zeros(2), estimable=np.ones(2, dtype=np.bool_))
    order = np.arange(2)
    whole = draw_scores(scores, covariance, range(6), seed=1, order=order).values
    tail = draw_scores(scores, covariance, range(4, 6), seed=1, order=order).values
    np.testing.assert_array_equal(whole[4:], tail)


def test_resampling_has_the_variance_of_the_closed_form() -> None:
    """For a method that could have either: Expected Wins, with shared segments and tastes."""
    blocks, _truth = draw_campaign(world_named("100 segments and 10 judges, taste 2.5"), 5)
    method = METHODS["expected_wins"]
    assert isinstance(method, CountsMethod)
    layout = Layout(len(blocks.systems))
    closed = method.covariance(moments_of_blocks(blocks, layout), layout)
    resampling, limits = two_way_resampling(blocks, seed=1)
    assert (resampling.level, limits) == ("two_way", ())
    assert 0 < resampling.share < 1
    scores = method.score_resamples(blocks, resampling, range(2000)).values
    degrees_of_freedom = closed.rank_degrees_of_freedom
    wanted = np.trace(closed.matrix) * degrees_of_freedom / (degrees_of_freedom - 2)
    assert np.trace(np.cov(scores.T)) == pytest.approx(wanted, rel=0.1)


def test_ranges_hold_two_thirds_more_systems_than_over_blocks() -> None:
    """Seeded campaigns of the world in which blocks fail most; see docs/statistics/coverage.md."""
    world = world_named("100 segments and 10 judges, taste 2.5")
    outside: dict[Level, int] = {"two_way": 0, "blocks": 0}
    for seed in range(40):
        blocks, truth = draw_campaign(world, seed)
        place = (-truth).argsort().argsort() + 1
        for level in outside:
            for row in rank(blocks, resample=level, resamples=400).systems:
                true = place[blocks.systems.index(row.system)]
                outside[level] += not row.rank_low <= true <= row.rank_high
    assert outside["two_way"] <= 0.06 * 40 * 15
    assert outside["blocks"] > 0.12 * 40 * 15


def test_ranges_do_not_widen_where_nothing_is_shared() -> None:
    widths: dict[Level, int] = {"two_way": 0, "blocks": 0}
    for seed in range(12):
        blocks, _truth = draw_campaign(world_named("Koehn"), seed)
        for level in widths:
            rows = rank(blocks, resample=level, resamples=400).systems
            widths[level] += sum(row.rank_high - row.rank_low + 1 for row in rows)
    assert widths["two_way"] <= 1.05 * widths["blocks"]


def test_systems_never_told_apart_share_their_range() -> None:
    rows = [
        BlockRow(f"j{k % 5}", k, [("a", "b"), ("c",)], [1 + k % 2, 2 - k % 2]) for k in range(30)
    ]
    ranges = {
        row.system: (row.rank_low, row.rank_high)
        for row in rank(blocks_from_rows(rows, "abc")).systems
    }
    assert ranges["a"] == ranges["b"]


def test_equal_draws_of_equal_seeds_give_equal_ranges(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(60)
    assert rank(blocks, seed=4) == rank(blocks, seed=4, jobs=3)
    assert rank(blocks, seed=4) != rank(blocks, seed=5)
    one = rank_ranges(Scores(np.zeros((5, 2)), np.ones((5, 2), dtype=np.bool_)))
    assert one.high.tolist() == [2, 2]


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
        matrix=matrix, degrees_of_freedom=9, segments=9, judges=9, limits=()
    )
    found = with_least_variance(covariance, np.array([4.0, 1.0, 2.0]))
    np.testing.assert_allclose(found.matrix, [[4, 2, 0], [2, 4, 0], [0, 0, 2]])


def test_a_system_takes_part_in_its_own_cells() -> None:
    layout = Layout(3, ties=True, outright=True)
    found = {tuple(np.flatnonzero(column).tolist()) for column in layout.takes_part.T}
    assert found == {(0, 1), (0, 2), (1, 2), (0,), (1,), (2,)}
    assert layout.takes_part.sum() == 2 * (6 + 3) + 9


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
    systems: int, degrees_of_freedom: float, expected: float
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
    assert (of_judges.matrix[0, 0], of_judges.degrees_of_freedom, of_judges.judges) == (7, 8, 9)
    assert (of_judges.limits, of_judges.segments) == ((RangeLimit.FEW_SEGMENTS,), 3)
    assert (
        combined_covariance(part(0.0, 9.0), part(0.0, 9.0), part(0.0, 9.0)).degrees_of_freedom
        == np.inf
    )


def test_draws_have_the_freedom_of_ranks_and_keep_what_does_not_compare() -> None:
    covariance = ScoreCovariance(
        matrix=np.eye(4), degrees_of_freedom=9, segments=9, judges=9, limits=()
    )
    estimable = np.array([True, True, True, False])
    scores = Scores(
        values=np.array([3.0, 2.0, 1.0, np.nan]), estimable=estimable, group=np.array([0, 0, 1, 2])
    )
    order = np.array([2, 0, 3, 1])
    found = draw_scores(scores, covariance, range(5, 7), seed=8, order=order)
    for row, id_ in enumerate((5, 6)):
        generator = np.random.Generator(np.random.Philox(key=np.array([8, id_], dtype=np.uint64)))
        normal = generator.standard_normal(4)
        # Four systems double the degrees of freedom.
        deviates = normal / np.sqrt(generator.chisquare(18) / 18)
        expected = scores.values.copy()
        expected[order] += deviates
        np.testing.assert_allclose(found.values[row], expected)
    np.testing.assert_array_equal(found.estimable, [estimable] * 2)
    assert found.group is not None
    np.testing.assert_array_equal(found.group, [[0, 0, 1, 2]] * 2)


def test_the_share_resampled_solves_its_equation_between_nought_and_one() -> None:
    share = _share(3.0, 2.0, 2.0)
    assert share * 3 + share**2 * 2 == pytest.approx(2)
    assert (_share(1.0, 1.0, 9.0), _share(0.0, 0.0, 1.0), _share(1.0, 1.0, 0.0)) == (1, 1, 0)


@pytest.mark.parametrize(
    ("judges", "segments", "level"),
    [(2, 30, "segments"), (30, 2, "judges"), (2, 2, "blocks"), (30, 30, "two_way")],
)
def test_what_is_resampled_where_units_are_few(judges: int, segments: int, level: Level) -> None:
    rows = [
        BlockRow(f"j{k % judges}", k // 2 % segments, ["a", "b", "c"], [1 + k % 3, 2, 3 - k % 2])
        for k in range(60)
    ]
    resampling, limits = two_way_resampling(blocks_from_rows(rows, "abc"), seed=7)
    assert (resampling.level, resampling.seed) == (level, 7)
    assert (RangeLimit.FEW_JUDGES in limits) == (judges == 2)
    assert (RangeLimit.FEW_SEGMENTS in limits) == (segments == 2)


def test_where_nothing_varies_resampling_has_a_share_all_the_same() -> None:
    """Infinitely many degrees of freedom: ties only, and judges who agree more than chance."""
    ties = [BlockRow(f"j{k % 6}", k // 6, ["a", "b"], [1, 1]) for k in range(36)]
    assert two_way_resampling(blocks_from_rows(ties, "ab"), seed=0)[0].share == 1
    balanced = [
        BlockRow(f"j{j}", s, ["a", "b"], [1, 2] if (s + j) % 2 else [2, 1])
        for s in range(6)
        for j in range(6)
    ]
    assert two_way_resampling(blocks_from_rows(balanced, "ab"), seed=0)[0].share == pytest.approx(0)


def test_the_share_is_that_of_the_variance_that_draws_have() -> None:
    """Student's, with the degrees of freedom of ranks."""
    world = World(name="share", judges=30, systems=5, blocks=200)
    blocks = draw_campaign(world, 1)[0]
    layout = Layout(5)
    moments = moments_of_blocks(blocks, layout)
    influence = expected_wins_influence(layout.unpack(moments.cells).wins).reshape(5, 25)
    influence = influence[:, layout.used]
    closed = two_way_covariance(moments, influence)
    degrees_of_freedom = closed.rank_degrees_of_freedom
    assert degrees_of_freedom > 4
    of = {
        unit: np.trace(influence @ getattr(moments, unit) @ influence.T) for unit in CLUSTER_UNITS
    }
    share = two_way_resampling(blocks, seed=0)[0].share
    found = share * (of["segments"] + of["judges"]) + share**2 * of["blocks"]
    assert 0 < share < 1
    assert found == pytest.approx(
        np.trace(closed.matrix) * degrees_of_freedom / (degrees_of_freedom - 2)
    )


@pytest.mark.parametrize("name", ["geq_others", "gt_others", "bojar", "gt_all_in_block"])
def test_influences_of_few_trials_are_deviations_from_the_smoothed_share(name: str) -> None:
    """Of system a with two wins, no loss and one tie; two of three blocks won alone."""
    method = METHODS[name]
    assert isinstance(method, CountsMethod)
    assert method.influence is not None
    layout = method.layout(2)
    counts = Counts(
        wins=np.array([[0, 2], [0, 0]]),
        ties=np.array([[0, 1], [1, 0]]),
        shown=np.array([3, 3]),
        best=np.array([3, 1]),
        alone=np.array([2, 0]),
    )
    part, whole = {"geq_others": (3, 3), "bojar": (2, 2)}.get(name, (2, 3))
    share, weight = (part + 1) / (whole + 2), (whole / (whole - 1)) ** 0.5 / whole
    influence = method.influence(counts)[0]
    assert influence.shape == (layout.size,)
    if layout.outright:
        # Shown, best, alone: of a and b each.
        expected = [weight * -share, 0, 0, 0, weight, 0]
        np.testing.assert_allclose(influence[-6:], expected)
        assert not influence[:-6].any()
    else:
        assert influence[1] == pytest.approx(weight * (1 - share))
        assert influence[2] == pytest.approx(weight * -share)
    if layout.ties and not layout.outright:
        tie = {"geq_others": 1, "gt_others": 0}[name]
        assert influence[5] == pytest.approx(weight * (tie - share))


def test_influences_of_expected_wins_ignore_the_diagonal_and_opponents_never_met() -> None:
    wins = np.array([[7, 3, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    found = expected_wins_influence(wins)
    weight = (4 / 3) ** 0.5 / 4
    assert found[0, 0, 1] == pytest.approx(weight * (1 - 4 / 6))
    assert found[0, 1, 0] == pytest.approx(-weight * 4 / 6)
    # b met two, one of them once.
    assert found[1, 1, 0] == pytest.approx(weight / 2 * (1 - 2 / 6))
    assert found[1, 1, 2] == pytest.approx(2**0.5 / 2 * (1 - 2 / 3))
    assert not found[3].any()
    assert not found[:, :, 3].any()
    assert not np.diagonal(found, axis1=1, axis2=2).any()


def test_effective_units_of_each_system_and_of_nobody() -> None:
    """Of a: three segments with 2, 1 and 1 comparisons; of d none."""
    rows = [
        BlockRow("i", 1, ["a", "b", "c"], [1, 2, 3]),
        BlockRow("j", 2, ["a", "b"], [1, 2]),
        BlockRow("j", 3, ["a", "c"], [1, 1]),
    ]
    layout = Layout(4, ties=True)
    moments = moments_of_blocks(blocks_from_rows(rows, "abcd"), layout)
    found = effective_units_by_system(moments, layout, "segments")
    np.testing.assert_allclose(found, [16 / 6, 9 / 5, 9 / 5, 0])
    np.testing.assert_allclose(
        effective_units_by_system(moments, layout, "judges"), [2, 9 / 5, 9 / 5, 0]
    )
    assert moments.effective("segments") == pytest.approx(25 / 11)
    none = moments_of_blocks(blocks_from_rows([], "ab"), Layout(2))
    assert [none.effective(unit) for unit in CLUSTER_UNITS] == [0, 0, 0]


def test_blocks_of_a_unit_need_not_be_beside_each_other(drawn_blocks: Drawn) -> None:
    """More blocks than are counted at a time, of units in no order."""
    blocks = drawn_blocks(2500)
    layout = Layout(len(blocks.systems), ties=True)
    unit = np.random.default_rng(1).integers(0, 400, len(blocks))
    total = unit_counts(blocks, layout, unit).toarray()
    for number in (0, 17, 399):
        expected = count(blocks.take(unit == number), layout)[layout.used]
        np.testing.assert_array_equal(total[:, number], expected)
    np.testing.assert_array_equal(second_moments(blocks, layout, unit), total @ total.T)

"""Resampling of segments and judges has the variance of the closed form."""

import numpy as np
import pytest

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import CLUSTER_UNITS, moments_of_blocks
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.methods.shares import expected_wins_influence
from ranking.core.rankings.find_ranges import _share, two_way_resampling
from ranking.core.uncertainty.two_way import RangeLimit, two_way_covariance
from tests.worlds import World, draw_campaign, world_named


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

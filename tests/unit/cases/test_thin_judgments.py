"""Ranges, clusters and p-values of a ranking wait until judgments can support them."""

from pathlib import Path

import pytest

from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import Blocks
from ranking.core.rankings.range_kinds import RangeKind
from ranking.core.rankings.rank import only_estimable, rank
from ranking.core.scores import Shortage
from ranking.core.simulation.model import Model, simulate_blocks
from ranking.files.reading import read_judgments
from tests.some_now import some_now

_CASES = Path(__file__).parents[2] / "data/cases/rankings"


def _blocks(name: str) -> Blocks:
    return read_judgments([str(_CASES / name)]).blocks


@pytest.mark.parametrize("level", ["pairs", "blocks", "segments", "judges", "two_way"])
def test_one_block_has_no_range_cluster_or_p_value_at_any_level(level: Level) -> None:
    found = rank(_blocks("onejudgment.csv"), resample=level, resamples=100)
    assert set(found.shortages) == {row.system for row in found.systems}
    assert all(pair.p_value == 1 and not pair.significant for pair in found.pairs)
    assert all(only_estimable(row)["cluster"] is None for row in found.rows())


@pytest.mark.parametrize(
    "kind",
    ["percentile", "sign_test", "confidence_set", "anytime"],
)
def test_one_block_has_no_range_of_any_kind(kind: RangeKind) -> None:
    found = rank(_blocks("onejudgment.csv"), ranges=kind, resamples=100)
    assert len(found.shortages) == len(found.systems) == 5


def test_ranges_over_judges_need_several_judges() -> None:
    found = rank(_blocks("onejudge.csv"), resample="judges", resamples=100)
    assert set(found.shortages.values()) == {Shortage("judges", 1.0, 10)}


@pytest.mark.parametrize(
    ("name", "limit"),
    [("onejudge.csv", "few_judges"), ("oneseg.csv", "few_segments")],
)
def test_one_judge_or_segment_leaves_ranges_over_the_other(
    name: str,
    limit: str,
) -> None:
    found = rank(_blocks(name))
    assert found.limits == (limit,)
    assert not found.shortages


def test_a_system_judged_once_has_no_range_and_widens_those_of_the_others() -> None:
    model = Model(systems=6, noise=1.0, per_block=2)
    blocks, _quality = simulate_blocks(model, blocks=400, seed=1, experiment=0)
    shown = blocks.labels[:, 5] > 0
    first = shown.argmax()
    shown[first] = False
    found = rank(blocks.take(~shown), resamples=200)
    assert set(found.shortages) == {"6"}
    thin = next(row for row in found.systems if row.system == "6")
    assert (thin.rank_low, thin.rank_high) == (1, 6)
    assert all(row.rank_low < row.rank_high for row in found.systems)


def test_anytime_ranges_count_the_judges_of_each_system() -> None:
    model = Model(systems=6, noise=1.0, per_block=2)
    blocks, _quality = simulate_blocks(
        model,
        blocks=900,
        seed=1,
        experiment=0,
        judges=10,
    )
    found = rank(
        blocks.take((blocks.labels[:, 5] == 0) | (blocks.judge == 0)),
        ranges="anytime",
    )
    assert found.shortages == {"06": Shortage("judges", 1.0, 5)}


@pytest.mark.parametrize("method", ["expected_wins", "bradley_terry"])
@pytest.mark.parametrize("level", ["pairs", "blocks", "segments", "judges", "two_way"])
def test_standard_errors_wait_as_ranges_do(level: Level, method: str) -> None:
    model = Model(systems=6, noise=1.0, per_block=2)
    blocks, _quality = simulate_blocks(
        model,
        blocks=400,
        seed=1,
        experiment=0,
        judges=20,
    )
    shown = blocks.labels[:, 5] > 0
    shown[shown.argmax()] = False
    found = rank(blocks.take(~shown), method, resample=level, resamples=100)
    assert set(found.shortages) == {"06"}
    assert "06" not in found.extra["standard_errors"]["values"]
    assert found.extra["standard_errors"]["values"]


@pytest.mark.parametrize(
    ("systems", "kind", "level", "needed"),
    [
        (3, "percentile", "blocks", 8),
        (5, "percentile", "two_way", 10),
        (3, "percentile", "pairs", 18),
        (5, "percentile", "pairs", 30),
        (5, "confidence_set", "two_way", 8),
        (5, "sign_test", "pairs", 8),
    ],
)
def test_ranges_begin_with_the_block_that_makes_them_hold(
    systems: int,
    kind: RangeKind,
    level: Level,
    needed: int,
) -> None:
    model = Model(systems=systems, noise=10.0)
    for blocks, waits in ((needed - 1, True), (needed, False)):
        judged, _quality = simulate_blocks(model, blocks=blocks, seed=3, experiment=0)
        found = rank(judged, resample=level, ranges=kind, resamples=100)
        lacking = {Shortage("blocks", float(blocks), needed)} if waits else set()
        assert set(found.shortages.values()) == lacking


@pytest.mark.parametrize("systems", some_now([10, 3, 5]))
def test_shown_ranges_leave_out_at_most_6_percent_of_true_ranks(systems: int) -> None:
    shown = outside = 0
    for blocks in (1, 2, 4, 8, 16, 32, 50):
        for experiment in range(25):
            model = Model(systems=systems, noise=10.0)
            judged, quality = simulate_blocks(
                model,
                blocks=blocks,
                seed=3,
                experiment=experiment,
            )
            found = rank(judged, resamples=100)
            place = dict(
                zip(judged.systems, (-quality).argsort().argsort() + 1, strict=True),
            )
            for row in found.systems:
                if row.system not in found.shortages and len(found.systems) == systems:
                    shown += 1
                    outside += not row.rank_low <= place[row.system] <= row.rank_high
    assert shown > 0
    assert outside <= 0.06 * shown

"""The methods that estimate abilities, called through the registry."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank
from ranking.core.sharding import ThisMachine

Drawn = Callable[[int], Blocks]

METHODS_AND_QUICK: list[tuple[str, dict[str, Any]]] = [
    ("hopkins_may", {}),
    ("trueskill_wmt", {"runs": 20}),
    ("trueskill", {"runs": 2}),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("method", "quick"), METHODS_AND_QUICK)
def test_tables_are_sound(
    drawn_blocks: Drawn,
    method: str,
    quick: dict[str, Any],
    level: Level,
) -> None:
    blocks = drawn_blocks(60)
    ranking = rank(blocks, method, resample=level, resamples=24, parameters=quick)
    assert [row.rank for row in ranking.systems] == list(range(1, 7))
    assert all(row.rank_low <= row.rank <= row.rank_high for row in ranking.systems)
    assert set(ranking.parameters) == set(METHODS[method].defaults)
    assert json.loads(json.dumps(asdict(ranking), allow_nan=False))["resample"] == level


@pytest.mark.parametrize("level", ["pairs", "blocks"])
@pytest.mark.parametrize(("method", "quick"), METHODS_AND_QUICK)
def test_threads_and_the_order_of_rows_change_no_bit(
    drawn_blocks: Drawn,
    method: str,
    quick: dict[str, Any],
    level: Level,
) -> None:
    blocks = drawn_blocks(60)
    one = rank(blocks, method, resample=level, resamples=10, parameters=quick)
    other = rank(
        blocks.take(slice(None, None, -1)),
        method,
        resample=level,
        resamples=10,
        parameters=quick,
        engine=ThisMachine(2),
        progress=lambda *_: None,
    )
    assert one == other


@pytest.mark.parametrize(("method", "quick"), METHODS_AND_QUICK)
def test_a_system_that_always_wins_is_first(method: str, quick: dict[str, Any]) -> None:
    rows = [BlockRow("j", i, ["a", "b", "c"], [2, 1, 3]) for i in range(40)]
    ranking = rank(
        blocks_from_rows(rows, "abcd"),
        method,
        resamples=10,
        parameters=quick,
    )
    assert [row.system for row in ranking.systems] == ["b", "a", "c"]
    assert [(row.system, row.reason) for row in ranking.not_estimable] == [
        ("d", "no_comparison"),
    ]


def test_systems_of_one_candidate_tie_in_trueskill_as_wmt_played_it() -> None:
    blocks = blocks_from_rows(
        [BlockRow("j", 1, [["a", "b"], ["c"]], [1, 2])] * 20,
        "abc",
    )
    games = {
        tie: METHODS["trueskill_wmt"]
        .fit(blocks, runs=5, collapsed_tie=tie)
        .extra["comparisons"]
        for tie in (True, False)
    }
    assert games == {True: 60, False: 40}


def test_ranges_over_the_runs_themselves_are_told_too(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(60)
    extra = METHODS["trueskill_wmt"].fit(blocks, runs=20).extra
    assert set(extra["ranges_of_runs"]) == set(blocks.systems)
    assert all(1 <= low <= high <= 6 for low, high in extra["ranges_of_runs"].values())

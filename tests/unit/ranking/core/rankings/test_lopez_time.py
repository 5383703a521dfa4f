"""The estimate of how long Lopez takes: from which resamples, and what is not counted."""

import numpy as np
import numpy.typing as npt
import pytest

from ranking.core.counting.counts import Layout
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.rankings import find_ranges as lopez_time
from ranking.core.rankings.find_ranges import seconds_of_resamples, two_way_resampling

Tables = list[npt.NDArray[np.int64]]


def drawn_blocks(systems: int, *, tied: int = 0) -> Blocks:
    """Blocks of three of `systems` that are equally good; of the `tied` others with all ties."""
    random = np.random.default_rng(0)
    names = [f"s{number:02}" for number in range(systems + tied)]
    rows = [
        BlockRow(
            judge=f"j{segment % 9}",
            segment=segment,
            candidates=[[names[index]] for index in random.permutation(systems)[:3]],
            labels=[1, 2, 3],
        )
        for segment in range(300)
    ]
    if tied:
        rows.append(BlockRow("j1", 1, [[name] for name in names[-tied:]], [1] * tied))
    return blocks_from_rows(rows, names)


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch) -> Tables:
    """The tables that are ordered, each in a quarter of a second; looking at the clock is free."""
    tables: Tables = []

    def order(table: npt.NDArray[np.int64], *, time_limit: float) -> None:
        tables.append(table)

    monkeypatch.setattr(lopez_time, "lopez_order", order)
    monkeypatch.setattr(lopez_time, "perf_counter", lambda: len(tables) / 4)
    return tables


@pytest.mark.parametrize("level", ["two_way", "blocks", "pairs"])
def test_the_first_resamples_of_the_ranking_are_ordered_for_a_second(
    ordered: Tables, level: Level
) -> None:
    blocks = drawn_blocks(20)
    assert seconds_of_resamples(blocks, resample=level, resamples=1000, seed=7) == 250
    resampling = Resampling(level, 7)
    if level == "two_way":
        resampling, _limits = two_way_resampling(blocks, seed=7)
    layout = Layout(20)
    expected = layout.unpack(resampling.counts(blocks, layout, range(4))).wins
    # The first once more before the clock is looked at: code may have to be compiled.
    assert np.array_equal(ordered, [expected[0], *expected])


def test_no_more_resamples_are_ordered_than_asked_for(ordered: Tables) -> None:
    assert seconds_of_resamples(drawn_blocks(20), resample="blocks", resamples=2) == 0.5
    assert len(ordered) == 1 + 2

"""Pairs decided, and in an hour."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from ranking.core.beside import ActiveTime, JudgedTask, decided_pairs
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from tests.benchmarks.beside_coverage import WORLDS, campaign


@pytest.fixture
def task() -> JudgedTask:
    made = campaign(WORLDS["far apart"], np.random.default_rng(1))[0]
    assert isinstance(made, JudgedTask)
    return made


def test_they_are_those_of_holm_by_hand(task: JudgedTask) -> None:
    found = decided_pairs(task, resamples=100)
    wins = tally(task.blocks).wins
    tests = sorted(
        (stats.binomtest(int(wins[a, b]), int(wins[a, b] + wins[b, a])).pvalue, a, b)
        for a, b in combinations(range(6), 2)
    )
    expected = set()
    for place, (p, a, b) in enumerate(tests):
        if p * (len(tests) - place) > 0.05:
            break
        expected.add((a, b) if wins[a, b] > wins[b, a] else (b, a))
    assert {tuple(each) for each in np.argwhere(found.better).tolist()} == expected
    assert 0 < found.decided == len(expected) < found.pairs == 15
    assert found.per_hour is not None
    assert found.per_hour.value == found.decided / (task.time.seconds.sum() / 3600)
    assert found.per_hour.low is not None
    assert found.per_hour.high is not None
    assert 0 <= found.per_hour.low < found.per_hour.value < found.per_hour.high


def test_twice_the_time_is_half_the_rate_and_half_the_interval(task: JudgedTask) -> None:
    slow = replace(task, time=replace(task.time, seconds=2 * task.time.seconds))
    fast, slow_rate = (decided_pairs(each, resamples=100).per_hour for each in (task, slow))
    assert fast is not None
    assert slow_rate is not None
    assert fast.high is not None
    assert (slow_rate.value, slow_rate.high) == pytest.approx((fast.value / 2, fast.high / 2))


def test_without_all_times_there_is_no_rate(task: JudgedTask) -> None:
    seconds = task.time.seconds.copy()
    seconds[3] = np.nan
    for unknown in (seconds, np.zeros_like(seconds)):
        found = decided_pairs(replace(task, time=replace(task.time, seconds=unknown)))
        assert (found.per_hour, found.decided > 0) == (None, True)


@pytest.mark.parametrize("unit", ["segment", "judge"])
def test_with_one_segment_or_judge_there_is_no_interval(unit: str) -> None:
    rows = [
        BlockRow(
            segment=1 if unit == "segment" else number,
            judge="ada" if unit == "judge" else f"judge {number}",
            candidates=(("a",), ("b",)),
            labels=(1, 2),
        )
        for number in range(1, 13)
    ]
    blocks = blocks_from_rows(rows, systems=["a", "b"])
    time = ActiveTime(
        np.full(12, 60.0),
        blocks.segment.astype(np.int64),
        tuple(blocks.judges[each] for each in blocks.judge),
    )
    found = decided_pairs(JudgedTask("task", blocks, time), resamples=100).per_hour
    assert found is not None
    assert found.value == pytest.approx(5)
    assert (found.low, found.high) == (None, None)


def test_systems_that_were_never_compared_make_no_pairs(task: JudgedTask) -> None:
    blocks = task.blocks
    alone = replace(
        blocks,
        systems=(*blocks.systems, "unseen"),
        labels=np.pad(blocks.labels, ((0, 0), (0, 1))),
        candidates=np.pad(blocks.candidates, ((0, 0), (0, 1)), constant_values=-1),
    )
    found = decided_pairs(replace(task, blocks=alone), resamples=100)
    assert (found.systems, found.pairs) == (blocks.systems, 15)
    assert found.per_hour == decided_pairs(task, resamples=100).per_hour

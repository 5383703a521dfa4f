"""Systems compared by the mean scores of a segment, where outputs are scored one by one."""

from dataclasses import replace

import numpy as np
import pytest

from ranking.core.beside import UNITS, ActiveTime, OutputScores, ScoredTask, tasks_beside
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from tests.benchmarks.beside_coverage import WORLDS, scored_campaign


def scored(*rows: tuple[str, int, str, float]) -> ScoredTask:
    """System, segment, judge and score of each."""
    systems = tuple(sorted({system for system, *_others in rows}))
    judges = tuple(judge for _system, _segment, judge, _score in rows)
    segment = np.array([number for _system, number, *_others in rows], dtype=np.int64)
    blocks = blocks_from_rows(
        [
            BlockRow(judge=judge, segment=number, candidates=((system,),), labels=(1,))
            for system, number, judge, _score in rows
        ],
        systems=systems,
    )
    time = ActiveTime(np.full(len(rows), 3600.0), segment, judges)
    system = np.array([systems.index(each) for each, *_others in rows], dtype=np.int64)
    score = np.array([float(each) for *_others, each in rows])
    return ScoredTask("scores", blocks, time, OutputScores(systems, system, segment, judges, score))


def test_scores_of_a_segment_are_averaged_first() -> None:
    task = scored(
        ("a", 1, "ada", 90),
        ("a", 1, "ben", 70),
        ("a", 2, "ada", 20),
        ("b", 1, "cleo", 79),
        ("b", 2, "ben", 20),
        ("b", 3, "cleo", 60),
    )
    assert task.means().tolist() == [50, 53]
    # 80 : 79, and a tie; the third segment compares nothing.
    assert task.wins().tolist() == [[0, 1], [0, 0]]


def test_a_segment_counts_as_often_as_it_is_drawn() -> None:
    task = scored(*(("ab"[place], n, "ada", 50 - place) for n in range(1, 30) for place in (0, 1)))
    wins = task.wins_resampled("segments", seed=3, resamples=200)
    hours = task.hours_resampled("segments", seed=3, resamples=200)
    # Two outputs a segment, an hour each.
    assert wins[:, 0, 1] * 2 == pytest.approx(hours)
    assert 4 < wins[:, 0, 1].std() < 7
    means = task.means_resampled("segments", seed=3, resamples=200)
    assert means == pytest.approx(np.tile([50.0, 49.0], (200, 1)))


@pytest.mark.parametrize("unit", UNITS)
def test_resamples_are_around_the_figures(unit: str) -> None:
    task = scored_campaign(WORLDS["tastes"], np.random.default_rng(4))[1]
    assert isinstance(task, ScoredTask)
    means = task.means_resampled(unit, seed=1, resamples=400)  # type: ignore[arg-type]  # one of them
    assert np.nanmean(means, axis=0) == pytest.approx(task.means(), abs=2)
    wins = task.wins_resampled(unit, seed=1, resamples=400)  # type: ignore[arg-type]  # one of them
    assert wins.mean(axis=0) == pytest.approx(task.wins(), abs=3)


def test_systems_are_ordered_by_means_with_sets_of_ranks() -> None:
    tasks = scored_campaign(WORLDS["far apart"], np.random.default_rng(1))
    found = tasks_beside(tasks, resamples=200).orders[1]
    scores = [each.score for each in found.order if each.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert [each.rank for each in found.order] == [1, 2, 3, 4, 5, 6]
    assert found.ranking is None
    assert found.order[0].rank_high < 6
    equal = scored_campaign(WORLDS["equal systems"], np.random.default_rng(1))
    order = tasks_beside(equal, resamples=200).orders[1].order
    assert sum((each.rank_low, each.rank_high) == (1, 6) for each in order) >= 5
    assert tasks_beside([equal[1]], resamples=200, seed=0).orders[0].order == order


def test_one_judge_says_nothing_of_ranks() -> None:
    task = scored(*(("abc"[n % 3], n // 3, "ada", n % 3) for n in range(30)))
    (order,) = tasks_beside([task], resamples=100).orders
    assert [(each.rank_low, each.rank_high) for each in order.order] == [(1, 3)] * 3
    assert order.decided.decided == 3
    assert order.decided.per_hour is not None
    assert order.decided.per_hour.low is None


def test_columns_fit_each_other() -> None:
    task = scored(("a", 1, "ada", 90), ("b", 1, "ada", 80))
    with pytest.raises(ValueError, match="one of each"):
        replace(task.scores, judge=("ada",))
    with pytest.raises(ValueError, match="a score of each"):
        replace(task.scores, systems=("a", "b", "c"))

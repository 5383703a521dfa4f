"""Tasks beside each other: mean scores, decided pairs, correlations beside scipy's, and coverage of intervals."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ranking.core.arrays import FloatArray
from ranking.core.beside import (
    ActiveTime,
    JudgedTask,
    OutputScores,
    ScoredTask,
    decided_pairs,
    drawn_scores,
    tasks_beside,
)
from ranking.core.counting.counts import tally
from ranking.core.estimates import (
    UNITS,
    DrawnScores,
    NoCorrelation,
    correlations,
    kendall_tau_b,
    pearson,
    spearman,
)
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import counts_method_named
from ranking.core.rankings.rank import rank
from ranking.core.scores import Scores
from tests.benchmarks.beside_coverage import (
    WORLDS,
    World,
    campaign,
    held,
    scored_campaign,
    spaced,
)
from tests.some_now import some_now


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
    return ScoredTask(
        "scores",
        blocks,
        time,
        OutputScores(systems, system, segment, judges, score),
    )


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
    task = scored(
        *(
            ("ab"[place], n, "ada", 50 - place)
            for n in range(1, 30)
            for place in (0, 1)
        ),
    )
    wins = task.wins_resampled("segments", seed=3, resamples=200)
    hours = task.hours_resampled("segments", seed=3, resamples=200)
    # Two outputs per segment, an hour each.
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
    scores = [each["score"] for each in found.means]
    assert scores == sorted(scores, reverse=True)
    assert [each["rank"] for each in found.means] == [1, 2, 3, 4, 5, 6]
    assert found.ranking is None
    assert found.means[0]["rank_high"] < 6
    equal = scored_campaign(WORLDS["equal systems"], np.random.default_rng(1))
    order = tasks_beside(equal, resamples=200).orders[1].means
    assert sum((each["rank_low"], each["rank_high"]) == (1, 6) for each in order) >= 5
    assert tasks_beside([equal[1]], resamples=200, seed=0).orders[0].means == order


def test_one_judge_says_nothing_of_ranks() -> None:
    task = scored(*(("abc"[n % 3], n // 3, "ada", n % 3) for n in range(30)))
    (order,) = tasks_beside([task], resamples=100).orders
    assert [(each["rank_low"], each["rank_high"]) for each in order.means] == [
        (1, 3),
    ] * 3
    assert order.decided.decided == 3
    assert order.decided.per_hour is not None
    assert order.decided.per_hour.low is None


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


def test_twice_the_time_is_half_the_rate_and_half_the_interval(
    task: JudgedTask,
) -> None:
    slow = replace(task, time=replace(task.time, seconds=2 * task.time.seconds))
    fast, slow_rate = (
        decided_pairs(each, resamples=100).per_hour for each in (task, slow)
    )
    assert fast is not None
    assert slow_rate is not None
    assert fast.high is not None
    assert (slow_rate.value, slow_rate.high) == pytest.approx(
        (fast.value / 2, fast.high / 2),
    )


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


MEASURES: dict[str, tuple[Callable[..., FloatArray], Callable[..., Any]]] = {
    "kendall": (
        kendall_tau_b,
        lambda one, other: stats.kendalltau(one, other, variant="b"),
    ),
    "spearman": (spearman, stats.spearmanr),
    "pearson": (pearson, stats.pearsonr),
}


@pytest.mark.parametrize("name", MEASURES)
def test_they_are_those_of_scipy(name: str) -> None:
    own, scipys = MEASURES[name]
    rng = np.random.default_rng(7)
    for systems in (3, 4, 7, 15):
        # Few values, so that many are tied.
        one, other = rng.integers(4, size=(2, 40, systems)).astype(np.float64) / 7
        varied = (np.ptp(one, axis=1) > 0) & (np.ptp(other, axis=1) > 0)
        found = own(one, other)
        assert np.isnan(found[~varied]).all()
        expected = [
            scipys(*row).statistic
            for row in zip(one[varied], other[varied], strict=True)
        ]
        assert found[varied] == pytest.approx(expected, abs=1e-12)


def test_a_worked_example() -> None:
    """Ten pairs: eight alike, one the other way round, one tied in the second alone; 7 / √(10 · 9)."""
    one = np.array([5.0, 4, 3, 2, 1])
    other = np.array([5.0, 4, 2, 3, 3])
    # 3 : 2 and 3 : 1 are the other way round, 2 : 1 is tied.
    assert kendall_tau_b(one, other) == pytest.approx((7 - 2) / np.sqrt(10 * 9))
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic)


def test_rounding_errors_are_ties() -> None:
    one = np.array([0.1 + 0.2, 0.3, 0.1])
    other = np.array([2.0, 1.0, 0.0])
    assert kendall_tau_b(one, other) == pytest.approx(2 / np.sqrt(2 * 3))
    assert np.isnan(pearson(np.array([0.1 + 0.2, 0.3, 0.3]), other))


def drawn(**scores: float) -> DrawnScores:
    """Scores without noise."""
    values = np.array(list(scores.values()), dtype=np.float64)
    known = ~np.isnan(values)
    resampled = Scores(np.tile(values, (100, 1)), np.tile(known, (100, 1)))
    return DrawnScores(
        tuple(scores),
        Scores(values, known),
        dict.fromkeys(UNITS, resampled),
        fewest_units=5,
    )


def test_only_systems_that_both_score_count() -> None:
    found = correlations(
        drawn(a=3, b=2, c=1, f=0, d=9, e=float("nan")),
        drawn(c=0, x=5, b=2, a=1, f=-1, e=8),
    )
    assert found.systems == ("a", "b", "c", "f")
    kendall = found.by_measure["kendall"]
    assert kendall.value == pytest.approx(2 / 3)
    # Scores without noise say nothing about other segments.
    assert (kendall.low, kendall.high) == (None, None)


def test_with_fewer_than_four_systems_or_equal_scores_there_is_none() -> None:
    few = correlations(drawn(a=3, b=2, c=1, e=0), drawn(a=3, b=2, c=1, d=0))
    assert (few.systems, few.by_measure) == (("a", "b", "c"), {})
    assert few.reason == NoCorrelation.FEW_SYSTEMS
    none = correlations(drawn(a=3, b=2), drawn(c=3, d=2))
    assert (none.systems, none.reason) == ((), NoCorrelation.FEW_SYSTEMS)
    equal = correlations(drawn(a=3, b=2, c=1, d=0), drawn(a=1, b=1, c=1, d=1))
    assert (equal.by_measure, equal.reason) == ({}, NoCorrelation.EQUAL_SCORES)


def test_resamples_without_a_correlation_have_no_interval() -> None:
    one, other = drawn(a=3, b=2, c=1, d=0), drawn(a=3, b=1, c=2, d=0)
    one.resampled["segments"].values[:60] = np.nan
    found = correlations(one, other).by_measure["pearson"]
    assert found.value == pytest.approx(0.8)
    assert found.low is None


def test_a_segment_weighs_the_same_in_both_tasks() -> None:
    """The correlation of a task with itself is 1 in every resample, whichever unit is drawn."""
    task = campaign(WORLDS["tastes"], np.random.default_rng(3))[0]
    scores = drawn_scores(task, counts_method_named("expected_wins"), resamples=100)
    assert set(UNITS) == scores.resampled.keys()
    assert not np.array_equal(
        scores.resampled["segments"].values,
        scores.resampled["judges"].values,
    )
    found = correlations(scores, scores).by_measure["pearson"]
    assert found.value == pytest.approx(1)
    assert found.low is None


def test_tasks_are_ranked_like_default_live_rankings() -> None:
    tasks = campaign(WORLDS["another order"], np.random.default_rng(2))
    done: list[tuple[int, int]] = []
    found = tasks_beside(
        tasks,
        resamples=200,
        seed=3,
        progress=lambda *each: done.append(each),
    )
    assert done == [(1, 2), (2, 2)]
    for task, order in zip(tasks, found.orders, strict=True):
        assert order.ranking == rank(task.blocks, resamples=200, seed=3)


def test_pairs_decided_alike_and_the_other_way_round() -> None:
    backwards = World(first=spaced(6, 0.9), second=spaced(6, -0.9), segments=100)
    tasks = campaign(backwards, np.random.default_rng(2))
    (pair,) = tasks_beside(tasks, resamples=100).pairs
    assert pair.agreeing == ()
    assert ("system 0", "system 5") in pair.contradicting
    (same,) = tasks_beside(
        [tasks[0], replace(tasks[0], name="again")],
        resamples=100,
    ).pairs
    assert ("system 0", "system 5") in same.agreeing
    assert same.contradicting == ()


def test_a_task_that_compares_nothing_has_no_order() -> None:
    one, other = campaign(WORLDS["the same order"], np.random.default_rng(2))
    single = replace(other, blocks=other.blocks.without(other.blocks.systems[1:]))
    found = tasks_beside([one, single], resamples=100)
    assert found.orders[1].ranking is None
    assert (found.orders[1].decided.pairs, found.orders[1].decided.per_hour) == (
        0,
        None,
    )
    assert found.pairs[0].correlations.systems == ()


@pytest.mark.parametrize(
    "name",
    some_now(
        [
            "the same order",
            "another order",
            "equal systems",
            "far apart",
            "12 segments",
            "4 segments",
            "3 judges, tastes",
            "2 judges, strong tastes",
            "3 judges, far apart",
        ],
    ),
)
@pytest.mark.parametrize("make", some_now([campaign, scored_campaign]))
def test_intervals_hold(name: str, make: Callable[..., Any]) -> None:
    """95 % of 50 campaigns, give or take two errors; `beside_coverage` draws hundreds of each."""
    for figure, found in held(
        WORLDS[name],
        campaigns=50,
        resamples=100,
        make=make,
    ).items():
        if len(found.estimates) * (1 - found.without) > 20:
            assert found.share >= 0.95 - 2 * 0.031, (figure, found.share)

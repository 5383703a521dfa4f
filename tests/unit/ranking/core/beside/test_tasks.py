"""Tasks beside each other, and whether their intervals hold."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ranking.core.beside import tasks_beside
from ranking.core.rankings.rank import rank
from tests.benchmarks.beside_coverage import WORLDS, World, campaign, held, scored_campaign, spaced
from tests.some_now import some_now


def test_each_is_ranked_as_live_rankings_are_by_default() -> None:
    tasks = campaign(WORLDS["another order"], np.random.default_rng(2))
    done: list[tuple[int, int]] = []
    found = tasks_beside(tasks, resamples=200, seed=3, progress=lambda *each: done.append(each))
    assert done == [(1, 2), (2, 2)]
    for task, order in zip(tasks, found.orders, strict=True):
        assert order.ranking == rank(task.blocks, resamples=200, seed=3)


def test_pairs_decided_alike_and_the_other_way_round() -> None:
    backwards = World(first=spaced(6, 0.9), second=spaced(6, -0.9), segments=100)
    tasks = campaign(backwards, np.random.default_rng(2))
    (pair,) = tasks_beside(tasks, resamples=100).pairs
    assert pair.agreeing == ()
    assert ("system 0", "system 5") in pair.contradicting
    (same,) = tasks_beside([tasks[0], replace(tasks[0], name="again")], resamples=100).pairs
    assert ("system 0", "system 5") in same.agreeing
    assert same.contradicting == ()


def test_a_task_that_compares_nothing_has_no_order() -> None:
    one, other = campaign(WORLDS["the same order"], np.random.default_rng(2))
    single = replace(other, blocks=other.blocks.without(other.blocks.systems[1:]))
    found = tasks_beside([one, single], resamples=100)
    assert found.orders[1].ranking is None
    assert (found.orders[1].decided.pairs, found.orders[1].decided.per_hour) == (0, None)
    assert found.pairs[0].correlations.systems == ()


def test_names_and_methods_that_do_not_fit() -> None:
    task = campaign(WORLDS["the same order"], np.random.default_rng(2))[0]
    with pytest.raises(ValueError, match="twice"):
        tasks_beside([task, task])
    with pytest.raises(ValueError, match="counts"):
        tasks_beside([task], "trueskill_wmt")


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
        ]
    ),
)
@pytest.mark.parametrize("make", some_now([campaign, scored_campaign]))
def test_intervals_hold(name: str, make: Callable[..., Any]) -> None:
    """95 % of 50 campaigns, give or take two errors; `beside_coverage` draws hundreds of each."""
    for figure, found in held(WORLDS[name], campaigns=50, resamples=100, make=make).items():
        if len(found.estimates) * (1 - found.without) > 20:
            assert found.share >= 0.95 - 2 * 0.031, (figure, found.share)

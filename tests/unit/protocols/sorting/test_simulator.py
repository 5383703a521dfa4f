"""Properties of a sort, with simulated judges and systems in a known order."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ranking.core.rankings.two_systems import ErrorChoice, compare
from tests.simulated.sorts import SimulatedCampaign, SimulatedWorld, simulate_sorts
from tests.some_now import some_now

EQUAL = SimulatedWorld(dict.fromkeys("ABCDE", 0.0), same=0.3)
APART = SimulatedWorld(
    {name: place * 0.3 for place, name in enumerate("ABCDE")},
    same=0.3,
)
NINE = SimulatedWorld(
    {name: place * 0.3 for place, name in enumerate("ABCDEFGHI")},
    same=0.3,
)


@pytest.mark.parametrize(("world", "most"), [(APART, 7), (NINE, 19)])
def test_systems_that_differ_are_sorted_and_told_apart(
    world: SimulatedWorld,
    most: int,
) -> None:
    promise = simulate_sorts(world, sorts=40, seed=1)
    assert promise.right_order >= 0.95
    assert promise.significant >= 0.98
    assert (promise.wrong, promise.any_false) == (0, 0)
    assert promise.comparisons <= promise.most <= most
    assert math.isnan(promise.level)


def test_neighbours_of_equal_quality_are_told_apart_as_often_as_the_level_says() -> (
    None
):
    """A path through the sort depends on signs alone, so being neighbours says nothing about the size of R."""
    promise = simulate_sorts(EQUAL, sorts=250, seed=2)
    assert promise.level == pytest.approx(0.055, abs=0.02)
    assert promise.any_false == pytest.approx(0.2, abs=0.07)
    assert promise.right_order == 1


@pytest.mark.parametrize(
    ("world", "error", "low", "high"),
    some_now(
        [
            (EQUAL, "judgments", 0.0, 0.11),
            (replace(EQUAL, taste=0.2), "judgments", 0.25, 0.6),
            (replace(EQUAL, taste=0.2), "two_way", 0.0, 0.11),
            (replace(EQUAL, luck=0.5, is_shared=True), "judgments", 0.1, 0.4),
            (replace(EQUAL, luck=0.5, is_shared=True), "auto", 0.0, 0.16),
        ],
        most=2,
    ),
)
def test_errors_account_for_judges_of_different_taste_and_for_shared_sentences(
    world: SimulatedWorld,
    error: ErrorChoice,
    low: float,
    high: float,
) -> None:
    found = [
        compare(
            SimulatedCampaign(world, seed=5, run=run).judgments(("A", "B")),
            error=error,
            resamples=100,
        )
        for run in range(80)
    ]
    share = float(np.mean([each.pooled.p("normal") <= 0.05 for each in found]))
    assert low <= share <= high

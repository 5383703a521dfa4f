"""Priorities of many campaigns at once are those of each by itself."""

import numpy as np
import pytest

from annotation.sampling.priorities import active_priorities, active_priorities_of_many


@pytest.mark.parametrize("systems", [2, 7, 15])
def test_they_are_those_of_each_once_abilities_have_settled(systems: int) -> None:
    random = np.random.default_rng(systems)
    wins = random.integers(0, 60, (4, systems, systems)).astype(np.float64)
    wins *= 1 - np.eye(systems)
    abilities = np.zeros((4, systems))
    for _ in range(15):
        priorities, abilities = active_priorities_of_many(wins, abilities)
    for many, one in zip(priorities, wins, strict=True):
        alone = active_priorities(
            one,
            np.zeros_like(one),
            np.zeros(one.shape, dtype=np.int64),
        )
        most = many.max()
        if most > 0:
            assert many / most == pytest.approx(alone, abs=1e-6)
        else:
            assert np.all(alone == 1 - np.eye(systems))


def test_a_step_from_nearby_is_nearly_enough() -> None:
    random = np.random.default_rng(1)
    wins = random.integers(20, 60, (3, 8, 8)).astype(np.float64) * (1 - np.eye(8))
    abilities = np.zeros((3, 8))
    for _ in range(15):
        settled, abilities = active_priorities_of_many(wins, abilities)
    more = wins * 1.25
    near, _abilities = active_priorities_of_many(more, abilities)
    for _ in range(15):
        settled, abilities = active_priorities_of_many(more, abilities)
    assert near == pytest.approx(settled, rel=0.05, abs=1e-4)

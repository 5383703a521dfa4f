import numpy as np
import pytest

from ranking.core.simulation.measures import sorted_expected_wins, spread_p_value


def test_the_spread_is_expected_wins_best_first() -> None:
    # a wins 3 of 4 against b and 1 of 2 against c; b wins 2 of 2 against c; d met nobody.
    wins = np.array([[0, 3, 1, 0], [1, 0, 2, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    assert sorted_expected_wins(wins).tolist() == pytest.approx([5 / 8, 5 / 8, 1 / 2, 1 / 4])
    assert sorted_expected_wins(np.stack([wins, wins.T])).shape == (2, 4)


def test_the_most_distant_point_has_the_smallest_p_value() -> None:
    random = np.random.default_rng(1)
    simulated = random.normal(size=(99, 3))
    assert spread_p_value(np.array([9.0, 0, 0]), simulated) == 1 / 100
    assert spread_p_value(simulated.mean(axis=0), simulated) == 1


def test_the_test_holds_its_level_whatever_the_points_are() -> None:
    random = np.random.default_rng(2)
    p_values = []
    for _campaign in range(600):
        # Skewed, dependent, and on a line at right angles to (1, 1, 1): their sum is constant.
        points = random.exponential(size=(60, 3)).cumsum(axis=1)
        points -= points.mean(axis=1, keepdims=True)
        p_values.append(spread_p_value(points[0], points[1:]))
    # 60 and 30 of 600 expected, with standard deviations of 7.3 and 5.3.
    assert 38 <= np.count_nonzero(np.array(p_values) <= 0.1) <= 82
    assert np.count_nonzero(np.array(p_values) <= 0.05) <= 46

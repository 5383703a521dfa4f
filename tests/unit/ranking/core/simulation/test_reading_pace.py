"""Seconds a word: a ratio with an interval that holds for other judges like those measured."""

import numpy as np
import pytest

from ranking.core.simulation.work_ahead import ASSUMED_PACE, reading_pace


def test_too_little_says_nothing() -> None:
    assert reading_pace([], [], []) is None
    assert reading_pace([1, 2] * 40, [50.0] * 80, [30.0] * 80) is None
    assert reading_pace([1, 2, 3], [50.0] * 3, [30.0] * 3) is None
    assert reading_pace([1, 2, 3] * 10, [0.0] * 30, [30.0] * 30) is None


def test_the_pace_is_all_seconds_by_all_words() -> None:
    found = reading_pace([1, 2, 3] * 10, [10.0, 20.0, 30.0] * 10, [5.0, 10.0, 15.0] * 10)
    assert found is not None
    assert (found.seconds, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    assert (found.judges, found.blocks, found.is_measured) == (3, 30, True)


def test_the_assumption_is_two_readings_at_238_words_a_minute() -> None:
    assert pytest.approx(0.504, abs=0.001) == ASSUMED_PACE.seconds
    assert not ASSUMED_PACE.is_measured


@pytest.mark.parametrize("judges", [3, 6, 20])
def test_the_interval_holds_the_pace_of_as_many_others(judges: int) -> None:
    """95 % are promised; judges' paces differ by a factor of about 1.5."""
    random = np.random.default_rng(5)
    held = []
    for _campaign in range(400):
        paces = 0.5 * np.exp(random.normal(0, 0.4, 2 * judges))
        blocks = random.integers(10, 60, 2 * judges)
        who = np.repeat(np.arange(2 * judges), blocks)
        words = random.gamma(4, 25, len(who))
        seconds = words * paces[who] * np.exp(random.normal(0, 0.5, len(who)))
        now = who < judges
        found = reading_pace(who[now].tolist(), words[now].tolist(), seconds[now].tolist())
        assert found is not None
        later = seconds[~now].sum() / words[~now].sum()
        held.append(found.low <= later <= found.high)
    assert np.mean(held) >= 0.92

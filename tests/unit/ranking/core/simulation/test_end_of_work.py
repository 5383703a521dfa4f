"""Forecasts of the end of work: by hand, and how often the end lies within their interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.simulation.work_ahead import EndOfWork, forecast_end

WEEK = 7
CAMPAIGNS = 600


def test_days_that_are_alike_leave_no_doubt() -> None:
    assert forecast_end([50] * WEEK, 400) == EndOfWork(8, 8, 8)
    assert forecast_end([50] * WEEK, 0) == EndOfWork(0, 0, 0)


def test_an_interval_by_hand() -> None:
    # Mean 20, variance 200 / 1, t of one degree of freedom with 50 % between: 1.
    found = forecast_end([10, 30], 100, confidence=0.5)
    # (100 − 20 D)² = 200 (D + D² / 2), 300 D² − 4200 D + 10000 = 0
    assert found == pytest.approx((5, 7 - np.sqrt(49 - 100 / 3), 7 + np.sqrt(49 - 100 / 3)))


def test_nothing_done_has_no_end_and_one_busy_day_none_in_sight() -> None:
    assert forecast_end([0] * WEEK, 10) is None
    found = forecast_end([0] * 6 + [70], 700)
    assert found is not None
    assert found.days == 70
    assert found.high is None


@pytest.mark.parametrize(("t", "has_high"), [(1.999, True), (2.001, False)])
def test_no_end_is_in_sight_where_the_mean_may_be_nothing(t: float, has_high: bool) -> None:
    # Mean 20 with standard error 10, of one degree of freedom: 20 − 10 t is more than 0, or is not.
    found = forecast_end([10, 30], 100, confidence=2 / np.pi * np.arctan(t))
    assert found is not None
    assert (found.high is not None) == has_high


@pytest.mark.parametrize(("done", "left"), [([5], 3), ([], 3), ([5, -1], 3), ([5, 5], -3)])
def test_too_few_days_and_negative_numbers_are_refused(done: list[int], left: int) -> None:
    with pytest.raises(ValueError, match="done"):
        forecast_end(done, left)


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=20).filter(any), st.integers(1, 10**7))
def test_the_forecast_lies_in_its_interval(done: list[int], left: int) -> None:
    found = forecast_end(done, left)
    assert found is not None
    assert 0 < found.low <= found.days * (1 + 1e-9)
    assert found.high is None or found.days <= found.high * (1 + 1e-9)


@pytest.mark.parametrize("left", [300, 3_000], ids=["ten days", "a hundred days"])
@pytest.mark.parametrize(
    "days",
    [
        lambda random, count: random.poisson(30, count),
        lambda random, count: random.negative_binomial(2, 2 / 32, count),
        lambda random, count: random.poisson([42, 42, 42, 42, 42, 0, 0], (count // 7, 7)).ravel(),
    ],
    ids=["by chance", "busy days and idle ones", "none on weekends"],
)
def test_the_end_lies_within_the_interval_as_often_as_it_says(days, left: int) -> None:  # type: ignore[no-untyped-def]
    random = np.random.default_rng(20261122)
    held = 0
    for _campaign in range(CAMPAIGNS):
        every = days(random, 70 * WEEK)
        found = forecast_end(every[:WEEK].tolist(), left)
        if found is None:
            continue
        took = 1 + int(np.searchsorted(np.cumsum(every[WEEK:]), left))
        held += int(np.floor(found.low)) <= took and (
            found.high is None or took <= np.ceil(found.high)
        )
    assert held / CAMPAIGNS > 0.93

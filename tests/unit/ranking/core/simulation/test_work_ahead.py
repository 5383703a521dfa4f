"""Seconds a word: a ratio with an interval that holds for other judges like those measured.

Forecasts of the end of work: by hand, and how often the end lies within their interval.

Hours and days until a target: products of what is uncertain, by hand and simulated.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ranking.core.simulation.work_ahead import (
    ASSUMED_PACE,
    EndOfWork,
    ReadingPace,
    days_ahead,
    end_quantiles,
    forecast_end,
    hours_ahead,
    judgments_ahead,
    reading_pace,
)


def test_too_little_says_nothing() -> None:
    assert reading_pace([], [], []) is None
    assert reading_pace([1, 2] * 40, [50.0] * 80, [30.0] * 80) is None
    assert reading_pace([1, 2, 3], [50.0] * 3, [30.0] * 3) is None
    assert reading_pace([1, 2, 3] * 10, [0.0] * 30, [30.0] * 30) is None


def test_the_pace_is_all_seconds_by_all_words() -> None:
    found = reading_pace(
        [1, 2, 3] * 10,
        [10.0, 20.0, 30.0] * 10,
        [5.0, 10.0, 15.0] * 10,
    )
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
        found = reading_pace(
            who[now].tolist(),
            words[now].tolist(),
            seconds[now].tolist(),
        )
        assert found is not None
        later = seconds[~now].sum() / words[~now].sum()
        held.append(found.low <= later <= found.high)
    assert np.mean(held) >= 0.92


WEEK = 7
CAMPAIGNS = 600


def test_days_that_are_alike_leave_no_doubt() -> None:
    assert forecast_end([50] * WEEK, 400) == EndOfWork(8, 8, 8)
    assert forecast_end([50] * WEEK, 0) == EndOfWork(0, 0, 0)


def test_an_interval_by_hand() -> None:
    # Mean 20, variance 200 / 1, t of one degree of freedom with 50 % between: 1.
    found = forecast_end([10, 30], 100, confidence=0.5)
    # (100 − 20 D)² = 200 (D + D² / 2), 300 D² − 4200 D + 10000 = 0
    assert found == pytest.approx(
        (5, 7 - np.sqrt(49 - 100 / 3), 7 + np.sqrt(49 - 100 / 3)),
    )


def test_nothing_done_has_no_end_and_one_busy_day_none_in_sight() -> None:
    assert forecast_end([0] * WEEK, 10) is None
    found = forecast_end([0] * 6 + [70], 700)
    assert found is not None
    assert found.days == 70
    assert found.high is None


@pytest.mark.parametrize(("t", "has_high"), [(1.999, True), (2.001, False)])
def test_no_end_is_in_sight_where_the_mean_may_be_nothing(
    t: float,
    has_high: bool,
) -> None:
    # Mean 20 with standard error 10, of one degree of freedom: 20 − 10 t is more than 0, or is not.
    found = forecast_end([10, 30], 100, confidence=2 / np.pi * np.arctan(t))
    assert found is not None
    assert (found.high is not None) == has_high


@pytest.mark.parametrize(
    ("done", "left"),
    [([5], 3), ([], 3), ([5, -1], 3), ([5, 5], -3)],
)
def test_too_few_days_and_negative_numbers_are_refused(
    done: list[int],
    left: int,
) -> None:
    with pytest.raises(ValueError, match="daily_work"):
        forecast_end(done, left)


@given(
    st.lists(st.integers(0, 10_000), min_size=2, max_size=20).filter(any),
    st.integers(1, 10**7),
)
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
        lambda random, count: random.poisson(
            [42, 42, 42, 42, 42, 0, 0],
            (count // 7, 7),
        ).ravel(),
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


EXACT = ReadingPace(seconds=36.0, low=36.0, high=36.0)


def test_ends_are_those_of_what_may_come() -> None:
    """Of 100, 200 … 10,000 judgments, 95 % are from 300 to 9,800: three to ninety-eight hours."""
    more = np.arange(1, 101) * 100.0
    judgments = judgments_ahead(more)
    assert (judgments.value, judgments.low, judgments.high) == (5000, 300, 9800)
    found = hours_ahead(more, EXACT)
    assert (found.value, found.low, found.high) == pytest.approx((50, 3, 98))


def test_the_product_is_as_wide_as_both_together() -> None:
    """Lognormal with 0.3 times lognormal with 0.4 is lognormal with 0.5."""
    shares = (np.arange(400) + 0.5) / 400
    more = 1000 * np.exp(0.3 * stats.norm.ppf(shares))
    pace = ReadingPace(seconds=36.0, low=0.0, high=0.0, error=0.4)
    found = hours_ahead(more, pace)
    assert found.value == pytest.approx(10, rel=0.01)
    for end, share in ((found.low, 0.025), (found.high, 0.975)):
        assert end == pytest.approx(10 * np.exp(0.5 * stats.norm.ppf(share)), rel=0.02)


def test_unreachable_target_has_no_end_and_reached_target_takes_nothing() -> None:
    most = [np.inf] * 10 + [100.0] * 90
    assert judgments_ahead(most).high is None
    found = hours_ahead(most, ASSUMED_PACE)
    assert found.high is None
    assert found.low is not None
    days = days_ahead(most, [10, 12, 8])
    assert days is not None
    assert days.high is None
    for ahead in (hours_ahead([0.0], ASSUMED_PACE), days_ahead([0.0], [10, 12, 8])):
        assert ahead is not None
        assert (ahead.value, ahead.low, ahead.high) == (0, 0, 0)
    assert days_ahead([5.0], [0, 0, 0]) is None


def test_quantiles_of_a_pace_are_its_interval() -> None:
    random = np.random.default_rng(3)
    who = np.repeat(np.arange(6), 20)
    measured = reading_pace(who.tolist(), [1.0] * 120, random.gamma(4, 8, 120).tolist())
    assert measured is not None
    for pace in (measured, ASSUMED_PACE, ASSUMED_PACE.times(40)):
        ends = pace.quantiles([0.025, 0.5, 0.975])
        assert ends.tolist() == pytest.approx([pace.low, pace.seconds, pace.high])


@pytest.mark.parametrize("done", [[5, 5, 5], [3, 9, 4, 0, 8, 7, 6], [0, 0, 30]])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_quantiles_of_the_end_are_its_interval(
    done: list[int],
    confidence: float,
) -> None:
    shares = [(1 - confidence) / 2, 0.5, (1 + confidence) / 2]
    for left, found in zip(
        (1.0, 70.0),
        end_quantiles(done, [1.0, 70.0], shares),
        strict=True,
    ):
        end = forecast_end(done, int(left), confidence=confidence)
        assert end is not None
        high = np.inf if end.high is None else end.high
        assert found.tolist() == pytest.approx([end.low, end.days, high])


def test_intervals_hold_where_both_are_uncertain() -> None:
    """95 % are promised; each campaign needs its own number, and as many other judges do the rest."""
    random = np.random.default_rng(11)
    held = []
    for _campaign in range(300):
        needed = 400 * np.exp(random.normal(0, 0.6))
        # What a forecast knows of it: draws from the distribution that the need itself is from.
        more = 400 * np.exp(random.normal(0, 0.6, 200))
        judges = int(random.integers(3, 15))
        paces, others = 30 * np.exp(random.normal(0, 0.4, (2, judges)))
        who = np.repeat(np.arange(judges), 20)
        seconds = paces[who] * np.exp(random.normal(0, 0.5, len(who)))
        pace = reading_pace(who.tolist(), [1.0] * len(who), seconds.tolist())
        assert pace is not None
        hours = needed * others.mean() * np.exp(0.125) / 3600
        mean = random.uniform(20, 60)
        done, later = random.poisson(mean * random.gamma(9, 1 / 9, (2, 7))).tolist()
        days = days_ahead(more, done)
        found = hours_ahead(more, pace)
        assert days is not None
        assert found.low is not None
        assert found.high is not None
        assert days.low is not None
        true_days = needed / (
            mean * (1 + (np.mean(later) / mean - 1) / max(1, needed / mean / 7))
        )
        late = np.inf if days.high is None else days.high
        held.append([found.low <= hours <= found.high, days.low <= true_days <= late])
    of_hours, of_days = np.mean(held, axis=0)
    assert of_hours >= 0.92
    assert of_days >= 0.92

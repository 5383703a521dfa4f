"""Hours and days until a target: products of what is uncertain, by hand and simulated."""

import numpy as np
import pytest
from scipy import stats

from ranking.core.simulation.work_ahead import (
    ASSUMED_PACE,
    ReadingPace,
    days_ahead,
    end_quantiles,
    forecast_end,
    hours_ahead,
    judgments_ahead,
    reading_pace,
)

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


def test_what_is_never_reached_has_no_end_and_what_is_done_takes_nothing() -> None:
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
def test_quantiles_of_the_end_are_its_interval(done: list[int], confidence: float) -> None:
    shares = [(1 - confidence) / 2, 0.5, (1 + confidence) / 2]
    for left, found in zip((1.0, 70.0), end_quantiles(done, [1.0, 70.0], shares), strict=True):
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
        true_days = needed / (mean * (1 + (np.mean(later) / mean - 1) / max(1, needed / mean / 7)))
        late = np.inf if days.high is None else days.high
        held.append([found.low <= hours <= found.high, days.low <= true_days <= late])
    of_hours, of_days = np.mean(held, axis=0)
    assert of_hours >= 0.92
    assert of_days >= 0.92

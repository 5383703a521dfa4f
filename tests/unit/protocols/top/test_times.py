"""Time per block of two tasks, and its interval."""

import numpy as np
import pytest

from protocols.top.statistics import Times, times_compared
from ranking.core.scores import Shortage


def times(*rows: tuple[float, int, int]) -> Times:
    """One block each: seconds, judge, segment."""
    seconds, judge, segment = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    whole = np.int64
    return Times(
        seconds,
        judge.astype(whole),
        segment.astype(whole),
        np.full(len(rows), 5),
    )


def test_the_ratio_is_that_of_means() -> None:
    found = times_compared(
        times((10, 0, 0), (20, 1, 1), (60, 2, 2)),
        times((50, 0, 3), (70, 3, 4)),
    )
    assert found.shortage is None
    assert list(found.means) == [30, 60]
    assert list(found.medians) == [20, 60]
    assert found.ratio == pytest.approx(0.5)
    assert (found.judges, found.judges_of_both) == (4, 1)
    assert found.low is not None
    assert found.high is not None
    assert found.low * found.high == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (times(), times((1, 0, 0))),
        (times((1, 0, 0)), times((2, 0, 1))),
        (times((1, 0, 0), (1, 1, 0)), times((2, 2, 0))),
        (times((1, 0, 0), (1, 1, 1)), times((2, 0, 2), (2, 1, 3))),
    ],
    ids=["no block", "one judge", "one segment", "equal times"],
)
def test_uninformative_times_have_no_interval(first: Times, second: Times) -> None:
    found = times_compared(first, second)
    assert (found.low, found.high) == (None, None)


def test_the_task_with_fewest_judges_or_segments_decides() -> None:
    many = times(*((10 + n, n, n) for n in range(6)))
    assert times_compared(many, times((5, 0, 0))).shortage == Shortage(
        "counted_judges",
        1,
        2,
    )
    assert times_compared(many, times((5, 0, 0), (6, 1, 0))).low is None
    few, more = (
        times((5, 0, 0), (7, 1, 1)),
        times(*((5 + 2 * (n % 2), n, n) for n in range(6))),
    )
    lengths = [
        found.high / found.low
        for found in (times_compared(many, few), times_compared(many, more))
        if found.low is not None and found.high is not None
    ]
    # Two judges have one degree of freedom, whatever the other task has.
    assert lengths[0] > 10 * lengths[1]


def world(rng: np.random.Generator, *, is_shared: bool) -> tuple[Times, Times]:
    """Two tasks, the first three times as fast; judges and segments differ in pace."""
    pace, length = rng.lognormal(0, 0.4, 24), rng.lognormal(0, 0.3, 60)
    of_tasks = []
    for task, mean in enumerate((10, 30)):
        judge = rng.integers(12, size=150) + (0 if is_shared else 12 * task)
        segment = rng.integers(60, size=150)
        seconds = mean * pace[judge] * length[segment] * rng.lognormal(0, 0.4, 150)
        of_tasks.append(Times(seconds, judge, segment, np.full(150, 5)))
    return of_tasks[0], of_tasks[1]


@pytest.mark.parametrize("is_shared", [True, False])
def test_intervals_hold(*, is_shared: bool) -> None:
    """Of the ratio of the means of all judges, a third; 95 % of 400 intervals, give or take three errors."""
    rng = np.random.default_rng(7)
    held, lengths = 0, []
    for _ in range(400):
        found = times_compared(*world(rng, is_shared=is_shared))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 1 / 3 <= found.high
        lengths.append(np.log(found.high / found.low))
    assert held / 400 >= 0.95 - 3 * 0.011
    # The same judges in both tasks are worth it.
    assert np.mean(lengths) < (0.45 if is_shared else 1)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from ranking.core.judges.tallies import NO_TIMES, median_times_of_tallies, tally_times


def counted(*times: float) -> list[tuple[int, int]]:
    found = tally_times(np.zeros(len(times), dtype=np.int64), np.array(times))
    milliseconds = found.columns()[1]
    return list(zip(milliseconds.tolist(), found.values[:, 0].tolist(), strict=True))


def test_times_are_counted_to_three_significant_digits() -> None:
    assert counted(0.0, 0.0004, 0.9994) == [(0, 2), (999, 1)]
    assert counted(0.9996, 1.0, 1.004, 1.005) == [(1000, 3), (1010, 1)]
    assert counted(9.994, 9.996, 10.04, 10.06) == [(9990, 1), (10_000, 2), (10_100, 1)]
    assert counted(86_399.9, float("nan")) == [(86_400_000, 1)]


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 999).map(lambda number: number / 10)),
        max_size=40,
    ),
    st.sampled_from([0.8, 0.95]),
)
def test_the_median_and_its_interval_are_those_of_the_ordered_times(
    rows: list[tuple[int, float]], confidence: float
) -> None:
    judge = np.array([index for index, _time in rows], dtype=np.int64)
    seconds = np.array([time for _index, time in rows], dtype=np.float64)
    found = median_times_of_tallies(tally_times(judge, seconds), 3, confidence=confidence)
    for index, median in enumerate(found):
        own = np.sort(seconds[judge == index])
        if not len(own):
            assert median is None
            continue
        assert median is not None
        assert median.blocks == len(own)
        assert median.seconds == pytest.approx(np.median(own), rel=1e-12)
        below = int(binom.ppf((1 - confidence) / 2, len(own), 0.5))
        ends = (own[below - 1], own[len(own) - below]) if below else (None, None)
        assert (median.low, median.high) == pytest.approx(ends)


def test_nobody_has_no_median() -> None:
    assert median_times_of_tallies(NO_TIMES, 0) == []
    assert median_times_of_tallies(NO_TIMES, 1) == [None]

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from ranking.core.judges.clicking import tail_of_sum

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def convolved(values: Int64Array, shares: FloatArray, trials: Int64Array, at_least: int) -> float:
    """Convolve the trials one after the other: the second implementation."""
    reach = int(np.abs(values).max(initial=0))
    distribution = np.ones(1)
    for row, share, times in zip(values, shares, trials, strict=True):
        of_trial = np.zeros(2 * reach + 1)
        np.add.at(of_trial, row + reach, share)
        for _trial in range(times):
            distribution = np.convolve(distribution, of_trial)
    sums = np.arange(len(distribution)) - reach * int(trials.sum())
    return float(distribution[sums >= at_least].sum())


kinds = st.lists(
    st.tuples(
        st.lists(st.integers(-4, 4), min_size=3, max_size=3),
        st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any),
        st.integers(1, 40),
    ),
    max_size=4,
)


@given(kinds, st.integers(-60, 60))
def test_it_is_the_convolution(drawn: list[tuple[list[int], list[int], int]], away: int) -> None:
    values = np.array([row for row, _, _ in drawn], dtype=np.int64).reshape(-1, 3)
    shares = np.array([row for _, row, _ in drawn], dtype=np.float64).reshape(-1, 3)
    shares /= shares.sum(axis=1, keepdims=True)
    trials = np.array([times for _, _, times in drawn], dtype=np.int64)
    at_least = away + round(float(trials @ (values * shares).sum(axis=1)))
    found = tail_of_sum(values, shares, trials, at_least)
    assert found == pytest.approx(convolved(values, shares, trials, at_least), abs=1e-12)


def test_trials_that_only_give_even_sums_are_exact() -> None:
    # Half of the frequencies matter then, at both ends.
    values, shares, trials = np.array([[-2, 2]]), np.array([[0.5, 0.5]]), np.array([5000])
    odd = tail_of_sum(values, shares, trials, 1)
    assert odd == pytest.approx(tail_of_sum(values, shares, trials, 2), abs=1e-12)
    assert odd == pytest.approx(binom.sf(2500, 5000, 0.5), abs=1e-10)

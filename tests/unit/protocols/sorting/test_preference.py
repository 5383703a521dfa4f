"""R, its standard error and the two tests; with the numbers that Vilar et al. (2007) print or imply."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from ranking.core.rankings.two_systems import Preference


def test_sixty_to_forty_is_significant_by_the_normal_test_alone() -> None:
    counts = Preference(60, 40)
    assert counts.z == pytest.approx(2.03, abs=0.005)
    assert counts.p_normal < 0.05
    assert counts.p_exact == pytest.approx(0.057, abs=0.0005)


def test_the_least_lead_that_is_significant_with_600_of_700_decided() -> None:
    # With 600 decided a lead is even.
    assert (
        Preference(324, 276, same=100).p_normal
        < 0.05
        < Preference(323, 277, same=100).p_normal
    )
    assert Preference(324, 276).lead == 48


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 9))
def test_r_and_its_error_are_mean_and_standard_error_of_the_answers(
    wins: int,
    losses: int,
    same: int,
    identical: int,
) -> None:
    counts = Preference(wins, losses, same, identical)
    answers = [1] * wins + [-1] * losses + [0] * (same + identical)
    assert counts.judgments == len(answers)
    if len(answers) < 2:
        assert math.isnan(counts.error)
        assert math.isnan(counts.p_normal)
        assert math.isnan(counts.p_exact)
        return
    assert counts.mean == pytest.approx(sum(answers) / len(answers))
    assert counts.error == pytest.approx(float(stats.sem(answers)))
    other = replace(counts, wins=counts.losses, losses=counts.wins)
    assert (other.mean, other.error, other.p_exact) == (
        -counts.mean,
        counts.error,
        counts.p_exact,
    )


def test_judgments_that_are_all_the_same_have_no_error_and_an_exact_test() -> None:
    counts = Preference(2, 0)
    assert (counts.error, counts.z) == (0, math.inf)
    assert counts.p_normal == counts.p_exact == 0.5
    assert Preference(0, 0, same=5).z == 0
    assert Preference(0, 0, same=5).p_normal == 1


@pytest.mark.parametrize("judgments", [50, 80])
def test_the_interval_of_judgments_that_are_all_the_same_is_clopper_and_pearsons(
    judgments: int,
) -> None:
    counts = Preference(judgments, 0)
    low, high = counts.interval(0.05)
    exact = stats.binomtest(judgments, judgments).proportion_ci(0.95)
    assert (low, high) == pytest.approx((2 * exact.low - 1, 1))
    assert low > 0
    assert counts.p_normal < 0.05
    assert Preference(0, judgments).interval(0.05) == pytest.approx((-high, -low))


@pytest.mark.parametrize(
    ("wins", "losses", "same"),
    [(2, 0, 0), (8, 2, 0), (29, 13, 7)],
)
def test_few_judgments_have_no_interval_and_no_smaller_p_than_the_exact_one(
    wins: int,
    losses: int,
    same: int,
) -> None:
    counts = Preference(wins, losses, same)
    assert all(map(math.isnan, counts.interval(0.05)))
    assert counts.p_normal >= counts.p_exact
    # An error over judges that is larger still counts.
    assert replace(counts, drawn_error=10.0).p_normal == pytest.approx(
        2 * stats.norm.sf(counts.mean / 10),
    )


def test_there_is_no_interval_where_nothing_is_decided() -> None:
    assert all(map(math.isnan, Preference(0, 0, same=50).interval(0.05)))


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_both_tests_and_the_interval_are_those_of_other_packages(
    wins: int,
    losses: int,
    same: int,
) -> None:
    counts = Preference(wins, losses, same)
    answers = np.array([1] * wins + [-1] * losses + [0] * same)
    decided = wins + losses
    if len(answers) < 2:
        return
    exact = stats.binomtest(wins, decided).pvalue if decided else 1.0
    assert counts.p_exact == pytest.approx(exact)
    if np.ptp(answers) == 0:
        assert counts.p_normal == exact
        return
    reference = DescrStatsW(answers)
    z, p = reference.ztest_mean(0)
    assert counts.z == pytest.approx(z)
    if len(answers) < 50:
        assert counts.p_normal == pytest.approx(max(p, exact))
        return
    assert counts.p_normal == pytest.approx(p)
    low, high = reference.zconfint_mean(0.05)
    assert counts.interval(0.05) == pytest.approx((max(-1, low), min(1, high)))
    # |R| > z · se[R] is the same as p < 0.05, and as an interval without 0.
    is_significant = abs(counts.mean) > 1.959963985 * counts.error
    assert is_significant == (counts.p_normal < 0.05) == (low > 0 or high < 0)

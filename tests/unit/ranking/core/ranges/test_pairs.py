"""Tests of pairs of systems, beside hand-worked ones and scipy's."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp, ttest_rel

from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.ranges.sign_tests import (
    Correction,
    PairTests,
    adjusted,
    compared_pairs,
    difference_tests,
    sign_tests,
)
from ranking.core.scores import Scores


def test_a_hand_worked_t_test_of_two_scores() -> None:
    sample = np.array([0.3, -0.1, 0.4, 0.2, 0.5])
    expected = ttest_1samp(sample, 0)
    scores = Scores(values=np.array([0.0, sample.mean()]), estimable=np.ones(2, dtype=np.bool_))
    covariance = np.diag([0.0, sample.var(ddof=1) / 5])

    def tested(sides: Any) -> np.ndarray[Any, Any]:
        return difference_tests(
            scores, covariance, degrees_of_freedom=4, sides=sides, correction=Correction.NONE
        ).p_value

    assert tested(2)[1, 0] == pytest.approx(expected.pvalue)
    assert tested(1)[1, 0] == pytest.approx(expected.pvalue / 2)
    assert tested(2)[0, 1] == 1


def test_what_two_scores_share_is_taken_off_their_difference() -> None:
    """Paired samples: the variance of the difference is that of scipy's paired test."""
    samples = np.random.default_rng(1).normal(size=(9, 1)) + np.random.default_rng(2).normal(
        (0.4, 0.0, 0.2), 0.5, (9, 3)
    )
    scores = Scores(values=samples.mean(axis=0), estimable=np.ones(3, dtype=np.bool_))
    p = difference_tests(
        scores, np.cov(samples.T) / 9, degrees_of_freedom=8, sides=2, correction=Correction.NONE
    ).p_value
    for a, b in ((0, 1), (0, 2), (1, 2)):
        expected = ttest_rel(samples[:, a], samples[:, b]).pvalue
        assert min(p[a, b], p[b, a]) == pytest.approx(expected)


def test_a_difference_without_variance_is_certain_and_none_is_nothing() -> None:
    scores = Scores(values=np.array([0.0, 0.0, 1.0]), estimable=np.ones(3, dtype=np.bool_))
    p = difference_tests(
        scores, np.zeros((3, 3)), degrees_of_freedom=9, sides=2, correction=Correction.NONE
    ).p_value
    np.testing.assert_array_equal(p, [[1, 1, 1], [1, 1, 1], [0, 0, 1]])


def test_scores_that_do_not_compare_are_not_tested() -> None:
    values = np.array([2.0, 1.0, np.nan])
    estimable = np.array([True, True, False])
    scores = Scores(values=values, estimable=estimable, group=np.array([0, 1, 1]))
    p = difference_tests(
        scores, np.eye(3) * 1e-6, degrees_of_freedom=9, sides=2, correction=Correction.NONE
    ).p_value
    np.testing.assert_array_equal(p, np.ones((3, 3)))


def test_the_correction_is_of_the_direction_that_something_speaks_for() -> None:
    wins = np.array([[0, 9, 5], [1, 0, 8], [5, 2, 0]])
    tests = sign_tests(wins, sides=2, correction=Correction.HOLM)
    expected = [binomtest(9, 10).pvalue, 1.0, binomtest(8, 10).pvalue]
    p = [tests.p_value[0, 1], tests.p_value[0, 2], tests.p_value[1, 2]]
    assert p == pytest.approx(expected)
    holm = adjusted(np.array(expected), Correction.HOLM)
    found = [tests.adjusted_p[0, 1], tests.adjusted_p[0, 2], tests.adjusted_p[1, 2]]
    assert found == pytest.approx(holm)
    assert (np.tril(tests.adjusted_p) + np.triu(np.ones((3, 3)), 1) == 1)[np.tril_indices(3)].all()
    # Whoever won as often as they lost has nothing in their favour, with one side neither.
    one_sided = sign_tests(wins, sides=1, correction=Correction.NONE).p_value
    assert (one_sided[0, 2], one_sided[2, 0]) == (1, 1)


def test_a_pair_is_significant_at_its_level_and_counts_its_losses() -> None:
    rows = [BlockRow("j", k, ["a", "b"], [1 + (k < 2), 2 - (k < 2)]) for k in range(9)]
    rows += [BlockRow("j", 9 + k, ["a", "b"], [3, 3]) for k in range(4)]
    tallies = tally(blocks_from_rows(rows, "ab"))
    scores = Scores(values=np.array([0.7, 0.3]), estimable=np.ones(2, dtype=np.bool_))
    p, adjusted_p = np.array([[1, 0.01], [1, 1]]), np.array([[1, 0.05], [1, 1]])
    tests = PairTests(p_value=p, adjusted_p=adjusted_p)
    (at,) = compared_pairs(tallies, scores, tests, level=0.05)
    (below,) = compared_pairs(tallies, scores, tests, level=0.049)
    assert (at.wins, at.losses, at.ties, at.significant) == (7, 2, 4, True)
    assert (below.p_value, below.adjusted_p, below.significant) == (0.01, 0.05, False)

"""Tests of pairs of systems, beside hand-worked ones and scipy's."""

from typing import Any, Literal

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest, ttest_1samp, ttest_rel
from statsmodels.stats.multitest import multipletests

from ranking.core.counting.counts import tally
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.ranges import (
    Correction,
    PairTests,
    adjusted,
    better,
    compared_pairs,
    difference_tests,
    ranges_of_better,
    sign_test,
    sign_tests,
)
from ranking.core.scores import Scores


@pytest.mark.parametrize(("sides", "alternative"), [(1, "greater"), (2, "two-sided")])
def test_p_values_are_those_of_the_exact_binomial_test(
    sides: Literal[1, 2],
    alternative: Literal["greater", "two-sided"],
) -> None:
    wins, losses = np.array([0, 3, 5, 9, 40, 0]), np.array([1, 3, 2, 1, 60, 7])
    expected = [
        stats.binomtest(int(won), int(won + lost), alternative=alternative).pvalue
        for won, lost in zip(wins, losses, strict=True)
    ]
    np.testing.assert_allclose(
        sign_test(wins, losses, sides=sides),
        expected,
        rtol=1e-10,
    )


def test_nothing_decided_is_no_difference() -> None:
    assert sign_test(np.array(0), np.array(0)) == 1
    assert sign_test(np.array(0), np.array(0), sides=2) == 1


@pytest.mark.parametrize(
    ("correction", "name"),
    [(Correction.HOLM, "holm"), (Correction.BENJAMINI_HOCHBERG, "fdr_bh")],
)
def test_corrections_are_those_of_statsmodels(
    correction: Correction,
    name: str,
) -> None:
    rng = np.random.default_rng(1)
    for p in (rng.random(10) ** 3, np.array([0.01, 0.01, 0.04, 1.0]), np.array([0.02])):
        np.testing.assert_allclose(
            adjusted(p, correction),
            multipletests(p, method=name)[1],
            rtol=1e-12,
        )


def test_samples_are_corrected_independently() -> None:
    p = np.random.default_rng(2).random((3, 5)) ** 3
    together = adjusted(p, Correction.HOLM)
    for row, one in zip(together, p, strict=True):
        np.testing.assert_array_equal(row, adjusted(one, Correction.HOLM))


def test_the_range_of_the_paper() -> None:
    # Better than 9, worse than 2, indistinguishable from 3 of 15 systems: ranks 3 to 6 (§5.1).
    wins = np.zeros((15, 15), dtype=np.int64)
    wins[0, 1:10] = 100
    wins[10:12, 0] = 100
    wins[0, 12:] = wins[12:, 0] = 50
    ranges = ranges_of_better(better(wins))
    assert (ranges.low[0], ranges.high[0]) == (3, 6)


def test_one_side_at_five_percent_is_two_sides_at_ten() -> None:
    wins = np.random.default_rng(3).integers(0, 40, (8, 8))
    one = better(wins, level=0.05)
    np.testing.assert_array_equal(one, better(wins, level=0.1, sides=2))
    assert not np.any(one & one.T)
    assert np.any(one)


def test_corrections_only_take_differences_away() -> None:
    wins = np.random.default_rng(4).integers(0, 40, (10, 10))
    alone = better(wins, sides=2)
    shared = better(wins, sides=2, correction=Correction.BENJAMINI_HOCHBERG)
    strict = better(wins, sides=2, correction=Correction.HOLM)
    assert np.all(strict <= shared)
    assert np.all(shared <= alone)
    assert strict.sum() < alone.sum()


def test_holm_keeps_the_chance_of_any_false_difference() -> None:
    rng = np.random.default_rng(5)
    wins = np.zeros((600, 6, 6), dtype=np.int64)
    first, second = np.triu_indices(6, 1)
    wins[:, first, second] = rng.binomial(100, 0.5, (600, 15))
    wins[:, second, first] = 100 - wins[:, first, second]
    any_false = (
        better(wins, sides=2, correction=Correction.HOLM).any(axis=(1, 2)).mean()
    )
    assert any_false < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)
    assert better(wins).any(axis=(1, 2)).mean() > 0.5


def test_a_level_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        better(np.array([[0, 3], [1, 0]]), level=5.0)


def test_ranges_of_several_tables_are_those_of_each() -> None:
    tables = np.random.default_rng(4).integers(0, 40, (3, 8, 8))
    ranges = ranges_of_better(better(tables))
    for place, table in enumerate(tables):
        alone = ranges_of_better(better(table))
        np.testing.assert_array_equal(ranges.low[place], alone.low)
        np.testing.assert_array_equal(ranges.high[place], alone.high)


def test_a_hand_worked_t_test_of_two_scores() -> None:
    sample = np.array([0.3, -0.1, 0.4, 0.2, 0.5])
    expected = ttest_1samp(sample, 0)
    scores = Scores(
        values=np.array([0.0, sample.mean()]),
        estimable=np.ones(2, dtype=np.bool_),
    )
    covariance = np.diag([0.0, sample.var(ddof=1) / 5])

    def tested(sides: Any) -> np.ndarray[Any, Any]:
        return difference_tests(
            scores,
            covariance,
            degrees_of_freedom=4,
            sides=sides,
            correction=Correction.NONE,
        ).p_value

    assert tested(2)[1, 0] == pytest.approx(expected.pvalue)
    assert tested(1)[1, 0] == pytest.approx(expected.pvalue / 2)
    assert tested(2)[0, 1] == 1


def test_difference_removes_the_shared_part_of_two_scores() -> None:
    """Paired samples: the variance of the difference is that of scipy's paired test."""
    samples = np.random.default_rng(1).normal(size=(9, 1)) + np.random.default_rng(
        2,
    ).normal((0.4, 0.0, 0.2), 0.5, (9, 3))
    scores = Scores(values=samples.mean(axis=0), estimable=np.ones(3, dtype=np.bool_))
    p = difference_tests(
        scores,
        np.cov(samples.T) / 9,
        degrees_of_freedom=8,
        sides=2,
        correction=Correction.NONE,
    ).p_value
    for a, b in ((0, 1), (0, 2), (1, 2)):
        expected = ttest_rel(samples[:, a], samples[:, b]).pvalue
        assert min(p[a, b], p[b, a]) == pytest.approx(expected)


def test_a_difference_without_variance_is_certain_and_none_is_nothing() -> None:
    scores = Scores(
        values=np.array([0.0, 0.0, 1.0]),
        estimable=np.ones(3, dtype=np.bool_),
    )
    p = difference_tests(
        scores,
        np.zeros((3, 3)),
        degrees_of_freedom=9,
        sides=2,
        correction=Correction.NONE,
    ).p_value
    np.testing.assert_array_equal(p, [[1, 1, 1], [1, 1, 1], [0, 0, 1]])


def test_scores_that_do_not_compare_are_not_tested() -> None:
    values = np.array([2.0, 1.0, np.nan])
    estimable = np.array([True, True, False])
    scores = Scores(values=values, estimable=estimable, group=np.array([0, 1, 1]))
    p = difference_tests(
        scores,
        np.eye(3) * 1e-6,
        degrees_of_freedom=9,
        sides=2,
        correction=Correction.NONE,
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
    assert (np.tril(tests.adjusted_p) + np.triu(np.ones((3, 3)), 1) == 1)[
        np.tril_indices(3)
    ].all()
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
    holm = Correction.HOLM
    (at,) = compared_pairs(tallies, scores, tests, correction=holm, level=0.05)
    (below,) = compared_pairs(tallies, scores, tests, correction=holm, level=0.049)
    assert (at.wins, at.losses, at.ties, at.significant) == (7, 2, 4, True)
    assert (below.p_value, below.adjusted_p, below.significant) == (0.01, 0.05, False)
    (plain,) = compared_pairs(
        tallies,
        scores,
        tests,
        correction=Correction.NONE,
        level=0.05,
    )
    assert (plain.p_value, plain.adjusted_p, plain.significant) == (0.01, None, None)

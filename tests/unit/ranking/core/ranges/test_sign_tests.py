from typing import Literal

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from ranking.core.ranges.sign_tests import (
    Correction,
    adjusted,
    better,
    rank_ranges_by_sign_test,
    sign_test,
)


@pytest.mark.parametrize(("sides", "alternative"), [(1, "greater"), (2, "two-sided")])
def test_p_values_are_those_of_the_exact_binomial_test(
    sides: Literal[1, 2], alternative: Literal["greater", "two-sided"]
) -> None:
    wins, losses = np.array([0, 3, 5, 9, 40, 0]), np.array([1, 3, 2, 1, 60, 7])
    expected = [
        stats.binomtest(int(won), int(won + lost), alternative=alternative).pvalue
        for won, lost in zip(wins, losses, strict=True)
    ]
    np.testing.assert_allclose(sign_test(wins, losses, sides=sides), expected, rtol=1e-10)


def test_nothing_decided_is_no_difference() -> None:
    assert sign_test(np.array(0), np.array(0)) == 1
    assert sign_test(np.array(0), np.array(0), sides=2) == 1


@pytest.mark.parametrize(
    ("correction", "name"), [(Correction.HOLM, "holm"), (Correction.BENJAMINI_HOCHBERG, "fdr_bh")]
)
def test_corrections_are_those_of_statsmodels(correction: Correction, name: str) -> None:
    rng = np.random.default_rng(1)
    for p in (rng.random(10) ** 3, np.array([0.01, 0.01, 0.04, 1.0]), np.array([0.02])):
        np.testing.assert_allclose(
            adjusted(p, correction), multipletests(p, method=name)[1], rtol=1e-12
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
    ranges = rank_ranges_by_sign_test(wins)
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
    any_false = better(wins, sides=2, correction=Correction.HOLM).any(axis=(1, 2)).mean()
    assert any_false < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)
    assert better(wins).any(axis=(1, 2)).mean() > 0.5


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda w: sign_test(w, w, sides=3), "sides"),  # type: ignore[arg-type]
        (lambda w: sign_test(-w, w), "negative"),
        (lambda w: better(w, level=5.0), "level"),
    ],
)
def test_arguments_out_of_range_are_refused(call: object, named: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=named):
        call(np.array([[0, 3], [1, 0]]))


def test_ranges_of_several_tables_are_those_of_each() -> None:
    tables = np.random.default_rng(4).integers(0, 40, (3, 8, 8))
    ranges = rank_ranges_by_sign_test(tables)
    for place, table in enumerate(tables):
        alone = rank_ranges_by_sign_test(table)
        np.testing.assert_array_equal(ranges.low[place], alone.low)
        np.testing.assert_array_equal(ranges.high[place], alone.high)

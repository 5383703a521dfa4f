"""Intervals of shares, against what is computed by hand."""

import numpy as np
import pytest
from scipy.stats import beta
from scipy.stats import t as student

from ranking.core.uncertainty import (
    ScoreCovariance,
    share_interval,
    share_part,
    share_variance,
)


def test_a_part_has_the_factor_of_its_units() -> None:
    """Four units with a residual of ½ each: 4 · ¼ · 4 / 3."""
    won = np.array([1, 0, 1, 0])
    found = share_part(np.arange(4), won, 1 - won)
    assert found.effective == 4
    assert found.matrix[0, 0] == pytest.approx(4 / 3)


def test_units_of_several_sizes_count_as_fewer() -> None:
    """Units of 3 and 1 trials, all won and lost: s = 4/6, residuals of 1 and −2/3, 16/10 effective ones."""
    found = share_part(np.array([7, 7, 2]), np.array([2, 1, 0]), np.array([0, 0, 1]))
    assert found.effective == pytest.approx(1.6)
    assert found.matrix[0, 0] == pytest.approx((1 + 4 / 9) * 1.6 / 0.6)


def of_segments() -> ScoreCovariance:
    """Return the variance of eight segments of five trials, five won and three lost; each trial of its own judge."""
    won = np.repeat([1, 1, 1, 1, 1, 0, 0, 0], 5)
    return share_variance(
        won,
        1 - won,
        segment=np.repeat(np.arange(8), 5),
        judge=np.arange(40),
    )


def test_segments_that_are_alike_are_the_trials() -> None:
    """Segments have a design effect of 5 · 8/7; judges, of one trial each, add what blocks take away."""
    found = of_segments()
    assert found.limits == ()
    variance = float(found.matrix[0, 0])
    # Judges add little to its uncertainty: their variance is 7/39 of that of segments.
    freedom = 1 / (1 / 7 + (7 / 39) ** 2 / 39)
    assert found.freedom_of(variance) == pytest.approx(freedom)
    trials = 7 * (student.ppf(0.025, 39) / student.ppf(0.025, freedom)) ** 2
    low, high = share_interval(25, 15, found)
    share = 25 / 40
    assert low == pytest.approx(
        beta.ppf(0.025, share * trials, (1 - share) * trials + 1),
    )
    assert high == pytest.approx(
        beta.ppf(0.975, share * trials + 1, (1 - share) * trials),
    )
    # Wider than with less confidence.
    narrow = share_interval(25, 15, found, confidence=0.5)
    assert low < narrow[0] < share < narrow[1] < high


def test_interval_of_no_or_all_successes() -> None:
    """Ten trials of their own segments and judges have a design effect of 10/9, from two parts of nine degrees."""
    units = np.arange(10)
    all_won = np.ones(10, dtype=np.int64)
    trials = 9 * (student.ppf(0.025, 9) / student.ppf(0.025, 4.5)) ** 2
    parts = share_variance(1 - all_won, all_won, segment=units, judge=units)
    low, high = share_interval(0, 10, parts)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / trials))
    # No shorter than that of Clopper and Pearson.
    assert high > 1 - 0.025 ** (1 / 10)
    parts = share_variance(all_won, 1 - all_won, segment=units, judge=units)
    assert share_interval(10, 0, parts) == pytest.approx((1 - high, 1))


@pytest.mark.parametrize("won", [1, 4])
def test_a_single_block_is_one_trial(won: int) -> None:
    one = np.zeros(1, dtype=np.int64)
    parts = share_variance(np.array([won]), one, segment=one, judge=one)
    assert share_interval(won, 0, parts) == pytest.approx((0.025, 1))
    assert parts.limits == ("few_segments", "few_judges")


def test_documents_replace_segments_where_there_are_enough() -> None:
    """Sixteen segments of four documents, two of which are won."""
    segment = np.arange(16)
    won = (segment < 8).astype(np.int64)
    judge = segment % 8
    found = share_variance(
        won,
        1 - won,
        segment=segment,
        judge=judge,
        document=segment // 4,
    )
    assert found.segments == 4
    # Four blocks of a document, each of another judge.
    documents, judges, blocks = (
        share_part(unit, won, 1 - won).matrix for unit in (segment // 4, judge, segment)
    )
    np.testing.assert_allclose(found.matrix, documents + judges - blocks)
    assert found.limits == ()
    found = share_variance(
        won,
        1 - won,
        segment=segment,
        judge=segment // 4,
        document=segment // 4,
    )
    np.testing.assert_allclose(found.matrix, documents)
    found = share_variance(
        won,
        1 - won,
        segment=segment,
        judge=judge,
        document=segment // 8,
    )
    assert found.segments == 16
    assert found.limits == ("few_documents",)

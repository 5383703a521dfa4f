"""Correlations of scores, beside scipy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ranking.core.beside import (
    UNITS,
    DrawnScores,
    FloatArray,
    NoCorrelation,
    correlations,
    drawn_scores,
    kendall_tau_b,
    pearson,
    spearman,
)
from ranking.core.methods.registry import counts_method_named
from ranking.core.scores import Scores
from tests.benchmarks.beside_coverage import WORLDS, campaign

MEASURES: dict[str, tuple[Callable[..., FloatArray], Callable[..., Any]]] = {
    "kendall": (kendall_tau_b, lambda one, other: stats.kendalltau(one, other, variant="b")),
    "spearman": (spearman, stats.spearmanr),
    "pearson": (pearson, stats.pearsonr),
}


@pytest.mark.parametrize("name", MEASURES)
def test_they_are_those_of_scipy(name: str) -> None:
    own, scipys = MEASURES[name]
    rng = np.random.default_rng(7)
    for systems in (3, 4, 7, 15):
        # Few values, so that many are tied.
        one, other = rng.integers(4, size=(2, 40, systems)).astype(np.float64) / 7
        varied = (np.ptp(one, axis=1) > 0) & (np.ptp(other, axis=1) > 0)
        found = own(one, other)
        assert np.isnan(found[~varied]).all()
        expected = [scipys(*row).statistic for row in zip(one[varied], other[varied], strict=True)]
        assert found[varied] == pytest.approx(expected, abs=1e-12)


def test_a_worked_example() -> None:
    """Ten pairs: eight alike, one the other way round, one tied in the second alone; 7 / √(10 · 9)."""
    one = np.array([5.0, 4, 3, 2, 1])
    other = np.array([5.0, 4, 2, 3, 3])
    # 3 : 2 and 3 : 1 are the other way round, 2 : 1 is tied.
    assert kendall_tau_b(one, other) == pytest.approx((7 - 2) / np.sqrt(10 * 9))
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic)


def test_rounding_errors_are_ties() -> None:
    one = np.array([0.1 + 0.2, 0.3, 0.1])
    other = np.array([2.0, 1.0, 0.0])
    assert kendall_tau_b(one, other) == pytest.approx(2 / np.sqrt(2 * 3))
    assert np.isnan(pearson(np.array([0.1 + 0.2, 0.3, 0.3]), other))


def drawn(**scores: float) -> DrawnScores:
    """Scores without noise."""
    values = np.array(list(scores.values()), dtype=np.float64)
    known = ~np.isnan(values)
    resampled = Scores(np.tile(values, (100, 1)), np.tile(known, (100, 1)))
    return DrawnScores(
        tuple(scores), Scores(values, known), dict.fromkeys(UNITS, resampled), fewest_units=5
    )


def test_only_systems_that_both_score_count() -> None:
    found = correlations(
        drawn(a=3, b=2, c=1, f=0, d=9, e=float("nan")), drawn(c=0, x=5, b=2, a=1, f=-1, e=8)
    )
    assert found.systems == ("a", "b", "c", "f")
    assert found.kendall is not None
    assert found.kendall.value == pytest.approx(2 / 3)
    # Scores without noise tell nothing of other segments.
    assert (found.kendall.low, found.kendall.high) == (None, None)


def test_with_fewer_than_four_systems_or_equal_scores_there_is_none() -> None:
    few = correlations(drawn(a=3, b=2, c=1, e=0), drawn(a=3, b=2, c=1, d=0))
    assert (few.kendall, few.spearman, few.pearson) == (None, None, None)
    assert (few.systems, few.reason) == (("a", "b", "c"), NoCorrelation.FEW_SYSTEMS)
    none = correlations(drawn(a=3, b=2), drawn(c=3, d=2))
    assert (none.systems, none.reason) == ((), NoCorrelation.FEW_SYSTEMS)
    equal = correlations(drawn(a=3, b=2, c=1, d=0), drawn(a=1, b=1, c=1, d=1))
    assert (equal.kendall, equal.reason) == (None, NoCorrelation.EQUAL_SCORES)


def test_resamples_without_a_correlation_have_no_interval() -> None:
    one, other = drawn(a=3, b=2, c=1, d=0), drawn(a=3, b=1, c=2, d=0)
    one.resampled["segments"].values[:60] = np.nan
    found = correlations(one, other)
    assert found.pearson is not None
    assert found.pearson.value == pytest.approx(0.8)
    assert found.pearson.low is None


def test_a_segment_weighs_the_same_in_both_tasks() -> None:
    """Of a task and itself the correlation is 1 in every resample, whichever unit is drawn."""
    task = campaign(WORLDS["tastes"], np.random.default_rng(3))[0]
    scores = drawn_scores(task, counts_method_named("expected_wins"), resamples=100)
    assert set(UNITS) == scores.resampled.keys()
    assert not np.array_equal(
        scores.resampled["segments"].values, scores.resampled["judges"].values
    )
    found = correlations(scores, scores)
    assert found.pearson is not None
    assert found.pearson.value == pytest.approx(1)
    assert found.pearson.low is None

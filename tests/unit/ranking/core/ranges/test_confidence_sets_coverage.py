"""How often confidence sets of ranks miss true ranks."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

from ranking.core.ranges.clusters import RankRanges, rank_ranges
from ranking.core.ranges.confidence_sets import rank_confidence_sets
from ranking.core.scores import Scores
from tests.benchmarks.rank_confidence_sets import KINDS, scored
from tests.unit.ranking.core.ranges.centred import centred
from tests.worlds import draw_campaign, world_named

FloatArray = npt.NDArray[np.float64]


# What the sets promise, in simulated scores, normal around the truth with a known covariance, and
# in sixty campaigns; `python -m tests.benchmarks.rank_confidence_sets` draws a thousand of
# each of several worlds.

_TRIALS = 500


Sets = Callable[[FloatArray, FloatArray, int], RankRanges]


def marginal_sets(values: FloatArray, covariance: FloatArray, seed: int) -> RankRanges:
    return rank_confidence_sets(values, covariance, draws=500, seed=seed)


def simultaneous_sets(values: FloatArray, covariance: FloatArray, seed: int) -> RankRanges:
    return rank_confidence_sets(values, covariance, simultaneous=True, draws=500, seed=seed)


def percentile_ranges(values: FloatArray, covariance: FloatArray, seed: int) -> RankRanges:
    noise = np.random.default_rng(seed).normal(size=(500, len(values)))
    drawn = values + noise - noise.mean(axis=1, keepdims=True)
    return rank_ranges(Scores(values=drawn, estimable=np.ones(drawn.shape, np.bool_)))


def misses(truth: FloatArray, sets: Sets, *, seed: int) -> npt.NDArray[np.bool_]:
    """Say whose set misses a rank of its true span, shape (trials, n)."""
    n = len(truth)
    covariance = centred(np.eye(n))
    best = 1 + np.count_nonzero(truth[:, np.newaxis] < truth, axis=1)
    worst = np.count_nonzero(truth[:, np.newaxis] <= truth, axis=1)
    noise = np.random.default_rng(seed).normal(size=(_TRIALS, n))
    values = truth + noise - noise.mean(axis=1, keepdims=True)
    ranges = [sets(row, covariance, trial) for trial, row in enumerate(values)]
    low, high = np.array([each.low for each in ranges]), np.array([each.high for each in ranges])
    return np.asarray((best < low) | (worst > high))


def test_the_truly_best_of_near_equal_systems_may_be_first() -> None:
    truth = np.linspace(0.4, 0, 15)
    assert np.mean(misses(truth, percentile_ranges, seed=1)[:, 0]) > 0.2
    missed = misses(truth, marginal_sets, seed=1)[:, 0]
    assert np.count_nonzero(missed) <= binom.ppf(0.999, _TRIALS, 0.05)


def test_marginal_sets_of_equal_systems_miss_as_often_as_promised_and_not_less() -> None:
    missed = misses(np.zeros(5), marginal_sets, seed=2)
    each = np.count_nonzero(missed, axis=0)
    assert np.all(each <= binom.ppf(0.9998, _TRIALS, 0.05))
    assert np.all(each >= binom.ppf(0.0002, _TRIALS, 0.05))


def test_simultaneous_sets_of_equal_systems_miss_any_as_often_as_promised_and_not_less() -> None:
    any_missed = np.count_nonzero(misses(np.zeros(15), simultaneous_sets, seed=3).any(axis=1))
    assert any_missed <= binom.ppf(0.999, _TRIALS, 0.05)
    assert any_missed >= binom.ppf(0.001, _TRIALS, 0.05)


def test_simultaneous_sets_hold_when_some_systems_are_equal_and_others_far_apart() -> None:
    # The step-down is sharpest here: most pairs are rejected, and the equal ones are what is left.
    truth = np.array([30.0, 20.0, 20.0, 20.0, 10.0, 0.0, 0.0])
    any_missed = np.count_nonzero(misses(truth, simultaneous_sets, seed=4).any(axis=1))
    assert any_missed <= binom.ppf(0.999, _TRIALS, 0.05)


@pytest.mark.thorough
def test_the_truly_best_of_near_equal_systems_may_be_first_in_campaigns() -> None:
    world, campaigns = world_named("near-equal"), 60
    missed = dict.fromkeys(KINDS, 0)
    for seed in range(campaigns):
        blocks, truth = draw_campaign(world, seed)
        campaign = scored(blocks, seed)
        for kind, ranges in KINDS.items():
            missed[kind] += int(ranges(campaign).low[np.argmax(truth)] > 1)
    assert missed["percentiles"] > 12
    assert missed["simultaneous"] <= missed["marginal"] <= binom.ppf(0.999, campaigns, 0.05)

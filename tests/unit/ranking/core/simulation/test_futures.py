"""The simulated campaigns that a plan continues, beside the definition of their choice."""

import numpy as np
import pytest

from ranking.core.simulation.model import Model, simulate_blocks
from ranking.core.simulation.noise import (
    CampaignCurve,
    Futures,
    NoiseFit,
    campaign_curve,
    fit_noise,
    likely_futures,
)

KEPT = 4


@pytest.fixture(scope="module")
def curve() -> CampaignCurve:
    blocks, _quality = simulate_blocks(Model(systems=6, noise=5), blocks=150, seed=77, experiment=0)
    return campaign_curve(blocks, points=5)


@pytest.fixture(scope="module")
def fit(curve: CampaignCurve) -> NoiseFit:
    return fit_noise(curve, experiments=60)


@pytest.fixture(scope="module")
def futures(curve: CampaignCurve, fit: NoiseFit) -> Futures:
    return likely_futures(curve, fit, experiments=KEPT, seed=8)


def test_noises_are_drawn_from_twice_the_interval_of_the_fit(
    fit: NoiseFit, futures: Futures
) -> None:
    assert fit.low is not None
    assert fit.high is not None
    drawn = np.array([futures.model_of(number).noise for number in range(400)])
    assert fit.low / 2 <= drawn.min() < fit.low
    assert fit.high < drawn.max() <= 2 * fit.high


def test_half_of_the_campaigns_have_systems_that_are_equally_good(futures: Futures) -> None:
    groups = [futures.model_of(number).groups for number in range(400)]
    assert set(groups[::2]) == {None}
    assert set(groups[1::2]) == {1, 2, 3, 4, 5}


def test_the_campaigns_nearest_to_the_given_one_are_kept(
    curve: CampaignCurve, futures: Futures
) -> None:
    """Thirty times as many are compared, by curve and spread alike."""
    found = [curve.simulated(futures.model_of(number), 8, number) for number in range(30 * KEPT)]
    distance = np.zeros(len(found))
    for part, wanted in enumerate((curve.significant, curve.spread)):
        values = np.array([each[part] for each in found])
        variance = np.mean([np.var(values[:, point]) for point in range(values.shape[1])])
        distance += [np.mean((row - wanted) ** 2) / variance for row in values]
    assert futures.experiments == tuple(sorted(np.argsort(distance)[:KEPT].tolist()))

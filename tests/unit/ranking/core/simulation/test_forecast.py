import numpy as np
import pytest

from ranking.core.simulation.budget import plan_campaign, plan_from_start
from ranking.core.simulation.measures import significant_pairs
from ranking.core.simulation.model import Model, simulate_blocks, simulate_wins
from ranking.core.simulation.noise import (
    CampaignCurve,
    Futures,
    NoiseFit,
    campaign_curve,
    fit_noise,
    forecast_pairs,
    likely_futures,
)

SEED = 5


@pytest.fixture(scope="module")
def curve() -> CampaignCurve:
    blocks, _quality = simulate_blocks(
        Model(systems=6, noise=8, tie_radius=2),
        blocks=150,
        seed=7,
        experiment=0,
    )
    return campaign_curve(blocks, seed=SEED)


@pytest.fixture(scope="module")
def fit(curve: CampaignCurve) -> NoiseFit:
    return fit_noise(curve, experiments=40, seed=SEED)


@pytest.fixture(scope="module")
def futures(curve: CampaignCurve, fit: NoiseFit) -> Futures:
    return likely_futures(curve, fit, experiments=40, seed=SEED)


def test_a_forecast_is_of_the_campaigns_it_continues(
    curve: CampaignCurve,
    futures: Futures,
) -> None:
    points = [2000.0, 6000.0]
    found = forecast_pairs(curve, futures, points, confidence=0.9, seed=SEED)
    shares = []
    for experiment in futures.experiments:
        model = futures.model_of(experiment)
        decided = [
            point * curve.decided_share for point in (curve.comparisons, *points)
        ]
        blocks = [round(each / 10) for each in decided]
        wins = simulate_wins(
            model,
            blocks=blocks,
            seed=SEED,
            experiment=experiment,
        ).wins
        now, *later = significant_pairs(wins).tolist()
        shares.append(
            [min(1.0, max(0.0, curve.separated + each - now)) for each in later],
        )
    assert found.share == pytest.approx(np.mean(shares, axis=0))
    ordered = np.sort(shares, axis=0)
    # 5 % and 95 % of 40, at campaigns that there are.
    assert found.low.tolist() == ordered[1].tolist()
    assert found.high.tolist() == ordered[38].tolist()
    assert found.share[0] < found.share[1]


def test_points_and_confidence_are_checked(
    curve: CampaignCurve,
    futures: Futures,
) -> None:
    with pytest.raises(ValueError, match="ascending"):
        forecast_pairs(curve, futures, [3000.0, 2000.0])
    with pytest.raises(ValueError, match="ascending"):
        forecast_pairs(curve, futures, [])
    with pytest.raises(ValueError, match="from now on"):
        forecast_pairs(curve, futures, [curve.comparisons - 1])
    with pytest.raises(ValueError, match="confidence"):
        forecast_pairs(curve, futures, [2000.0], confidence=1)


def test_futures_that_were_found_give_the_same_plan(
    curve: CampaignCurve,
    fit: NoiseFit,
    futures: Futures,
) -> None:
    how = {"experiments": 40, "seed": SEED, "limit": 50_000}
    again = plan_campaign(curve, fit, targets=[0.8], futures=futures, **how)  # type: ignore[arg-type]
    assert again == plan_campaign(curve, fit, targets=[0.8], **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("groups", [None, 3])
def test_one_more_system_leaves_the_others_as_they_are(groups: int | None) -> None:
    for experiment in range(5):
        six, seven = (
            simulate_wins(
                Model(systems=systems, noise=8, groups=groups),
                blocks=[1],
                seed=SEED,
                experiment=experiment,
            ).quality
            for systems in (6, 7)
        )
        assert seven[:6].tolist() == six.tolist()


def test_one_more_system_costs_more(curve: CampaignCurve, futures: Futures) -> None:
    how = {"targets": [0.6], "clusters": [2], "seed": SEED, "limit": 200_000}
    now = plan_from_start(curve, futures, **how)  # type: ignore[arg-type]
    more = plan_from_start(curve, futures, more_systems=1, **how)  # type: ignore[arg-type]
    assert [(row.measure, row.target) for row in more] == [
        (row.measure, row.target) for row in now
    ]
    assert now[0].comparisons is not None
    assert more[0].comparisons is not None
    assert more[0].comparisons > now[0].comparisons
    assert more[0].average is None
    plan_from_start(curve, futures, more_systems=1, clusters=[7], limit=4000)
    with pytest.raises(ValueError, match="2 … 6"):
        plan_from_start(curve, futures, clusters=[7])

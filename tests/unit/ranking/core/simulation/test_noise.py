"""The simulated campaigns that a plan continues, beside the definition of their choice."""

from dataclasses import replace

import numpy as np
import pytest

from ranking.core.counting.counts import tally
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.simulation.budget import plan_budget, plan_campaign
from ranking.core.simulation.measures import significant_pairs
from ranking.core.simulation.model import Model, simulate_blocks, simulate_wins
from ranking.core.simulation.noise import (
    NOISE_GRID,
    CampaignCurve,
    Futures,
    NoiseFit,
    NoiseNotEstimableError,
    campaign_curve,
    fit_noise,
    likely_futures,
    noise_table,
)
from tests.unit.ranking.core.simulation.koehn import expected_comparisons

TEN = Model(systems=10, noise=10)


@pytest.fixture(scope="module")
def campaign() -> CampaignCurve:
    blocks, _quality = simulate_blocks(TEN, blocks=500, seed=77, experiment=0)
    return campaign_curve(blocks)


def test_a_curve_ends_with_the_whole_campaign() -> None:
    model = replace(TEN, tie_radius=3)
    blocks, _quality = simulate_blocks(model, blocks=120, seed=1, experiment=0)
    curve = campaign_curve(blocks, points=7)
    tallies = tally(blocks)
    assert len(curve.decided) == 7
    assert curve.decided[-1] == tallies.wins.sum()
    assert curve.comparisons == 1200
    assert curve.decided_share == pytest.approx(1 - tallies.tied / 1200)
    assert curve.significant[-1] == pytest.approx(significant_pairs(tallies.wins))
    assert curve.separated == significant_pairs(tallies.wins)
    assert (curve.systems, curve.per_block) == (10, 5)


def test_systems_never_compared_are_no_part_of_the_model() -> None:
    rows = [
        BlockRow("j", number, [["a"], ["b"], ["c"]], [1, 2, 3]) for number in range(20)
    ]
    curve = campaign_curve(blocks_from_rows(rows, ["a", "b", "c", "never"]))
    assert (curve.systems, curve.per_block, curve.separated, curve.clusters) == (
        3,
        3,
        1,
        3,
    )


def test_a_campaign_without_decisions_has_no_curve() -> None:
    rows = [BlockRow("j", 1, [["a"], ["b"]], [2, 2])]
    with pytest.raises(NoiseNotEstimableError, match="ties"):
        campaign_curve(blocks_from_rows(rows, ["a", "b"]))


def test_a_campaign_in_which_everything_is_significant_has_no_fitted_noise() -> None:
    blocks, _quality = simulate_blocks(
        Model(systems=3, noise=0.01),
        blocks=900,
        seed=0,
        experiment=0,
    )
    with pytest.raises(NoiseNotEstimableError, match="too many pairs"):
        fit_noise(campaign_curve(blocks), experiments=20)


def test_the_interval_covers_the_true_noise_as_often_as_it_says(
    campaign: CampaignCurve,
) -> None:
    table = noise_table(campaign, experiments=60, seed=5)
    fits = []
    for experiment in range(120):
        blocks, _quality = simulate_blocks(
            TEN,
            blocks=500,
            seed=123,
            experiment=experiment,
        )
        curve = campaign_curve(blocks, orders=2)
        assert np.array_equal(curve.decided, campaign.decided)
        fits.append(table.fit(curve.significant, 0.9))
    covered = [
        (fit.low or NOISE_GRID[0]) <= 10 <= (fit.high or NOISE_GRID[-1]) for fit in fits
    ]
    # 108 of 120 expected, with a standard deviation of 3.3.
    assert 98 <= sum(covered) <= 118
    noises = [fit.noise for fit in fits]
    assert np.exp(np.mean(np.log(noises))) == pytest.approx(10, rel=0.08)


def test_a_plan_agrees_with_the_expected_curve() -> None:
    budget = plan_budget(TEN, targets=[0.5, 0.8], clusters=[3], experiments=150, seed=1)
    half, most, clusters = budget.rows
    expected = expected_comparisons(TEN, [0.5, 0.8])
    assert [half.average, most.average] == pytest.approx(expected, rel=0.15)
    for row in budget.rows:
        assert row.comparisons == row.more
        assert row.low is not None
        assert row.comparisons is not None
        assert row.high is not None
        assert row.low < row.comparisons < row.high
    assert (clusters.measure, clusters.target) == ("clusters", 3)


def test_a_plan_says_where_its_limit_is_too_low() -> None:
    budget = plan_budget(TEN, targets=[0.1, 0.95], experiments=40, limit=2000)
    near, far = budget.rows
    assert near.comparisons is not None
    assert near.comparisons < 2000
    assert (far.comparisons, far.low, far.high, far.average, far.more) == (None,) * 5
    assert (near.beyond, far.beyond) == (None, 1)


def test_half_of_the_campaigns_need_less_than_the_median_and_most_less_than_the_average() -> (
    None
):
    budget = plan_budget(
        TEN,
        targets=[0.7, 0.9],
        experiments=100,
        confidence=0.5,
        seed=2,
    )
    medians = []
    for row in budget.rows:
        assert row.comparisons is not None
        assert row.average is not None
        assert row.comparisons < row.average
        medians.append(row.comparisons)
    blocks = TEN.blocks_for(medians)
    shares = [
        significant_pairs(
            simulate_wins(TEN, blocks=blocks, seed=99, experiment=experiment).wins,
        )
        for experiment in range(200)
    ]
    by_then = np.array(shares) >= [row.target for row in budget.rows]
    # 100 of 200 expected, with a standard deviation of 7, and 10 for the median's own chance.
    # (The share may fall again, so a few more campaigns have been there.)
    assert np.all((by_then.sum(axis=0) >= 65) & (by_then.sum(axis=0) <= 125))


def test_groups_are_refused_where_they_make_no_sense() -> None:
    with pytest.raises(ValueError, match="groups"):
        Model(systems=4, noise=1, groups=5)
    with pytest.raises(ValueError, match="groups"):
        expected_comparisons(Model(systems=4, noise=1, groups=2), [0.5])


@pytest.mark.thorough
def test_a_plan_covers_what_campaigns_need(campaign: CampaignCurve) -> None:
    # The true future of the campaign, of which the plan has seen the first 500 blocks.
    fit = fit_noise(campaign, experiments=100)
    budget = plan_campaign(
        campaign,
        fit,
        targets=[0.3, 0.7],
        clusters=[2],
        experiments=60,
    )
    past, future, _clusters = budget.rows
    assert budget.collected == campaign.comparisons == 5000
    assert budget.fits
    assert budget.spread_p is not None
    assert campaign.separated >= 0.3
    assert past.more == 0
    assert past.high is not None
    assert past.high <= 5000
    assert campaign.separated < 0.7
    later = np.arange(500, 20_000, 100)
    wins = simulate_wins(TEN, blocks=later, seed=77, experiment=0).wins
    needed = 10 * int(later[np.argmax(significant_pairs(wins) >= 0.7)])
    assert future.low is not None
    assert 5000 <= future.low <= needed <= (future.high or np.inf)
    assert future.comparisons is not None
    assert future.more == future.comparisons - 5000


@pytest.mark.thorough
def test_a_plan_warns_where_a_leader_stands_before_equals() -> None:
    random = np.random.default_rng(5)
    quality = np.array([8.0, 0, 0, 0, 0, 0, 0, 0, 0])
    rows = []
    for number in range(500):
        shown = random.permutation(9)[:5]
        perceived = quality[shown] + random.normal(0, 10, 5)
        labels = (1 + np.argsort(np.argsort(-perceived))).tolist()
        rows.append(BlockRow("j", number, [[f"s{system}"] for system in shown], labels))
    curve = campaign_curve(
        blocks_from_rows(rows, [f"s{system}" for system in range(9)]),
    )
    fit = fit_noise(curve, experiments=60)
    budget = plan_campaign(curve, fit, targets=[0.5], experiments=60, limit=1_000_000)
    assert not budget.fits
    assert budget.rows[0].high is None  # never, and the plan knows that it may be so
    assert budget.rows[0].beyond is not None


def test_plans_refuse_nonsense(campaign: CampaignCurve) -> None:
    with pytest.raises(ValueError, match="at least one"):
        plan_budget(TEN)
    with pytest.raises(ValueError, match="shares"):
        plan_budget(TEN, targets=[1.2])
    with pytest.raises(ValueError, match="clusters"):
        plan_budget(TEN, clusters=[11])
    with pytest.raises(ValueError, match="confidence"):
        plan_budget(TEN, targets=[0.5], confidence=1.5, experiments=2)
    with pytest.raises(ValueError, match="confidence"):
        plan_budget(TEN, targets=[0.5], confidence=0, experiments=2)
    with pytest.raises(ValueError, match="confidence"):
        noise_table(campaign, experiments=2).fit(campaign.significant, 0)


KEPT = 4


@pytest.fixture(scope="module")
def curve() -> CampaignCurve:
    blocks, _quality = simulate_blocks(
        Model(systems=6, noise=5),
        blocks=150,
        seed=77,
        experiment=0,
    )
    return campaign_curve(blocks, points=5)


@pytest.fixture(scope="module")
def fit(curve: CampaignCurve) -> NoiseFit:
    return fit_noise(curve, experiments=60)


@pytest.fixture(scope="module")
def futures(curve: CampaignCurve, fit: NoiseFit) -> Futures:
    return likely_futures(curve, fit, experiments=KEPT, seed=8)


def test_noises_are_drawn_from_twice_the_interval_of_the_fit(
    fit: NoiseFit,
    futures: Futures,
) -> None:
    assert fit.low is not None
    assert fit.high is not None
    drawn = np.array([futures.model_of(number).noise for number in range(400)])
    assert fit.low / 2 <= drawn.min() < fit.low
    assert fit.high < drawn.max() <= 2 * fit.high


def test_half_of_the_campaigns_have_systems_that_are_equally_good(
    futures: Futures,
) -> None:
    groups = [futures.model_of(number).groups for number in range(400)]
    assert set(groups[::2]) == {None}
    assert set(groups[1::2]) == {1, 2, 3, 4, 5}


def test_the_campaigns_nearest_to_the_given_one_are_kept(
    curve: CampaignCurve,
    futures: Futures,
) -> None:
    """Thirty times as many are compared, by curve and spread alike."""
    found = [
        curve.simulated(futures.model_of(number), 8, number)
        for number in range(30 * KEPT)
    ]
    distance = np.zeros(len(found))
    for part, wanted in enumerate((curve.significant, curve.spread)):
        values = np.array([each[part] for each in found])
        variance = np.mean(
            [np.var(values[:, point]) for point in range(values.shape[1])],
        )
        distance += [np.mean((row - wanted) ** 2) / variance for row in values]
    assert futures.experiments == tuple(sorted(np.argsort(distance)[:KEPT].tolist()))

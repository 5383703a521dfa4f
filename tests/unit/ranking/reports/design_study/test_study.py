"""Designs compared on simulated campaigns: reproducible, honest about what was not reached."""

import numpy as np
import pytest

from ranking.core.counting.counts import Tallies
from ranking.core.simulation.model import Model
from ranking.reports.design_study.study import (
    ComparedDesign,
    DesignStudy,
    SimulatedCampaign,
    compare_designs,
    range_verdict,
    rates_of,
)

MODEL = Model(systems=6, noise=4.0)


def grown(design: ComparedDesign, blocks: int, **options: int) -> SimulatedCampaign:
    campaign = SimulatedCampaign(MODEL, design, seed=3, experiment=1, **options)
    for count in range(20, blocks + 1, 20):
        campaign.simulate_until(count)
    return campaign


def test_resampled_blocks_average_what_was_judged() -> None:
    campaign = grown(ComparedDesign.BALANCED, 400, resamples=300)
    mean = campaign.resampled_wins.mean(axis=0)
    # A Poisson number of mean 1 for each block: the counts vary by their square roots.
    error = np.sqrt(np.maximum(campaign.wins, 1) / 300)
    assert np.all(np.abs(mean - campaign.wins) < 5 * error)


def test_active_meets_close_systems_more_often_than_others() -> None:
    model = Model(systems=8, noise=3.0)
    near, far = [], []
    for experiment in range(6):
        campaign = SimulatedCampaign(
            model,
            ComparedDesign.ACTIVE,
            seed=1,
            experiment=experiment,
        )
        for count in range(20, 801, 20):
            campaign.simulate_until(count)
        met = campaign.wins + campaign.wins.T
        distance = np.abs(campaign.true_ranks[:, np.newaxis] - campaign.true_ranks)
        near.append(met[distance == 1].mean())
        far.append(met[distance >= 4].mean())
        assert met[~np.eye(8, dtype=np.bool_)].min() > 0
    assert np.mean(near) > 1.2 * np.mean(far)


def test_ties_and_shared_segments_are_simulated() -> None:
    model = Model(systems=6, noise=4.0, tie_radius=2.0, judge_noise=1.0, segments=20)
    campaign = SimulatedCampaign(model, ComparedDesign.UNIFORM, seed=1, experiment=0)
    campaign.simulate_until(200)
    assert campaign.ties.sum() > 0
    assert np.array_equal(campaign.ties, campaign.ties.T)
    assert campaign.wins.sum() + campaign.ties.sum() // 2 == 2000


def tallies() -> Tallies:
    wins = np.array([[0, 60, 70, 90], [20, 0, 60, 80], [20, 30, 0, 60], [5, 15, 30, 0]])
    ties = np.full((4, 4), 10) - 10 * np.eye(4, dtype=np.int64)
    return Tallies(systems=("a", "b", "c", "d"), wins=wins.astype(np.int64), ties=ties)


def test_resampled_judgments_come_out_as_often_as_the_real_ones() -> None:
    real = tallies()
    source = rates_of(real, per_block=3)
    campaign = SimulatedCampaign(source, ComparedDesign.BALANCED, seed=1, experiment=0)
    campaign.simulate_until(8000)
    met = campaign.wins + campaign.wins.T + campaign.ties
    share = np.divide(campaign.wins, met, out=np.zeros((4, 4)), where=met > 0)
    assert np.abs(share - source.rates[0]).max() < 5 * np.sqrt(0.25 / 4000)
    assert campaign.true_ranks.tolist() == [1, 2, 3, 4]


def test_unjudged_pairs_cannot_be_resampled() -> None:
    real = tallies()
    real.wins[0, 3] = real.wins[3, 0] = 0
    with pytest.raises(ValueError, match="whether 'a' or 'd' is better"):
        rates_of(real, per_block=3)


def test_ranges_say_as_much_as_the_judgments_do() -> None:
    campaign = grown(ComparedDesign.BALANCED, 600, resamples=100)
    sign = range_verdict(campaign, "sign_test", confidence=0.95)
    anytime = range_verdict(campaign, "anytime", confidence=0.95)
    # Whoever may look at any time is told less; what is told is told by both.
    assert anytime.pairs() < sign.pairs()
    assert np.all(sign.above | ~anytime.above)
    for ranges in ("expected_wins", "bradley_terry"):
        said = range_verdict(campaign, ranges, confidence=0.95)
        assert 0 < said.pairs() <= 1
        assert np.all(said.ranges.low <= said.ranges.high)


def test_target_beyond_the_limit_has_no_number() -> None:
    study = DesignStudy(
        source=MODEL,
        ranges=("anytime",),
        target_pairs=(1.0,),
        limit=40,
        experiments=3,
        seed=1,
    )
    found = compare_designs(study)
    for row in found.rows:
        assert (row.reached, row.judgments, row.ratio, row.violations) == (
            0,
            None,
            None,
            None,
        )
        assert row.each == (None, None, None)


def test_the_first_design_is_compared_with_itself() -> None:
    study = DesignStudy(
        source=MODEL,
        designs=(ComparedDesign.BALANCED, ComparedDesign.ACTIVE),
        ranges=("sign_test",),
        target_pairs=(0.6,),
        clusters=(2,),
        experiments=4,
        seed=1,
    )
    found = compare_designs(study)
    assert [(row.design, row.measure) for row in found.rows] == [
        *(
            (design, "pairs")
            for design in (ComparedDesign.BALANCED, ComparedDesign.ACTIVE)
        ),
        *(
            (design, "clusters")
            for design in (ComparedDesign.BALANCED, ComparedDesign.ACTIVE)
        ),
    ]
    assert found.rows[0].ratio == found.rows[0].ratio_low == 1
    for row in found.rows:
        needed = [each for each in row.each if each is not None]
        assert row.judgments is None or min(needed) <= row.judgments <= max(needed)


def test_impossible_arguments_are_refused() -> None:
    for wrong in (
        {"designs": ()},
        {"confidence": 0.5},
        {"floor": 1.5},
        {"limit": 0},
        {"target_pairs": ()},
    ):
        with pytest.raises(ValueError, match=r"expected|specify"):
            compare_designs(DesignStudy(source=MODEL, experiments=1, **wrong))


def test_evidence_for_independent_comparisons_is_refused_where_segments_are_shared() -> (
    None
):
    shared = Model(systems=6, noise=4.0, segments=50)
    study = DesignStudy(source=shared, ranges=("sign_test", "anytime"), experiments=1)
    with pytest.raises(ValueError, match="not independent"):
        compare_designs(study)

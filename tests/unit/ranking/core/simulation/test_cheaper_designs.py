"""What other designs would take from now on."""

import numpy as np
import pytest

from annotation.sampling.priorities import active_priorities_of_many
from ranking.core.counting.tallies import Tallies, tally
from ranking.core.simulation.budget_curve import ActiveDraw
from ranking.core.simulation.cheaper_designs import _reached, needs_of_design
from ranking.core.simulation.model import Model, simulate_blocks

TARGETS = (0.8, 0.9)


def test_between_two_points_it_is_a_straight_line() -> None:
    judgments, pairs = np.array([0.0, 10.0, 30.0]), np.array([2.0, 4.0, 8.0])
    assert _reached(judgments, pairs, 6.0) == pytest.approx(20.0)
    assert _reached(judgments, pairs, 2.0) == 0.0
    assert _reached(judgments, pairs, 9.0) is None


@pytest.fixture(scope="module")
def tallies() -> Tallies:
    judged, _quality = simulate_blocks(
        Model(systems=12, noise=6.0), blocks=1000, seed=5, experiment=0
    )
    return tally(judged)


def test_blocks_of_five_take_fewer_judgments_than_pairs(tallies: Tallies) -> None:
    five, two = (
        needs_of_design(tallies, per_block=shown, targets=TARGETS, limit=100_000)
        for shown in (5, 2)
    )
    for many, few in zip(five[:1], two[:1], strict=True):
        assert many.judgments is not None
        assert few.judgments is not None
        # Ten comparisons for one, with outputs in common: not ten times as much.
        assert 3 < few.judgments / many.judgments < 11
        assert many.low is not None
        assert many.low <= many.judgments
        assert many.high is None or many.judgments <= many.high


def test_an_active_design_takes_fewer_than_a_balanced_one(tallies: Tallies) -> None:
    active = ActiveDraw(active_priorities_of_many, floor=0.1)
    balanced = needs_of_design(tallies, per_block=2, targets=TARGETS, limit=100_000)
    chosen = needs_of_design(tallies, per_block=2, targets=TARGETS, limit=100_000, active=active)
    assert balanced[0].judgments is not None
    assert chosen[0].judgments is not None
    assert chosen[0].judgments < balanced[0].judgments


def test_the_same_seed_gives_the_same_bits_and_what_is_far_is_not_said(tallies: Tallies) -> None:
    found = [
        needs_of_design(tallies, per_block=5, targets=(1.0,), limit=50, seed=3) for _ in range(2)
    ]
    assert found[0] == found[1]
    assert found[0][0].judgments is None
    assert found[0][0].high is None

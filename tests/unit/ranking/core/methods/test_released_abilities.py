"""Abilities against what WMT published, on the judgments WMT released."""

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.ability import Ability
from ranking.core.methods.trueskill import trueskill_wmt
from ranking.core.ranges.clusters import clusters, rank_ranges
from tests.released import appraise, blocks_of, expected_of, pairwise

pytestmark = pytest.mark.realdata


@pytest.fixture(scope="module")
def english_finnish(real_data: Path) -> Blocks:
    return blocks_of(appraise(real_data / "wmt15-en-fi" / "judgments.xml"))


@pytest.fixture(scope="module")
def english_dutch(real_data: Path) -> Blocks:
    return blocks_of(pairwise(real_data / "wmt16-it-en-nl" / "pairwise.csv"))


def assert_published(ability: Ability, published: list[list[list[Any]]]) -> None:
    """Hold μ to 0.01 and the ends of the ranges to one rank."""
    ranges = rank_ranges(ability.drawn_scores)
    for system, mu, low, high in (row for cluster in published for row in cluster):
        index = ability.systems.index(system)
        assert ability.mu[index] == pytest.approx(mu, abs=0.01)
        assert abs(ranges.low[index] - low) <= 1
        assert abs(ranges.high[index] - high) <= 1


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_trueskill_of_wmt15_english_finnish(
    real_data: Path, english_finnish: Blocks, seed: int
) -> None:
    expected = expected_of(real_data / "wmt15-en-fi")
    ability = trueskill_wmt(english_finnish, seed=seed)
    assert ability.extra["comparisons"] == expected["pairs"]
    assert_published(ability, expected["published_trueskill"])
    published = (real_data / "wmt15-en-fi" / "published-trueskill.txt").read_text(encoding="utf-8")
    names = [line.split()[0] for line in published.splitlines() if not line.startswith("+")]
    assert [ability.systems[k] for k in np.argsort(-ability.mu)] == names
    # The first four and the last two stand alone in print, and here.
    cluster = dict(zip(ability.systems, clusters(rank_ranges(ability.drawn_scores)), strict=True))
    alone = [*names[:4], *names[-2:]]
    for name in alone:
        assert [other for other in names if cluster[other] == cluster[name]] == [name]


@pytest.mark.thorough
@pytest.mark.parametrize("resample", ["none", "pairs"])
def test_trueskill_of_wmt16_english_dutch(
    real_data: Path, english_dutch: Blocks, resample: Literal["none", "pairs"]
) -> None:
    expected = expected_of(real_data / "wmt16-it-en-nl")
    assert tally(english_dutch).comparisons == expected["pairs"]
    ability = trueskill_wmt(english_dutch, resample=resample)
    assert_published(ability, expected["published_trueskill"])

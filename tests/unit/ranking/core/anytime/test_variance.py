from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from ranking.core.anytime import (
    DifferenceVariances,
    difference_variances,
    scores_and_influence,
)
from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import (
    ClusterUnit,
    Moments,
    effective_units_by_system,
    moments_of_blocks,
)
from ranking.core.uncertainty.two_way import clustered_covariance
from tests.worlds import draw_campaign, world_named

FloatArray = npt.NDArray[np.float64]

PAIRS = np.triu_indices(6, 1)


def campaign(*, judges: int, disputed: int | None) -> Moments:
    world = replace(
        world_named("10 judges, taste 3"),
        systems=6,
        spread=0,
        judges=judges,
        disputed=disputed,
        blocks=1500,
    )
    return moments_of_blocks(draw_campaign(world, 2)[0], Layout(6))


def estimated(moments: Moments, ready: list[bool] | None = None) -> DifferenceVariances:
    return difference_variances(
        moments,
        scores_and_influence(moments, 6)[1],
        segments=effective_units_by_system(moments, Layout(6), "segments"),
        judges=effective_units_by_system(moments, Layout(6), "judges"),
        ready=np.array(ready or [True] * 6),
    )


def clustered(moments: Moments, unit: ClusterUnit) -> FloatArray:
    covariance = clustered_covariance(moments, scores_and_influence(moments, 6)[1], unit)
    own = np.diag(covariance)
    return np.asarray((own[:, np.newaxis] + own - 2 * covariance)[PAIRS])


def test_a_pair_that_few_judges_happen_to_agree_about_has_the_variance_of_all() -> None:
    moments = campaign(judges=5, disputed=None)
    found = estimated(moments).variance[PAIRS]
    judges, blocks = clustered(moments, "judges"), clustered(moments, "blocks")
    assert judges.min() < judges.mean() / 3
    assert np.all(found >= blocks * judges.mean() / blocks.mean())
    assert np.all(found >= judges)


def test_pairs_that_judges_dispute_keep_their_own_variance() -> None:
    moments = campaign(judges=10, disputed=1)
    found = estimated(moments).variance[PAIRS]
    judges = clustered(moments, "judges")
    disputed = PAIRS[0] == 0
    np.testing.assert_allclose(found[disputed], judges[disputed], rtol=0.05)
    assert found[disputed].min() > 1.5 * found[~disputed].max()


def test_more_systems_make_the_variance_surer_but_not_without_end() -> None:
    moments = campaign(judges=10, disputed=None)
    two = estimated(moments, [True, True] + [False] * 4)
    three = estimated(moments, [True] * 3 + [False] * 3)
    # Nine degrees of freedom for nearly equal parts, twice as many for two contrasts, at most four.
    assert two.degrees_of_freedom[0, 1] == pytest.approx(9, rel=0.1)
    assert three.degrees_of_freedom[0, 1] == pytest.approx(18, rel=0.1)
    assert estimated(moments).degrees_of_freedom[0, 1] == pytest.approx(36, rel=0.1)


def test_systems_that_are_not_ready_have_no_variance_and_change_no_other() -> None:
    moments = campaign(judges=10, disputed=None)
    found = estimated(moments, [True] * 5 + [False])
    assert np.all(np.isnan(found.variance[5]))
    assert np.all(np.isnan(found.degrees_of_freedom[:, 5]))
    assert np.all(np.isnan(np.diag(found.variance)))
    assert not np.isnan(found.variance[:5, :5][np.triu_indices(5, 1)]).any()
    assert np.isnan(estimated(moments, [True] + [False] * 5).variance).all()

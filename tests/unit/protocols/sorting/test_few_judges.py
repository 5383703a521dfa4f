"""A test that holds where few judges differ in taste: Student's t over the R of each judge."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ranking.core.rankings.two_systems import PairJudgments, compare, p_over_judges
from tests.simulated.sorts import SimulatedCampaign, SimulatedWorld

#: Two equal systems; judges with samples of their own.
EQUAL = SimulatedWorld({"X": 0.0, "Y": 0.0}, same=0.3, judges=3, sentences=40)


def judged(answers: dict[str, list[int]], *, shared: bool = False) -> PairJudgments:
    """Return the answers of each judge, to the same segments or to some of their own."""
    judges = [judge for judge, given in answers.items() for _each in given]
    segments = [place for given in answers.values() for place in range(len(given))]
    numbers = segments if shared else range(len(judges))
    answered = [each for given in answers.values() for each in given]
    return PairJudgments.of_rows(
        ("X", "Y"),
        list(zip(judges, numbers, answered, strict=True)),
    )


ANSWERS = {
    "ann": [1, 1, 1, 0],
    "bob": [1, -1, 1, 1],
    "eve": [1, 0, 0, 1],
    "joe": [-1, 1, 1, 0],
}


def test_p_value_equals_scipy_on_means_of_judges() -> None:
    means = [np.mean(given) for given in ANSWERS.values()]
    expected = stats.ttest_1samp(means, 0).pvalue
    assert p_over_judges(judged(ANSWERS)) == pytest.approx(expected)
    assert compare(judged(ANSWERS)).p_judges == pytest.approx(expected)
    assert p_over_judges(judged(ANSWERS).reversed()) == pytest.approx(expected)


def test_shared_segments_increase_the_p_value() -> None:
    alike = {
        judge: [1, 1, 1, -1, -1, 1, 1, 0 if judge == "ann" else 1] for judge in ANSWERS
    }
    own, shared = (
        p_over_judges(judged(alike, shared=shared)) for shared in (False, True)
    )
    assert own is not None
    assert shared is not None
    assert own < 0.01 < 0.05 < shared


@pytest.mark.parametrize(("judges", "p"), [(2, 0.5), (7, 0.015625)])
def test_judges_who_do_not_differ_have_a_vote_each(judges: int, p: float) -> None:
    alike = {f"judge{number}": [1, 1, 0] for number in range(judges)}
    assert p_over_judges(judged(alike)) == p
    assert p_over_judges(judged({name: [1, -1] for name in alike})) == 1


@pytest.mark.parametrize(
    "world",
    [
        EQUAL,
        replace(EQUAL, taste=0.2),
        replace(EQUAL, taste=0.2, judges=2),
        replace(EQUAL, luck=0.5, is_shared=True),
        replace(EQUAL, judges=7, taste=0.2),
    ],
)
def test_equal_systems_are_told_apart_no_more_often_than_it_says(
    world: SimulatedWorld,
) -> None:
    """The level is 5 % of 400 comparisons; two standard errors are 2.2 %."""
    told = [
        p_over_judges(SimulatedCampaign(world, seed=3, run=run).judgments(("X", "Y")))
        for run in range(400)
    ]
    assert np.mean([p is not None and p <= 0.05 for p in told]) <= 0.075

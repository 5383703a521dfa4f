"""Metrics compared with each other, with people among themselves, and with chance."""

from itertools import combinations, product
from typing import Literal

import numpy as np
import pytest

from ranking.core.arrays import FloatArray
from ranking.core.beside import OutputScores
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.metrics.agreement import Metric, agreement_of_metrics
from ranking.core.metrics.comparison import metrics_compared
from ranking.core.metrics.limits import ceiling, floor
from ranking.core.metrics.pairs import is_right
from ranking.core.metrics.people import People, people_of_blocks, people_of_scores
from tests.benchmarks.metric_coverage import WORLDS, held


def metric(name: str, values: FloatArray) -> Metric:
    rows, systems = values.shape
    return Metric(
        name=name,
        systems=tuple("abcdef"[:systems]),
        segments=np.arange(rows),
        values=values,
        of_systems=np.full(systems, np.nan),
    )


def scored(rows: int, seed: int = 2) -> tuple[People, list[Metric]]:
    random = np.random.default_rng(seed)
    human = random.normal(0, 1, (rows, 6)) + np.arange(6) / 3
    noise = random.normal(0, 1, (3, rows, 6))
    people = people_of_scores(np.round(human), "abcdef", np.arange(rows), resamples=100)
    near, far = human + noise[0] / 2, human + 4 * noise[1]
    return people, [metric("far", far), metric("near", near), metric("same", 3 * near + 1)]


@pytest.mark.parametrize("figure", ["soft_pairwise", "acc_eq"])
def test_better_metric_is_told_apart_and_equal_ones_are_not(
    figure: Literal["soft_pairwise", "acc_eq"],
) -> None:
    people, metrics = scored(80)
    thresholds = [each.threshold or 0.0 for each in agreement_of_metrics(people, metrics)]
    found = metrics_compared(people, metrics, thresholds, figure)
    assert found.p_value[1, 0] < 0.05
    assert found.p_value[0, 1] > 0.9
    assert found.p_value[1, 2] == found.p_value[2, 1] == 1.0
    assert found.cluster.tolist() == [2, 1, 1]
    assert found.ranges.low.tolist() == [3, 1, 1]
    assert found.ranges.high.tolist() == [3, 2, 2]
    assert found.segments == 80


def test_swaps_of_few_segments_are_enumerated() -> None:
    people, metrics = scored(5)
    thresholds = [0.1, 0.2, 0.0]
    found = metrics_compared(people, metrics, thresholds, "acc_eq")
    by_segment = []
    for each, limit in zip(metrics, thresholds, strict=True):
        right = is_right(people.pairs.human, people.pairs.differences(each.values), limit)
        by_segment.append(np.bincount(people.pairs.row, right) / 15 / 5)
    np.testing.assert_allclose(found.values, np.sum(by_segment, axis=1))
    for one, other in combinations(range(3), 2):
        apart = by_segment[one] - by_segment[other]
        swaps = np.array(list(product((1, -1), repeat=5))) @ apart
        assert found.p_value[one, other] == np.mean(swaps >= apart.sum() - 1e-9)


def test_metrics_are_compared_on_segments_that_all_of_them_score() -> None:
    people, metrics = scored(20)
    metrics[0].values[3, 2] = np.nan
    found = metrics_compared(people, metrics, [0.0] * 3, "soft_pairwise")
    assert found.segments == 19
    metrics[0].values[:] = np.nan
    found = metrics_compared(people, metrics, [0.0] * 3, "acc_eq")
    assert found.segments == 0
    assert np.isnan(found.p_value).all()


def test_ceiling_of_rankings_is_of_each_judge_against_the_others_on_the_same_outputs() -> None:
    systems = [["a"], ["b"], ["c"]]
    rows = [
        BlockRow("x", 1, systems, [1, 2, 3]),
        BlockRow("y", 1, systems, [1, 3, 2]),
        BlockRow("y", 1, systems, [2, 1, 3]),
        BlockRow("x", 2, systems, [1, 1, 2]),
        BlockRow("z", 2, systems, [1, 2, 2]),
        BlockRow("z", 3, systems, [1, 2, 3]),
    ]
    people = people_of_blocks(blocks_from_rows(rows, systems="abc"), resamples=100)
    found = ceiling(people)
    assert found is not None
    # x with each of y's two: (2 + 2) of 6; x with z: 1 of 3; each in both directions.
    assert found.outputs == 2 * 9
    assert found.segments["acc_eq"].value == pytest.approx(5 / 9)
    assert found.systems["pairwise"].value > 0


def test_ceiling_of_ratings_is_of_each_judge_against_the_mean_of_the_others() -> None:
    ratings = OutputScores.of_rows(
        (segment, judge, system, score)
        for segment, scores in enumerate([[1, 2, 2], [3, 3, 1]])
        for judge, more in (("x", 0), ("y", 1), ("z", 2))
        for system, score in zip("abc", np.array(scores) + more, strict=True)
    )
    people = people_of_scores(
        np.array([[2.0, 3.0, 3.0], [4.0, 4.0, 2.0]]), "abc", np.arange(2), resamples=100
    )
    found = ceiling(people, ratings=ratings)
    assert found is not None
    assert found.segments["acc_eq"].value == 1
    assert ceiling(people) is None


def test_floor_is_what_random_scores_reach() -> None:
    people, _metrics = scored(60)
    found = floor(people, folds=10)
    for name, middle in {"pearson": 0.0, "kendall_by_segment": 0.0}.items():
        low, high = found.segments[name].low, found.segments[name].high
        assert low is not None
        assert high is not None
        assert low < middle < high
    assert 0.3 < found.systems["pairwise"].value < 0.7


@pytest.mark.parametrize("name", ["rankings, tastes", "scores"])
def test_intervals_hold_in_simulated_campaigns(name: str) -> None:
    """95 % of 40 campaigns, give or take three errors; `metric_coverage` draws hundreds of each."""
    for figure, found in held(WORLDS[name], campaigns=40, resamples=100).items():
        assert found.share > 0.845, figure

"""Systems in the order of a metric beside that of people."""

import numpy as np
import pytest

from ranking.core.arrays import FloatArray
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.orders import MetricOrder, metric_order, people_order
from ranking.core.metrics.people import Metric, People, people_of_blocks, people_of_scores

SYSTEMS = ("A", "B", "C")
SEGMENTS = 60


@pytest.fixture(scope="module")
def people() -> People:
    """A before B before C in all but every sixth segment, by four judges."""
    rows = [
        BlockRow(f"j{judge}", segment, [[name] for name in SYSTEMS], labels)
        for segment in range(1, SEGMENTS + 1)
        for judge in range(4)
        for labels in [[2, 1, 3] if segment % 6 == 0 else [1, 2, 3]]
    ]
    return people_of_blocks(blocks_from_rows(rows, SYSTEMS), drawing=Drawing(resamples=200))


def scored(values: FloatArray, of_systems: FloatArray | None = None, sign: float = 1.0) -> Metric:
    n = values.shape[1]
    return Metric(
        name="M",
        systems=SYSTEMS[:n],
        segments=np.arange(1, len(values) + 1),
        values=sign * values,
        of_systems=np.full(n, np.nan) if of_systems is None else of_systems,
        sign=sign,
    )


def ranks(found: MetricOrder) -> list[tuple[str, int | None, int | None, int | None]]:
    return [(row.system, row.rank, row.rank_low, row.rank_high) for row in found.rows]


def test_a_metric_in_the_other_direction_agrees(people: People) -> None:
    errors = np.random.default_rng(1).normal([1.0, 2.0, 3.0], 0.1, (SEGMENTS, 3))
    found = metric_order(scored(errors, sign=-1.0), people)
    assert ranks(found) == [("A", 1, 1, 1), ("B", 2, 2, 2), ("C", 3, 3, 3)]
    assert found.rows[0].value is not None
    assert found.rows[0].value.value == pytest.approx(errors[:, 0].mean())
    assert (found.agreeing, found.contradictions) == (3, [])
    assert [(row.rank, row.rank_low) for row in people_order(people)] == [(1, 1), (2, 2), (3, 3)]
    # People prefer B to A where the metric does not.
    assert {each.segment % 6 for each in found.discords} == {0}
    assert {(each.better, each.worse) for each in found.discords} == {("B", "A")}


def test_pairs_that_people_separate_are_contradicted(people: People) -> None:
    values = np.random.default_rng(2).normal([3.0, 1.0, 1.5], 0.1, (SEGMENTS, 3))
    values[:10, 0] = np.nan
    found = metric_order(scored(values), people)
    [contradiction] = found.contradictions
    assert (contradiction.better, contradiction.worse) == ("B", "C")
    assert contradiction.is_separated
    assert contradiction.by_people.value > 0 > contradiction.difference.value
    assert {row.system: row.missing for row in found.rows} == {"A": 10, "B": 0, "C": 0}
    assert metric_order(scored(values).within(np.arange(1, 31)), people).segments == 30


def test_scores_of_systems_alone_have_no_range(people: People) -> None:
    found = metric_order(scored(np.empty((0, 3)), np.array([0.1, 0.3, np.nan])), people)
    assert (found.range_kind, found.segments) == ("none", 0)
    none = (None, None)
    assert ranks(found) == [("B", 1, *none), ("A", 2, *none), ("C", None, *none)]
    assert [(each.better, each.is_separated) for each in found.contradictions] == [("A", False)]


def test_scores_of_people_without_judges_are_an_order_too() -> None:
    values = np.random.default_rng(3).normal([80.0, 70.0], 5.0, (SEGMENTS, 2))
    people = people_of_scores(scored(values))
    assert people.better.tolist() == [[False, True], [False, False]]
    found = metric_order(scored(-values), people)
    assert found.discords[0].by_people > 0 > found.discords[0].by_metric

"""Systems in the order of a metric beside that of people."""

from typing import Any

import numpy as np
import pytest

from ranking.core.arrays import FloatArray
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.metrics.orders import HumanOrder, ScoredOutputs, metric_order
from ranking.core.metrics.people import people_of_blocks, people_of_scores

SYSTEMS = ("A", "B", "C")
SEGMENTS = 60


@pytest.fixture(scope="module")
def people() -> HumanOrder:
    """A before B before C in all but every sixth segment, by four judges."""
    rows = [
        BlockRow(f"j{judge}", segment, [[name] for name in SYSTEMS], labels)
        for segment in range(1, SEGMENTS + 1)
        for judge in range(4)
        for labels in [[2, 1, 3] if segment % 6 == 0 else [1, 2, 3]]
    ]
    return HumanOrder(people_of_blocks(blocks_from_rows(rows, SYSTEMS), resamples=200))


def scored(values: FloatArray, **more: Any) -> ScoredOutputs:
    nothing = np.full(values.shape[1], np.nan)
    fields: dict[str, Any] = {
        "name": "M",
        "systems": SYSTEMS[: values.shape[1]],
        "values": values,
        "of_systems": nothing,
        **more,
    }
    return ScoredOutputs(**fields)


def test_a_metric_in_the_other_direction_agrees(people: HumanOrder) -> None:
    random = np.random.default_rng(1)
    errors = random.normal([1.0, 2.0, 3.0], 0.1, (SEGMENTS, 3))
    found = metric_order(scored(errors, sign=-1.0), people)
    assert [row.system for row in found.rows] == ["A", "B", "C"]
    assert [(row.rank_low, row.rank_high) for row in found.rows] == [(1, 1), (2, 2), (3, 3)]
    assert (found.agreeing, found.contradictions) == (3, ())
    assert [each.rank for each in people.order()] == [1, 2, 3]
    # People prefer B to A where the metric does not.
    assert {each.segment % 6 for each in found.discords} == {0}
    assert {(each.better, each.worse) for each in found.discords} == {("B", "A")}


def test_pairs_that_people_separate_are_contradicted(people: HumanOrder) -> None:
    values = np.random.default_rng(2).normal([3.0, 1.0, 1.5], 0.1, (SEGMENTS, 3))
    values[:10, 0] = np.nan
    found = metric_order(scored(values), people)
    [contradiction] = found.contradictions
    assert (contradiction.better, contradiction.worse) == ("B", "C")
    assert contradiction.is_separated
    assert contradiction.by_people.value > 0 > contradiction.difference.value
    assert {row.system: row.missing for row in found.rows} == {"A": 10, "B": 0, "C": 0}
    judged = np.arange(SEGMENTS) < 30
    assert metric_order(scored(values), people, segments=judged).segments == 30


def test_scores_of_systems_alone_have_no_range(people: HumanOrder) -> None:
    given = scored(np.empty((0, 3)), of_systems=np.array([0.1, 0.3, np.nan]))
    found = metric_order(given, people)
    assert (found.range_kind, found.segments) == ("none", 0)
    assert [(row.system, row.rank, row.rank_low) for row in found.rows] == [
        ("B", 1, None),
        ("A", 2, None),
        ("C", None, None),
    ]
    assert [(each.better, each.is_separated) for each in found.contradictions] == [("A", False)]


def test_scores_of_people_without_judges_are_an_order_too() -> None:
    values = np.random.default_rng(3).normal([80.0, 70.0], 5.0, (SEGMENTS, 2))
    people = HumanOrder(people_of_scores(values, ("A", "B"), np.arange(1, SEGMENTS + 1)))
    assert people.separated == [("A", "B")]
    found = metric_order(scored(-values), people)
    assert found.discords[0].by_people > 0 > found.discords[0].by_metric

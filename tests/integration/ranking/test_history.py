"""How the ranking formed, from the runs that were stored."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ranking.selectors.runs import RUNS_SHOWN, ranking_history
from ranking.services.runs import ranking_history_compute
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_stages_are_the_stored_runs_in_their_order(writer: TestSetWriter) -> None:
    writer.judgment("j", writer.block(1, ["A", "B"]), [2, 2])
    writer.judgment("j", writer.block(2, ["B", "A"]), [1, 2])
    writer.judgment("j", writer.block(3, ["A", "B", "C"]), [1, 2, 3])
    ranking_history_compute(task_id=writer.task.pk, steps=3)

    history = ranking_history(task_id=writer.task.pk)

    assert [point.watermark for point in history] == [1, 2, 3]
    assert [point.comparisons for point in history] == [1, 2, 5]
    # The first judgment is a tie.
    assert [(row["system"], row["rank"]) for row in history[0].systems] == [
        ("A", 1),
        ("B", 1),
    ]
    assert [row["system"] for row in history[1].systems] == ["B", "A"]
    assert [point.clusters for point in history] == [None] * 3


@pytest.mark.thorough
@pytest.mark.parametrize("count", [RUNS_SHOWN + 5])
def test_two_queries_and_few_results_however_many_runs(
    writer: TestSetWriter,
    count: int,
) -> None:
    with writer.at_once():
        for segment in range(1, count + 1):
            writer.judgment("j", writer.block(segment, ["A", "B"]), [1, 2])
    ranking_history_compute(task_id=writer.task.pk, steps=count)

    with CaptureQueriesContext(connection) as queries:
        history = ranking_history(task_id=writer.task.pk)

    assert len(queries) == 2
    assert len(history) == min(count, RUNS_SHOWN)

"""Lending a HIT costs the same however many there have been."""

import json
from typing import Any

import pytest
from django.db import connection

from annotation.selectors.pool import HITRequest, hits_near
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Task
from tests.at_work import judge_one_hit
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.thorough


@pytest.mark.django_db
class TestCost:
    def test_lending_costs_the_same_with_a_long_history(self) -> None:
        """One walk over the index of the pool, which ends at the first HIT that suits."""
        task = make_task(make_campaign(), documents=(30,), planned=50)
        judge = make_judge(task.test_set.campaign)
        judge_one_hit(judge)
        _history_make(task, hits=range(1_000, 5_000), judges=range(300))
        before = _walk(judge, task)
        _history_make(task, hits=range(5_000, 105_000), judges=range(300, 3_300))
        after = _walk(judge, task)
        assert _indexes(after) == _indexes(before)
        assert ("Index Scan", "hit_pool") in _nodes(after)
        assert not any(
            "Seq Scan" in kind or kind == "Sort" for kind, _index in _nodes(after)
        )
        assert _rows_examined(after) == _rows_examined(before) <= 60
        assert after["Shared Hit Blocks"] + after["Shared Read Blocks"] <= 200

    def test_lending_takes_the_first_hit_of_a_pool_that_grew_since_statistics(
        self,
    ) -> None:
        task = make_task(make_campaign(), documents=(30,), planned=20)
        judge = make_judge(task.test_set.campaign)
        _statistics_gather()
        hits_plan(task_id=task.pk, count=500)
        plan = _plan(judge, task)
        assert not any(kind == "Sort" for kind, _index in _nodes(plan))
        assert _rows_examined(plan) <= 60


def _history_make(task: Task, *, hits: range, judges: range) -> None:
    """HITs that are done, and judges who saw every segment."""
    design = task.designs.get()
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO annotation_hit (
                task_id, design_id, number, purpose, segment_ids, system_ids, why,
                available_at, completed_at
            )
            SELECT %s, %s, n, 'first', '{1,2,3}', '{1,2}', '{}', now(), now()
            FROM generate_series(%s, %s) n
            """,
            [task.pk, design.pk, hits[0], hits[-1]],
        )
        cursor.execute(
            """
            WITH judges AS (
                INSERT INTO campaign_judge (
                    campaign_id, pseudonym, origin, languages, expertise, note, created_at
                )
                SELECT %s, 'judge ' || n, 'imported', '{}', '{}', '', now()
                FROM generate_series(%s, %s) n
                RETURNING id
            )
            INSERT INTO annotation_exposure (judge_id, segment_id, assignment_id, is_repeat)
            SELECT j.id, s.id, (SELECT min(id) FROM annotation_assignment), false
            FROM judges j, campaign_segment s WHERE s.test_set_id = %s
            """,
            [task.test_set.campaign_id, judges[0], judges[-1], task.test_set_id],
        )


def _walk(judge: Judge, task: Task) -> dict[str, Any]:
    _statistics_gather()
    return _plan(judge, task)


def _statistics_gather() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_hit, annotation_exposure")


def _plan(judge: Judge, task: Task) -> dict[str, Any]:
    request = HITRequest(judge.pk, task.pk, conflicts=[999_999], apart="")
    hits = (
        hits_near(request).available().select_for_update(skip_locked=True, no_key=True)
    )
    [explained] = json.loads(
        hits[:1].explain(format="json", analyze=True, buffers=True),
    )
    plan: dict[str, Any] = explained["Plan"]
    return plan


def _each(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in _each(child))]


def _nodes(plan: dict[str, Any]) -> list[tuple[str, str]]:
    return [(node["Node Type"], node.get("Index Name", "")) for node in _each(plan)]


def _indexes(plan: dict[str, Any]) -> list[str]:
    """In the order of the walk; whether by way of a bitmap depends on what other tests left."""
    return [index for _kind, index in _nodes(plan) if index]


def _rows_examined(plan: dict[str, Any]) -> int:
    return sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0))
        * node["Actual Loops"]
        for node in _each(plan)
        if node["Node Type"] == "Index Scan"
    )

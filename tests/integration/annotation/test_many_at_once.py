"""Fifty real connections at the same moment."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from annotation.models import HIT, Assignment, Exposure, JudgeAccount, Judgment
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from campaign.models import Judge, Task
from tests.at_work import judge_one_hit
from tests.factories import make_campaign, make_judge, make_long_task

pytestmark = pytest.mark.thorough


def judge_the_rest(judge: Judge, task: Task) -> int:
    """All that can be planned for this judge; how many HITs it was."""
    pool_fill(task_id=task.pk)
    done = 0
    while judge_one_hit(judge) is not None:
        done += 1
    return done


@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    def test_fifty_judges_judge_everything_while_the_pool_is_filled(self) -> None:
        """No HIT is lost, none judged twice, and each window by as many judges as wanted."""
        task = make_long_task(
            make_campaign(),
            segments=60,
            systems=3,
            blocks_wanted=240,
        )
        design_change(task=task, segments_per_hit=2, redundancy=2, inter_share=0.1)
        pool_fill(task_id=task.pk, size=30)
        judges = [make_judge(task.test_set.campaign, f"judge{i:02}") for i in range(50)]
        together = Barrier(51)

        def work(judge: Judge) -> None:
            try:
                together.wait()
                for _ask in range(8):
                    if judge_one_hit(judge) is None:
                        work_request(judge=judge)
            finally:
                connection.close()

        def plan() -> None:
            try:
                together.wait()
                for _round in range(25):
                    pool_fill(task_id=task.pk, size=30)
            finally:
                connection.close()

        with ThreadPoolExecutor(51) as pool:
            planner = pool.submit(plan)
            list(pool.map(work, judges))
            planner.result()
        # What is planned for the last of them they may have seen: then it is another's.
        while sum(judge_the_rest(judge, task) for judge in judges):
            pass
        assert not HIT.objects.filter(completed_at__isnull=True).exists()
        assert set(
            Counter(Assignment.objects.values_list("hit", flat=True)).values(),
        ) == {1}
        assert 240 <= Judgment.objects.count() <= 243
        assert set(
            Counter(Judgment.objects.values_list("block", flat=True)).values(),
        ) == {1}
        twice = Counter(Exposure.objects.values_list("judge", "segment"))
        assert set(twice.values()) == {1}
        for first in HIT.objects.filter(
            purpose="first",
            repeated_by__purpose="redundancy",
        ):
            by = {first.assignments.get().judge_id}
            by.update(
                copy.assignments.get().judge_id for copy in first.repeated_by.all()
            )
            assert len(by) == 1 + first.repeated_by.count()
        lent = sum(JudgeAccount.objects.values_list("hits_lent", flat=True))
        assert lent == Assignment.objects.count()

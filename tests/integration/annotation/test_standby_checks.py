"""HITs on standby come in both kinds that an attention check by draw needs, and never make a judge wait."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import HIT, JudgeAccount
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from campaign.models import Judge, Task
from tests.at_work import assignment_lend, judge_all_of, judge_one_hit
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db

EVERY = 5


@pytest.fixture
def task() -> Task:
    """Of an active design with a check in five HITs; every damaged reference is approved."""
    made = make_task(
        make_campaign(blocks_per_judge=1000),
        documents=(75, 75),
        planned=0,
    )
    damaged_references_approve(made)
    design_change(
        task=made,
        kind="active",
        systems_per_block=3,
        attention_every=EVERY,
        bad_reference_rate=0.05,
    )
    return made


def kinds(*, standby: bool) -> tuple[int, int]:
    """How many HITs are available with a check, and without."""
    hits = HIT.objects.standby() if standby else HIT.objects.pooled()
    found = list(hits.available().values_list("holds_check", flat=True))
    return sum(found), len(found) - sum(found)


def planner_is_away() -> None:
    JudgeAccount.objects.update(requested_at=timezone.now() - timedelta(seconds=11))


def lent_without_a_planner(judge: Judge) -> list[HIT]:
    """What a judge is lent who does one HIT after the other and asks again where there is none."""
    lent: list[HIT] = []
    while True:
        assignment = assignment_lend(judge=judge)
        if assignment is None:
            asked = work_request(judge=judge)
            planner_is_away()
            assignment = assignment_lend(judge=judge)
            if assignment is None:
                assert asked.reason == "preparing"
                return lent
        lent.append(assignment.hit)
        judge_all_of(assignment)


def test_a_check_that_is_due_comes_from_standby_where_the_pool_has_none(
    task: Task,
) -> None:
    pool_fill(task_id=task.pk)
    HIT.objects.pooled().update(available_at=timezone.now() + timedelta(hours=1))
    judge = make_judge(task.test_set.campaign)
    lent = [judge_one_hit(judge) for _time in range(30)]
    assert all(hit is not None for hit in lent)
    account = JudgeAccount.objects.get(judge=judge)
    # One in five on average; a gap is at most twice that (see `annotation.sampling.rates`).
    assert 3 <= account.checks_lent <= 10


@pytest.mark.thorough
def test_judge_gets_a_hit_if_only_hits_with_checks_are_left(task: Task) -> None:
    pool_fill(task_id=task.pk)
    HIT.objects.filter(holds_check=False).update(
        available_at=timezone.now() + timedelta(hours=1),
    )
    # Until the planner has had its time, a check that is not due is not given away.
    judge = make_judge(task.test_set.campaign)
    account = {"judge": judge, "task": task}
    lent = lent_without_a_planner(judge)
    assert len(lent) == len({hit.pk for hit in lent}) >= 10
    assert all(hit.holds_check for hit in lent)
    assert JudgeAccount.objects.filter(**account, checks_lent=len(lent)).exists()
    left = HIT.objects.incomplete().available().unseen_by(judge.pk, "")
    assert not left.exists(), "whatever suits them was lent"

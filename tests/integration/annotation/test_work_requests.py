"""What a judge is told who finds nothing: never "no more work" while there is some."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from annotation.models import HIT, HITSequence, JudgeAccount
from annotation.selectors.hits import plans_read
from annotation.selectors.pool import CHANGED_WITHIN, tasks_changed
from annotation.services.lending.work_requests import work_request
from annotation.services.notification import broker, planning_request_key
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.tasks import plan_task
from campaign.models import Judge, Task, Transition
from campaign.services.campaigns import campaign_state_change
from tests.at_work import expire, judge_all_of, judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_task
from tests.redrawn_hits import hit_redraw
from tests.roles import owner_cursor

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(6,), planned=0)


def ask(client: Client, judge: Judge) -> Any:
    assert judge.user is not None
    client.force_login(judge.user)
    return client.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )


def test_the_request_never_plans(client: Client, judge: Judge) -> None:
    answer = ask(client, judge)
    assert answer.status_code == 202
    assert answer.json() == {"state": "preparing", "retry_after": 2}
    assert answer.headers["Retry-After"] == "2"
    assert not HIT.objects.exists()


def test_work_is_requested_once_and_then_available(
    client: Client,
    judge: Judge,
    task: Task,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        ask(client, judge)
        ask(client, judge)
    assert broker().llen("planning") == 1
    assert broker().get(planning_request_key(task.pk)) == b"1"
    plan_task(task.pk)
    assert broker().get(planning_request_key(task.pk)) is None
    assert ask(client, judge).status_code == 200


def test_a_judge_gets_work_although_the_broker_is_away(
    client: Client,
    judge: Judge,
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    broker.cache_clear()
    try:
        with django_capture_on_commit_callbacks(execute=True):
            assert ask(client, judge).status_code == 202
    finally:
        monkeypatch.undo()
        broker.cache_clear()
    # What the periodic task does.
    pool_fill(task_id=task.pk, size=0)
    assert HIT.objects.filter(reserved_for=judge).exists()
    assert ask(client, judge).status_code == 200


@pytest.fixture
def at_rest(transactional_db: None, task: Task) -> Task:
    """Its campaign and its design are as they were an hour ago."""
    pool_fill(task_id=task.pk, size=8)
    with owner_cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "UPDATE campaign_campaign SET state_since = now() - interval '1 hour'",
        )
        cursor.execute(
            "UPDATE annotation_design SET created_at = now() - interval '1 hour'",
        )
    return task


@pytest.mark.thorough
def test_the_planner_leaves_a_test_set_at_rest_alone(
    at_rest: Task,
    judge: Judge,
) -> None:
    assert list(tasks_changed()) == []
    lend(judge)
    assert list(tasks_changed()) == [at_rest]
    # And the planner has answered the request that the loan made.
    JudgeAccount.objects.update(
        last_lent_at=timezone.now() - 2 * CHANGED_WITHIN,
        requested_at=None,
    )
    assert list(tasks_changed()) == []


def test_the_planner_looks_where_a_judge_waits(at_rest: Task, judge: Judge) -> None:
    """However long: the message may be lost, and the planner have been away."""
    JudgeAccount.objects.create(
        judge=judge,
        task=at_rest,
        requested_at=timezone.now() - timedelta(hours=1),
    )
    assert list(tasks_changed()) == [at_rest]


def test_the_planner_looks_where_the_campaigns_state_is_new(at_rest: Task) -> None:
    campaign = at_rest.test_set.campaign
    campaign_state_change(campaign=campaign, transition=Transition.PAUSE, by=None)
    assert list(tasks_changed()) == [at_rest]


def test_the_planner_looks_where_the_design_is_new(at_rest: Task) -> None:
    design_change(task=at_rest, redundancy=2)
    assert list(tasks_changed()) == [at_rest]


@pytest.mark.thorough
def test_no_work_left_is_reported_after_the_planner_found_none(
    client: Client,
    judge: Judge,
    task: Task,
) -> None:
    pool_fill(task_id=task.pk, size=8)
    while judge_one_hit(judge) or work_request(judge=judge).reason == "preparing":
        pool_fill(task_id=task.pk, size=8)
    assert judge.exposures.count() == 6
    # What lies in the pool is of segments this judge has seen.
    assert HIT.objects.incomplete().exists()
    assert ask(client, judge).status_code == 204


@pytest.mark.thorough
def test_no_more_work_is_not_said_from_memory(
    client: Client,
    judge: Judge,
    task: Task,
) -> None:
    task.blocks_wanted = 0
    task.save()
    assert ask(client, judge).status_code == 202
    pool_fill(task_id=task.pk)
    assert ask(client, judge).status_code == 204
    hour_ago = timezone.now() - timedelta(hours=1)
    JudgeAccount.objects.update(none_left_at=hour_ago)
    assert ask(client, judge).status_code == 202
    task.blocks_wanted = None
    task.save()
    pool_fill(task_id=task.pk)
    assert ask(client, judge).status_code == 200


def test_hits_held_by_others_may_return(
    client: Client,
    judge: Judge,
    task: Task,
) -> None:
    hits_plan(task_id=task.pk, count=1)
    task.blocks_wanted = 1
    task.save()
    held = lend(make_judge(task.test_set.campaign, "other"))
    work_request(judge=judge)
    pool_fill(task_id=task.pk)
    answer = ask(client, judge)
    assert answer.status_code == 202
    assert answer.json() == {"state": "waiting", "retry_after": 30}
    expire(held)
    assert ask(client, judge).status_code == 200


def test_hits_done_by_others_do_not_return(
    client: Client,
    judge: Judge,
    task: Task,
) -> None:
    hits_plan(task_id=task.pk, count=1)
    task.blocks_wanted = 1
    task.save()
    judge_all_of(lend(make_judge(task.test_set.campaign, "other")))
    work_request(judge=judge)
    pool_fill(task_id=task.pk)
    assert ask(client, judge).status_code == 204


def test_unlendable_hits_make_room_for_hits_of_a_present_judge(
    judge: Judge,
    task: Task,
) -> None:
    """All that is wanted is planned, but of segments that the only judge has seen."""
    design_change(task=task, segments=[1, 2, 3])
    hits_plan(task_id=task.pk, count=2)
    design_change(task=task, segments=[])
    task.blocks_wanted = 6
    task.save()
    judge_one_hit(judge)
    assert judge_one_hit(judge) is None
    pool_fill(task_id=task.pk)
    assert judge_one_hit(judge) is not None
    assert judge.exposures.count() == 6
    given_up = HIT.objects.get(withdrawn_at__isnull=False)
    assert not given_up.assignments.exists()
    sequence = HITSequence.objects.get()
    assert sequence.blocks_planned == sum(sequence.segment_blocks) == 6
    assert hit_redraw(given_up) == plans_read([given_up.pk])[given_up.pk]


def test_work_is_prepared_before_the_judge_asks_again(judge: Judge, task: Task) -> None:
    hits_plan(task_id=task.pk, count=1)
    lend(judge)
    assert JudgeAccount.objects.get().requested_at is not None
    pool_fill(task_id=task.pk, size=0)
    assert HIT.objects.filter(reserved_for=judge).exists()
    assert JudgeAccount.objects.get().requested_at is None

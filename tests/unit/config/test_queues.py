"""Every task has a queue, and every queue a worker in docker-compose.yml; the demo's worker serves all of them."""

import pytest
from django.conf import settings

from config.celery import app
from config.queues import QUEUES, RETIRED, ROUTES
from tests.containers import WORKERS


@pytest.fixture(scope="module")
def tasks() -> list[str]:
    """The project's tasks, as workers know them."""
    app.autodiscover_tasks(force=True)
    return [
        name
        for name in app.tasks
        if not name.startswith("celery.") and name not in RETIRED
    ]


def test_every_task_is_in_exactly_one_queue(tasks: list[str]) -> None:
    listed = [task for of_queue in QUEUES.values() for task in of_queue]
    assert sorted(listed) == sorted(tasks)


def test_every_task_is_sent_to_its_queue(tasks: list[str]) -> None:
    """As the router decides it, by the name alone."""
    sent = {task: app.amqp.router.route({}, task)["queue"].name for task in tasks}
    assert sent == {task: ROUTES[task]["queue"] for task in tasks}


def test_periodic_tasks_have_a_queue() -> None:
    assert {
        each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()
    } <= ROUTES.keys()


def test_a_task_that_is_in_no_queue_goes_to_one_that_is_served() -> None:
    assert app.amqp.router.route({}, "somewhere.tasks.new")["queue"].name in QUEUES


def test_nothing_else_is_done_by_the_worker_that_judges_wait_for() -> None:
    assert WORKERS["worker-planning"] == "planning"
    assert all(task.startswith("annotation.") for task in QUEUES["planning"])


def test_uploads_and_other_jobs_have_a_worker_of_their_own() -> None:
    assert WORKERS["worker-jobs"] == "jobs"
    assert QUEUES["jobs"] == ("campaign.tasks.run_jobs",)


@pytest.mark.parametrize("name", RETIRED)
def test_a_message_of_an_earlier_version_is_dropped(name: str) -> None:
    assert app.tasks[name].apply(args=(1, 2)).successful()

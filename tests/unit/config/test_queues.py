"""Every task has a queue, and every queue a worker, in the demo and in docker-compose.yml."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from config.celery import app
from config.queues import QUEUES, ROUTES
from launcher.serving import WORKERS

COMPOSE = Path(settings.BASE_DIR) / "docker-compose.yml"


@pytest.fixture(scope="module")
def tasks() -> list[str]:
    """The project's tasks, as workers know them."""
    app.autodiscover_tasks(force=True)
    return [name for name in app.tasks if not name.startswith("celery.")]


def queues_of(command: list[str]) -> list[str]:
    [option] = [word for word in command if word.startswith("--queues=")]
    return option.removeprefix("--queues=").split(",")


def workers_of_compose() -> dict[str, Any]:
    services = yaml.safe_load(COMPOSE.read_text())["services"]
    return {name: each for name, each in services.items() if "worker" in each.get("command", [])}


def test_every_task_is_in_exactly_one_queue(tasks: list[str]) -> None:
    listed = [task for of_queue in QUEUES.values() for task in of_queue]
    assert sorted(listed) == sorted(tasks)


def test_every_task_is_sent_to_its_queue(tasks: list[str]) -> None:
    """As the router decides it, by the name alone."""
    sent = {task: app.amqp.router.route({}, task)["queue"].name for task in tasks}
    assert sent == {task: ROUTES[task]["queue"] for task in tasks}


def test_what_happens_by_the_clock_has_a_queue() -> None:
    assert {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()} <= ROUTES.keys()


def test_a_task_that_is_in_no_queue_goes_to_one_that_is_served() -> None:
    assert app.amqp.router.route({}, "somewhere.tasks.new")["queue"].name in QUEUES


def test_the_demos_workers_serve_every_queue_once() -> None:
    served = Counter(queue for queues in WORKERS.values() for queue in queues.split(","))
    assert served == dict.fromkeys(QUEUES, 1)


def test_the_containers_serve_every_queue_once_as_the_demo_does() -> None:
    workers = workers_of_compose()
    assert {name: queues_of(each["command"]) for name, each in workers.items()} == {
        name: queues.split(",") for name, queues in WORKERS.items()
    }


def test_nothing_else_is_done_by_the_worker_that_judges_wait_for() -> None:
    assert WORKERS["worker-planning"] == "planning"
    assert all(task.startswith("annotation.") for task in QUEUES["planning"])

"""The Celery application: `celery -A config worker`, with beat in it by `--beat`, or apart by `celery -A config beat`."""

import os
from functools import partial
from typing import Any

from celery import Celery
from celery.signals import (
    beat_init,
    celeryd_after_setup,
    celeryd_init,
    task_postrun,
    task_prerun,
    worker_init,
)
from django.db import connections
from kombu import Connection

from campaign.database.acting import task_acts, task_acts_no_more
from config.broker import transport_register
from config.garbage import garbage_collect_seldom
from config.logs.tasks import tasks_name
from config.metrics.tasks import tasks_count

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

#: Seconds that sending a message waits for the broker's answer. A judge may be waiting too, and a
#: message that is not sent only delays: a periodic task does the work.
SEND_TIMEOUT = 1.0


class Application(Celery):
    """Celery, with connections that give up quickly where messages are sent.

    Those that receive messages wait longer: the worker asks the broker to hold its answer back.
    """

    def connection_for_write(self, url: str | None = None, **options: Any) -> Connection:
        """Return a connection to send messages through."""
        transport_options = {
            "socket_timeout": SEND_TIMEOUT,
            # Connecting is tried once, not for `broker_connection_timeout` seconds.
            "max_retries": 0,
            **(options.pop("transport_options", None) or {}),
        }
        return super().connection_for_write(url, transport_options=transport_options, **options)


transport_register()
tasks_name()
tasks_count()
app = Application("quintet")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
def _worker_named(**_signal: Any) -> None:
    """Tell this process and its children that they are a worker, for `settings.DATABASE_LIMITS`."""
    os.environ["QUINTET_PROCESS"] = "worker"


@worker_init.connect
def _beat_in_a_thread(*, sender: Any, **_signal: Any) -> None:
    """Let `--beat` be a thread of a worker that has threads, not a process; one that forks needs the process."""
    # The web server and commands start without these.
    import celery.beat
    from celery.concurrency import get_implementation
    from celery.concurrency.thread import TaskPool as Threads

    if get_implementation(sender.pool_cls) is Threads:
        celery.beat.EmbeddedService = partial(celery.beat.EmbeddedService, thread=True)


@celeryd_after_setup.connect
def _worker_loaded(**_signal: Any) -> None:
    """All of the application is loaded now, and no process forked yet."""
    garbage_collect_seldom()


@beat_init.connect
def _beat_named(**_signal: Any) -> None:
    """Tell this process that it is beat, unless it is a worker, too; errors of both are counted."""
    os.environ.setdefault("QUINTET_PROCESS", "beat")


@task_prerun.connect
def _task_acts(*, task: Any, **_signal: Any) -> None:
    """Let what the task changes be its own in the activity log."""
    task_acts(task.name.rpartition(".")[2])


@task_postrun.connect
def _task_acts_no_more(**_signal: Any) -> None:
    task_acts_no_more()


@task_postrun.connect
def _connections_closed(**_signal: Any) -> None:
    """Keep no connection, and so no process of PostgreSQL, for a thread that waits for its next task."""
    connections.close_all()

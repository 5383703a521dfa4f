"""The Celery application: `celery -A config worker`, with beat by `--beat` or by a separate `celery -A config beat`."""

import contextlib
import logging.config
import os
import time
from functools import partial
from typing import Any, Final

import redis
import structlog
from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import (
    beat_init,
    before_task_publish,
    celeryd_after_setup,
    celeryd_init,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
)
from django.conf import settings
from django.db import connections
from kombu import Connection
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.transport import redis as redis_transport

from annotation.services.notification import broker
from campaign.database.acting import task_acts, task_acts_no_more
from config import garbage_collect_seldom
from config.logs import errors_report
from config.queues import ENDED, REQUEST, RETIRED, SECONDS, SENT_AT, STATES
from config.set_up import problem_at_start
from environment.server_versions import broker_problem
from version import code_version

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

_began: Final[dict[str, float]] = {}

#: Seconds to wait for the broker when sending a message. A judge may be waiting, and without the
#: message a periodic task does the work later.
SEND_TIMEOUT = 1.0
#: The broker cannot be reached, or refuses to write.
_BROKER_ERRORS: Final[tuple[type[Exception], ...]] = (
    *redis_transport.Transport.connection_errors,
    redis.ResponseError,
)


class QoS(redis_transport.QoS):
    """Count unacknowledged messages.

    A worker takes one message at a time, and the next one after acknowledging it. If the broker does not answer the
    acknowledgement in time, kombu counts the message as unacknowledged forever, so that the worker takes no more
    messages. The broker delivers such a message again after `visibility_timeout`.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message, and free its place even if the broker does not answer, or refuses to write."""
        try:
            super().ack(delivery_tag)
        except _BROKER_ERRORS:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def restore_unacked(self, client: Any = None) -> None:
        """Restore unacknowledged messages, unless the connection is closed: Celery closes a lost one twice."""
        channel: Any = self.channel
        if not channel.is_disconnected:
            super().restore_unacked(client)


class Channel(redis_transport.Channel):
    """A channel that counts messages by `QoS`, and reports a closed connection as a connection error.

    A task may end after Celery has closed the lost connection that the task came from. kombu then looks for the address of
    the broker in a connection that is None, and the `AttributeError` ends the worker.
    """

    QoS = QoS

    @property
    def is_disconnected(self) -> bool:
        """Return whether the connection has been closed, so that the channel no longer knows the broker."""
        return self.connection is None or self.connection.client is None

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.is_disconnected:
            raise redis.ConnectionError("The connection to the broker has been closed.")
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[misc]
        return parameters


class Transport(redis_transport.Transport):
    """The transport for addresses that begin with `redis` or `rediss`."""

    Channel = Channel
    # Seconds until an idle worker asks again, less than `socket_timeout`; messages arrive at once.
    brpop_timeout = 4


class BrokerConnection(Connection):
    """A connection that is tried again after 0.2 seconds, then less often, at least every two seconds.

    kombu waits 2 seconds after the first attempt, and up to 30 later. A restarted broker is back within a second.
    """

    def ensure_connection(self, *arguments: Any, **options: Any) -> Any:
        """Connect; see `kombu.Connection.ensure_connection`."""
        intervals = {"interval_start": 0.2, "interval_step": 0.2, "interval_max": 2}
        return super().ensure_connection(*arguments, **{**intervals, **options})


class Messages(AMQP):
    """The part of Celery that makes connections."""

    Connection = BrokerConnection


class Application(Celery):
    """Celery, with short timeouts for sending messages.

    Receiving waits longer, because a worker asks the broker to answer only when there is a message.
    """

    amqp_cls = f"{__name__}:{Messages.__name__}"

    def connection_for_write(
        self,
        url: str | None = None,
        **options: Any,
    ) -> Connection:
        """Return a connection for sending messages."""
        transport_options = {
            "socket_timeout": SEND_TIMEOUT,
            # Connect only once, not repeatedly for `broker_connection_timeout` seconds.
            "max_retries": 0,
            **(options.pop("transport_options", None) or {}),
        }
        return super().connection_for_write(
            url,
            transport_options=transport_options,
            **options,
        )


for scheme in ("redis", "rediss"):
    TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
app = Application("quintet")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _drop(*_arguments: object) -> None:
    """Do nothing: a message of an earlier version is no error."""


for retired in RETIRED:
    app.task(name=retired)(_drop)


@celeryd_init.connect
def _worker_named(**_signal: Any) -> None:
    """Mark this process and its children as a worker, for `settings.DATABASE_LIMITS`."""
    os.environ["QUINTET_PROCESS"] = "worker"
    if settings.LOG_FORMAT == "json":
        import celery.apps.worker

        # It writes to standard output in a signal handler, where logging is not safe.
        celery.apps.worker.safe_say = lambda *_message: None  # type: ignore[attr-defined]


@worker_init.connect
@beat_init.connect
def _old_broker_refused(**_signal: Any) -> None:
    """End a worker or beat whose broker is too old; one that cannot be reached may come later."""
    with contextlib.suppress(redis.RedisError):
        problem = broker_problem(broker().info("server")["redis_version"])
        if problem is not None:
            raise SystemExit(problem)


@worker_init.connect
def _other_tables_refused(**_signal: Any) -> None:
    """End a worker whose database has the tables of another version."""
    if problem := problem_at_start():
        raise SystemExit(problem)


@worker_init.connect
def _beat_in_a_thread(*, sender: Any, **_signal: Any) -> None:
    """Run `--beat` in a thread if the worker uses threads; a worker that forks needs a process."""
    # Not needed by the web server and commands.
    import celery.beat
    from celery.concurrency import get_implementation
    from celery.concurrency.thread import TaskPool as Threads

    if get_implementation(sender.pool_cls) is Threads:
        celery.beat.EmbeddedService = partial(celery.beat.EmbeddedService, thread=True)


@celeryd_after_setup.connect
def _worker_loaded(**_signal: Any) -> None:
    """Set up garbage collection, after the application is loaded and before processes are forked."""
    garbage_collect_seldom()


@beat_init.connect
def _beat_named(**_signal: Any) -> None:
    """Mark this process as beat, unless it is also a worker; errors of both are counted."""
    os.environ.setdefault("QUINTET_PROCESS", "beat")


@setup_logging.connect
def _log_as_set(*, logfile: str | None, **_signal: Any) -> None:
    """Configure logging here instead of in Celery, and report errors if enabled."""
    logging_set = settings.LOGGING
    if logfile:
        handler = {**logging_set["handlers"]["console"], "class": "logging.FileHandler"}
        handlers = logging_set["handlers"] | {
            "console": handler | {"filename": str(logfile)},
        }
        logging_set = logging_set | {"handlers": handlers}
    logging.config.dictConfig(logging_set)
    # Printed output also goes to the logs, which redact secrets. Configuring logging later would
    # replace the target.
    app.log.redirect_stdouts(app.conf.worker_redirect_stdouts_level)
    errors_report(settings.SENTRY_DSN, release=code_version())


@before_task_publish.connect
def _stamp_sent_task(*, headers: dict[str, Any], **_signal: Any) -> None:
    headers[SENT_AT] = time.time()
    request = structlog.contextvars.get_contextvars().get("request")
    if request is not None:
        headers[REQUEST] = request


@task_prerun.connect
def _record_task_start(*, task: Any, task_id: str, **_signal: Any) -> None:
    """Add the name of the task to log lines, and to its changes in the activity log."""
    _began[task_id] = time.perf_counter()
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    request = task.request.get(REQUEST)
    if request:
        structlog.contextvars.bind_contextvars(request=request)
    task_acts(task.name.rpartition(".")[2])


@task_postrun.connect
def _record_task_end(
    *,
    task: Any,
    task_id: str,
    state: str | None,
    **_signal: Any,
) -> None:
    """Count the task, and close connections, which an idle thread does not need."""
    task_acts_no_more()
    # Each one keeps a process of PostgreSQL.
    connections.close_all()
    structlog.contextvars.clear_contextvars()
    began = _began.pop(task_id, None)
    if began is None:
        seconds = 0.0
    else:
        seconds = time.perf_counter() - began
    with (
        contextlib.suppress(redis.RedisError),
        broker().pipeline(transaction=False) as pipeline,
    ):
        pipeline.hincrby(STATES, f"{task.name}|{(state or 'UNKNOWN').lower()}", 1)
        pipeline.hincrbyfloat(SECONDS, task.name, seconds)
        pipeline.hset(ENDED, task.name, str(time.time()))
        pipeline.execute()

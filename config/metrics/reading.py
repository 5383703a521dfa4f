"""Read what is asked of the database and of the broker: one statement, one round trip."""

import json
import logging
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import redis
from django.db import Error, connection
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from annotation.notification import broker
from config.metrics.names import ASKED
from config.metrics.tasks import ENDED, ERRORS, SECONDS, SENT_AT, STATES
from config.queues import QUEUES, ROUTES
from ranking.code_version import code_version

logger = logging.getLogger(__name__)

Sample = tuple[str, dict[str, str], float]
_SQL: Final = Path(__file__).with_name("gauges.sql").read_text(encoding="utf-8")


class Asking(Collector):
    """Collects what stands in the database and at the broker in the moment somebody asks."""

    def collect(self) -> Iterator[Metric]:
        """Yield every metric in `ASKED`; one that could not be read has no samples."""
        families = {name: _family(name) for name in ASKED}
        for name, labels, value in self._samples():
            family = families[name]
            family.add_metric([labels[label] for label in ASKED[name].labels], value)
        yield from families.values()

    def _samples(self) -> Iterator[Sample]:
        yield "quintet_info", {"version": code_version()}, 1
        yield from _or_down("quintet_database_up", _from_database, Error)
        yield from _or_down("quintet_broker_up", _from_broker, redis.RedisError)


def _family(name: str) -> CounterMetricFamily | GaugeMetricFamily:
    asked = ASKED[name]
    kind = CounterMetricFamily if asked.counts else GaugeMetricFamily
    return kind(name, asked.help, labels=asked.labels)


def _or_down(name: str, read: Any, refusal: type[Exception]) -> Iterable[Sample]:
    """Return what was read, and whether it could be."""
    try:
        return [*read(), (name, {}, 1.0)]
    except refusal as error:
        logger.warning("%s is 0: %s", name, error)
        return [(name, {}, 0.0)]


def _from_database() -> Iterator[Sample]:
    with connection.cursor() as cursor:
        cursor.execute(_SQL)
        for name, labels, value in cursor.fetchall():
            yield name, json.loads(labels) if isinstance(labels, str) else labels, float(value)


def _from_broker() -> Iterator[Sample]:
    names = list(QUEUES)
    with broker().pipeline(transaction=False) as pipeline:
        for name in names:
            pipeline.llen(name)
            # Messages are put in at the left, and taken from the right.
            pipeline.lindex(name, -1)
        for key in (STATES, SECONDS, ENDED):
            pipeline.hgetall(key)
        pipeline.get(ERRORS)
        *queues, states, seconds, ended, errors = pipeline.execute()
    for name, length, oldest in zip(names, queues[::2], queues[1::2], strict=True):
        yield "quintet_queue_messages", {"queue": name}, float(length)
        yield "quintet_queue_age_seconds", {"queue": name}, _age(oldest)
    # Of every task, though none failed: Prometheus sees no rise in what was not there before.
    never = {f"{task}|failure".encode(): 0 for task in ROUTES}
    for field, count in (never | states).items():
        task, _, state = field.decode().rpartition("|")
        yield "quintet_tasks", {"task": task, "state": state}, float(count)
    for field, spent in seconds.items():
        yield "quintet_task_seconds", {"task": field.decode()}, float(spent)
    for field, when in ended.items():
        yield "quintet_task_ended_timestamp_seconds", {"task": field.decode()}, float(when)
    yield "quintet_worker_errors_logged", {}, float(errors or 0)


def _age(message: bytes | None) -> float:
    """Return how long a message has waited; 0 without one, or of an earlier version."""
    if message is None:
        return 0.0
    sent = json.loads(message).get("headers", {}).get(SENT_AT)
    return max(time.time() - sent, 0.0) if sent else 0.0

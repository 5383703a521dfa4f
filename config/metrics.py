"""Health checks, and metrics for Prometheus."""

import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import redis
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import Error, connection
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotation.services.notification import broker
from config.postgresql.base import UnsuitableServerError
from config.queues import ENDED, ERRORS, QUEUES, ROUTES, SECONDS, SENT_AT, STATES
from config.tables import tables_state
from environment.server_versions import broker_problem
from version import code_version

logger = logging.getLogger(__name__)

# Creation times are not used and would add a sample per metric.
disable_created_metrics()  # type: ignore[no-untyped-call]
#: Registry of this process, or of all processes of a web server (`PROMETHEUS_MULTIPROC_DIR`).
REGISTRY: Final = CollectorRegistry()

REQUESTS: Final = Counter(
    "quintet_requests",
    "Requests answered, by view, method and status.",
    ["view", "method", "status"],
    registry=REGISTRY,
)
REQUEST_SECONDS: Final = Histogram(
    "quintet_request_seconds",
    "Time to first byte, by view and method.",
    ["view", "method"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
ERRORS_LOGGED: Final = Counter(
    "quintet_web_errors_logged",
    "Errors logged by the web server.",
    registry=REGISTRY,
)

TASK: Final = ("campaign", "task")


@dataclass(frozen=True)
class ScrapedMetric:
    """A metric that is read on each scrape.

    Attributes
    ----------
    help : str
        Description.
    labels : tuple[str, ...]
        Names of the labels of its samples.
    counts : bool
        True for a counter of Prometheus, which only increases until the broker is emptied.
    """

    help: str
    labels: tuple[str, ...] = ()
    counts: bool = False


#: From the database, by the statement in `gauges.sql`.
FROM_DATABASE: Final = {
    "quintet_pool_hits": ScrapedMetric("HITs available to any judge, by task.", TASK),
    "quintet_judges_waiting": ScrapedMetric("Judges waiting for the planner.", TASK),
    "quintet_judge_wait_seconds": ScrapedMetric("Age of the oldest one.", TASK),
    "quintet_ranking_lag_judgments": ScrapedMetric(
        "Numbered judgments that are not in the latest ranking.",
        TASK,
    ),
    "quintet_ranking_lag_seconds": ScrapedMetric("Age of the oldest one.", TASK),
    "quintet_unnumbered_judgments": ScrapedMetric("Stored judgments without a number."),
    "quintet_unnumbered_seconds": ScrapedMetric("Age of the oldest one."),
    "quintet_uncounted_skips": ScrapedMetric("Stored skips that are not counted yet."),
    "quintet_leases": ScrapedMetric(
        "Active assignments, and those whose lease expired within the last hour.",
        ("state",),
    ),
    "quintet_mails": ScrapedMetric(
        "Unsent messages in the outbox; failed ones of the last day.",
        ("kind", "state"),
    ),
    "quintet_mail_wait_seconds": ScrapedMetric(
        "Age of the oldest message that is due.",
    ),
    "quintet_webhook_deliveries": ScrapedMetric(
        "Webhook messages: new, to be retried, and failed within the last day.",
        ("state",),
    ),
    "quintet_webhook_delivery_wait_seconds": ScrapedMetric(
        "Age of the oldest message that is due, of webhooks that are not failing.",
    ),
    "quintet_webhook_delivery_age_seconds": ScrapedMetric(
        "Age of the oldest undelivered webhook message.",
    ),
    "quintet_webhook_endpoints": ScrapedMetric("Webhooks, by state.", ("state",)),
    "quintet_jobs": ScrapedMetric(
        "Jobs queued, running, or failed within the last day.",
        ("kind", "state"),
    ),
    "quintet_job_wait_seconds": ScrapedMetric("Age of the oldest queued job."),
    "quintet_job_run_seconds": ScrapedMetric("Running time of the oldest running job."),
    "quintet_database_connections": ScrapedMetric(
        "Connections to this database.",
        ("state",),
    ),
    "quintet_database_connections_max": ScrapedMetric("Maximum number of connections."),
}
#: From the broker.
FROM_BROKER: Final = {
    "quintet_queue_messages": ScrapedMetric(
        "Messages waiting for a worker.",
        ("queue",),
    ),
    "quintet_queue_age_seconds": ScrapedMetric("Age of the oldest one.", ("queue",)),
    "quintet_tasks": ScrapedMetric(
        "Finished worker tasks, by state.",
        ("task", "state"),
        True,
    ),
    "quintet_task_seconds": ScrapedMetric(
        "Time spent on tasks by workers.",
        ("task",),
        True,
    ),
    "quintet_task_ended_timestamp_seconds": ScrapedMetric(
        "Time at which a task last finished.",
        ("task",),
    ),
    "quintet_worker_errors_logged": ScrapedMetric(
        "Errors logged by workers.",
        (),
        True,
    ),
}
#: Always present, to distinguish a missing value from zero.
OF_ITSELF: Final = {
    "quintet_database_up": ScrapedMetric("1 if the database is reachable."),
    "quintet_broker_up": ScrapedMetric("1 if the broker takes messages."),
    "quintet_info": ScrapedMetric("Always 1; the label is the version.", ("version",)),
}
SCRAPED_METRICS: Final = FROM_DATABASE | FROM_BROKER | OF_ITSELF

_METHODS: Final = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
)


def requests_measure(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Return a middleware that counts and times requests.

    Raises
    ------
    MiddlewareNotUsed
        `METRICS_TOKEN` is not set.
    """
    if not settings.METRICS_TOKEN:
        raise MiddlewareNotUsed

    def measure(request: HttpRequest) -> HttpResponseBase:
        began = perf_counter()
        response = get_response(request)
        _count(request, response.status_code, perf_counter() - began)
        return response

    return measure


def _count(request: HttpRequest, status: int, seconds: float) -> None:
    view = _view_of(request)
    # All other methods count as one, so that clients cannot create names without limit.
    if request.method in _METHODS:
        method = str(request.method)
    else:
        method = "other"
    REQUESTS.labels(view, method, str(status)).inc()
    REQUEST_SECONDS.labels(view, method).observe(seconds)


def _view_of(request: HttpRequest) -> str:
    """Return the name of the view, not the address, which may contain names and secrets."""
    match = request.resolver_match
    if match is not None:
        return match.view_name
    if request.path_info.startswith("/static/"):
        return "static"
    return "none"


Sample = tuple[str, dict[str, str], float]
_SQL: Final = Path(__file__).with_name("gauges.sql").read_text(encoding="utf-8")


class Asking(Collector):
    """Read the current values from the database and the broker on each scrape."""

    def collect(self) -> Iterator[Metric]:
        """Yield every metric in `SCRAPED_METRICS`, without samples if it could not be read."""
        families = {name: _family(name) for name in SCRAPED_METRICS}
        for name, labels, value in self._samples():
            family = families[name]
            family.add_metric(
                [labels[label] for label in SCRAPED_METRICS[name].labels],
                value,
            )
        yield from families.values()

    def _samples(self) -> Iterator[Sample]:
        yield "quintet_info", {"version": code_version()}, 1
        yield from _or_down("quintet_database_up", _database_samples, Error)
        yield from _or_down("quintet_broker_up", _broker_samples, redis.RedisError)


def _family(name: str) -> CounterMetricFamily | GaugeMetricFamily:
    described = SCRAPED_METRICS[name]
    kind = CounterMetricFamily if described.counts else GaugeMetricFamily
    return kind(name, described.help, labels=described.labels)


def _or_down(name: str, read: Any, refusal: type[Exception]) -> Iterable[Sample]:
    """Return the value, and whether it could be read."""
    try:
        return [*read(), (name, {}, 1.0)]
    except refusal as error:
        logger.warning("%s is 0: %s", name, error)
        return [(name, {}, 0.0)]


def _database_samples() -> Iterator[Sample]:
    with connection.cursor() as cursor:
        cursor.execute(_SQL)
        for name, labels, value in cursor.fetchall():
            yield (
                name,
                json.loads(labels) if isinstance(labels, str) else labels,
                float(value),
            )


def _broker_samples() -> Iterator[Sample]:
    names = list(QUEUES)
    broker_write()
    with broker().pipeline(transaction=False) as pipeline:
        for name in names:
            pipeline.llen(name)
            # Messages are added on the left and taken from the right.
            pipeline.lindex(name, -1)
        for key in (STATES, SECONDS, ENDED):
            pipeline.hgetall(key)
        pipeline.get(ERRORS)
        *queues, states, seconds, ended, errors = pipeline.execute()
    for name, length, oldest in zip(names, queues[::2], queues[1::2], strict=True):
        yield "quintet_queue_messages", {"queue": name}, float(length)
        yield "quintet_queue_age_seconds", {"queue": name}, _age(oldest)
    # A zero for every task, even if none failed, since Prometheus sees no increase in a series that did not
    # exist before.
    never = {f"{task}|failure".encode(): 0 for task in ROUTES}
    for field, count in (never | states).items():
        task, _, state = field.decode().rpartition("|")
        yield "quintet_tasks", {"task": task, "state": state}, float(count)
    for field, spent in seconds.items():
        yield "quintet_task_seconds", {"task": field.decode()}, float(spent)
    for field, when in ended.items():
        yield (
            "quintet_task_ended_timestamp_seconds",
            {"task": field.decode()},
            float(when),
        )
    yield "quintet_worker_errors_logged", {}, float(errors or 0)


def broker_write() -> None:
    """Write to the broker: with a full disk or memory, it answers and takes no messages.

    Raises
    ------
    redis.ResponseError
        It refuses to write.
    redis.RedisError
        It cannot be reached.
    """
    broker().set("writable", 1, ex=60)


def _age(message: bytes | None) -> float:
    """Return the waiting time of a message; 0 if there is none, or if it is from an earlier version."""
    if message is None:
        return 0.0
    sent = json.loads(message).get("headers", {}).get(SENT_AT)
    return max(time.time() - sent, 0.0) if sent else 0.0


PATH: Final = "/metrics"


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics as text; 404 if `METRICS_TOKEN` is not set, 401 for requests without it."""
    if not settings.METRICS_TOKEN:
        raise Http404
    expected = f"Bearer {settings.METRICS_TOKEN}"
    if not constant_time_compare(request.headers.get("Authorization", ""), expected):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        # Any process can answer for all of them.
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry_of_answers = CollectorRegistry()
    registry_of_answers.register(Asking())
    text = generate_latest(registry) + generate_latest(registry_of_answers)
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)


@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """Return 200 while the process is alive."""
    return JsonResponse({"status": "ok"})


class AliveMiddleware:
    """Middleware that answers `/healthz`, `/readyz` and `/metrics` before the checks of host and HTTPS.

    The launcher, container health checks and Prometheus use an internal address, which is not an allowed host for
    other requests. Metrics require a token.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/healthz":
            return healthz(request)
        if request.path_info == "/readyz":
            return readyz(request)
        if request.path_info == PATH and settings.METRICS_TOKEN:
            return metrics(request)
        return self._get_response(request)


@never_cache
def readyz(_request: HttpRequest) -> HttpResponse:
    """Return 200 if the database answers with the tables of this version, and the broker takes messages; 503 otherwise.

    Judging works without the broker, so a load balancer may prefer `/healthz`.
    """
    checks = {"database": _database_state(), "broker": _broker_state()}
    ready = all(state == "ok" for state in checks.values())
    return JsonResponse(
        {"status": "ok" if ready else "not ready", **checks},
        status=200 if ready else 503,
    )


def _database_state() -> str:
    try:
        tables_require()
        with connection.cursor() as cursor:
            cursor.execute("SHOW transaction_read_only")
            is_read_only = cursor.fetchone() == ("on",)
    except (TablesRefusedError, UnsuitableServerError) as error:
        return str(error)
    except Error:
        return "unreachable"
    if is_read_only:
        return "read-only"
    return "ok"


class TablesRefusedError(Exception):
    """The tables are not those of this version."""


@cache
def tables_require() -> None:
    """Check the tables until they are those of this version. A later migration need not stop a running process.

    Raises:
        TablesRefusedError: this version cannot use the tables; the message says why.
        Error: the database cannot be reached.
    """
    if problem := tables_state().problem:
        raise TablesRefusedError(problem)


def _broker_state() -> str:
    try:
        version = broker().info("server")["redis_version"]
        broker_write()
    except redis.ResponseError as error:
        return f"refuses to write: {error}"
    except redis.RedisError:
        return "unreachable"
    return broker_problem(version) or "ok"

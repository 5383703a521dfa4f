"""Every metric: what is counted as it happens, and what is read when Prometheus asks. The one list of them."""

from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

# When counting began is of use to nobody here, and one sample more for each.
disable_created_metrics()  # type: ignore[no-untyped-call]
#: Of this process, or of all processes of a web server (`PROMETHEUS_MULTIPROC_DIR`).
REGISTRY: Final = CollectorRegistry()

REQUESTS: Final = Counter(
    "quintet_requests",
    "Requests answered, by view, method and status.",
    ["view", "method", "status"],
    registry=REGISTRY,
)
REQUEST_SECONDS: Final = Histogram(
    "quintet_request_seconds",
    "Time until the answer began, by view and method.",
    ["view", "method"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
ERRORS_LOGGED: Final = Counter(
    "quintet_web_errors_logged",
    "Errors that the web server logged.",
    registry=REGISTRY,
)

TASK: Final = ("campaign", "task")


@dataclass(frozen=True)
class Asked:
    """A metric that is read when Prometheus asks.

    Attributes
    ----------
    help : str
        What it says.
    labels : tuple[str, ...]
        Of its samples.
    counts : bool
        It only rises, until the broker is emptied: a counter of Prometheus'.
    """

    help: str
    labels: tuple[str, ...] = ()
    counts: bool = False


#: From the database, by one statement: `gauges.sql`.
FROM_DATABASE: Final = {
    "quintet_pool_hits": Asked("HITs that any judge may be lent now, by task.", TASK),
    "quintet_judges_waiting": Asked("Judges for whom the planner has not looked yet.", TASK),
    "quintet_judge_wait_seconds": Asked("How long the first of them has waited.", TASK),
    "quintet_ranking_lag_judgments": Asked("Numbered judgments not in the latest ranking.", TASK),
    "quintet_ranking_lag_seconds": Asked("How long the first of them has waited.", TASK),
    "quintet_unnumbered_judgments": Asked("Judgments stored that have no number yet."),
    "quintet_unnumbered_seconds": Asked("How long the first of them has waited."),
    "quintet_uncounted_skips": Asked("Skips stored that are not counted yet."),
    "quintet_leases": Asked(
        "Assignments that are held now, and those whose lease ran out within the last hour.",
        ("state",),
    ),
    "quintet_mails": Asked(
        "Messages in the outbox that are not sent; of those given up, the last day's.",
        ("kind", "state"),
    ),
    "quintet_mail_wait_seconds": Asked("How long the message that is due first has waited."),
    "quintet_webhook_deliveries": Asked(
        "Messages of webhooks: not tried yet, to be tried again, and given up within the last day.",
        ("state",),
    ),
    "quintet_webhook_delivery_wait_seconds": Asked(
        "How long the message that is due first has waited, of webhooks that do not fail."
    ),
    "quintet_webhook_delivery_age_seconds": Asked(
        "How old the oldest message of a webhook is that has not arrived."
    ),
    "quintet_webhook_endpoints": Asked("Addresses of webhooks, by how they are.", ("state",)),
    "quintet_jobs": Asked(
        "Jobs that are queued, running, or failed within the last day.", ("kind", "state")
    ),
    "quintet_job_wait_seconds": Asked("How long the first job that is queued has waited."),
    "quintet_job_run_seconds": Asked("How long the job that began first has been running."),
    "quintet_database_connections": Asked("Connections to this database.", ("state",)),
    "quintet_database_connections_max": Asked("Connections that the server takes."),
}
#: From the broker.
FROM_BROKER: Final = {
    "quintet_queue_messages": Asked("Messages that wait for a worker.", ("queue",)),
    "quintet_queue_age_seconds": Asked("How long the first of them has waited.", ("queue",)),
    "quintet_tasks": Asked("Tasks that workers ended, by their state.", ("task", "state"), True),
    "quintet_task_seconds": Asked("Time that workers spent on tasks.", ("task",), True),
    "quintet_task_ended_timestamp_seconds": Asked("When a task last ended.", ("task",)),
    "quintet_worker_errors_logged": Asked("Errors that workers logged.", (), True),
}
#: Always there, so that what is missing can be told from what is zero.
OF_ITSELF: Final = {
    "quintet_database_up": Asked("1 where the database answered."),
    "quintet_broker_up": Asked("1 where the broker answered."),
    "quintet_info": Asked("1; which version this is.", ("version",)),
}
ASKED: Final = FROM_DATABASE | FROM_BROKER | OF_ITSELF


def sample_names() -> set[str]:
    """Return every name that a question to Prometheus may hold."""
    asked = {f"{name}_total" if metric.counts else name for name, metric in ASKED.items()}
    seconds = "quintet_request_seconds"
    return asked | {
        "quintet_requests_total",
        "quintet_web_errors_logged_total",
        *(f"{seconds}{ending}" for ending in ("_bucket", "_count", "_sum")),
    }

"""Check whether the service is alive and ready, for monitoring."""

from collections.abc import Callable

import redis
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

from annotation.notification import broker
from config.metrics import PATH as METRICS
from config.metrics import metrics


@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """Return 200 while the process is alive."""
    return JsonResponse({"status": "ok"})


class AliveMiddleware:
    """Middleware that answers `/healthz` and `/metrics` before the checks of host and HTTPS.

    Container health checks and Prometheus use an internal address, which is not an allowed host for
    other requests. Metrics require a token.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/healthz":
            return healthz(request)
        if request.path_info == METRICS and settings.METRICS_TOKEN:
            return metrics(request)
        return self._get_response(request)


@never_cache
def readyz(_request: HttpRequest) -> HttpResponse:
    """Return 200 if the database answers and is migrated, and the broker answers; 503 otherwise.

    Judging works without the broker, so a load balancer may prefer `/healthz`.
    """
    checks = {"database": _database(), "broker": _broker()}
    ready = all(state == "ok" for state in checks.values())
    return JsonResponse(
        {"status": "ok" if ready else "not ready", **checks}, status=200 if ready else 503
    )


def _database() -> str:
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error:
        return "unreachable"
    return "migrations are pending" if pending else "ok"


def _broker() -> str:
    try:
        broker().ping()
    except redis.RedisError:
        return "unreachable"
    return "ok"

"""Serve `/metrics` to a Prometheus that sends the token: 401 to everybody else, and 404 if there is no token."""

import os
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.multiprocess import MultiProcessCollector

from config.metrics.names import REGISTRY
from config.metrics.reading import Asking

PATH: Final = "/metrics"


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics as text; 404 where no `METRICS_TOKEN` is set, 401 to requests without it."""
    if not settings.METRICS_TOKEN:
        raise Http404
    expected = f"Bearer {settings.METRICS_TOKEN}"
    if not constant_time_compare(request.headers.get("Authorization", ""), expected):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        # Whichever process is asked answers for all of them.
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    asked = CollectorRegistry()
    asked.register(Asking())
    text = generate_latest(registry) + generate_latest(asked)
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)

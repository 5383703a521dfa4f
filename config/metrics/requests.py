"""Count requests and measure them: a middleware, outermost, so that nothing is left out."""

from collections.abc import Callable
from time import perf_counter
from typing import Final

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase
from prometheus_client import Counter, Histogram

from config.metrics.names import REQUEST_SECONDS, REQUESTS

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Children by their labels: to look one up by the library's way takes a lock and twice the time.
_counters: Final[dict[tuple[str, str, int], Counter]] = {}
_histograms: Final[dict[tuple[str, str], Histogram]] = {}

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def requests_measure(get_response: GetResponse) -> GetResponse:
    """Return a middleware that counts and times requests.

    Raises
    ------
    MiddlewareNotUsed
        There is no `METRICS_TOKEN`.
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
    # Whatever else a client calls a method is one: names must not grow without end.
    method = request.method if request.method in _METHODS else "other"
    assert method is not None  # noqa: S101  for the type checker
    counter = _counters.get((view, method, status))
    if counter is None:
        counter = REQUESTS.labels(view, method, str(status))
        _counters[view, method, status] = counter
    counter.inc()
    histogram = _histograms.get((view, method))
    if histogram is None:
        histogram = _histograms[view, method] = REQUEST_SECONDS.labels(view, method)
    histogram.observe(seconds)


def _view_of(request: HttpRequest) -> str:
    """Return the name of the view, never an address: these hold names and secrets."""
    match = request.resolver_match
    if match is not None:
        return match.view_name
    return "static" if request.path_info.startswith("/static/") else "none"

"""Give each request an id that stands in all that is logged meanwhile, in its answer, and in the tasks it sends."""

import re
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import structlog
from django.conf import settings
from django.core.signals import request_finished
from django.http import HttpRequest, HttpResponseBase

HEADER: Final = "X-Request-ID"
# Of proxies: nginx's is 32 hexadecimal digits, others send UUIDs.
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def requests_name(get_response: GetResponse) -> GetResponse:
    """Return a middleware that gives each request an id: the proxy's if there is a proxy, else a new one."""

    # Not before: Django logs refusals when all middlewares are done.
    request_finished.connect(_forget, dispatch_uid=__name__)

    def name(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "") if settings.PROXIES else ""
        request_id = given if _WELL_FORMED.fullmatch(given) else uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=request_id)
        response = get_response(request)
        # Files of pages are many, small, and asked for by nobody afterwards.
        if not request.path_info.startswith("/static/"):
            response.headers[HEADER] = request_id
        return response

    return name


def _forget(**_signal: Any) -> None:
    structlog.contextvars.clear_contextvars()

"""Write every error of the API as a problem of RFC 9457, from views, middleware and Django."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from campaign.api.problems import TITLES

CONTENT_TYPE: Final = "application/problem+json"
#: Where the type of a problem is about nothing but its status.
OF_THE_STATUS: Final = "about:blank"


def problems_describe(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Make each error that the API answers with a problem; what it says otherwise stays in it."""

    def describe(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code >= 400 and request.path_info.startswith("/api/"):
            problem_make(request, response)
        return response

    return describe


def problem_make(request: HttpRequest, response: HttpResponseBase) -> None:
    """Complete the body of an error in place."""
    if not isinstance(response, HttpResponse) or response.has_header("Content-Encoding"):
        return
    said = _said(response)
    status = response.status_code
    kind = said.get("type", OF_THE_STATUS)
    title = TITLES.get(kind) or _phrase(status)
    problem = {
        "type": kind,
        "title": str(title),
        "status": status,
        "detail": said.get("detail", str(title)),
        "instance": request.path,
        **{name: value for name, value in said.items() if name not in _MEMBERS},
    }
    response.content = json.dumps(problem, ensure_ascii=False).encode()
    response.headers["Content-Type"] = CONTENT_TYPE
    if response.has_header("Content-Length"):
        response.headers["Content-Length"] = str(len(response.content))


_MEMBERS: Final = frozenset({"type", "title", "status", "detail", "instance"})


def _said(response: HttpResponse) -> dict[str, Any]:
    if "json" not in response.headers.get("Content-Type", ""):
        return {}
    try:
        said = json.loads(response.content)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {"errors": {"body": said}}


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return str(status)
